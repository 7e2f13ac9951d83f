//! What is measured, made from a fixed seed: two runs do the same work.

use std::fmt::Write;

use ctxlint::history::entry::{Entry, Removal};
use serde_json::{Value, json};

use super::random::Random;

pub(crate) const SEED: u64 = 7;

const WORDS: &str = "river stone ledger copper window market garden signal harbour winter engine letter valley bridge \
    candle meadow return import value index buffer result branch thread handle parser module record length offset";

/// About `size` bytes of prose with line breaks, as tools print it.
pub(crate) fn prose(random: &mut Random, size: usize) -> String {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let mut text = String::new();
    while text.len() < size {
        text.push_str(words[random.below(words.len())]);
        text.push(if random.below(8) == 0 { '\n' } else { ' ' });
    }
    text
}

/// A message as a replay has it: what the reducer goes by and a number for the rest.
#[derive(Clone)]
pub(crate) struct Message {
    id: Option<u64>,
    removal: Removal,
}

impl Entry for Message {
    type Id = u64;

    fn id(&self) -> Option<&u64> {
        self.id.as_ref()
    }

    fn set_id(&mut self, id: u64) {
        self.id = Some(id);
    }

    fn removal(&self) -> Removal {
        self.removal
    }
}

/// Updates of which most append, some write an older message anew, and few remove one.
pub(crate) fn updates(count: u64) -> Vec<Vec<Message>> {
    let random = &mut Random::new(SEED);
    let mut live: Vec<u64> = Vec::new();
    let message = |id, removal| vec![Message { id: Some(id), removal }];
    let update = |number: u64| match random.below(100) {
        0 if !live.is_empty() => message(live.swap_remove(random.below(live.len())), Removal::One),
        1..10 if !live.is_empty() => message(live[random.below(live.len())], Removal::No),
        10..20 => vec![Message {
            id: None,
            removal: Removal::No,
        }],
        _ => {
            live.push(number);
            message(number, Removal::No)
        }
    };
    (0..count).map(update).collect()
}

/// A session of Claude Code: questions, calls of tools with their results, answers; each line names the one before.
pub(crate) fn session(turns: usize) -> String {
    let random = &mut Random::new(SEED);
    let (mut text, mut number, mut parent) = (String::new(), 0, Value::Null);
    let mut line = |kind: &str, message: Value| {
        let id = format!("{number:08x}-0000-4000-8000-000000000001");
        let record = json!({
            "parentUuid": parent, "isSidechain": false, "userType": "external", "cwd": "/srv/app",
            "sessionId": "5d0c0000-0000-4000-8000-000000000001", "version": "2.1.100", "type": kind,
            "message": message, "uuid": id,
            "timestamp": format!("2026-04-01T09:{:02}:{:02}.000Z", number / 60 % 60, number % 60),
        });
        let _ = writeln!(text, "{record}");
        parent = id.into();
        number += 1;
    };
    let usage = json!({"input_tokens": 4, "cache_read_input_tokens": 90_000, "cache_creation_input_tokens": 9, "output_tokens": 90});
    for turn in 0..turns {
        line(
            "user",
            json!({"role": "user", "content": format!("question {turn}: {}", prose(random, 120))}),
        );
        for step in 0..4 + random.below(8) {
            let call = format!("toolu_{turn}_{step}");
            let input = json!({"path": prose(random, 40)});
            line(
                "assistant",
                json!({
                    "id": format!("msg_{turn}_{step}"), "role": "assistant", "model": "claude-opus-4-5", "usage": usage,
                    "content": [{"type": "tool_use", "id": call, "name": "Read", "input": input}],
                }),
            );
            // Most outputs are short, a few long.
            let size = 500 << random.below(7);
            let content = format!("{turn} {step} {}", prose(random, size));
            line(
                "user",
                json!({
                    "role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": content}],
                }),
            );
        }
        line(
            "assistant",
            json!({
                "id": format!("msg_{turn}"), "role": "assistant", "model": "claude-opus-4-5", "usage": usage,
                "content": [{"type": "text", "text": format!("answer {turn}: {}", prose(random, 400))}],
            }),
        );
    }
    text
}

