//! One file, from its bytes to the steps that are judged.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use super::container::{self, Contents};
use super::event::Fate;
use super::formats::form::Form;
use super::formats::{self, Adapter, Detected, Detection, Refusal, Sink, Wanted, Way};
use super::input::Input;
use super::json;
use super::layout::Layout;
use super::markers::Markers;
use super::progress::Progress;
use super::reader::{Broken, Record, Spot};
use super::replay::{Judge, Replay};
use super::walk::Candidate;
use crate::outcome::Coverage;

/// A file that was recognised, ready to be replayed.
pub(crate) struct Session {
    input: Input,
    detected: Detected,
    /// Whether to keep in mind where the records are that tell something.
    keeps_told: bool,
    /// Whether messages keep what tools gave, to show it.
    keeps_given: bool,
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
    /// Why records were left out by design, with how many were for that reason.
    pub(crate) ignored: BTreeMap<&'static str, u64>,
    /// Names of types that the adapter does not know, with how many records have them.
    pub(crate) unknown: BTreeMap<String, u64>,
    /// Where the records are that tell something, if that is kept.
    pub(crate) told: Vec<Spot>,
    keeps_told: bool,
    /// Whether more messages came than are held.
    is_full: bool,
    /// The most messages that are held.
    most: usize,
}

impl Reading {
    fn new(most: usize, keeps_told: bool) -> Self {
        Self {
            keeps_told,
            most,
            ..Self::default()
        }
    }
}

/// The most messages that are held of a file.
const LIVE: usize = 1_000_000;

/// The most broken records that are told one by one.
const BROKEN: usize = 100;

/// The most unknown types that are told by name.
const TYPES: usize = 100;

impl Session {
    /// Opens and recognises what is read as one.
    pub(crate) fn open(candidate: &Candidate, wanted: &Wanted<'_>) -> io::Result<Opened> {
        let alone = [candidate.path.clone()];
        let members = if candidate.members.is_empty() {
            &alone[..]
        } else {
            &candidate.members
        };
        let (parts, format) = match container::of(members)? {
            Contents::Parts { parts, format } => (parts, format),
            Contents::Refused(refusal) => return Ok(Opened::Refused(refusal)),
            Contents::Other(reason) => return Ok(Opened::Other(reason)),
        };
        let mut input = Input::open(parts)?;
        match input.layout() {
            Layout::Empty if input.len() == 1 => return Ok(Opened::Other("the file is empty")),
            Layout::Binary => return Ok(Opened::Other("a binary file, not a transcript")),
            Layout::Text => {
                let text = input.start()?;
                let refusal = formats::by_text(&text).map(Opened::Refused);
                return Ok(refusal.unwrap_or(Opened::Other("not JSON, and no other known form of a transcript")));
            }
            Layout::Empty | Layout::Lines | Layout::Array | Layout::Object => {}
        }
        let wanted = match (wanted, format) {
            // The tables of a database say what it is.
            (Wanted::Whatever, Some(format)) => &Wanted::Format(format),
            (wanted, _) => wanted,
        };
        Ok(match formats::detect(&mut input, wanted)? {
            Detection::Read(detected) => Opened::Session(Self {
                input,
                detected,
                keeps_told: false,
                keeps_given: false,
            }),
            Detection::Refused(refusal) => Opened::Refused(refusal),
            Detection::Unrecognised(broken) => Opened::Unrecognised(broken),
        })
    }

    pub(crate) fn form(&self) -> &'static Form {
        self.detected.form
    }

    /// How the files that are read are named, in the order of [`super::message::Place::file`].
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.input.paths()
    }

    /// Keeps in mind where the records are that tell something.
    pub(crate) fn keep_told(&mut self) {
        self.keeps_told = true;
    }

    /// Lets messages keep how that begins what tools gave.
    pub(crate) fn keep_given(&mut self) {
        self.keeps_given = true;
    }

    /// Replays everything.
    pub(crate) fn replay(self, markers: &Markers, progress: &Progress, judge: &mut dyn Judge) -> io::Result<Reading> {
        self.replay_up_to(LIVE, markers, progress, judge)
    }

    fn replay_up_to(
        mut self,
        most: usize,
        markers: &Markers,
        progress: &Progress,
        judge: &mut dyn Judge,
    ) -> io::Result<Reading> {
        let mut reading = Reading::new(most, self.keeps_told);
        let mut replay = Replay::new(markers.of_format(self.detected.form.format), self.keeps_given);
        let adapter = self.detected.adapter.as_mut();
        let input = &mut self.input;
        let mut spots = None;
        // Whether what `read` says still counts.
        let mut counts = true;
        // Of what is seen twice, each time counts half.
        let share = if adapter.way() == Way::Surveyed { 2 } else { 1 };
        match adapter.way() {
            Way::Forward => {}
            Way::Backward => spots = Some(reading.places(input)?),
            Way::Surveyed => {
                let mut surveyed = Reading::new(most, self.keeps_told);
                surveyed.survey(input, adapter, progress)?;
                spots = adapter.plan();
                if spots.is_some() {
                    reading = surveyed;
                    counts = false;
                }
                input.rewind()?;
            }
        }
        match spots {
            Some(mut spots) => loop {
                for spot in spots {
                    let next = input.at(spot)?;
                    progress.read(spot.len / share);
                    reading.take(next, adapter, counts, &mut replay, judge);
                }
                match adapter.next_part() {
                    Some(more) => spots = more,
                    None => break,
                }
            },
            None => {
                while let Some(next) = input.next()? {
                    progress.read(next.as_ref().map_or(0, |record| record.spot.len / share));
                    reading.take(next, adapter, counts, &mut replay, judge);
                }
            }
        }
        let mut events = Vec::new();
        adapter.finish(&mut events);
        for event in events {
            replay.take(event, judge);
        }
        replay.finish(judge);
        Ok(reading)
    }
}

