//! The forms in which a run is dumped, and which rule can judge which.
//!
//! The audit states it with every file, and `docs/formats.md` prints the same table.

use crate::outcome::Limit;
use crate::rule::{self, Rule};

/// One way of dumping a run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// The format's name on the command line.
    pub(crate) format: &'static str,
    /// What the form is called in prose.
    pub(crate) name: &'static str,
    /// How to recognise it, or how it is made.
    pub(crate) looks_like: &'static str,
    evidence: Evidence,
}

/// What a form lets one see of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Evidence {
    /// States, updates and inputs.
    Everything,
    /// The history as it grew, message by message, with what was done to it.
    Log,
    /// The same, without ids.
    BareLog,
    /// States one after another.
    States,
    /// Updates, and the inputs between them.
    UpdatesAndInputs,
    /// Updates; what the person said is missing.
    Updates,
    /// What the model said.
    ModelOutput,
    /// The list as it is at the end, with ids.
    List,
    /// The list as it is at the end, without ids.
    BareList,
    /// Whole lists as they were sent, without ids.
    Requests,
    /// Nothing of its own: it stands beside a transcript.
    Companion,
}

#[cfg(test)]
impl Evidence {
    const ALL: [Self; 11] = [
        Self::Everything,
        Self::Log,
        Self::BareLog,
        Self::States,
        Self::UpdatesAndInputs,
        Self::Updates,
        Self::ModelOutput,
        Self::List,
        Self::BareList,
        Self::Requests,
        Self::Companion,
    ];

    /// What `docs/formats.md` calls it.
    const fn name(self) -> &'static str {
        match self {
            Self::Everything => "everything",
            Self::Log => "log",
            Self::BareLog => "bare log",
            Self::States => "states",
            Self::UpdatesAndInputs => "updates and inputs",
            Self::Updates => "updates",
            Self::ModelOutput => "model output",
            Self::List => "list",
            Self::BareList => "bare list",
            Self::Requests => "requests",
            Self::Companion => "nothing",
        }
    }
}

