//! The stories of positions that do not mean what they did, and of what one call leaves in the next.

use super::{Line, Story};
use crate::code::vocabulary::Role;
use crate::finding::Counterexample;
use crate::history::reducer::Reducer;

/// The messages of a tool are removed in the loop that runs over the list.
pub(crate) fn skipped_while_removing() -> Counterexample {
    let mut story = Story::in_tool_loop(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    let of_tools: Vec<Line> = ["c1", "r1"].iter().map(|id| story.line(id)).collect();
    let mut at = 0;
    while at < lines.len() {
        if of_tools.contains(&lines[at]) {
            lines.remove(at);
        }
        at += 1;
    }
    story.replace(lines);
    story.counterexample()
}

/// The place of the first answer is looked up, its question is removed, and then what stands at that place.
pub(crate) fn removed_at_old_place() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    let answer = lines.iter().position(|line| line.role == Role::Assistant);
    lines.remove(0);
    lines.remove(answer.unwrap_or_default());
    story.replace(lines);
    story.counterexample()
}

/// What a run added is taken to stand behind the length that the list had before, and the run put a summary
/// in the place of older messages.
pub(crate) fn read_behind_old_length() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 3);
    let (before, added) = story.lines().split_at(2);
    let shortened = [&[Line::note(Role::User, "summary")], added].concat();
    let read = shortened.get(before.len()..).unwrap_or_default();
    let joined = [before, read].concat();
    story.replace(joined);
    story.counterexample()
}

/// The newest turn is read from a position that was kept while the list was shortened.
pub(crate) fn read_from_old_anchor() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 3);
    let anchor = story.lines().len() - 1;
    let shortened = story.lines()[2..].to_vec();
    let read = shortened.get(anchor..).unwrap_or_default().to_vec();
    story.replace(read);
    story.counterexample()
}

/// A summary of an earlier state takes the place of everything, with what was asked meanwhile.
pub(crate) fn replaced_by_older_state() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 2);
    story.replace(vec![Line::note(Role::User, "summary of the first turn")]);
    story.counterexample()
}

/// Each call merges the state of its turn into the question that is the newest then.
pub(crate) fn merged_for_one_call() -> Counterexample {
    let merge = |line: &mut Line, turn: &str| line.text = format!("the state in turn {turn}, then: {}", line.text);
    let mut story = Story::asked(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    // What the first call was sent, the second one is not.
    merge(&mut story.told[0], "one");
    lines[0].origin = None;
    merge(&mut lines[2], "two");
    story.replace(lines);
    story.counterexample()
}

/// What two calls put at the head of the list that they were given is all there.
pub(crate) fn heads_left_by_calls() -> Counterexample {
    let mut story = Story::asked(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    for text in ["put in for the first call", "put in for this call"] {
        lines.insert(0, Line::note(Role::System, text));
    }
    story.replace(lines);
    story.counterexample()
}

/// A message that was changed for one call stays changed.
pub(crate) fn changed_by_call() -> Counterexample {
    let mut story = Story::in_tool_loop(Reducer::LastValue, 2);
    let mut lines = story.lines().to_vec();
    let changed = Line::note(Role::Tool, "what the first call was to read of the tool result");
    for line in lines.iter_mut().filter(|line| line.id.as_deref() == Some("r1")) {
        *line = changed.clone().with_id("r1");
    }
    story.replace(lines);
    story.counterexample()
}

#[cfg(test)]
mod tests {
    use super::super::drawn;
    use super::*;
    use crate::finding::Mark;

    #[test]
    fn the_message_behind_a_removed_one_stays() {
        assert_eq!(
            drawn(&skipped_while_removing())[..4],
            ["first question", "tool call <lost>", "tool result", "first answer"]
        );
    }

    #[test]
    fn an_old_place_names_the_current_question() {
        assert_eq!(
            drawn(&removed_at_old_place()),
            ["first question <lost>", "first answer", "current question <lost>"]
        );
    }

    #[test]
    fn a_question_falls_between_an_old_length_and_a_shorter_list() {
        assert_eq!(
            drawn(&read_behind_old_length()),
            [
                "first question",
                "first answer",
                "second question <lost>",
                "second answer",
                "current question <current>"
            ]
        );
    }

    #[test]
    fn the_current_question_is_lost() {
        for counterexample in [read_from_old_anchor(), replaced_by_older_state()] {
            let last = counterexample.rows.last().map(|row| (row.text.as_str(), row.mark));
            assert_eq!(last, Some(("current question", Some(Mark::Lost))));
        }
    }

    #[test]
    fn what_was_sent_before_is_not_sent_again() {
        assert_eq!(
            drawn(&merged_for_one_call()),
            [
                "first question",
                "the state in turn one, then: first question <lost>",
                "first answer",
                "the state in turn two, then: current question <current>"
            ]
        );
    }

    #[test]
    fn what_calls_leave_is_there_in_the_next() {
        assert_eq!(
            drawn(&heads_left_by_calls())[..2],
            [
                "put in for this call <injected>",
                "put in for the first call <injected>"
            ]
        );
        assert_eq!(
            drawn(&changed_by_call())[2..4],
            [
                "what the first call was to read of the tool result <injected>",
                "tool result <lost>"
            ]
        );
    }
}
