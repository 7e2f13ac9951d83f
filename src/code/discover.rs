//! Paths of the command line to files.

use std::path::{Path, PathBuf};
use std::sync::mpsc;

use ignore::{DirEntry, WalkBuilder, WalkState};
use rustc_hash::FxHashSet;

use super::lang::Language;
use super::load::Texts;
use crate::exclude::Exclusion;
use crate::interrupt;
use crate::outcome::{Problem, ProblemKind};

/// Folders of other people's code, which ignore files do not always name.
const FOREIGN: &[&str] = &[
    ".git",
    "node_modules",
    "site-packages",
    "__pypackages__",
    ".venv",
    "venv",
];

/// The file that stands in the root of every virtual environment, whatever it is called.
const VENV_MARKER: &str = "pyvenv.cfg";

/// A file to check.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Found {
    /// As in findings.
    pub(crate) path: PathBuf,
    /// Relative to the folder it was found under.
    pub(crate) relative: PathBuf,
    pub(crate) language: Language,
    /// Whether the user named this very file.
    pub(crate) is_named: bool,
}

/// The files under these paths, each once, ordered by path; and what could not be looked at. Where a
/// program listed them, one that cannot be checked was not meant.
pub(crate) fn files(
    paths: &[PathBuf],
    texts: &Texts,
    listed: bool,
    exclusion: &Exclusion,
) -> (Vec<Found>, Vec<Problem>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    for path in paths.iter().filter(|path| !exclusion.excludes(path, true)) {
        // What has a text of its own need not be there.
        let is_folder = path.metadata().map(|metadata| metadata.is_dir());
        match is_folder.or_else(|error| texts.contains_key(path).then_some(false).ok_or(error)) {
            Ok(true) => walk(path, exclusion, &mut found, &mut problems),
            Ok(false) => match Language::of(path) {
                Some(language) => found.push(Found {
                    path: path.clone(),
                    relative: path.file_name().map_or_else(|| path.clone(), PathBuf::from),
                    language,
                    is_named: true,
                }),
                None if listed => {}
                None => problems.push(Problem {
                    path: path.clone(),
                    line: None,
                    message: "no language that can be checked has this file extension".to_owned(),
                    help: Some("check reads Python, TypeScript, JavaScript and Rust files; recorded runs are read by `ctxlint audit`".to_owned()),
                    kind: ProblemKind::Refused,
                }),
            },
            Err(error) => problems.push(failed(path, &error.to_string())),
        }
    }
    found.sort();
    // `a.py` and `./a.py` are two paths in the order but one file.
    let named = found.iter().filter(|file| file.is_named);
    let named: FxHashSet<PathBuf> = named.map(|file| plain(&file.path).to_owned()).collect();
    let mut seen = FxHashSet::default();
    found.retain_mut(|file| {
        file.is_named = named.contains(plain(&file.path));
        seen.insert(plain(&file.path).to_owned())
    });
    (found, problems)
}

/// Adds the other files of a project, which are not checked. All paths are absolute.
pub(crate) fn add_surroundings(project: &Path, listed: bool, found: &mut Vec<Found>) {
    for file in found.iter_mut().filter(|_| listed) {
        if let Ok(inside) = file.path.strip_prefix(project) {
            file.relative = inside.to_owned();
        }
    }
    let named: FxHashSet<PathBuf> = found.iter().map(|file| file.path.clone()).collect();
    let mut others = Vec::new();
    // What cannot be looked at is not asked for.
    walk(project, &Exclusion::default(), &mut others, &mut Vec::new());
    found.extend(others.into_iter().filter(|file| !named.contains(&file.path)));
    found.sort();
}

fn walk(root: &Path, exclusion: &Exclusion, found: &mut Vec<Found>, problems: &mut Vec<Problem>) {
    let excluded = exclusion.under(root);
    let walk = WalkBuilder::new(root)
        // A checkout without its `.git` folder has ignore files too.
        .require_git(false)
        .filter_entry(move |entry| entry.depth() == 0 || !is_foreign(entry) && !excluded.excludes(entry.path(), false))
        .threads(rayon::current_num_threads())
        .build_parallel();
    let (give, take) = mpsc::channel();
    walk.run(|| {
        let give = give.clone();
        Box::new(move |entry| {
            let told = match entry {
                Ok(entry) => file(root, entry).map(Ok),
                Err(error) => Some(Err(failed(root, &error.to_string()))),
            };
            match told.map(|told| give.send(told)) {
                Some(Err(_)) => WalkState::Quit,
                _ if interrupt::asked() => WalkState::Quit,
                _ => WalkState::Continue,
            }
        })
    });
    drop(give);
    let mut failures = Vec::new();
    for told in take {
        match told {
            Ok(file) => found.push(file),
            Err(failure) => failures.push(failure),
        }
    }
    // The threads see folders in any order.
    failures.sort_by(|a, b| a.message.cmp(&b.message));
    problems.extend(failures);
}

