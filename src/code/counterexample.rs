//! A finding's small history: a few turns with neutral texts, really folded with the update that the
//! code would make, and shown as the list of messages that the model would read.
//!
//! A [`Story`] starts with some turns; what the code does to it is [`Story::fold`] or
//! [`Story::replace`], with [`Line`]s taken from the story ([`Story::line`]) or made ([`Line::note`],
//! [`Line::repeating`]). The marks of [`Story::counterexample`] follow from comparing before and after.

mod cuts;
mod offsets;
mod scenes;

pub(crate) use cuts::{Left, cut, cut_for_good, cut_unsummarized, put_before, returned_part};
pub(crate) use offsets::{
    changed_by_call, heads_left_by_calls, merged_for_one_call, read_behind_old_length, read_from_old_anchor,
    removed_at_old_place, replaced_by_older_state, skipped_while_removing,
};
pub(crate) use scenes::{
    Target, again_under_new_ids, aimed_at_first, all_again, edited, kept_state, note_at_first, notes_at_one_index,
    older_removed, older_version_kept, question_again, question_ahead, repeated, replaced_at_first, swapped,
    system_at_count, system_at_tail,
};

use super::vocabulary::Role;
use crate::finding::{Counterexample, Mark, ModelRow};
use crate::history::entry::{Entry, Removal};
use crate::history::reducer::{History, Reducer};

/// One message of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its id.
    pub(crate) id: Option<String>,
    /// Its role.
    pub(crate) role: Role,
    /// Its text.
    pub(crate) text: String,
    voice: Voice,
    /// Where it stands in the story as it was told; copies keep it.
    origin: Option<usize>,
    removal: Removal,
}

/// Whose words a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Voice {
    /// The person's, in this turn.
    Question(usize),
    /// The model's or a tool's.
    Answer,
    /// A program's.
    Note,
    /// A program's, repeating the question of this turn as if it were asked now.
    Repeats(usize),
}

impl Line {
    /// A message that a program puts there.
    pub(crate) fn note(role: Role, text: impl Into<String>) -> Self {
        Self {
            id: None,
            role,
            text: text.into(),
            voice: Voice::Note,
            origin: None,
            removal: Removal::No,
        }
    }

    /// A message of a program that asks the question of a turn once more.
    pub(crate) fn repeating(turn: usize, text: impl Into<String>) -> Self {
        Self {
            voice: Voice::Repeats(turn),
            ..Self::note(Role::User, text)
        }
    }

    /// The order to remove everything.
    pub(crate) fn removing_all() -> Self {
        Self {
            removal: Removal::All,
            ..Self::note(Role::User, "")
        }
    }

    /// The same under another id.
    #[must_use]
    pub(crate) fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

impl Entry for Line {
    type Id = String;

    fn id(&self) -> Option<&String> {
        self.id.as_ref()
    }

    fn set_id(&mut self, id: String) {
        self.id = Some(id);
    }

    fn removal(&self) -> Removal {
        self.removal
    }
}

/// A conversation, and what the code makes of it.
#[derive(Debug)]
pub(crate) struct Story {
    told: Vec<Line>,
    turns: usize,
    history: History<Line>,
    made: usize,
    taken: Option<usize>,
}

impl Story {
    /// An empty conversation whose updates are folded by `reducer`.
    pub(crate) fn new(reducer: Reducer) -> Self {
        Self {
            told: Vec::new(),
            turns: 0,
            history: History::new(reducer),
            made: 0,
            taken: None,
        }
    }

    /// A conversation of so many turns; the last question is not answered yet.
    pub(crate) fn asked(reducer: Reducer, turns: usize) -> Self {
        let mut story = Self::new(reducer);
        for turn in 1..=turns {
            story.question(turn == turns);
            if turn < turns {
                story.answer();
            }
        }
        story
    }

    /// The same with tools: every turn calls one, and the last question's result has just come back.
    pub(crate) fn in_tool_loop(reducer: Reducer, turns: usize) -> Self {
        let mut story = Self::new(reducer);
        for turn in 1..=turns {
            story.question(turn == turns);
            story.tool_pair();
            if turn < turns {
                story.answer();
            }
        }
        story
    }

    /// The person asks.
    pub(crate) fn question(&mut self, current: bool) {
        self.turns += 1;
        let turn = self.turns;
        let which = if current { "current" } else { ordinal(turn) };
        self.tell(
            &format!("q{turn}"),
            Role::User,
            format!("{which} question"),
            Voice::Question(turn),
        );
    }

