//! A replay for people: what each step did to the list, drawn.

use std::io::{self, Write};
use std::path::Path;

use super::rows::{Mark, Row, rows};
use crate::drawing::{self, Entry, INJECTED, Ink, Line, SUMMARY, Style};
use crate::outcome::Coverage;
use crate::transcript::formats::form::Form;
use crate::transcript::message::Kind;
use crate::transcript::safe_text;
use crate::transcript::step::{Source, Step};

/// Writes steps as they come.
pub(super) struct Human<'o> {
    out: &'o mut dyn Write,
    style: Style,
    /// The history of the step shown last.
    thread: String,
    steps: usize,
}

/// Columns of an id or a text that is handed to the drawing, which cuts it to what there is room for.
const TEXT: usize = 400;
/// Columns before what is said of a step.
const INDENT: &str = "       ";

impl<'o> Human<'o> {
    pub(super) fn new(out: &'o mut dyn Write, width: usize, color: bool) -> Self {
        let style = Style {
            width,
            color,
            margin: true,
        };
        Self {
            out,
            style,
            thread: String::new(),
            steps: 0,
        }
    }

    pub(super) fn begin(&mut self, path: &Path, form: &Form) -> io::Result<()> {
        let width = self.style.width;
        let name = safe_text::excerpt(&path.to_string_lossy(), width);
        let form = drawing::cut(&format!("{}, {}", form.format, form.name), width);
        let signs = format!("+ inserted  ~ replaced  - removed  ^ moved  {INJECTED} injected  {SUMMARY} summary");
        let signs = Ink::Faint.paint(&drawing::cut(&signs, width), self.style.color);
        writeln!(self.out, "{name}\n{form}\n{signs}")
    }

    pub(super) fn step(&mut self, step: &Step<'_>) -> io::Result<()> {
        self.steps += 1;
        if step.thread != self.thread {
            self.thread = step.thread.to_owned();
            let name = safe_text::excerpt(step.thread, self.style.width.saturating_sub(8));
            writeln!(self.out, "\nhistory {name}")?;
        }
        let title = drawing::cut(&title(step), self.style.width);
        writeln!(self.out, "\n{}", bold(&title, self.style.color))?;
        if step.change.is_empty() {
            return writeln!(self.out, "{INDENT}nothing changed");
        }
        let (rows, arrows) = rows(step);
        let lines: Vec<Line> = rows.iter().map(|row| line(row, step)).collect();
        for line in drawing::draw(&lines, &arrows, self.style) {
            writeln!(self.out, "{line}")?;
        }
        self.lost(step)
    }

    /// Says what the person asked where that stands nowhere in the list.
    fn lost(&mut self, step: &Step<'_>) -> io::Result<()> {
        let Some(question) = step.question.filter(|_| step.question_at().is_none()) else {
            return Ok(());
        };
        let said = "◀ the person asked this, and it is not in the list: ";
        let room = self.style.width.saturating_sub(INDENT.len() + said.chars().count() + 2);
        let asked = safe_text::excerpt(&question.live.head, room.max(10));
        let text = drawing::cut(
            &format!("{said}\"{asked}\""),
            self.style.width.saturating_sub(INDENT.len()),
        );
        writeln!(self.out, "{INDENT}{}", Ink::Wrong.paint(&text, self.style.color))
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

/// One row as it is drawn.
fn line(row: &Row<'_>, step: &Step<'_>) -> Line {
    let (live, number, sign, note) = match *row {
        Row::Gap(count) => return Line::Fold(count),
        Row::Cut(count) => return Line::Cut(count),
        Row::Stands { at, live, mark } => (live, Some(at + 1), sign(mark), question(at, step)),
        Row::Gone { live } => (live, None, Some('-'), None),
        Row::Was { live } => (live, None, None, Some((Ink::Faint, "was here before"))),
        Row::Left { live } => (live, None, None, Some((Ink::Faint, "was here"))),
    };
    let was = matches!(row, Row::Was { .. } | Row::Left { .. });
    Line::Message(Box::new(Entry {
        number,
        sign,
        program: match live.kind {
            Kind::Injected => Some(INJECTED),
            Kind::Summary => Some(SUMMARY),
            _ => None,
        },
        role: live.role.as_str().to_owned(),
        id: (!was).then(|| safe_text::excerpt(live.recorded_id().unwrap_or("-"), TEXT)),
        text: safe_text::excerpt(&live.summary(), TEXT),
        note,
    }))
}

/// What the message at a place is to the model, where it asks.
fn question(at: usize, step: &Step<'_>) -> Option<(Ink, &'static str)> {
    let (asked, taken) = (step.question_at() == Some(at), step.taken_for_current() == Some(at));
    match (asked, taken) {
        (true, true) => Some((Ink::Now, "◀ the question")),
        (true, false) => Some((Ink::Now, "◀ what was asked")),
        (false, true) if step.question.is_some() => Some((Ink::Wrong, "◀ taken for the question")),
        _ => None,
    }
}

fn bold(text: &str, color: bool) -> String {
    if color {
        format!("\x1b[1m{text}\x1b[0m")
    } else {
        text.to_owned()
    }
}

fn sign(mark: Mark) -> Option<char> {
    match mark {
        Mark::None => None,
        Mark::Inserted => Some('+'),
        Mark::Replaced => Some('~'),
        Mark::Moved => Some('^'),
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
        Source::Update => safe_text::excerpt(&step.nodes().join(", "), 40),
    };
    format!("{turn}step {}: {what} (line {})", step.number, step.spot.line)
}
