//! What files are wrapped in: compression, archives, databases. Nothing is unpacked beside the file.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use zip::ZipArchive;

use super::formats::{self, Refusal};
use super::input::{Opener, Part};
use super::reader::Source;
use super::sqlite::Database;
use super::sse;
use super::walk;

/// The most that is unpacked of one file: more is a bomb, or nothing that is read as one conversation.
const UNPACKED: u64 = 16 << 30;

/// No record is packed so well: what unpacks to more than so many times its size, and to more than [`SMALL`], is a bomb.
const RATIO: u64 = 1000;
const SMALL: u64 = 1 << 30;

/// The most files of an archive that are looked at.
const MEMBERS_MOST: usize = 100_000;

/// The most that is unpacked of so many bytes.
fn most_of(packed: u64) -> u64 {
    packed.saturating_mul(RATIO).clamp(SMALL, UNPACKED)
}

/// Endings of members of an archive that may be transcripts.
const MEMBERS: [&str; 3] = ["json", "jsonl", "ndjson"];

/// What is in a file.
pub(crate) enum Contents {
    Parts {
        parts: Vec<Part>,
        /// The format that knows the tables of the database.
        format: Option<&'static str>,
    },
    Refused(Refusal),
    /// Not a transcript, and why not.
    Other(&'static str),
}

/// Looks into the files that are read as one, in this order.
pub(crate) fn of(paths: &[PathBuf]) -> io::Result<Contents> {
    let mut parts = Vec::new();
    let mut format = None;
    for path in paths {
        match one(path)? {
            Contents::Parts {
                parts: more,
                format: told,
            } => {
                parts.extend(more);
                format = format.or(told);
            }
            other => return Ok(other),
        }
    }
    Ok(Contents::Parts { parts, format })
}

fn one(path: &Path) -> io::Result<Contents> {
    let mut start = Vec::new();
    if path.as_os_str() == "-" {
        // Standard input can be read once: it is held, and every opening is a view of it.
        let bytes = walk::standard_input()?;
        return stdin(path, bytes);
    }
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        let pipe = path.to_owned();
        return stdin(path, walk::held(move || File::open(pipe))?);
    }
    File::open(path)?.take(16).read_to_end(&mut start)?;
    let owned = path.to_owned();
    let single = |open: Opener| Contents::Parts {
        parts: vec![Part {
            path: path.to_owned(),
            open,
        }],
        format: None,
    };
    Ok(match Magic::of(&start) {
        Some(Magic::Gzip | Magic::Zstandard) => {
            let open = move || Ok(Box::new(Decoded::open(&owned)?) as Box<dyn Source>);
            single(Box::new(open))
        }
        Some(Magic::Zip) => archive(path)?,
        Some(Magic::Sqlite) => database(path)?,
        None => match formats::by_magic(&start) {
            Some(refusal) => Contents::Refused(refusal),
            None if sse::begins(&start) => {
                let records = events(BufReader::new(File::open(path)?))?;
                single(Box::new(move || Ok(Box::new(from_start(&records)?) as Box<dyn Source>)))
            }
            None => single(Box::new(move || Ok(Box::new(File::open(&owned)?) as Box<dyn Source>))),
        },
    })
}

fn stdin(path: &Path, bytes: Vec<u8>) -> io::Result<Contents> {
    let bytes: std::sync::Arc<[u8]> = match Magic::of(&bytes) {
        Some(Magic::Gzip | Magic::Zstandard) => {
            let mut plain = Vec::new();
            let limit = walk::STDIN_LIMIT;
            decoder(io::Cursor::new(bytes))?
                .take(limit + 1)
                .read_to_end(&mut plain)?;
            if plain.len() as u64 > limit {
                return Err(walk::too_much_input());
            }
            plain.into()
        }
        Some(Magic::Zip | Magic::Sqlite) => {
            return Ok(Contents::Other("an archive or a database; name it as a file"));
        }
        None => bytes.into(),
    };
    if let Some(refusal) = formats::by_magic(&bytes) {
        return Ok(Contents::Refused(refusal));
    }
    let bytes = if sse::begins(&bytes) {
        let mut records = Vec::new();
        sse::to_records(&*bytes, &mut records)?;
        records.into()
    } else {
        bytes
    };
    let open = move || Ok(Box::new(io::Cursor::new(std::sync::Arc::clone(&bytes))) as Box<dyn Source>);
    Ok(Contents::Parts {
        parts: vec![Part {
            path: path.to_owned(),
            open: Box::new(open),
        }],
        format: None,
    })
}

/// The same file, read from its first byte: one is open at a time.
fn from_start(file: &File) -> io::Result<File> {
    let mut file = file.try_clone()?;
    file.rewind()?;
    Ok(file)
}

