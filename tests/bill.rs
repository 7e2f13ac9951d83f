//! What calls cost, as every format tells it: each response once, every token in one class.
//!
//! All numbers are made up. They differ from each other, so that none can stand for another.

mod support;

use ctxlint::transcript::{Adapters, Markers, ReplayFormat, ReplayOptions, replay};
use serde_json::{Value, json};
use support::{folder, write};

/// Calls, then tokens: neither read nor written, read, written, of those for an hour, put out.
type Bill = [u64; 6];

/// Asserts what the sessions of a file come to.
fn costs(name: &str, text: String, format: &str, expected: Bill) {
    let folder = folder();
    let options = ReplayOptions {
        markers: Markers::default(),
        adapters: Adapters::default(),
        path: write(folder.path(), name, text),
        input_format: None,
        turn: None,
        format: ReplayFormat::Json,
        width: 80,
        color: false,
    };
    let mut out = Vec::new();
    let replayed = replay(&options, &mut out).expect("a vector takes every write");
    replayed.expect("the recording can be replayed");
    let document: Value = serde_json::from_slice(&out).expect("a replay is JSON");
    assert_eq!(document["format"], format, "{name}");
    let mut bill = Bill::default();
    for session in document["sessions"].as_array().expect("sessions are a list") {
        let keys = ["calls", "input", "read", "written", "written_hour", "output"];
        for (sum, key) in bill.iter_mut().zip(keys) {
            *sum += session["usage"][key].as_u64().expect("a number of tokens");
        }
    }
    assert_eq!(bill, expected, "{format} {name}");
}

fn lines(records: &[Value]) -> String {
    let mut text: Vec<String> = records.iter().map(Value::to_string).collect();
    text.push(String::new());
    text.join("\n")
}

#[test]
fn claude_code_tells_a_response_in_several_lines() {
    let line = |uuid: &str, parent: Value, id: &str, usage: Value| {
        json!({
            "type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": "s", "isSidechain": false,
            "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"id": id, "role": "assistant", "model": "m", "content": [{"type": "text", "text": uuid}],
                        "usage": usage},
        })
    };
    let asked = json!({
        "type": "user", "uuid": "u", "parentUuid": null, "sessionId": "s", "isSidechain": false,
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": "Go"},
    });
    let usage = |output: u64| {
        json!({
            "input_tokens": 7, "cache_read_input_tokens": 50, "cache_creation_input_tokens": 0, "output_tokens": output,
            "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 11},
        })
    };
    let mut compacted = usage(3);
    compacted["iterations"] = json!([
        {"type": "compaction", "input_tokens": 1000, "output_tokens": 200},
        {"type": "message", "input_tokens": 7, "output_tokens": 3},
    ]);
    let text = lines(&[
        asked,
        line("a", json!("u"), "m1", usage(1)),
        line("b", json!("a"), "m1", usage(5)),
        line("c", json!("b"), "m2", compacted),
    ]);
    costs("s.jsonl", text, "claude-code", [2, 1014, 100, 62, 22, 208]);
}

#[test]
fn codex_tells_the_same_count_again_and_what_a_compaction_left() {
    let count = |last: [u64; 4], total: u64| {
        let [input, cached, written, output] = last;
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": "event_msg", "payload": {"type": "token_count", "info": {
            "last_token_usage": {"input_tokens": input, "cached_input_tokens": cached,
                "cache_write_input_tokens": written, "output_tokens": output, "total_tokens": 40},
            "total_token_usage": {"total_tokens": total},
        }}})
    };
    let text = lines(&[
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s", "cwd": "/x"}}),
        count([100, 60, 10, 9], 109),
        count([100, 60, 10, 9], 109),
        count([0, 0, 0, 0], 109),
        count([100, 60, 10, 9], 218),
    ]);
    costs("rollout-x.jsonl", text, "codex", [2, 60, 120, 20, 0, 18]);
}

