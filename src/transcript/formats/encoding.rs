//! The ways in which LangChain, OpenAI and Anthropic write a message as JSON.

use std::sync::Arc;

use super::counts::Counts;
use super::sent;
pub(super) use super::sent::canonical;
use crate::history::entry::Removal;
use crate::transcript::event::{Caching, Call};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{Draft, Role, hash_of};
use crate::transcript::stretches;

/// The id that stands for all messages in an order to remove.
const REMOVE_ALL: &str = "__remove_all__";

/// The role that stands for the system's where the system is the provider's. It is kept as a flag.
pub(super) const DEVELOPER: &str = "developer";

/// Whether `raw` looks like a message of LangChain: a dump, a stored message, or a constructor.
pub(crate) fn is_langchain(raw: Raw<'_>) -> bool {
    Object::of(raw).is_some_and(|object| is_langchain_object(&object))
}

pub(crate) fn is_langchain_object(object: &Object<'_>) -> bool {
    if object.has("lc") {
        return class_name(object).is_some_and(|class| role_of(&class).is_some());
    }
    let typed = object.string("type").is_some_and(|name| role_of(&name).is_some());
    typed && (object.has("content") || object.has("data"))
}

/// Whether `raw` looks like a message of a chat API.
pub(crate) fn is_chat(raw: Raw<'_>) -> bool {
    Object::of(raw).is_some_and(|object| is_chat_object(&object))
}

pub(crate) fn is_chat_object(object: &Object<'_>) -> bool {
    object.string("role").is_some_and(|name| role_of(&name).is_some())
        && (object.has("content") || object.has("tool_calls"))
}

/// Reads a message, in whatever way it is written.
pub(crate) fn message<'r>(raw: Raw<'r>, locator: &mut Locator<'r>) -> Option<Draft> {
    let place = locator.place(raw);
    let mut draft = match raw.get().as_bytes().first()? {
        b'"' => Draft::of_text(Role::User, json::string(raw)?.into_owned()),
        b'[' => pair(raw)?,
        _ => object(&Object::of(raw)?)?,
    };
    draft.place = place;
    Some(draft)
}

/// A list of messages, or a single one where a list may stand. Elements that are no messages are left out.
pub(crate) fn messages<'r>(raw: Raw<'r>, locator: &mut Locator<'r>) -> Vec<Draft> {
    match json::list(raw) {
        Some(list) => list.into_iter().filter_map(|raw| message(raw, locator)).collect(),
        None => message(raw, locator).into_iter().collect(),
    }
}

/// `["user", "text"]`
fn pair(raw: Raw<'_>) -> Option<Draft> {
    let [role, content] = json::list(raw)?.try_into().ok()?;
    Some(Draft::of_text(
        role_of(&json::string(role)?)?,
        json::string(content)?.into_owned(),
    ))
}

fn object(message: &Object<'_>) -> Option<Draft> {
    if message.has("lc") {
        let name = class_name(message)?;
        return fields(&name, &message.object("kwargs")?);
    }
    let role = message.string("role").or_else(|| message.string("type"))?;
    match message.object("data") {
        Some(data) if !message.has("content") => fields(&role, &data),
        _ => fields(&role, message),
    }
}

fn class_name(message: &Object<'_>) -> Option<String> {
    let path = message.list("id")?;
    Some(json::string(*path.last()?)?.into_owned())
}

/// The role that a type, a class or a role is named by.
fn role_of(name: &str) -> Option<Role> {
    match bare(name) {
        // Chat messages name their own role; removals have none.
        "chat" | "Chat" | "remove" | "Remove" => Some(Role::User),
        _ => role_word(name),
    }
}

/// A name without what LangChain appends to its classes.
fn bare(name: &str) -> &str {
    let name = name.strip_suffix("Chunk").unwrap_or(name);
    name.strip_suffix("Message").unwrap_or(name)
}

/// The role that a word stands for wherever messages are written.
pub(super) fn role_word(word: &str) -> Option<Role> {
    Some(match bare(word) {
        "human" | "Human" | "user" => Role::User,
        "ai" | "AI" | "assistant" | "model" => Role::Assistant,
        "system" | "System" | DEVELOPER => Role::System,
        "tool" | "Tool" | "function" | "Function" => Role::Tool,
        _ => return None,
    })
}

