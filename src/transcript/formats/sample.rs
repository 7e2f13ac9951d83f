//! The first records of an input, by which its format is recognised.

use std::io;
use std::path::{Path, PathBuf};

use crate::transcript::input::Input;
use crate::transcript::json::{Object, Raw};
use crate::transcript::reader::Broken;
use crate::transcript::scan::Tape;

/// How many records, and bytes of them, are looked at.
const RECORDS: usize = 64;
const BYTES: u64 = 4 << 20;

/// The first records, held.
pub(super) struct Taken {
    path: PathBuf,
    texts: Vec<(String, Option<Tape>)>,
    /// The first that cannot be read.
    pub(super) broken: Option<Broken>,
}

/// Takes the first records of an input.
pub(super) fn take(input: &mut Input) -> io::Result<Taken> {
    let mut taken = Taken {
        path: input.path().to_owned(),
        texts: Vec::new(),
        broken: None,
    };
    let mut seen = 0;
    for _ in 0..RECORDS {
        if seen >= BYTES {
            break;
        }
        let Some(next) = input.next()? else { break };
        match next.and_then(|record| Ok((record, crate::transcript::json::value(&record)?))) {
            Ok((record, _)) => {
                seen += record.spot.len;
                taken.texts.push((record.text.to_owned(), record.tape.cloned()));
            }
            Err(error) => drop(taken.broken.get_or_insert(error)),
        }
    }
    Ok(taken)
}

impl Taken {
    pub(super) fn sample(&self) -> Sample<'_> {
        let raws = self
            .texts
            .iter()
            .filter_map(|(text, tape)| Raw::of(text, tape.as_ref()));
        let records = raws.map(|raw| (raw, Object::of(raw))).collect();
        Sample {
            path: &self.path,
            records,
        }
    }
}

/// The first records of an input: at most 64, fewer if they are long.
pub(crate) struct Sample<'s> {
    /// The file; of an archive or a folder store, its first part.
    pub(crate) path: &'s Path,
    records: Vec<(Raw<'s>, Option<Object<'s>>)>,
}

impl<'s> Sample<'s> {
    pub(crate) fn raws(&self) -> impl Iterator<Item = Raw<'s>> {
        self.records.iter().map(|(raw, _)| *raw)
    }

    /// Those that are objects.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Object<'s>> {
        self.records.iter().filter_map(|(_, object)| object.as_ref())
    }

    /// The first record, if it is an object.
    pub(crate) fn first(&self) -> Option<&Object<'s>> {
        self.records.first()?.1.as_ref()
    }

    /// Whether there is exactly one record.
    pub(crate) fn is_single(&self) -> bool {
        self.records.len() == 1
    }

    pub(crate) fn any(&self, is: impl Fn(&Object<'s>) -> bool) -> bool {
        self.objects().any(is)
    }

    /// Whether there are records and each is such an object.
    pub(crate) fn all(&self, is: impl Fn(&Object<'s>) -> bool) -> bool {
        !self.records.is_empty() && self.records.iter().all(|(_, object)| object.as_ref().is_some_and(&is))
    }
}
