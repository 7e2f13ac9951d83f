//! Logs of requests: which requests go on with one another, and what they and their answers say.

use std::sync::Arc;

use super::counts::{self, Counted, Counts};
use super::{Sink, encoding, sent};
use crate::transcript::event::{Caching, Call, Prompt, What};
use crate::transcript::json::{self, Locator, Object, Raw};
use crate::transcript::message::{self, Draft, Kind, Place, Role};
use crate::transcript::reader::{Record, Spot};

/// How many conversations are followed at once; a log may hold any number, one after the other.
const LIVE: usize = 64;

/// The conversations of a log.
#[derive(Debug, Default)]
pub(super) struct Conversations {
    /// The one that spoke last stands last.
    live: Vec<Conversation>,
    begun: usize,
}

/// A whole request.
#[derive(Debug, Default)]
pub(super) struct Request<'a> {
    /// The session, trace or file that the log names.
    pub(super) group: &'a str,
    /// The agent, node or step that sent it, where the log says.
    pub(super) sender: Option<Arc<str>>,
    pub(super) messages: Vec<Draft>,
    /// Hash of the tools that it offers, where they are recorded.
    pub(super) tools: Option<u64>,
    /// The model that it asks, where that is recorded.
    pub(super) model: Option<Arc<str>>,
}

#[derive(Debug)]
struct Conversation {
    group: Box<str>,
    sender: Option<Arc<str>>,
    thread: Arc<str>,
    /// How the system prompt of its last request begins; empty without one.
    system: Box<str>,
    /// Contents of its last request, without system messages.
    said: Vec<u64>,
    /// Contents of what was answered to it.
    answered: Vec<u64>,
    /// An id by which a later request may say that it goes on.
    last: Option<Box<str>>,
    /// Whether a request was made and not answered yet.
    waits: bool,
}

impl Conversation {
    /// Whether a request goes on with what was said: it begins with the same message, keeps at least half, or begins
    /// with two messages or more that stood at the end, as a cut leaves them; a summary and a note may stand before
    /// them. What has another system prompt is of another agent.
    fn continues(&self, system: &str, said: &[u64]) -> bool {
        let of_another = !self.system.is_empty() && !system.is_empty() && !message::alike(&self.system, system);
        if of_another {
            return false;
        }
        let kept = self.said.iter().filter(|content| said.contains(content)).count();
        let begins_alike = said.len() > 1 && self.said.first() == said.first();
        let begins_with_end = || {
            let all = [&*self.said, &*self.answered].concat();
            let most = all.len().min(said.len());
            let ends =
                |from: usize| (2..=most).any(|many| said.get(from..from + many).is_some_and(|end| all.ends_with(end)));
            (0..3).any(ends)
        };
        kept > 0 && (begins_alike || 2 * kept >= self.said.len() || begins_with_end())
    }
}

impl Conversations {
    /// Takes a whole request; its thread.
    pub(super) fn request(&mut self, request: Request<'_>, sink: &mut Sink<'_, '_>) -> Arc<str> {
        let Request {
            group,
            sender,
            messages,
            tools,
            model,
        } = request;
        let system = messages.first().filter(|draft| draft.role == Role::System);
        let system = system.map_or("".into(), |draft| message::head(&draft.text, Kind::System));
        let said: Vec<u64> = messages
            .iter()
            .filter(|draft| draft.role != Role::System)
            .map(|draft| draft.content)
            .collect();
        let same =
            |live: &Conversation| *live.group == *group && live.sender == sender && live.continues(&system, &said);
        let found = self.live.iter().rposition(same);
        let mut conversation = match found {
            Some(at) => self.live.remove(at),
            None => self.begin(group, sink),
        };
        conversation.sender = sender;
        conversation.system = system;
        conversation.said = said;
        conversation.answered.clear();
        conversation.waits = true;
        let thread = conversation.thread.clone();
        self.live.push(conversation);
        let what = What::Snapshot {
            messages,
            branches: false,
        };
        sink.event(thread.clone(), what);
        sink.event(thread.clone(), sent_whole(tools, model));
        thread
    }

