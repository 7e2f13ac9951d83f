//! What makes a finding the same one in another run.
//!
//! Version 1: the first 16 bytes, in lower-case hexadecimal, of the SHA-256 of the rule's id, the path relative to
//! its root, the content and the occurrence, each ended by a zero byte. The content of a finding in code is its own
//! lines, each without the white space around it and with one space where it has more; a finding in a recorded run
//! says itself what it is about, and has its session in the place of the path: a record that is moved, packed or
//! exported again keeps its fingerprints. The occurrence counts, from 0, the findings of a run that share the rest, in their
//! fixed order. Line numbers have no part in it: code that moves keeps its fingerprints.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use crate::finding::{Finding, Witness};
use crate::outcome::Outcome;
use crate::report::paths::Paths;
use crate::roots::Roots;

/// Of a longer finding only the beginning counts: what is in it is not what it is about.
const LINES: usize = 10;

/// How many bytes of the hash are told.
const BYTES: usize = 16;

/// Gives every finding of a run that has none its fingerprint. To be called before anything is taken away, so that
/// what is hidden does not change the fingerprints of what is shown.
pub(crate) fn assign(outcome: &mut Outcome, roots: &Roots) {
    let paths = Paths::of(roots);
    let mut seen: FxHashMap<(&'static str, String, String), u32> = FxHashMap::default();
    outcome.findings.sort_by(|a, b| a.sort_key().cmp(&b.sort_key()));
    for finding in &mut outcome.findings {
        // A record may lie anywhere, under any name: what was recorded is told by its session.
        let path = match finding.witness() {
            Witness::Code => paths.relative(finding.path()),
            Witness::Transcript => finding.session.clone().unwrap_or_else(|| name_of(finding.path())),
        };
        let content = content(finding, &outcome.sources);
        let occurrence = seen
            .entry((finding.rule().id(), path.clone(), content.clone()))
            .or_default();
        let parts = [finding.rule().id(), &path, &content, &occurrence.to_string()];
        finding.fingerprint.get_or_insert_with(|| hash(&parts));
        *occurrence += 1;
    }
}

/// What a recorded run is called whose session has no id: its file's name, without the ending and without that of the
/// compression.
pub(crate) fn name_of(path: &Path) -> String {
    let is_packed = |ending: &OsStr| ["gz", "zst"].iter().any(|packed| ending.eq_ignore_ascii_case(packed));
    let plain = match path.extension() {
        Some(ending) if is_packed(ending) => path.file_stem().map_or(path, Path::new),
        _ => path,
    };
    plain
        .file_stem()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// What a finding is about.
fn content(finding: &Finding, sources: &BTreeMap<PathBuf, Arc<str>>) -> String {
    if let Some(about) = &finding.about {
        return about.clone();
    }
    let Some(text) = sources.get(finding.path()) else {
        return finding.message.clone();
    };
    let span = finding.span();
    let lines = (span.end.line.saturating_sub(span.start.line) as usize + 1).min(LINES);
    let own = text
        .lines()
        .skip(span.start.line.saturating_sub(1) as usize)
        .take(lines);
    let plain: Vec<String> = own
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    plain.join("\n")
}

/// The beginning of the hash of some parts, none of which runs into the next.
fn hash(parts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    hasher
        .finalize()
        .iter()
        .take(BYTES)
        .fold(String::new(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Position, Span};
    use crate::rule::{HEAD_SCAN_ATTACH, ID_SWAP};

    fn finding(rule: &'static crate::rule::Rule, line: u32, last: u32) -> Finding {
        let at = |line, column| Position { line, column };
        let span = Span {
            path: "agent.py".into(),
            start: at(line, 5),
            end: at(last, 9),
        };
        Finding::at(rule, Witness::Code, span, "wrong")
    }

    fn prints(source: &str, findings: Vec<Finding>) -> Vec<String> {
        let mut outcome = Outcome {
            findings,
            sources: [(PathBuf::from("agent.py"), Arc::from(source))].into(),
            ..Outcome::default()
        };
        assign(&mut outcome, &Roots::default());
        let prints = outcome.findings.into_iter().map(|finding| finding.fingerprint);
        prints.map(|print| print.expect("every finding has one")).collect()
    }

    #[test]
    fn the_hash_is_the_one_that_is_specified() {
        // printf 'id-swap\0agent.py\0swap(first)\0000\0' | sha256sum | cut -c -32
        let expected = hash(&["id-swap", "agent.py", "swap(first)", "0"]);
        assert_eq!(expected, "8c27cb02d39781c369cb27bacc82dc46");
        assert_eq!(prints("  swap(first)  \n", vec![finding(&ID_SWAP, 1, 1)]), [expected]);
    }

    #[test]
    fn code_that_moves_or_is_indented_keeps_its_fingerprint_and_code_that_changes_does_not() {
        let before = prints("a = 1\nswap( first )\n", vec![finding(&ID_SWAP, 2, 2)]);
        let moved = format!("{}\n    swap(  first )\nb = 2\n", "x = 1\n".repeat(40).trim_end());
        assert_eq!(prints(&moved, vec![finding(&ID_SWAP, 41, 41)]), before);
        assert_ne!(prints("a = 1\nswap( last )\n", vec![finding(&ID_SWAP, 2, 2)]), before);
        assert_ne!(
            prints("a = 1\nswap( first )\n", vec![finding(&HEAD_SCAN_ATTACH, 2, 2)]),
            before
        );
    }

    #[test]
    fn findings_that_look_alike_are_told_apart() {
        let prints = prints(
            "swap(first)\nswap(first)\n",
            vec![finding(&ID_SWAP, 1, 1), finding(&ID_SWAP, 2, 2)],
        );
        assert_ne!(prints[0], prints[1]);
    }

    #[test]
    fn every_line_of_a_finding_counts() {
        let one = prints("swap(\n  first)\n", vec![finding(&ID_SWAP, 1, 2)]);
        assert_ne!(prints("swap(\n  last)\n", vec![finding(&ID_SWAP, 1, 2)]), one);
    }
}
