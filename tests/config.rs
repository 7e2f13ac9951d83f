//! `ctxlint.toml`: a project's own words, and what is said where the file is wrong.

mod support;

use support::{folder, run, write};

const WORDS: &str = r#"
[vocabulary.history]
names = ["ledger"]
types = ["Entry"]

[[vocabulary.message]]
names = ["Remark"]
role = "user"
positional = ["content"]

[[vocabulary.hook]]
names = ["on_ask"]
effect = "persists"
runs = "turn"

[[vocabulary.reducer]]
names = ["fold_ledger"]
kind = "merge-by-id"
"#;

const CUT: &str = "def recent(ledger: list[Entry]):\n    return ledger[-20:]\n";

/// Code that only the project's words make anything of, and what is reported then.
const KNOWN_BY_WORDS: [(&str, &str); 3] = [
    (CUT, "agent.py:2:12: error mid-turn-cut"),
    (
        "from datetime import datetime\n\n\nclass Clock(Plugin):\n    def on_ask(self, state):\n        \
         return {\"messages\": [Remark(f\"It is {datetime.now()}.\")]}\n",
        "agent.py:6:30: error persisted-state",
    ),
    (
        "from typing import Annotated, TypedDict\n\n\nclass Desk(TypedDict):\n    ledger: Annotated[list, fold_ledger]\n\n\n\
         class Trimmer(Plugin):\n    def on_ask(self, state: Desk):\n        return {\"ledger\": state[\"ledger\"][-20:]}\n",
        "agent.py:10:27: error ignored-trim",
    ),
];

#[test]
fn a_project_names_its_own_things() {
    for (source, expected) in KNOWN_BY_WORDS {
        let folder = folder();
        write(folder.path(), "agent.py", source);
        let without = run(folder.path(), &["check", "--format", "concise"]);
        assert_eq!((without.status, without.stdout.as_str()), (0, ""), "{source}");
        write(folder.path(), "ctxlint.toml", WORDS);
        let with = run(folder.path(), &["check", "--format", "concise"]);
        assert_eq!(with.status, 1, "{source}");
        assert!(with.stdout.starts_with(expected), "{}", with.stdout);
        assert_eq!(with.stdout.lines().count(), 1, "{}", with.stdout);
    }
}

#[test]
fn the_nearest_file_above_counts_unless_another_is_named_or_none_wanted() {
    let folder = folder();
    std::fs::create_dir_all(folder.path().join("src/deep")).expect("the folder is new");
    write(folder.path(), "src/deep/agent.py", CUT);
    write(folder.path(), "ctxlint.toml", WORDS);
    write(folder.path(), "src/ctxlint.toml", "");
    write(folder.path(), "words.toml", WORDS);
    let status = |arguments: &[&str]| run(folder.path(), arguments).status;
    assert_eq!(status(&["check", "src/deep"]), 0, "the empty one is nearer");
    assert_eq!(status(&["check", "src/deep", "--config", "words.toml"]), 1);
    std::fs::remove_file(folder.path().join("src/ctxlint.toml")).expect("it was written above");
    assert_eq!(status(&["check", "src/deep"]), 1);
    assert_eq!(status(&["check", "src/deep", "--isolated"]), 0);
    let facts = |more: &[&str]| {
        let mut arguments = vec!["facts", "src/deep/agent.py"];
        arguments.extend(more);
        run(folder.path(), &arguments).stdout
    };
    assert!(facts(&[]).contains("2:12  cut:"), "{}", facts(&[]));
    assert!(!facts(&["--isolated"]).contains("cut:"));
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line() {
    let complaint = |config: &str, arguments: &[&str]| {
        let folder = folder();
        write(folder.path(), "agent.py", CUT);
        write(folder.path(), "ctxlint.toml", config);
        let run = run(folder.path(), arguments);
        assert_eq!((run.status, run.stdout.as_str()), (2, ""), "{config}");
        let shown = run
            .stderr
            .replace(&*folder.path().canonicalize().expect("it exists").to_string_lossy(), "");
        shown.trim_end().to_owned()
    };
    for command in ["check", "map"] {
        assert_eq!(
            complaint("[vocabulary]\n[vocabulry]\n", &[command]),
            "ctxlint: /ctxlint.toml:2: unknown key `vocabulry`; did you mean `vocabulary`?"
        );
    }
    assert_eq!(
        complaint("[vocabulary.history]\nnames = \"ledger\"\n", &["check"]),
        "ctxlint: /ctxlint.toml:2: invalid type: string \"ledger\", expected a sequence"
    );
    let known = [
        (
            "[vocabulary.history]\ntypes = []\nname = []\n",
            "3: unknown key `name`; did you mean `names`?",
        ),
        (
            "[vocabulary]\nmesage = []\n",
            "2: unknown key `mesage`; did you mean `message`?",
        ),
        (
            "[[vocabulary.message]]\nnames = [\"Note\"]\nrole = \"sistem\"\n",
            "3: unknown value `sistem`; did you mean `system`?",
        ),
        (
            "[[vocabulary.hook]]\nnames = [\"on_ask\"]\neffect = \"persist\"\n",
            "3: unknown value `persist`; did you mean `persists`?",
        ),
    ];
    for (config, expected) in known {
        assert_eq!(
            complaint(config, &["check"]),
            format!("ctxlint: /ctxlint.toml:{expected}")
        );
    }
    let unknown = complaint("[vocabulary.history]\ntypes = []\nzebra = []\n", &["check"]);
    assert!(
        unknown.starts_with("ctxlint: /ctxlint.toml:3: unknown field `zebra`, expected one of"),
        "{unknown}"
    );
    let missing = complaint("", &["check", "--config", "elsewhere.toml"]);
    assert!(
        missing.starts_with("ctxlint: elsewhere.toml: the configuration cannot be read:"),
        "{missing}"
    );
}

#[test]
fn the_example_of_the_documentation_is_read() {
    let text =
        std::fs::read_to_string(support::repository().join("docs/vocabulary.md")).expect("the document is there");
    let (_, rest) = text.split_once("```toml\n").expect("it shows the table");
    let (example, _) = rest.split_once("```").expect("the fence is closed");
    let folder = folder();
    write(folder.path(), "ctxlint.toml", example);
    write(
        folder.path(),
        "agent.py",
        "def answer(desk):\n    ledger = load()\n    return desk.ask(ledger[-20:])\n",
    );
    let run = run(folder.path(), &["check", "--format", "concise"]);
    assert_eq!((run.status, run.stderr.as_str()), (1, ""));
    assert!(
        run.stdout.starts_with("agent.py:3:21: error mid-turn-cut"),
        "{}",
        run.stdout
    );
}
