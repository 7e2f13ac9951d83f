//! `format="langchain-openai"`: a list of messages by way of OpenAI's form and back. Ids are lost on the
//! way, as they are in the library.

use serde_json::{Map, Value, json};

use super::coerce::{Dialect, Raised, coerce, is_truthy, repr, tool_result};
use super::message::{Kind, Message};

/// Rewrites messages as OpenAI's form leaves them.
///
/// Text, images, tool calls and tool results in the content are converted; other blocks stay as they are.
pub(super) fn format<'a>(messages: impl Iterator<Item = &'a Message>) -> Result<Vec<Message>, Raised> {
    let mut formatted = Vec::new();
    for (at, message) in messages.enumerate() {
        for like in to_openai(at, message)? {
            formatted.push(coerce(Dialect::Python, &like)?);
        }
    }
    Ok(formatted)
}

/// One message in OpenAI's form, and the tool results that its content held.
fn to_openai(at: usize, message: &Message) -> Result<Vec<Value>, Raised> {
    let mut calls = Vec::new();
    if message.kind == Kind::Ai {
        let field = |field: &Option<Value>| field.clone().unwrap_or_default();
        let known = message.tool_calls.iter();
        calls.extend(known.map(|call| function_call(&field(&call.id), &field(&call.name), &field(&call.args))));
    }
    let (content, mut messages) = content_to_openai(at, message, &mut calls)?;
    if is_truthy(&message.content) && !is_truthy(&content) && !messages.is_empty() {
        return Ok(messages);
    }
    let mut out = Map::new();
    let mut set = |key: &str, value: Value| out.insert(key.to_owned(), value);
    set("role", role(message)?);
    if is_truthy(&message.name) {
        set("name", message.name.clone());
    }
    if !calls.is_empty() {
        set("tool_calls", Value::Array(calls));
    }
    if let Some(refusal) = message
        .additional_kwargs
        .get("refusal")
        .filter(|refusal| is_truthy(refusal))
    {
        set("refusal", refusal.clone());
    }
    if message.kind == Kind::Tool {
        set("tool_call_id", message.tool_call_id.clone());
    }
    set("content", content);
    messages.insert(0, Value::Object(out));
    Ok(messages)
}

fn role(message: &Message) -> Result<Value, Raised> {
    let role = match message.kind {
        Kind::Human => "user",
        Kind::Ai => "assistant",
        Kind::Tool => "tool",
        Kind::Function => "function",
        Kind::System => {
            let role = message.additional_kwargs.get("__openai_role__");
            return Ok(role.cloned().unwrap_or_else(|| Value::from("system")));
        }
        Kind::Remove => {
            let message = "Unknown BaseMessage type <class 'langchain_core.messages.modifier.RemoveMessage'>.";
            return Err(Raised::new("ValueError", message));
        }
    };
    Ok(Value::from(role))
}

/// The content; tool calls in it go to `calls`, tool results become messages of their own.
fn content_to_openai(at: usize, message: &Message, calls: &mut Vec<Value>) -> Result<(Value, Vec<Value>), Raised> {
    let Value::Array(blocks) = &message.content else {
        return Ok((message.content.clone(), Vec::new()));
    };
    let is_text = |block: &Value| block.is_string() || block["type"] == "text";
    let has_no_text = |block: &Value| block.is_object() && block.get("text").is_none();
    if blocks.iter().all(is_text) && blocks.iter().any(has_no_text) {
        return Err(Raised::new("KeyError", "'text'"));
    }
    let mut content = Vec::new();
    let mut results = Vec::new();
    for (nth, block) in blocks.iter().enumerate() {
        let place = format!("messages[{at}].content[{nth}]");
        match block["type"].as_str() {
            None if block.is_string() => content.push(json!({"type": "text", "text": block})),
            Some(kind @ ("text" | "image_url")) => {
                require(block, block, &[kind], &place, " but is")?;
                content.push(json!({"type": kind, kind: block[kind]}));
            }
            Some("image") => content.push(image_to_openai(block, &place)?),
            Some("tool_use") => {
                require(block, block, &["id", "name", "input"], &place, ", but is")?;
                if !message
                    .tool_calls
                    .iter()
                    .any(|call| call.id.as_ref() == block.get("id"))
                {
                    calls.push(function_call(&block["id"], &block["name"], &block["input"]));
                }
            }
            Some("tool_result") => {
                require(block, block, &["content", "tool_use_id"], &place, ", but is")?;
                let result = tool_result(block["content"].clone(), block["tool_use_id"].clone())?;
                results.extend(to_openai(0, &result)?);
            }
            Some("refusal") if !is_truthy(&block["refusal"]) => {}
            _ => content.push(block.clone()),
        }
    }
    match content.iter().find(|block| block["type"] != "text") {
        Some(block) if block.get("type").is_none() => Err(Raised::new("KeyError", "'type'")),
        Some(_) => Ok((Value::Array(content), results)),
        None => {
            let texts: Vec<&str> = content.iter().filter_map(|block| block["text"].as_str()).collect();
            Ok((Value::from(texts.join("\n")), results))
        }
    }
}

/// An image as Anthropic or LangChain writes it.
fn image_to_openai(block: &Value, place: &str) -> Result<Value, Raised> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let url = if block["url"].is_string() {
        text(&block["url"])
    } else if block["base64"].is_string() {
        let Some(kind) = block["mime_type"].as_str() else {
            return Err(Raised::new("ValueError", "mime_type key is required for base64 data."));
        };
        format!("data:{kind};base64,{}", text(&block["base64"]))
    } else if is_truthy(&block["source"]) {
        let source = &block["source"];
        let keys = ["media_type", "type", "data"];
        require(source, block, &keys, place, " but 'source' is")?;
        let [kind, encoding, data] = keys.map(|key| text(&source[key]));
        format!("data:{kind};{encoding},{data}")
    } else {
        return Err(unrecognized(
            block,
            place,
            " but does not have a 'source' or 'image' key",
        ));
    };
    Ok(json!({"type": "image_url", "image_url": {"url": url}}))
}

/// `what` is how the sentence about missing keys begins.
fn require(fields: &Value, block: &Value, keys: &[&str], place: &str, what: &str) -> Result<(), Raised> {
    let missing = keys.iter().filter(|key| fields.get(**key).is_none());
    let missing: Vec<Value> = missing.map(|key| Value::from(*key)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let missing = repr(&Value::Array(missing));
    Err(unrecognized(
        block,
        place,
        &format!("{what} missing expected key(s) {missing}"),
    ))
}

fn unrecognized(block: &Value, place: &str, what: &str) -> Raised {
    let (kind, whole) = (repr(&block["type"]), repr(block));
    let message =
        format!("Unrecognized content block at {place} has 'type': {kind}{what}. Full content block:\n\n{whole}");
    Raised::new("ValueError", message)
}

fn function_call(id: &Value, name: &Value, args: &Value) -> Value {
    json!({"type": "function", "id": id, "function": {"name": name, "arguments": args.to_string()}})
}
