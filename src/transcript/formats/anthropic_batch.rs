//! Message batches and messages of the Anthropic API.

use super::{Adapter, Detected, Format, Sample, Sink, chat, encoding, form, requests};
use crate::transcript::event::{Fate, Note, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "anthropic-batch",
    detect: |sample| detect_results(sample).or_else(|| chat::detect(sample, "anthropic-batch")),
    forced: || Detected::new(&form::ANTHROPIC_LIST, chat::Chat::default()),
    tables: None,
};

/// What a result can be.
const RESULTS: [&str; 4] = ["succeeded", "errored", "canceled", "expired"];

fn detect_results(sample: &Sample<'_>) -> Option<Detected> {
    let is_result = |line: &Object<'_>| line.has("custom_id") && line.object("result").is_some_and(|it| it.has("type"));
    sample
        .all(is_result)
        .then(|| Detected::new(&form::ANTHROPIC_RESULTS, Results))
}

/// Reads the results of a batch: each answers a request of another file.
struct Results;

impl Adapter for Results {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let line = Object::of(raw).unwrap_or_default();
        let (Some(id), Some(result)) = (line.string("custom_id"), line.object("result")) else {
            return Fate::Unknown("line without a result".to_owned());
        };
        let thread: std::sync::Arc<str> = id.as_ref().into();
        let kind = result.string("type").unwrap_or_default();
        match result.get("message") {
            Some(raw) => {
                let said = encoding::messages(raw, &mut sink.locator);
                if said.is_empty() {
                    return Fate::Malformed("its message has no role".to_owned());
                }
                sink.event(thread.clone(), What::Append(said));
                let message = Object::of(raw).unwrap_or_default();
                let usage = message.object("usage");
                if let Some(call) = usage.and_then(|usage| requests::call(&message, &usage)) {
                    sink.event(thread.clone(), What::Call(call));
                }
            }
            None if RESULTS.contains(&&*kind) => sink.event(thread.clone(), What::Note(Note::ApiError)),
            None => return Fate::Unknown(format!("result {kind}")),
        }
        sink.event(thread, What::End);
        Fate::Understood
    }
}
