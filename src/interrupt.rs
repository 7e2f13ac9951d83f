//! Ctrl-C: what is done is reported, and said to be a part.
//!
//! The first signal asks the run to come to an end: files that were read are reported, those under way and those not
//! begun are dropped. A second one ends the process at once. Signals reach a process, not a run, so this is kept once
//! for the process; nothing listens unless a command that can report a part of its work says so.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// The exit status of a run that was interrupted, as shells have it for the first of the signals.
pub(crate) const STATUS: u8 = 130;

/// How long a read that does not end is waited for before somebody looks whether the run shall end.
const LOOK: Duration = Duration::from_millis(50);

/// How much is read at once from what may never end.
const CHUNK: usize = 64 << 10;

static ASKED: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// From here on, the first signal asks and the second ends.
pub(crate) fn listen() -> io::Result<()> {
    let asked = Arc::clone(ASKED.get_or_init(Arc::default));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the signal that asks does not end.
        flag::register_conditional_shutdown(signal, i32::from(STATUS), Arc::clone(&asked))?;
        flag::register(signal, Arc::clone(&asked))?;
    }
    Ok(())
}

/// Whether the run shall come to an end.
pub(crate) fn asked() -> bool {
    ASKED.get().is_some_and(|asked| asked.load(Ordering::Relaxed))
}

/// Lets whoever began a run tell it that nobody wants its result any more. Unlike a signal, which ends with a report,
/// this makes the result worthless. The default is never told.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Tells it.
    pub fn tell(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was told.
    #[must_use]
    pub fn told(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// That a file under way is given up.
pub(crate) fn error() -> io::Error {
    // Not `Interrupted`: that kind makes readers try again.
    io::Error::other("interrupted")
}

/// Reads what may wait for somebody who never writes, such as a pipe, up to a number of bytes.
pub(crate) fn read<R: Read>(open: impl FnOnce() -> io::Result<R> + Send + 'static, limit: u64) -> io::Result<Vec<u8>> {
    let (give, take) = mpsc::sync_channel(1);
    // It may wait in a call for ever, and ends with the process then.
    thread::spawn(move || {
        let mut input = match open() {
            Ok(input) => input,
            Err(error) => return drop(give.send(Err(error))),
        };
        loop {
            let mut chunk = vec![0; CHUNK];
            let read = match input.read(&mut chunk) {
                Ok(0) => return,
                Ok(read) => Ok(read),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_last = read.is_err();
            let given = give.send(read.map(|read| {
                chunk.truncate(read);
                chunk
            }));
            if given.is_err() || is_last {
                return;
            }
        }
    });
    let mut bytes = Vec::new();
    while bytes.len() as u64 <= limit {
        match take.recv_timeout(LOOK) {
            Ok(chunk) => bytes.extend(chunk?),
            Err(RecvTimeoutError::Timeout) if asked() => return Err(error()),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::{CHUNK, read};

    #[test]
    fn everything_is_read_up_to_the_limit() {
        let bytes: Vec<u8> = (0..3 * CHUNK + 7).map(|at| (at % 251) as u8).collect();
        let input = bytes.clone();
        assert_eq!(
            read(move || Ok(Cursor::new(input)), u64::MAX).expect("it can be read"),
            bytes
        );
        let input = bytes.clone();
        let some = read(move || Ok(Cursor::new(input)), 100).expect("it can be read");
        assert_eq!(some, &bytes[..100]);
    }

    #[test]
    fn what_cannot_be_opened_is_an_error() {
        let read = read(|| std::fs::File::open("/no/such/file"), 10);
        assert_eq!(
            read.expect_err("there is no such file").kind(),
            std::io::ErrorKind::NotFound
        );
    }
}
