//! Messages and what holds them.

use serde::Deserialize;

use super::ArgumentSpec;
use crate::code::vocabulary::Role;

/// A constructor of messages; the same name in a type test or an annotation is the type.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Constructor {
    /// The names of the class.
    pub(crate) names: Vec<String>,
    /// The role of all its messages; none where an argument gives it.
    pub(crate) role: Option<Role>,
    /// Fields taken by position.
    #[serde(default)]
    pub(crate) positional: Vec<String>,
}

/// An interface whose objects become messages: what a message says is what methods of the object say.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Rendering {
    /// The interface.
    pub(crate) interfaces: Vec<String>,
    /// Calls that take the object and give the message.
    pub(crate) calls: Vec<String>,
    /// The method that gives the role.
    pub(crate) role: String,
    /// The method that gives the content.
    pub(crate) content: String,
    /// The method that gives the marks around the content.
    pub(crate) marks: String,
}

/// A marker that removes one message.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Removal {
    /// The names of the class.
    pub(crate) names: Vec<String>,
    /// The id of the message it removes.
    pub(crate) id: ArgumentSpec,
}

/// Markers that replace the whole history.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct RemoveAll {
    /// Constants that are the id of such a removal.
    pub(crate) names: Vec<String>,
    /// The same as literals.
    pub(crate) literals: Vec<String>,
    /// Classes whose argument replaces the list.
    pub(crate) wrappers: Vec<String>,
}

/// What a content block or an item can be besides text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Block {
    /// The model asks for a tool.
    ToolCall,
    /// What the tool gave.
    ToolResult,
}

/// Attributes and keys of messages.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Fields {
    /// Hold a role.
    pub(crate) role: Vec<String>,
    /// Hold a role or something else.
    pub(crate) role_weak: Vec<String>,
    /// Hold the content.
    pub(crate) content: Vec<String>,
    /// Hold the id.
    pub(crate) id: Vec<String>,
    /// Hold marks that a program set.
    pub(crate) marker: Vec<String>,
    /// Only messages that ask for a tool have them filled.
    pub(crate) tool_call: Vec<String>,
    /// Only results of a tool have them filled.
    pub(crate) tool_result: Vec<String>,
}

/// Names and types of histories.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct HistoryNames {
    /// Types of text, which is sliced as lists are.
    pub(crate) texts: Vec<String>,
    /// Types of single values that are no text.
    pub(crate) scalars: Vec<String>,
    /// Last words of a name that usually is a history.
    pub(crate) names: Vec<String>,
    /// Last words of a name that may be one.
    pub(crate) names_weak: Vec<String>,
    /// First words of a name that is none.
    pub(crate) names_foreign: Vec<String>,
    /// Words before `ids` in the name of a list that stands for a history by the ids of its messages.
    pub(crate) id_words: Vec<String>,
    /// Types of messages.
    pub(crate) types: Vec<String>,
    /// Types that may be messages.
    pub(crate) types_weak: Vec<String>,
    /// Types that are themselves lists of messages.
    pub(crate) list_types: Vec<String>,
    /// Types that may be lists of messages.
    pub(crate) list_types_weak: Vec<String>,
    /// Last words of the names of types of messages whose first words may name a role.
    pub(crate) nouns: Vec<String>,
    /// Types of mappings: what holds one history for each of something is no history.
    pub(crate) mappings: Vec<String>,
    /// Types of lists.
    pub(crate) containers: Vec<String>,
    /// Generic types whose values are their argument: pointers, locks, what may be missing.
    pub(crate) wrappers: Vec<String>,
    /// Types of a state that has a history as a field.
    pub(crate) state_types: Vec<String>,
}

/// Places where a history is read from a larger state: `holder[key]`, `holder.key`.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct State {
    /// Names of the state.
    pub(crate) holders: Vec<String>,
    /// Names of the history in it.
    pub(crate) keys: Vec<String>,
}

/// Modules and objects whose messages are no history of a model.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Foreign {
    /// Modules.
    pub(crate) imports: Vec<String>,
    /// Last words of the names of objects.
    pub(crate) receivers: Vec<String>,
    /// Methods of such objects that give messages.
    pub(crate) methods: Vec<String>,
}
