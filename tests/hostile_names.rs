//! Whatever a stranger wrote, wherever it is shown: no character of it reaches the terminal that acts on it, hides, or
//! turns the line around, and no secret is shown.
#![cfg(unix)]

mod support;

use std::path::Path;

use support::{Run, folder, run, write};

/// Acts on a terminal, turns the line, cannot be seen, ends a line that is none.
const HARM: &str = "\u{1b}[31m\u{9b}2J\u{7}\u{8}\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}";

/// The same in JSON, where control characters are escaped.
fn json(text: &str) -> String {
    serde_json::to_string(text).expect("a text is JSON")
}

/// A secret of a known shape; put together here, so that nobody who looks for real ones finds it.
fn secret() -> String {
    format!("{}{}", "gh", "p_aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE")
}

fn is_harmful(c: char) -> bool {
    c.is_control() && c != '\n' && c != '\t'
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}' | '\u{2028}' | '\u{2029}')
}

fn is_harmless(what: &str, run: &Run) {
    for text in [&run.stdout, &run.stderr] {
        let harm = text.chars().find(|&c| is_harmful(c));
        assert_eq!(harm, None, "{what}: {text}");
        assert!(!text.contains(&secret()), "{what}: {text}");
    }
}

/// Records with harm in every text and name.
fn plant(folder: &Path) -> Vec<String> {
    let text = json(&format!("Which ferry? {HARM} {}", secret()));
    let word = json(&format!("w{HARM}"));
    let updates = format!(
        "{{\"__input__\":{{\"messages\":[{{\"type\":\"human\",\"id\":{word},\"content\":{text}}}]}}}}\n\
         {{{word}:{{\"messages\":[{{\"type\":\"human\",\"id\":\"i\",\"name\":{word},\"content\":{text}}}]}}}}\n\
         {{{word}:{{\"messages\":[{{\"type\":\"ai\",\"id\":\"a\",\"content\":{text},\"tool_calls\":[{{\"name\":{word},\"args\":{{}},\"id\":{word},\"type\":\"tool_call\"}}]}}]}}}}\n\
         {{{word}:{{\"messages\":[{{\"type\":\"remove\",\"id\":{word},\"content\":\"\"}},{{\"type\":\"ai\",\"id\":\"b\",\"content\":{text}}}]}}}}\n\
         {{\"type\":{word}}}\n\
         {{\"model\":nul{HARM}}}\n"
    );
    let line = |id: &str, parent: &str, kind: &str, more: &str| {
        format!(
            "{{\"uuid\":\"{id}\",\"parentUuid\":{parent},\"sessionId\":{word},\"cwd\":{word},\"version\":{word},\
             \"isSidechain\":false,\"type\":\"{kind}\",\"message\":{{\"role\":\"{kind}\",\"id\":{word},\"model\":{word},\
             \"content\":[{more}]}}}}\n"
        )
    };
    let linked = line("a", "null", "user", &format!("{{\"type\":\"text\",\"text\":{text}}}"))
        + &line(
            "b",
            "\"a\"",
            "assistant",
            &format!("{{\"type\":\"tool_use\",\"id\":{word},\"name\":{word},\"input\":{{}}}}"),
        )
        + &line(
            "c",
            "\"b\"",
            "assistant",
            &format!("{{\"type\":\"text\",\"text\":{text}}}"),
        )
        + &line(
            "d",
            "\"gone\"",
            "user",
            &format!("{{\"type\":\"tool_result\",\"tool_use_id\":\"none\",\"content\":{text}}}"),
        )
        + &format!("{{\"type\":{word},\"uuid\":\"e\",\"sessionId\":{word}}}\n");
    let chat = format!(
        "[{{\"role\":\"user\",\"content\":{text}}},\n{{\"role\":\"tool\",\"tool_call_id\":{word},\"content\":{text}}},\n\
         {{\"role\":{word},\"content\":{text}}}]"
    );
    let names = ["updates", "linked", "chat"].map(|name| format!("{name}{HARM}.jsonl"));
    for (name, content) in names.iter().zip([updates, linked, chat]) {
        write(folder, name, content);
    }
    names.into()
}

