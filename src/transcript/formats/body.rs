//! What a message says, gathered part by part.

use std::borrow::Cow;
use std::sync::Arc;

use super::sent::{self, canonical};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Place, Role, hash_of};

/// The parts of a message read so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) text: String,
    /// What is no text, in a form that is the same for the same value.
    rest: String,
    pub(super) calls: Vec<Box<str>>,
    pub(super) results: Vec<Box<str>>,
}

impl Body {
    /// Adds text on a line of its own.
    pub(super) fn line(&mut self, text: &str) {
        if !self.text.is_empty() && !text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    /// Adds something that is no text. Where it stands in the text counts.
    pub(super) fn rest(&mut self, raw: Raw<'_>) {
        sent::place(&mut self.rest, self.text.len());
        // One result may be recorded with the line ends of a terminal, and again with plain ones.
        self.rest.push_str(&sent::block(raw).replace("\\r\\n", "\\n"));
    }

    /// Adds something that is no text, by the words that name it.
    pub(super) fn word(&mut self, word: &str) {
        self.rest.push_str(word);
        self.rest.push(' ');
    }

    /// Adds the call of a tool.
    pub(super) fn call(&mut self, id: &str, what: Option<Raw<'_>>) {
        self.calls.push(id.into());
        if let Some(what) = what {
            self.rest(what);
        }
    }

    /// Adds the result of a tool: it is what the message says, but no text of the person's.
    pub(super) fn result(&mut self, id: &str, what: Option<Raw<'_>>) {
        self.results.push(id.into());
        if let Some(what) = what {
            self.rest(what);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.rest.is_empty() && self.calls.is_empty() && self.results.is_empty()
    }

    /// The message.
    pub(super) fn draft(self, role: Role, id: Option<Arc<str>>, place: Place) -> Draft {
        Draft {
            id,
            content: hash_of((&self.text, &self.rest)),
            beside: self.rest.len(),
            text: self.text,
            calls: self.calls,
            results: self.results,
            place,
            ..Draft::new(role)
        }
    }

    /// The results of tools, as a message of their own whose text is what they say.
    pub(super) fn results_draft(mut self, id: Option<Arc<str>>, place: Place) -> Draft {
        if self.text.is_empty() {
            self.text.clone_from(&self.rest);
        }
        Draft {
            told: Some(Kind::ToolResult),
            ..self.draft(Role::Tool, id, place)
        }
    }
}

/// At least so many bytes of the beginning of what a value says, or all of it; see [`text_of`].
pub(super) fn beginning_of(raw: Raw<'_>, least: usize) -> Cow<'_, str> {
    if let Some(text) = json::beginning(raw, least) {
        return text;
    }
    Cow::Owned(text_of(raw))
}

/// What a value says: a text as it is, the texts of a list of parts, anything else as JSON.
pub(super) fn text_of(raw: Raw<'_>) -> String {
    if let Some(text) = json::string(raw) {
        return text.into_owned();
    }
    let Some(list) = json::list(raw) else {
        return if json::is_null(raw) {
            String::new()
        } else {
            canonical(raw)
        };
    };
    let texts = list.into_iter().filter_map(|part| match json::string(part) {
        Some(text) => Some(text.into_owned()),
        None => Object::of(part)?.string("text").map(std::borrow::Cow::into_owned),
    });
    texts.collect::<Vec<_>>().join("\n")
}
