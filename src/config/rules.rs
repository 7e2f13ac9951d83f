//! The tables of single rules: `[rules.mid-turn-cut]`.

use std::fmt;
use std::num::NonZeroU32;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::file::RuleId;
use crate::finding::{Confidence, Severity};
use crate::rule::{self, Rule};
use crate::select::{RuleSettings, Selector};
use crate::transcript::RuleOptions;

/// What a project says about single rules, by their ids.
#[derive(Debug, Default)]
pub(super) struct RuleTables {
    pub(super) settings: Vec<RuleSettings>,
    /// Rules that are left out.
    pub(super) off: Vec<Selector>,
    pub(super) options: RuleOptions,
}

/// What can be said about any rule.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct AnyRule {
    /// The severity of its findings, in place of the rule's own; `off` leaves the rule out.
    severity: Option<Level>,
    /// Its findings under this confidence are hidden.
    min_confidence: Option<Confidence>,
}

/// What can be said about `duplicate-message`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct DuplicateMessage {
    /// The severity of its findings, in place of the rule's own; `off` leaves the rule out.
    severity: Option<Level>,
    /// Its findings under this confidence are hidden.
    min_confidence: Option<Confidence>,
    /// How many messages in a row have to be said again, in a recorded run.
    repeats: Option<NonZeroU32>,
}

/// What can be said about `skipped-injection`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct SkippedInjection {
    /// The severity of its findings, in place of the rule's own; `off` leaves the rule out.
    severity: Option<Level>,
    /// Its findings under this confidence are hidden.
    min_confidence: Option<Confidence>,
    /// The first turn, from 1, in which an injection that starts now was missed, in a recorded run.
    from_turn: Option<NonZeroU32>,
}

/// How bad the findings of a rule are, or that there are none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Level {
    Error,
    Warn,
    Info,
    Off,
}

impl Level {
    /// The severity; none where the rule is left out.
    fn severity(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warn => Some(Severity::Warn),
            Self::Info => Some(Severity::Info),
            Self::Off => None,
        }
    }
}

impl RuleTables {
    fn add(&mut self, rule: &'static Rule, severity: Option<Level>, min_confidence: Option<Confidence>) {
        if severity == Some(Level::Off) {
            self.off.push(Selector::Rule(rule));
        }
        self.settings.push(RuleSettings {
            rule,
            severity: severity.and_then(Level::severity),
            min_confidence,
        });
    }
}

impl<'de> Deserialize<'de> for RuleTables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Tables)
    }
}

struct Tables;

impl<'de> Visitor<'de> for Tables {
    type Value = RuleTables;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RuleTables, A::Error> {
        let mut tables = RuleTables::default();
        while let Some(id) = map.next_key::<RuleId>()? {
            let rule = id.rule();
            // Each rule knows its own keys: one that another rule has is a mistake here.
            if *rule == rule::DUPLICATE_MESSAGE {
                let told: DuplicateMessage = map.next_value()?;
                tables.add(rule, told.severity, told.min_confidence);
                tables.options.repeats = told.repeats.unwrap_or(tables.options.repeats);
            } else if *rule == rule::SKIPPED_INJECTION {
                let told: SkippedInjection = map.next_value()?;
                tables.add(rule, told.severity, told.min_confidence);
                tables.options.from_turn = told.from_turn.unwrap_or(tables.options.from_turn);
            } else {
                let told: AnyRule = map.next_value()?;
                tables.add(rule, told.severity, told.min_confidence);
            }
        }
        Ok(tables)
    }
}
