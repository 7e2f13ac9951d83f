//! From paths to modules: which files are read, and which may be left unread.
//!
//! Most files of a project have nothing to do with a model. One that lacks the words that every rule
//! needs somewhere is parsed only where the import of another leads to it, or where the user named it.

mod users;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::CheckOptions;
use super::discover::{self, Found};
use super::ir::{Mapping, Module, Package};
use super::kept::Kept;
use super::lang::Language;
use super::project::{Imports, ModuleIx};
use super::source::{self, Source};
use super::surroundings::Surroundings;
use super::vocabulary::Vocabulary;
use crate::interrupt;
use crate::outcome::{Partial, Problem, ProblemKind};

/// Texts of files, by their paths.
pub type Texts = BTreeMap<PathBuf, Arc<str>>;

/// A file of a run.
pub(super) struct Loaded {
    pub(super) path: PathBuf,
    pub(super) language: Language,
    pub(super) module: Module,
    pub(super) text: Arc<str>,
    /// Whether it was read without a complaint: what was not is not the file that would be written.
    pub(super) whole: bool,
}

/// A file whose text is known.
struct Opened {
    found: Found,
    text: Arc<str>,
    whole: bool,
    /// Whether it is read only if an import leads to it.
    is_unread: bool,
    package: Option<Arc<Package>>,
    mappings: Arc<[Mapping]>,
}

impl Opened {
    /// The module of the file, and what in it is no valid code.
    fn lower(&mut self, kept: Option<&Kept>) -> Result<(Module, Option<Problem>), Problem> {
        if self.is_unread {
            self.is_unread = false;
            let source = source::read(&self.found.path)?;
            self.whole = source.complaint.is_none();
            self.text = source.text;
            if let Some(bundle) = bundle(&self.found, &self.text) {
                return Err(bundle);
            }
        }
        let (module, unparsed) = lower(&self.found, &self.text, kept)?;
        Ok((self.placed(module), unparsed))
    }

    /// A module with what is known of where it stands.
    fn placed(&self, module: Module) -> Module {
        Module {
            package: self.package.clone(),
            mappings: Arc::clone(&self.mappings),
            ..module
        }
    }
}

