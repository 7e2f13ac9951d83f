//! The stories that the placement and identity rules tell.

use super::{Line, Story};
use crate::code::vocabulary::Role;
use crate::finding::Counterexample;
use crate::history::reducer::Reducer;

/// The message that code writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The oldest question of the history.
    Oldest,
    /// The newest question, whose tool results may stand behind it.
    Newest,
}

/// How many turns a story has: enough that the oldest question is not the one before the current.
const TURNS: usize = 3;

/// A note takes the id of a question, which is emitted again under an id with a suffix.
pub(crate) fn swapped(target: Target, role: Role, suffix: &str) -> Counterexample {
    let (mut story, id) = match target {
        Target::Oldest => (Story::asked(Reducer::AddMessages, TURNS), "q1".to_owned()),
        Target::Newest => {
            let mut story = Story::asked(Reducer::AddMessages, 2);
            story.tool_pair();
            let id = story.current();
            (story, id)
        }
    };
    let question = story.line(&id);
    let again = question.with_id(format!("{id}{suffix}"));
    story.fold(vec![Line::note(role, "injected note").with_id(id), again]);
    story.counterexample()
}

/// The oldest question is emitted again under its own id with a note in it.
pub(crate) fn edited() -> Counterexample {
    let mut story = Story::asked(Reducer::AddMessages, TURNS);
    let note = Line::note(Role::User, "injected note, then: first question").with_id("q1");
    story.fold(vec![note]);
    story.counterexample()
}

/// A note is put right before the oldest question of the list that is sent.
pub(crate) fn note_at_first(role: Role) -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, TURNS);
    let mut lines = story.lines().to_vec();
    lines.insert(0, Line::note(role, "injected note"));
    story.replace(lines);
    story.counterexample()
}

/// The oldest question is asked again at the end of the list.
pub(crate) fn repeated() -> Counterexample {
    let mut story = Story::asked(Reducer::AddMessages, TURNS);
    story.fold(vec![Line::repeating(1, "injected: answer the first question")]);
    story.counterexample()
}

/// A note about the state of turn one stays, and with `again` another one joins it in the next turn.
pub(crate) fn kept_state(reducer: Reducer, role: Role, again: bool) -> Counterexample {
    let mut story = Story::new(reducer);
    story.question(false);
    write(&mut story, Line::note(role, "the state in turn one, stale by now"));
    story.answer();
    story.question(true);
    if again {
        write(&mut story, Line::note(role, "the state in turn two"));
    }
    story.counterexample()
}

/// Writes a note at the tail, whatever the reducer makes of updates.
fn write(story: &mut Story, note: Line) {
    match story.reducer() {
        Reducer::LastValue => story.replace([story.lines().to_vec(), vec![note]].concat()),
        _ => story.fold(vec![note]),
    }
}

/// The oldest question is what is looked up, or what decides, in place of the current one.
pub(crate) fn aimed_at_first() -> Counterexample {
    let mut story = Story::asked(Reducer::AddMessages, TURNS);
    story.take(1);
    story.counterexample()
}

/// A system message is inserted at the number of all system messages, one of which stands later.
pub(crate) fn system_at_count() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    lines.push(Line::note(Role::System, "a later system message"));
    let count = lines.iter().filter(|line| line.role == Role::System).count();
    lines.insert(count, Line::note(Role::System, "the instructions"));
    story.replace(lines);
    story.counterexample()
}

/// A system message is appended to a conversation.
pub(crate) fn system_at_tail() -> Counterexample {
    let mut story = Story::asked(Reducer::AddMessages, 2);
    story.fold(vec![Line::note(Role::System, "injected system message")]);
    story.counterexample()
}

/// The current question is sent twice.
pub(crate) fn question_again() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    lines.push(Line::repeating(2, "current question"));
    story.replace(lines);
    story.counterexample()
}

/// Everything that was said is there once more.
pub(crate) fn all_again() -> Counterexample {
    let mut story = Story::asked(Reducer::OperatorAdd, 2);
    let said = story.lines().to_vec();
    story.fold(said);
    story.counterexample()
}

/// A question that was asked before is asked again; the older one is taken out, the newest put back.
pub(crate) fn older_removed() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    lines.remove(0);
    lines.push(Line::repeating(2, "current question"));
    story.replace(lines);
    story.counterexample()
}
