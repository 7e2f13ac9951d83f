//! What the vocabulary says about each framework: code that cuts its history by a count, or says what
//! changes in its prompt, speaks; its mended twin is silent, and so is the same code where the words come
//! from a module that nobody knows.

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
    context.executor.messages[:] = CUT
"#,
        history: "context.executor.messages",
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

def lately(said: list[MessageCreate]) -> list[MessageCreate]:
    return CUT
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
        file: "mastra_agent.ts",
        code: r#"
import type { Agent, MastraDBMessage } from "@mastra/core/agent";

export function reply(agent: Agent, said: MastraDBMessage[]) {
  return agent.generate(CUT);
}
"#,
        history: "said",
        begins: r#"one.role === "user""#,
    },
    Row {
        file: "vercel_text.ts",
        code: r#"
import { generateText, type ModelMessage } from "ai";

export function reply(model, said: ModelMessage[]) {
  return generateText({ model, messages: CUT });
}
"#,
        history: "said",
        begins: r#"one.role === "user""#,
    },
    Row {
        file: "haystack_generator.py",
        code: r#"
from haystack.dataclasses import ChatMessage, ChatRole

def reply(generator, said: list[ChatMessage]):
    return generator.run(CUT)
"#,
        history: "said",
        begins: "one.role == ChatRole.USER",
    },
    Row {
        file: "llama_index_llm.py",
        code: r#"
from llama_index.core.llms import LLM, ChatMessage, MessageRole

async def reply(llm: LLM, said: list[ChatMessage]):
    return await llm.achat(CUT)
"#,
        history: "said",
        begins: "one.role == MessageRole.USER",
    },
    Row {
        file: "agno_run.py",
        code: r#"
from agno.agent import Agent
from agno.models.message import Message

def reply(agent: Agent, said: list[Message]):
    return agent.run(CUT)
"#,
        history: "said",
        begins: r#"one.role == "user""#,
    },
    Row {
        file: "openai_responses.py",
        code: r#"
from openai.types.responses import ResponseInputItemParam

def reply(client, said: list[ResponseInputItemParam]):
    return client.responses.create(model="some", input=CUT)
"#,
        history: "said",
        begins: r#"one.get("role") == "user""#,
    },
    Row {
        file: "google_genai.py",
        code: r#"
from google.genai import types

def reply(client, said: list[types.Content]):
    return client.models.generate_content(model="some", contents=CUT)
"#,
        history: "said",
        begins: r#"one.role == "user" and not any(part.function_response for part in one.parts)"#,
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

/// Code of one framework that another rule speaks of.
struct Twins {
    /// The name of the file.
    file: &'static str,
    /// The code, with `WRONG` in the place of the fault.
    code: &'static str,
    /// What stands there.
    wrong: &'static str,
    /// What should stand there.
    right: &'static str,
    /// The rule.
    rule: &'static str,
}

const TWINS: &[Twins] = &[
    Twins {
        file: "autogen_assistant.py",
        code: r#"
from autogen_agentchat.agents import AssistantAgent

def helper(client, names: set[str], known):
    return AssistantAgent("helper", model_client=client, tools=[known[name] for name in WRONG])
"#,
        wrong: "names",
        right: "sorted(names)",
        rule: "unordered-prefix",
    },
    Twins {
        file: "hermes_memory.py",
        code: r#"
import os

from agent.memory_provider import MemoryProvider

class Garden(MemoryProvider):
    def system_prompt_block(self):
        return f"There are notes about WRONG."
"#,
        wrong: "{os.getcwd()}",
        right: "the garden",
        rule: "volatile-prefix",
    },
    Twins {
        file: "agno_context.py",
        code: r#"
import os

from agno.agent import Agent

helper = Agent(name="helper", additional_context=f"There are notes about WRONG.")
"#,
        wrong: "{os.getcwd()}",
        right: "the garden",
        rule: "volatile-prefix",
    },
    Twins {
        file: "agno_rules.py",
        code: r#"
from datetime import datetime

from agno.agent import Agent

def told():
    return f"You look after the garden. WRONG"

helper = Agent(name="helper", system_message=told)
"#,
        wrong: "It is {datetime.now()}.",
        right: "It is large.",
        rule: "volatile-prefix",
    },
    Twins {
        file: "rig_history.rs",
        code: r#"
use rig::message::Message;

fn lately(said: Vec<Message>) -> Vec<Message> {
    WRONG
}
"#,
        wrong: "said[said.len().saturating_sub(8)..].to_vec()",
        right: "said",
        rule: "mid-turn-cut",
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

/// The same code where the words of the framework come from a module that nobody knows, and no class is one
/// of the framework's.
fn from_elsewhere(code: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in code.lines() {
        let python = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "));
        let script = line.split_once(" from \"");
        if let Some((class, _)) = line.strip_prefix("class ").and_then(|rest| rest.split_once('(')) {
            lines.push(format!("class {class}:"));
            continue;
        }
        lines.push(match (python, script, line.strip_prefix("use ")) {
            (Some((_, names)), ..) => format!("from elsewhere import {names}"),
            (_, Some((names, _)), _) => format!("{names} from \"elsewhere\";"),
            (.., Some(path)) => format!("use elsewhere::{path}"),
            _ => line.to_owned(),
        });
    }
    lines.join("\n")
}

/// What is wrong about one piece of code and its twin.
fn judge(file: &str, broken: &str, mended: &str, rule: &str) -> Option<String> {
    let foreign = rules(file, &from_elsewhere(broken));
    let (broken, mended) = (rules(file, broken), rules(file, mended));
    let right = broken == [format!("\"{rule}\"")] && mended.is_empty() && foreign.is_empty();
    (!right).then(|| format!("{file}: broken {broken:?}, mended {mended:?}, from elsewhere {foreign:?}"))
}

#[test]
fn a_cut_by_count_is_reported_and_one_at_the_start_of_a_turn_is_not() {
    let wrong: Vec<String> = ROWS
        .iter()
        .filter_map(|row| judge(row.file, &row.broken(), &row.mended(), "mid-turn-cut"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_only_the_words_of_a_framework_tell_is_reported_and_its_mend_is_not() {
    let wrong: Vec<String> = TWINS
        .iter()
        .filter_map(|twins| {
            let of = |text| twins.code.replace("WRONG", text);
            judge(twins.file, &of(twins.wrong), &of(twins.right), twins.rule)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
