//! The examples of a rule's page. `CONTRIBUTING.md` tells how they are written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ctxlint::code::{self, CheckOptions};
use ctxlint::finding::{Severity, Witness};
use ctxlint::outcome::Outcome;
use ctxlint::report::{Format, Half, Report};
use ctxlint::roots::Roots;
use ctxlint::select::Selection;
use ctxlint::transcript::{self, AuditOptions};
use regex::Regex;

use super::{folder, write};

/// One or more verdicts at the end of a line, behind a comment marker.
static MARKS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\s*(?:#|//)\s*((?:error|warn|info): \[[a-z-]+\](?:,\s*(?:error|warn|info): \[[a-z-]+\])*)\s*$")
        .expect("a constant pattern")
});

/// Files that are checked together, and what must come out.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    /// Where the first block stands, for messages.
    pub(crate) page: PathBuf,
    pub(crate) line: usize,
    pub(crate) witness: Witness,
    pub(crate) format: Option<String>,
    pub(crate) files: Vec<File>,
    pub(crate) output: Option<Output>,
}

#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    /// With its marks.
    pub(crate) text: String,
}

/// The text of an `output` block, and its lines in the page.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub(crate) text: String,
    pub(crate) lines: std::ops::Range<usize>,
}

/// A finding as a mark tells it: file, line, severity, rule.
pub(crate) type Verdict = (String, u32, Severity, String);

/// A fenced block.
struct Block {
    line: usize,
    language: String,
    title: Option<String>,
    format: Option<String>,
    text: String,
    lines: std::ops::Range<usize>,
    heading: usize,
}

/// Reads the examples of a page.
pub(crate) fn projects(page: &Path, markdown: &str) -> Vec<Project> {
    let mut projects: Vec<Project> = Vec::new();
    let mut open: Option<usize> = None;
    for block in blocks(page, markdown) {
        if block.language == "output" {
            let project = projects
                .last_mut()
                .unwrap_or_else(|| panic!("{}:{}: output of nothing", page.display(), block.line));
            project.output = Some(Output {
                text: block.text,
                lines: block.lines,
            });
            continue;
        }
        let (witness, name) = match block.language.as_str() {
            "py" => (Witness::Code, "agent.py"),
            "ts" => (Witness::Code, "agent.ts"),
            "rs" => (Witness::Code, "agent.rs"),
            "jsonl" => (Witness::Transcript, "run.jsonl"),
            other => panic!(
                "{}:{}: no examples are written in `{other}`",
                page.display(),
                block.line
            ),
        };
        let file = File {
            name: block.title.clone().unwrap_or_else(|| name.to_owned()),
            text: block.text,
        };
        // Titled blocks under one heading are the files of one project.
        let titled = block.title.is_some();
        match projects.last_mut().filter(|_| titled && open == Some(block.heading)) {
            Some(project) => {
                assert_eq!(
                    project.witness,
                    witness,
                    "{}:{}: code and records mixed",
                    page.display(),
                    block.line
                );
                project.files.push(file);
            }
            None => projects.push(Project {
                page: page.to_owned(),
                line: block.line,
                witness,
                format: block.format,
                files: vec![file],
                output: None,
            }),
        }
        open = titled.then_some(block.heading);
    }
    projects
}