    /// The model answers.
    pub(crate) fn answer(&mut self) {
        let turn = self.turns;
        let text = format!("{} answer", ordinal(turn));
        self.tell(&format!("a{turn}"), Role::Assistant, text, Voice::Answer);
    }

    /// The model calls a tool and gets its result.
    pub(crate) fn tool_pair(&mut self) {
        let turn = self.turns;
        self.tell(
            &format!("c{turn}"),
            Role::Assistant,
            "tool call".to_owned(),
            Voice::Answer,
        );
        self.tell(&format!("r{turn}"), Role::Tool, "tool result".to_owned(), Voice::Answer);
    }

    /// The result of the newest call comes once more, in its final form.
    pub(crate) fn newer_result(&mut self) {
        let id = format!("r{}", self.turns);
        self.tell(&id, Role::Tool, "tool result, finished".to_owned(), Voice::Answer);
    }

    fn tell(&mut self, id: &str, role: Role, text: String, voice: Voice) {
        let line = Line {
            id: Some(id.to_owned()),
            role,
            text,
            voice,
            origin: Some(self.told.len()),
            removal: Removal::No,
        };
        self.told.push(line.clone());
        let mut now = self.history.entries().to_vec();
        now.push(line);
        self.history = History::with_entries(self.history.reducer(), now);
    }

    /// How updates are folded.
    pub(crate) fn reducer(&self) -> Reducer {
        self.history.reducer()
    }

    /// The messages as they stand.
    pub(crate) fn lines(&self) -> &[Line] {
        self.history.entries()
    }

    /// A message as it was told, by its id: `q1`, `a1`, `c1`, `r1`.
    pub(crate) fn line(&self, id: &str) -> Line {
        let told = self.told.iter().find(|line| line.id.as_deref() == Some(id));
        told.cloned().unwrap_or_else(|| Line::note(Role::User, ""))
    }

    /// The id of the question that the person asked last.
    pub(crate) fn current(&self) -> String {
        format!("q{}", self.turns)
    }

    /// Folds an update; one that the reducer refuses changes nothing, as in a run.
    pub(crate) fn fold(&mut self, update: Vec<Line>) {
        let made = &mut self.made;
        let mut fresh = || {
            *made += 1;
            format!("new{made}")
        };
        let _refused = self.history.apply(update, &mut fresh).is_err();
    }

    /// The list becomes another one, as it is.
    pub(crate) fn replace(&mut self, lines: Vec<Line>) {
        self.history = History::with_entries(self.history.reducer(), lines);
    }

    /// The code takes the question of a turn for the current one, wherever it stands.
    pub(crate) fn take(&mut self, turn: usize) {
        self.taken = Some(turn);
    }

    /// The list of messages that the model would read, with what became of them.
    pub(crate) fn counterexample(&self) -> Counterexample {
        let lines = self.lines();
        let last = lines
            .iter()
            .rev()
            .filter(|line| line.role == Role::User)
            .find_map(|line| match line.voice {
                Voice::Question(turn) | Voice::Repeats(turn) => Some((line, turn)),
                _ => None,
            });
        let taken = last.filter(|(_, turn)| *turn != self.turns).map(|(line, _)| line);
        let in_order = in_order(lines);
        let mut rows: Vec<ModelRow> = Vec::new();
        let mut told = 0;
        for line in lines {
            // What is gone is shown where it stood: before the next message that kept its place.
            if let Some(origin) = line.origin.filter(|origin| in_order.contains(origin)) {
                rows.extend(self.lost(told..origin));
                told = told.max(origin + 1);
            }
            let mark = match line.voice {
                _ if taken.is_some_and(|taken| std::ptr::eq(taken, line)) => Some(Mark::TakenForCurrent),
                Voice::Question(turn) if self.taken == Some(turn) => Some(Mark::TakenForCurrent),
                Voice::Question(turn) if turn == self.turns => Some(Mark::Current),
                Voice::Note | Voice::Repeats(_) => Some(Mark::Injected),
                _ if line.origin.is_some_and(|origin| !in_order.contains(&origin)) => Some(Mark::Moved),
                _ => None,
            };
            rows.push(row(line, mark));
        }
        rows.extend(self.lost(told..self.told.len()));
        Counterexample { rows }
    }

