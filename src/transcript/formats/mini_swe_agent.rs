//! Trajectories of mini-SWE-agent: one list of chat messages, in which commands and their output are plain text.
//!
//! Source: `minisweagent/agents/default.py` and `run/utils/save.py` of `SWE-agent/mini-swe-agent`.

use std::sync::Arc;

use super::form;
use super::{Adapter, Detected, Format, Sample, Sink, encoding, parts, requests};
use crate::transcript::event::{Caching, Call, Fate, NO_MESSAGE, What};
use crate::transcript::json::{Locator, Object, Raw};
use crate::transcript::message::{Draft, Kind, Role};
use crate::transcript::reader::Record;

pub(super) static FORMAT: Format = Format {
    name: "mini-swe-agent",
    detect,
    forced: || Detected::new(&form::MINI_SWE_AGENT, MiniSweAgent::default()),
    tables: None,
};

fn detect(sample: &Sample<'_>) -> Option<Detected> {
    let is_trajectory = |object: &Object<'_>| {
        let of_mini = || {
            let info = object.object("info");
            info.is_some_and(|info| {
                ["mini_version", "exit_status", "model_stats"]
                    .iter()
                    .any(|key| info.has(key))
            })
        };
        object.list("messages").is_some() && (object.has("trajectory_format") || of_mini())
    };
    // A bare list says nothing of who wrote it but by its name.
    let named = || {
        let name = sample.path.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".traj.json") && sample.all(encoding::is_chat_object)
    };
    (sample.any(is_trajectory) || named()).then(|| Detected::new(&form::MINI_SWE_AGENT, MiniSweAgent::default()))
}

/// Reads trajectories.
#[derive(Default)]
struct MiniSweAgent {
    /// Whether the task was given.
    asked: bool,
}

impl Adapter for MiniSweAgent {
    fn read<'r>(&mut self, _record: Record<'r>, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let Some(object) = Object::of(raw) else {
            return Fate::Unknown("record that is no object".to_owned());
        };
        let Some(list) = object.list("messages") else {
            return self.take(raw, sink);
        };
        if list.is_empty() {
            return NO_MESSAGE;
        }
        self.asked = false;
        for raw in list {
            let fate = self.take(raw, sink);
            sink.part(raw, fate);
        }
        Fate::Parts
    }
}

impl MiniSweAgent {
    fn take<'r>(&mut self, raw: Raw<'r>, sink: &mut Sink<'_, 'r>) -> Fate {
        let draft = match self.message(raw, &mut sink.locator) {
            Ok(draft) => draft,
            Err(fate) => return fate,
        };
        let is_answer = draft.role == Role::Assistant;
        sink.event_at(raw, Arc::default(), What::Append(vec![draft]));
        let response = Object::of(raw).and_then(|message| message.object("extra")?.object("response"));
        if let Some(call) = response.filter(|_| is_answer).and_then(|response| call(&response)) {
            sink.event_at(raw, Arc::default(), What::Call(call));
        }
        Fate::Understood
    }

    fn message<'r>(&mut self, raw: Raw<'r>, locator: &mut Locator<'r>) -> Result<Draft, Fate> {
        let role = Object::of(raw).and_then(|message| message.string("role").map(String::from));
        if role.as_deref() == Some("exit") {
            return Err(Fate::Ignored("not sent to the model"));
        }
        let mut draft = parts::chat(raw, locator)?;
        if draft.role == Role::User {
            // Only the environment speaks behind the task.
            draft.told = std::mem::replace(&mut self.asked, true).then_some(Kind::ToolResult);
        }
        Ok(draft)
    }
}

/// What a call cost, as `LiteLLM` tells it.
pub(super) fn call(response: &Object<'_>) -> Option<Call> {
    let usage = response.object("usage")?;
    let call = requests::call(response, &usage)?;
    let is_claude = call.model.as_deref().is_some_and(|name| name.contains("claude"));
    let caching = match call.caching {
        Caching::Unknown => Caching::Unknown,
        _ => Caching::promised(is_claude),
    };
    Some(Call { caching, ..call })
}
