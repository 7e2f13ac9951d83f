//! `check`: from source files to findings.

mod counterexample;
mod discover;
mod dump;
mod facts;
mod flow;
mod ir;
mod lang;
mod mending;
mod project;
mod rules;
mod scope;
mod sites;
mod source;
mod vocabulary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::Finding;
use crate::outcome::{Comment, FileKind, FileReport, Outcome, Problem, ProblemKind};
use discover::Found;
use ir::Module;
use lang::Language;
use mending::Mendable;
use project::{ModuleIx, Project};
pub use sites::{Condition, Does, Site};
use source::Source;
pub(crate) use vocabulary::ProjectWords;
pub use vocabulary::Words;

/// The stack of a worker. Code is refused beyond a depth; up to there everything may recurse.
const STACK_BYTES: usize = 64 << 20;

/// What to check.
#[derive(Clone, Debug, Default)]
pub struct CheckOptions {
    /// Files and folders, as the user named them.
    pub paths: Vec<PathBuf>,
    /// What stands for the text of a file, by its path as in findings: a fix that is not written yet.
    pub texts: Texts,
    /// What the project's own code calls things.
    pub words: Words,
}

/// Texts of files, by their paths.
pub type Texts = BTreeMap<PathBuf, Arc<str>>;

/// Checks code. Every rule runs; the caller filters.
#[must_use]
pub fn check(options: &CheckOptions) -> Outcome {
    on_workers(|| {
        let (found, problems) = discover::files(&options.paths);
        let mut outcome = Outcome {
            problems,
            ..Outcome::default()
        };
        let read: Vec<Read> = found.par_iter().map(|file| read(file, &options.texts)).collect();
        let mut modules = Vec::new();
        let mut sources = Vec::new();
        let mut mendable = FxHashSet::default();
        for (file, read) in found.iter().zip(read) {
            // What was read with a complaint is not the file that would be written.
            let whole = read.problems.is_empty();
            outcome.problems.extend(read.problems);
            let Some((module, text)) = read.lowered else {
                continue;
            };
            if whole {
                mendable.insert(&*file.path);
            }
            outcome.comments.extend(comments(&module));
            outcome.files.push(FileReport {
                path: file.path.clone(),
                kind: FileKind::Code {
                    language: module.language,
                },
            });
            sources.push((file.path.clone(), text));
            modules.push(module);
        }
        outcome.findings = rules::run(&Project::new(modules), options.words.vocabulary());
        let languages = found.iter().map(|file| (&*file.path, file.language));
        let languages: FxHashMap<&Path, Language> = languages.filter(|(path, _)| mendable.contains(path)).collect();
        let files = sources.iter().filter_map(|(path, text)| {
            let language = *languages.get(&**path)?;
            Some((&**path, Mendable { language, text }))
        });
        mending::spell(&mut outcome.findings, &files.collect());
        // A comment that hides nothing is a finding too, made later.
        let commented = outcome.comments.iter().map(|comment| &*comment.path);
        let fixed = outcome
            .findings
            .iter()
            .filter_map(|finding| Some(&*finding.fix.as_ref()?.path));
        let findings = outcome.findings.iter().map(Finding::path);
        let named: FxHashSet<&Path> = findings.chain(commented).chain(fixed).collect();
        sources.retain(|(path, _)| named.contains(&**path));
        outcome.sources = sources.into_iter().collect();
        outcome
    })
}

