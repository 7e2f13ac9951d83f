//! The histories: a table of them, the place where one is drawn, and what it is drawn from.

use std::cmp::Reverse;
use std::io::{self, Write};
use std::path::Path;

use maud::{Markup, html};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use serde_json::{Value, json};

use super::Page;
use crate::chronicle::{Chronicle, Placed, Shift, ShownCall, ShownMessage, ShownStep};
use crate::finding::Finding;
use crate::outcome::{FileKind, Outcome};
use crate::report::text::{clip, count, escape_hazards, one_line};
use crate::transcript::cost::grouped;

/// The most messages that a page draws: it stays under twenty megabytes or so.
const MESSAGES: usize = 150_000;
/// Characters of all excerpts together.
const TEXTS: usize = 10_000_000;
/// The fewest characters that an excerpt is cut to.
const LEAST: usize = 60;

/// The histories that are drawn, in the order of their files.
pub(super) struct Sessions<'o> {
    drawn: Vec<Drawn<'o>>,
    /// By file and session.
    places: FxHashMap<(&'o Path, &'o str), usize>,
    /// How many histories are left out.
    left: usize,
}

struct Drawn<'o> {
    chronicle: &'o Chronicle,
    findings: Vec<&'o Finding>,
}

impl<'o> Sessions<'o> {
    /// Those of the outcome; of very many those with findings first.
    pub(super) fn of(outcome: &'o Outcome) -> Self {
        let mut by_session: FxHashMap<&str, Vec<&Finding>> = FxHashMap::default();
        for finding in &outcome.findings {
            if let Some(session) = &finding.session {
                by_session.entry(session).or_default().push(finding);
            }
        }
        let mut reported: FxHashSet<(&Path, &str)> = FxHashSet::default();
        for file in &outcome.files {
            if let FileKind::Transcript { sessions, .. } = &file.kind {
                let ids = sessions
                    .iter()
                    .map(|session| (file.path.as_path(), session.id.as_str()));
                reported.extend(ids);
            }
        }
        let is_reported =
            |chronicle: &Chronicle| reported.contains(&(chronicle.path.as_path(), chronicle.session.as_str()));
        let mut drawn: Vec<Drawn<'o>> = Vec::new();
        for chronicle in outcome.chronicles.iter().filter(|chronicle| is_reported(chronicle)) {
            let found = by_session.get(chronicle.session.as_str());
            let own = |finding: &&&Finding| {
                let path = finding.path();
                path.starts_with(&chronicle.path) || chronicle.parts.iter().any(|part| part == path)
            };
            let findings = found.map_or(Vec::new(), |found| found.iter().filter(own).copied().collect());
            drawn.push(Drawn { chronicle, findings });
        }
        let all = drawn.len();
        let mut order: Vec<usize> = (0..all).collect();
        order.sort_by_key(|&at| Reverse(drawn[at].findings.len().min(1)));
        let mut room = MESSAGES;
        let mut fits = vec![false; all];
        for at in order {
            let size = drawn[at].chronicle.messages.len();
            fits[at] = size <= room;
            room -= size.min(room);
        }
        let mut fits = fits.into_iter();
        drawn.retain(|_| fits.next().unwrap_or(false));
        drawn.sort_by(|a, b| a.chronicle.path.cmp(&b.chronicle.path));
        let places = drawn.iter().enumerate().map(|(at, drawn)| {
            let chronicle = drawn.chronicle;
            ((chronicle.path.as_path(), chronicle.session.as_str()), at)
        });
        Self {
            places: places.collect(),
            left: all - drawn.len(),
            drawn,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.drawn.is_empty()
    }

    /// Which of the drawn histories a finding is about.
    pub(super) fn of_finding(&self, finding: &Finding) -> Option<usize> {
        let session = finding.session.as_deref()?;
        let mut folders = finding.path().ancestors();
        folders.find_map(|path| self.places.get(&(path, session)).copied())
    }

    /// The first step of a turn, in the first history that has one.
    pub(super) fn step_of_turn(&self, turn: u32) -> Option<(usize, u32)> {
        self.drawn.iter().enumerate().find_map(|(at, drawn)| {
            let step = drawn.chronicle.steps.iter().find(|step| step.turn == turn)?;
            Some((at, step.number))
        })
    }

    /// Writes what is drawn, a block of data a history.
    pub(super) fn write_data(&self, out: &mut dyn Write) -> io::Result<()> {
        let messages: usize = self.drawn.iter().map(|drawn| drawn.chronicle.messages.len()).sum();
        let room = (TEXTS / messages.max(1)).max(LEAST);
        for (at, drawn) in self.drawn.iter().enumerate() {
            let data = serde_json::to_string(&data(drawn.chronicle, room))?;
            writeln!(
                out,
                "<script type=\"application/json\" id=\"session-{at}\">{}</script>",
                inert(&data)
            )?;
        }
        Ok(())
    }
}

/// JSON that stays text wherever it stands in a page: nothing in it opens or closes anything.
fn inert(json: &str) -> String {
    let mut inert = String::with_capacity(json.len() + json.len() / 16);
    for c in escape_hazards(json).chars() {
        match c {
            '<' => inert.push_str("\\u003c"),
            '>' => inert.push_str("\\u003e"),
            '&' => inert.push_str("\\u0026"),
            c => inert.push(c),
        }
    }
    inert
}

/// The section of the page.
pub(super) fn section(page: &Page<'_>, sessions: &Sessions<'_>) -> Markup {
    html! {
        section #sessions aria-labelledby="sessions-title" {
            h2 #sessions-title { "Histories" }
            noscript { p { "The drawings need scripts, which are part of this page; the findings do not." } }
            @if sessions.left > 0 {
                p .warning { (count(sessions.left as u64, "session")) " left out of the drawings, which would be too many; name one with --session." }
            }
            div .wide tabindex="0" {
                table .sessions {
                    thead {
                        tr {
                            th scope="col" { "session" } th scope="col" { "file" }
                            th .number scope="col" { "findings" } th .number scope="col" { "messages" }
                            th .number scope="col" { "steps" } th .number scope="col" { "calls" }
                            th .number scope="col" { "tokens paid again" }
                        }
                    }
                    tbody {
                        @for (at, drawn) in sessions.drawn.iter().enumerate() { (row(page, at, drawn)) }
                    }
                }
            }
            div #view hidden {}
        }
    }
}

