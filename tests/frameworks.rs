//! What the vocabulary says about each framework: code that cuts its history by a count speaks, and the
//! same code that cuts where a turn begins is silent.

#![allow(clippy::needless_raw_string_hashes, reason = "every row is written alike")]

mod support;

use std::fs;

use support::{folder, run};

/// Code of one framework.
struct Row {
    /// The name of the file.
    file: &'static str,
    /// The code, with `CUT` for what is left of the history.
    code: &'static str,
    /// What it cuts.
    history: &'static str,
    /// Whether a message `one` begins a turn.
    begins: &'static str,
}

const ROWS: &[Row] = &[
    Row {
        file: "pydantic_ai_processors.py",
        code: r#"
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart

def lately(given: list[ModelMessage]) -> list[ModelMessage]:
    return CUT

agent = Agent("some:model", history_processors=[lately])
"#,
        history: "given",
        begins: "isinstance(one, ModelRequest) and any(isinstance(part, UserPromptPart) for part in one.parts)",
    },
    Row {
        file: "adk_callback.py",
        code: r#"
from google.adk.agents import LlmAgent
from google.adk.models import LlmRequest
from google.genai.types import Content

def shorten(callback_context, llm_request: LlmRequest):
    said: list[Content] = llm_request.contents
    llm_request.contents = CUT

agent = LlmAgent(name="helper", before_model_callback=shorten)
"#,
        history: "said",
        begins: r#"one.role == "user" and not any(part.function_response for part in one.parts)"#,
    },
    Row {
        file: "autogen_client.py",
        code: r#"
from autogen_core.models import LLMMessage, UserMessage

class Notes:
    def __init__(self, model_client):
        self.model_client = model_client
        self.said: list[LLMMessage] = []

    async def reply(self, text: str):
        self.said.append(UserMessage(content=text, source="user"))
        return await self.model_client.create(CUT)
"#,
        history: "self.said",
        begins: "isinstance(one, UserMessage)",
    },
    Row {
        file: "agent_framework_client.py",
        code: r#"
from agent_framework import Message

async def reply(client, said: list[Message], text: str):
    said.append(Message("user", [text]))
    return await client.get_response(CUT)
"#,
        history: "said",
        begins: r#"one.role == "user""#,
    },
    Row {
        file: "semantic_kernel_service.py",
        code: r#"
from semantic_kernel.contents import AuthorRole, ChatHistory, ChatMessageContent

async def reply(service, said: list[ChatMessageContent], settings):
    return await service.get_chat_message_contents(ChatHistory(messages=CUT), settings)
"#,
        history: "said",
        begins: "one.role == AuthorRole.USER",
    },
    Row {
        file: "crewai_hook.py",
        code: r#"
from crewai.hooks import before_llm_call

@before_llm_call
def shorten(context):
    context.messages[:] = CUT
"#,
        history: "context.messages",
        begins: r#"one["role"] == "user""#,
    },
    Row {
        file: "strands_manager.py",
        code: r#"
from strands.agent.conversation_manager import ConversationManager

class Tail(ConversationManager):
    def reduce_context(self, agent, e=None, **kwargs):
        agent.messages[:] = CUT
"#,
        history: "agent.messages",
        begins: r#"one["role"] == "user" and not any("toolResult" in block for block in one["content"])"#,
    },
    Row {
        file: "smolagents_model.py",
        code: r#"
from smolagents import ChatMessage, MessageRole, Model

def reply(model: Model, said: list[ChatMessage]):
    return model.generate(CUT)
"#,
        history: "said",
        begins: "one.role == MessageRole.USER",
    },
    Row {
        file: "smolagents_steps.py",
        code: r#"
from smolagents import CodeAgent
from smolagents.memory import MemoryStep, TaskStep

def shorten(step: MemoryStep, agent: CodeAgent):
    steps: list[MemoryStep] = agent.memory.steps
    agent.memory.steps = CUT

agent = CodeAgent(tools=[], model=None, step_callbacks=[shorten])
"#,
        history: "steps",
        begins: "isinstance(one, TaskStep)",
    },
    Row {
        file: "letta_client_messages.py",
        code: r#"
from letta_client import MessageCreate

def reply(client, agent_id: str, said: list[MessageCreate]):
    return client.agents.messages.create(agent_id=agent_id, messages=CUT)
"#,
        history: "said",
        begins: r#"one.role == "user""#,
    },
    Row {
        file: "openai_agents_session.py",
        code: r#"
from agents import RunConfig, TResponseInputItem

def lately(old: list[TResponseInputItem], new: list[TResponseInputItem]) -> list[TResponseInputItem]:
    return CUT + new

config = RunConfig(session_input_callback=lately)
"#,
        history: "old",
        begins: r#"one.get("role") == "user""#,
    },
    Row {
        file: "mastra_processor.ts",
        code: r#"
import { MastraMessageV2 } from "@mastra/core/agent";
import type { Processor } from "@mastra/core/processors";

export class Tail implements Processor {
  processInput({ messages }: { messages: MastraMessageV2[] }): MastraMessageV2[] {
    return CUT;
  }
}
"#,
        history: "messages",
        begins: r#"one.role === "user""#,
    },
    Row {
        file: "gemini_cli_chat.ts",
        code: r#"
import type { GeminiClient, HistoryTurn } from "@google/gemini-cli-core";

export function reply(client: GeminiClient, said: HistoryTurn[]) {
  return client.generateContentStream({ contents: CUT });
}
"#,
        history: "said",
        begins: r#"one.content.role === "user" && !one.content.parts?.some((part) => part.functionResponse)"#,
    },
    Row {
        file: "langchain_middleware.ts",
        code: r#"
import { createMiddleware } from "langchain";
import { BaseMessage, HumanMessage } from "@langchain/core/messages";

export const tail = createMiddleware({
  wrapModelCall: (request, handler) => {
    const said: BaseMessage[] = request.messages;
    return handler({ ...request, messages: CUT });
  },
});
"#,
        history: "said",
        begins: "one instanceof HumanMessage",
    },
];