/// Whether a rule can judge a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Yes,
    /// With a restriction.
    Partly(&'static str),
    /// Not at all, and why.
    No(&'static str),
}

macro_rules! forms {
    ($($name:ident = $format:literal, $title:literal, $looks_like:literal, $evidence:ident;)+) => {
        $(pub(crate) static $name: Form = Form {
            format: $format,
            name: $title,
            looks_like: $looks_like,
            evidence: Evidence::$evidence,
        };)+

        /// Every form that can be replayed.
        #[cfg(test)]
        static FORMS: &[&Form] = &[$(&$name),+];
    };
}

forms! {
    CLAUDE_CODE = "claude-code", "Claude Code session",
        "`{type, uuid, parentUuid, sessionId, message}` a line: `<session>.jsonl`, `agent-<id>.jsonl`", Log;
    CLAUDE_CODE_BESIDE = "claude-code", "files beside Claude Code sessions",
        "`agent-….meta.json`, `sessions-index.json`, `history.jsonl`", Companion;
    CONTINUE = "continue", "Continue session", "`{sessionId, history: [{message, contextItems}]}`", Log;
    CONTINUE_INDEX = "continue", "Continue's list of sessions", "`sessions.json`", Companion;
    COPILOT_TRANSCRIPT = "copilot-chat", "Copilot Chat transcript", "`{type, id, parentId, timestamp, data}` a line", Log;
    COPILOT_EXPORT = "copilot-chat", "exported Copilot chat", "`{requesterUsername, responderUsername, requests}`", List;
    COPILOT_SCRIPT = "copilot-chat", "scripted Copilot conversation", "`[{question, …}]`", BareList;
    ATIF = "atif", "ATIF trajectory", "`{schema_version, session_id, agent, steps}`", BareLog;
    SHAREGPT = "sharegpt", "ShareGPT conversations", "`{conversations: [{from, value}]}`, one or a line each", BareList;
    CODEX = "codex", "Codex rollout", "`{timestamp, type, payload}` a line: `rollout-….jsonl`, also compressed", Log;
    CODEX_BARE = "codex", "Codex rollout before September 2025", "a header `{id, timestamp, instructions}`, then an item a line", Log;
    PI = "pi", "pi session", "a `session` header, then `{type, id, parentId}` a line; also of openclaw and letta-code", Log;
    PI_BESIDE = "pi", "index of pi sessions", "openclaw's `sessions.json`", Companion;
    HERMES_STORE = "hermes", "Hermes store", "`state.db`, of SQLite, with the tables `sessions` and `messages`", List;
    HERMES_EXPORT = "hermes", "Hermes sessions", "`hermes sessions export`, a session a line, or a session's own log", List;
    HERMES_TRAJECTORY = "hermes", "Hermes trajectories",
        "`{conversations: [{from, value}], model, completed}` a line", BareList;
    AGNO = "agno", "Agno session", "`{session_id, runs: [{run_id, messages}]}`, or the table `agno_sessions`", List;
    AUTOGEN = "autogen", "AutoGen state", "`save_state()` of an agent (`llm_context`) or a team (`agent_states`)", BareList;
    PYDANTIC_AI = "pydantic-ai", "Pydantic AI messages",
        "`{kind: request or response, parts: [{part_kind}]}`, as a list or a line each", BareList;
    OPENAI_AGENTS_STORE = "openai-agents", "OpenAI Agents session",
        "the tables `agent_sessions` and `agent_messages` of SQLite, or their rows", List;
    OPENAI_AGENTS_ITEMS = "openai-agents", "OpenAI Agents items",
        "messages and `{type: function_call, call_id}` items, as a list or a line each", List;
    LETTA = "letta", "Letta agent", "an exported agent, `.af` of version 1 or 2", List;
    LETTA_API = "letta", "Letta messages", "`{message_type, …}`, as the API lists them, newest first or last", BareList;
    OPENHANDS_EVENTS = "openhands", "OpenHands events",
        "`{kind: …Event, source, timestamp}`, a line each or `events/event-….json`", Log;
    OPENHANDS_OLD = "openhands", "OpenHands V0 history",
        "`{action, args}` and `{observation, …}`, as a list, a line each or in `history`", Log;
    OPENHANDS_CALLS = "openhands", "OpenHands LLM log", "`{messages, response, kwargs, cost}`, a call a file", Requests;
    OPENHANDS_STATE = "openhands", "OpenHands base state", "`base_state.json` beside the events", Companion;
    SWE_AGENT = "swe-agent", "SWE-agent trajectory", "`{history, trajectory, info}`: `….traj`", BareList;
    MINI_SWE_AGENT = "mini-swe-agent", "mini-SWE-agent trajectory",
        "`{info, messages, trajectory_format}`, or a list named `….traj.json`", BareList;
    ADK = "adk", "ADK session", "`{appName, userId, events}`, of both generations, or the table `events`", Log;
    INSPECT = "inspect", "Inspect log", "`{eval, plan, samples}`, or an `.eval` archive", List;
    GEMINI_CLI = "gemini-cli", "Gemini CLI session", "a header `{sessionId, projectHash, …}`, then `{id, timestamp, type, content}`, `{$set}` or `{$rewindTo}` a line", Log;
    GEMINI_CLI_DOCUMENT = "gemini-cli", "Gemini CLI session in one document", "`{sessionId, projectHash, messages: [{id, type, content}]}`", List;
    GEMINI_CLI_LOG = "gemini-cli", "Gemini CLI prompts", "`{sessionId, messageId, type, message}`, as a list: `logs.json`", Companion;
    CLINE = "cline", "Cline task", "`{role, content}` with `<environment_details>` blocks, as a list: `api_conversation_history.json`", BareList;
    CLINE_SDK = "cline", "Cline session", "`{version, updated_at, sessionId, messages, system_prompt}`: `….messages.json`", List;
    CLINE_COMPACTION = "cline", "Cline compaction", "the same with `source_message_count`: what a compaction left", List;
    CLINE_UI = "cline", "Cline messages on screen", "`{ts, type, say}` or `{ts, type, ask}`, as a list: `ui_messages.json`", Companion;
    CLINE_HEADER = "cline", "Cline session without messages", "`{session_id, messages_path}`, a list of tasks, or what files a task looked at", Companion;
    ROO = "roo", "Roo Code task", "`{role, content, ts}` with `isSummary`, `condenseParent`, `truncationParent` or the details of a mode, as a list", BareList;
    ROO_UI = "roo", "Roo Code messages on screen", "`{ts, type, say, contextCondense}`, as a list: `ui_messages.json`", Companion;
    OPENCODE = "opencode", "opencode store", "a folder with `session/…/ses_….json`, `message/ses_…/msg_….json` and `part/msg_…/prt_….json`; also Kilo's", Log;
    OPENCODE_EXPORT = "opencode", "opencode export", "`{info, messages: [{info, parts}]}`", Log;
    OPENCODE_DATABASE = "opencode", "opencode database", "`opencode.db`, with tables `session`, `message` and `part`", Log;
    GOOSE = "goose", "goose session", "a header `{working_dir, message_count, …}`, then `{role, created, content, metadata}` a line", List;
    GOOSE_DATABASE = "goose", "goose database", "`sessions.db`, with tables `sessions` and `messages`", List;
    GOOSE_RECORDING = "goose", "goose provider recording", "`{hash: {input: {system, messages, tools}, output}}`", Requests;
    MASTRA = "mastra", "Mastra messages", "`{id, threadId, role, createdAt, content: {format, parts}}`, as a list, a line each, or rows of `mastra_messages`", List;
    VERCEL_UI = "vercel-ai", "AI SDK interface messages", "`{id, role, parts}` with typed parts, as a list, a line each or under `messages`", List;
    VERCEL_MODEL = "vercel-ai", "AI SDK model messages", "`{role, content}` with `tool-call` and `tool-result` parts", BareList;
    QWEN_CODE = "qwen-code", "Qwen Code session", "`{uuid, parentUuid, sessionId, type, message: {role, parts}}` a line", Log;
    UPDATES = "langgraph", "updates stream", "`{node: update}` a line", Updates;
    UPDATES_WITH_INPUT = "langgraph", "updates stream with inputs",
        "the same, with a `{\"__input__\": …}` line before each turn", UpdatesAndInputs;
    VALUES = "langgraph", "values stream", "`{\"messages\": […]}` a line: the whole state after each step", States;
    UPDATES_AND_VALUES = "langgraph", "updates and values",
        "`[mode, payload]`, `[namespace, mode, payload]` or `{event, data}` a line", Everything;
    CHECKPOINTS = "langgraph", "checkpoints stream", "`{config, metadata, values, next, tasks}` a line", States;
    TASKS = "langgraph", "tasks stream", "`{id, name, input, triggers}` and `{id, name, result}` lines", Everything;
    DEBUG = "langgraph", "debug stream", "`{type, payload}` a line, of types `checkpoint`, `task` and `task_result`", Everything;
    EVENTS = "langgraph", "astream_events", "`{event: on_chain_…, data, run_id}` a line", UpdatesAndInputs;
    MESSAGES = "langgraph", "messages stream", "`[message, metadata]` a line", ModelOutput;
    HISTORY = "langgraph", "state history",
        "`get_state_history`, `getStateHistory` or `threads.get_history`, newest first", Everything;
    MESSAGE_LIST = "langgraph", "message list",
        "`model_dump`, `messages_to_dict` or `lc: 1` messages, as a list, a line each or in a state object", List;
    TUPLES = "langgraph", "checkpoint tuples",
        "`{config, checkpoint, metadata, pending_writes}` a line: what `saver.list()` gives, newest first", Everything;
    SAVER = "langgraph", "SQLite checkpointer", "a database with the tables `checkpoints` and `writes`", Everything;
    ROWS = "langgraph", "rows of a checkpointer",
        "`{table, thread_id, checkpoint_id, …}` a line, of SQLite or Postgres, blobs as base64 or hex", Everything;
    SERIALISED = "langgraph", "serialised messages", "`{\"type\": \"msgpack\", \"hex\": …}` a line", List;
    RUNS = "langgraph", "LangSmith runs",
        "`{run_type, inputs, outputs, dotted_order}`, a line each, as a list, under `runs`, or in batches `{post, patch}`",
        Everything;
    FOLD_ROWS = "langgraph", "rows to fold", "`{left, updates}` a line, as `ctxlint fold` reads them", Companion;
    PLATFORM_RUNS = "langgraph", "runs of a thread", "`{run_id, thread_id, assistant_id, kwargs}` as a list: `runs.list`", Companion;
    PROMPTS = "langgraph", "LangSmith model runs", "the same, where only runs of models are recorded", Requests;
    CHAT_LIST_WITH_IDS = "openai-chat", "chat messages with ids", "`{role, content, id}`, as a list or a line each", List;
    CHAT_LIST = "openai-chat", "chat messages", "`{role, content}`, as a list or a line each", BareList;
    CHAT_REQUESTS = "openai-chat", "chat requests", "`{\"messages\": […]}` with roles, one or a line each", Requests;
    ANTHROPIC_LIST = "anthropic-batch", "Anthropic messages",
        "`{role, content}` with `tool_use` or `tool_result` blocks, as a list or a line each", BareList;
    ANTHROPIC_REQUESTS = "anthropic-batch", "Anthropic requests",
        "`{\"system\": …, \"messages\": […]}`, one or a line each, also as `params` of a batch", Requests;
    ANTHROPIC_RESULTS = "anthropic-batch", "results of an Anthropic batch", "`{custom_id, result: {type, message}}` a line", BareList;
    RESPONSES = "openai-responses", "OpenAI requests and responses",
        "`{model, input}` and `{\"object\": \"response\", output}`, alone, in turn or as `{request, response}`", Requests;
    RESPONSES_ITEMS = "openai-responses", "items of an OpenAI conversation", "`{\"object\": \"list\", \"data\": […]}` with items", List;
    OPENAI_BATCH = "openai-batch", "OpenAI batch", "`{custom_id, url, body}` or `{custom_id, response, error}` a line", Requests;
    LITELLM = "litellm", "LiteLLM payloads", "`{call_type, messages, response, trace_id}`, as a list or a line each", Requests;
    LANGFUSE = "langfuse", "Langfuse observations",
        "`{traceId, type, startTime, input, output}`, as a list, a line each or in a trace", Requests;
    OTEL = "otel-genai", "OpenTelemetry spans or logs",
        "`gen_ai.…` or `llm.…` attributes in spans or log events, also as `resourceSpans`", Requests;
    OTEL_SCHEMA = "otel-genai", "schema of the attributes", "the JSON schema of `gen_ai.input.messages`", Companion;
    LOG_WITH_IDS = "generic", "home-made log with ids", "a message a record, as an adapter with `id` tells", List;
    LOG = "generic", "home-made log", "a message a record, as an adapter tells", BareList;
    LOG_OF_STATES = "generic", "home-made states", "a list a record, as an adapter with `messages` and `id` tells", States;
    LOG_OF_REQUESTS = "generic", "home-made requests", "a list a record, as an adapter with `messages` tells", Requests;
}

const NO_INPUT: &str = "the person's input is missing, so where older messages stand is not known";
const SHOWN_ONLY: &str = "only among messages that the stream has shown";
const STATES_ONLY: &str =
    "a state shows what is there, not what a node returned; an update without effect leaves no trace";
const END_ONLY: &str = "only the end of the run is recorded, not what came before it";
const MODEL_ONLY: &str = "it holds what the model said, not what stands in the history";
const SENT_ONLY: &str = "a request shows what was sent, not what is stored";
const STORED_ONLY: &str = "it holds what is stored, not what was sent";
const LOGGED: &str = "a log holds what was added, not what was tried without effect";
const BESIDE: &str = "it stands beside a transcript and is read for what it is";
const UNLINKED: &str = "nothing in it links its records";
const UNCOMPACTED: &str = "it does not tell a compaction from other changes";
const NO_IDS: &str = "messages without ids cannot change theirs";

/// Rules whose evidence in transcripts is what two runs differ in; no form shows it alone.
const OF_TWO_RUNS: [&Rule; 1] = [&rule::REWRITTEN_PREFIX];

/// The rules that see their evidence in a transcript, in the order of the table, without housekeeping.
pub(crate) fn rules() -> impl Iterator<Item = &'static Rule> {
    let seen =
        |rule: &&Rule| rule.witness().contains(&crate::finding::Witness::Transcript) && !OF_TWO_RUNS.contains(rule);
    rule::RULES
        .iter()
        .copied()
        .filter(seen)
        .filter(|rule| rule.family() != "housekeeping")
}

