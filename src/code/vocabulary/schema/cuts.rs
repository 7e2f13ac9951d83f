//! Cuts that libraries make, and words about cuts.

use serde::Deserialize;

use super::ArgumentSpec;

/// A library function that cuts a history.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Trim {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the messages.
    pub(crate) messages: ArgumentSpec,
    /// What the kept part must start on.
    #[serde(default)]
    pub(crate) start: ArgumentSpec,
    /// Values of `start`, each alone, that make the cut a boundary.
    #[serde(default)]
    pub(crate) boundary_starts: Vec<String>,
    /// Whether it drops by kind or name and not by amount.
    #[serde(default)]
    pub(crate) filters: bool,
}

/// Methods that a subclass inherits and that cut the history between tool pairs, wherever the turns
/// begin.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct InheritedCut {
    /// The methods.
    pub(crate) methods: Vec<String>,
    /// The classes that have them.
    pub(crate) bases: Vec<String>,
    /// The item of the result that holds what is kept.
    pub(crate) kept: usize,
}

/// Words about cuts.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct CutWords {
    /// Words of a name that holds a number of messages.
    pub(crate) counts: Vec<String>,
    /// Words of what makes a history shorter.
    pub(crate) shortens: Vec<String>,
    /// Words of what works on all that a model reads.
    pub(crate) about_context: Vec<String>,
    /// A call with one of them in its name puts something in the place of what is stored.
    pub(crate) updates: Vec<String>,
    /// Last words of a name that holds the position of a message.
    pub(crate) positions: Vec<String>,
    /// Keys of tool results that stand in the person's name.
    pub(crate) user_results: Vec<String>,
    /// Methods of a web framework that decorate functions whose result a person sees.
    pub(crate) shows: Vec<String>,
    /// Words of a parameter that says where a page begins.
    pub(crate) pages: Vec<String>,
    /// Words of a name that says how long a page is.
    pub(crate) page_sizes: Vec<String>,
    /// Words in the name of a function by which a person takes back what was said.
    pub(crate) undoes: Vec<String>,
    /// Words in the name of a list that goes into a summary.
    pub(crate) summarized: Vec<String>,
    /// What is said of a conversation by who asks for something about it.
    pub(crate) task_nouns: Vec<String>,
    /// What is asked for.
    pub(crate) task_verbs: Vec<String>,
    /// Fields that say why a model stopped.
    pub(crate) stops: Vec<String>,
    /// Methods that read a history, as many messages as they are told.
    pub(crate) reads: Vec<String>,
    /// First words of the names of functions that only look at something.
    pub(crate) looks: Vec<String>,
    /// First words of the names of methods that take messages away.
    pub(crate) cut_verbs: Vec<String>,
    /// Words of the names of functions that repair tool pairs: one of each list.
    pub(crate) repair_verbs: Vec<String>,
    /// The other list.
    pub(crate) repair_nouns: Vec<String>,
}
