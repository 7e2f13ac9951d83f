//! The parts of a message of the Vercel AI SDK's user interface, which Mastra stores too.
//!
//! Source: `packages/ai/src/ui/convert-to-model-messages.ts` of vercel/ai at 5.x, and `ToolInvocation` of 4.x.

use std::sync::Arc;

use super::body::{self, Body};
use crate::transcript::event::Fate;
use crate::transcript::json::{self, Object, Raw};
use crate::transcript::message::{Draft, Kind, Place, Role};

/// The messages that the model reads for one with parts: of each step what was said and called, then the results.
/// What is not known of a part is told of the message.
pub(super) fn drafts(role: Role, id: Option<&str>, parts: &[Raw<'_>], place: Place) -> (Vec<Draft>, Fate) {
    let mut steps = Steps::new(role, place);
    let mut fate = Fate::Understood;
    for raw in parts {
        if let Some(other) = steps.part(*raw) {
            fate = other;
        }
    }
    steps.settle();
    for (number, draft) in steps.drafts.iter_mut().enumerate() {
        draft.id = id.map(|id| match number {
            0 => id.into(),
            number => Arc::from(format!("{id}.{}", number + 1)),
        });
    }
    (steps.drafts, fate)
}

struct Steps {
    role: Role,
    place: Place,
    drafts: Vec<Draft>,
    said: Body,
    answered: Body,
}

impl Steps {
    fn new(role: Role, place: Place) -> Self {
        Self {
            role,
            place,
            drafts: Vec::new(),
            said: Body::default(),
            answered: Body::default(),
        }
    }

    /// Takes a part; tells where the message ends if it is not known.
    fn part(&mut self, raw: Raw<'_>) -> Option<Fate> {
        let Some(part) = Object::of(raw) else {
            return Some(Fate::Unknown("part that is no object".to_owned()));
        };
        let kind = part.string("type").unwrap_or_default();
        match &*kind {
            "text" => {
                let text = part.string("text").unwrap_or_default();
                self.say().line(&text);
            }
            "reasoning" | "redacted-reasoning" => {
                let text = part
                    .string("text")
                    .or_else(|| part.string("reasoning"))
                    .unwrap_or_default();
                let draft = Draft {
                    told: Some(Kind::Reasoning),
                    place: self.place,
                    ..Draft::of_text(Role::Assistant, text)
                };
                self.settle();
                self.drafts.push(draft);
            }
            "file" | "image" => self.say().rest(raw),
            "step-start" => self.settle(),
            "tool-invocation" => match part.object("toolInvocation") {
                Some(tool) => self.tool(&tool),
                None => return Some(Fate::Malformed("a tool part without `toolInvocation`".to_owned())),
            },
            "dynamic-tool" => self.tool(&part),
            "source" | "source-url" | "source-document" => {}
            kind if kind.starts_with("data-") => {}
            kind if kind.starts_with("tool-") => self.tool(&part),
            "" => return Some(Fate::Malformed("a part without a type".to_owned())),
            other => return Some(Fate::Unknown(format!("part {other}"))),
        }
        None
    }

    /// A call with what came of it.
    fn tool(&mut self, tool: &Object<'_>) {
        let Some(id) = tool.string("toolCallId") else { return };
        let state = tool.string("state").unwrap_or_default();
        // A call that is still being written is not sent.
        if matches!(&*state, "input-streaming" | "partial-call") {
            return;
        }
        self.said.call(&id, tool.get("input").or_else(|| tool.get("args")));
        let output = tool.some("output").or_else(|| tool.some("result"));
        match &*state {
            "output-error" | "output-denied" => {
                self.answered.result(&id, None);
                self.answered.line(&tool.string("errorText").unwrap_or_default());
            }
            _ if output.is_some() || matches!(&*state, "output-available" | "result") => {
                self.answered.result(&id, None);
                self.answered.line(&output.map(body::text_of).unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Text behind the results of tools begins a message of its own.
    fn say(&mut self) -> &mut Body {
        if !self.answered.is_empty() {
            self.settle();
        }
        &mut self.said
    }

    fn settle(&mut self) {
        let said = std::mem::take(&mut self.said);
        let answered = std::mem::take(&mut self.answered);
        if !said.is_empty() {
            self.drafts.push(said.draft(self.role, None, self.place));
        }
        if !answered.is_empty() {
            self.drafts.push(answered.results_draft(None, self.place));
        }
    }
}

/// The content of a message as it goes to the model: text, or parts with calls and results by `toolCallId`.
pub(super) fn model_message(role: Role, id: Option<&str>, content: Option<Raw<'_>>, place: Place) -> Draft {
    let mut body = Body::default();
    let text = content.and_then(json::string);
    body.line(&text.unwrap_or_default());
    for raw in content.and_then(json::list).unwrap_or_default() {
        let Some(part) = Object::of(raw) else { continue };
        let id = part.string("toolCallId").unwrap_or_default();
        match part.string("type").as_deref() {
            Some("text") => body.line(&part.string("text").unwrap_or_default()),
            Some("tool-call") => body.call(&id, part.get("input").or_else(|| part.get("args"))),
            Some("tool-result") => body.result(&id, part.get("output").or_else(|| part.get("result"))),
            _ => body.rest(raw),
        }
    }
    let id = id.map(Arc::from);
    if role == Role::Tool {
        return body.results_draft(id, place);
    }
    body.draft(role, id, place)
}
