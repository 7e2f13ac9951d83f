//! Who uses the files that were named.

use std::path::Path;
use std::sync::Arc;

use memchr::memmem;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::{Opened, lower};
use crate::code::CheckOptions;
use crate::code::ir::Module;
use crate::code::project::{Imports, ModuleIx};
use crate::code::source;

/// The files that use what the named ones have: each has the words that every rule needs somewhere, and imports one of
/// those. Where code reaches another file by a path, naming it is enough.
pub(super) fn of(files: &[Opened], modules: &[Module], imports: &Imports, options: &CheckOptions) -> Vec<usize> {
    let named = files.iter().enumerate().filter(|(_, file)| file.found.is_named);
    let named: FxHashSet<usize> = named.map(|(at, _)| at).collect();
    let names = named.iter().filter_map(|&at| {
        let stems = modules[at].folder_stems;
        Some((called(&files[at].found.path, stems)?.to_owned(), stems))
    });
    let names: FxHashSet<(String, &[&str])> = names.collect();
    let triggers = options.words.vocabulary().triggers();
    let uses = |at: usize, file: &Opened| {
        let mut own = names
            .iter()
            .filter(|(_, stems)| *stems == modules[at].folder_stems)
            .peekable();
        if named.contains(&at) || own.peek().is_none() || options.stop.told() {
            return false;
        }
        let read = file.is_unread.then(|| source::read(&file.found.path).ok()).flatten();
        let text = read.map_or_else(|| Arc::clone(&file.text), |source| source.text);
        if !(own.any(|(name, _)| has_word(&text, name)) && triggers.are_in(&text)) {
            return false;
        }
        file.found.language.reaches_by_path() || {
            let lowered = lower(&file.found, &text, options.kept.as_deref());
            let reached = |module| imports.of(ModuleIx(at as u32), &file.placed(module));
            lowered.is_ok_and(|(module, _)| reached(module).iter().any(|one| named.contains(&(one.0 as usize))))
        }
    };
    let users = files
        .par_iter()
        .enumerate()
        .filter_map(|(at, file)| uses(at, file).then_some(at));
    users.collect()
}

/// What an import calls a file: its name, or that of its folder where it stands for that.
fn called<'p>(path: &'p Path, folder_stems: &[&str]) -> Option<&'p str> {
    let stem = path.file_stem()?.to_str()?;
    if folder_stems.contains(&stem) {
        return path.parent()?.file_name()?.to_str();
    }
    Some(stem)
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let bytes = text.as_bytes();
    memmem::find_iter(bytes, word).any(|at| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        !is_part(before) && !is_part(bytes.get(at + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_called_by_its_name_or_that_of_its_folder() {
        let stems = ["__init__"];
        assert_eq!(called(Path::new("deck/pilot.py"), &stems), Some("pilot"));
        assert_eq!(called(Path::new("deck/__init__.py"), &stems), Some("deck"));
        assert_eq!(called(Path::new("__init__.py"), &stems), None);
    }

    #[test]
    fn a_word_is_no_part_of_another() {
        assert!(has_word("from deck.pilot import x", "pilot"));
        assert!(has_word("pilots, pilot", "pilot"));
        assert!(!has_word("pilots, copilot, pilot_book, pilot2", "pilot"));
    }
}
