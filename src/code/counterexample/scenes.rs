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

/// The current question is taken from the tail and put before the first answer.
pub(crate) fn question_ahead() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    let question = lines.pop();
    let first = lines
        .iter()
        .position(|line| line.role == Role::Assistant)
        .unwrap_or_default();
    lines.splice(first..first, question);
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

/// Two notes are put in one after the other at the same index.
pub(crate) fn notes_at_one_index() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    let at = lines.len() - 1;
    for text in ["first injected note", "second injected note"] {
        lines.insert(at, Line::note(Role::User, text));
    }
    story.replace(lines);
    story.counterexample()
}

/// Two messages with another one between them are replaced, both at the place of the first.
pub(crate) fn replaced_at_first() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 3);
    let mut lines = story.lines().to_vec();
    for (id, at) in [("q1", 0), ("q2", 1)] {
        lines.retain(|line| line.id.as_deref() != Some(id));
        let shorter = Line {
            text: format!("shortened {}", story.line(id).text),
            ..story.line(id)
        };
        lines.insert(at, shorter);
    }
    story.replace(lines);
    story.counterexample()
}

/// Messages that are kept come back without their ids, and are folded by id.
pub(crate) fn again_under_new_ids() -> Counterexample {
    let mut story = Story::asked(Reducer::AddMessages, 2);
    let kept = story.lines().iter().map(|line| Line {
        id: None,
        ..line.clone()
    });
    let kept = kept.collect();
    story.fold(kept);
    story.counterexample()
}

/// A result that came in two versions under one id is there in the older one.
pub(crate) fn older_version_kept() -> Counterexample {
    let mut story = Story::new(Reducer::LastValue);
    story.question(true);
    story.tool_pair();
    let older = story.lines().to_vec();
    story.newer_result();
    story.replace(older);
    story.counterexample()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Mark;

    fn texts(counterexample: &Counterexample) -> Vec<&str> {
        counterexample.rows.iter().map(|row| row.text.as_str()).collect()
    }

    fn marked(counterexample: &Counterexample, mark: Mark) -> Vec<&str> {
        let rows = counterexample.rows.iter().filter(|row| row.mark == Some(mark));
        rows.map(|row| row.text.as_str()).collect()
    }

    #[test]
    fn the_note_that_was_put_in_last_stands_first() {
        assert_eq!(
            marked(&notes_at_one_index(), Mark::Injected),
            ["second injected note", "first injected note"]
        );
    }

    #[test]
    fn what_stood_between_comes_behind() {
        let counterexample = replaced_at_first();
        assert_eq!(
            texts(&counterexample)[..3],
            ["shortened first question", "shortened second question", "first answer"]
        );
        assert_eq!(marked(&counterexample, Mark::Moved).len(), 1);
    }

    #[test]
    fn what_is_kept_is_there_twice() {
        let counterexample = again_under_new_ids();
        let said = ["first question", "first answer", "current question"];
        assert_eq!(texts(&counterexample), [said, said].concat());
    }

    #[test]
    fn the_newer_version_is_lost() {
        assert_eq!(marked(&older_version_kept(), Mark::Lost), ["tool result, finished"]);
    }
}
