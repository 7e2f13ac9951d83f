//! The OpenAI Agents SDK: the items of a session.

use super::form::Form;
use super::shared::{item, last};
use super::{Records, Shows, Traits};

/// Items, a line each.
pub(super) static ITEMS: Form = Form {
    name: "openai-agents items",
    format: "openai-agents",
    traits: Traits {
        // Items of the person have none.
        ids: false,
        apart: true,
        compaction: None,
        ..Traits::of(Shows::List)
    },
    write: |timeline, _| {
        let mut records = Records::default();
        for message in &last(timeline) {
            let line = records.add(&item(message));
            records.lines.message(message.uid, line);
        }
        records.file()
    },
};
