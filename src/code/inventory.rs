//! What the outcome of a run over folders depends on, told by hashes: every file that it would look at.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashSet;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use super::CheckOptions;
use super::discover::{self, Found};
use super::lang::Language;
use super::source::{self, MAX_BYTES};
use super::surroundings::Surroundings;
use crate::interrupt;

/// The files of a run and their contents.
#[derive(Debug)]
pub(crate) struct Inventory {
    /// Of everything that was looked at.
    pub(crate) hash: u128,
    /// Every file, in order, with the hash of its content.
    files: Vec<(PathBuf, u128)>,
}

impl Inventory {
    /// Looks at the files of a run: none if the run goes by more than files in folders, if something cannot be read,
    /// and if the run is interrupted.
    pub(crate) fn of(options: &CheckOptions) -> Option<Self> {
        // Named files are quick to check, and what is read beside them is found out on the way.
        if !options.texts.is_empty() || options.every_file || !options.paths.iter().any(|path| path.is_dir()) {
            return None;
        }
        let (found, problems) = discover::files(&options.paths, &options.texts, options.listed, &options.exclusion);
        let contents: io::Result<Vec<u128>> = found.par_iter().map(|file| content(&file.path)).collect();
        let contents = contents.ok()?;
        let mut hasher = Xxh3::new();
        for problem in problems {
            field(&mut hasher, format!("{problem:?}").as_bytes());
        }
        for (file, content) in found.iter().zip(&contents) {
            field(&mut hasher, file.path.as_os_str().as_encoded_bytes());
            field(&mut hasher, file.relative.as_os_str().as_encoded_bytes());
            hasher.update(&[u8::from(file.is_named)]);
            hasher.update(&content.to_le_bytes());
        }
        for (path, text) in around(&found) {
            field(&mut hasher, path.as_os_str().as_encoded_bytes());
            hasher.update(&[u8::from(text.is_some())]);
            field(&mut hasher, text.as_deref().unwrap_or_default().as_bytes());
        }
        let paths = found.into_iter().map(|file| file.path);
        Some(Self {
            hash: hasher.digest128(),
            files: paths.zip(contents).collect(),
        })
    }

    /// The text of a file, if it still has the content that was seen.
    pub(crate) fn text(&self, path: &Path) -> Option<Arc<str>> {
        let at = self
            .files
            .binary_search_by(|(known, _)| known.as_path().cmp(path))
            .ok()?;
        let bytes = std::fs::read(path).ok()?;
        if xxh3_128(&bytes) != self.files[at].1 {
            return None;
        }
        Some(source::decoded(path, &bytes).ok()?.text)
    }
}

/// A file's path with its language as reports have it, if it is one that is checked.
pub(crate) fn language(path: &Path) -> Option<&'static str> {
    Language::of(path).map(Language::name)
}

/// Adds bytes to a hash so that none run into the next.
pub(crate) fn field(hasher: &mut Xxh3, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_le_bytes());
    hasher.update(bytes);
}

/// The hash of what is read of a file.
fn content(path: &Path) -> io::Result<u128> {
    /// Most source files are shorter, and take one read.
    const CHUNK: usize = 256 << 10;
    thread_local! {
        static BUFFER: RefCell<Vec<u8>> = RefCell::new(vec![0; CHUNK]);
    }
    if interrupt::asked() {
        return Err(interrupt::error());
    }
    let mut file = File::open(path)?.take(MAX_BYTES + 1);
    BUFFER.with_borrow_mut(|buffer| {
        let mut long: Option<Xxh3> = None;
        loop {
            let filled = fill(&mut file, buffer)?;
            let is_last = filled < buffer.len();
            match &mut long {
                None if is_last => return Ok(xxh3_128(&buffer[..filled])),
                Some(hasher) if is_last => {
                    hasher.update(&buffer[..filled]);
                    return Ok(hasher.digest128());
                }
                _ => long.get_or_insert_with(Xxh3::new).update(buffer),
            }
        }
    })
}

/// Reads until a buffer is full or nothing is left.
fn fill(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The manifests and configurations that files are read with, and the places that were looked at for them.
fn around(found: &[Found]) -> Vec<(PathBuf, Option<Arc<str>>)> {
    let mut seen = FxHashSet::default();
    let one_a_folder = found.iter().filter(|file| {
        // A crate is told by the name of a file in it, a package by its folder.
        file.language == Language::Rust || seen.insert((file.language, file.path.parent()))
    });
    let around = Surroundings::default();
    for file in one_a_folder {
        around.look(file);
    }
    around.into_texts()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_long_file_is_that_of_its_bytes() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("long.py");
        for length in [0, 1, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 700_001] {
            let bytes: Vec<u8> = (0..length).map(|at: usize| (at % 253) as u8).collect();
            std::fs::write(&path, &bytes).expect("a file can be written");
            assert_eq!(content(&path).expect("it can be read"), xxh3_128(&bytes), "{length}");
        }
    }
}
