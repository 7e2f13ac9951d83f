//! What calls sent, in every form that records it: the same run, written as each tool would, is judged the same.

mod support;

use std::path::Path;

use ctxlint::transcript::{AuditOptions, audit};
use serde_json::{Value, json};
use support::{folder, write};

/// A message: who speaks, and what.
type Said = (&'static str, String);

/// One call to the model.
#[derive(Clone)]
struct Call {
    agent: &'static str,
    /// What is stored.
    history: Vec<Said>,
    /// What is sent behind it this time only.
    batch: Vec<Said>,
    tools: Vec<&'static str>,
    /// Tokens read from the provider's cache, and tokens that were not in it.
    read: u64,
    fresh: u64,
}

impl Call {
    fn sent(&self) -> impl Iterator<Item = &Said> {
        self.history.iter().chain(&self.batch)
    }
}

/// Writes a run into a folder, as one tool would.
type Writer = fn(&[Call], &Path);

const REQUESTS: [(&str, Writer); 9] = [
    ("openai-chat", chat),
    ("anthropic", anthropic),
    ("openai-responses", responses),
    ("litellm", litellm),
    ("langfuse", langfuse),
    ("otel-genai", otel),
    ("openhands", openhands),
    ("goose", goose),
    ("model runs of LangSmith", model_runs),
];

const STATES: [(&str, Writer); 3] = [
    ("runs of LangSmith", runs),
    ("inspect", inspect),
    ("inspect before it had a pool", inspect_in_full),
];

/// Forms that do not tell which tools were offered.
const WITHOUT_TOOLS: [(&str, Writer); 2] = [("events of OpenTelemetry", otel_events), ("OpenLLMetry", numbered)];

fn all() -> impl Iterator<Item = (&'static str, Writer)> {
    with_tools().chain(WITHOUT_TOOLS)
}

fn with_tools() -> impl Iterator<Item = (&'static str, Writer)> {
    REQUESTS.into_iter().chain(STATES)
}

fn lines(folder: &Path, lines: impl IntoIterator<Item = Value>) {
    let lines: Vec<String> = lines.into_iter().map(|line| line.to_string() + "\n").collect();
    write(folder, "log.jsonl", lines.concat());
}

fn role_and_content(said: &Said) -> Value {
    json!({"role": said.0, "content": said.1})
}

fn messages(call: &Call) -> Vec<Value> {
    call.sent().map(role_and_content).collect()
}

fn functions(call: &Call) -> Vec<Value> {
    let tools = call.tools.iter();
    tools
        .map(|name| json!({"type": "function", "function": {"name": name, "parameters": {}}}))
        .collect()
}

fn completion(number: usize, call: &Call) -> Value {
    json!({"id": format!("r{number}"), "model": "m", "choices": [], "usage": {"prompt_tokens": call.read + call.fresh,
        "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": call.read}}})
}

fn chat(calls: &[Call], folder: &Path) {
    let line = |(at, call)| {
        json!({"request": {"model": "m", "messages": messages(call), "tools": functions(call)},
            "response": completion(at, call)})
    };
    lines(folder, calls.iter().enumerate().map(line));
}

/// As Anthropic takes it: the mark of the cache stands on the newest message that is stored.
fn anthropic(calls: &[Call], folder: &Path) {
    let line = |(at, call): (usize, &Call)| {
        let mut said: Vec<Value> = messages(call).split_off(1);
        if let Some(last) = said.get_mut(call.history.len() - 2) {
            let text = last["content"].take();
            last["content"] = json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
        }
        let tools: Vec<Value> = call
            .tools
            .iter()
            .map(|name| json!({"name": name, "input_schema": {}}))
            .collect();
        json!({"request": {"model": "m", "system": call.history[0].1, "messages": said, "tools": tools},
            "response": {"id": format!("r{at}"), "usage": {"input_tokens": 0, "cache_read_input_tokens": call.read,
                "cache_creation_input_tokens": call.fresh, "output_tokens": 5}}})
    };
    lines(folder, calls.iter().enumerate().map(line));
}

