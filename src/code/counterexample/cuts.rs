//! The stories that the cut rules tell, and those of updates that a reducer ignores.

use super::{Line, Story};
use crate::code::vocabulary::Role;
use crate::finding::Counterexample;
use crate::history::reducer::Reducer;

/// What a cut leaves of a conversation whose last tool result has just come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// The newest call and its result, without the question.
    Pair,
    /// The newest result alone.
    Result,
    /// The oldest messages.
    Oldest,
    /// All but the first result.
    WithoutOneResult,
    /// All but the first call.
    WithoutOneCall,
}

/// A list that is cut for a call or in place.
pub(crate) fn cut(left: Left) -> Counterexample {
    let mut story = Story::in_tool_loop(Reducer::LastValue, 2);
    let lines = kept(&story, left);
    story.replace(lines);
    story.counterexample()
}

/// The same, written back through a reducer that merges by id.
pub(crate) fn cut_for_good(left: Left) -> Counterexample {
    let mut story = Story::in_tool_loop(Reducer::AddMessages, 2);
    let mut update = vec![Line::removing_all()];
    update.extend(kept(&story, left));
    story.fold(update);
    story.counterexample()
}

fn kept(story: &Story, left: Left) -> Vec<Line> {
    let lines = story.lines();
    let without = |id: &str| {
        lines
            .iter()
            .filter(|line| line.id.as_deref() != Some(id))
            .cloned()
            .collect()
    };
    match left {
        Left::Pair => lines[lines.len() - 2..].to_vec(),
        Left::Result => lines[lines.len() - 1..].to_vec(),
        Left::Oldest => lines[..2].to_vec(),
        Left::WithoutOneResult => without("r1"),
        Left::WithoutOneCall => without("c1"),
    }
}

/// All but the newest turn is gone, and no summary stands for it.
pub(crate) fn cut_unsummarized() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 3);
    let newest = story.lines()[4..].to_vec();
    story.replace(newest);
    story.counterexample()
}

/// A note is put before the history, and the list is folded by id.
pub(crate) fn put_before() -> Counterexample {
    let mut story = Story::asked(Reducer::AddMessages, 2);
    let mut update = vec![Line::note(Role::User, "injected note")];
    update.extend(story.lines().to_vec());
    story.fold(update);
    story.counterexample()
}

/// The newest turn is returned, and folded by id.
pub(crate) fn returned_part() -> Counterexample {
    let mut story = Story::asked(Reducer::AddMessages, 2);
    let part = story.lines()[2..].to_vec();
    story.fold(part);
    story.counterexample()
}

#[cfg(test)]
mod tests {
    use super::super::drawn;
    use super::*;
    use crate::finding::Mark;

    #[test]
    fn a_cut_inside_the_current_turn_loses_its_question() {
        for counterexample in [cut(Left::Pair), cut_for_good(Left::Pair)] {
            assert_eq!(
                drawn(&counterexample)[4..],
                ["current question <lost>", "tool call", "tool result"]
            );
        }
    }

    #[test]
    fn a_result_without_its_call() {
        let rows = cut(Left::WithoutOneCall).rows;
        assert_eq!(rows.iter().filter(|row| row.mark == Some(Mark::Lost)).count(), 1);
        assert_eq!(rows[1].mark, Some(Mark::Lost));
        assert_eq!(rows[2].text, "tool result");
    }

    #[test]
    fn nothing_stands_for_what_no_summary_tells() {
        let rows = cut_unsummarized().rows;
        assert_eq!(rows.iter().filter(|row| row.mark == Some(Mark::Lost)).count(), 4);
        assert_eq!(rows.last().map(|row| row.mark), Some(Some(Mark::Current)));
        assert!(rows.iter().all(|row| row.mark != Some(Mark::Injected)));
    }

    #[test]
    fn the_reducer_appends_what_was_put_first() {
        assert_eq!(
            drawn(&put_before()),
            [
                "first question",
                "first answer",
                "current question <current>",
                "injected note <injected>"
            ]
        );
    }

    #[test]
    fn the_reducer_removes_nothing_that_is_missing() {
        assert_eq!(
            drawn(&returned_part()),
            ["first question", "first answer", "current question <current>"]
        );
    }
}
