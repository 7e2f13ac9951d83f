//! Message-likes as @langchain/core for JavaScript takes them. Little is checked: what a field holds
//! goes into the message.
//!
//! Two things differ: `additional_kwargs` that are no object are dropped, and what is wrong with a call's
//! arguments is told in other words, as it is from one engine to the next.

use serde_json::{Map, Value};

use super::Raised;
use crate::history::message::{Kind, Message, MessageId, ToolCall};

pub(super) fn coerce(like: &Value) -> Result<Message, Raised> {
    match like {
        Value::String(text) => Ok(Message::new(Kind::Human, Value::from(text.as_str()))),
        Value::Null => {
            let message = "Cannot read properties of null (reading 'role')";
            Err(Raised::new("TypeError", message))
        }
        Value::Array(items) => {
            // A pair; more elements are not looked at, missing ones are not there.
            let keys = ["type", "content"].into_iter().map(str::to_owned);
            construct(&Value::Object(keys.zip(items.iter().cloned()).collect()))
        }
        Value::Object(fields) if fields.get("role").is_some_and(Value::is_string) => {
            let mut fields = fields.clone();
            let role = fields.shift_remove("role").unwrap_or_default();
            fields.shift_remove("type");
            fields.insert("type".to_owned(), role);
            construct(&Value::Object(fields))
        }
        other => construct(other),
    }
}

fn construct(like: &Value) -> Result<Message, Raised> {
    let empty = Map::new();
    let (kind, fields) = match serialized(like) {
        Some((class, arguments)) => (class_kind(class), arguments.as_object().unwrap_or(&empty)),
        None => (
            like.get("type").and_then(Value::as_str),
            like.as_object().unwrap_or(&empty),
        ),
    };
    let kind = match kind {
        Some("human" | "user") => Kind::Human,
        Some("ai" | "assistant") => Kind::Ai,
        Some("system" | "developer") => Kind::System,
        Some("tool") if fields.contains_key("tool_call_id") => Kind::Tool,
        Some("remove") if fields.get("id").is_some_and(Value::is_string) => Kind::Remove,
        _ => return Err(refused(like)),
    };
    let field = |key: &str| fields.get(key).cloned().unwrap_or_default();
    let content = match field("content") {
        _ if kind == Kind::Remove => Value::Array(Vec::new()),
        Value::Null => Value::Array(Vec::new()),
        content => content,
    };
    let mut message = Message::new(kind, content);
    message.id = match field("id") {
        Value::Null => None,
        Value::String(id) => Some(MessageId::Text(id)),
        other => Some(MessageId::Json(other.to_string())),
    };
    message.name = field("name");
    if let Value::Object(fields) = field("additional_kwargs") {
        message.additional_kwargs = fields;
    }
    if like.get("type").is_some_and(|kind| kind == "developer") {
        let role = Value::from("developer");
        message.additional_kwargs.insert("__openai_role__".to_owned(), role);
    }
    if kind == Kind::Tool {
        message.tool_call_id = field("tool_call_id");
        message.status = field("status");
    }
    if kind == Kind::Ai {
        message.tool_calls = match fields.get("tool_calls") {
            Some(Value::Array(calls)) => calls.iter().map(call).collect::<Result<_, _>>()?,
            Some(_) => Vec::new(),
            None => provider_calls(message.additional_kwargs.get("tool_calls")),
        };
    }
    Ok(message)
}

/// The class and the arguments of a constructor object.
fn serialized(like: &Value) -> Option<(&Value, &Value)> {
    let path = like.get("id")?.as_array()?;
    let arguments = like
        .get("kwargs")
        .filter(|kwargs| kwargs.is_object() || kwargs.is_array())?;
    let is_marked = like.get("lc")?.as_f64() == Some(1.0);
    is_marked.then(|| (path.last().unwrap_or(&Value::Null), arguments))
}

fn class_kind(class: &Value) -> Option<&'static str> {
    match class.as_str()? {
        "HumanMessage" | "HumanMessageChunk" => Some("human"),
        "AIMessage" | "AIMessageChunk" => Some("ai"),
        "SystemMessage" | "SystemMessageChunk" => Some("system"),
        "ToolMessage" | "ToolMessageChunk" => Some("tool"),
        _ => None,
    }
}

/// A call as LangChain writes it, or as OpenAI does.
fn call(call: &Value) -> Result<ToolCall, Raised> {
    if call.is_null() {
        return Err(Raised::new(
            "TypeError",
            "Cannot read properties of null (reading 'id')",
        ));
    }
    let function = &call["function"];
    let is_openai = call["type"] == "function" && call["id"].is_string() && function["name"].is_string();
    if let (true, Some(arguments)) = (is_openai, function["arguments"].as_str()) {
        let args = serde_json::from_str(arguments);
        let args =
            args.map_err(|error| Raised::new("SyntaxError", format!("{arguments:?} is not valid JSON: {error}")))?;
        return Ok(ToolCall {
            id: Some(call["id"].clone()),
            name: Some(function["name"].clone()),
            args: Some(args),
        });
    }
    Ok(ToolCall::of(call))
}

/// The calls where older providers left them; broken ones are not calls.
fn provider_calls(raw: Option<&Value>) -> Vec<ToolCall> {
    let calls = raw.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let parsed = calls.iter().filter_map(|call| {
        let function = call.get("function")?;
        let args: Value = serde_json::from_str(function.get("arguments")?.as_str()?).ok()?;
        let text_or_empty = |value: &Value| {
            if value.is_string() {
                value.clone()
            } else {
                Value::from("")
            }
        };
        let args = if args.is_null() {
            Value::Object(Map::new())
        } else {
            args
        };
        Some(ToolCall {
            id: call.get("id").cloned(),
            name: Some(text_or_empty(&function["name"])),
            args: Some(args),
        })
    });
    parsed.collect()
}

fn refused(like: &Value) -> Raised {
    let received = serde_json::to_string_pretty(like).unwrap_or_default();
    let message = format!(
        "Unable to coerce message from array: only human, AI, system, developer, or tool message coercion is \
         currently supported.\n\nReceived: {received}\n\nTroubleshooting URL: \
         https://docs.langchain.com/oss/javascript/langchain/errors/MESSAGE_COERCION_FAILURE/\n"
    );
    Raised::new("Error", message)
}
