//! The constructors of the Python message classes: their arguments checked, a message made.

use serde_json::{Map, Value};

use super::Raised;
use super::python_json;
use super::repr::{is_truthy, number, text};
use super::validation::Errors;
use crate::history::message::{Kind, Message, MessageId, ToolCall};

/// Reads a message in canonical form, as the constructor of its class would.
pub(super) fn canonical(value: &Value) -> Option<Message> {
    let fields = value.as_object()?;
    let type_name = fields.get("type")?.as_str()?;
    if fields.contains_key("role") {
        return None;
    }
    let mut kinds = Kind::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]);
    let (kind, chunk) = kinds.find(|&(kind, chunk)| kind.type_name(chunk) == type_name)?;
    let mut arguments = fields.clone();
    arguments.shift_remove("type");
    if kind == Kind::Remove {
        // Only the id counts: an order to remove has no content of its own.
        arguments.retain(|key, _| key == "id");
        arguments.entry("id").or_insert(Value::Null);
        arguments.insert("content".to_owned(), Value::from(""));
    }
    let mut message = construct(kind, arguments).ok()?;
    message.chunk = chunk;
    Some(message)
}

/// Calls the constructor of a message class with keyword arguments.
pub(super) fn construct(kind: Kind, mut arguments: Map<String, Value>) -> Result<Message, Raised> {
    match kind {
        Kind::Tool => prepare_tool(&mut arguments)?,
        Kind::Ai => prepare_calls(&mut arguments)?,
        _ => {}
    }
    validate(kind, &arguments)?;

    let mut take = |key: &str| arguments.shift_remove(key).unwrap_or_default();
    Ok(Message {
        kind,
        chunk: false,
        id: match take("id") {
            Value::String(id) => Some(MessageId::Text(id)),
            Value::Number(id) => Some(MessageId::Text(number(&id))),
            _ => None,
        },
        content: take("content"),
        name: take("name"),
        tool_calls: match take("tool_calls") {
            Value::Array(calls) => calls.iter().map(ToolCall::of).collect(),
            _ => Vec::new(),
        },
        tool_call_id: take("tool_call_id"),
        status: take("status"),
        additional_kwargs: match take("additional_kwargs") {
            Value::Object(fields) => fields,
            _ => Map::new(),
        },
    })
}

pub(super) fn class_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Human => "HumanMessage",
        Kind::Ai => "AIMessage",
        Kind::System => "SystemMessage",
        Kind::Tool => "ToolMessage",
        Kind::Function => "FunctionMessage",
        Kind::Remove => "RemoveMessage",
    }
}

/// A tool result may be anything; what is no text becomes text.
fn prepare_tool(arguments: &mut Map<String, Value>) -> Result<(), Raised> {
    match arguments.get_mut("content") {
        Some(Value::String(_)) => {}
        Some(Value::Array(items)) => {
            for item in items.iter_mut().filter(|item| !item.is_string() && !item.is_object()) {
                *item = Value::from(text(item));
            }
        }
        Some(content) => *content = Value::from(text(content)),
        None => return Err(Raised::new("KeyError", "'content'")),
    }
    match arguments.get_mut("tool_call_id") {
        Some(id @ (Value::Number(_) | Value::Bool(_))) => *id = Value::from(text(id)),
        Some(_) => {}
        None => return Err(Raised::new("KeyError", "'tool_call_id'")),
    }
    Ok(())
}

/// Finds the tool calls where older providers left them, and checks their fields.
fn prepare_calls(arguments: &mut Map<String, Value>) -> Result<(), Raised> {
    let is_set = |key| arguments.get(key).is_some_and(is_truthy);
    if !["tool_calls", "invalid_tool_calls", "tool_call_chunks"]
        .into_iter()
        .any(is_set)
    {
        let raw = arguments
            .get("additional_kwargs")
            .and_then(|kwargs| kwargs.get("tool_calls"));
        if let Some(calls) = raw.and_then(provider_calls) {
            arguments.insert("tool_calls".to_owned(), calls);
        }
    }
    let Some(calls) = arguments.get_mut("tool_calls").filter(|calls| is_truthy(calls)) else {
        return Ok(());
    };
    let Value::Array(calls) = calls else {
        return Err(match calls {
            Value::String(_) | Value::Object(_) => no_items("str"),
            other => Raised::new(
                "TypeError",
                format!("'{}' object is not iterable", super::type_name(other)),
            ),
        });
    };
    for call in calls {
        check_call(call)?;
    }
    Ok(())
}

