//! What frameworks call things: data in `*.toml`, one file a framework, and the questions that the
//! rest of the code half asks about it.
//!
//! A question about a call or a type takes a dotted path, resolved through the imports as far as
//! that goes (`langchain_core.messages.HumanMessage`, `self.client.chat.completions.create`), and
//! the [`Frameworks`] that the file speaks: an entry counts if its framework is among them or owns
//! the root of the path.

mod calls;
mod clock;
mod cuts;
mod external;
mod messages;
mod notices;
mod orders;
mod patterns;
mod project;
mod schema;
mod state;
mod triggers;
mod words;

use std::sync::{Arc, LazyLock, OnceLock};

use rustc_hash::FxHashMap;
use serde::Deserialize;

pub(crate) use messages::{Field, HistoryType};
pub(crate) use orders::UnorderedKind;
pub use project::Words;
pub(crate) use schema::Framework as ProjectWords;
pub(crate) use schema::{
    ArgumentSpec, Block, Effect, Fold, Granularity, Purpose, Runs, Strength, Trim, Volatile, VolatileKind,
};
pub(crate) use words::{last_segment, same_name, spelled, words};

use patterns::{Entry, Patterns};
use schema::Framework;
use triggers::Triggers;

use super::ir::Module;
use super::memo::Memo;

/// Who speaks in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Role {
    /// Who sets the rules.
    System,
    /// The person, and whatever is sent in the person's name.
    User,
    /// The model.
    Assistant,
    /// The result of a tool.
    Tool,
}

/// The frameworks that a file speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frameworks {
    spoken: u32,
    /// Those whose own source stands in the project.
    seen: u32,
}

impl Frameworks {
    fn with(self, number: usize) -> Self {
        Self {
            spoken: self.spoken | 1 << number,
            ..self
        }
    }

    fn has(self, number: usize) -> bool {
        self.spoken & 1 << number != 0
    }

    /// The same in a project that holds the source of some.
    fn beside(self, seen: u32) -> Self {
        Self {
            spoken: self.spoken & !seen,
            seen,
        }
    }

    fn sees(self, number: usize) -> bool {
        self.seen & 1 << number != 0
    }
}

/// All files, indexed.
#[derive(Debug, Default)]
pub(crate) struct Vocabulary {
    files: Vec<Framework>,
    always: Frameworks,
    constructors: Patterns,
    renderings: Patterns,
    removals: Patterns,
    hook_decorators: Patterns,
    registrations: Patterns,
    wrappers: Patterns,
    reducers: Patterns,
    model_calls: Patterns,
    retrievals: Patterns,
    stores: Patterns,
    trims: Patterns,
    volatiles: Patterns,
    display_functions: Patterns,
    call_only_methods: Patterns,
    graph_runs: Patterns,
    /// In lower case.
    roles: FxHashMap<String, Role>,
    /// In lower case.
    blocks: FxHashMap<String, Block>,
    fields: FxHashMap<String, Field>,
    /// By the names that were asked about.
    history_names: Memo<Box<str>, Option<Strength>>,
    prefix_names: Memo<Box<str>, Option<Strength>>,
    purposes: Memo<Box<str>, Arc<[Purpose]>>,
    /// Made when somebody asks: compiling them takes longer than checking a file.
    triggers: OnceLock<Triggers>,
}

/// The files that ctxlint carries.
const BUILTIN: [&str; 23] = [
    include_str!("plain.toml"),
    include_str!("langgraph.toml"),
    include_str!("openai.toml"),
    include_str!("anthropic.toml"),
    include_str!("rig.toml"),
    include_str!("rust.toml"),
    include_str!("codex.toml"),
    include_str!("vercel.toml"),
    include_str!("google.toml"),
    include_str!("adk.toml"),
    include_str!("pydantic-ai.toml"),
    include_str!("autogen.toml"),
    include_str!("agent-framework.toml"),
    include_str!("semantic-kernel.toml"),
    include_str!("crewai.toml"),
    include_str!("strands.toml"),
    include_str!("smolagents.toml"),
    include_str!("letta.toml"),
    include_str!("haystack.toml"),
    include_str!("llama-index.toml"),
    include_str!("mastra.toml"),
    include_str!("hermes.toml"),
    include_str!("agno.toml"),
];

static VOCABULARY: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::parse(&BUILTIN).expect("the carried files are read by a test"));

