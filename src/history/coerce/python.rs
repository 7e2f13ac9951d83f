//! Message-likes as langchain-core for Python takes them.

use serde_json::{Map, Value};

use super::construct::construct;
use super::repr::{is_truthy, repr, text, type_name};
use super::{Raised, python_json};
use crate::history::message::{Kind, Message};

/// Names of classes in constructor objects, and the message types they stand for.
const CLASSES: [(&str, &str); 11] = [
    ("HumanMessage", "human"),
    ("HumanMessageChunk", "human"),
    ("AIMessage", "ai"),
    ("AIMessageChunk", "ai"),
    ("SystemMessage", "system"),
    ("SystemMessageChunk", "system"),
    ("FunctionMessage", "function"),
    ("FunctionMessageChunk", "function"),
    ("ToolMessage", "tool"),
    ("ToolMessageChunk", "tool"),
    ("RemoveMessage", "remove"),
];

pub(super) fn coerce(like: &Value) -> Result<Message, Raised> {
    match like {
        Value::String(text) => from_type(&Value::from("human"), Value::from(text.as_str()), Map::new()),
        Value::Array(items) => match &items[..] {
            [role, content] => from_type(role, content.clone(), Map::new()),
            _ => Err(Raised::new(
                "NotImplementedError",
                "Message as a sequence must be (role string, template)",
            )),
        },
        Value::Object(fields) => match constructor(fields)? {
            Some(unpacked) => from_object(&unpacked),
            None => from_object(fields),
        },
        other => {
            let message = format!("Unsupported message type: <class '{}'>", type_name(other));
            Err(refused("NotImplementedError", &message))
        }
    }
}

/// A constructor object, rewritten as a typed object.
fn constructor(fields: &Map<String, Value>) -> Result<Option<Map<String, Value>>, Raised> {
    // Python's `True == 1`, and so does `1.0`.
    let marked = match fields.get("lc") {
        Some(Value::Bool(lc)) => *lc,
        Some(lc) => lc.as_f64() == Some(1.0),
        None => false,
    };
    let (Some(Value::Array(path)), Some(Value::Object(arguments))) = (fields.get("id"), fields.get("kwargs")) else {
        return Ok(None);
    };
    let Some(class) = path
        .last()
        .filter(|_| marked && fields.get("type").is_some_and(|kind| kind == "constructor"))
    else {
        return Ok(None);
    };
    if class.is_array() || class.is_object() {
        return Err(unhashable(class));
    }
    let Some((_, kind)) = CLASSES.iter().find(|(name, _)| class == name) else {
        return Ok(None);
    };
    let mut unpacked = Map::new();
    unpacked.insert("type".to_owned(), Value::from(*kind));
    unpacked.extend(arguments.iter().map(|(key, value)| (key.clone(), value.clone())));
    Ok(Some(unpacked))
}

fn from_object(fields: &Map<String, Value>) -> Result<Message, Raised> {
    let mut rest = fields.clone();
    let role = rest.shift_remove("role").or_else(|| rest.shift_remove("type"));
    let (Some(role), Some(content)) = (role, rest.shift_remove("content")) else {
        let quoted = repr(&Value::Object(fields.clone()));
        let message = format!("Message dict must contain 'role' and 'content' keys, got {quoted}");
        return Err(refused("ValueError", &message));
    };
    if rest.contains_key("message_type") {
        let message = "_create_message_from_message_type() got multiple values for argument 'message_type'";
        return Err(Raised::new("TypeError", message));
    }
    let content = if is_truthy(&content) { content } else { Value::from("") };
    from_type(&role, content, rest)
}

/// Makes a message of a type, its content and the other keys of a message-like.
fn from_type(role: &Value, content: Value, mut rest: Map<String, Value>) -> Result<Message, Raised> {
    let mut take = |key: &str| rest.shift_remove(key).filter(|value| !value.is_null());
    let [name, tool_call_id, tool_calls, id] = ["name", "tool_call_id", "tool_calls", "id"].map(&mut take);

    let mut arguments = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            arguments.insert(key.to_owned(), value);
        }
    };
    set("content", Some(content));
    set("name", name);
    set("tool_call_id", tool_call_id);
    if !rest.is_empty() {
        let metadata = rest.shift_remove("response_metadata").filter(is_truthy);
        set("response_metadata", metadata);
        if let Some(more) = rest.shift_remove("additional_kwargs") {
            update(&mut rest, more)?;
        }
        // Holds the place: the order of the arguments shows when an error quotes them.
        set("additional_kwargs", Some(Value::Object(Map::new())));
    }
    set("id", id);
    if let Some(calls) = tool_calls {
        set("tool_calls", Some(Value::Array(parse_calls(&calls)?)));
    }

    if role.is_array() || role.is_object() {
        return Err(unhashable(role));
    }
    let kind = match role.as_str() {
        Some("human" | "user") => Kind::Human,
        Some("ai" | "assistant") => Kind::Ai,
        Some("system" | "developer") => Kind::System,
        Some("function") => Kind::Function,
        Some("tool") => Kind::Tool,
        Some("remove") => Kind::Remove,
        _ => {
            let message = format!(
                "Unexpected message type: '{}'. Use one of 'human', 'user', 'ai', 'assistant', 'function', \
                 'tool', 'system', or 'developer'.",
                text(role)
            );
            return Err(refused("ValueError", &message));
        }
    };
    match kind {
        Kind::Human | Kind::Ai => {
            rest.shift_remove("example");
        }
        Kind::System if role == "developer" => {
            rest.insert("__openai_role__".to_owned(), Value::from("developer"));
        }
        Kind::Tool => {
            rest.shift_remove("artifact");
            set("status", rest.shift_remove("status").filter(|status| !status.is_null()));
        }
        Kind::Remove => {
            if !arguments.contains_key("id") {
                let message = "RemoveMessage.__init__() missing 1 required positional argument: 'id'";
                return Err(Raised::new("TypeError", message));
            }
            arguments.insert("content".to_owned(), Value::from(""));
        }
        _ => {}
    }
    if !rest.is_empty() {
        arguments.insert("additional_kwargs".to_owned(), Value::Object(rest));
    }
    construct(kind, arguments)
}

