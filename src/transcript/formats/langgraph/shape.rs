//! Which kind of LangGraph record a line is.

use crate::transcript::formats::encoding;
use crate::transcript::json::{self, Object, Raw};

/// The stream modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    Updates,
    Values,
    Checkpoints,
    Tasks,
    Debug,
    Messages,
    Events,
    /// Says nothing about messages.
    Other,
}

impl Mode {
    /// The mode of a stream part; a namespace behind a `|` is split off.
    pub(crate) fn parse(name: &str) -> Option<(Self, &str)> {
        let (mode, namespace) = name.split_once('|').unwrap_or((name, ""));
        let mode = match mode {
            "updates" => Self::Updates,
            "values" => Self::Values,
            "checkpoints" => Self::Checkpoints,
            "tasks" => Self::Tasks,
            "debug" => Self::Debug,
            "events" => Self::Events,
            "messages" | "messages-tuple" | "messages/partial" | "messages/complete" | "messages/metadata" => {
                Self::Messages
            }
            "custom" | "metadata" | "end" | "error" | "feedback" => Self::Other,
            _ => return None,
        };
        Some((mode, namespace))
    }
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A payload with its mode: a tuple or a stream part.
    Part(Mode),
    Update {
        /// Whether it is a recorder's line for an input.
        input: bool,
        /// Whether it holds no update, which says little.
        empty: bool,
    },
    /// A whole state.
    Values,
    /// A state with its metadata, from a stream or a history; with its step.
    Checkpoint {
        step: Option<i64>,
        /// Whether it is as a checkpointer keeps it, with the channels inside.
        stored: bool,
    },
    Task,
    Debug,
    Event,
    /// A message with the metadata of a stream.
    StreamedMessage,
    Message,
}

impl Shape {
    pub(crate) fn of(raw: Raw<'_>) -> Option<Self> {
        if let Some(list) = json::list(raw) {
            return tuple(&list);
        }
        let object = Object::of(raw)?;
        if encoding::is_langchain_object(&object) || encoding::is_chat_object(&object) {
            return Some(Self::Message);
        }
        if let (Some(event), true) = (object.string("event"), object.has("data")) {
            return match Mode::parse(&event) {
                _ if event.starts_with("on_") && object.has("run_id") => Some(Self::Event),
                Some((mode, _)) => Some(Self::Part(mode)),
                None => None,
            };
        }
        let kind = object.string("type");
        if object.has("payload") && matches!(kind.as_deref(), Some("checkpoint" | "task" | "task_result")) {
            return Some(Self::Debug);
        }
        if is_checkpoint(&object) {
            let step = object
                .object("metadata")
                .and_then(|metadata| metadata.get("step")?.get().parse().ok());
            let stored = !object.has("values");
            return Some(Self::Checkpoint { step, stored });
        }
        if object.has("name") && object.has("id") && (object.has("triggers") || object.has("result")) {
            return Some(Self::Task);
        }
        if channels(&object).next().is_some()
            || object.object("values").is_some_and(|it| channels(&it).next().is_some())
        {
            return Some(Self::Values);
        }
        update(&object)
    }
}

/// `[mode, payload]`, `[namespace, mode, payload]` or `[message, metadata]`.
fn tuple(list: &[Raw<'_>]) -> Option<Shape> {
    let mode = |raw: Raw<'_>| Some(Mode::parse(&json::string(raw)?)?.0);
    match list {
        [name, _] if mode(*name).is_some() => mode(*name).map(Shape::Part),
        [namespace, name, _] if json::list(*namespace).is_some() => mode(*name).map(Shape::Part),
        [message, metadata] if encoding::is_langchain(*message) => {
            let metadata = Object::of(*metadata)?;
            let streamed = metadata
                .iter()
                .any(|(key, _)| key.starts_with("langgraph_") || key.starts_with("ls_"));
            streamed.then_some(Shape::StreamedMessage)
        }
        _ => None,
    }
}

fn is_checkpoint(object: &Object<'_>) -> bool {
    let stored = object.has("checkpoint") && object.has("pending_writes");
    object.has("metadata")
        && (object.has("values") && (object.has("next") || object.has("config")) || stored && object.has("config"))
}

/// `{node: update}`: every value is an update, or nothing.
fn update(object: &Object<'_>) -> Option<Shape> {
    let mut empty = true;
    let mut input = false;
    for (node, value) in object.iter() {
        let updates = parts_of(value)?;
        empty &= !updates.iter().any(|update| channels(update).next().is_some());
        input |= is_input(node);
        let of_a_graph =
            json::is_null(value) || is_special(node) || updates.iter().all(|update| is_plain_update(update));
        if !of_a_graph {
            return None;
        }
    }
    (!object.is_empty()).then_some(Shape::Update { input, empty })
}

/// Whether an update's messages, if it has any, are messages.
fn is_plain_update(update: &Object<'_>) -> bool {
    match update.get("messages") {
        Some(_) => channels(update).next().is_some() || update.list("messages").is_some_and(|list| list.is_empty()),
        None => true,
    }
}

/// Whether a key of an updates line stands for the person's input.
pub(crate) fn is_input(node: &str) -> bool {
    matches!(node, "__input__" | "__start__")
}

/// Whether a key of an updates line is not a node.
pub(crate) fn is_special(node: &str) -> bool {
    node.starts_with("__") && node.ends_with("__")
}

/// The updates that a node returned: none, one, or one a command.
pub(crate) fn parts_of<'r>(value: Raw<'r>) -> Option<Vec<Object<'r>>> {
    if json::is_null(value) {
        return Some(Vec::new());
    }
    let unwrap = |object: Object<'r>| match object.object("update") {
        Some(update) if object.has("goto") || object.has("graph") => update,
        _ => object,
    };
    match json::list(value) {
        Some(list) => Some(list.into_iter().filter_map(Object::of).map(unwrap).collect()),
        None => Some(vec![unwrap(Object::of(value)?)]),
    }
}

