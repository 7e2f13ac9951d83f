//! Message-likes become messages, or the error that the real library raises.

mod construct;
mod javascript;
mod python;
mod python_json;
mod repr;
mod validation;

use serde_json::Value;

use super::message::{Kind, Message};

/// What the real library raises where it refuses something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The class of the exception: `ValueError`, `TypeError`, …
    pub kind: &'static str,
    /// Its text.
    pub message: String,
}

impl Raised {
    pub(super) fn new(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// Which library coerces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// langchain-core for Python.
    Python,
    /// @langchain/core for JavaScript.
    JavaScript,
}

/// Makes a message of a message-like: a typed or role object, a constructor object (`"lc": 1`), a pair
/// of role and content, a string.
pub fn coerce(dialect: Dialect, like: &Value) -> Result<Message, Raised> {
    match dialect {
        Dialect::Python => python::coerce(like),
        Dialect::JavaScript => javascript::coerce(like),
    }
}

/// Reads a message that is already one: what a state holds, written in canonical form.
///
/// `None` if it is no canonical message; it may still be a message-like.
#[must_use]
pub fn canonical(value: &Value) -> Option<Message> {
    construct::canonical(value)
}

/// The message of a tool result, whatever the tool gave.
pub(super) fn tool_result(content: Value, tool_call_id: Value) -> Result<Message, Raised> {
    let arguments = [("content", content), ("tool_call_id", tool_call_id)];
    construct::construct(
        Kind::Tool,
        arguments
            .map(|(key, value)| (key.to_owned(), value))
            .into_iter()
            .collect(),
    )
}

pub(super) use repr::{is_truthy, repr, type_name};
