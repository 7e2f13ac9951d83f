//! `replay`: the history of a recorded run, step by step.

mod human;
mod json;
mod rows;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::human::Human;
use self::json::Json;
use super::adapters::Adapters;
use super::markers::Markers;
use super::progress::Progress;
use super::replay::{Judge, Noted};
use super::step::{Scene, Step};
use super::walk::{self, Candidate};
use crate::exclude::Exclusion;
use crate::outcome::{Coverage, Problem};

/// What to replay, and how to show it.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// The file, as the user named it; `-` is standard input.
    pub path: PathBuf,
    /// The format's name, where the user forces one; see [`super::input_formats`].
    pub input_format: Option<String>,
    /// Only the steps of this turn, from 1.
    pub turn: Option<u32>,
    /// How to show it.
    pub format: ReplayFormat,
    /// What tells whose a message is.
    pub markers: Markers,
    /// How home-made logs are read.
    pub adapters: Adapters,
    /// How many columns a line may take; only in [`ReplayFormat::Human`].
    pub width: usize,
    /// Whether it is coloured; only in [`ReplayFormat::Human`].
    pub color: bool,
}

/// How a replay is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReplayFormat {
    /// A drawing of each step.
    #[default]
    Human,
    /// One JSON document, described in `docs/json.md`.
    Json,
}

/// Writes the replay of a file to `out`.
///
/// The outer error is a failure to write; the inner one says why the file could not be replayed. The
/// coverage tells how many records were left out.
pub fn replay(options: &ReplayOptions, out: &mut dyn Write) -> io::Result<Result<Coverage, Problem>> {
    if let Some(problem) = super::unknown_format(options.input_format.as_deref(), &options.adapters) {
        return Ok(Err(problem));
    }
    let candidate = match candidate(&options.path) {
        Ok(candidate) => candidate,
        Err(problem) => return Ok(Err(problem)),
    };
    let session = match super::open(&candidate, options.input_format.as_deref(), &options.adapters) {
        Ok(Some(session)) => session,
        Ok(None) => return Ok(Ok(Coverage::default())),
        Err(problem) => return Ok(Err(problem)),
    };
    let form = session.form();
    let files = session.paths();
    let mut viewer = match options.format {
        ReplayFormat::Human => Viewer {
            turn: options.turn,
            view: View::Human(Human::new(out, options.width, options.color)),
            failure: None,
        },
        ReplayFormat::Json => Viewer {
            turn: options.turn,
            view: View::Json(Json::default(), out),
            failure: None,
        },
    };
    if let View::Human(human) = &mut viewer.view {
        human.begin(&options.path, form)?;
    }
    let reading = session.replay(&options.markers, &Progress::default(), &mut viewer);
    if let Some(failure) = viewer.failure {
        return Err(failure);
    }
    let reading = match reading {
        Ok(reading) => reading,
        Err(error) => return Ok(Err(walk::failed(options.path.clone(), error.to_string()))),
    };
    match viewer.view {
        View::Human(human) => human.finish(reading.coverage)?,
        View::Json(json, out) => json.write(&options.path, form, &files, reading.coverage, out)?,
    }
    Ok(Ok(reading.coverage))
}

/// What is replayed of a path: a file, or the one conversation that a folder holds.
fn candidate(path: &Path) -> Result<Candidate, Problem> {
    if !path.is_dir() {
        return Ok(Candidate {
            path: path.to_owned(),
            members: Vec::new(),
            named: true,
        });
    }
    let (mut found, problems) = walk::candidates(&[path.to_owned()], false, &Exclusion::default());
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    if found.iter().any(|candidate| !candidate.members.is_empty()) {
        // What stands beside a store of folders is no conversation.
        found.retain(|candidate| !candidate.members.is_empty());
    }
    let help = "name one of the files; `audit` reads them all";
    let message = match found.len() {
        1 => {
            let candidate = found.swap_remove(0);
            return Ok(Candidate {
                named: true,
                ..candidate
            });
        }
        0 => "no transcripts in this folder".to_owned(),
        many => format!("this folder may hold {many} conversations, and one is replayed at a time"),
    };
    let help = (found.len() > 1).then(|| help.to_owned());
    Err(walk::refused(path.to_owned(), message, help))
}

enum View<'o> {
    Human(Human<'o>),
    Json(Json, &'o mut dyn Write),
}

/// Shows every step of the turn that was asked for.
struct Viewer<'o> {
    turn: Option<u32>,
    view: View<'o>,
    /// The first failure to write; nothing is shown after it.
    failure: Option<io::Error>,
}

impl Judge for Viewer<'_> {
    fn judge(&mut self, step: &Step<'_>) {
        let shown = self.turn.is_none_or(|turn| turn == step.turn);
        match &mut self.view {
            View::Human(human) if shown && self.failure.is_none() => {
                self.failure = human.step(step).err();
            }
            View::Human(_) => {}
            View::Json(json, _) => json.step(step, shown),
        }
    }

    fn note(&mut self, scene: &Scene<'_>, noted: &Noted<'_>) {
        if let View::Json(json, _) = &mut self.view {
            json.note(scene.thread, scene.spot, noted);
        }
    }

    fn end(&mut self, scene: &Scene<'_>) {
        if let View::Json(json, _) = &mut self.view {
            json.end(scene.thread, scene.list);
        }
    }
}
