//! A replay for people: lines of at most 80 columns.

use std::io::{self, Write};
use std::path::Path;

use super::rows::{Mark, Row, margins, rows};
use crate::outcome::Coverage;
use crate::transcript::formats::form::Form;
use crate::transcript::message::Live;
use crate::transcript::safe_text::{self, WIDTH};
use crate::transcript::step::{Source, Step};

/// Writes steps as they come.
pub(super) struct Human<'o> {
    out: &'o mut dyn Write,
    color: bool,
    /// The history of the step shown last.
    thread: String,
    steps: usize,
}

/// Width of a message's id.
const ID: usize = 14;

impl<'o> Human<'o> {
    pub(super) fn new(out: &'o mut dyn Write, color: bool) -> Self {
        Self {
            out,
            color,
            thread: String::new(),
            steps: 0,
        }
    }

    pub(super) fn begin(&mut self, path: &Path, form: &Form) -> io::Result<()> {
        let name = safe_text::excerpt(&path.to_string_lossy(), WIDTH);
        writeln!(self.out, "{name}")?;
        writeln!(self.out, "{}, {}", form.format, form.name)?;
        writeln!(
            self.out,
            "+ inserted  ~ replaced  - removed  > taken for the current question"
        )
    }

    pub(super) fn step(&mut self, step: &Step<'_>) -> io::Result<()> {
        self.steps += 1;
        if step.thread != self.thread {
            self.thread = step.thread.to_owned();
            let line = format!("history {}", safe_text::excerpt(step.thread, WIDTH - 8));
            writeln!(self.out, "\n{line}")?;
        }
        writeln!(self.out, "\n{}", title(step))?;
        if step.change.is_empty() {
            return writeln!(self.out, "       nothing changed");
        }
        let (lines, arrows) = rows(step);
        let margins = margins(lines.len(), &arrows);
        let taken = step.taken_for_current();
        for (row, margin) in lines.iter().zip(margins) {
            let (place, mark, live) = match row {
                Row::Gap(count) => {
                    writeln!(self.out, "{margin}   … {count} unchanged")?;
                    continue;
                }
                Row::Stands { at, live, mark } => ((at + 1).to_string(), sign(*mark), live),
                Row::Gone { live } => (String::new(), '-', live),
                Row::Was { live } | Row::Left { live } => (String::new(), ' ', live),
            };
            let is_taken = matches!(row, Row::Stands { at, .. } if Some(*at) == taken);
            let was = matches!(row, Row::Was { .. } | Row::Left { .. });
            let text = format!(
                "{margin}{place:>4} {mark}{} {}",
                if is_taken { '>' } else { ' ' },
                message(live, was)
            );
            self.line(&text, mark, was)?;
        }
        self.questions(step)
    }

    /// Says what the person asked where the model reads something else.
    fn questions(&mut self, step: &Step<'_>) -> io::Result<()> {
        let Some(question) = step.question else { return Ok(()) };
        let taken = step.taken_for_current().map(|at| &step.after[at]);
        if taken.is_some_and(|live| question.is(live)) {
            return Ok(());
        }
        let read = taken.map_or("nothing".to_owned(), |live| {
            format!("\"{}\"", safe_text::excerpt(&live.head, 40))
        });
        let asked = safe_text::excerpt(&question.live.head, 40);
        writeln!(self.out, "       the person asked \"{asked}\"")?;
        writeln!(self.out, "       the model takes {read} for the question")
    }

    fn line(&mut self, line: &str, mark: char, faint: bool) -> io::Result<()> {
        let line = line.trim_end();
        let code = match mark {
            '+' => "32",
            '~' => "33",
            '-' => "31",
            '^' => "36",
            _ if faint => "2",
            _ => "",
        };
        if self.color && !code.is_empty() {
            writeln!(self.out, "\x1b[{code}m{line}\x1b[0m")
        } else {
            writeln!(self.out, "{line}")
        }
    }

    pub(super) fn finish(self, coverage: Coverage) -> io::Result<()> {
        let steps = if self.steps == 1 { "step" } else { "steps" };
        let left_out = coverage.unknown + coverage.malformed;
        write!(self.out, "\n{} {steps} of {} records", self.steps, coverage.records())?;
        match left_out {
            0 => writeln!(self.out),
            _ => writeln!(self.out, ", {left_out} of them not read"),
        }
    }
}

fn sign(mark: Mark) -> char {
    match mark {
        Mark::None => ' ',
        Mark::Inserted => '+',
        Mark::Replaced => '~',
        Mark::Moved => '^',
    }
}

/// `turn 7, step 13: Reminder.before_agent (line 26)`
fn title(step: &Step<'_>) -> String {
    let turn = if step.turn > 0 {
        format!("turn {}, ", step.turn)
    } else {
        String::new()
    };
    let what = match step.source {
        Source::Beginning => "the record begins".to_owned(),
        Source::Input => "input".to_owned(),
        Source::Append => "next message".to_owned(),
        Source::State => "next state".to_owned(),
        Source::Compaction(class) => format!("compaction, {}", class.as_str()),
        Source::Update => {
            let mut nodes: Vec<&str> = step.writes.iter().map(|write| write.node.as_ref()).collect();
            nodes.dedup();
            safe_text::excerpt(&nodes.join(", "), 40)
        }
    };
    format!("{turn}step {}: {what} (line {})", step.number, step.spot.line)
}

/// Role, id and text in what room is left of a line.
fn message(live: &Live, was: bool) -> String {
    let id = safe_text::excerpt(live.recorded_id().unwrap_or("-"), ID);
    let start = if was {
        format!("was {:<9} ", live.role.as_str())
    } else {
        format!("{:<9} {id:<ID$} ", live.role.as_str())
    };
    let room = (WIDTH - 13).saturating_sub(start.chars().count());
    start + &safe_text::excerpt(&live.summary(), room)
}
