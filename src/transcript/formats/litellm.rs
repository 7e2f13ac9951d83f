//! What `LiteLLM` logs of a request: its standard payload, as callbacks and buckets get it.
//!
//! Source: `StandardLoggingPayload` in `litellm/types/utils.py` of BerriAI/litellm, 1.80.

use super::requests::{self, Conversations, Request};
use super::{Adapter, Detected, Format, Sample, Sink, encoding, form, sent};
use crate::transcript::event::{Fate, NO_MESSAGE, Note, What};
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "litellm",
    detect,
    forced: || Detected::new(&form::LITELLM, LiteLlm::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_payload = |record: &Object<'_>| {
        record.has("call_type") && record.has("messages") && (record.has("litellm_call_id") || record.has("trace_id"))
    };
    sample
        .any(is_payload)
        .then(|| Detected::new(&form::LITELLM, LiteLlm::default()))
}

#[derive(Default)]
struct LiteLlm(Conversations);

impl Adapter for LiteLlm {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let payload = Object::of(raw).unwrap_or_default();
        if !payload.has("call_type") {
            return Fate::Unknown("record without a call_type".to_owned());
        }
        // Retries share a trace, and so one conversation.
        let named = ["session_id", "trace_id", "litellm_call_id"]
            .iter()
            .find_map(|key| payload.string(key).filter(|name| !name.is_empty()));
        let Some(sent) = payload.some("messages") else {
            return NO_MESSAGE;
        };
        // Content may be kept out of logs: then a word stands in its place.
        let wrapped = Object::of(sent).and_then(|sent| sent.get("messages"));
        let list = wrapped.unwrap_or(sent);
        if json::list(list).is_none() {
            return Fate::Ignored("its content was left out of the log");
        }
        let (messages, mut unknown) = if encodes_items(list) {
            requests::items(list, &mut sink.locator)
        } else {
            (encoding::messages(list, &mut sink.locator), Vec::new())
        };
        if messages.is_empty() {
            return NO_MESSAGE;
        }
        let tools = payload.object("model_parameters").map(|body| sent::tools_of(&body));
        let request = Request {
            group: &named.unwrap_or_default(),
            messages,
            tools,
            ..Request::default()
        };
        let thread = self.0.request(request, sink);
        let failed = payload.string("status").is_some_and(|status| status == "failure");
        let answer = payload.object("response").unwrap_or_default();
        let mut said = Vec::new();
        if let Some(message) = requests::choice(&answer) {
            said = encoding::messages(message, &mut sink.locator);
        } else if let Some(output) = answer.some("output") {
            let (items, more) = requests::items(output, &mut sink.locator);
            said = items;
            unknown.extend(more);
        }
        self.0.said(said, sink);
        let metadata = payload.object("metadata");
        let usage = answer
            .object("usage")
            .or_else(|| metadata.and_then(|metadata| metadata.object("usage_object")));
        if let Some(mut call) = usage.and_then(|usage| requests::call(&payload, &usage)) {
            call.time = payload
                .get("startTime")
                .and_then(|time| time.get().parse::<f64>().ok())
                .map(|seconds| (seconds * 1000.0) as i64);
            sink.event(thread.clone(), What::Call(call));
        }
        if failed {
            sink.event(thread, What::Note(Note::ApiError));
        }
        unknown.into_iter().next().map_or(Fate::Understood, Fate::Unknown)
    }
}

/// Whether a list is one of the Responses API.
pub(super) fn encodes_items(list: Raw<'_>) -> bool {
    let items = json::list(list).unwrap_or_default();
    items.into_iter().filter_map(Object::of).any(|item| {
        let kind = item.string("type");
        kind.is_some_and(|kind| !item.has("role") && requests::is_item(&kind))
    })
}
