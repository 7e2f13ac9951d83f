//! `[[transcripts.adapter]]`: where the parts of a message stand in the records of a home-made log.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::file::Pattern;
use crate::exclude::Globs;
use crate::transcript::{self, Plan, Pointer, ProjectAdapter, Role};

/// Adapters with names of their own.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct AdapterTables(Vec<AdapterTable>);

/// How one kind of home-made log is read. Places are JSON pointers (RFC 6901).
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct AdapterTable {
    /// What `--input-format` calls it.
    name: AdapterName,
    /// The files that are read by it without a flag, as patterns of the form of `.gitignore`, relative to the folder
    /// of this file.
    #[serde(default)]
    files: Vec<Pattern>,
    /// Where the role of a message stands in a record.
    role: Pointer,
    /// Where its text stands, or its content blocks.
    content: Pointer,
    /// Where its id stands.
    id: Option<Pointer>,
    /// Where the list of the tool calls stands that it makes.
    calls: Option<Pointer>,
    /// Where in one of them its id stands; `/id` unless told.
    call_id: Option<Pointer>,
    /// Where the id of the call stands that it answers, or a list of ids.
    result: Option<Pointer>,
    /// Where in a record the name of the history stands that it belongs to.
    session: Option<Pointer>,
    /// Where a record holds a whole list of messages: the places of a message begin in each of them, and each record
    /// shows the history as it was.
    messages: Option<Pointer>,
    /// Words of the log for the roles; the usual ones need not be told.
    #[serde(default)]
    roles: RoleWords,
}

/// What the log calls the roles.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct RoleWords {
    system: Vec<String>,
    user: Vec<String>,
    assistant: Vec<String>,
    tool: Vec<String>,
}

/// The name of an adapter, which no format that ctxlint knows has.
#[derive(Debug)]
pub(super) struct AdapterName(String);

impl AdapterTables {
    /// The adapters, with patterns that begin at the folder of the configuration.
    pub(super) fn into_adapters(self, folder: &Path) -> transcript::Adapters {
        transcript::Adapters::new(self.0.into_iter().map(|table| table.into_adapter(folder)))
    }
}

impl AdapterTable {
    fn into_adapter(self, folder: &Path) -> ProjectAdapter {
        let plan = Plan {
            role: self.role,
            content: self.content,
            id: self.id,
            calls: self.calls,
            call_id: self
                .call_id
                .or_else(|| Pointer::parse("/id"))
                .expect("a literal pointer"),
            result: self.result,
            session: self.session,
            messages: self.messages,
            words: self.roles.into_words(),
        };
        ProjectAdapter {
            name: self.name.0,
            files: Globs::new(folder, self.files.iter().map(|pattern| pattern.0.as_str())),
            plan: Arc::new(plan),
        }
    }
}

impl RoleWords {
    fn all(&self) -> impl Iterator<Item = (&String, Role)> {
        let told = [
            (&self.system, Role::System),
            (&self.user, Role::User),
            (&self.assistant, Role::Assistant),
            (&self.tool, Role::Tool),
        ];
        told.into_iter()
            .flat_map(|(words, role)| words.iter().map(move |word| (word, role)))
    }

    /// A word that stands for two roles.
    fn ambiguous(&self) -> Option<&str> {
        let mut known = FxHashMap::default();
        let mut words = self.all();
        let twice = words.find(|(word, role)| *known.entry(*word).or_insert(*role) != *role);
        twice.map(|(word, _)| word.as_str())
    }

    fn into_words(self) -> FxHashMap<String, Role> {
        self.all().map(|(word, role)| (word.clone(), role)).collect()
    }
}

impl<'de> Deserialize<'de> for AdapterName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        if name.trim().is_empty() {
            return Err(de::Error::custom(
                "an adapter needs a name; write one for --input-format",
            ));
        }
        if transcript::input_formats().contains(&&*name) {
            return Err(de::Error::custom(format_args!(
                "`{name}` is a format that ctxlint knows; give the adapter another name"
            )));
        }
        Ok(Self(name))
    }
}

impl<'de> Deserialize<'de> for Pointer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            de::Error::custom(format_args!(
                "`{text}` is no JSON pointer; begin it with `/`, as in `/msg/text`"
            ))
        })
    }
}

impl<'de> Deserialize<'de> for AdapterTables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Tables)
    }
}

/// Reads the adapters one after another.
struct Tables;

impl<'de> Visitor<'de> for Tables {
    type Value = AdapterTables;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tables")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut tables: A) -> Result<AdapterTables, A::Error> {
        let mut read = Vec::new();
        while let Some(table) = tables.next_element_seed(Next(&read))? {
            read.push(table);
        }
        Ok(AdapterTables(read))
    }
}

/// Reads an adapter behind others. Its faults are found while its table is read, so that they are shown there.
struct Next<'a>(&'a [AdapterTable]);

impl<'de> DeserializeSeed<'de> for Next<'_> {
    type Value = AdapterTable;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<AdapterTable, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Next<'_> {
    type Value = AdapterTable;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AdapterTable, A::Error> {
        let table = AdapterTable::deserialize(MapAccessDeserializer::new(map))?;
        let name = &table.name.0;
        if self.0.iter().any(|other| other.name.0 == *name) {
            return Err(de::Error::custom(format_args!(
                "two adapters are called `{name}`; give this one another name"
            )));
        }
        if let Some(word) = table.roles.ambiguous() {
            return Err(de::Error::custom(format_args!(
                "`{word}` stands for two roles of `{name}`; leave it in one of them"
            )));
        }
        Ok(table)
    }
}