impl Reading {
    /// Where the readable records are, the last one first.
    fn places(&mut self, input: &mut Input) -> io::Result<Vec<Spot>> {
        let mut spots = Vec::new();
        while let Some(next) = input.next()? {
            match next {
                Ok(record) => spots.push(record.spot),
                Err(broken) => self.broken(broken),
            }
        }
        spots.reverse();
        Ok(spots)
    }

    /// Shows an adapter every record before the first is read.
    fn survey(&mut self, input: &mut Input, adapter: &mut dyn Adapter, progress: &Progress) -> io::Result<()> {
        while let Some(next) = input.next()? {
            match next.and_then(|record| Ok((record, json::value(&record)?))) {
                Ok((record, raw)) => {
                    progress.read(record.spot.len / 2);
                    let fate = adapter.survey(record, raw);
                    self.count(record.spot, fate);
                }
                Err(broken) => self.broken(broken),
            }
        }
        Ok(())
    }

    /// Turns a record into events, replays them and counts where the record ended.
    fn take(
        &mut self,
        next: Result<Record<'_>, Broken>,
        adapter: &mut dyn Adapter,
        counts: bool,
        replay: &mut Replay,
        judge: &mut dyn Judge,
    ) {
        let read = next.and_then(|record| Ok((record, json::value(&record)?)));
        let (record, raw) = match read {
            Ok(read) => read,
            Err(broken) => return self.broken(broken),
        };
        if replay.live() > self.most {
            if !std::mem::replace(&mut self.is_full, true) {
                let reason = format!(
                    "the history holds more than {} messages; it is not followed further",
                    self.most
                );
                return self.broken(Broken::at(record.spot, reason));
            }
            self.count(record.spot, Fate::Ignored("behind the most messages that are held"));
            return;
        }
        let mut events = Vec::new();
        let mut sink = Sink::new(record, &mut events);
        let fate = adapter.read(record, raw, &mut sink);
        let parts = sink.into_parts();
        if counts {
            for (place, fate) in parts {
                let spot = Spot {
                    line: place.line,
                    column: place.column,
                    ..record.spot
                };
                self.count(spot, fate);
            }
            self.count(record.spot, fate);
        }
        for event in events {
            replay.take(event, judge);
        }
    }

    fn count(&mut self, spot: Spot, fate: Fate) {
        match fate {
            Fate::Understood => {
                self.coverage.understood += 1;
                if self.keeps_told {
                    self.told.push(spot);
                }
            }
            Fate::Ignored(reason) => {
                self.coverage.ignored += 1;
                *self.ignored.entry(reason).or_default() += 1;
            }
            Fate::Unknown(name) => {
                self.coverage.unknown += 1;
                // Names come from the record; a flood of different ones is not kept.
                let name = if self.unknown.len() < TYPES || self.unknown.contains_key(&name) {
                    name
                } else {
                    "(other types)".to_owned()
                };
                *self.unknown.entry(name).or_default() += 1;
            }
            Fate::Malformed(reason) => self.broken(Broken::at(spot, reason)),
            Fate::Parts => {}
        }
    }

    fn broken(&mut self, broken: Broken) {
        self.coverage.malformed += 1;
        if self.broken.len() < BROKEN {
            self.broken.push(broken);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Opened, Session};
    use crate::transcript::formats::Wanted;
    use crate::transcript::markers::Markers;
    use crate::transcript::progress::Progress;
    use crate::transcript::replay::Judge;
    use crate::transcript::step::{Scene, Step};
    use crate::transcript::walk::Candidate;

    struct Nobody;

    impl Judge for Nobody {
        fn judge(&mut self, _step: &Step<'_>) {}

        fn end(&mut self, scene: &Scene<'_>) {
            assert_eq!(scene.list.len(), 4);
        }
    }

    #[test]
    fn a_history_that_is_too_long_is_not_followed_further() {
        let mut file = tempfile::NamedTempFile::new().expect("a file can be made");
        for n in 0..7 {
            writeln!(file, "{{\"role\": \"assistant\", \"content\": \"{n}\"}}").expect("it can be written");
        }
        let candidate = Candidate {
            path: file.path().to_owned(),
            members: Vec::new(),
            named: true,
        };
        let Ok(Opened::Session(session)) = Session::open(&candidate, &Wanted::Whatever) else {
            panic!("a list of messages is a transcript");
        };
        let reading = session.replay_up_to(3, &Markers::default(), &Progress::default(), &mut Nobody);
        let reading = reading.expect("the file can be read");
        let told: Vec<_> = reading
            .broken
            .iter()
            .map(|broken| (broken.line, broken.reason.as_str()))
            .collect();
        let reason = "the history holds more than 3 messages; it is not followed further";
        assert_eq!(told, [(5, reason)]);
        let coverage = reading.coverage;
        assert_eq!((coverage.understood, coverage.ignored, coverage.malformed), (4, 2, 1));
    }
}