impl Form {
    /// Whether the provider whose form it is takes system text in front of the conversation only.
    pub(crate) fn system_comes_first(&self) -> bool {
        self.format == "anthropic-batch"
    }

    /// Whether each recorded list is what one request sent.
    pub(crate) fn shows_requests(&self) -> bool {
        self.evidence == Evidence::Requests
    }

    /// Whether `rule` can judge runs in this form.
    pub(crate) fn verdict(&self, rule: &Rule) -> Verdict {
        use Evidence as E;
        use Verdict::{No, Partly, Yes};
        let evidence = self.evidence;
        let is_end = matches!(evidence, E::List | E::BareList);
        match (rule.id(), evidence) {
            (_, E::Companion) => return No(BESIDE),
            ("broken-chain" | "lost-tail" | "compaction-loop", E::Log | E::BareLog) => return Yes,
            ("unordered-replay", E::Log | E::BareLog | E::List | E::BareList) => return Yes,
            ("unordered-replay", _) => return No("the order is recorded, not read back"),
            ("broken-chain", _) => return No(UNLINKED),
            ("lost-tail" | "compaction-loop", E::List | E::BareList) => return Partly("where it tells of compactions"),
            ("lost-tail" | "compaction-loop", _) => return No(UNCOMPACTED),
            _ => {}
        }
        if matches!(rule.id(), "merged-injection" | "misplaced-breakpoint") {
            return match evidence {
                E::Requests => Yes,
                E::Everything | E::List => Partly("where the runs of models are recorded with what they were sent"),
                E::Companion => No(BESIDE),
                E::ModelOutput => No(MODEL_ONLY),
                _ => No(STORED_ONLY),
            };
        }
        if matches!(evidence, E::Everything | E::UpdatesAndInputs) {
            return Yes;
        }
        if evidence == E::ModelOutput {
            let pairs = rule == &rule::SPLIT_TOOL_PAIR;
            return if pairs {
                Partly("only calls and results that were streamed")
            } else {
                No(MODEL_ONLY)
            };
        }
        match rule.id() {
            "ignored-insert" | "ignored-trim" => match evidence {
                E::Updates => Partly(SHOWN_ONLY),
                E::Requests => No(SENT_ONLY),
                E::Log | E::BareLog => No(LOGGED),
                _ => No(STATES_ONLY),
            },
            "id-swap" => match evidence {
                E::Updates => Partly("as a warning where the place of the message whose id is taken is not known"),
                E::List => Partly("by a derived id that stands behind a later question"),
                E::BareList | E::BareLog | E::Requests => No(NO_IDS),
                _ => Yes,
            },
            "reminted-ids" => match evidence {
                E::Updates => Partly(SHOWN_ONLY),
                E::BareList | E::BareLog | E::Requests => No(NO_IDS),
                E::List => No(END_ONLY),
                _ => Yes,
            },
            "displaced-question" | "reordered-history" if evidence == E::Updates => Partly(NO_INPUT),
            "reordered-history" if *self == HERMES_TRAJECTORY => {
                Partly("where the question that was asked last stands first")
            }
            "displaced-question" | "reordered-history" | "mid-turn-cut" | "dropped-system" if is_end => No(END_ONLY),
            "mid-turn-cut" | "dropped-system" | "duplicate-message" | "split-tool-pair" if evidence == E::Updates => {
                Partly(SHOWN_ONLY)
            }
            "unstable-summary" if is_end => No(END_ONLY),
            "unstable-summary" if matches!(evidence, E::Log | E::BareLog) => Partly("where a compaction is told twice"),
            "skipped-injection" if evidence == E::Updates => Partly("turns are told apart by complete answers"),
            "skipped-injection" if is_end => No("when an injection came is not recorded"),
            "system-after-history" => match evidence {
                E::Requests | E::BareList => Partly("where the form or its calls name a provider that wants it first"),
                _ => No("the harness that reads it brings it into the order that its provider wants"),
            },
            "unmarked-injection" if is_end || evidence == E::Requests => {
                Partly("by how a text begins, and by a long one that stands beside the person's words in several turns")
            }
            "persisted-state" if evidence == E::Requests => No(SENT_ONLY),
            _ => Yes,
        }
    }

