//! What a project sets, and what the command line sets over it: files, rules, severities, lists of files.

mod support;

use std::path::Path;

use support::{folder, run, run_with_input, snapshot, write};

/// A warning of high confidence and an error.
const AGENT: &str = "\
from datetime import date

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage


class Desk(AgentMiddleware):
    def before_agent(self, state, runtime):
        return {\"messages\": [HumanMessage(f\"It is {date.today()}.\")]}


def recent(messages: list[HumanMessage]):
    return messages[-20:]
";

fn project(config: &str) -> tempfile::TempDir {
    let folder = folder();
    for path in ["desk/agent.py", "desk/gen/agent.py", "trials/agent.py"] {
        write(folder.path(), path, AGENT);
    }
    write(folder.path(), "ctxlint.toml", config);
    folder
}

/// Status, and `path rule severity` of each finding.
fn check(folder: &Path, more: &[&str]) -> (i32, Vec<String>) {
    let mut arguments = vec!["check", "--format", "concise"];
    arguments.extend(more);
    let run = run(folder, &arguments);
    let findings = run.stdout.lines().map(|line| {
        let words: Vec<&str> = line.splitn(4, [' ']).collect();
        let path = words[0].split(':').next().unwrap_or_default();
        format!("{path} {} {}", words[2].trim_end_matches(':'), words[1])
    });
    (run.status, findings.collect())
}

fn paths(found: &(i32, Vec<String>)) -> Vec<&str> {
    let mut paths: Vec<&str> = found.1.iter().filter_map(|line| line.split(' ').next()).collect();
    paths.dedup();
    paths
}

#[test]
fn files_are_left_out_by_patterns_of_the_configuration_and_the_command_line() {
    let project = project("exclude = [\"gen/\"]\n");
    let at = project.path();
    assert_eq!(paths(&check(at, &[])), ["desk/agent.py", "trials/agent.py"]);
    assert_eq!(paths(&check(at, &["--exclude", "/trials"])), ["desk/agent.py"]);
    assert_eq!(paths(&check(at, &["--isolated"])).len(), 3);
    // Patterns begin at the folder of the file they stand in, wherever the run begins.
    assert_eq!(paths(&check(&at.join("desk"), &["."])), ["agent.py"]);
    // Who names a file or a folder means it, unless a program does.
    assert_eq!(paths(&check(at, &["desk/gen/agent.py"])), ["desk/gen/agent.py"]);
    assert_eq!(paths(&check(at, &["desk/gen"])), ["desk/gen/agent.py"]);
    assert_eq!(check(at, &["--force-exclude", "desk/gen/agent.py"]), (0, vec![]));
    assert_eq!(
        paths(&check(at, &["--force-exclude", "desk/gen/agent.py", "desk/agent.py"])),
        ["desk/agent.py"]
    );
    assert_eq!(
        check(at, &["--exclude", "desk/", "--exclude", "trials/"]).0,
        3,
        "nothing is left of a folder"
    );
}

#[test]
fn files_that_a_hook_passes_and_nobody_can_check_stop_nothing() {
    let project = project("");
    let at = project.path();
    write(at, "notes.md", "# Notes\n");
    write(at, "data.jsonl", "{\"weight\": 3}\n");
    assert_eq!(check(at, &["notes.md"]).0, 3);
    assert_eq!(check(at, &["--force-exclude", "notes.md"]).0, 0);
    assert_eq!(run(at, &["audit", "data.jsonl"]).status, 3);
    assert_eq!(run(at, &["audit", "--force-exclude", "data.jsonl"]).status, 0);
    assert_eq!(
        check(at, &["--force-exclude", "missing.py"]).0,
        2,
        "a file that is not there is a mistake all the same"
    );
}

#[test]
fn files_come_from_a_list() {
    let project = project("exclude = [\"gen/\"]\n");
    let at = project.path();
    write(at, "notes.md", "# Notes\n");
    write(at, "list", "desk/agent.py\r\nnotes.md\n");
    assert_eq!(paths(&check(at, &["--files-from", "list"])), ["desk/agent.py"]);
    let arguments = ["check", "--format", "concise", "--files-from", "-"];
    for (list, found) in [
        ("", 0),
        ("desk/gen/agent.py\n", 0),
        ("trials/agent.py\n", 2),
        ("trials/agent.py\0desk/agent.py\0", 4),
        ("notes.md\n", 0),
    ] {
        let run = run_with_input(at, &arguments, list.as_bytes());
        assert_eq!(run.stdout.lines().count(), found, "{list:?}");
        assert_eq!(
            (run.status, run.stderr.as_str()),
            (i32::from(found > 0), ""),
            "{list:?}"
        );
    }
}

#[test]
fn rules_are_chosen_and_set_by_the_configuration() {
    let of = |config: &str, more: &[&str]| {
        let project = project(config);
        let mut arguments = vec!["desk/agent.py"];
        arguments.extend(more);
        check(project.path(), &arguments)
    };
    let clock = |severity: &str| format!("desk/agent.py persisted-state {severity}");
    let cut = |severity: &str| format!("desk/agent.py mid-turn-cut {severity}");
    assert_eq!(of("", &[]), (1, vec![clock("warn"), cut("error")]));
    assert_eq!(of("select = [\"cuts\"]\n", &[]), (1, vec![cut("error")]));
    assert_eq!(
        of("select = [\"cuts\"]\n", &["--select", "staleness"]),
        (1, vec![clock("warn")])
    );
    assert_eq!(
        of("ignore = [\"cuts\"]\n", &["--ignore", "persisted-state"]),
        (0, vec![])
    );
    assert_eq!(
        of("[rules.mid-turn-cut]\nseverity = \"off\"\n", &[]),
        (1, vec![clock("warn")])
    );
    assert_eq!(
        of("[rules.mid-turn-cut]\nseverity = \"info\"\n", &[]),
        (1, vec![clock("warn"), cut("info")])
    );
    assert_eq!(of("min-severity = \"error\"\n", &[]), (1, vec![cut("error")]));
    assert_eq!(of("min-severity = \"error\"\n", &["--min-severity", "info"]).1.len(), 2);
    assert_eq!(
        of("fail-on = \"error\"\n", &["--ignore", "cuts"]),
        (0, vec![clock("warn")])
    );
    assert_eq!(
        of("fail-on = \"error\"\n", &["--ignore", "cuts", "--fail-on", "warn"]).0,
        1
    );
    assert_eq!(
        of("[rules.persisted-state]\nseverity = \"info\"\n", &["--ignore", "cuts"]),
        (0, vec![clock("info")])
    );
}

#[test]
fn rules_do_not_speak_about_the_files_of_a_pattern() {
    let project = project(
        "[per-path-ignores]\n\"trials/\" = [\"cuts\", \"staleness\"]\n\"**/gen/*.py\" = [\"persisted-state\"]\n",
    );
    let (_, found) = check(project.path(), &[]);
    assert_eq!(
        found,
        [
            "desk/agent.py persisted-state warn",
            "desk/agent.py mid-turn-cut error",
            "desk/gen/agent.py mid-turn-cut error"
        ]
    );
    let talk = run(project.path(), &["check", "-v"]).stderr;
    assert!(talk.contains("ctxlint: 3 hidden by per-path-ignores\n"), "{talk}");
}

#[test]
fn a_table_in_pyproject_is_a_configuration_and_ctxlints_own_file_comes_first() {
    let folder = folder();
    let at = folder.path();
    write(at, "desk/agent.py", AGENT);
    write(
        at,
        "pyproject.toml",
        "[project]\nname = \"desk\"\n\n[tool.other]\nx = 1\n\n[tool.ctxlint]\nignore = [\"cuts\"]\n",
    );
    assert_eq!(check(at, &[]).1, ["desk/agent.py persisted-state warn"]);
    assert_eq!(
        check(&at.join("desk"), &["agent.py"]).1,
        ["agent.py persisted-state warn"]
    );
    // One without the table, and one that is broken elsewhere, are none of ours.
    for other in ["[project]\nname = \"desk\"\n", "[project\n"] {
        write(at, "desk/pyproject.toml", other);
        assert_eq!(
            check(at, &["desk"]).1,
            ["desk/agent.py persisted-state warn"],
            "{other}"
        );
    }
    write(at, "desk/pyproject.toml", "[tool.ctxlint\n");
    assert_eq!(check(at, &["desk"]).0, 2, "a table for ctxlint that cannot be read");
    write(at, "desk/pyproject.toml", "[tool.ctxlint]\nignore = [\"staleness\"]\n");
    assert_eq!(check(at, &["desk"]).1, ["desk/agent.py mid-turn-cut error"]);
    write(at, "desk/ctxlint.toml", "");
    assert_eq!(check(at, &["desk"]).1.len(), 2);
}

/// A list of messages in which the workshop's own marks say what a program wrote.
const RUN: &str = r#"{"messages": [
{"role": "user", "content": "Order brake pads."},
{"role": "assistant", "content": "Done."},
{"role": "user", "content": "Cancel them."},
{"role": "user", "content": "(bench) lamp on"}
]}
"#;