fn fields(type_name: &str, message: &Object<'_>) -> Option<Draft> {
    let mut role = role_of(type_name)?;
    if matches!(type_name, "chat" | "ChatMessage") {
        role = message.string("role").and_then(|name| role_of(&name))?;
    }
    let id = message.some("id").and_then(id);
    let removal = match (type_name, id.as_deref()) {
        ("remove" | "RemoveMessage", Some(REMOVE_ALL)) => Removal::All,
        ("remove" | "RemoveMessage", _) => Removal::One,
        _ => Removal::No,
    };
    let mut content = Content::of(message.get("content"));
    for call in message.list("tool_calls").unwrap_or_default() {
        content
            .calls
            .extend(Object::of(call).and_then(|call| call.string("id")).map(Box::from));
        content.rest.push_str(&sent::call(call));
    }
    if let Some(call) = message.some("function_call")
        && let Some(name) = Object::of(call).and_then(|call| call.string("name"))
    {
        content.calls.push(format!("function {name}").into());
        content.rest.push_str(&sent::call(call));
    }
    let mut results = Vec::new();
    match message.some("tool_call_id").and_then(json::string) {
        Some(result) => results.push(result.into()),
        None if type_name == "function" => {
            results.extend(message.string("name").map(|name| format!("function {name}").into()));
        }
        None => {}
    }
    let draft = content.draft(role, id, results);
    let kwargs = message.object("additional_kwargs");
    let mut flags = kwargs.map(|kwargs| self::flags(&kwargs)).unwrap_or_default();
    if type_name == DEVELOPER {
        flags.push(DEVELOPER.to_owned());
    }
    Some(Draft {
        removal,
        spent: message
            .object("usage_metadata")
            .filter(|_| role == Role::Assistant)
            .and_then(|usage| spent(&usage, message)),
        // LiteLLM and OpenRouter take the mark on the message, too.
        breakpoints: draft.breakpoints.saturating_add(u8::from(is_marked(message))),
        name: message
            .some("name")
            .and_then(json::string)
            .map(String::from)
            .filter(|_| role != Role::Tool),
        flags,
        ..draft
    })
}

/// What a message of LangChain says that it cost. Messages of several agents stand in one list, so calls are not
/// compared with each other.
fn spent(usage: &Object<'_>, message: &Object<'_>) -> Option<Box<Call>> {
    let metadata = message.object("response_metadata").unwrap_or_default();
    let model = ["model_name", "model"].iter().find_map(|key| metadata.string(key));
    let call = langchain(usage).call(Caching::Unknown)?;
    Some(Box::new(Call {
        model: model.map(|model| model.as_ref().into()),
        ..call
    }))
}

/// The counts in the `usage_metadata` of LangChain.
pub(super) fn langchain(usage: &Object<'_>) -> Counts {
    let details = usage.object("input_token_details").unwrap_or_default();
    let tiers = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"].map(|key| details.number(key));
    let told = tiers.iter().any(Option::is_some);
    let tiers = tiers.map(Option::unwrap_or_default);
    let written = details.number("cache_creation").filter(|written| *written > 0 || !told);
    let thoughts = usage.object("output_token_details");
    Counts {
        input: usage.number("input_tokens").unwrap_or(0),
        read: details.number("cache_read"),
        // The sum is left 0 where it is told by how long it is kept.
        written: written.or_else(|| told.then(|| tiers[0].saturating_add(tiers[1]))),
        hour: tiers[1],
        output: usage.number("output_tokens").unwrap_or(0),
        thoughts: thoughts.and_then(|details| details.number("reasoning")).unwrap_or(0),
        total: usage.number("total_tokens"),
        ..Counts::default()
    }
}

/// A message with this content; its blocks may tell more calls and results.
pub(super) fn draft(
    role: Role,
    id: Option<Arc<str>>,
    content: Option<Raw<'_>>,
    calls: Vec<Box<str>>,
    told: Vec<Box<str>>,
) -> Draft {
    let mut content = Content::of(content);
    content.calls.extend(calls);
    content.draft(role, id, told)
}

