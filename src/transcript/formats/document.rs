//! Documents that hold a whole session: their messages are told one by one.

use super::Sink;
use crate::transcript::event::Fate;
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::Draft;

/// Reads the parts of a list in order; each part says which messages it stands for, or where it ends instead.
pub(super) fn messages<'r>(
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
