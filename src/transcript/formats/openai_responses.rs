//! The Responses API of `OpenAI`: requests, responses, lists of items, and the chains they make.

use std::sync::Arc;

use super::requests::{self, Conversations, Request};
use super::{Adapter, Detected, Format, Sample, Sink, form, sent};
use crate::transcript::event::{Fate, NO_MESSAGE, Note, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "openai-responses",
    detect,
    forced: || Detected::new(&form::RESPONSES, Responses::default()),
    tables: None,
};

fn is_response(record: &Object<'_>) -> bool {
    record.string("object").is_some_and(|name| name == "response") && record.list("output").is_some()
}

fn is_request(record: &Object<'_>) -> bool {
    record.has("model")
        && record.has("input")
        && !record.has("messages")
        && !record.has("object")
        && [
            "instructions",
            "previous_response_id",
            "conversation",
            "tools",
            "max_output_tokens",
            "store",
            "reasoning",
        ]
        .iter()
        .any(|key| record.has(key))
}

/// Whether a record is a page of items.
fn is_page(record: &Object<'_>) -> bool {
    let is_list = record.string("object").is_some_and(|name| name == "list");
    let items = record.list("data").unwrap_or_default();
    let is_item = |raw: Raw<'_>| {
        let kind = Object::of(raw).and_then(|item| item.string("type").map(String::from));
        kind.is_some_and(|kind| kind == "message" || requests::is_item(&kind))
    };
    is_list && !items.is_empty() && items.into_iter().all(is_item)
}

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let whole = |record: &Object<'_>| is_response(record) || is_request(record) || is_page(record);
    let pair = |record: &Object<'_>| {
        record.object("request").is_some_and(|it| is_request(&it))
            || record.object("response").is_some_and(|it| is_response(&it))
    };
    let known = |record: &Object<'_>| whole(record) || pair(record);
    let first = sample.first()?;
    if !known(first) {
        return None;
    }
    let form = if is_page(first) {
        &form::RESPONSES_ITEMS
    } else {
        &form::RESPONSES
    };
    Some(Detected::new(form, Responses::default()))
}

#[derive(Default)]
struct Responses(Conversations);

impl Adapter for Responses {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let record = Object::of(raw).unwrap_or_default();
        if is_page(&record) {
            return self.page(&record, sink);
        }
        let (request, response) = (record.object("request"), record.object("response"));
        let mut fate = None;
        if let Some(request) = request.filter(is_request) {
            fate = Some(self.request(&request, sink));
        }
        if let Some(response) = response.filter(is_response) {
            fate = Some(self.response(&response, fate.is_some(), sink));
        }
        match fate {
            Some(fate) => fate,
            None if is_response(&record) => self.response(&record, false, sink),
            None if record.has("input") => self.request(&record, sink),
            None if record.some("error").is_some() => {
                let thread = self.0.current(sink);
                sink.event(thread, What::Note(Note::ApiError));
                Fate::Understood
            }
            None => {
                let name = record
                    .string("object")
                    .or_else(|| record.string("type"))
                    .map(String::from);
                Fate::Unknown(name.unwrap_or_else(|| "record without input or output".to_owned()))
            }
        }
    }
}

/// The conversation that a request or a response names.
fn conversation(record: &Object<'_>) -> String {
    let inner = record
        .object("conversation")
        .and_then(|it| it.string("id").map(String::from));
    inner
        .or_else(|| record.string("conversation").map(String::from))
        .unwrap_or_default()
}

impl Responses {
    fn request<'r>(&mut self, request: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(input) = request.some("input") else {
            return NO_MESSAGE;
        };
        let (messages, unknown) = requests::items(input, &mut sink.locator);
        let previous = request.some("previous_response_id").and_then(json::string);
        let group = conversation(request);
        let tools = Some(sent::tools_of(request));
        if previous.is_some() || !group.is_empty() {
            // What came before is kept by the provider.
            self.0.append(&group, previous.as_deref(), messages, tools, sink);
        } else {
            let messages = requests::with_system(request, "instructions", messages, sink);
            let request = Request {
                messages,
                tools,
                model: requests::model(request),
                ..Request::default()
            };
            self.0.request(request, sink);
        }
        unknown.into_iter().next().map_or(Fate::Understood, Fate::Unknown)
    }

    fn response<'r>(&mut self, response: &Object<'r>, answers: bool, sink: &mut Sink<'_, 'r>) -> Fate {
        let (said, unknown) = response
            .get("output")
            .map(|output| requests::items(output, &mut sink.locator))
            .unwrap_or_default();
        let group = conversation(response);
        let previous = response.some("previous_response_id").and_then(json::string);
        let follows = previous.as_deref().filter(|_| !answers);
        let id = response.string("id");
        let thread: Arc<str> = self.0.answer(&group, follows, id.as_deref(), said, sink);
        if let Some(call) = response
            .object("usage")
            .and_then(|usage| requests::call(response, &usage))
        {
            sink.event(thread.clone(), What::Call(call));
        }
        if response.some("error").is_some() {
            sink.event(thread, What::Note(Note::ApiError));
        }
        unknown.into_iter().next().map_or(Fate::Understood, Fate::Unknown)
    }

    /// The items of a conversation; the newest stands first unless the other order was asked for.
    fn page<'r>(&mut self, page: &Object<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(raw) = page.get("data") else { return NO_MESSAGE };
        let (mut drafts, unknown) = requests::items(raw, &mut sink.locator);
        let role = |draft: Option<&Draft>| draft.map(|draft| draft.role);
        let answered_first = drafts.iter().enumerate().any(|(at, draft)| {
            let later = &drafts[at + 1..];
            draft
                .results
                .iter()
                .any(|id| later.iter().any(|other| other.calls.contains(id)))
        });
        if answered_first || (role(drafts.first()), role(drafts.last())) == (Some(Role::Assistant), Some(Role::User)) {
            drafts.reverse();
        }
        let thread = self.0.current(sink);
        sink.event(thread, What::Append(drafts));
        unknown.into_iter().next().map_or(Fate::Understood, Fate::Unknown)
    }
}