/// A message of this one block.
pub(super) fn draft_of_block(role: Role, raw: Raw<'_>) -> Draft {
    let mut content = Content::default();
    content.block(raw);
    content.draft(role, None, Vec::new())
}

/// A message of which nothing is to be read but that it is there, such as a call: its content is the whole
/// value.
pub(super) fn opaque(role: Role, raw: Raw<'_>) -> Draft {
    said_beside(role, &canonical(raw))
}

/// A message that says this, and nothing that people read.
pub(super) fn said_beside(role: Role, whole: &str) -> Draft {
    Draft {
        content: hash_of(whole),
        beside: whole.len(),
        ..Draft::new(role)
    }
}

/// An id; numbers are written out.
pub(super) fn id(raw: Raw<'_>) -> Option<Arc<str>> {
    match json::string(raw) {
        Some(id) => Some(id.as_ref().into()),
        None => raw.get().parse::<i64>().ok().map(|number| number.to_string().into()),
    }
}

/// The keys that are set, with their values where those are text.
fn flags(kwargs: &Object<'_>) -> Vec<String> {
    let set = kwargs
        .iter()
        .filter(|(_, value)| !matches!(value.get(), "null" | "false" | "{}" | "[]" | "\"\""));
    set.map(|(key, value)| match json::string(value) {
        Some(text) if text.len() <= 64 => format!("{key}={text}"),
        _ => key.to_owned(),
    })
    .collect()
}

/// What a message says: its text, and the rest as canonical JSON.
#[derive(Default)]
struct Content {
    text: String,
    rest: String,
    /// How what tools gave begins, as far as it is text.
    given: String,
    /// How many blocks carry a mark for the provider's cache.
    breakpoints: u8,
    calls: Vec<Box<str>>,
    results: Vec<Box<str>>,
}

impl Content {
    fn of(raw: Option<Raw<'_>>) -> Self {
        let mut content = Self::default();
        let Some(raw) = raw else { return content };
        match json::list(raw) {
            Some(blocks) => blocks.into_iter().for_each(|block| content.block(block)),
            None => match json::string(raw) {
                Some(text) => content.text = text.into_owned(),
                None if json::is_null(raw) => {}
                None => content.rest = canonical(raw),
            },
        }
        content
    }

    fn block(&mut self, raw: Raw<'_>) {
        if let Some(text) = json::string(raw) {
            return self.line(&text);
        }
        let Some(block) = Object::of(raw) else { return };
        self.breakpoints = self.breakpoints.saturating_add(u8::from(is_marked(&block)));
        match block.string("type").as_deref() {
            Some("text" | "input_text" | "output_text") => {
                if let Some(text) = block.string("text") {
                    self.line(&text);
                }
            }
            Some("tool_use" | "tool_call" | "server_tool_use") => {
                self.calls.extend(block.string("id").map(Box::from));
                self.beside(raw);
            }
            Some("tool_result") => {
                self.results.extend(block.string("tool_use_id").map(Box::from));
                if let Some(given) = block.get("content") {
                    if self.given.len() < stretches::MOST {
                        self.given.push_str(&super::body::beginning_of(given, stretches::MOST));
                    }
                    let blocks = json::list(given).unwrap_or_default();
                    let marked = blocks.into_iter().filter_map(Object::of).filter(is_marked).count();
                    self.breakpoints = self.breakpoints.saturating_add(u8::try_from(marked).unwrap_or(u8::MAX));
                }
                self.beside(raw);
            }
            _ => self.beside(raw),
        }
    }

    /// Adds a block that is no text. Where it stands in the text counts.
    fn beside(&mut self, raw: Raw<'_>) {
        sent::place(&mut self.rest, self.text.len());
        sent::write_block(raw, &mut self.rest);
    }

