//! Where the paths of a report begin: machines compare them over checkouts, folders and systems.

use std::path::{Component, Path, PathBuf};

use crate::config;

/// Files whose folder is the root of a project, where no version control marks one.
const MARKERS: [&str; 2] = [config::FILE_NAME, config::PYPROJECT];

/// What paths are told relative to.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    /// The project's folder, without symbolic links.
    project: Option<PathBuf>,
    /// Whether something in it says that it is one.
    is_marked: bool,
    /// What the user named, each with its place on disk.
    arguments: Vec<PathBuf>,
}

impl Roots {
    /// The roots of a run over these paths: the working copy around the first one, or else the nearest folder
    /// that has a configuration file, or else the working directory.
    #[must_use]
    pub fn of(paths: &[PathBuf]) -> Self {
        let start = paths.first().map_or(Path::new("."), PathBuf::as_path);
        let start = start.canonicalize().or_else(|_| Path::new(".").canonicalize()).ok();
        let above = |marked: &dyn Fn(&Path) -> bool| {
            let mut folders = start.as_deref()?.ancestors();
            folders
                .find(|folder| folder.is_dir() && marked(folder))
                .map(Path::to_owned)
        };
        let project = above(&|folder| folder.join(".git").exists())
            .or_else(|| above(&|folder| MARKERS.iter().any(|name| folder.join(name).is_file())));
        let is_marked = project.is_some();
        let project = project.or_else(|| Path::new(".").canonicalize().ok());
        let arguments = paths.iter().filter_map(|path| path.canonicalize().ok());
        Self {
            project,
            is_marked,
            arguments: arguments.collect(),
        }
    }

    /// The project's folder, where there is one.
    #[must_use]
    pub fn project(&self) -> Option<&Path> {
        self.project.as_deref()
    }

    /// The project's folder, where something in it says that it is one.
    pub(crate) fn marked(&self) -> Option<&Path> {
        self.project().filter(|_| self.is_marked)
    }

    /// A path with forward slashes, relative to the project; outside of it, relative to the folder that the user
    /// named, and for a named file its name. What is no file is told as it is.
    #[must_use]
    pub fn relative(&self, path: &Path) -> String {
        let Ok(absolute) = path.canonicalize() else {
            return slashed(path);
        };
        if let Some(inside) = self.project.as_ref().and_then(|root| absolute.strip_prefix(root).ok()) {
            return slashed(inside);
        }
        let mut under = self
            .arguments
            .iter()
            .filter_map(|root| absolute.strip_prefix(root).ok());
        match under.next() {
            Some(inside) if inside.as_os_str().is_empty() => {
                slashed(Path::new(absolute.file_name().unwrap_or_default()))
            }
            Some(inside) => slashed(inside),
            None => slashed(path),
        }
    }
}

/// The path with `/` between its parts, whatever the system writes.
fn slashed(path: &Path) -> String {
    let mut text = String::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::RootDir => text.push('/'),
            part => {
                if !text.is_empty() && !text.ends_with('/') {
                    text.push('/');
                }
                text.push_str(&part.as_os_str().to_string_lossy());
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("the path has a folder")).expect("a folder can be made");
            std::fs::write(path, "").expect("a file can be written");
        }
        folder
    }

    #[test]
    fn a_path_is_told_from_the_working_copy_whatever_was_named() {
        let folder = folder(&[".git/HEAD", "src/deep/agent.py", "src/pyproject.toml"]);
        let file = folder.path().join("src/deep/agent.py");
        for named in ["", "src", "src/deep", "src/deep/agent.py"] {
            let roots = Roots::of(&[folder.path().join(named)]);
            assert_eq!(roots.relative(&file), "src/deep/agent.py", "{named}");
        }
    }

    #[test]
    fn without_a_working_copy_a_configuration_marks_the_project() {
        let folder = folder(&["src/deep/agent.py", "src/ctxlint.toml"]);
        let file = folder.path().join("src/deep/agent.py");
        let roots = Roots::of(&[folder.path().join("src/deep")]);
        assert_eq!(roots.relative(&file), "deep/agent.py");
    }

    #[test]
    fn what_lies_elsewhere_is_told_from_what_was_named() {
        let folder = folder(&["work/.git/HEAD", "runs/a/1.jsonl"]);
        let at = |path: &str| folder.path().join(path);
        let roots = Roots::of(&[at("work"), at("runs")]);
        assert_eq!(roots.relative(&at("runs/a/1.jsonl")), "a/1.jsonl");
        let roots = Roots::of(&[at("work"), at("runs/a/1.jsonl")]);
        assert_eq!(roots.relative(&at("runs/a/1.jsonl")), "1.jsonl");
        assert_eq!(roots.relative(Path::new("-")), "-");
    }
}
