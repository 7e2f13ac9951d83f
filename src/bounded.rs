//! Files that are held as a whole, such as settings and lists: read up to a limit, since a device may never end.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The most that is held of such a file, in bytes.
const LIMIT: u64 = 256 << 20;

/// The bytes of a file; an error where there are too many.
pub(crate) fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(io::Error::other(format!("it is longer than {} MiB", LIMIT >> 20)));
    }
    Ok(bytes)
}

/// The text of a file; an error where it is too long, or no UTF-8.
pub(crate) fn text(path: &Path) -> io::Result<String> {
    String::from_utf8(bytes(path)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8"))
}