/// What the walk of a folder came to, if it is a file to check.
fn file(root: &Path, entry: DirEntry) -> Option<Found> {
    if !entry.file_type().is_some_and(|kind| kind.is_file()) {
        return None;
    }
    let language = Language::of(entry.path())?;
    let relative = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_owned();
    // `.` is where the user is anyway.
    let path = if root == Path::new(".") {
        relative.clone()
    } else {
        entry.into_path()
    };
    Some(Found {
        path,
        relative,
        language,
        is_named: false,
    })
}

/// Without a leading `./`.
fn plain(path: &Path) -> &Path {
    path.strip_prefix(".").unwrap_or(path)
}

fn is_foreign(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
        && (entry.file_name().to_str().is_some_and(|name| FOREIGN.contains(&name))
            || entry.path().join(VENV_MARKER).is_file())
}

fn failed(path: &Path, message: &str) -> Problem {
    Problem {
        path: path.to_owned(),
        line: None,
        message: message.to_owned(),
        help: Some("check the spelling and the permissions of the path".to_owned()),
        kind: ProblemKind::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with these files, all empty but for ignore files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("the path has a folder")).expect("a folder can be made");
            std::fs::write(path, text).expect("a file can be written");
        }
        folder
    }

    fn found_in(root: &Path, paths: &[&str]) -> Vec<String> {
        let paths: Vec<PathBuf> = paths.iter().map(|path| root.join(path)).collect();
        let (found, problems) = files(&paths, &Texts::new(), false, &Exclusion::default());
        assert_eq!(problems, []);
        let relative = found
            .iter()
            .map(|file| file.path.strip_prefix(root).unwrap_or(&file.path));
        relative.map(|path| path.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn ignored_files_and_other_peoples_code_are_left_out() {
        let folder = folder(&[
            (".gitignore", "build/\n/made_*.py\n"),
            ("b.py", ""),
            ("a/c.py", ""),
            ("a/made_up.py", ""),
            ("a/types.pyi", ""),
            ("a/notes.txt", ""),
            ("made_by_tool.py", ""),
            ("build/x.py", ""),
            ("node_modules/x.py", ""),
            (".venv/x.py", ""),
            ("env/pyvenv.cfg", ""),
            ("env/x.py", ""),
            ("a/lib/site-packages/x.py", ""),
        ]);
        assert_eq!(found_in(folder.path(), &["."]), ["a/c.py", "a/made_up.py", "b.py"]);
    }

    #[test]
    fn a_file_that_is_named_is_checked_though_it_is_ignored() {
        let folder = folder(&[(".gitignore", "*.py\n"), ("a.py", ""), ("b.py", "")]);
        assert_eq!(found_in(folder.path(), &["", "b.py"]), ["b.py"]);
    }

    #[test]
    fn a_folder_that_is_named_is_walked_though_it_is_foreign() {
        let folder = folder(&[("venv/pyvenv.cfg", ""), ("venv/x.py", "")]);
        assert_eq!(found_in(folder.path(), &["venv"]), ["venv/x.py"]);
    }

    #[test]
    fn a_file_found_twice_is_checked_once() {
        let folder = folder(&[("a/x.py", ""), ("a/y.py", "")]);
        assert_eq!(found_in(folder.path(), &["a/y.py", "a", "a"]), ["a/x.py", "a/y.py"]);
    }

    #[test]
    fn a_file_named_in_two_spellings_is_checked_once() {
        // Relative to the folder of the package, where tests run.
        let spellings = ["tests/python/text.py", "./tests/python/text.py", "./tests/python"];
        let (found, _) = files(
            &spellings.map(PathBuf::from),
            &Texts::new(),
            false,
            &Exclusion::default(),
        );
        let texts = found.iter().filter(|file| file.path.ends_with("text.py"));
        assert_eq!(texts.count(), 1);
    }
}