    /// Takes messages that stand behind what the conversation with this id said, or begin one.
    pub(super) fn append(
        &mut self,
        group: &str,
        follows: Option<&str>,
        messages: Vec<Draft>,
        tools: Option<u64>,
        sink: &mut Sink<'_, '_>,
    ) -> Arc<str> {
        let same = |live: &Conversation| match follows {
            Some(last) => live.last.as_deref() == Some(last),
            None => *live.group == *group && (!group.is_empty() || live.last.is_none()),
        };
        let found = self.live.iter().rposition(same);
        let mut conversation = match found {
            Some(at) => self.live.remove(at),
            None => self.begin(group, sink),
        };
        conversation.last = follows.map(Box::from);
        conversation.waits = true;
        let thread = conversation.thread.clone();
        self.live.push(conversation);
        sink.event(thread.clone(), What::Append(messages));
        sink.event(thread.clone(), sent_whole(tools, None));
        thread
    }

    /// Takes what was answered to the request before, or to the one that it says it follows.
    pub(super) fn answer(
        &mut self,
        group: &str,
        follows: Option<&str>,
        id: Option<&str>,
        said: Vec<Draft>,
        sink: &mut Sink<'_, '_>,
    ) -> Arc<str> {
        let same = |live: &Conversation| follows.is_some_and(|last| live.last.as_deref() == Some(last));
        let at = self.live.iter().rposition(same);
        let at = at.or_else(|| {
            self.live
                .iter()
                .rposition(|live| *live.group == *group && (follows.is_none() || live.waits))
        });
        let mut conversation = match at {
            Some(at) => self.live.remove(at),
            None => self.begin(group, sink),
        };
        conversation.last = id.map(Box::from);
        conversation.waits = false;
        conversation.answered = said.iter().map(|draft| draft.content).collect();
        let thread = conversation.thread.clone();
        self.live.push(conversation);
        if !said.is_empty() {
            sink.event(thread.clone(), What::Append(said));
        }
        thread
    }

    /// Takes what was answered in the record of the request.
    pub(super) fn said(&mut self, said: Vec<Draft>, sink: &mut Sink<'_, '_>) {
        let Some(conversation) = self.live.last_mut().filter(|_| !said.is_empty()) else {
            return;
        };
        conversation.answered = said.iter().map(|draft| draft.content).collect();
        sink.event(conversation.thread.clone(), What::Append(said));
    }

    fn begin(&mut self, group: &str, sink: &mut Sink<'_, '_>) -> Conversation {
        // Where nothing names conversations, the next one begins when the one before it is over.
        let over = if group.is_empty() {
            self.live.iter().position(|live| live.group.is_empty())
        } else {
            (self.live.len() >= LIVE).then_some(0)
        };
        if let Some(over) = over {
            sink.event(self.live.remove(over).thread, What::End);
        }
        self.begun += 1;
        let known = self.live.iter().filter(|live| *live.group == *group).count();
        let thread = match (group, known) {
            ("", _) if self.begun == 1 => Arc::from(""),
            ("", _) => format!("conversation {}", self.begun).into(),
            (group, 0) => group.into(),
            // Beside the first of a session, such as that of another agent.
            (group, _) => format!("{group}/conversation {}", self.begun).into(),
        };
        Conversation {
            group: group.into(),
            thread,
            sender: None,
            system: "".into(),
            said: Vec::new(),
            answered: Vec::new(),
            last: None,
            waits: false,
        }
    }

    /// The thread that spoke last; a new one if none did.
    pub(super) fn current(&mut self, sink: &mut Sink<'_, '_>) -> Arc<str> {
        if self.live.is_empty() {
            let first = self.begin("", sink);
            self.live.push(first);
        }
        self.live.last().map(|live| live.thread.clone()).unwrap_or_default()
    }
}

