//! A full message, as a reducer keeps it and as rows write it.

use std::fmt;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::entry::{Entry, Removal};

/// The id of the message that orders the removal of everything before it.
pub const REMOVE_ALL: &str = "__remove_all__";

/// A message in canonical form.
///
/// Serialises as rows write it: `type`, `id` and `content` always, the other fields only where set.
/// Fields that the JavaScript library does not validate are kept as the values they were given.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// What it is.
    pub kind: Kind,
    /// Whether it is a chunk of a stream; reducers that convert chunks clear this.
    pub chunk: bool,
    /// Its identity; a reducer gives one where it is missing.
    pub id: Option<MessageId>,
    /// Text, or a list of content blocks.
    pub content: Value,
    /// The speaker's name; null where there is none.
    pub name: Value,
    /// The tool calls it makes.
    pub tool_calls: Vec<ToolCall>,
    /// The call that it is the result of; null where there is none.
    pub tool_call_id: Value,
    /// Whether the tool succeeded, if the message says so; otherwise null.
    pub status: Value,
    /// Whatever else its provider, or the program, put there.
    pub additional_kwargs: Map<String, Value>,
}

impl Message {
    /// A message that holds nothing but text.
    #[must_use]
    pub fn new(kind: Kind, content: Value) -> Self {
        Self {
            kind,
            chunk: false,
            id: None,
            content,
            name: Value::Null,
            tool_calls: Vec::new(),
            tool_call_id: Value::Null,
            status: Value::Null,
            additional_kwargs: Map::new(),
        }
    }
}

impl Entry for Message {
    type Id = MessageId;

    fn id(&self) -> Option<&MessageId> {
        self.id.as_ref()
    }

    fn set_id(&mut self, id: MessageId) {
        self.id = Some(id);
    }

    fn removal(&self) -> Removal {
        match (&self.kind, &self.id) {
            (Kind::Remove, Some(MessageId::Text(id))) if id == REMOVE_ALL => Removal::All,
            (Kind::Remove, _) => Removal::One,
            _ => Removal::No,
        }
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.kind.type_name(self.chunk))?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("content", &self.content)?;
        if !matches!(&self.name, Value::Null) && self.name != "" {
            map.serialize_entry("name", &self.name)?;
        }
        if !self.tool_calls.is_empty() {
            map.serialize_entry("tool_calls", &self.tool_calls)?;
        }
        if self.kind == Kind::Tool {
            map.serialize_entry("tool_call_id", &self.tool_call_id)?;
            if !self.status.is_null() && self.status != "success" {
                map.serialize_entry("status", &self.status)?;
            }
        }
        if !self.additional_kwargs.is_empty() {
            map.serialize_entry("additional_kwargs", &self.additional_kwargs)?;
        }
        map.end()
    }
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The user's role, whoever put it there.
    Human,
    /// The model's.
    Ai,
    /// A system or developer message.
    System,
    /// The result of a tool call.
    Tool,
    /// The result of a function call, as before tools.
    Function,
    /// An order to remove a message.
    Remove,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Human,
        Self::Ai,
        Self::System,
        Self::Tool,
        Self::Function,
        Self::Remove,
    ];

    /// The `type` of a message of this kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.type_name(false)
    }

    /// The `type` of a message of this kind, or of a chunk of one.
    pub(super) fn type_name(self, chunk: bool) -> &'static str {
        match (self, chunk) {
            (Self::Human, false) => "human",
            (Self::Human, true) => "HumanMessageChunk",
            (Self::Ai, false) => "ai",
            (Self::Ai, true) => "AIMessageChunk",
            (Self::System, false) => "system",
            (Self::System, true) => "SystemMessageChunk",
            (Self::Tool, false) => "tool",
            (Self::Tool, true) => "ToolMessageChunk",
            (Self::Function, false) => "function",
            (Self::Function, true) => "FunctionMessageChunk",
            (Self::Remove, _) => "remove",
        }
    }
}

/// A tool call of a message. The Python library wants all three fields, the JavaScript library none.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    /// What its results refer to.
    pub id: Option<Value>,
    /// The tool.
    pub name: Option<Value>,
    /// Its arguments.
    pub args: Option<Value>,
}

impl ToolCall {
    /// The call that an object with these fields is.
    pub(super) fn of(fields: &Value) -> Self {
        let field = |key: &str| fields.get(key).cloned();
        Self {
            id: field("id"),
            name: field("name"),
            args: field("args"),
        }
    }
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, field) in [("id", &self.id), ("name", &self.name), ("args", &self.args)] {
            if let Some(field) = field {
                map.serialize_entry(key, field)?;
            }
        }
        map.end()
    }
}

/// The identity of a message.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MessageId {
    /// A string.
    Text(String),
    /// Something else, as JSON. Python makes strings of numbers; JavaScript keeps 7 and "7" apart.
    Json(String),
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(id) | Self::Json(id) => f.write_str(id),
        }
    }
}

impl Serialize for MessageId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(id) => serializer.serialize_str(id),
            Self::Json(id) => match serde_json::from_str::<Value>(id) {
                Ok(id) => id.serialize(serializer),
                Err(_) => serializer.serialize_str(id),
            },
        }
    }
}