fn responses(calls: &[Call], folder: &Path) {
    let line = |(at, call): (usize, &Call)| {
        let input = messages(call).split_off(1);
        json!({"request": {"model": "m", "instructions": call.history[0].1, "input": input, "tools": functions(call)},
            "response": {"object": "response", "id": format!("r{at}"), "model": "m", "output": [],
                "usage": {"input_tokens": call.read + call.fresh, "output_tokens": 5,
                    "input_tokens_details": {"cached_tokens": call.read}}}})
    };
    lines(folder, calls.iter().enumerate().map(line));
}

fn litellm(calls: &[Call], folder: &Path) {
    let line = |(at, call): (usize, &Call)| {
        json!({"call_type": "completion", "litellm_call_id": format!("c{at}"), "trace_id": "t", "model": "m",
            "messages": messages(call), "model_parameters": {"tools": functions(call)}, "status": "success",
            "startTime": at, "response": completion(at, call)})
    };
    lines(folder, calls.iter().enumerate().map(line));
}

/// As the handler for `LangChain` writes it: the tools stand behind the messages.
fn langfuse(calls: &[Call], folder: &Path) {
    let line = |(at, call): (usize, &Call)| {
        let mut input = messages(call);
        input.extend(
            functions(call)
                .into_iter()
                .map(|tool| json!({"role": "tool", "content": tool})),
        );
        json!({"id": format!("o{at}"), "traceId": "t", "sessionId": "s", "type": "GENERATION", "input": input,
            "startTime": format!("2026-03-02T09:00:{at:02}Z"), "output": null, "providedModelName": "m",
            "usageDetails": {"input": call.fresh, "input_cached_tokens": call.read, "output": 5}})
    };
    lines(folder, calls.iter().enumerate().map(line));
}

/// Spans, the last written first, each inside one that another library wrote of the same call.
fn otel(calls: &[Call], folder: &Path) {
    let span = |(at, call): (usize, &Call)| {
        let parts = |(role, text): &Said| json!({"role": role, "parts": [{"type": "text", "content": text}]});
        let sent: Vec<Value> = call.sent().skip(1).map(parts).collect();
        let attributes = json!({"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "c", "gen_ai.agent.name": call.agent,
            "gen_ai.system_instructions": json!([{"type": "text", "content": call.history[0].1}]).to_string(),
            "gen_ai.input.messages": json!(sent).to_string(), "gen_ai.response.model": "m",
            "gen_ai.tool.definitions": json!(functions(call)).to_string(),
            "gen_ai.usage.input_tokens": call.read + call.fresh, "gen_ai.usage.output_tokens": 5,
            "gen_ai.usage.cache_read.input_tokens": call.read});
        let time = |nano: usize| 1_772_442_000_000_000_000_u64 + (2 * at + nano) as u64 * 1_000_000_000;
        let line = |id: String, parent: Value, nano| {
            json!({"trace_id": "t", "span_id": id, "parent_span_id": parent, "name": "chat", "attributes": attributes,
                "startTimeUnixNano": time(nano)})
        };
        [
            line(format!("s{at}"), json!(format!("w{at}")), 1),
            line(format!("w{at}"), Value::Null, 0),
        ]
    };
    lines(folder, calls.iter().enumerate().rev().flat_map(span));
}

/// Log events of the older generation: a message each, then the answer.
fn otel_events(calls: &[Call], folder: &Path) {
    let events = |(at, call): (usize, &Call)| {
        let event = |name: String, body: Value| {
            json!({"trace_id": "t", "span_id": format!("s{at}"), "event_name": name, "body": body,
                "attributes": {"gen_ai.system": "openai", "gen_ai.conversation.id": "c",
                    "gen_ai.usage.input_tokens": call.read + call.fresh, "gen_ai.usage.output_tokens": 5,
                    "gen_ai.usage.cache_read.input_tokens": call.read},
                "timeUnixNano": 1_772_442_000_000_000_000_u64 + at as u64 * 1_000_000_000})
        };
        let said = |(role, text): &Said| event(format!("gen_ai.{role}.message"), json!({"content": text}));
        let mut all: Vec<Value> = call.sent().map(said).collect();
        all.push(event(
            "gen_ai.choice".to_owned(),
            json!({"index": 0, "message": {"content": "Noted."}}),
        ));
        all
    };
    lines(folder, calls.iter().enumerate().flat_map(events));
}