/// A call that sent the history as it stands.
pub(super) fn sent_whole(tools: Option<u64>, model: Option<Arc<str>>) -> What {
    What::Prompt(Prompt {
        tools,
        model,
        ..Prompt::default()
    })
}

/// Messages of a text that was packed into a record: all stand where the record does.
pub(super) fn unpacked(
    text: &str,
    spot: Spot,
    read: impl for<'a> FnOnce(Raw<'a>, &mut Locator<'a>) -> Vec<Draft>,
) -> Option<Vec<Draft>> {
    let record = Record { text, spot, tape: None };
    let raw = json::value(&record).ok()?;
    let mut drafts = read(raw, &mut Locator::new(record));
    for draft in &mut drafts {
        draft.place = spot.start();
    }
    Some(drafts)
}

/// The whole list of a request: what stands under `messages`, with a system prompt beside it before them.
pub(super) fn with_system<'r>(
    body: &Object<'r>,
    key: &str,
    messages: Vec<Draft>,
    sink: &mut Sink<'_, 'r>,
) -> Vec<Draft> {
    let Some(raw) = body.some(key) else { return messages };
    let mut system = encoding::draft(Role::System, None, Some(raw), Vec::new(), Vec::new());
    if system.text.is_empty() {
        return messages;
    }
    system.place = sink.locator.place(raw);
    let mut whole = vec![system];
    whole.extend(messages);
    whole
}

/// What an answer of the chat API of `OpenAI` says.
pub(super) fn choice<'r>(answer: &Object<'r>) -> Option<Raw<'r>> {
    let choice = answer.list("choices")?.into_iter().next()?;
    Object::of(choice)?.get("message")
}

/// What a call cost, as `OpenAI` or Anthropic count it, whichever the names are of.
pub(super) fn call(answer: &Object<'_>, usage: &Object<'_>) -> Option<Call> {
    let first = |keys: &[&str]| counts::first(usage, keys);
    let detail = |whole: [&str; 2], keys: &[&str]| {
        let details = whole.iter().find_map(|key| usage.object(key))?;
        counts::first(&details, keys)
    };
    let of_prompt = |keys: &[&str]| detail(["prompt_tokens_details", "input_tokens_details"], keys);
    let explicit = usage.has("cache_read_input_tokens") || usage.has("cache_creation_input_tokens");
    // Programs between may tell both, and one of them is 0.
    let read = first(&["cache_read_input_tokens"]).max(of_prompt(&["cached_tokens"]));
    // DeepSeek and others tell it beside the prompt's tokens.
    let read = read.or_else(|| first(&["prompt_cache_hit_tokens", "cached_tokens"]));
    let nested = usage.object("cache_creation").unwrap_or_default();
    let tiers = ["ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"].map(|key| nested.number(key));
    let written = first(&["cache_creation_input_tokens"])
        .max(of_prompt(&["cache_write_tokens", "cache_creation_tokens"]))
        .max(tiers[0].zip(tiers[1]).map(|(short, long)| short.saturating_add(long)));
    let compacted = |key| compactions(usage, key);
    let counts = Counts {
        input: first(&["prompt_tokens", "input_tokens"])
            .unwrap_or(0)
            .saturating_add(compacted("input_tokens")),
        read,
        written,
        hour: tiers[1].unwrap_or(0),
        output: first(&["completion_tokens", "output_tokens"])
            .unwrap_or(0)
            .saturating_add(compacted("output_tokens")),
        thoughts: detail(
            ["completion_tokens_details", "output_tokens_details"],
            &["reasoning_tokens"],
        )
        .unwrap_or(0),
        total: usage.number("total_tokens"),
        // Anthropic counts what was cached beside the input, the others in it.
        cached: Counted::beside(explicit && !usage.has("prompt_tokens")),
        ..Counts::default()
    };
    let text = |key: &str| {
        answer
            .string(key)
            .filter(|text| !text.is_empty())
            .map(|text| text.as_ref().into())
    };
    Some(Call {
        response: text("id"),
        time: ["created", "created_at"]
            .iter()
            .find_map(|key| answer.number(key))
            .and_then(|seconds| i64::try_from(seconds).ok()?.checked_mul(1000)),
        model: text("model"),
        ..counts.call(Caching::promised(explicit))?
    })
}