/// What `map` shows.
#[derive(Debug, Default)]
pub struct Mapped {
    /// The places that put something into a history or change it, by file and place.
    pub sites: Vec<Site>,
    /// How many files were read.
    pub files: usize,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// The places of a project that put something into a history or change it.
#[must_use]
pub fn map(options: &CheckOptions) -> Mapped {
    on_workers(|| {
        let (found, mut problems) = discover::files(&options.paths);
        let read: Vec<Read> = found.par_iter().map(|file| read(file, &options.texts)).collect();
        let mut modules = Vec::new();
        let mut texts: FxHashMap<PathBuf, Arc<str>> = FxHashMap::default();
        for (file, read) in found.iter().zip(read) {
            problems.extend(read.problems);
            if let Some((module, text)) = read.lowered {
                texts.insert(file.path.clone(), text);
                modules.push(module);
            }
        }
        let files = modules.len();
        let project = Project::new(modules);
        let mut sites = sites::find(&facts::Facts::of(&project, options.words.vocabulary()));
        for guard in sites.iter_mut().filter_map(|site| site.guard.as_mut()) {
            if let Some(text) = texts.get(&guard.span.path) {
                guard.text = source::within(text, &guard.span);
            }
        }
        Mapped { sites, files, problems }
    })
}

/// What the analysis sees in a file, or in the function around a line of it: the facts that rules
/// go by, then the program that they were found in.
pub fn facts(path: &Path, line: Option<u32>, words: &Words) -> Result<String, Problem> {
    on_workers(|| {
        let module = one_module(path)?;
        let program = dumped(&module, line);
        let project = Project::new(vec![module]);
        let seen = facts::Facts::of(&project, words.vocabulary()).describe(ModuleIx(0));
        let shown: Vec<String> = seen
            .iter()
            .filter(|one| line.is_none_or(|line| one.line == line))
            .map(|one| format!("{}:{}  {}: {}\n", one.line, one.column, one.kind, one.text))
            .collect();
        Ok(format!("{}\n{program}", shown.concat()))
    })
}

/// The program that a file, or the function around a line of it, is lowered to.
pub fn program(path: &Path, line: Option<u32>) -> Result<String, Problem> {
    on_workers(|| Ok(dumped(&one_module(path)?, line)))
}

fn dumped(module: &Module, line: Option<u32>) -> String {
    match line {
        Some(line) => dump::around(module, line),
        None => dump::module(module),
    }
}

/// The module of a single file.
fn one_module(path: &Path) -> Result<Module, Problem> {
    let (found, problems) = discover::files(&[path.to_owned()]);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    let (lowered, problems) = found
        .first()
        .map(|file| read(file, &Texts::new()))
        .map_or((None, Vec::new()), |read| (read.lowered, read.problems));
    lowered.map(|(module, _)| module).ok_or_else(|| {
        problems.into_iter().next().unwrap_or_else(|| Problem {
            path: path.to_owned(),
            line: None,
            message: "facts are shown for one file at a time".to_owned(),
            help: Some("name a source file, or a line of one as FILE:LINE".to_owned()),
            kind: ProblemKind::Failed,
        })
    })
}

/// What became of one file.
struct Read {
    lowered: Option<(Module, Arc<str>)>,
    problems: Vec<Problem>,
}

fn read(file: &Found, texts: &Texts) -> Read {
    let given = texts.get(&file.path).map(|text| Source {
        text: Arc::clone(text),
        complaint: None,
    });
    let source = match given.map_or_else(|| source::read(&file.path), Ok) {
        Ok(source) => source,
        Err(problem) => {
            return Read {
                lowered: None,
                problems: vec![problem],
            };
        }
    };
    if file.language.is_bundled()
        && let Some(line) = source::bundled(&source.text)
    {
        return Read {
            lowered: None,
            problems: vec![Problem {
                path: file.path.clone(),
                line: Some(line),
                message: "the file is a bundle: a program put it together, as this line shows".to_owned(),
                help: Some("check the files that it was made of".to_owned()),
                kind: ProblemKind::Refused,
            }],
        };
    }
    match file.language.lower(&file.path, &source.text) {
        Ok(mut module) => {
            module.is_test = file.language.is_test(&file.relative);
            module.package = package(file);
            let unparsed = module.unparsed.map(|line| Problem {
                path: file.path.clone(),
                line: Some(line),
                message: format!(
                    "what stands here cannot be parsed as {}; the rest of the file is checked",
                    module.language
                ),
                help: Some("a place that cannot be parsed may hide what a rule looks for".to_owned()),
                kind: ProblemKind::Refused,
            });
            Read {
                lowered: Some((module, source.text)),
                problems: source.complaint.into_iter().chain(unparsed).collect(),
            }
        }
        Err(refusal) => Read {
            lowered: None,
            problems: vec![Problem {
                path: file.path.clone(),
                line: Some(refusal.line),
                message: refusal.message,
                help: Some(refusal.help.to_owned()),
                kind: ProblemKind::Refused,
            }],
        },
    }
}

/// The package that a file is the root of.
fn package(file: &Found) -> Option<ir::Package> {
    let manifests = file.language.manifests(&file.path);
    manifests.iter().find_map(|path| {
        let manifest = source::read(path).ok()?;
        file.language.package(path.parent()?, &manifest.text)
    })
}

/// Whether a text that is to become that of a file can be parsed from its first line to its last.
#[must_use]
pub fn parses(path: &Path, text: &str) -> bool {
    on_workers(|| {
        let lowered = Language::of(path).map(|language| language.lower(path, text));
        matches!(lowered, Some(Ok(module)) if module.unparsed.is_none())
    })
}

/// The comments that speak to ctxlint.
fn comments(module: &Module) -> impl Iterator<Item = Comment> {
    module
        .comments
        .iter()
        .filter(|comment| comment.text.contains("ctxlint"))
        .map(|comment| Comment {
            path: module.path.clone(),
            start: comment.at,
            text: comment.text.clone(),
            own_line: comment.own_line,
        })
}

/// Runs on as many threads as the caller has, with stacks for deep code.
fn on_workers<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(rayon::current_num_threads())
        .stack_size(STACK_BYTES)
        .build();
    match pool {
        Ok(pool) => pool.install(run),
        // No more threads are to be had: the caller's own must do.
        Err(_) => run(),
    }
}