#[test]
fn no_report_shows_what_is_planted_in_a_record() {
    let folder = folder();
    plant(folder.path());
    for format in ctxlint::report::Format::ALL {
        let format = format.as_str();
        for more in [
            &[][..],
            &["--coverage", "-v"],
            &["--cost", "--timings"],
            &["--statistics"],
        ] {
            let mut arguments = vec![
                "audit",
                "--isolated",
                "--min-confidence",
                "low",
                "--min-severity",
                "info",
                ".",
            ];
            if more != ["--statistics"] {
                arguments.extend(["--format", format]);
            }
            arguments.extend(more);
            let run = run(folder.path(), &arguments);
            assert!(!run.stdout.is_empty(), "{format}: {}", run.stderr);
            is_harmless(&format!("{format} {more:?}"), &run);
        }
    }
}

#[test]
fn no_replay_shows_what_is_planted_in_a_record() {
    let folder = folder();
    for name in plant(folder.path()) {
        for format in ["human", "json"] {
            let run = run(folder.path(), &["replay", "--isolated", "--format", format, &name]);
            is_harmless(&format!("{name:?} {format}"), &run);
        }
    }
}

#[test]
fn no_report_shows_what_is_planted_in_code() {
    let folder = folder();
    let (quiet, key) = (HARM.replace('\u{2028}', ""), secret());
    let code = format!(
        "from langchain_core.messages import HumanMessage\n\nKEY = \"{key}\"\n\n\ndef remind(state):\n    # {quiet}\n    \
         for message in state[\"messages\"]:\n        if isinstance(message, HumanMessage):\n            \
         message.content = f\"<state>{quiet} {key}</state>{{message.content}}\"\n            break\n    \
         return {{\"messages\": state[\"messages\"]}}  # ctxlint: ignore[no-{quiet}-rule]\n"
    );
    write(folder.path(), &format!("a{HARM}.py"), code);
    write(folder.path(), &format!("b{HARM}.py"), format!("def broken(:\n{HARM}\n"));
    for format in ctxlint::report::Format::ALL {
        let format = format.as_str();
        let run = run(
            folder.path(),
            &[
                "check",
                "--isolated",
                "--min-confidence",
                "low",
                "--format",
                format,
                ".",
            ],
        );
        is_harmless(format, &run);
    }
    let name = format!("a{HARM}.py");
    for command in [
        &["map", &name][..],
        &["map", "--format", "json", &name],
        &["facts", &name],
    ] {
        let run = run(folder.path(), command);
        let harm = run.stdout.chars().chain(run.stderr.chars()).find(|&c| is_harmful(c));
        assert_eq!(harm, None, "{command:?}: {} {}", run.stdout, run.stderr);
    }
}

#[test]
fn no_complaint_shows_what_is_planted_in_arguments_and_settings() {
    let folder = folder();
    write(folder.path(), "a.jsonl", "{\"role\":\"user\",\"content\":\"hi\"}\n");
    write(folder.path(), "ctxlint.toml", format!("select = [{}]\n", json(HARM)));
    write(folder.path(), "base.json", format!("{{{}: 1}}", json(HARM)));
    write(
        folder.path(),
        "rows.jsonl",
        format!("{{\"left\": {}, \"updates\": 3}}\nnul{HARM}\n", json(HARM)),
    );
    let name = format!("no{HARM}such");
    for arguments in [
        &["audit", "a.jsonl"][..],
        &["audit", "--isolated", &name],
        &["check", "--isolated", &name],
        &["audit", "--isolated", "--input-format", &name, "a.jsonl"],
        &["audit", "--isolated", "--select", &name, "a.jsonl"],
        &["audit", "--isolated", "--config", &name, "a.jsonl"],
        &["audit", "--isolated", "--baseline", "base.json", "a.jsonl"],
        &["audit", "--isolated", "--baseline", &name, "a.jsonl"],
        &["audit", "--isolated", "--prices", &name, "a.jsonl"],
        &["audit", "--isolated", "--files-from", &name],
        &["audit", "--isolated", "--against", &name, "a.jsonl"],
        &["replay", "--isolated", &name],
        &["fold", &name],
        &["fold", "rows.jsonl"],
        &["explain", &name],
        &["map", &name],
        &["facts", &name],
        &[&name],
    ] {
        let run = run(folder.path(), arguments);
        is_harmless(&format!("{arguments:?}"), &run);
    }
}
