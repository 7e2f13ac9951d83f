//! Where the records of a file stand, for files that have to be read backwards.

use std::io;

use super::reader::{Broken, Reader, Spot};

/// The places of all readable records, in the order of the file.
pub(crate) struct Index {
    spots: Vec<Spot>,
}

impl Index {
    /// Passes over the file once; `broken` is told what cannot be read.
    pub(crate) fn of(reader: &mut Reader, mut broken: impl FnMut(Broken)) -> io::Result<Self> {
        let mut spots = Vec::new();
        while let Some(next) = reader.next()? {
            match next {
                Ok(record) => spots.push(record.spot),
                Err(error) => broken(error),
            }
        }
        Ok(Self { spots })
    }

    /// From the end of a file whose newest record comes first.
    pub(crate) fn oldest_first(&self) -> impl Iterator<Item = Spot> + use<'_> {
        self.spots.iter().rev().copied()
    }
}
