//! Which files a run leaves out: patterns for paths, of the form of `.gitignore`.

use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Says what is wrong with a pattern, if something is, and behind a semicolon what to do.
pub(crate) fn check(pattern: &str) -> Result<(), String> {
    if pattern.trim().is_empty() {
        return Err("an empty pattern names nothing; remove it".to_owned());
    }
    // The builder takes a comment for an empty pattern.
    if pattern.starts_with('#') {
        return Err(format!(
            "the pattern `{pattern}` is a comment; write `\\#` for a name that begins so"
        ));
    }
    let mut builder = GitignoreBuilder::new("");
    let added = builder.add_line(None, pattern).map(|_| ());
    let built = added.and_then(|()| builder.build().map(|_| ()));
    built.map_err(|error| {
        let why = match &error {
            ignore::Error::Glob { err, .. } => err.clone(),
            other => other.to_string(),
        };
        format!(
            "`{pattern}` is no pattern: {why}; patterns have the form of .gitignore, as in `vendor/` or `**/*_gen.py`"
        )
    })
}

/// Patterns that begin at one folder.
#[derive(Clone, Debug)]
pub(crate) struct Globs {
    folder: PathBuf,
    patterns: Gitignore,
}

impl Globs {
    /// The patterns relative to a folder. Each has passed [`check`]; one that has not names nothing.
    pub(crate) fn new<'a>(folder: &Path, patterns: impl IntoIterator<Item = &'a str>) -> Self {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            let _ = builder.add_line(None, pattern);
        }
        Self {
            folder: folder.canonicalize().unwrap_or_else(|_| folder.to_owned()),
            patterns: builder.build().unwrap_or_else(|_| Gitignore::empty()),
        }
    }

    /// Whether a file, or a folder above it, is named. Nothing outside of the patterns' folder is.
    pub(crate) fn names(&self, path: &Path) -> bool {
        if self.patterns.is_empty() {
            return false;
        }
        let Ok(absolute) = std::path::absolute(path) else {
            return false;
        };
        let resolved = absolute.canonicalize().unwrap_or(absolute);
        resolved.strip_prefix(&self.folder).is_ok_and(|inside| {
            !inside.as_os_str().is_empty()
                && self
                    .patterns
                    .matched_path_or_any_parents(inside, resolved.is_dir())
                    .is_ignore()
        })
    }
}

/// What a run leaves out.
#[derive(Clone, Debug, Default)]
pub struct Exclusion {
    globs: Vec<Globs>,
    /// Whether files that the user named are left out too.
    named_too: bool,
}

impl Exclusion {
    /// Leaves out what some patterns name; named files too if they are to be (`--force-exclude`).
    pub(crate) fn new(globs: Vec<Globs>, named_too: bool) -> Self {
        Self { globs, named_too }
    }

    /// What is left out under a folder that the user named: nothing where the patterns name that folder itself, for
    /// who names it wants what is in it.
    pub(crate) fn under(&self, folder: &Path) -> Self {
        if self.excludes(folder, false) {
            return Self::default();
        }
        self.clone()
    }

    /// Whether a file or folder is left out.
    pub(crate) fn excludes(&self, path: &Path, is_named: bool) -> bool {
        (self.named_too || !is_named) && self.globs.iter().any(|globs| globs.names(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_gitignore() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let globs = Globs::new(folder.path(), ["vendor/", "*_gen.py", "/top.py", "!keep_gen.py"]);
        let names = |path: &str| globs.names(&folder.path().join(path));
        for named in ["a/b_gen.py", "top.py"] {
            assert!(names(named), "{named}");
        }
        std::fs::create_dir_all(folder.path().join("a/vendor")).expect("a folder can be made");
        assert!(names("a/vendor/x.py"), "what is in a named folder is named");
        for other in ["a/top.py", "keep_gen.py", "vendors.py", "../top.py"] {
            assert!(!names(other), "{other}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        assert_eq!(check("src/**"), Ok(()));
        for (pattern, why) in [
            ("", "an empty pattern"),
            ("# note", "is a comment"),
            ("[z-a]", "is no pattern"),
        ] {
            let message = check(pattern).expect_err(pattern);
            assert!(message.contains(why) && message.contains("; "), "{message}");
        }
    }
}
