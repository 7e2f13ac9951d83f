//! The Codex CLI: rollouts, an item a record in an envelope.

use serde_json::{Value, json};

use super::{File, Records, Shows, Traits, Writer};
use crate::model::{Does, How, Message, Style, Timeline, What};
use crate::support::random::Random;

/// `rollout-….jsonl`
pub(super) struct Rollouts;

impl Writer for Rollouts {
    fn name(&self) -> &'static str {
        "codex rollout"
    }

    fn format(&self) -> &'static str {
        "codex"
    }

    fn traits(&self) -> Traits {
        Traits {
            ids: false,
            system: false,
            apart: true,
            compaction: Some(Style::QuestionsFirst),
            ..Traits::of(Shows::Log)
        }
    }

    fn write(&self, timeline: &Timeline, random: &mut Random) -> File {
        let mut rollout = Rollout {
            fresh: 7_000,
            ..Rollout::default()
        };
        let meta = json!({"id": "7c1d0000-0000-7000-8000-00000000000b", "timestamp": "2026-05-04T08:00:00.000Z",
            "cwd": "/srv/harbour", "originator": "codex-tui", "cli_version": "0.142.0", "source": "cli"});
        rollout.record("session_meta", &meta);
        let mut turns = 0;
        let mut begun = false;
        for (number, (step, list)) in timeline.steps.iter().zip(timeline.lists()).enumerate() {
            if step.how == How::Input {
                turns += 1;
                rollout.event(&json!({"type": "task_started", "turn_id": format!("t{turns}")}));
                if !std::mem::replace(&mut begun, true) {
                    for item in context() {
                        rollout.record("response_item", &item);
                    }
                }
                let settings = json!({"turn_id": format!("t{turns}"), "cwd": "/srv/harbour", "model": "gpt-x"});
                rollout.record("turn_context", &settings);
            }
            match &step.does {
                Does::Append(messages) => messages.iter().for_each(|message| rollout.message(message)),
                Does::Set(list) => unreachable!("a rollout is not written anew: {list:?}"),
                Does::Compact(compact) => {
                    rollout.event(&json!({"type": "task_started", "turn_id": format!("c{number}")}));
                    rollout.compaction(number, &list, &compact.summary, random.below(2) == 0);
                    rollout.event(&json!({"type": "task_complete", "turn_id": format!("c{number}")}));
                }
            }
            if step.how == How::Model {
                rollout.tokens();
            }
            let ends = |next: &crate::model::Step| matches!(next.how, How::Input | How::Compaction);
            if step.how == How::Model && timeline.steps.get(number + 1).is_none_or(ends) {
                rollout.event(&json!({"type": "task_complete", "turn_id": format!("t{turns}")}));
            }
        }
        rollout.records.file()
    }
}

/// What the harness tells the model first.
fn context() -> [Value; 2] {
    let rules = "<permissions instructions>\nYou may write under /srv/harbour.\n</permissions instructions>";
    let project = "# AGENTS.md instructions for /srv/harbour\n\nRun the tests before you say done.";
    [
        item("developer", "input_text", rules),
        item("user", "input_text", project),
    ]
}

fn item(role: &str, kind: &str, text: &str) -> Value {
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

#[derive(Default)]
struct Rollout {
    records: Records,
    seconds: usize,
    cached: usize,
    fresh: usize,
    total: usize,
}

impl Rollout {
    fn record(&mut self, kind: &str, payload: &Value) -> usize {
        self.seconds += 2;
        let (hours, minutes, seconds) = (8 + self.seconds / 3600, self.seconds / 60 % 60, self.seconds % 60);
        let time = format!("2026-05-04T{hours:02}:{minutes:02}:{seconds:02}.000Z");
        self.records
            .add(&json!({"timestamp": time, "type": kind, "payload": payload}))
    }

    fn event(&mut self, payload: &Value) {
        self.record("event_msg", payload);
    }

    fn message(&mut self, message: &Message) {
        self.fresh += 40 + message.text.len() / 4;
        let line = self.record("response_item", &told(message));
        self.records.lines.message(message.uid, line);
        match message.what {
            What::Question => self.event(&json!({"type": "user_message", "message": message.text, "images": []})),
            What::Answer => self.event(&json!({"type": "agent_message", "message": message.text})),
            _ => {}
        }
    }

    /// What a call cost.
    fn tokens(&mut self) {
        let (cached, input) = (self.cached, self.cached + self.fresh + 2_000);
        self.cached = input;
        self.fresh = 0;
        self.total += input + 60;
        let last = json!({"input_tokens": input, "cached_input_tokens": cached, "output_tokens": 60,
            "reasoning_output_tokens": 0, "total_tokens": input + 60});
        self.event(&json!({"type": "token_count", "info": {
            "total_token_usage": {"total_tokens": self.total}, "last_token_usage": last, "model_context_window": 200_000,
        }}));
    }

    fn compaction(&mut self, step: usize, list: &[Message], summary: &Message, whole: bool) {
        let payload = if whole {
            let left = list.iter().map(told);
            json!({"message": "", "replacement_history": context().into_iter().chain(left).collect::<Vec<_>>()})
        } else {
            json!({"message": summary.text})
        };
        let line = self.record("compacted", &payload);
        self.records.lines.step(step, line);
        self.event(&json!({"type": "context_compacted"}));
        (self.cached, self.fresh) = (0, 9_000);
    }
}

/// The item of a message.
fn told(message: &Message) -> Value {
    let text = &message.text;
    match message.what {
        What::System => unreachable!("the system prompt is not recorded"),
        What::Question => item("user", "input_text", text),
        What::Injection => item("developer", "input_text", text),
        What::Answer | What::Remark => item("assistant", "output_text", text),
        What::Call => json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": message.calls[0]}),
        What::Result => json!({"type": "function_call_output", "call_id": message.answers, "output": text}),
        What::Summary => json!({"type": "compaction", "encrypted_content": text}),
    }
}