impl Vocabulary {
    /// What ctxlint knows by itself.
    pub(crate) fn builtin() -> &'static Self {
        &VOCABULARY
    }

    fn parse(texts: &[&str]) -> Result<Self, toml::de::Error> {
        Ok(Self::of(Self::read(texts)?))
    }

    fn read(texts: &[&str]) -> Result<Vec<Framework>, toml::de::Error> {
        texts.iter().map(|text| toml::from_str(text)).collect()
    }

    /// Indexes files; an earlier one wins where two give one literal different meanings.
    fn of(files: Vec<Framework>) -> Self {
        let mut vocabulary = Self::default();
        for (number, file) in files.iter().enumerate() {
            if file.imports.is_empty() {
                vocabulary.always = vocabulary.always.with(number);
            }
            vocabulary.index(number, file);
        }
        vocabulary.files = files;
        vocabulary
    }

    fn index(&mut self, number: usize, file: &Framework) {
        add_all(&mut self.constructors, number, file.message.iter().map(|m| &m.names));
        add_all(&mut self.renderings, number, file.rendering.iter().map(|r| &r.calls));
        add_all(&mut self.removals, number, file.removal.iter().map(|r| &r.names));
        add_all(
            &mut self.hook_decorators,
            number,
            file.hook.iter().map(|h| &h.decorators),
        );
        add_all(
            &mut self.registrations,
            number,
            file.registration.iter().map(|r| &r.calls),
        );
        add_all(&mut self.wrappers, number, file.update.wrapper.iter().map(|w| &w.names));
        add_all(&mut self.reducers, number, file.reducer.iter().map(|r| &r.names));
        add_all(&mut self.model_calls, number, file.model_call.iter().map(|c| &c.calls));
        add_all(&mut self.retrievals, number, file.retrieval.iter().map(|r| &r.calls));
        add_all(&mut self.stores, number, file.store.iter().map(|s| &s.calls));
        add_all(&mut self.trims, number, file.trim.iter().map(|t| &t.calls));
        add_all(&mut self.volatiles, number, file.volatile.iter().map(|v| &v.calls));
        add_all(&mut self.display_functions, number, [&file.sinks.functions]);
        add_all(&mut self.call_only_methods, number, [&file.update.call_only_methods]);
        add_all(&mut self.graph_runs, number, [&file.tests.runs]);
        for (&role, literals) in &file.roles {
            for literal in literals {
                self.roles.entry(literal.to_lowercase()).or_insert(role);
            }
        }
        for (&block, literals) in &file.blocks {
            for literal in literals {
                self.blocks.entry(literal.to_lowercase()).or_insert(block);
            }
        }
        let fields = &file.fields;
        for (names, meaning) in [
            (&fields.role, Field::Role(Strength::Strong)),
            (&fields.role_weak, Field::Role(Strength::Weak)),
            (&fields.content, Field::Content),
            (&fields.id, Field::Id),
            (&fields.tool_call, Field::ToolCall),
            (&fields.tool_result, Field::ToolResult),
            (&fields.marker, Field::Marker),
        ] {
            for name in names {
                self.fields.entry(name.clone()).or_insert(meaning);
            }
        }
    }

    /// The frameworks that each file of a project speaks.
    pub(crate) fn frameworks_of(&self, modules: &[&Module]) -> Vec<Frameworks> {
        let mut seen = 0;
        for (number, file) in self.files.iter().enumerate() {
            let is_source = |module: &Module| file.source.as_ref().is_some_and(|source| module.path.ends_with(source));
            if file.source.is_some() && modules.iter().any(|module| is_source(module)) {
                seen |= 1 << number;
            }
        }
        let spoken = modules.iter().map(|module| self.frameworks(module));
        spoken.map(|spoken| spoken.beside(seen)).collect()
    }

    /// The frameworks that a file speaks, by its imports.
    fn frameworks(&self, module: &Module) -> Frameworks {
        let mut found = self.always;
        for (number, file) in self.files.iter().enumerate() {
            let imported = |root: &String| module.imports.iter().any(|import| is_under(&import.module, root));
            if file.imports.iter().any(imported) {
                found = found.with(number);
            }
        }
        found
    }

    /// Whether a file speaks a framework of models, beyond the words that every file shares.
    pub(crate) fn speaks_to_models(&self, here: Frameworks) -> bool {
        here.spoken != self.always.spoken
    }

    /// Whether a file imports a provider that takes a system message anywhere in the list.
    pub(crate) fn accepts_system_anywhere(&self, module: &Module) -> bool {
        let mut roots = self.files.iter().flat_map(|file| &file.system_anywhere);
        roots.any(|root| module.imports.iter().any(|import| is_under(&import.module, root)))
    }

    /// The first imported module whose messages are no history of a model.
    pub(crate) fn foreign_import(&self, module: &Module) -> Option<&str> {
        let roots = self.files.iter().flat_map(|file| &file.foreign.imports);
        let mut found = roots.filter(|root| {
            module.imports.iter().any(|import| {
                is_under(&import.module, root)
                    || import
                        .symbol
                        .as_ref()
                        .is_some_and(|symbol| **root == format!("{}.{symbol}", import.module))
            })
        });
        found.next().map(String::as_str)
    }

    /// Whether an entry of the file counts for a path seen in a file that speaks `here`.
    fn counts(&self, number: usize, path: &str, here: Frameworks) -> bool {
        let owns = || self.files[number].imports.iter().any(|root| is_under(path, root));
        self.always.has(number) || here.has(number) || !here.sees(number) && owns()
    }

    /// The entry that names the most of the path; of equals the one with the higher `rank`, then the
    /// first.
    fn best<K: Ord>(
        &self,
        patterns: &Patterns,
        path: &str,
        here: Frameworks,
        rank: impl Fn(Entry) -> K,
    ) -> Option<Entry> {
        let mut found = patterns.matches(path);
        found.retain(|(_, entry)| self.counts(entry.framework, path, here));
        found.reverse();
        found
            .into_iter()
            .max_by_key(|&(length, entry)| (length, rank(entry)))
            .map(|(_, entry)| entry)
    }
}

