//! What `check` leaves unread, and what leads it to a file all the same.

mod support;

use support::{folder, run, write};

/// A helper without a word about a conversation.
const HELPER: &str = "def newest(items, count):\n    return items[-count:]\n";

/// The same, broken: a file that is read is complained about.
const BROKEN: &str = "def newest(items, count:\n    return items[-count:]\n";

const AGENT: &str = "\
from shared.lists import newest


def ask(client, messages: list[dict]):
    kept = newest(messages, 8)
    return client.chat.completions.create(model=\"m\", messages=kept)
";

#[test]
fn a_file_without_a_word_about_a_conversation_is_not_parsed() {
    let folder = folder();
    write(folder.path(), "shared/lists.py", BROKEN);
    let walked = run(folder.path(), &["check"]);
    assert_eq!((walked.status, walked.stderr.as_str()), (0, ""));
    assert!(walked.stdout.contains("checked 1 file"), "{}", walked.stdout);
    let named = run(folder.path(), &["check", "shared/lists.py"]);
    assert!(named.stderr.contains("shared/lists.py:1: "), "{}", named.stderr);
}

#[test]
fn an_import_leads_to_it() {
    let folder = folder();
    write(folder.path(), "shared/__init__.py", "");
    write(folder.path(), "shared/lists.py", "from shared.rest import newest\n");
    write(folder.path(), "shared/rest.py", HELPER);
    write(folder.path(), "agent.py", AGENT);
    let found = run(folder.path(), &["check", "--format", "concise"]);
    assert!(
        found.stdout.contains("shared/rest.py:2:12: error mid-turn-cut"),
        "{}",
        found.stdout
    );
}

#[test]
fn a_comment_that_hides_nothing_is_found_wherever_it_stands() {
    let folder = folder();
    write(
        folder.path(),
        "lists.py",
        format!("{HELPER}# ctxlint: ignore[mid-turn-cut]\n"),
    );
    let found = run(folder.path(), &["check", "--format", "concise"]);
    assert!(found.stdout.contains("unused-ignore"), "{}", found.stdout);
}

const ASK: &str = "\
use rig::completion::Message;

pub struct Desk {
    history: Vec<Message>,
}

impl Desk {
    pub async fn ask(&mut self, agent: &Agent) -> String {
        crate::lists::shorten(&mut self.history, 8);
        agent.chat(\"go on\", self.history.clone()).await
    }
}
";

#[test]
fn rust_reaches_files_by_paths_that_nothing_imports() {
    let folder = folder();
    write(folder.path(), "src/lib.rs", "pub mod lists;\npub mod ask;\n");
    write(
        folder.path(),
        "src/lists.rs",
        "pub fn shorten<T>(items: &mut Vec<T>, count: usize) {\n    items.drain(..count);\n}\n",
    );
    write(folder.path(), "src/ask.rs", ASK);
    let found = run(folder.path(), &["check", "--format", "concise"]);
    assert!(
        found.stdout.contains("src/lists.rs:2:17: error mid-turn-cut"),
        "{}",
        found.stdout
    );
}
