//! What a framework calls, and how it applies what it gets back.

use serde::Deserialize;

use super::{ArgumentSpec, Strength};

/// What becomes of what a hook returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Effect {
    /// It is folded into the history.
    Persists,
    /// It is used for one call.
    CallOnly,
}

/// How often something runs, from the rarest to the most frequent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Runs {
    /// When the module is loaded.
    Import,
    /// When an object is made, or once because the value is kept.
    Construction,
    /// Once a session.
    Session,
    /// Once a turn.
    Turn,
    /// Once a call of the model.
    Call,
    /// Once a call of a tool.
    ToolCall,
}

/// A function that a framework calls.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Hook {
    /// Its name.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// Decorators that make a function one, whatever its name.
    #[serde(default)]
    pub(crate) decorators: Vec<String>,
    /// The name counts in subclasses of these; anywhere if there is none.
    #[serde(default)]
    pub(crate) bases: Vec<String>,
    /// What becomes of what it returns; none where nobody knows.
    pub(crate) effect: Option<Effect>,
    /// How often it runs.
    pub(crate) runs: Runs,
    /// How much the name proves.
    #[serde(default)]
    pub(crate) strength: Strength,
}

/// Words about lists of hooks.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Dispatch {
    /// Last words of the name of a list of hooks.
    pub(crate) hooks: Vec<String>,
    /// Last words of the name of a list that may be one.
    pub(crate) maybe: Vec<String>,
    /// What lets a function run beside the one that calls it.
    pub(crate) workers: Vec<String>,
    /// Words of hooks whose error is meant to stop the run.
    pub(crate) deliberate: Vec<String>,
    /// Methods that make hooks ready or put them away.
    pub(crate) upkeep: Vec<String>,
}

/// A call that makes a function a hook.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Registration {
    /// The call.
    pub(crate) calls: Vec<String>,
    /// Where it takes the function.
    pub(crate) function: ArgumentSpec,
    /// Whether a single argument is the function.
    #[serde(default)]
    pub(crate) only_argument: bool,
    /// What becomes of what the function returns; none where it is folded into nothing or nobody knows.
    pub(crate) effect: Option<Effect>,
    /// How often the function runs.
    pub(crate) runs: Runs,
}

/// How a returned update is wrapped.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Update {
    /// Keys of an update that reach the next call only.
    pub(crate) call_only_keys: Vec<String>,
    /// Methods whose arguments reach the next call only.
    pub(crate) call_only_methods: Vec<String>,
    /// Classes around an update.
    pub(crate) wrapper: Vec<Wrapper>,
}

/// A class around an update.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Wrapper {
    /// The names of the class.
    pub(crate) names: Vec<String>,
    /// Where it takes the update.
    pub(crate) argument: ArgumentSpec,
    /// Whether the update is the input of another agent.
    #[serde(default)]
    pub(crate) sub_agent: bool,
}

/// How an update is folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fold {
    /// Known ids replace in place, others go to the tail, nothing is removed without a marker.
    MergeById,
    /// All goes to the tail.
    Append,
}

/// A reducer of a state.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Reducer {
    /// The function, as annotations name it.
    pub(crate) names: Vec<String>,
    /// How it folds.
    pub(crate) kind: Fold,
    /// State classes whose fields have it.
    #[serde(default)]
    pub(crate) state_bases: Vec<String>,
    /// The fields of those classes.
    #[serde(default)]
    pub(crate) fields: Vec<String>,
}
