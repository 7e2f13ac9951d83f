//! Calls of models, stores and searches, and places where text only passes.

use serde::Deserialize;

use super::{ArgumentSpec, Strength};

/// A call of a model.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ModelCall {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the messages.
    #[serde(default)]
    pub(crate) messages: ArgumentSpec,
    /// Where it takes the system prompt.
    #[serde(default)]
    pub(crate) system: ArgumentSpec,
    /// Where it takes the tools.
    #[serde(default)]
    pub(crate) tools: ArgumentSpec,
    /// Weak where many things have a method of the name.
    pub(crate) strength: Strength,
    /// Whether it only makes the object that will call the model, with its system prompt and tools.
    #[serde(default)]
    pub(crate) builds: bool,
    /// Whether the name says so where the function is one of the project too: the framework is read.
    #[serde(default)]
    pub(crate) own: bool,
}

/// A look-up by text.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Retrieval {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the text.
    pub(crate) query: ArgumentSpec,
    /// Weak where many things have a method of the name.
    pub(crate) strength: Strength,
}

/// Names of functions that look something up by text.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct RetrievalWords {
    /// First words.
    pub(crate) verbs: Vec<String>,
    /// First words that say so beside a call that stores the text.
    pub(crate) also: Vec<String>,
    /// First words of the names of functions that store a text.
    pub(crate) keeps: Vec<String>,
    /// Words in the name of an argument that is looked up.
    pub(crate) arguments: Vec<String>,
    /// Last words of the name of a receiver that looks for a pattern in the text.
    pub(crate) patterns: Vec<String>,
}

/// A call that makes messages durable.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Store {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the messages.
    pub(crate) messages: ArgumentSpec,
    /// Weak where many things have a method of the name.
    pub(crate) strength: Strength,
    /// Whether the name says so where the function is one of the project too: the framework is read.
    #[serde(default)]
    pub(crate) own: bool,
}

/// Calls that show or note a value.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Sinks {
    /// Last words of the name of a receiver, all of whose methods do.
    pub(crate) receivers: Vec<String>,
    /// Functions.
    pub(crate) functions: Vec<String>,
}

/// How tests see what an update makes of a history.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Tests {
    /// Calls that run a graph.
    pub(crate) runs: Vec<String>,
    /// Words in the name of a function that folds.
    pub(crate) fold_words: Vec<String>,
}

/// Words of queries that are built by calls.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Queries {
    /// Calls that make a query of a table.
    pub(crate) builders: Vec<String>,
    /// Calls that leave one row or a number.
    pub(crate) single: Vec<String>,
    /// Calls that say in which order the rows come.
    pub(crate) orders: Vec<String>,
    /// Methods that write many rows in one go.
    pub(crate) writes_many: Vec<String>,
    /// Functions that run what they are given side by side.
    pub(crate) side_by_side: Vec<String>,
}