/// A number in the name of every attribute.
fn numbered(calls: &[Call], folder: &Path) {
    let span = |(at, call): (usize, &Call)| {
        let mut attributes = json!({"gen_ai.system": "openai", "gen_ai.conversation.id": "c",
            "gen_ai.usage.input_tokens": call.read + call.fresh, "gen_ai.usage.output_tokens": 5,
            "gen_ai.usage.cache_read.input_tokens": call.read});
        for (number, (role, text)) in call.sent().enumerate() {
            attributes[format!("gen_ai.prompt.{number}.role")] = json!(role);
            attributes[format!("gen_ai.prompt.{number}.content")] = json!(text);
        }
        json!({"trace_id": "t", "span_id": format!("s{at}"), "name": "openai.chat", "attributes": attributes,
            "startTimeUnixNano": 1_772_442_000_000_000_000_u64 + at as u64 * 1_000_000_000})
    };
    lines(folder, calls.iter().enumerate().map(span));
}

fn openhands(calls: &[Call], folder: &Path) {
    for (at, call) in calls.iter().enumerate() {
        let log = json!({"messages": messages(call), "tools": functions(call), "kwargs": {}, "cost": 0, "latency_sec": 1,
            "response": completion(at, call)});
        write(folder, &format!("llm_log_17570150{at:02}.972.json"), log.to_string());
    }
}

/// A recording has its calls by the hash of what was sent.
fn goose(calls: &[Call], folder: &Path) {
    let mut recording = json!({});
    for (at, call) in calls.iter().enumerate() {
        let message = |(number, (role, text)): (usize, &Said)| {
            json!({"id": format!("{}-{number}", call.agent), "role": role, "created": number, "content": [{"type": "text",
                "text": text}], "metadata": {"userVisible": true, "agentVisible": true}})
        };
        let sent: Vec<Value> = call.sent().enumerate().skip(1).map(message).collect();
        let usage = json!({"model": "m", "usage": {"input_tokens": call.read + call.fresh, "output_tokens": 5,
            "cache_read_input_tokens": call.read}});
        recording[format!("hash{at}")] = json!({
            "input": {"system": call.history[0].1, "messages": sent, "tools": functions(call)},
            "output": {"message": {"role": "assistant", "content": []}, "usage": usage}});
    }
    write(folder, "recording.json", recording.to_string());
}

fn stored(said: &Said, id: &str) -> Value {
    let kind = match said.0 {
        "user" => "human",
        "assistant" => "ai",
        other => other,
    };
    json!({"type": kind, "content": said.1, "id": id})
}

fn listed(call: &Call, all: bool) -> Vec<Value> {
    let stored = |(at, said)| stored(said, &format!("{}-{at}", call.agent));
    let kept = if all { usize::MAX } else { call.history.len() };
    call.sent().take(kept).enumerate().map(stored).collect()
}

fn run(at: usize, call: &Call, depth: usize, rest: &Value) -> Value {
    let root = format!("20260302T0900{at:02}000000Za{at}");
    let dotted = [
        root.clone(),
        format!("{root}.20260302T0900{at:02}000001Zb{at}"),
        format!("{root}.20260302T0900{at:02}000001Zb{at}.20260302T0900{at:02}000002Zc{at}"),
    ];
    let mut run = json!({"id": format!("{depth}-{at}"), "trace_id": format!("a{at}"), "dotted_order": dotted[depth],
        "start_time": format!("2026-03-02T09:00:{at:02}Z"), "name": call.agent,
        "extra": {"metadata": {"thread_id": "t", "langgraph_node": call.agent, "langgraph_step": 2 * at,
            "langgraph_checkpoint_ns": format!("{}:{at}", call.agent), "ls_model_name": "m", "ls_provider": "anthropic"},
            "invocation_params": {"tools": functions(call)}}});
    if depth > 0 {
        run["parent_run_id"] = json!(format!("{}-{at}", depth - 1));
    }
    for (key, value) in rest.as_object().expect("an object") {
        run[key] = value.clone();
    }
    run
}