#[test]
fn google_counts_thoughts_and_tools_beside() {
    let tokens = json!({"input": 100, "output": 20, "cached": 60, "thoughts": 5, "tool": 8, "total": 133});
    let text = lines(&[
        json!({"sessionId": "s", "projectHash": "h", "startTime": "2026-01-01T00:00:00Z", "kind": "main"}),
        json!({"id": "1", "timestamp": "2026-01-01T00:00:00Z", "type": "user", "content": "Go"}),
        json!({"id": "2", "timestamp": "2026-01-01T00:00:01Z", "type": "gemini", "content": "", "thoughts": []}),
        json!({"id": "2", "timestamp": "2026-01-01T00:00:01Z", "type": "gemini", "content": "Done", "tokens": tokens}),
    ]);
    costs("session-x.jsonl", text, "gemini-cli", [1, 48, 60, 0, 0, 25]);
    let event = json!({
        "id": "e", "author": "agent", "timestamp": 1.0, "invocationId": "i", "actions": {},
        "content": {"role": "model", "parts": [{"text": "Done"}]},
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20, "cachedContentTokenCount": 60,
            "thoughtsTokenCount": 5, "toolUsePromptTokenCount": 8, "totalTokenCount": 133},
    });
    let session = json!({"id": "s", "appName": "a", "userId": "u", "state": {}, "events": [event]});
    costs("adk.json", session.to_string(), "adk", [1, 48, 60, 0, 0, 25]);
}

#[test]
fn qwen_code_tells_what_lies_beside_the_way_that_is_read() {
    let line = |uuid: &str, parent: Value, kind: &str, total: u64| {
        json!({
            "uuid": uuid, "parentUuid": parent, "sessionId": "s", "type": kind, "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": if kind == "user" { "user" } else { "model" }, "parts": [{"text": uuid}]},
            "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20, "cachedContentTokenCount": 60,
                "thoughtsTokenCount": 5, "totalTokenCount": total},
        })
    };
    let text = lines(&[
        line("a", Value::Null, "user", 0),
        // Thoughts within what was put out, and beside it.
        line("b", json!("a"), "assistant", 120),
        line("c", json!("a"), "assistant", 125),
    ]);
    costs("chat.jsonl", text, "qwen-code", [2, 80, 120, 0, 0, 45]);
}

#[test]
fn agents_of_python_count_as_their_providers_do() {
    let message = |from_history: bool| {
        json!({"role": "assistant", "content": "Done", "from_history": from_history, "metrics": {
            "input_tokens": 100, "output_tokens": 20, "cache_read_tokens": 60, "total_tokens": 120}})
    };
    let run = |id: &str, provider: &str| json!({"run_id": id, "model_provider": provider, "model": "m", "messages": [message(false), message(true)]});
    let session =
        json!({"session_id": "s", "session_type": "agent", "runs": [run("1", "OpenAI"), run("2", "Anthropic")]});
    costs("agno.json", session.to_string(), "agno", [2, 140, 120, 0, 0, 40]);

    let response = json!({"kind": "response", "parts": [{"part_kind": "text", "content": "Done"}],
        "provider_response_id": "r", "usage": {"input_tokens": 100, "cache_read_tokens": 60, "cache_write_tokens": 10,
        "cache_write_1h_tokens": 4, "output_tokens": 20}});
    costs(
        "pydantic.json",
        json!([response]).to_string(),
        "pydantic-ai",
        [1, 30, 60, 10, 4, 20],
    );

    let event = |model: &str, total: u64| {
        json!({"event": "model", "model": model, "timestamp": "2026-01-01T00:00:00Z", "input": [], "output": {
            "model": model, "usage": {"input_tokens": 100, "input_tokens_cache_read": 60, "output_tokens": 20,
            "reasoning_tokens": 5, "total_tokens": total}}})
    };
    let sample = json!({"id": 1, "epoch": 1, "messages": [{"role": "user", "content": "Go"}],
        "events": [event("openai/x", 120), event("openai/x", 180), event("google/x", 185)]});
    let log = json!({"version": 2, "eval": {"task": "t"}, "plan": {}, "samples": [sample]});
    costs("inspect.json", log.to_string(), "inspect", [3, 240, 180, 0, 0, 65]);
}