/// What is written to one list of messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Channel<'o, 'r> {
    /// Empty for the usual one, `messages`.
    pub(crate) name: &'o str,
    pub(crate) messages: Raw<'r>,
    pub(crate) overwrites: bool,
}

/// The lists of messages in a state or an update.
pub(crate) fn channels<'o, 'r: 'o>(object: &'o Object<'r>) -> impl Iterator<Item = Channel<'o, 'r>> + use<'o, 'r> {
    object.iter().filter_map(|(key, value)| {
        let name = if key == "messages" { "" } else { key };
        let overwritten = Object::of(value).and_then(|object| object.get("__overwrite__"));
        let messages = overwritten.unwrap_or(value);
        let is_list = match json::list(messages) {
            Some(list) => list.iter().copied().all(is_message) && (!list.is_empty() || key == "messages"),
            None => is_message(messages) && key == "messages",
        };
        is_list.then_some(Channel {
            name,
            messages,
            overwrites: overwritten.is_some(),
        })
    })
}

fn is_message(raw: Raw<'_>) -> bool {
    encoding::is_langchain(raw) || encoding::is_chat(raw)
}

#[cfg(test)]
mod tests {
    use super::{Mode, Shape};

    fn shape(text: &str) -> Option<Shape> {
        Shape::of(serde_json::from_str(text).expect("the text is JSON"))
    }

    #[test]
    fn records_are_told_apart_by_their_shape() {
        let human = r#"{"type":"human","content":"x"}"#;
        let cases = [
            (r#"["updates",{"a":null}]"#.to_owned(), Shape::Part(Mode::Updates)),
            (r#"[["sub:1"],"values",{}]"#.to_owned(), Shape::Part(Mode::Values)),
            (
                r#"{"event":"updates|sub:1","data":{}}"#.to_owned(),
                Shape::Part(Mode::Updates),
            ),
            (
                r#"{"event":"on_chain_end","data":{},"run_id":"r"}"#.to_owned(),
                Shape::Event,
            ),
            (
                format!(r#"[{human},{{"langgraph_node":"model"}}]"#),
                Shape::StreamedMessage,
            ),
            (human.to_owned(), Shape::Message),
            (format!(r#"{{"messages":[{human}],"todos":[]}}"#), Shape::Values),
            (
                format!(r#"{{"thread_id":"t","values":{{"messages":[{human}]}}}}"#),
                Shape::Values,
            ),
            (r#"{"type":"task","payload":{},"step":1}"#.to_owned(), Shape::Debug),
            (
                r#"{"values":{},"metadata":{"step":-1},"next":[]}"#.to_owned(),
                Shape::Checkpoint {
                    step: Some(-1),
                    stored: false,
                },
            ),
            (r#"{"id":"1","name":"n","triggers":[]}"#.to_owned(), Shape::Task),
            (
                r#"{"n":null}"#.to_owned(),
                Shape::Update {
                    input: false,
                    empty: true,
                },
            ),
            (
                format!(r#"{{"n":{{"messages":{human}}}}}"#),
                Shape::Update {
                    input: false,
                    empty: false,
                },
            ),
            (
                format!(r#"{{"__input__":{{"messages":[{human}]}}}}"#),
                Shape::Update {
                    input: true,
                    empty: false,
                },
            ),
            (
                format!(r#"{{"n":[{{"messages":[{human}]}},{{}}]}}"#),
                Shape::Update {
                    input: false,
                    empty: false,
                },
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(shape(&text), Some(expected), "{text}");
        }
        for text in ["7", r#"{"a":1}"#, "[1,2]", "{}", r#"{"left":[],"updates":[],"case":3}"#] {
            assert_eq!(shape(text), None, "{text}");
        }
    }
}