    fn lost(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = ModelRow> {
        range
            .filter(|at| self.lines().iter().all(|line| line.origin != Some(*at)))
            .map(|at| row(&self.told[at], Some(Mark::Lost)))
    }
}

fn row(line: &Line, mark: Option<Mark>) -> ModelRow {
    let role = match line.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    ModelRow {
        id: line.id.clone(),
        role: role.to_owned(),
        text: line.text.clone(),
        mark,
    }
}

/// The origins of the lines that kept their order: the longest run that grows.
fn in_order(lines: &[Line]) -> Vec<usize> {
    let origins: Vec<usize> = lines.iter().filter_map(|line| line.origin).collect();
    let mut best: Vec<Vec<usize>> = Vec::with_capacity(origins.len());
    for (at, origin) in origins.iter().enumerate() {
        let before = best[..at]
            .iter()
            .filter(|run| run.last() < Some(origin))
            .max_by_key(|run| run.len());
        let mut run = before.cloned().unwrap_or_default();
        run.push(*origin);
        best.push(run);
    }
    best.into_iter().max_by_key(Vec::len).unwrap_or_default()
}

fn ordinal(turn: usize) -> &'static str {
    const WORDS: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];
    WORDS.get(turn.wrapping_sub(1)).copied().unwrap_or("later")
}

/// What the model reads, line by line, with the marks.
#[cfg(test)]
fn drawn(counterexample: &Counterexample) -> Vec<String> {
    let row = |row: &ModelRow| {
        let mark = row.mark.map_or(String::new(), |mark| format!(" <{mark}>"));
        format!("{}{mark}", row.text)
    };
    counterexample.rows.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_ids(counterexample: &Counterexample) -> Vec<String> {
        let rows = counterexample.rows.iter().map(|row| {
            let mark = row.mark.map_or(String::new(), |mark| format!(" <{mark}>"));
            format!("{}: {}{mark}", row.id.as_deref().unwrap_or("-"), row.text)
        });
        rows.collect()
    }

    #[test]
    fn a_swap_on_the_first_question_makes_it_the_last() {
        let mut story = Story::asked(Reducer::AddMessages, 2);
        let note = Line::note(Role::System, "note").with_id("q1");
        let again = story.line("q1").with_id("q1__user");
        story.fold(vec![note, again]);
        assert_eq!(
            with_ids(&story.counterexample()),
            [
                "q1: note <injected>",
                "a1: first answer",
                "q2: current question <current>",
                "q1__user: first question <taken-for-current>",
            ]
        );
    }

    #[test]
    fn what_a_cut_drops_is_shown_where_it_stood() {
        let mut story = Story::in_tool_loop(Reducer::LastValue, 2);
        let kept = story.lines()[5..].to_vec();
        let summary = Line::note(Role::User, "summary");
        story.replace([vec![summary], kept].concat());
        assert_eq!(
            with_ids(&story.counterexample()),
            [
                "-: summary <injected>",
                "q1: first question <lost>",
                "c1: tool call <lost>",
                "r1: tool result <lost>",
                "a1: first answer <lost>",
                "q2: current question <lost>",
                "c2: tool call",
                "r2: tool result",
            ]
        );
    }

    #[test]
    fn a_kept_first_question_is_taken_for_the_lost_one() {
        let mut story = Story::in_tool_loop(Reducer::LastValue, 2);
        let lines = story.lines().to_vec();
        story.replace(vec![lines[0].clone(), lines[5].clone(), lines[6].clone()]);
        let marks: Vec<_> = story.counterexample().rows.iter().map(|row| row.mark).collect();
        assert_eq!(marks[0], Some(Mark::TakenForCurrent));
        assert_eq!(marks[4], Some(Mark::Lost), "the current question is gone");
    }

    #[test]
    fn an_answer_behind_its_successor_has_moved() {
        let mut story = Story::asked(Reducer::LastValue, 3);
        let mut lines = story.lines().to_vec();
        let answer = lines.remove(1);
        lines.push(answer);
        story.replace(lines);
        let rows = story.counterexample().rows;
        assert_eq!(
            rows.last().map(|row| (row.text.as_str(), row.mark)),
            Some(("first answer", Some(Mark::Moved)))
        );
        assert!(rows.iter().all(|row| row.mark != Some(Mark::Lost)));
    }

    #[test]
    fn a_refused_update_changes_nothing() {
        let mut story = Story::asked(Reducer::AddMessages, 2);
        let before = story.lines().to_vec();
        let removal = Line {
            removal: Removal::One,
            ..Line::note(Role::User, "").with_id("nobody")
        };
        story.fold(vec![removal]);
        assert_eq!(story.lines(), before);
    }
}
