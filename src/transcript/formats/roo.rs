//! Tasks of Roo Code: a list of messages of which some are hidden behind a summary or a cut.
//!
//! Source: `src/core/condense/index.ts` (`getEffectiveApiHistory`) of RooCodeInc/Roo-Code at 3.x.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Adapter, Detected, Format, Sample, Sink, Way, blocks, cline, encoding, form};
use crate::transcript::event::{Fate, What};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::{Draft, Kind, Role, hash_of};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "roo",
    detect,
    forced: || Detected::new(&form::ROO, Roo::default()),
    tables: None,
};

/// Keys that only Roo writes into messages.
const OWN: [&str; 7] = [
    "isSummary",
    "condenseId",
    "condenseParent",
    "truncationId",
    "truncationParent",
    "isTruncationMarker",
    "reasoning_details",
];

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_own = |record: &Object<'_>| record.has("ts") && OWN.iter().any(|key| record.has(key));
    let has_ui = cline::is_ui(sample)
        && sample.any(|record| {
            ["contextCondense", "contextTruncation", "isProtected"]
                .iter()
                .any(|key| record.has(key))
                || record.string("say").is_some_and(|say| say == "condense_context")
        });
    if has_ui {
        return Some(Detected::new(&form::ROO_UI, Roo::default()));
    }
    let fits = sample
        .all(|record| cline::is_message_or_ui(record) || record.string("type").is_some_and(|kind| kind == "reasoning"));
    let marked = sample.any(|record| encoding::is_chat_object(record) && (is_own(record) || names_mode(record)));
    (fits && marked).then(|| Detected::new(&form::ROO, Roo::default()))
}

/// Whether the details that Roo puts around a message stand in it: only they name the mode by a slug.
fn names_mode(record: &Object<'_>) -> bool {
    record.has("ts")
        && record.list("content").unwrap_or_default().into_iter().any(|block| {
            let text = Object::of(block).and_then(|block| block.string("text").map(String::from));
            text.is_some_and(|text| text.trim_start().starts_with("<environment_details>") && text.contains("<slug>"))
        })
}

/// Reads a task.
#[derive(Default)]
struct Roo {
    /// Ids of the summaries and of the marks of cuts that are there: only behind them messages are hidden.
    markers: FxHashSet<u64>,
}

/// Keys of messages that are hidden, with the keys of what hides them.
const HIDDEN: [(&str, &str); 2] = [("condenseParent", "condenseId"), ("truncationParent", "truncationId")];

impl Adapter for Roo {
    fn way(&self) -> Way {
        Way::Surveyed
    }

    fn survey<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>) -> Fate {
        if let Some(object) = Object::of(raw).filter(|object| object.has("role")) {
            let ids = HIDDEN
                .into_iter()
                .filter_map(|(_, id)| Some(hash_of((id, &*object.string(id)?))));
            self.markers.extend(ids);
        }
        Fate::Understood
    }

    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        if !object.has("role") && (object.has("say") || object.has("ask")) {
            return cline::ui(&object, true, sink);
        }
        let hides = |(parent, id): (&str, &str)| {
            object
                .string(parent)
                .is_some_and(|own| self.markers.contains(&hash_of((id, &*own))))
        };
        if HIDDEN.into_iter().any(hides) {
            return Fate::Ignored("hidden behind a summary or a cut");
        }
        let place = sink.locator.place(raw);
        let thread: Arc<str> = Arc::from("");
        if object.string("type").is_some_and(|kind| kind == "reasoning") {
            let draft = Draft {
                told: Some(Kind::Reasoning),
                place,
                ..encoding::opaque(Role::Assistant, raw)
            };
            sink.event(thread, What::Append(vec![draft]));
            return Fate::Understood;
        }
        let set = |key: &&str| object.get(key).is_some_and(|value| value.get() == "true");
        let flags: Vec<String> = ["isSummary", "isTruncationMarker"]
            .iter()
            .filter(|key| set(key))
            .map(|key| (*key).to_owned())
            .collect();
        let Some(drafts) = blocks::drafts(&object, place, &flags) else {
            return cline::unreadable(&object);
        };
        sink.event(thread, What::Append(drafts));
        Fate::Understood
    }
}
