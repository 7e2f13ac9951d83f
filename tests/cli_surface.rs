//! What the command line says about itself, and how it takes mistakes.

mod support;

use support::{folder, repository, run, snapshot, write};

#[test]
fn help_texts() {
    for (name, arguments) in [
        ("help", &["--help"][..]),
        ("help_check", &["check", "--help"]),
        ("help_audit", &["audit", "--help"]),
        ("help_replay", &["replay", "--help"]),
        ("help_map", &["map", "--help"]),
        ("help_facts", &["facts", "--help"]),
        ("help_fold", &["fold", "--help"]),
        ("help_explain", &["explain", "--help"]),
        ("help_rules", &["rules", "--help"]),
        ("help_completions", &["completions", "--help"]),
        ("help_man", &["man", "--help"]),
    ] {
        let run = run(repository(), arguments);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{name}");
        snapshot(name, &run.stdout);
    }
}

#[test]
fn the_table_of_rules() {
    let run = run(repository(), &["rules"]);
    assert_eq!(run.status, 0);
    snapshot("rules_table", &run.stdout);
}

#[test]
fn the_sites_that_touch_a_history() {
    let folder = folder();
    write(folder.path(), "agent.py", SITES);
    for (name, format) in [("map_human", "human"), ("map_md", "md"), ("map_json", "json")] {
        let run = run(folder.path(), &["map", "--format", format]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{name}");
        snapshot(name, &run.stdout);
    }
    let nothing = run(folder.path(), &["map", "missing.py"]);
    assert_eq!((nothing.status, nothing.stdout.as_str()), (2, ""));
}

/// One site of each kind.
const SITES: &str = r#"from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage, RemoveMessage, SystemMessage


class Notes(AgentMiddleware):
    def before_model(self, state, runtime):
        if self.is_due and not self.told:
            return {"messages": [HumanMessage("The kiln is hot.", name="note")]}
        return None

    def wrap_model_call(self, request, handler):
        return handler(request.override(messages=[*request.messages, HumanMessage("Now.", name="now")]))


def swap(state):
    first = next(m for m in state["messages"] if isinstance(m, HumanMessage))
    note = SystemMessage("Note.", id=first.id)
    return {"messages": [note, HumanMessage(first.content, id=f"{first.id}-again")]}


def forget(state):
    return {"messages": [RemoveMessage(id=m.id) for m in state["messages"][:-4]]}


def greet(client, history: list[dict]):
    first = next(m for m in history if m["role"] == "user")
    first["content"] = "Hello. " + first["content"]
    return client.chat.completions.create(model="m", messages=history[-6:])
"#;

#[test]
fn a_mistake_on_the_command_line_is_explained_and_exits_with_2() {
    let empty = folder();
    let mistakes = [
        &[][..],
        &["check", "--select", "head-scan-atach"],
        &["check", "--ignore", "xyzzy"],
        &["check", "--format", "xml"],
        &["check", "--format", "agents"],
        &["check", "--format", "json="],
        &["check", "--format", "json", "--format", "human"],
        &["check", "--format", "json=out", "--format", "concise=./out"],
        &["check", "--fail-on", "fatal"],
        &["check", "-j", "0"],
        &["check", "-q", "-v"],
        &["explain", "id-swop"],
    ];
    let session = mistakes.map(|arguments: &[&str]| {
        let run = run(empty.path(), arguments);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{arguments:?}");
        format!("$ ctxlint {}\n{}", arguments.join(" "), run.stderr)
    });
    snapshot("usage_mistakes", &session.join("\n"));
}

#[test]
fn explain_prints_every_page() {
    for rule in ctxlint::rule::RULES {
        let run = run(repository(), &["explain", rule.id()]);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{}", rule.id());
        assert!(
            run.stdout
                .starts_with(&format!("# {}\n\n{}.\n", rule.id(), rule.summary())),
            "{}",
            run.stdout
        );
        for heading in [
            "What it does",
            "Why it matters",
            "Examples",
            "How to mend",
            "Known limits",
        ] {
            assert!(
                run.stdout.contains(&format!("\n## {heading}\n")),
                "{} lacks {heading}",
                rule.id()
            );
        }
    }
}
