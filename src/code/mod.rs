//! `check`: from source files to findings.

mod context;
mod counterexample;
mod discover;
mod dump;
mod facts;
mod flow;
mod inventory;
mod ir;
mod kept;
mod lang;
mod load;
mod memo;
mod mending;
mod project;
mod rules;
mod scope;
mod sites;
mod source;
mod surroundings;
mod vocabulary;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::exclude::Exclusion;
use crate::finding::Finding;
use crate::interrupt::Stop;
use crate::outcome::{Comment, FileKind, FileReport, Outcome, Problem, ProblemKind};
use context::Context;
pub(crate) use inventory::{Inventory, field, language};
use ir::Module;
pub use kept::Kept;
use lang::Language;
pub use load::Texts;
use mending::Mendable;
use project::{ModuleIx, Project};
pub use sites::{Condition, Does, Site};
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
    /// Which files are left out.
    pub exclusion: Exclusion,
    /// The folder of the project. Where only files are named, those that they import are read there.
    pub project: Option<PathBuf>,
    /// Whether a program listed the files, as in a hook: what they are for shows in the folders above them then. Who
    /// names a file in a folder of tests wants it checked.
    pub listed: bool,
    /// Whether files in folders are read although they lack the words that every rule needs somewhere and
    /// no file that has them imports them.
    pub every_file: bool,
    /// Whether files of the project are read too that may use what the named files have: what a function is for often
    /// shows only there.
    pub users: bool,
    /// What earlier runs have lowered; none where there is one run only.
    pub kept: Option<Arc<Kept>>,
    /// By which whoever asks may say that the result is of no use any more: what is returned then is no result.
    pub stop: Stop,
}

/// Checks code. Every rule runs; the caller filters.
#[must_use]
pub fn check(options: &CheckOptions) -> Outcome {
    let Some((context, options)) = Context::of(options) else {
        let options = CheckOptions {
            project: None,
            ..options.clone()
        };
        return judged(&options);
    };
    let mut outcome = judged(&options);
    context.settle(&mut outcome);
    outcome
}

/// Checks code, with the names that are given.
fn judged(options: &CheckOptions) -> Outcome {
    on_workers(|| {
        let begin = Instant::now();
        let (loaded, problems, partial) = load::load(options);
        if options.stop.told() {
            return Outcome::default();
        }
        let mut outcome = Outcome {
            problems,
            partial,
            timings: vec![("reading and parsing".to_owned(), begin.elapsed())],
            ..Outcome::default()
        };
        let mut modules = Vec::new();
        let mut sources = Vec::new();
        let mut mendable: FxHashMap<PathBuf, Language> = FxHashMap::default();
        for file in loaded {
            if file.whole {
                mendable.insert(file.path.clone(), file.language);
            }
            outcome.comments.extend(comments(&file.module));
            outcome.files.push(FileReport {
                path: file.path.clone(),
                kind: FileKind::Code {
                    language: file.module.language,
                },
            });
            sources.push((file.path, file.text));
            modules.push(file.module);
        }
        let begin = Instant::now();
        let project = Project::new(modules);
        outcome.timings.push(("resolving names".to_owned(), begin.elapsed()));
        outcome.findings = rules::run(
            &project,
            options.words.vocabulary(),
            &options.stop,
            &mut outcome.timings,
        );
        let files = sources.iter().filter_map(|(path, text)| {
            let language = *mendable.get(path)?;
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

/// The files that [`check`] would look at, in order, and what is wrong with the paths.
#[must_use]
pub fn files(options: &CheckOptions) -> (Vec<PathBuf>, Vec<Problem>) {
    let (found, problems) = discover::files(&options.paths, &options.texts, options.listed, &options.exclusion);
    (found.into_iter().map(|file| file.path).collect(), problems)
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
        let (loaded, problems, _) = load::load(options);
        let mut modules = Vec::new();
        let mut texts: FxHashMap<PathBuf, Arc<str>> = FxHashMap::default();
        for file in loaded {
            texts.insert(file.path, file.text);
            modules.push(file.module);
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
    let (loaded, problems, _) = load::load(&CheckOptions {
        paths: vec![path.to_owned()],
        ..CheckOptions::default()
    });
    let is_file = path.is_file();
    loaded
        .into_iter()
        .next()
        .filter(|_| is_file)
        .map(|file| file.module)
        .ok_or_else(|| {
            problems.into_iter().next().unwrap_or_else(|| Problem {
                path: path.to_owned(),
                line: None,
                message: "facts are shown for one file at a time".to_owned(),
                help: Some("name a source file, or a line of one as FILE:LINE".to_owned()),
                kind: ProblemKind::Failed,
            })
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

/// Whether a file can be lowered, on the thread of the caller.
pub(crate) fn lowers(path: &Path, text: &str) -> bool {
    matches!(
        Language::of(path).map(|language| language.lower(path, text)),
        Some(Ok(_))
    )
}

/// Whether a text has the words that every rule needs somewhere.
pub(crate) fn has_words(text: &str) -> bool {
    vocabulary::Vocabulary::builtin().triggers().are_in(text)
}

/// What begins a comment in a file, if it is of a language that is read.
#[must_use]
pub fn comment_marker(path: &Path) -> Option<&'static str> {
    Language::of(path).map(Language::comment)
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
