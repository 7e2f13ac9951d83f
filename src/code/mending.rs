//! From what would mend a finding to the edits that do: each file with such findings is parsed once
//! more, by its language.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;

use super::lang::Language;
use crate::finding::{Finding, Severity};
use crate::mend::{Edit, Fix, Mend};

/// A file whose findings can be mended: all of it was understood.
#[derive(Clone, Copy)]
pub(super) struct Mendable<'t> {
    pub(super) language: Language,
    pub(super) text: &'t str,
}

/// Gives findings the edits that mend them, where their languages have words for that.
pub(super) fn spell(findings: &mut [Finding], files: &FxHashMap<&Path, Mendable<'_>>) {
    let mut wanted: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (index, finding) in findings.iter().enumerate() {
        // What is only worth knowing needs no mend.
        let mend = finding.mend.as_ref().filter(|_| finding.severity > Severity::Info);
        if let Some((path, _)) = mend.and_then(Mend::path).and_then(|path| files.get_key_value(path)) {
            wanted.entry(path).or_default().push(index);
        }
    }
    let mut fixes = Vec::new();
    for (path, indices) in wanted {
        let Mendable { language, text } = files[path];
        let mends: Vec<&Mend> = indices
            .iter()
            .filter_map(|index| findings[*index].mend.as_ref())
            .collect();
        let spelled = language.spell(path, text, &mends);
        for ((index, mend), spelled) in indices.into_iter().zip(mends).zip(spelled) {
            let Some(spelled) = spelled else { continue };
            let edit = |(range, replacement): (std::ops::Range<usize>, String)| Edit {
                start: super::source::position(text, range.start),
                end: super::source::position(text, range.end),
                range,
                replacement,
            };
            let mut edits: Vec<Edit> = spelled.edits.into_iter().map(edit).collect();
            edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
            fixes.push((
                index,
                Fix {
                    title: mend.title(),
                    applicability: spelled.applicability,
                    path: path.to_owned(),
                    edits,
                },
            ));
        }
    }
    for (index, fix) in fixes {
        findings[index].fix = Some(fix);
    }
}