/// All files of a run, in order, and what could not be read. A file that is left unread has an
/// empty module, so that names mean the same with it and without it.
pub(super) fn load(options: &CheckOptions) -> (Vec<Loaded>, Vec<Problem>, Option<Partial>) {
    let (mut found, mut problems) = discover::files(&options.paths, &options.texts, options.listed, &options.exclusion);
    if let Some(project) = &options.project {
        discover::add_surroundings(project, options.listed, &mut found);
    }
    let around = Surroundings::default();
    let count = found.len();
    // Of an interrupted run, what is not read yet is dropped.
    let ends = || interrupt::asked() || options.stop.told();
    let opened = found.into_par_iter().filter(|_| !ends());
    let opened = opened.map(|file| open(file, options, &around));
    let opened: Vec<_> = opened.collect();
    let mut dropped = count - opened.len();
    let (mut files, mut modules) = (Vec::new(), Vec::new());
    for (file, complaint) in opened {
        problems.extend(complaint);
        if let Some((file, empty)) = file {
            files.push(file);
            modules.push(empty);
        }
    }
    let imports = Imports::among(&mut modules);
    let mut wanted = if options.project.is_some() {
        let named = files.iter().enumerate().filter(|(_, file)| file.found.is_named);
        let mut wanted: Vec<usize> = named.map(|(at, _)| at).collect();
        if options.users {
            wanted.extend(users::of(&files, &modules, &imports, options));
            wanted.sort_unstable();
        }
        wanted
    } else if options.every_file {
        (0..files.len()).collect()
    } else {
        with_triggers(&files, options.words.vocabulary())
    };
    let mut refused = FxHashSet::default();
    let mut read = FxHashSet::default();
    while !wanted.is_empty() {
        read.extend(wanted.iter().copied());
        let chosen = files
            .par_iter_mut()
            .enumerate()
            .filter(|(at, _)| wanted.binary_search(at).is_ok());
        let lowered = chosen.map(|(at, file)| (at, (!ends()).then(|| file.lower(options.kept.as_deref()))));
        let lowered: Vec<_> = lowered.collect();
        wanted = Vec::new();
        for (at, result) in lowered {
            let Some(result) = result else {
                dropped += 1;
                refused.insert(at);
                continue;
            };
            match result {
                Ok((module, unparsed)) => {
                    files[at].whole &= unparsed.is_none();
                    problems.extend(unparsed);
                    let reached = imports.of(ModuleIx(at as u32), &module).into_iter();
                    wanted.extend(reached.map(|one| one.0 as usize).filter(|one| !read.contains(one)));
                    modules[at] = module;
                }
                Err(problem) => {
                    problems.push(problem);
                    refused.insert(at);
                }
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
    }
    let all = files.into_iter().zip(modules).enumerate();
    let taken = all.filter(|(at, _)| !refused.contains(at));
    let loaded = taken.map(|(_, (file, module))| Loaded {
        path: file.found.path,
        language: file.found.language,
        module,
        text: file.text,
        whole: file.whole,
    });
    let partial = (dropped > 0).then_some(Partial {
        read: count - dropped,
        found: count,
    });
    (loaded.collect(), problems, partial)
}

/// The files that are read whatever others import, in order.
fn with_triggers(files: &[Opened], vocabulary: &Vocabulary) -> Vec<usize> {
    let has: Vec<bool> = files
        .par_iter()
        .map(|file| file.found.is_named || vocabulary.triggers().are_in(&file.text))
        .collect();
    let by_path = |file: &Opened| file.found.language.reaches_by_path();
    let all_by_path = files.iter().zip(&has).any(|(file, has)| *has && by_path(file));
    let wanted = files.iter().zip(has).enumerate();
    wanted
        .filter(|(_, (file, has))| *has || all_by_path && by_path(file))
        .map(|(at, _)| at)
        .collect()
}

/// A file's text, with the module of an empty one, and what is wrong with it.
fn open(found: Found, options: &CheckOptions, around: &Surroundings) -> (Option<(Opened, Module)>, Option<Problem>) {
    let given = options.texts.get(&found.path).map(|text| Source {
        text: Arc::clone(text),
        complaint: None,
    });
    // A given text costs nothing to read, and stands for that of the file.
    let is_unread = options.project.is_some() && !found.is_named && given.is_none();
    let unread = is_unread.then(|| Source {
        text: Arc::from(""),
        complaint: None,
    });
    let source = match given.or(unread).map_or_else(|| source::read(&found.path), Ok) {
        Ok(source) => source,
        Err(problem) => return (None, Some(problem)),
    };
    if let Some(bundle) = bundle(&found, &source.text) {
        return (None, Some(bundle));
    }
    match lower(&found, "", None) {
        Ok((module, _)) => {
            let file = Opened {
                package: around.package(&found),
                mappings: around.mappings(&found),
                found,
                text: source.text,
                whole: source.complaint.is_none(),
                is_unread,
            };
            let module = file.placed(module);
            (Some((file, module)), source.complaint)
        }
        Err(problem) => (None, Some(problem)),
    }
}

/// Says that a program put a file together, if one did.
fn bundle(found: &Found, text: &str) -> Option<Problem> {
    let is_bundled = found.language.is_bundled();
    let line = is_bundled.then(|| source::bundled(text)).flatten()?;
    Some(Problem {
        path: found.path.clone(),
        line: Some(line),
        message: "the file is a bundle: a program put it together, as this line shows".to_owned(),
        help: Some("check the files that it was made of".to_owned()),
        kind: ProblemKind::Refused,
    })
}

/// The module of a file, and what in it is no valid code.
pub(super) fn lower(file: &Found, text: &str, kept: Option<&Kept>) -> Result<(Module, Option<Problem>), Problem> {
    let refused = |line, message, help: &str| Problem {
        path: file.path.clone(),
        line: Some(line),
        message,
        help: Some(help.to_owned()),
        kind: ProblemKind::Refused,
    };
    let lowered = || file.language.lower(&file.path, text);
    match kept.map_or_else(lowered, |kept| kept.module(&file.path, text, lowered)) {
        Ok(mut module) => {
            module.is_test = file.language.is_test(&file.relative);
            let unparsed = module.unparsed.map(|line| {
                let message = format!(
                    "what stands here cannot be parsed as {}; the rest of the file is checked",
                    module.language
                );
                refused(
                    line,
                    message,
                    "a place that cannot be parsed may hide what a rule looks for",
                )
            });
            Ok((module, unparsed))
        }
        Err(refusal) => Err(refused(refusal.line, refusal.message, refusal.help)),
    }
}