fn row(page: &Page<'_>, at: usize, drawn: &Drawn<'_>) -> Markup {
    let chronicle = drawn.chronicle;
    let again = chronicle.calls.iter().filter_map(|call| call.again.as_ref());
    let again: u64 = again.map(|again| again.tokens).sum();
    html! {
        tr {
            th scope="row" { a .draw href={ "#s" (at) } { (clip(&one_line(&chronicle.session), 60)) } }
            td { (page.path(&chronicle.path)) }
            td .number { (drawn.findings.len()) }
            td .number { (grouped(chronicle.messages.len() as u64)) }
            td .number { (grouped(chronicle.steps.len() as u64 + chronicle.more_steps)) }
            td .number { (grouped(chronicle.calls.len() as u64)) }
            td .number { (grouped(again)) }
        }
    }
}

/// What the scripts draw. Lists instead of objects: a name for each field would be half of the page.
#[derive(Serialize)]
struct Data {
    messages: Vec<Value>,
    steps: Vec<Value>,
    calls: Vec<Value>,
    more: u64,
}

fn data(chronicle: &Chronicle, room: usize) -> Data {
    Data {
        messages: chronicle
            .messages
            .iter()
            .map(|message| self::message(message, room))
            .collect(),
        steps: chronicle.steps.iter().map(step).collect(),
        calls: chronicle.calls.iter().map(call).collect(),
        more: chronicle.more_steps,
    }
}

fn message(message: &ShownMessage, room: usize) -> Value {
    let mut value = vec![
        json!(message.kind),
        json!(message.role),
        json!(clip(&message.text, room)),
        json!(message.turn),
        json!(message.line),
        json!(message.length),
        json!(message.id),
    ];
    if !(message.calls.is_empty() && message.results.is_empty()) {
        value.extend([json!(message.calls), json!(message.results)]);
    }
    Value::Array(value)
}

fn step(step: &ShownStep) -> Value {
    let shifts = |shifts: &[Shift]| -> Vec<[u32; 2]> { shifts.iter().map(|shift| [shift.was, shift.at]).collect() };
    let replaced: Vec<[u32; 3]> = step.replaced.iter().map(|swap| [swap.at, swap.old, swap.new]).collect();
    let mut value = json!([
        step.number,
        step.turn,
        step.line,
        step.source,
        step.by,
        step.question.map_or(-1, i64::from),
        step.taken.map_or(-1, i64::from),
        runs(&step.inserted),
    ]);
    let is_plain = step.removed.is_empty() && step.moved.is_empty() && replaced.is_empty() && step.before.is_none();
    if let Some(fields) = value.as_array_mut().filter(|_| !is_plain) {
        fields.extend([
            json!(runs(&step.removed)),
            json!(shifts(&step.moved)),
            json!(replaced),
            json!(shifts(&step.back)),
        ]);
        fields.extend(step.before.as_ref().map(|before| json!(before)));
    }
    value
}

/// Messages that follow each other in number and place as one: place, number, how many.
fn runs(placed: &[Placed]) -> Vec<[u32; 3]> {
    let mut runs: Vec<[u32; 3]> = Vec::new();
    for &Placed { at, message } in placed {
        match runs.last_mut() {
            Some([first, number, many]) if *first + *many == at && *number + *many == message => *many += 1,
            _ => runs.push([at, message, 1]),
        }
    }
    runs
}

fn call(call: &ShownCall) -> Value {
    let mut value = vec![
        json!(call.step),
        json!(call.line),
        json!(call.model),
        json!(call.input),
        json!(call.read),
        json!(call.written),
        json!(call.output),
    ];
    if let Some(again) = &call.again {
        value.extend([json!(again.tokens), json!(again.cause), json!(again.estimated)]);
    }
    Value::Array(value)
}

#[cfg(test)]
mod tests {
    use super::{Placed, inert, runs};

    #[test]
    fn data_cannot_leave_their_block() {
        assert_eq!(
            inert(r#"["</script><!--&amp;"]"#),
            r#"["\u003c/script\u003e\u003c!--\u0026amp;"]"#
        );
        assert_eq!(inert("[\"\u{2028}\u{202e}\"]"), r#"["\u2028\u202e"]"#);
    }

    #[test]
    fn neighbours_are_one_run() {
        let placed = |at, message| Placed { at, message };
        assert_eq!(
            runs(&[placed(3, 7), placed(4, 8), placed(6, 9), placed(7, 11)]),
            [[3, 7, 2], [6, 9, 1], [7, 11, 1]]
        );
    }
}
