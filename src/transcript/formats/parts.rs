//! Sessions that one document holds: each of its messages ends somewhere by itself.

use super::{Sink, encoding};
use crate::transcript::event::{Compaction, CompactionClass, Fate};
use crate::transcript::json::{Locator, Object, Raw};
use crate::transcript::message::{Draft, Kind, Place, Role};

/// Reads the messages of a list, each a part of the record.
pub(super) fn each<'r>(
    list: Vec<Raw<'r>>,
    sink: &mut Sink<'_, 'r>,
    mut read: impl FnMut(Raw<'r>, &mut Locator<'r>) -> Result<Draft, Fate>,
) -> Vec<Draft> {
    let mut drafts = Vec::with_capacity(list.len());
    for raw in list {
        let fate = match read(raw, &mut sink.locator) {
            Ok(draft) => {
                drafts.push(draft);
                Fate::Understood
            }
            Err(fate) => fate,
        };
        sink.part(raw, fate);
    }
    drafts
}

/// Reads a message of a chat API, or says what is not known of it.
pub(super) fn chat<'r>(raw: Raw<'r>, locator: &mut Locator<'r>) -> Result<Draft, Fate> {
    let Some(object) = Object::of(raw) else {
        return Err(Fate::Unknown("message that is no object".to_owned()));
    };
    let role = object.string("role").ok_or_else(|| unknown_role(None))?;
    encoding::message(raw, locator).ok_or_else(|| unknown_role(Some(&*role)))
}

/// Reads the parts of a list in order; each part says which messages it stands for, or where it ends instead.
pub(super) fn several<'r>(
    list: Vec<Raw<'r>>,
    sink: &mut Sink<'_, 'r>,
    mut read: impl FnMut(&Object<'r>) -> Result<Vec<Draft>, Fate>,
) -> Vec<Draft> {
    let mut messages = Vec::with_capacity(list.len());
    for raw in list {
        let read = Object::of(raw)
            .ok_or_else(|| Fate::Unknown("a message that is no object".to_owned()))
            .and_then(|object| read(&object));
        match read {
            Ok(drafts) => {
                let place = sink.locator.place(raw);
                messages.extend(drafts.into_iter().map(|draft| Draft { place, ..draft }));
                sink.part(raw, Fate::Understood);
            }
            Err(fate) => sink.part(raw, fate),
        }
    }
    messages
}

/// A role, or where a message without a known one ends.
pub(super) fn unknown_role(role: Option<&str>) -> Fate {
    match role {
        Some(role) => Fate::Unknown(format!("role {role}")),
        None => Fate::Malformed("a message without a role".to_owned()),
    }
}

/// A history of which this summary is left.
pub(super) fn summarised(summary: String, place: Place) -> Compaction {
    Compaction {
        class: CompactionClass::Unknown,
        messages: Some(vec![Draft {
            told: Some(Kind::Summary),
            place,
            ..Draft::of_text(Role::User, summary)
        }]),
        kept: None,
        tokens: [None, None],
    }
}