#[test]
fn marks_of_messages_are_those_of_the_project_too() {
    let kinds = |config: &str, message: &str| {
        let folder = folder();
        write(
            folder.path(),
            "run.json",
            RUN.replace("\"content\": \"(bench) lamp on\"", message),
        );
        write(folder.path(), "ctxlint.toml", config);
        let shown = run(folder.path(), &["replay", "run.json", "--format", "json"]);
        assert_eq!((shown.status, shown.stderr.as_str()), (0, ""));
        let shown: serde_json::Value = serde_json::from_str(&shown.stdout).expect("it is JSON");
        let messages = shown["sessions"][0]["messages"].as_array().expect("a list").clone();
        messages[3]["kind"].as_str().expect("a kind").to_owned()
    };
    let cases = [
        ("tags = [\"Bench\"]", "\"content\": \"<bench>lamp on</bench> please\""),
        (
            "names = [\"bench_*\"]",
            "\"content\": \"lamp on\", \"name\": \"bench_lamp\"",
        ),
        (
            "flags = [\"from_bench\"]",
            "\"content\": \"lamp on\", \"additional_kwargs\": {\"from_bench\": true}",
        ),
        (
            "id-prefixes = [\"bench-\"]",
            "\"content\": \"lamp on\", \"id\": \"bench-7\"",
        ),
    ];
    for (marks, message) in cases {
        assert_eq!(kinds("", message), "authored", "{marks}");
        let config = format!("[transcripts.markers.injected]\n{marks}\n");
        assert_eq!(kinds(&config, message), "injected", "{marks}");
    }
}

