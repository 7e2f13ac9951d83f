//! Messages in the way of Anthropic whose blocks come from several hands: results of tools, what the person wrote,
//! and what the tool put around it.

use std::sync::Arc;

use super::encoding;
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Place, Role, hash_of};

/// Reads a message; of the user's, what each hand wrote becomes a message of its own.
pub(super) fn drafts(message: &Object<'_>, place: Place, flags: &[String]) -> Option<Vec<Draft>> {
    let role = encoding::role_word(&message.string("role")?)?;
    let id: Option<Arc<str>> = message.some("id").and_then(encoding::id);
    let content = message.get("content");
    let whole = || Draft {
        flags: flags.to_vec(),
        place,
        ..encoding::draft(role, id.clone(), content, Vec::new(), Vec::new())
    };
    let blocks = match content.and_then(json::list) {
        Some(blocks) if role == Role::User && blocks.len() > 1 => blocks,
        _ => return Some(vec![whole()]),
    };
    let mut drafts: Vec<(Hand, Draft)> = Vec::new();
    for raw in blocks {
        let hand = Hand::of(raw);
        let block = encoding::draft_of_block(role, raw);
        match drafts.last_mut() {
            Some((last, draft)) if *last == hand && hand != Hand::Tool => join(draft, block),
            _ => drafts.push((hand, Draft { place, ..block })),
        }
    }
    let main = drafts
        .iter()
        .position(|(hand, _)| *hand == Hand::Person)
        .or_else(|| drafts.iter().position(|(hand, _)| *hand == Hand::Result))
        .unwrap_or(0);
    if let Some((_, draft)) = drafts.get_mut(main) {
        draft.id = id;
        draft.flags = flags.to_vec();
    }
    Some(drafts.into_iter().map(|(_, draft)| draft).collect())
}

/// Who wrote a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hand {
    Person,
    Result,
    /// The tool that the person works with.
    Tool,
}

impl Hand {
    fn of(raw: Raw<'_>) -> Self {
        let Some(block) = Object::of(raw) else {
            return Self::Person;
        };
        match block.string("type").as_deref() {
            Some("tool_result") => Self::Result,
            Some("text") if block.string("text").is_some_and(|text| is_put_around(&text)) => Self::Tool,
            _ => Self::Person,
        }
    }
}

/// Whether a text is the details of the editor, which stand behind what the person wrote.
fn is_put_around(text: &str) -> bool {
    text.trim_start().starts_with("<environment_details>")
}

/// Adds what the same hand wrote next.
fn join(draft: &mut Draft, more: Draft) {
    if !draft.text.is_empty() && !more.text.is_empty() {
        draft.text.push('\n');
    }
    draft.text.push_str(&more.text);
    draft.content = hash_of((draft.content, more.content));
    draft.calls.extend(more.calls);
    draft.results.extend(more.results);
}
