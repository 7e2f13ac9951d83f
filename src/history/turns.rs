//! Turns: from one message that the person typed up to the next.

use std::ops::Range;

/// The turns of a list of messages.
///
/// What stands before the first authored message (a system prompt, a summary) belongs to no turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// Positions of the authored messages.
    starts: Vec<usize>,
    len: usize,
}

impl Turns {
    /// Finds the turns of a list, given for each message whether the person typed it.
    ///
    /// Whether a message is authored is the caller's to say: injected messages have the user's role too.
    #[must_use]
    pub fn of(authored: impl IntoIterator<Item = bool>) -> Self {
        let mut turns = Self::default();
        for is_authored in authored {
            if is_authored {
                turns.starts.push(turns.len);
            }
            turns.len += 1;
        }
        turns
    }

    /// How many turns there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The position of the authored message that opens the current turn.
    #[must_use]
    pub fn current_question(&self) -> Option<usize> {
        self.starts.last().copied()
    }

    /// The turn, counted from 0, that the message at `position` is in.
    #[must_use]
    pub fn turn_at(&self, position: usize) -> Option<usize> {
        if position >= self.len {
            return None;
        }
        self.starts.partition_point(|&start| start <= position).checked_sub(1)
    }

    /// The positions of a turn.
    #[must_use]
    pub fn range(&self, turn: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(turn)?;
        let end = self.starts.get(turn + 1).copied().unwrap_or(self.len);
        Some(start..end)
    }

    /// Every turn's positions, oldest first.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        (0..self.count()).filter_map(|turn| self.range(turn))
    }

    /// Whether a cut just before `position` leaves every turn whole.
    ///
    /// The two ends of the list, and every place before the first turn, split nothing.
    #[must_use]
    pub fn is_boundary(&self, position: usize) -> bool {
        position >= self.len || self.turn_at(position).is_none() || self.starts.binary_search(&position).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;

    /// `s` system, `u` authored, `i` injected with the user's role, `a` assistant, `t` tool result.
    fn turns(list: &str) -> Turns {
        Turns::of(list.chars().map(|kind| kind == 'u'))
    }

    #[test]
    fn a_turn_holds_its_tool_loop_and_what_was_injected_into_it() {
        let turns = turns("suatauiata");
        assert_eq!(turns.ranges().collect::<Vec<_>>(), [1..5, 5..10]);
        assert_eq!(turns.current_question(), Some(5));
        assert_eq!(turns.turn_at(0), None, "the system prompt is in no turn");
        assert_eq!(
            (turns.turn_at(4), turns.turn_at(5), turns.turn_at(10)),
            (Some(0), Some(1), None)
        );
    }

    #[test]
    fn two_authored_messages_in_a_row_are_two_turns() {
        assert_eq!(turns("uua").ranges().collect::<Vec<_>>(), [0..1, 1..3]);
    }

    #[test]
    fn only_cuts_before_an_authored_message_or_outside_all_turns_are_at_a_boundary() {
        let turns = turns("sua ua");
        let boundaries: Vec<_> = (0..=7).filter(|&cut| turns.is_boundary(cut)).collect();
        assert_eq!(boundaries, [0, 1, 4, 6, 7]);
    }

    #[test]
    fn a_list_without_authored_messages_has_no_turn_to_split() {
        let turns = turns("sat");
        assert_eq!(
            (turns.count(), turns.current_question(), turns.range(0)),
            (0, None, None)
        );
        assert!((0..4).all(|cut| turns.is_boundary(cut)));
    }
}