/// The calls in `additional_kwargs`; none at all if one of them has not the form of a call.
fn provider_calls(raw: &Value) -> Option<Value> {
    let mut calls = Vec::new();
    for call in raw.as_array()? {
        let Some(function) = call.as_object()?.get("function") else {
            continue;
        };
        let name = function.get("name")?;
        let Ok(args) = python_json::loads(function.get("arguments")?.as_str()?) else {
            continue;
        };
        let mut parsed = Map::new();
        let empty = || Value::Object(Map::new());
        parsed.insert(
            "name".into(),
            if is_truthy(name) { name.clone() } else { Value::from("") },
        );
        parsed.insert("args".into(), if is_truthy(&args) { args } else { empty() });
        parsed.insert("id".into(), call.get("id").cloned().unwrap_or_default());
        calls.push(Value::Object(parsed));
    }
    Some(Value::Array(calls))
}

/// A call has exactly a name, arguments and an id; its type and provider's extras are not looked at.
fn check_call(call: &Value) -> Result<(), Raised> {
    let Value::Object(fields) = call else {
        return Err(no_items(super::type_name(call)));
    };
    let known = ["name", "args", "id", "type", "extras"];
    if let Some(key) = fields.keys().find(|key| !known.contains(&key.as_str())) {
        let message = format!("tool_call() got an unexpected keyword argument '{key}'");
        return Err(Raised::new("TypeError", message));
    }
    let missing = ["name", "args", "id"]
        .into_iter()
        .filter(|key| !fields.contains_key(*key));
    let (count, keys) = match missing.collect::<Vec<_>>()[..] {
        [] => return Ok(()),
        [one] => ("1 required keyword-only argument", format!("'{one}'")),
        [one, two] => ("2 required keyword-only arguments", format!("'{one}' and '{two}'")),
        _ => (
            "3 required keyword-only arguments",
            "'name', 'args', and 'id'".to_owned(),
        ),
    };
    Err(Raised::new("TypeError", format!("tool_call() missing {count}: {keys}")))
}

fn no_items(class: &str) -> Raised {
    Raised::new("AttributeError", format!("'{class}' object has no attribute 'items'"))
}

/// Checks the fields in the order in which the classes declare them.
fn validate(kind: Kind, arguments: &Map<String, Value>) -> Result<(), Raised> {
    let mut errors = Errors::of(class_name(kind));
    content(&mut errors, arguments.get("content").unwrap_or(&Value::Null));
    for key in ["additional_kwargs", "response_metadata"] {
        if let Some(value) = arguments.get(key).filter(|value| !value.is_object()) {
            errors.not_a_dictionary(key, value);
        }
    }
    match arguments.get("name") {
        None if kind == Kind::Function => errors.missing("name", &Value::Object(arguments.clone())),
        Some(Value::Null) if kind != Kind::Function => {}
        Some(Value::String(_)) | None => {}
        Some(name) => errors.not_a_string("name", name),
    }
    match arguments.get("id") {
        None | Some(Value::Null | Value::String(_) | Value::Number(_)) => {}
        Some(id) => errors.not_a_string("id", id),
    }
    if kind == Kind::Ai
        && let Some(Value::Array(calls)) = arguments.get("tool_calls")
    {
        for (at, call) in calls.iter().enumerate() {
            let field = |key| (format!("tool_calls.{at}.{key}"), &call[key]);
            let (name, args, id) = (field("name"), field("args"), field("id"));
            if !name.1.is_string() {
                errors.not_a_string(&name.0, name.1);
            }
            if !args.1.is_object() {
                errors.not_a_dictionary(&args.0, args.1);
            }
            if !id.1.is_string() && !id.1.is_null() {
                errors.not_a_string(&id.0, id.1);
            }
        }
    }
    if kind == Kind::Tool {
        if let Some(id) = arguments.get("tool_call_id").filter(|id| !id.is_string()) {
            errors.not_a_string("tool_call_id", id);
        }
        let known = |status: &&Value| *status != "success" && *status != "error";
        if let Some(status) = arguments.get("status").filter(known) {
            errors.not_a_status("status", status);
        }
    }
    errors.raise()
}

/// Content is a string, or a list of strings and dictionaries.
fn content(errors: &mut Errors, content: &Value) {
    if content.is_string() {
        return;
    }
    let of_list = "content.list[union[str,dict[any,any]]]";
    let Value::Array(items) = content else {
        errors.not_a_string("content.str", content);
        errors.not_a_list(of_list, content);
        return;
    };
    let bad = |item: &Value| !item.is_string() && !item.is_object();
    if items.iter().any(bad) {
        errors.not_a_string("content.str", content);
    }
    for (at, item) in items.iter().enumerate().filter(|(_, item)| bad(item)) {
        errors.not_a_string(&format!("{of_list}.{at}.str"), item);
        errors.not_a_dictionary(&format!("{of_list}.{at}.dict[any,any]"), item);
    }
}