fn model_run(at: usize, call: &Call) -> Value {
    let usage = json!({"input_tokens": call.read + call.fresh, "output_tokens": 5,
        "input_token_details": {"cache_read": call.read, "cache_creation": call.fresh}});
    let message = json!({"lc": 1, "kwargs": {"content": "", "usage_metadata": usage}});
    let rest = json!({"run_type": "llm", "inputs": {"messages": [listed(call, true)]},
        "outputs": {"generations": [[{"message": message}]]}});
    run(at, call, 2, &rest)
}

fn model_runs(calls: &[Call], folder: &Path) {
    lines(folder, calls.iter().enumerate().map(|(at, call)| model_run(at, call)));
}

/// The node that calls is told with the state that it saw; a title is made in a node of its own.
fn runs(calls: &[Call], folder: &Path) {
    let runs = |(at, call): (usize, &Call)| {
        let state = json!({"messages": listed(call, false)});
        let mut all = vec![run(
            at,
            call,
            0,
            &json!({"run_type": "chain", "inputs": {}, "outputs": {}}),
        )];
        if call.agent == "agent" {
            all.push(run(
                at,
                call,
                1,
                &json!({"run_type": "chain", "inputs": state, "outputs": {"messages": []}}),
            ));
        }
        all.push(model_run(at, call));
        all
    };
    lines(folder, calls.iter().enumerate().flat_map(runs));
}

fn inspect(calls: &[Call], folder: &Path) {
    sample(calls, folder, true);
}

fn inspect_in_full(calls: &[Call], folder: &Path) {
    sample(calls, folder, false);
}

/// Later versions name messages of a pool by number; long texts are kept apart in all.
fn sample(calls: &[Call], folder: &Path, has_pool: bool) {
    let (mut pool, mut attachments): (Vec<Value>, _) = (Vec::new(), json!({}));
    let mut events = vec![
        json!({"event": "span_begin", "id": "agent", "type": "agent", "name": "agent"}),
        json!({"event": "span_begin", "id": "titles", "type": "tool", "name": "titles"}),
    ];
    let mut last = Vec::new();
    for call in calls {
        let from = pool.len();
        for (at, (role, text)) in call.sent().enumerate() {
            let key = format!("k{}-{at}", events.len());
            pool.push(
                json!({"id": format!("{}-{at}", call.agent), "role": role, "content": format!("attachment://{key}")}),
            );
            attachments[key] = json!(text);
        }
        if call.agent == "agent" {
            let kept = call.history.iter().enumerate();
            last = kept
                .map(|(at, (role, text))| json!({"id": format!("agent-{at}"), "role": role, "content": text}))
                .collect();
        }
        let mut event = json!({"event": "model", "span_id": call.agent, "model": "anthropic/m", "input": [],
            "input_refs": [[from, pool.len()]], "tools": functions(call), "output": {"model": "m", "usage": {
                "input_tokens": 0, "input_tokens_cache_read": call.read, "input_tokens_cache_write": call.fresh,
                "output_tokens": 5, "total_tokens": call.read + call.fresh + 5}}});
        if !has_pool {
            event["input"] = json!(pool.split_off(from));
            event["input_refs"] = Value::Null;
        }
        events.push(event);
    }
    let sample = json!({"id": 1, "epoch": 1, "input": "", "target": "", "messages": last, "events": events,
        "attachments": attachments, "events_data": {"messages": pool, "calls": []}});
    write(folder, "sample.json", sample.to_string());
}

/// About four thousand tokens that are the same in every call.
fn long(text: &str) -> String {
    format!(
        "{text} {}",
        "The harbour office keeps its ledgers in order. ".repeat(340)
    )
}

