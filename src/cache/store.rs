//! Entries on disk: one file each, written in one step, of a bounded number and size.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::xxh3_128;

use crate::write;

/// What an entry begins with, before the checksum of the rest.
const MAGIC: &[u8] = b"ctxlint cache 1\n";

/// How the names of entries end.
const ENDING: &str = "outcome";

/// How many entries are kept.
const ENTRIES: usize = 32;

/// How large they may be together, in bytes. A larger one is not kept at all.
const BYTES: u64 = 64 << 20;

/// What backup programs look for, <https://bford.info/cachedir/>.
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# This folder is a cache of ctxlint.\n";

/// A folder of entries.
pub(super) struct Store {
    folder: PathBuf,
    /// Whether the user named the folder. Another may have come with the project, and is no way out of it.
    is_given: bool,
}

impl Store {
    /// The folder that the user named.
    pub(super) fn given(folder: PathBuf) -> Self {
        Self { folder, is_given: true }
    }

    /// The folder of a project.
    pub(super) fn found(folder: PathBuf) -> Self {
        Self {
            folder,
            is_given: false,
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is kept under a key, if it is whole.
    pub(super) fn read(&self, key: u128) -> Option<Vec<u8>> {
        self.is_own().ok()?;
        let path = self.path(key);
        let length = fs::symlink_metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
        if length > BYTES {
            return None;
        }
        let mut bytes = fs::read(path).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (key_and_sum, content) = rest.split_at_checked(32)?;
        let is_whole = key_and_sum == [key.to_le_bytes(), xxh3_128(content).to_le_bytes()].concat();
        is_whole.then(|| bytes.split_off(MAGIC.len() + 32))
    }

    /// Keeps something under a key, and lets go of what is old.
    pub(super) fn write(&self, key: u128, content: &[u8]) -> io::Result<()> {
        let bytes = [MAGIC, &key.to_le_bytes(), &xxh3_128(content).to_le_bytes(), content].concat();
        if bytes.len() as u64 > BYTES {
            return Err(io::Error::other("the result is too large"));
        }
        if self.is_given {
            fs::create_dir_all(&self.folder)?;
        } else if let Err(error) = fs::create_dir(&self.folder)
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        self.is_own()?;
        self.mark("CACHEDIR.TAG", TAG)?;
        self.mark(".gitignore", "*\n")?;
        let path = self.path(key);
        let (mut file, beside) = write::create_beside(&path)?;
        // A link in this place is replaced, not followed. What a crash leaves half-written has a wrong checksum.
        let written = file.write_all(&bytes).and_then(|()| fs::rename(&beside, &path));
        if written.is_err() {
            // The first error is the one to tell.
            let _ = fs::remove_file(&beside);
        }
        drop(file);
        written?;
        self.prune(&path);
        Ok(())
    }

    fn path(&self, key: u128) -> PathBuf {
        self.folder.join(format!("{key:032x}.{ENDING}"))
    }

    /// Fails where the folder is none, or a link that came with the project.
    fn is_own(&self) -> io::Result<()> {
        let metadata = if self.is_given {
            fs::metadata(&self.folder)?
        } else {
            fs::symlink_metadata(&self.folder)?
        };
        if metadata.is_dir() {
            Ok(())
        } else {
            Err(io::Error::new(io::ErrorKind::NotADirectory, "it is no folder"))
        }
    }

    /// Writes a small file that says what the folder is, where there is none yet.
    fn mark(&self, name: &str, text: &str) -> io::Result<()> {
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(self.folder.join(name))
        {
            Ok(mut file) => file.write_all(text.as_bytes()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Removes the oldest entries beyond the bounds, and what runs left that were ended while they wrote. What another
    /// process removes meanwhile is gone as well.
    fn prune(&self, newest: &Path) {
        const HOUR: u64 = 60 * 60;
        let Ok(folder) = fs::read_dir(&self.folder) else { return };
        let mut entries = Vec::new();
        for entry in folder.flatten() {
            let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else {
                continue;
            };
            let Some(kind) = kind(&path).filter(|_| metadata.is_file()) else {
                continue;
            };
            let written = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            match kind {
                Kind::Entry if path != newest => entries.push((written, path, metadata.len())),
                Kind::Entry => {}
                Kind::HalfWritten => {
                    if written.elapsed().is_ok_and(|age| age.as_secs() > HOUR) {
                        let _ = fs::remove_file(path);
                    }
                }
            }
        }
        entries.sort_by(|a, b| b.cmp(a));
        let mut left = BYTES.saturating_sub(fs::metadata(newest).map_or(0, |metadata| metadata.len()));
        for (at, (_, path, length)) in entries.into_iter().enumerate() {
            if at + 1 < ENTRIES && length <= left {
                left -= length;
            } else {
                left = 0;
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// What a file of the folder is.
enum Kind {
    Entry,
    HalfWritten,
}

/// What a file of the folder is, by its name; none if it is somebody else's.
fn kind(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_str()?;
    let is_key = |key: &str| key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some((key, rest)) = name.split_once('.')
        && is_key(key)
    {
        return (rest == ENDING).then_some(Kind::Entry);
    }
    let half = name
        .strip_prefix('.')
        .is_some_and(|name| name.split('.').next().is_some_and(is_key));
    (half && name.ends_with(".ctxlint")).then_some(Kind::HalfWritten)
}