/// The records of a stream of events, in a file without a name.
fn events(input: impl io::BufRead) -> io::Result<File> {
    let mut out = io::BufWriter::new(tempfile::tempfile()?);
    sse::to_records(input, &mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Magic {
    Gzip,
    Zstandard,
    Zip,
    Sqlite,
}

impl Magic {
    fn of(start: &[u8]) -> Option<Self> {
        const MAGICS: [(&[u8], Magic); 4] = [
            (b"\x1f\x8b", Magic::Gzip),
            (b"\x28\xb5\x2f\xfd", Magic::Zstandard),
            (b"PK\x03\x04", Magic::Zip),
            (b"SQLite format 3\0", Magic::Sqlite),
        ];
        let found = MAGICS.into_iter().find(|(magic, _)| start.starts_with(magic));
        found.map(|(_, magic)| magic)
    }
}

fn database(path: &Path) -> io::Result<Contents> {
    let opened = Database::open(path)?;
    let Some((format, queries)) = formats::queries(&opened.schema()?) else {
        return Ok(Contents::Other(
            "a database without the tables of a store that is known",
        ));
    };
    let rows = opened.rows(&queries)?;
    let open = move || Ok(Box::new(from_start(&rows)?) as Box<dyn Source>);
    Ok(Contents::Parts {
        parts: vec![Part {
            path: path.to_owned(),
            open: Box::new(open),
        }],
        format: Some(format),
    })
}

/// The members of an archive that may be transcripts, by name.
fn archive(path: &Path) -> io::Result<Contents> {
    let mut zip = ZipArchive::new(BufReader::new(File::open(path)?))?;
    if zip.len() > MEMBERS_MOST {
        return Err(io::Error::other(format!(
            "an archive of {} files; unpack it and name the folder",
            zip.len()
        )));
    }
    let most = most_of(fs::metadata(path)?.len());
    let mut unpacked: u64 = 0;
    let mut members: Vec<(usize, String)> = Vec::new();
    for at in 0..zip.len() {
        let member = zip.by_index_raw(at)?;
        let name = member.name()?.into_owned();
        let is_known = MEMBERS.iter().any(|ending| {
            Path::new(&name)
                .extension()
                .is_some_and(|own| own.eq_ignore_ascii_case(ending))
        });
        if member.is_file() && is_known {
            unpacked = unpacked.saturating_add(member.size());
            members.push((at, name));
        }
    }
    if members.is_empty() {
        return Ok(Contents::Other("a zip file without JSON in it"));
    }
    if unpacked > most {
        return Err(bomb(most));
    }
    members.sort_by(|a, b| a.1.cmp(&b.1));
    let parts = members.into_iter().map(|(at, name)| {
        let archive = path.to_owned();
        Part {
            path: path.join(name),
            open: Box::new(move || Ok(Box::new(member(&archive, at)?) as Box<dyn Source>)),
        }
    });
    Ok(Contents::Parts {
        parts: parts.collect(),
        format: None,
    })
}

/// One member of an archive, in a file of its own: a member cannot be read backwards.
fn member(archive: &Path, at: usize) -> io::Result<File> {
    let mut zip = ZipArchive::new(BufReader::new(File::open(archive)?))?;
    let member = zip.by_index(at)?;
    // It is no longer than it says.
    let says = member.size();
    spool(member, says)
}

/// Puts what is unpacked into a file without a name, which goes when it is closed.
fn spool(packed: impl Read, most: u64) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    let len = io::copy(&mut packed.take(most.saturating_add(1)), &mut file)?;
    if len > most {
        return Err(bomb(most));
    }
    file.rewind()?;
    Ok(file)
}

fn bomb(most: u64) -> io::Error {
    let most = if most < SMALL {
        format!("{most} bytes")
    } else {
        format!("{} GiB", most >> 30)
    };
    io::Error::other(format!(
        "unpacks to more than {most}; unpack it yourself if that is meant"
    ))
}

fn decoder<'r>(mut packed: impl Read + Seek + 'r) -> io::Result<Box<dyn Read + 'r>> {
    let mut start = [0; 2];
    packed.read_exact(&mut start)?;
    packed.rewind()?;
    Ok(if start == *b"\x1f\x8b" {
        Box::new(MultiGzDecoder::new(BufReader::new(packed)))
    } else {
        Box::new(zstd::Decoder::new(packed)?)
    })
}

/// A compressed file, unpacked as it is read. Going back to the start starts anew; a reader that goes to other
/// places gets everything unpacked into a file first.
struct Decoded {
    path: PathBuf,
    state: State,
    /// How much was unpacked since the start, and how much may be.
    at: u64,
    most: u64,
}

enum State {
    Streaming(Box<dyn Read>),
    Spooled(File),
}

impl Decoded {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            state: State::Streaming(decoder(File::open(path)?)?),
            at: 0,
            most: most_of(fs::metadata(path)?.len()),
        })
    }
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.state {
            State::Streaming(packed) => packed.read(buffer)?,
            State::Spooled(file) => file.read(buffer)?,
        };
        self.at += read as u64;
        if self.at > self.most {
            return Err(bomb(self.most));
        }
        Ok(read)
    }
}

impl Seek for Decoded {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(to) => to,
            SeekFrom::Current(0) => return Ok(self.at),
            SeekFrom::Current(_) | SeekFrom::End(_) => {
                return Err(io::Error::new(io::ErrorKind::Unsupported, "only from the start"));
            }
        };
        match &mut self.state {
            State::Streaming(_) if to == 0 => {
                self.state = State::Streaming(decoder(File::open(&self.path)?)?);
            }
            State::Streaming(_) => {
                let mut file = spool(decoder(File::open(&self.path)?)?, self.most)?;
                file.seek(SeekFrom::Start(to))?;
                self.state = State::Spooled(file);
            }
            State::Spooled(file) => drop(file.seek(SeekFrom::Start(to))?),
        }
        self.at = to;
        Ok(to)
    }
}
