//! What is read as one: a file, or the files that a store keeps one conversation in.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::layout::Layout;
use super::reader::{Broken, Reader, Record, Source, Spot, Stretch};
use crate::interrupt;

/// Opens a part from its first byte.
pub(crate) type Opener = Box<dyn Fn() -> io::Result<Box<dyn Source>>>;

/// One file, or one member of an archive.
pub(crate) struct Part {
    /// How it is named in findings.
    pub(crate) path: PathBuf,
    pub(crate) open: Opener,
}

/// Records of one or several parts, one part after the other. One part is open at a time.
pub(crate) struct Input {
    parts: Vec<Part>,
    reader: Reader,
    /// Which part the reader is in.
    at: usize,
}

impl Input {
    /// Opens the first of the parts.
    pub(crate) fn open(parts: Vec<Part>) -> io::Result<Self> {
        let Some(first) = parts.first() else {
            return Err(io::Error::other("nothing to read"));
        };
        let reader = Reader::open((first.open)()?)?;
        Ok(Self { parts, reader, at: 0 })
    }

    /// What the first part consists of.
    pub(crate) fn layout(&self) -> Layout {
        self.reader.layout()
    }

    /// The first part.
    pub(crate) fn path(&self) -> &Path {
        &self.parts[0].path
    }

    /// How the parts are named, in the order of [`Spot::file`].
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.parts.iter().map(|part| part.path.clone()).collect()
    }

    /// How the first part begins, as text.
    pub(crate) fn start(&self) -> io::Result<String> {
        let mut start = Vec::new();
        (self.parts[0].open)()?.take(4096).read_to_end(&mut start)?;
        Ok(String::from_utf8_lossy(&start).into_owned())
    }

    /// How many parts there are.
    pub(crate) fn len(&self) -> usize {
        self.parts.len()
    }

    /// Goes back to the first record.
    pub(crate) fn rewind(&mut self) -> io::Result<()> {
        if self.at == 0 {
            return self.reader.rewind();
        }
        self.go_to(0)
    }

    /// The next record, in the order of the parts.
    pub(crate) fn next(&mut self) -> io::Result<Option<Result<Record<'_>, Broken>>> {
        if interrupt::asked() {
            return Err(interrupt::error());
        }
        let stretch = loop {
            match self.reader.advance()? {
                Stretch::End if self.at + 1 < self.parts.len() => self.go_to(self.at + 1)?,
                stretch => break stretch,
            }
        };
        Ok(self.reader.taken(&stretch))
    }

    /// The record at a spot that [`Self::next`] gave before.
    pub(crate) fn at(&mut self, spot: Spot) -> io::Result<Result<Record<'_>, Broken>> {
        if interrupt::asked() {
            return Err(interrupt::error());
        }
        if self.at != spot.file as usize {
            self.go_to(spot.file as usize)?;
        }
        self.reader.at(spot)
    }

    fn go_to(&mut self, at: usize) -> io::Result<()> {
        let part = &self.parts[at];
        let open = || Reader::open((part.open)()?);
        self.reader = open().map_err(|error| io::Error::other(format!("{}: {error}", part.path.display())))?;
        self.reader.set_file(at as u32);
        self.at = at;
        Ok(())
    }
}
