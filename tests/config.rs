//! `ctxlint.toml`: a project's own words, and what is said where the file is wrong.

mod support;

use support::{folder, run, snapshot, write};

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
fn what_is_wrong_with_a_configuration_is_shown_in_it() {
    let adapter = "[[transcripts.adapter]]\nname = \"desk\"\nrole = \"/a\"\ncontent = \"/b\"\n";
    let two_adapters = format!("{adapter}\n{adapter}");
    let mistakes = [
        // Unknown keys, at every depth.
        ("ctxlint.toml", "[vocabulary]\n[vocabulry]\n"),
        ("ctxlint.toml", "[vocabulary.history]\ntypes = []\nname = []\n"),
        ("ctxlint.toml", "[vocabulary]\nmesage = []\n"),
        ("ctxlint.toml", "[vocabulary.history]\ntypes = []\nzebra = []\n"),
        (
            "pyproject.toml",
            "[project]\nname = \"desk\"\n\n[tool.ctxlint]\nexcludes = []\n",
        ),
        ("ctxlint.toml", "[transcripts.markers.injected]\ntag = [\"note\"]\n"),
        // Unknown values.
        (
            "ctxlint.toml",
            "[[vocabulary.message]]\nnames = [\"Note\"]\nrole = \"sistem\"\n",
        ),
        (
            "ctxlint.toml",
            "[[vocabulary.hook]]\nnames = [\"on_ask\"]\neffect = \"persist\"\n",
        ),
        ("ctxlint.toml", "fail-on = \"warning\"\n"),
        // Unknown rules.
        ("ctxlint.toml", "ignore = [\"id-swap\", \"mid-turn-cuts\"]\n"),
        ("ctxlint.toml", "[rules.id-swop]\nseverity = \"off\"\n"),
        ("ctxlint.toml", "[per-path-ignores]\n\"tests/\" = [\"xyzzy\"]\n"),
        // A key that another rule has.
        ("ctxlint.toml", "[rules.id-swap]\nrepeats = 6\n"),
        // Wrong types.
        ("ctxlint.toml", "[vocabulary.history]\nnames = \"ledger\"\n"),
        ("ctxlint.toml", "pedantic = \"yes\"\n"),
        ("ctxlint.toml", "vocabulary = 3\n"),
        ("ctxlint.toml", "baseline = true\n"),
        // Patterns that are none, and text that is no TOML.
        ("ctxlint.toml", "exclude = [\"vendor/\", \"[z-a].py\"]\n"),
        ("ctxlint.toml", "[per-path-ignores]\n\"\" = [\"cuts\"]\n"),
        ("ctxlint.toml", "exclude = [\"vendor/\"\n"),
        // Adapters for home-made logs.
        (
            "ctxlint.toml",
            "[[transcripts.adapter]]\nname = \"openai-chat\"\nrole = \"/a\"\ncontent = \"/b\"\n",
        ),
        (
            "ctxlint.toml",
            "[[transcripts.adapter]]\nname = \"\"\nrole = \"/a\"\ncontent = \"/b\"\n",
        ),
        ("ctxlint.toml", two_adapters.as_str()),
        (
            "ctxlint.toml",
            "[[transcripts.adapter]]\nname = \"desk\"\nrole = \"msg/who\"\ncontent = \"/b\"\n",
        ),
        (
            "ctxlint.toml",
            "[[transcripts.adapter]]\nname = \"desk\"\ncontent = \"/b\"\n",
        ),
        (
            "ctxlint.toml",
            "[[transcripts.adapter]]\nname = \"desk\"\nrole = \"/a\"\n",
        ),
        (
            "ctxlint.toml",
            "[[transcripts.adapter]]\nname = \"desk\"\nrole = \"/a\"\ncontents = \"/b\"\n",
        ),
        (
            "ctxlint.toml",
            "[[transcripts.adapter]]\nname = \"desk\"\nrole = \"/a\"\ncontent = \"/b\"\nroles.user = [\"x\"]\n\
             roles.tool = [\"x\"]\n",
        ),
        ("ctxlint.toml", "[transcripts.adapter]\nname = \"desk\"\n"),
    ];
    let session = mistakes.map(|(name, config)| {
        let folder = folder();
        write(folder.path(), "agent.py", CUT);
        write(folder.path(), name, config);
        let [check, map] = ["check", "map"].map(|command| run(folder.path(), &[command]));
        assert_eq!((check.status, check.stdout.as_str()), (2, ""), "{config}");
        assert_eq!(
            (map.status, map.stderr.as_str()),
            (2, check.stderr.as_str()),
            "{config}"
        );
        let above = folder.path().canonicalize().expect("it exists");
        check.stderr.replace(&*above.to_string_lossy(), "")
    });
    snapshot("config_mistakes", &session.join("\n"));
    let folder = folder();
    let missing = run(folder.path(), &["check", "--config", "elsewhere.toml"]);
    assert_eq!((missing.status, missing.stdout.as_str()), (2, ""));
    assert_eq!(
        missing.stderr,
        "ctxlint: elsewhere.toml: the configuration cannot be read: No such file or directory (os error 2)\n  \
         help: name another with --config FILE, or go without with --isolated\n"
    );
    write(folder.path(), "pyproject.toml", "[project]\nname = \"desk\"\n");
    let lacking = run(folder.path(), &["check", "--config", "pyproject.toml"]);
    assert_eq!(
        (lacking.status, lacking.stderr.as_str()),
        (
            2,
            "ctxlint: pyproject.toml: there is no table `[tool.ctxlint]` in this file\n  \
             help: add the table, or name another file with --config FILE\n"
        )
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