#[test]
fn trajectories_tell_sums_or_steps() {
    let step = |id: u64, copied: bool| {
        json!({"step_id": id, "source": "agent", "message": "Done", "is_copied_context": copied,
            "metrics": {"prompt_tokens": 100, "completion_tokens": 20, "cached_tokens": 60}})
    };
    let atif = json!({"schema_version": "ATIF-v1.5", "session_id": "s", "agent": {"name": "a", "version": "1"},
        "steps": [step(1, true), step(2, false)]});
    costs("atif.json", atif.to_string(), "atif", [1, 40, 60, 0, 0, 20]);

    let swe = json!({"history": [{"role": "user", "content": "Go", "agent": "main", "message_type": "observation"}],
        "trajectory": [], "info": {"model_stats": {"tokens_sent": 100, "tokens_received": 20, "api_calls": 3}}});
    costs("x.traj", swe.to_string(), "swe-agent", [3, 100, 0, 0, 0, 20]);

    let response = json!({"id": "r", "model": "claude-x", "usage": {"prompt_tokens": 100, "completion_tokens": 20,
        "total_tokens": 120, "prompt_tokens_details": {"cached_tokens": 60}, "cache_creation_input_tokens": 10,
        "cache_read_input_tokens": 0}});
    let mini = json!({"info": {"exit_status": "Submitted"}, "trajectory_format": "mini-swe-agent-1", "messages": [
        {"role": "user", "content": "Go"}, {"role": "assistant", "content": "Done", "extra": {"response": response}}]});
    costs(
        "x.traj.json",
        mini.to_string(),
        "mini-swe-agent",
        [1, 30, 60, 10, 0, 20],
    );
}

#[test]
fn openhands_tells_sums_that_grow() {
    let state = |id: &str, agent: u64, condenser: u64| {
        let of = |times: u64| {
            json!({"accumulated_token_usage": {"prompt_tokens": 100 * times, "cache_read_tokens": 60 * times,
                "cache_write_tokens": 10 * times, "completion_tokens": 20 * times}})
        };
        json!({"kind": "ConversationStateUpdateEvent", "id": id, "source": "environment",
            "timestamp": "2026-01-01T00:00:00", "key": "stats",
            "value": {"usage_to_metrics": {"default": of(agent), "condenser": of(condenser)}}})
    };
    let text = lines(&[state("1", 1, 0), state("2", 1, 0), state("3", 3, 1)]);
    costs("events.jsonl", text, "openhands", [3, 120, 240, 40, 0, 80]);

    let action = |id: u64, response: &str| {
        json!({"id": id, "source": "agent", "action": "run", "args": {"command": "ls"}, "message": "",
            "timestamp": "2026-01-01T00:00:00", "tool_call_metadata": {"tool_call_id": format!("c{id}"),
            "model_response": {"id": response, "usage": {"prompt_tokens": 100, "completion_tokens": 20}}}})
    };
    // Two actions of one response.
    let text = lines(&[action(1, "r1"), action(2, "r1"), action(3, "r2")]);
    costs("history.jsonl", text, "openhands", [2, 200, 0, 0, 0, 40]);
}

#[test]
fn cline_and_roo_tell_what_the_person_saw() {
    let details = json!([{"type": "text", "text": "<environment_details>\n</environment_details>"}]);
    let classic = json!([
        {"role": "user", "content": details},
        {"role": "assistant", "content": "Done", "metrics": {"tokens": {"prompt": 40, "completion": 20, "cached": 60}}},
    ]);
    costs("api.json", classic.to_string(), "cline", [1, 40, 60, 0, 0, 20]);
    let say = |say: &str, input: u64| {
        let text = json!({"request": "x", "tokensIn": input, "tokensOut": 20, "cacheWrites": 10, "cacheReads": 60});
        json!({"ts": 1, "type": "say", "say": say, "text": text.to_string()})
    };
    let ui = json!([say("api_req_started", 40), say("deleted_api_reqs", 30)]);
    costs("ui_messages.json", ui.to_string(), "cline", [2, 70, 120, 20, 0, 40]);
    // What Roo calls the input is all of it, but for what older versions wrote.
    let condensed = json!({"ts": 2, "type": "say", "say": "condense_context", "text": ""});
    let ui = json!([say("api_req_started", 110), say("api_req_started", 4), condensed]);
    costs("ui_messages.json", ui.to_string(), "roo", [2, 44, 120, 20, 0, 40]);
}

