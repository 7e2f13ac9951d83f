//! Sessions that one document holds: each of its messages ends somewhere by itself.

use super::{Sink, encoding};
use crate::transcript::event::Fate;
use crate::transcript::json::{Locator, Object, Raw};
use crate::transcript::message::Draft;

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
    let Some(role) = object.string("role") else {
        return Err(Fate::Malformed("a message without a role".to_owned()));
    };
    encoding::message(raw, locator).ok_or_else(|| Fate::Unknown(format!("role {role}")))
}