/// A run of four questions, with what a cache that holds what was sent reads of each call.
fn script(batch: impl Fn(usize) -> Vec<Said>, edit: impl Fn(usize, &mut Call)) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    for at in 0..4 {
        let mut history = vec![("system", long("You keep the books of a harbour."))];
        for turn in 0..=at {
            history.push(("user", long(&format!("Question {turn}: what did boat {turn} pay?"))));
            if turn < at {
                history.push(("assistant", format!("Boat {turn} paid {turn}0 crowns.")));
            }
        }
        let mut call = Call {
            agent: "agent",
            history,
            batch: batch(at),
            tools: vec!["look_up"],
            read: 0,
            fresh: 0,
        };
        edit(at, &mut call);
        if call.agent == "agent" {
            let tokens = |said: &[&Said]| said.iter().map(|(_, text)| text.len() as u64 / 4).sum::<u64>();
            let sent: Vec<&Said> = call.sent().collect();
            let before = calls.iter().rfind(|call| call.agent == "agent");
            let shared = before.map_or(0, |before| {
                let same = before.tools == call.tools;
                before
                    .sent()
                    .zip(&sent)
                    .take_while(|(old, new)| same && old == *new)
                    .count()
            });
            let (read, fresh) = (tokens(&sent[..shared]), tokens(&sent[shared..]));
            (call.read, call.fresh) = (read, fresh);
        }
        calls.push(call);
    }
    calls
}

fn plan(at: usize) -> Said {
    (
        "user",
        format!(
            "<plan>Phase {at} of 4 is running. {}</plan>",
            "Nets, ropes, sails. ".repeat(600)
        ),
    )
}

fn judged(writer: Writer, calls: &[Call]) -> Vec<&'static str> {
    let folder = folder();
    writer(calls, folder.path());
    let outcome = audit(&AuditOptions {
        paths: vec![folder.path().to_owned()],
        ..AuditOptions::default()
    });
    assert!(outcome.problems.is_empty(), "{:?}", outcome.problems);
    let rules = outcome.findings.iter();
    let rules = rules.flat_map(|finding| finding.also.iter().copied().chain([finding.rule()]));
    rules.map(ctxlint::rule::Rule::id).collect()
}

#[test]
fn a_run_that_only_grows_is_clean() {
    let calls = script(|_| Vec::new(), |_, _| {});
    for (form, writer) in all() {
        assert!(
            judged(writer, &calls).is_empty(),
            "{form}: {:?}",
            judged(writer, &calls)
        );
    }
}

#[test]
fn a_byte_that_changes_ends_the_prefix() {
    let edit = |at: usize, call: &mut Call| {
        if at == 2 {
            call.history[1].1.push('!');
        }
    };
    let calls = script(|_| Vec::new(), edit);
    for (form, writer) in all() {
        let found = judged(writer, &calls);
        assert!(
            !found.is_empty() && found.iter().all(|rule| *rule == "cache-break"),
            "{form}: {found:?}"
        );
    }
}

#[test]
fn what_stands_at_the_tail_for_one_call_breaks_nothing() {
    let calls = script(|at| vec![plan(at)], |_, _| {});
    for (form, writer) in all() {
        assert!(
            judged(writer, &calls).is_empty(),
            "{form}: {:?}",
            judged(writer, &calls)
        );
    }
}

#[test]
fn what_is_kept_of_it_is_stale() {
    let keep = |at: usize, call: &mut Call| {
        for turn in (0..=at).rev() {
            call.history.insert(2 + 2 * turn, plan(turn));
        }
    };
    let calls = script(|_| Vec::new(), keep);
    for (form, writer) in all() {
        let found = judged(writer, &calls);
        assert!(found.contains(&"stale-injection"), "{form}: {found:?}");
    }
}

#[test]
fn other_tools_explain_a_break() {
    let offer = |at: usize, call: &mut Call| {
        if at > 1 {
            call.tools.insert(0, "weigh");
        }
    };
    let calls = script(|_| Vec::new(), offer);
    for (form, writer) in with_tools() {
        assert!(
            judged(writer, &calls).is_empty(),
            "{form}: {:?}",
            judged(writer, &calls)
        );
    }
}

#[test]
fn what_is_asked_on_the_side_is_not_compared() {
    let title = |at: usize, call: &mut Call| {
        if at == 2 {
            let ask = long("Give this conversation a title: boats and what they pay.");
            call.agent = "titles";
            call.history = vec![("system", "Be short.".to_owned()), ("user", ask)];
            call.tools.clear();
            call.fresh = 4_000;
        }
    };
    let calls = script(|_| Vec::new(), title);
    for (form, writer) in all() {
        assert!(
            judged(writer, &calls).is_empty(),
            "{form}: {:?}",
            judged(writer, &calls)
        );
    }
}