    fn draft(mut self, role: Role, id: Option<Arc<str>>, told: Vec<Box<str>>) -> Draft {
        self.calls.sort_unstable();
        self.calls.dedup();
        self.results.extend(told);
        Draft {
            id,
            content: hash_of((&self.text, &self.rest)),
            beside: self.rest.len(),
            text: self.text,
            given: self.given,
            breakpoints: self.breakpoints,
            calls: self.calls,
            results: self.results,
            ..Draft::new(role)
        }
    }

    fn line(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }
}

/// Whether a block or a message carries a mark for the provider's cache.
fn is_marked(object: &Object<'_>) -> bool {
    object.some(sent::CACHE_MARK).is_some()
}

#[cfg(test)]
mod tests {
    use super::{Draft, message};
    use crate::history::entry::Removal;
    use crate::transcript::json::{Locator, value};
    use crate::transcript::message::Role;
    use crate::transcript::reader::{Record, Spot};

    fn read(text: &str) -> Option<Draft> {
        let record = Record {
            text,
            tape: None,
            spot: Spot {
                file: 0,
                line: 1,
                column: 1,
                end_line: 9,
                offset: 0,
                len: text.len() as u64,
            },
        };
        message(value(&record).expect("the text is JSON"), &mut Locator::new(record))
    }

    #[test]
    fn every_way_to_write_a_message_reads_the_same() {
        let ways = [
            r#"{"type":"human","content":"hi","id":"u1"}"#,
            r#"{"type":"human","data":{"content":"hi","id":"u1"}}"#,
            r#"{"lc":1,"type":"constructor","id":["langchain","schema","messages","HumanMessage"],"kwargs":{"content":"hi","id":"u1"}}"#,
            r#"{"role":"user","content":"hi","id":"u1"}"#,
            r#"{"role":"user","content":[{"type":"text","text":"hi"}],"id":"u1"}"#,
        ];
        for way in ways {
            let draft = read(way).expect(way);
            let expected = read(ways[0]).expect("read before");
            assert_eq!(
                (draft.id.as_deref(), draft.role, draft.text.as_str()),
                (Some("u1"), Role::User, "hi"),
                "{way}"
            );
            assert_eq!(draft.content, expected.content, "{way}");
        }
        assert_eq!(
            read(r#""hi""#).map(|draft| (draft.role, draft.text)),
            Some((Role::User, "hi".to_owned()))
        );
        assert_eq!(read(r#"["ai","hi"]"#).map(|draft| draft.role), Some(Role::Assistant));
    }

    #[test]
    fn tool_pairs_are_read_from_all_dialects() {
        let calls = [
            r#"{"type":"ai","content":"","tool_calls":[{"name":"f","args":{},"id":"c1"}]}"#,
            r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{}}]}"#,
            r#"{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}"#,
        ];
        let results = [
            r#"{"type":"tool","content":"r","tool_call_id":"c1","name":"f"}"#,
            r#"{"role":"tool","content":"r","tool_call_id":"c1"}"#,
            r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"r"}]}"#,
        ];
        for (call, result) in calls.into_iter().zip(results) {
            assert_eq!(*read(call).expect(call).calls, [Box::from("c1")], "{call}");
            assert_eq!(*read(result).expect(result).results, [Box::from("c1")], "{result}");
        }
    }

    #[test]
    fn removals_are_orders() {
        let one = read(r#"{"type":"remove","content":"","id":"u1"}"#).expect("a removal");
        let all = read(r#"{"type":"remove","content":"","id":"__remove_all__"}"#).expect("a removal");
        assert_eq!((one.removal, all.removal), (Removal::One, Removal::All));
    }

    #[test]
    fn flags_are_what_is_set_outside_the_content() {
        let text =
            r#"{"type":"human","content":"x","additional_kwargs":{"a":true,"b":false,"c":null,"d":"e","f":{"g":1}}}"#;
        assert_eq!(read(text).expect("a message").flags, ["a", "d=e", "f"]);
    }

    #[test]
    fn other_objects_are_no_messages() {
        for text in [
            r#"{"type":"checkpoint","content":1}"#,
            r#"{"role":"bot","content":"x"}"#,
            "{}",
            "7",
            "[1,2,3]",
        ] {
            assert!(read(text).is_none(), "{text}");
        }
    }
}
