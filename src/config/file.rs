//! The form of a configuration file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use serde::de::{self, Deserializer};

use super::adapter::AdapterTables;
use super::rules::RuleTables;
use crate::code::ProjectWords;
use crate::exclude;
use crate::finding::{Confidence, Severity};
use crate::rule::{self, Rule};
use crate::select::Selector;
use crate::transcript::{Price, ProjectMarkers};

/// `ctxlint.toml`, and the table `[tool.ctxlint]` of `pyproject.toml`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct File {
    /// Files and folders that are left out, as patterns of the form of `.gitignore`, relative to the folder of this
    /// file.
    pub(super) exclude: Vec<Pattern>,
    /// Only these rules or families run, and housekeeping. `--select` takes the place of it.
    pub(super) select: Vec<Name>,
    /// These rules or families do not run. `--ignore` adds to it.
    pub(super) ignore: Vec<Name>,
    /// Whether the opt-in rules run too.
    pub(super) pedantic: bool,
    /// Findings under this severity are hidden.
    pub(super) min_severity: Option<Severity>,
    /// Findings under this confidence are hidden.
    pub(super) min_confidence: Option<Confidence>,
    /// From this severity on a finding makes the exit status 1.
    pub(super) fail_on: Option<Severity>,
    /// The baseline of `check`, relative to the folder of this file.
    pub(super) baseline: Option<PathBuf>,
    /// Settings of single rules, by their ids.
    #[cfg_attr(test, schemars(schema_with = "super::schema::rules"))]
    pub(super) rules: RuleTables,
    /// Rules and families that do not speak about the files that a pattern names.
    #[cfg_attr(test, schemars(schema_with = "super::schema::keyed::<Pattern, Vec<Name>>"))]
    pub(super) per_path_ignores: BTreeMap<Pattern, Vec<Name>>,
    /// What the project's own code calls things.
    pub(super) vocabulary: Option<ProjectWords>,
    /// What recorded runs of this project have.
    pub(super) transcripts: Transcripts,
    /// What models cost, by name, beside or instead of the prices that ctxlint knows.
    pub(super) prices: BTreeMap<String, Price>,
}

/// A `pyproject.toml`, of which only our table is looked at.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Pyproject {
    pub(super) tool: Tools,
}

/// The tables of tools.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tools {
    pub(super) ctxlint: Option<File>,
}

/// What recorded runs of this project have.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Transcripts {
    /// Marks beside those that ctxlint knows.
    pub(super) markers: ProjectMarkers,
    /// How home-made logs are read.
    pub(super) adapter: AdapterTables,
}

/// A rule or a family.
#[derive(Clone, Debug)]
pub(super) struct Name(pub(super) Selector);

/// The id of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RuleId(&'static str);

impl RuleId {
    pub(super) fn rule(self) -> &'static Rule {
        rule::find(self.0).expect("only ids of rules are read")
    }
}

/// A pattern for paths that is known to be one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern(pub(super) String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let selector = Selector::parse(&name);
        selector
            .map(Self)
            .map_err(|message| de::Error::custom(format_args!("`{name}`: {message}")))
    }
}

impl<'de> Deserialize<'de> for RuleId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let id = String::deserialize(deserializer)?;
        rule::known(&id)
            .map(|rule| Self(rule.id()))
            .map_err(|message| de::Error::custom(format_args!("`{id}`: {message}")))
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        exclude::check(&text).map_err(|message| de::Error::custom(format_args!("{message}")))?;
        Ok(Self(text))
    }
}
