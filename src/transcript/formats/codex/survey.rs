//! What has to be known of a rollout before it is read: which turns the person took back, what the person
//! typed, and what kind of compaction each is.

use super::{Record, Typed, items};
use crate::transcript::event::{Chain, CompactionClass};
use crate::transcript::json::{Object, Raw};
use crate::transcript::message::{Draft, Kind, Role, hash_of};
use crate::transcript::reader::Spot;

/// Gathered record by record, in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) typed: Typed,
    turns: Vec<Turn>,
    /// The turns in which the person asked, without those that were taken back.
    asking: Vec<usize>,
    compactions: Vec<Compacted>,
    /// Whether the last item was a result or a call: the model is at work.
    at_work: bool,
    /// The number of the record before, where records are numbered.
    ordinal: Option<u64>,
    /// The first record whose number is not higher than the one before it, whether it is the same, and how many
    /// such records there are.
    unordered: Option<(u64, bool, usize)>,
    /// Rollbacks of turns behind which the history was compacted, by their offset, each with the compaction.
    over_compaction: Vec<(u64, Spot)>,
}

/// From one start of a turn to the next.
#[derive(Debug, Default)]
struct Turn {
    from: u64,
    /// Whether the harness said that it begins; if not, it is what stands before the first that begins.
    begun: bool,
    asks: bool,
    /// Whether anything of the conversation stands in it.
    has_items: bool,
    taken_back: bool,
    /// Compactions at its beginning, of which it is not known yet whether the person asked in it.
    early: Vec<usize>,
}

#[derive(Debug)]
struct Compacted {
    spot: Spot,
    class: CompactionClass,
    /// Whether a rollback that went back over it was told.
    is_told: bool,
}

impl Survey {
    pub(super) fn see<'r>(&mut self, record: Record<'r>, raw: Raw<'r>) {
        let Some(object) = Object::of(raw) else { return };
        let at = record.spot.offset;
        self.number(at, &object);
        if self.turns.is_empty() {
            self.turns.push(Turn::default());
        }
        let part = object.object("payload");
        let part = part.as_ref().unwrap_or(&object);
        let kind = part.string("type").unwrap_or_default();
        match object.string("type").as_deref() {
            Some("event_msg") => self.event(at, &kind, part),
            Some("compacted") => self.compaction(record.spot),
            // Records without an envelope are items themselves.
            Some("response_item" | "message" | "function_call" | "function_call_output") => self.item(&kind),
            _ => {}
        }
    }

    fn event(&mut self, at: u64, kind: &str, part: &Object<'_>) {
        match kind {
            "task_started" | "turn_started" => {
                self.close();
                self.turns.push(Turn {
                    from: at,
                    begun: true,
                    ..Turn::default()
                });
            }
            "user_message" => {
                self.typed.extend(part.string("message").map(|text| typed(&text)));
                let at = self.turns.len() - 1;
                if let Some(turn) = self.turns.last_mut() {
                    if !std::mem::replace(&mut turn.asks, true) {
                        self.asking.push(at);
                    }
                    for at in std::mem::take(&mut turn.early) {
                        self.compactions[at].class = CompactionClass::PreTurn;
                    }
                }
            }
            "task_complete" | "turn_complete" => self.close(),
            "thread_rolled_back" => {
                self.close();
                let count = part.number("num_turns").unwrap_or(1);
                let count = usize::try_from(count).unwrap_or(usize::MAX);
                let taken = self.asking.split_off(self.asking.len().saturating_sub(count));
                if let Some(&first) = taken.first() {
                    self.go_back_over(at, self.turns[first].from);
                }
                for at in taken {
                    self.turns[at].taken_back = true;
                }
                // What comes now belongs to no turn that was taken back.
                self.turns.push(Turn {
                    from: at,
                    ..Turn::default()
                });
            }
            _ => {}
        }
    }

    /// Notes a number that does not rise.
    fn number(&mut self, at: u64, record: &Object<'_>) {
        let Some(number) = record.number("ordinal") else { return };
        let before = self.ordinal.replace(number);
        if before.is_some_and(|before| number <= before) {
            let (.., times) = self.unordered.get_or_insert((at, before == Some(number), 0));
            *times += 1;
        }
    }

    /// Notes a rollback of everything from an offset on, if the history was compacted there.
    fn go_back_over(&mut self, at: u64, from: u64) {
        let mut behind = self.compactions.iter_mut().rev();
        let over = behind.find(|compacted| compacted.spot.offset >= from && !compacted.is_told);
        if let Some(compacted) = over {
            compacted.is_told = true;
            self.over_compaction.push((at, compacted.spot));
        }
    }

    /// What is wrong with the order at a spot.
    pub(super) fn fault_at(&self, spot: Spot) -> Option<Chain> {
        let over = self.over_compaction.iter().find(|(at, _)| *at == spot.offset);
        if let Some((_, compaction)) = over {
            let compaction = compaction.start();
            return Some(Chain::RolledBack { compaction });
        }
        let (_, repeats, times) = self.unordered.filter(|(at, ..)| *at == spot.offset)?;
        Some(Chain::Ordinal { repeats, times })
    }

    /// The turn under way has ended: nobody asked in it.
    fn close(&mut self) {
        if let Some(turn) = self.turns.last_mut() {
            for at in std::mem::take(&mut turn.early) {
                self.compactions[at].class = CompactionClass::Manual;
            }
        }
    }

    fn item(&mut self, kind: &str) {
        if !items::KNOWN.contains(&kind) {
            return;
        }
        self.at_work = kind.ends_with("_output") || kind.ends_with("_call");
        if let Some(turn) = self.turns.last_mut() {
            turn.has_items = true;
        }
    }

    fn compaction(&mut self, spot: Spot) {
        let number = self.compactions.len();
        let mut class = CompactionClass::Unknown;
        if let Some(turn) = self.turns.last_mut() {
            if turn.begun && !turn.has_items && !turn.asks {
                turn.early.push(number);
            } else if turn.begun && (turn.has_items || turn.asks) || self.at_work {
                class = CompactionClass::MidTurn;
            }
        }
        self.compactions.push(Compacted {
            spot,
            class,
            is_told: false,
        });
    }

    /// Whether the person took back the turn that a record belongs to.
    pub(super) fn is_taken_back(&self, spot: Spot) -> bool {
        let behind = self.turns.partition_point(|turn| turn.from <= spot.offset);
        behind > 0 && self.turns[behind - 1].taken_back
    }

    /// What kind of compaction stands at a spot and left these messages.
    pub(super) fn class_of(&self, spot: Spot, messages: &[Draft]) -> CompactionClass {
        let is_context = |draft: &Draft| draft.role == Role::System || draft.told.is_none() && is_bare_context(draft);
        if !messages.is_empty() && messages.iter().all(is_context) {
            return CompactionClass::NewWindow;
        }
        let found = self
            .compactions
            .binary_search_by_key(&spot.offset, |compacted| compacted.spot.offset);
        found.map_or(CompactionClass::Unknown, |at| self.compactions[at].class)
    }
}

/// Whether a user item was put there by the harness at the beginning of a window.
fn is_bare_context(draft: &Draft) -> bool {
    let text = draft.text.trim_start();
    draft.role == Role::User
        && !draft.flags.iter().any(|flag| flag == "user_message")
        && (text.starts_with("# AGENTS.md") || text.starts_with("<environment_context>"))
        && draft.told != Some(Kind::Summary)
}

/// The content of an item that holds what was typed.
fn typed(text: &str) -> u64 {
    hash_of((text, ""))
}