/// The fenced blocks of the section `## Examples`.
fn blocks(page: &Path, markdown: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut in_examples = false;
    let mut heading = 0;
    let mut lines = markdown.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(title) = line.strip_prefix("## ") {
            in_examples = title == "Examples";
        } else if line.starts_with("### ") {
            heading = number;
        }
        let Some(info) = line.strip_prefix("```").filter(|_| in_examples) else {
            continue;
        };
        let mut text = String::new();
        let mut end = None;
        for (number, line) in lines.by_ref() {
            if line == "```" {
                end = Some(number);
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        let end = end.unwrap_or_else(|| panic!("{}:{}: the block has no end", page.display(), number + 1));
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or_default().to_owned();
        let mut block = Block {
            line: number + 1,
            language,
            title: None,
            format: None,
            text,
            lines: number + 1..end,
            heading,
        };
        for word in words {
            match word.split_once('=') {
                Some(("title", title)) => block.title = Some(title.trim_matches('"').to_owned()),
                Some(("format", format)) => block.format = Some(format.trim_matches('"').to_owned()),
                _ => panic!("{}:{}: `{word}` is no attribute", page.display(), number + 1),
            }
        }
        blocks.push(block);
    }
    blocks
}

impl Project {
    /// `page:line`, for messages.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.page.display(), self.line)
    }

    /// What the marks say.
    pub(crate) fn expected(&self) -> BTreeSet<Verdict> {
        let mut verdicts = BTreeSet::new();
        for file in &self.files {
            for (index, line) in file.text.lines().enumerate() {
                let Some(marks) = MARKS.captures(line) else { continue };
                for mark in marks[1].split(',') {
                    let (severity, rule) = mark.trim().split_once(": ").expect("the pattern says so");
                    let severity = Severity::parse(severity).expect("the pattern says so");
                    let rule = rule.trim_matches(['[', ']']).to_owned();
                    verdicts.insert((file.name.clone(), index as u32 + 1, severity, rule));
                }
            }
        }
        verdicts
    }

    /// Runs the half that reads such files, with all rules on and the choices of a plain run otherwise.
    /// Every file is read, so that what is silent was looked at.
    pub(crate) fn run(&self) -> (Outcome, BTreeSet<Verdict>) {
        self.run_reading(true)
    }

    /// The same, where files without the words that every rule needs may be left unread.
    pub(crate) fn run_reading(&self, every_file: bool) -> (Outcome, BTreeSet<Verdict>) {
        let folder = folder();
        for file in &self.files {
            write(folder.path(), &file.name, self.on_disk(&file.text));
        }
        let paths = vec![folder.path().to_owned()];
        // Records in a folder of this name are the older run.
        let older = folder.path().join("older");
        let (paths, against) = if self.witness == Witness::Transcript && older.is_dir() {
            let newer = self.files.iter().filter(|file| !file.name.starts_with("older/"));
            (newer.map(|file| folder.path().join(&file.name)).collect(), vec![older])
        } else {
            (paths, Vec::new())
        };
        let mut outcome = match self.witness {
            Witness::Code => code::check(&CheckOptions {
                paths,
                every_file,
                ..CheckOptions::default()
            }),
            Witness::Transcript => transcript::audit(&AuditOptions {
                paths,
                input_format: self.format.clone(),
                against,
                ..AuditOptions::default()
            }),
        };
        let all = Selection {
            pedantic: true,
            ..Selection::default()
        };
        all.apply(&mut outcome);
        let found = outcome.findings.iter().map(|finding| {
            let path = finding.path().strip_prefix(folder.path()).unwrap_or(finding.path());
            let rule = finding.rule().id().to_owned();
            (
                path.display().to_string(),
                finding.span().start.line,
                finding.severity,
                rule,
            )
        });
        let found = found.collect();
        (outcome, found)
    }

    /// Marks are comments in code; a record has no comments, so there they are taken away.
    fn on_disk(&self, text: &str) -> String {
        match self.witness {
            Witness::Code => text.to_owned(),
            Witness::Transcript => text
                .lines()
                .map(|line| MARKS.replace(line, "").into_owned() + "\n")
                .collect(),
        }
    }

    /// The human report of a run, without the folder it ran in.
    pub(crate) fn report(&self, outcome: &Outcome) -> String {
        let report = Report {
            width: 100,
            outcome,
            half: if self.witness == Witness::Code {
                Half::Check
            } else {
                Half::Audit
            },
            color: false,
            quiet: true,
            unsafe_fixes: false,
            coverage: false,
            cost: false,
            fail_on: ctxlint::finding::Severity::Warn,
            roots: &Roots::default(),
            rules: ctxlint::rule::RULES,
        };
        let mut text = Vec::new();
        Format::Human
            .write(&report, &mut text)
            .expect("a vector takes every write");
        let text = String::from_utf8(text).expect("reports are UTF-8");
        let folder = outcome.files.first().and_then(|file| file.path.parent());
        let prefix = folder
            .map(|folder| format!("{}/", folder.display()))
            .unwrap_or_default();
        format!("{}\n", text.replace(&prefix, "").trim_end())
    }

    /// What is wrong with this project, or nothing.
    pub(crate) fn disagreement(&self) -> Option<String> {
        let (outcome, found) = self.run();
        let expected = self.expected();
        if found == expected && outcome.problems.is_empty() {
            return None;
        }
        let problems = outcome
            .problems
            .iter()
            .map(|problem| format!("problem: {}", problem.message));
        let missing = expected.difference(&found);
        let missing =
            missing.map(|(file, line, severity, rule)| format!("missing: {file}:{line}: {severity} [{rule}]"));
        let unmarked = found.difference(&expected).map(|(file, line, severity, rule)| {
            let message = outcome.findings.iter().find(|finding| {
                finding.rule().id() == rule && finding.span().start.line == *line && finding.path().ends_with(file)
            });
            let message = message.map_or("", |finding| finding.message.as_str());
            format!("unmarked: {file}:{line}: {severity} [{rule}] {message}")
        });
        let lines: Vec<_> = problems.chain(missing).chain(unmarked).collect();
        Some(format!("{}:\n  {}", self.place(), lines.join("\n  ")))
    }
}