#[test]
fn opencode_tells_the_steps_of_a_message() {
    let tokens = |input: u64, total: u64| json!({"input": input, "output": 20, "reasoning": 5, "total": total, "cache": {"read": 60, "write": 10}});
    let info = json!({"id": "msg_2", "sessionID": "ses_1", "role": "assistant", "parentID": "msg_1", "modelID": "m",
        "providerID": "openai", "time": {"created": 2}, "tokens": tokens(41, 131)});
    let step = |id: &str, input: u64, total: u64| {
        json!({"id": id, "type": "step-finish", "messageID": "msg_2", "sessionID": "ses_1", "reason": "stop",
            "tokens": tokens(input, total)})
    };
    let session = |parts: Value| {
        json!({"info": {"id": "ses_1", "directory": "/x", "time": {"created": 1, "updated": 2}}, "messages": [
            {"info": {"id": "msg_1", "sessionID": "ses_1", "role": "user", "time": {"created": 1}},
             "parts": [{"id": "prt_1", "type": "text", "text": "Go"}]},
            {"info": info, "parts": parts},
        ]})
    };
    // The second tells thoughts beside what was put out.
    let steps = json!([step("prt_2", 40, 130), step("prt_3", 41, 136)]);
    costs(
        "export.json",
        session(steps).to_string(),
        "opencode",
        [2, 81, 120, 20, 0, 45],
    );
    costs(
        "export.json",
        session(json!([])).to_string(),
        "opencode",
        [1, 41, 60, 10, 0, 20],
    );
}

#[test]
fn pi_tells_what_lies_beside_the_way_that_is_read() {
    let said = |id: &str, parent: &str, input: u64, stop: &str| {
        json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-01-01T00:00:00.000Z", "message": {
            "role": "assistant", "content": [{"type": "text", "text": id}], "stopReason": stop,
            "usage": {"input": input, "output": 20, "cacheRead": 60, "cacheWrite": 0, "totalTokens": 120}}})
    };
    let text = lines(&[
        json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/x"}),
        json!({"type": "message", "id": "1", "parentId": null, "timestamp": "2026-01-01T00:00:00.000Z",
               "message": {"role": "user", "content": "Go"}}),
        said("2", "1", 40, "stop"),
        // The first version counted what was read among the input.
        said("3", "1", 100, "aborted"),
        said("4", "1", 40, "stop"),
    ]);
    costs("pi.jsonl", text, "pi", [3, 120, 180, 0, 0, 60]);
}

#[test]
fn sessions_tell_their_sums() {
    let hermes = json!({"id": "s", "source": "cli", "started_at": 1.0, "model": "m", "api_call_count": 4,
        "input_tokens": 40, "cache_read_tokens": 60, "cache_write_tokens": 10, "output_tokens": 20,
        "reasoning_tokens": 5, "messages": [{"id": 1, "role": "user", "content": "Go"}]});
    costs("hermes.jsonl", lines(&[hermes]), "hermes", [4, 40, 60, 10, 0, 20]);
    let goose = lines(&[
        json!({"working_dir": "/x", "description": "", "message_count": 1, "input_tokens": 7, "output_tokens": 8,
               "accumulated_input_tokens": 100, "accumulated_output_tokens": 20}),
        json!({"role": "user", "created": 1, "content": [{"type": "text", "text": "Go"}]}),
    ]);
    costs("goose.jsonl", goose, "goose", [1, 100, 0, 0, 0, 20]);
    let letta = lines(&[
        json!({"message_type": "user_message", "id": "1", "date": "2026-01-01T00:00:00Z", "content": "Go"}),
        json!({"message_type": "usage_statistics", "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
               "step_count": 2, "cached_input_tokens": 60}),
    ]);
    costs("letta.jsonl", letta, "letta", [2, 40, 60, 0, 0, 20]);
    let item =
        |usage: Value| json!({"message": {"role": "assistant", "content": "Done", "usage": usage}, "contextItems": []});
    let usage = json!({"promptTokens": 100, "completionTokens": 20, "promptTokensDetails": {"cachedTokens": 60}});
    let session = |history: Value| json!({"sessionId": "s", "title": "t", "history": history, "usage": usage});
    costs(
        "continue.json",
        session(json!([item(Value::Null)])).to_string(),
        "continue",
        [1, 40, 60, 0, 0, 20],
    );
    let both = json!([item(usage.clone()), item(usage.clone())]);
    costs(
        "continue.json",
        session(both).to_string(),
        "continue",
        [2, 80, 120, 0, 0, 40],
    );
    let request = json!({"requestId": "r", "message": {"text": "Go"}, "response": [{"value": "Done"}],
        "result": {"metadata": {"promptTokens": 100, "outputTokens": 20}}});
    let chat = json!({"requesterUsername": "me", "responderUsername": "GitHub Copilot", "requests": [request]});
    costs("chat.json", chat.to_string(), "copilot-chat", [1, 100, 0, 0, 0, 20]);
}

