//! Code that is silent for what its names say. The examples on the rule pages are also run with other
//! names, so that these stand here.

mod support;

use support::{folder, run, write};

#[track_caller]
fn silent(source: &str) {
    let folder = folder();
    write(folder.path(), "agent.py", source);
    let run = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!((run.status, run.stdout.as_str()), (0, ""), "{source}");
}

#[track_caller]
fn reported(source: &str) {
    let folder = folder();
    write(folder.path(), "agent.py", source);
    let run = run(folder.path(), &["check", "--format", "concise"]);
    assert!(
        run.status == 1 && run.stdout.contains("mid-turn-cut"),
        "{}{source}",
        run.stdout
    );
}

#[test]
fn what_goes_into_a_summary_is_no_history() {
    let source = |name: &str| {
        format!(
            "def ask(client, messages: list[dict], kept):\n    {name} = messages[1:-kept]\n    \
             return client.chat.completions.create(model='m', messages={name})\n"
        )
    };
    silent(&source("to_summarize"));
    reported(&source("recent"));
}

#[test]
fn a_page_of_stored_messages_is_no_history() {
    let source = |before: &str, after: &str, limit: &str| {
        format!(
            "def page(messages: list[dict], {before}, {after}, {limit}):\n    if {before} and {after}:\n        \
             middle = len(messages) // 2\n        messages = messages[middle - {limit} : middle + {limit}]\n    \
             return messages\n\n\ndef show(store, client, first, last):\n    \
             messages = page(store.load_messages(), first, last, 20)\n    \
             return client.chat.completions.create(model='m', messages=messages)\n"
        )
    };
    silent(&source("before", "after", "limit"));
    reported(&source("odd", "even", "size"));
}