impl Row {
    fn is_python(&self) -> bool {
        self.file.ends_with("py")
    }

    fn broken(&self) -> String {
        let cut = if self.is_python() {
            format!("{}[-8:]", self.history)
        } else {
            format!("{}.slice(-8)", self.history)
        };
        self.code.replace("CUT", &cut)
    }

    fn mended(&self) -> String {
        let code = self.code.replace("CUT", &format!("whole_turns({})", self.history));
        let helper = if self.is_python() {
            r"
def whole_turns(items):
    start = max(len(items) - 8, 0)
    while start > 0:
        one = items[start]
        if BEGINS:
            break
        start -= 1
    return items[start:]
"
        } else {
            r"
function whole_turns(items) {
  let start = Math.max(items.length - 8, 0);
  while (start > 0) {
    const one = items[start];
    if (BEGINS) break;
    start -= 1;
  }
  return items.slice(start);
}
"
        };
        code + &helper.replace("BEGINS", self.begins)
    }
}

fn rules(file: &str, code: &str) -> Vec<String> {
    let folder = folder();
    fs::write(folder.path().join(file), code).expect("the folder of the test can be written");
    let run = run(folder.path(), &["check", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("the report is JSON");
    let findings = report["findings"].as_array().expect("findings is a list");
    findings.iter().map(|finding| finding["rule"].to_string()).collect()
}

#[test]
fn a_cut_by_count_is_reported_and_one_at_the_start_of_a_turn_is_not() {
    let mut wrong = Vec::new();
    for row in ROWS {
        let (broken, mended) = (rules(row.file, &row.broken()), rules(row.file, &row.mended()));
        if broken != ["\"mid-turn-cut\""] || !mended.is_empty() {
            wrong.push(format!("{}: broken {broken:?}, mended {mended:?}", row.file));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