#[test]
fn logs_tell_their_responses_also_without_a_cache() {
    let usage = json!({"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 125,
        "completion_tokens_details": {"reasoning_tokens": 5}});
    let payload = json!([{"id": "r", "call_type": "completion", "trace_id": "t", "startTime": 1.0, "model": "m",
        "messages": [{"role": "user", "content": "Go"}], "response": {"id": "r", "choices": [{"message":
        {"role": "assistant", "content": "Done"}}], "usage": usage}}]);
    costs("litellm.json", payload.to_string(), "litellm", [1, 100, 0, 0, 0, 25]);

    let details =
        json!({"input": 40, "input_cached_tokens": 60, "output": 15, "output_reasoning_tokens": 5, "total": 120});
    let observation = |id: &str, usage: Value| {
        json!({"id": id, "traceId": "t", "type": "GENERATION", "startTime": "2026-01-01T00:00:00Z", "model": "m",
            "input": [{"role": "user", "content": "Go"}], "output": {"role": "assistant", "content": "Done"},
            "usageDetails": usage})
    };
    let bare = json!({"input": 100, "output": 20, "total": 120});
    let text = lines(&[observation("a", details), observation("b", bare)]);
    costs("langfuse.jsonl", text, "langfuse", [2, 140, 60, 0, 0, 40]);

    let span = |extra: Value| {
        let mut attributes = json!({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 100,
            "gen_ai.usage.output_tokens": 20, "gen_ai.input.messages":
            "[{\"role\": \"user\", \"parts\": [{\"type\": \"text\", \"content\": \"Go\"}]}]"});
        attributes
            .as_object_mut()
            .expect("an object")
            .extend(extra.as_object().expect("an object").clone());
        json!({"name": "chat", "trace_id": "t", "start_time": 1, "attributes": attributes})
    };
    let text = lines(&[
        span(json!({})),
        span(json!({"gen_ai.usage.cache_read.input_tokens": 60})),
    ]);
    costs("spans.jsonl", text, "otel-genai", [2, 140, 60, 0, 0, 40]);
}

#[test]
fn a_message_of_langchain_stands_in_many_states_and_counts_once() {
    let usage = json!({"input_tokens": 100, "output_tokens": 20, "total_tokens": 120, "input_token_details":
        {"cache_read": 60, "cache_creation": 0, "ephemeral_5m_input_tokens": 6, "ephemeral_1h_input_tokens": 4}});
    let human = json!({"type": "human", "id": "h", "content": "Go"});
    let ai = json!({"type": "ai", "id": "run-1", "content": "Done", "usage_metadata": usage});
    let state = |messages: &[&Value]| json!({"messages": messages});
    let text = lines(&[state(&[&human]), state(&[&human, &ai]), state(&[&human, &ai, &human])]);
    costs("values.jsonl", text, "langgraph", [1, 30, 60, 10, 4, 20]);
}