#[test]
fn a_run_shows_its_files_and_its_configuration() {
    let project = project("exclude = [\"gen/\"]\nignore = [\"cuts\"]\n\n[rules.id-swap]\nseverity = \"warn\"\n");
    let at = project.path();
    write(at, "runs/a.jsonl", "{}\n");
    let files = run(at, &["check", "--show-files"]);
    assert_eq!(
        (files.status, files.stdout.as_str()),
        (0, "desk/agent.py\ntrials/agent.py\n")
    );
    let files = run(at, &["audit", "--show-files"]);
    assert_eq!((files.status, files.stdout.as_str()), (0, "runs/a.jsonl\n"));
    assert_eq!(run(at, &["check", "runs", "--show-files"]).status, 3);
    let shown = run(
        at,
        &["check", "--show-config", "--ignore", "id-swap", "--fail-on", "error"],
    );
    assert_eq!((shown.status, shown.stderr.as_str()), (0, ""));
    let text = shown
        .stdout
        .replace(&*at.canonicalize().expect("it exists").to_string_lossy(), "");
    snapshot("show_config", &text);
    // What is shown is a configuration that says the same.
    write(at, "same.toml", &shown.stdout);
    let again = run(at, &["check", "--show-config", "--config", "same.toml"]);
    let body = |text: &str| text.split_once('\n').map(|(_, body)| body.to_owned());
    assert_eq!(body(&again.stdout), body(&shown.stdout));
}

#[test]
fn findings_are_counted_by_rule_and_stages_are_timed() {
    let project = project("");
    let counted = run(project.path(), &["check", "--statistics"]);
    assert_eq!(counted.status, 1);
    assert_eq!(
        counted.stdout,
        "findings  files  severity  rule\n       3      3  error     mid-turn-cut\n       3      3  warn      persisted-state\n"
    );
    let clash = run(project.path(), &["check", "--statistics", "--format", "json"]);
    assert_eq!((clash.status, clash.stdout.as_str()), (2, ""));
    let both = run(
        project.path(),
        &["check", "--statistics", "--format", "json=report.json"],
    );
    assert_eq!(both.stdout, counted.stdout);
    assert!(project.path().join("report.json").is_file());
    let timed = run(project.path(), &["check", "--timings", "-q", "--no-cache"]).stderr;
    for stage in ["reading and parsing", "building facts", "rule mid-turn-cut"] {
        assert!(
            timed.lines().any(|line| line.ends_with(&format!(" ms  {stage}"))),
            "{timed}"
        );
    }
}