fn add_all<'a>(patterns: &mut Patterns, framework: usize, lists: impl IntoIterator<Item = &'a Vec<String>>) {
    for (index, list) in lists.into_iter().enumerate() {
        for pattern in list {
            patterns.add(pattern, Entry { framework, index });
        }
    }
}

/// Whether a dotted path is the root or lies under it.
fn is_under(path: &str, root: &str) -> bool {
    path.strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/']))
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn speaking(imports: &[&str]) -> Frameworks {
        Vocabulary::builtin().frameworks(&module(imports))
    }

    fn module(imports: &[&str]) -> Module {
        use crate::code::ir::{FunctionId, Import};
        Module {
            path: "m.py".into(),
            name: "m".into(),
            language: "python",
            folder_stems: &["__init__"],
            package: None,
            mappings: std::sync::Arc::default(),
            sets_keep_order: false,
            handed_on: None,
            gestures: Vec::new(),
            is_test: false,
            test_parts: Vec::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            exprs: Vec::new(),
            owners: Vec::new(),
            imports: imports
                .iter()
                .map(|&name| Import {
                    module: name.into(),
                    symbol: None,
                    local: name.into(),
                    scope: FunctionId(0),
                })
                .collect(),
            comments: Vec::new(),
            unparsed: None,
        }
    }

    #[test]
    fn the_carried_files_are_well_formed() {
        let read = Vocabulary::parse(&BUILTIN);
        assert!(read.is_ok(), "{}", read.unwrap_err());
    }

    #[test]
    fn an_unknown_key_is_refused() {
        assert!(Vocabulary::parse(&["name = \"x\"\nimports = []\nroels = {}"]).is_err());
    }

    #[test]
    fn imports_tell_the_frameworks() {
        let nothing = speaking(&["os"]);
        assert_eq!(nothing, Vocabulary::builtin().always);
        assert_ne!(speaking(&["langchain_core.messages"]), nothing);
        assert_eq!(speaking(&["langchain_corelike"]), nothing);
    }

    #[test]
    fn modules_about_other_messages() {
        let vocabulary = Vocabulary::builtin();
        assert_eq!(vocabulary.foreign_import(&module(&["email.message"])), Some("email"));
        assert_eq!(vocabulary.foreign_import(&module(&["emails"])), None);
        let mut flash = module(&["django.contrib"]);
        flash.imports[0].symbol = Some("messages".into());
        assert_eq!(vocabulary.foreign_import(&flash), Some("django.contrib.messages"));
    }
}
