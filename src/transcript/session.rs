//! One file, from its bytes to the steps that are judged.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use super::event::Fate;
use super::formats::form::Form;
use super::formats::{self, Adapter, Detected, Detection, Refusal, Wanted};
use super::index::Index;
use super::json;
use super::layout::Layout;
use super::markers::Markers;
use super::reader::{Broken, Reader, Record, Source};
use super::replay::{Judge, Replay};
use super::walk;
use crate::outcome::Coverage;

/// A file that was recognised, ready to be replayed.
pub(crate) struct Session {
    reader: Reader,
    detected: Detected,
}

/// What came of opening a file.
pub(crate) enum Opened {
    Session(Session),
    Refused(Refusal),
    /// Not a transcript, and why not.
    Other(&'static str),
    /// No form is recognised; what is broken in it, if something is.
    Unrecognised(Option<Broken>),
}

/// How a replay went.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) coverage: Coverage,
    /// The first of the malformed records.
    pub(crate) broken: Vec<Broken>,
    /// Names of types that the adapter does not know, with how many records have them.
    pub(crate) unknown: BTreeMap<String, u64>,
    /// Whether more messages came than are held.
    is_full: bool,
}

/// The most messages that are held of a file.
const LIVE: usize = 200_000;

/// The most broken records that are told one by one.
const BROKEN: usize = 100;

impl Session {
    /// Opens and recognises a file.
    pub(crate) fn open(path: &Path, wanted: &Wanted<'_>) -> io::Result<Opened> {
        Self::of(walk::open(path)?, wanted)
    }

    fn of(mut source: Box<dyn Source>, wanted: &Wanted<'_>) -> io::Result<Opened> {
        let mut start = Vec::new();
        source.by_ref().take(4096).read_to_end(&mut start)?;
        if let Some(refusal) = formats::by_magic(&start) {
            return Ok(Opened::Refused(refusal));
        }
        source.rewind()?;
        let mut reader = Reader::open(source)?;
        match reader.layout() {
            Layout::Empty => return Ok(Opened::Other("the file is empty")),
            Layout::Binary => return Ok(Opened::Other("a binary file, not a transcript")),
            Layout::Text => {
                let text = String::from_utf8_lossy(&start);
                let refusal = formats::by_text(&text).map(Opened::Refused);
                return Ok(refusal.unwrap_or(Opened::Other("not JSON, and no other known form of a transcript")));
            }
            Layout::Lines | Layout::Array | Layout::Object => {}
        }
        Ok(match formats::detect(&mut reader, wanted)? {
            Detection::Read(detected) => Opened::Session(Self { reader, detected }),
            Detection::Refused(refusal) => Opened::Refused(refusal),
            Detection::Unrecognised(broken) => Opened::Unrecognised(broken),
        })
    }

    pub(crate) fn form(&self) -> &'static Form {
        self.detected.form
    }

    /// Replays the whole file.
    pub(crate) fn replay(mut self, markers: &Markers, judge: &mut dyn Judge) -> io::Result<Reading> {
        let mut reading = Reading::default();
        let mut replay = Replay::new(markers.clone());
        let adapter = self.detected.adapter.as_mut();
        if self.detected.newest_first {
            let index = Index::of(&mut self.reader, |broken| reading.broken(broken))?;
            for spot in index.oldest_first() {
                let next = self.reader.at(spot)?;
                reading.take(next, adapter, &mut replay, judge);
            }
        } else {
            while let Some(next) = self.reader.next()? {
                reading.take(next, adapter, &mut replay, judge);
            }
        }
        replay.finish(judge);
        Ok(reading)
    }
}

impl Reading {
    /// Turns a record into events, replays them and counts where the record ended.
    fn take(
        &mut self,
        next: Result<Record<'_>, Broken>,
        adapter: &mut dyn Adapter,
        replay: &mut Replay,
        judge: &mut dyn Judge,
    ) {
        let read = next.and_then(|record| Ok((record, json::value(&record)?)));
        let (record, raw) = match read {
            Ok(read) => read,
            Err(broken) => return self.broken(broken),
        };
        if replay.live() > LIVE {
            if !std::mem::replace(&mut self.is_full, true) {
                let reason = format!("the history holds more than {LIVE} messages; it is not followed further");
                let (line, column) = (record.spot.line, record.spot.column);
                return self.broken(Broken { line, column, reason });
            }
            self.coverage.ignored += 1;
            return;
        }
        let mut events = Vec::new();
        match adapter.read(record, raw, &mut events) {
            Fate::Understood => self.coverage.understood += 1,
            Fate::Ignored => self.coverage.ignored += 1,
            Fate::Unknown(name) => {
                self.coverage.unknown += 1;
                *self.unknown.entry(name).or_default() += 1;
            }
        }
        for event in events {
            replay.take(event, judge);
        }
    }

    fn broken(&mut self, broken: Broken) {
        self.coverage.malformed += 1;
        if self.broken.len() < BROKEN {
            self.broken.push(broken);
        }
    }
}