/// A language, what files are called in it, and parts that a file is made of: one that speaks to a model, and one that
/// does not. `{n}` is the part's number.
pub(crate) struct Made {
    pub(crate) language: &'static str,
    pub(crate) name: &'static str,
    pub(crate) head: &'static str,
    pub(crate) agent: &'static str,
    pub(crate) plain: &'static str,
}

pub(crate) const MADE: [Made; 3] = [
    Made {
        language: "Python",
        name: "agent.py",
        head: "from typing import Any\n",
        agent: r#"

class Session{n}:
    def __init__(self, client: Any) -> None:
        self.client = client
        self.messages: list[dict[str, Any]] = []

    def ask(self, question: str) -> str:
        for message in self.messages:
            if message["role"] == "user":
                message["content"] += f"\n<note>step_{n}</note>"
                break
        self.messages.append({"role": "user", "content": question})
        reply = self.client.chat.completions.create(model="m", messages=self.messages[-40:])
        self.messages.append({"role": "assistant", "content": reply.text})
        return reply.text
"#,
        plain: r"

def step_{n}(rows: list[int], limit: int) -> int:
    total = 0
    for row in rows:
        if row > limit:
            total += row * {n}
        else:
            total -= row
    return total
",
    },
    Made {
        language: "Rust",
        name: "agent.rs",
        head: "use serde_json::{Value, json};\n",
        agent: r#"
pub struct Session{n} {
    client: Client,
    messages: Vec<Value>,
}

impl Session{n} {
    pub async fn ask(&mut self, question: &str) -> Result<String, Error> {
        if let Some(at) = self.messages.iter().position(|message| message["role"] == "user") {
            self.messages.insert(at, json!({"role": "user", "content": "<note>step_{n}</note>"}));
        }
        self.messages.push(json!({"role": "user", "content": question}));
        let reply = self.client.chat().create(&self.messages).await?;
        self.messages.push(json!({"role": "assistant", "content": reply.text}));
        Ok(reply.text)
    }
}
"#,
        plain: r"
fn step_{n}(rows: &[i64], limit: i64) -> i64 {
    let mut total = 0;
    for row in rows {
        if *row > limit {
            total += row * {n};
        } else {
            total -= row;
        }
    }
    total
}
",
    },
    Made {
        language: "TypeScript",
        name: "agent.ts",
        head: "import OpenAI from \"openai\";\n",
        agent: r#"
export class Session{n} {
  private messages: OpenAI.ChatCompletionMessageParam[] = [];

  constructor(private readonly client: OpenAI) {}

  async ask(question: string): Promise<string> {
    const at = this.messages.findIndex((message) => message.role === "user");
    this.messages.splice(at, 0, { role: "user", content: `<note>step_{n}</note>` });
    this.messages.push({ role: "user", content: question });
    const reply = await this.client.chat.completions.create({ model: "m", messages: this.messages.slice(-40) });
    this.messages.push({ role: "assistant", content: reply.choices[0].message.content });
    return reply.choices[0].message.content ?? "";
  }
}
"#,
        plain: r"
export function step_{n}(rows: number[], limit: number): number {
  let total = 0;
  for (const row of rows) {
    if (row > limit) {
      total += row * {n};
    } else {
      total -= row;
    }
  }
  return total;
}
",
    },
];

impl Made {
    /// A file of so many parts, of which about every fourth speaks to a model.
    pub(crate) fn file(&self, parts: usize) -> String {
        let random = &mut Random::new(SEED);
        let part = |n: usize| {
            let part = if random.below(4) == 0 { self.agent } else { self.plain };
            part.replace("{n}", &n.to_string())
        };
        self.head.to_owned() + &(1..=parts).map(part).collect::<String>()
    }
}