/// Tokens of compactions that the provider made within the call, which Anthropic counts beside those of the call.
pub(super) fn compactions(usage: &Object<'_>, key: &str) -> u64 {
    let iterations = usage.list("iterations").unwrap_or_default();
    let compactions = iterations.into_iter().filter_map(Object::of);
    compactions
        .filter(|iteration| iteration.string("type").is_some_and(|kind| kind == "compaction"))
        .filter_map(|iteration| iteration.number(key))
        .fold(0, u64::saturating_add)
}

/// Items of the Responses API: a text, or a list. Types that are not known are given by name.
pub(super) fn items<'r>(raw: Raw<'r>, locator: &mut Locator<'r>) -> (Vec<Draft>, Vec<String>) {
    let Some(list) = json::list(raw) else {
        return (encoding::messages(raw, locator), Vec::new());
    };
    let (mut drafts, mut unknown) = (Vec::new(), Vec::new());
    for raw in list {
        match item(raw, locator.place(raw)) {
            Ok(draft) => drafts.extend(draft),
            Err(name) => unknown.push(name),
        }
    }
    (drafts, unknown)
}

/// Whether a type is one of the Responses API's items.
pub(super) fn is_item(kind: &str) -> bool {
    kind == "reasoning" || kind == "compaction" || kind.ends_with("_call") || kind.ends_with("_call_output")
}

/// One item; none for a reference to one that is kept elsewhere.
fn item(raw: Raw<'_>, place: Place) -> Result<Option<Draft>, String> {
    let Some(item) = Object::of(raw) else {
        return Err("item that is no object".to_owned());
    };
    let kind = item.string("type").unwrap_or_else(|| "message".into());
    let text = |key: &str| item.some(key).and_then(json::string);
    let call_id = || text("call_id").or_else(|| text("id")).map(Box::from);
    let mut draft = match &*kind {
        "message" => {
            let role = item.string("role").and_then(|role| encoding::role_word(&role));
            let role = role.ok_or_else(|| "message without a known role".to_owned())?;
            let mut draft = encoding::draft(role, None, item.get("content"), Vec::new(), Vec::new());
            let developer = item.string("role").filter(|role| role == encoding::DEVELOPER);
            draft.flags.extend(developer.map(std::borrow::Cow::into_owned));
            draft
        }
        "reasoning" => Draft {
            told: Some(Kind::Reasoning),
            ..encoding::said_beside(Role::Assistant, &sent::item(raw))
        },
        "compaction" | "compaction_summary" => Draft {
            told: Some(Kind::Summary),
            ..encoding::said_beside(Role::Assistant, &sent::item(raw))
        },
        "item_reference" => return Ok(None),
        "function_call" | "custom_tool_call" | "computer_call" | "local_shell_call" | "shell_call"
        | "apply_patch_call" => Draft {
            calls: call_id().into_iter().collect(),
            told: Some(Kind::ToolCall),
            ..encoding::said_beside(Role::Assistant, &sent::call(raw))
        },
        kind if kind.ends_with("_call_output") => encoding::draft(
            Role::Tool,
            None,
            item.get("output"),
            Vec::new(),
            text("call_id").map(Box::from).into_iter().collect(),
        ),
        // What the provider runs itself has its result inside.
        kind if kind.ends_with("_call") || kind.starts_with("mcp_") => Draft {
            told: Some(Kind::ToolCall),
            ..encoding::said_beside(Role::Assistant, &sent::item(raw))
        },
        other => return Err(format!("item {other}")),
    };
    draft.id = text("id").map(|id| id.as_ref().into());
    draft.place = place;
    Ok(Some(draft))
}

/// The model that a request asks.
pub(super) fn model(body: &Object<'_>) -> Option<Arc<str>> {
    body.string("model").map(|model| model.as_ref().into())
}