/// `dict.update` with any value.
fn update(fields: &mut Map<String, Value>, more: Value) -> Result<(), Raised> {
    let items = match more {
        Value::Object(more) => {
            fields.extend(more);
            return Ok(());
        }
        Value::Array(items) => items,
        Value::String(text) => text.chars().map(|c| Value::from(c.to_string())).collect(),
        other => {
            let message = format!("'{}' object is not iterable", type_name(&other));
            return Err(Raised::new("TypeError", message));
        }
    };
    for (at, item) in items.into_iter().enumerate() {
        let pair: Vec<Value> = match item {
            Value::Array(pair) => pair,
            Value::String(text) => text.chars().map(|c| Value::from(c.to_string())).collect(),
            Value::Object(pair) => pair.into_iter().map(|(key, _)| Value::from(key)).collect(),
            _ => {
                let message = format!("cannot convert dictionary update sequence element #{at} to a sequence");
                return Err(Raised::new("TypeError", message));
            }
        };
        let length = pair.len();
        let Ok([key, value]) = <[Value; 2]>::try_from(pair) else {
            let message = format!("dictionary update sequence element #{at} has length {length}; 2 is required");
            return Err(Raised::new("ValueError", message));
        };
        if key.is_array() || key.is_object() {
            return Err(unhashable(&key));
        }
        fields.insert(text(&key), value);
    }
    Ok(())
}

/// Makes LangChain's calls of OpenAI's; leaves others as they are.
fn parse_calls(calls: &Value) -> Result<Vec<Value>, Raised> {
    let calls = match calls {
        Value::Array(calls) => calls.clone(),
        Value::Object(calls) => calls.keys().map(|key| Value::from(key.as_str())).collect(),
        Value::String(text) => text.chars().map(|c| Value::from(c.to_string())).collect(),
        other => {
            let message = format!("'{}' object is not iterable", type_name(other));
            return Err(Raised::new("TypeError", message));
        }
    };
    calls.into_iter().map(parse_call).collect()
}

fn parse_call(call: Value) -> Result<Value, Raised> {
    let fields = match &call {
        Value::Object(fields) if fields.contains_key("function") => fields,
        Value::String(text) if text.contains("function") => return Err(not_subscriptable(&call)),
        Value::Array(items) if items.iter().any(|item| item == "function") => return Err(not_subscriptable(&call)),
        Value::Object(_) | Value::String(_) | Value::Array(_) => return Ok(call),
        other => {
            let message = format!("argument of type '{}' is not iterable", type_name(other));
            return Err(Raised::new("TypeError", message));
        }
    };
    let key_error = |key: &str| Raised::new("KeyError", format!("'{key}'"));
    let function = &fields["function"];
    let Value::Object(function) = function else {
        return Err(not_subscriptable(function));
    };
    let args = match function.get("arguments") {
        Some(Value::String(text)) => python_json::loads(text)?,
        Some(args) => args.clone(),
        None => return Err(key_error("arguments")),
    };
    let mut parsed = Map::new();
    parsed.insert(
        "name".to_owned(),
        function.get("name").ok_or_else(|| key_error("name"))?.clone(),
    );
    parsed.insert("args".to_owned(), args);
    parsed.insert(
        "id".to_owned(),
        fields.get("id").ok_or_else(|| key_error("id"))?.clone(),
    );
    Ok(Value::Object(parsed))
}

/// What `value["key"]` raises where the value is no dictionary.
fn not_subscriptable(value: &Value) -> Raised {
    let message = match value {
        Value::String(_) => "string indices must be integers, not 'str'".to_owned(),
        Value::Array(_) => "list indices must be integers or slices, not str".to_owned(),
        other => format!("'{}' object is not subscriptable", type_name(other)),
    };
    Raised::new("TypeError", message)
}

fn unhashable(value: &Value) -> Raised {
    Raised::new("TypeError", format!("unhashable type: '{}'", type_name(value)))
}

/// An error with the link that the library adds to those of its own.
fn refused(kind: &'static str, message: &str) -> Raised {
    let manual = "https://docs.langchain.com/oss/python/langchain/errors/MESSAGE_COERCION_FAILURE";
    Raised::new(kind, format!("{message}\nFor troubleshooting, visit: {manual} "))
}
