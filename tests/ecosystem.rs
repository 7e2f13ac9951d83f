//! What `check` finds in real agent repositories, so that every change shows what it does to real code.
//!
//! Needs clones, so it runs only when asked; `CONTRIBUTING.md` tells how.

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ctxlint::code::{self, CheckOptions};
use ctxlint::select::Selection;
use support::{folder, snapshot, write};

/// The variable that names the folder with the clones.
const CLONES: &str = "CTXLINT_CLONES";

/// The repositories, each at one commit: nine in Python, six in TypeScript, five in Rust.
const REPOSITORIES: &[(&str, &str)] = &[
    ("Aider-AI/aider", "5dc9490bb35f9729ef2c95d00a19ccd30c26339c"),
    ("HKUDS/nanobot", "3852956a71a907e0db546e5cde05ffd5b8097671"),
    ("SWE-agent/mini-swe-agent", "a83fcae82d2a08f0ee0c688f9d137b3566c097f8"),
    ("assafelovic/gpt-researcher", "5d84d2f5553e70a2765a8ff3a0d2672d60437ce8"),
    ("bytedance/deer-flow", "f1f4af99bbf1cffb83a80744bf6e4a44ee8f24be"),
    ("gptme/gptme", "d27f98d3a55451491d00bbd20035d328e34219b1"),
    (
        "langchain-ai/open_deep_research",
        "408da442a661ea5e40a6163329f82e3f22628949",
    ),
    (
        "openai/openai-agents-python",
        "7f7a44f8dc0650296bd5ab6c745c9bcbaa6ac3b7",
    ),
    ("strands-agents/sdk-python", "1232230daa4385fd6470be29013eb2375d7a307c"),
    ("CodebuffAI/codebuff", "da0d57111a3501e2056b7aab2ce8a1fe233649e9"),
    (
        "Tarquinen/opencode-dynamic-context-pruning",
        "7b0e2e882fc86fa5de5534b2006c037fffc3dee6",
    ),
    ("badlogic/pi-mono", "83378aad7e74a0e2bb8f37c007a9685fb4609d8a"),
    ("google-gemini/gemini-cli", "5411f113cafae26161b4969b0237b8e1e024e2c2"),
    ("langchain-ai/open-swe", "9511f859a32a1cb604b6bae56eb229b847431110"),
    ("letta-ai/letta-code", "1f4d3e3ea3537763f36b633e52b289bdb0667c5b"),
    ("0xPlaygrounds/rig", "b75850e899498647563af2d644ee72d28ac7a69e"),
    ("antinomyhq/forge", "54cecac14984728f9a019974aa23c7617b103268"),
    ("spacedriveapp/spacebot", "ab2c16086f0237ed0ec212efb6c1061f37e37f0d"),
    ("stakpak/agent", "4e44be9ceea9b893f9a93a015c6efeac7b8e7520"),
    ("weiyuhl/codex-rs", "c8552b4cdd151c19746320013371dedcbdf6d5d9"),
];

/// Endings of the files that `check` reads.
const READ: &[&str] = &["py", "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "rs"];

#[test]
#[ignore = "needs clones of the repositories; see CONTRIBUTING.md"]
fn findings_in_real_repositories() {
    let clones = std::env::var_os(CLONES).unwrap_or_else(|| panic!("{CLONES} names the folder with the clones"));
    let mut lines = Vec::new();
    for (name, commit) in REPOSITORIES {
        let folder = folder();
        extract(&Path::new(&clones).join(name), commit, folder.path());
        lines.extend(
            findings(folder.path())
                .into_iter()
                .map(|line| format!("{name} {line}\n")),
        );
    }
    snapshot("ecosystem", &lines.concat());
}

/// What a plain run shows in a folder: path, line and rule of each finding, and no text of the files.
fn findings(folder: &Path) -> Vec<String> {
    let mut outcome = code::check(&CheckOptions {
        paths: vec![folder.to_owned()],
        ..CheckOptions::default()
    });
    Selection::default().apply(&mut outcome);
    let line = |finding: &ctxlint::finding::Finding| {
        let path = finding.path().strip_prefix(folder).unwrap_or(finding.path());
        let line = finding.span().start.line;
        format!("{}:{line} {} {}", path.display(), finding.severity, finding.rule().id())
    };
    outcome.findings.iter().map(line).collect()
}

/// Writes the files of a commit that `check` reads to a folder. The clone stays as it is, and may be bare.
fn extract(clone: &Path, commit: &str, to: &Path) {
    let mut batch = git(clone, &["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git can be started");
    let mut wanted = batch.stdin.take().expect("stdin is piped");
    let mut blobs = BufReader::new(batch.stdout.take().expect("stdout is piped"));
    for (id, path) in files(clone, commit) {
        // One at a time: neither side waits for the other with a full pipe.
        writeln!(wanted, "{id}").expect("git reads what it is asked for");
        let mut header = String::new();
        blobs.read_line(&mut header).expect("git answers");
        let size = header.trim_end().rsplit(' ').next().and_then(|size| size.parse().ok());
        let size: usize = size.unwrap_or_else(|| panic!("{}: {} is not in it", clone.display(), path.display()));
        let mut content = vec![0; size + 1];
        blobs
            .read_exact(&mut content)
            .expect("git writes a file and a line end");
        content.truncate(size);
        write(
            to,
            path.to_str().expect("paths in these repositories are UTF-8"),
            &content,
        );
    }
    drop(wanted);
    assert!(batch.wait().expect("git ends").success());
}

/// The regular files of a commit that `check` reads, by their object ids.
fn files(clone: &Path, commit: &str) -> Vec<(String, PathBuf)> {
    let listed = git(clone, &["ls-tree", "-r", "-z", commit])
        .output()
        .expect("git can be started");
    let complaint = String::from_utf8_lossy(&listed.stderr);
    assert!(
        listed.status.success(),
        "{} has no commit {commit}: {complaint}",
        clone.display()
    );
    let text = String::from_utf8(listed.stdout).expect("paths in these repositories are UTF-8");
    let file = |entry: &str| {
        let (meta, path) = entry.split_once('\t')?;
        let mut meta = meta.split(' ');
        let regular = meta.next().is_some_and(|mode| mode.starts_with("100"));
        let id = meta.nth(1)?.to_owned();
        let path = PathBuf::from(path);
        let ending = path.extension()?.to_str()?;
        (regular && READ.contains(&ending)).then_some((id, path))
    };
    text.split('\0').filter_map(file).collect()
}

fn git(clone: &Path, arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(clone).args(arguments);
    git
}