#[test]
fn a_mistake_in_use_is_explained_and_exits_with_2() {
    let project = project("");
    let at = project.path();
    write(at, "folder.json/x", "");
    let mistakes = [
        &["check", "--exclude", "[z-a]"][..],
        &["check", "--changed"],
        &["check", "--changed", "desk"],
        &["check", "--add-ignore", " "],
        &["check", "--files-from", "missing"],
        &["check", "--files-from", "list", "desk"],
        &["check", "-"],
        &["check", "desk", "--stdin-filename", "a.py"],
        &["check", "-", "--stdin-filename", "a.py", "--fix"],
        &["check", "--format", "json=missing/report.json"],
        &["check", "--format", "sarif=folder.json"],
        &["check", "--write-baseline", "--baseline", "missing/known.json"],
        &["check", "--baseline", "missing.json"],
        &["check", "--fix", "--changed"],
        &["check", "--config", "missing.toml"],
        &["check", "missing"],
        &["init", "missing"],
    ];
    let session = mistakes.map(|arguments: &[&str]| {
        let run = run(at, arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {}", run.stderr);
        format!("$ ctxlint {}\n{}", arguments.join(" "), run.stderr)
    });
    snapshot("use_mistakes", &session.join("\n"));
}

/// What the documentation shows is read, and shows every key there is.
#[test]
fn the_example_of_the_documentation_is_a_configuration() {
    let text = std::fs::read_to_string(support::repository().join("docs/configuration.md")).expect("the page is there");
    let (_, rest) = text.split_once("```toml\n").expect("it shows a file");
    let (example, _) = rest.split_once("```").expect("the fence is closed");
    let shown: toml::Table = example.parse().expect("it is TOML");
    let schema = std::fs::read_to_string(support::repository().join("docs/ctxlint.schema.json")).expect("it is there");
    let schema: serde_json::Value = serde_json::from_str(&schema).expect("it is JSON");
    let keys = schema["properties"].as_object().expect("the keys of a configuration");
    let missing: Vec<&String> = keys.keys().filter(|key| !shown.contains_key(*key)).collect();
    assert_eq!(missing, [""; 0]);
    let project = project("");
    write(project.path(), "ctxlint.toml", example);
    write(
        project.path(),
        "ctxlint-baseline.json",
        "{\"version\": 1, \"findings\": []}",
    );
    let run = run(project.path(), &["check", "desk/agent.py", "--format", "concise"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
}

/// Three messages of a conversation, and the same three once more.
const TWICE: &str = r#"{"role": "user", "content": "Order brake pads."}
{"role": "assistant", "content": "Which ones?"}
{"role": "user", "content": "The black ones."}
{"role": "assistant", "content": "Done."}
{"role": "user", "content": "Order brake pads."}
{"role": "assistant", "content": "Which ones?"}
{"role": "user", "content": "The black ones."}
"#;

#[test]
fn two_rules_have_a_number_that_a_project_may_set() {
    let found = |config: &str, run: &str, rule: &str| {
        let folder = folder();
        write(folder.path(), "run.jsonl", run);
        write(folder.path(), "ctxlint.toml", config);
        let audit = support::run(
            folder.path(),
            &["audit", "run.jsonl", "--select", rule, "--format", "concise"],
        );
        assert_eq!(audit.stderr, "", "{config}");
        let lines = audit
            .stdout
            .lines()
            .filter_map(|line| line.split(':').nth(1)?.parse::<u32>().ok());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(found("", TWICE, "duplicate-message"), [0; 0]);
    assert_eq!(
        found("[rules.duplicate-message]\nrepeats = 3\n", TWICE, "duplicate-message"),
        [7]
    );
    assert_eq!(
        found("[rules.duplicate-message]\nrepeats = 2\n", TWICE, "duplicate-message"),
        [6]
    );
    let late = std::fs::read_to_string(support::repository().join("examples/defective/session.jsonl"));
    let late = late.expect("the example is there");
    assert_eq!(found("", &late, "skipped-injection"), [11], "in turn 4");
    assert_eq!(
        found("[rules.skipped-injection]\nfrom-turn = 4\n", &late, "skipped-injection"),
        [11]
    );
    assert_eq!(
        found("[rules.skipped-injection]\nfrom-turn = 5\n", &late, "skipped-injection"),
        [0; 0]
    );
}