    /// Whether its harness only ever adds records behind those that are there, so that an older copy is the beginning
    /// of every later one.
    ///
    /// Sources: those that the module of each format names; for Codex also two recorded copies of one session.
    pub(crate) fn only_grows(&self) -> bool {
        let grow = [
            &CLAUDE_CODE,
            &CODEX,
            &CODEX_BARE,
            &PI,
            &GEMINI_CLI,
            &QWEN_CODE,
            &OPENHANDS_EVENTS,
            &COPILOT_TRANSCRIPT,
        ];
        grow.contains(&self)
    }

    /// Whether everything that was said is in it: what is missing in another one's history is missing in the run.
    pub(crate) fn shows_everything(&self) -> bool {
        use Evidence as E;
        !matches!(self.evidence, E::Updates | E::ModelOutput | E::Companion)
    }

    /// The rules that cannot judge this form, or only in part.
    pub(crate) fn limits(&self) -> Vec<Limit> {
        let limit = |rule: &'static Rule| {
            let (in_part, why) = match self.verdict(rule) {
                Verdict::Yes => return None,
                Verdict::Partly(how) => (true, how),
                Verdict::No(why) => (false, why),
            };
            Some(Limit { rule, in_part, why })
        };
        rules().filter_map(limit).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, FORMS, Form, Verdict, rules};

    /// The tables of `docs/formats.md`: the forms, and for each what limits its rules.
    fn tables() -> String {
        let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        let mut text = row(&words(&["form", "`--input-format`", "looks like", "shows"])) + &row(&words(&["---"; 4]));
        for form in FORMS {
            let flag = match form.format {
                "generic" => "the adapter's name".to_owned(),
                format => format!("`{format}`"),
            };
            text += &row(&words(&[form.name, &flag, form.looks_like, form.evidence.name()]));
        }
        let mut head = words(&["rule"]);
        // One form of each kind stands for all: the verdict looks at nothing else.
        let kinds = Evidence::ALL.map(|kind| FORMS.iter().find(|form| form.evidence == kind));
        let kinds: Vec<&Form> = kinds.into_iter().flatten().copied().collect();
        head.extend(kinds.iter().map(|form| form.evidence.name().to_owned()));
        text = text + "\n" + &row(&head) + &row(&vec!["---".to_owned(); head.len()]);
        let mut reasons: Vec<&str> = Vec::new();
        for rule in rules() {
            let mut cells = vec![format!("`{}`", rule.id())];
            for form in &kinds {
                let (word, reason) = match form.verdict(rule) {
                    Verdict::Yes => ("yes", None),
                    Verdict::Partly(reason) => ("in part", Some(reason)),
                    Verdict::No(reason) => ("no", Some(reason)),
                };
                let mark = reason.map(|reason| {
                    let known = reasons.iter().position(|known| *known == reason);
                    known.unwrap_or_else(|| {
                        reasons.push(reason);
                        reasons.len() - 1
                    })
                });
                cells.push(mark.map_or(word.to_owned(), |mark| format!("{word} ({})", mark + 1)));
            }
            text += &row(&cells);
        }
        let notes: Vec<_> = reasons
            .iter()
            .enumerate()
            .map(|(number, reason)| format!("{}. {reason}\n", number + 1))
            .collect();
        text = text + "\n" + &notes.concat();
        text
    }

    #[test]
    fn the_documentation_says_what_the_code_does() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md");
        let page = std::fs::read_to_string(&path).expect("docs/formats.md is there");
        let (begin, end) = ("<!-- tables -->\n", "<!-- end of tables -->");
        let (before, rest) = page.split_once(begin).expect("the page marks where its tables begin");
        let (written, after) = rest.split_once(end).expect("the page marks where its tables end");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let page = format!("{before}{begin}{}{end}{after}", tables());
            std::fs::write(&path, page).expect("the page can be written");
        } else {
            assert_eq!(written, tables(), "UPDATE_DOCS=1 cargo test writes the tables anew");
        }
    }

    #[test]
    fn every_rule_can_judge_some_form_fully() {
        for rule in rules() {
            assert!(
                FORMS.iter().any(|form| form.verdict(rule) == Verdict::Yes),
                "{}",
                rule.id()
            );
        }
    }
}
