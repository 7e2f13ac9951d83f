//! Which lines of a working copy were added since a commit, as git tells it.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::Command;

use crate::finding::{Finding, Span};
use crate::roots::Roots;

/// Options that keep a user's own settings out of the form of a diff.
const PLAIN: [&str; 6] = [
    "--unified=0",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--src-prefix=a/",
    "--dst-prefix=b/",
];

/// The lines that were added, by file; paths are relative to the working copy.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    files: BTreeMap<String, Added>,
}

/// What was added to a file.
#[derive(Debug, PartialEq, Eq)]
enum Added {
    /// Everything: git does not know the file yet.
    All,
    Lines(Vec<RangeInclusive<u32>>),
}

impl Changed {
    /// What is in the working copy and was not where its history and that of `reference` parted.
    ///
    /// # Errors
    ///
    /// Says why git cannot tell, and what to do about it.
    pub(crate) fn since(reference: &str, roots: &Roots) -> Result<Self, String> {
        let folder = roots.project().filter(|folder| folder.join(".git").exists());
        let folder =
            folder.ok_or("--changed asks git, and this is no working copy of a git repository; leave it out")?;
        // A reference is not taken for an option.
        let commit = format!("{reference}^{{commit}}");
        let known = git(
            folder,
            &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit],
        )?;
        let Some(commit) = known else {
            let help = if Path::new(reference).exists() {
                format!("it is a path; write --changed=HEAD {reference}")
            } else {
                "fetch it first, or name a commit, branch or tag that is there".to_owned()
            };
            return Err(format!("--changed: git knows no commit `{reference}`; {help}"));
        };
        let commit = commit.trim();
        // In a shallow clone the histories may have no common part that is there.
        let base = git(folder, &["merge-base", "HEAD", commit])?.unwrap_or_else(|| commit.to_owned());
        let mut arguments = vec!["-c", "core.quotePath=true", "diff"];
        arguments.extend(PLAIN);
        arguments.extend([base.trim(), "--"]);
        let diff =
            git(folder, &arguments)?.ok_or_else(|| format!("--changed: git cannot compare with `{reference}`"))?;
        let mut changed = Self::of_diff(&diff);
        let new = git(folder, &["ls-files", "--others", "--exclude-standard", "-z"])?.unwrap_or_default();
        for path in new.split('\0').filter(|path| !path.is_empty()) {
            changed.files.insert(path.to_owned(), Added::All);
        }
        Ok(changed)
    }

    /// The added lines of a diff without context.
    fn of_diff(diff: &str) -> Self {
        let mut changed = Self::default();
        let mut path: Option<String> = None;
        // Contents of the files may look like the diff's own lines, so they are counted.
        let mut content = 0;
        for line in diff.lines() {
            if content > 0 {
                content -= u32::from(!line.starts_with('\\'));
            } else if let Some(name) = line.strip_prefix("+++ ") {
                path = unquoted(name).strip_prefix("b/").map(str::to_owned);
            } else if let Some(hunk) = line.strip_prefix("@@ -").and_then(Hunk::read) {
                content = hunk.removed + hunk.added;
                let Some(path) = path.as_ref().filter(|_| hunk.added > 0) else {
                    continue;
                };
                let lines = hunk.start..=hunk.start + hunk.added - 1;
                match changed
                    .files
                    .entry(path.clone())
                    .or_insert_with(|| Added::Lines(Vec::new()))
                {
                    Added::Lines(all) => all.push(lines),
                    Added::All => {}
                }
            }
        }
        changed
    }

    /// Whether a finding, or a place that explains it, stands on an added line.
    pub(crate) fn touches(&self, finding: &Finding, roots: &Roots) -> bool {
        let related = finding.related.iter().map(|related| &related.span);
        std::iter::once(finding.span())
            .chain(related)
            .any(|span| self.has(span, roots))
    }

    fn has(&self, span: &Span, roots: &Roots) -> bool {
        match self.files.get(&roots.relative(&span.path)) {
            None => false,
            Some(Added::All) => true,
            Some(Added::Lines(lines)) => {
                let touches =
                    |added: &RangeInclusive<u32>| *added.start() <= span.end.line && span.start.line <= *added.end();
                lines.iter().any(touches)
            }
        }
    }
}

/// How many lines a part of a diff removes and adds, and where the added ones begin.
struct Hunk {
    removed: u32,
    start: u32,
    added: u32,
}

impl Hunk {
    /// Reads `12,0 +13,2 @@ …`.
    fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(' ');
        let count = |part: &str| match part.split_once(',') {
            Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
            None => Some((part.parse().ok()?, 1)),
        };
        let (_, removed): (u32, u32) = count(parts.next()?)?;
        let (start, added) = count(parts.next()?.strip_prefix('+')?)?;
        Some(Self { removed, start, added })
    }
}

/// A name as git writes it: in quotes, with escapes, where it has unusual characters.
fn unquoted(name: &str) -> String {
    let name = name.trim_end_matches('\t');
    let Some(inside) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return name.to_owned();
    };
    let mut bytes = Vec::new();
    let mut rest = inside.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let octal = [digit, rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                bytes.push(octal.iter().fold(0_u8, |value, digit| {
                    value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'))
                }));
            }
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// What git prints; none where it says no.
fn git(folder: &Path, arguments: &[&str]) -> Result<Option<String>, String> {
    let output = Command::new("git").arg("-C").arg(folder).args(arguments).output();
    let output =
        output.map_err(|error| format!("--changed: git cannot be run: {error}; install it, or leave --changed out"))?;
    Ok(output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_lines_are_read_from_a_diff() {
        let diff = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -3,0 +4,2 @@ def f():\n+x = 1\n+@@ -1 +1 @@\n\
                    @@ -9 +11 @@\n-old\n+new\n@@ -20,2 +21,0 @@\n-gone\n-gone\n--- a/b.py\n+++ b/b.py\n\
                    diff --git a/gone.py b/gone.py\n--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                    --- \"a/caf\\303\\251 1.py\"\n+++ \"b/caf\\303\\251 1.py\"\t\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n";
        let changed = Changed::of_diff(diff);
        let expected = [
            ("a.py", Added::Lines(vec![4..=5, 11..=11])),
            ("café 1.py", Added::Lines(vec![1..=1])),
        ];
        let expected = expected.map(|(path, added)| (path.to_owned(), added));
        assert_eq!(changed.files, BTreeMap::from(expected));
    }
}
