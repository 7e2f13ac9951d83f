//! What became of the messages of an older run in a newer one.

use rustc_hash::FxHashMap;

use super::history::{History, Run, is_compared};
use super::matching::{By, Matched};
use super::records::Parting;
use super::report;
use crate::finding::{Confidence, Finding, Severity};
use crate::rule;
use crate::transcript::change::{Matching, Moved};
use crate::transcript::message::{Kind, Live};
use crate::transcript::rules::{RuleOptions, count, name, quote};

/// An older and a newer history, and which message is which.
pub(super) struct Case<'c> {
    pub(super) old_run: &'c Run,
    pub(super) old: &'c History,
    pub(super) new_run: &'c Run,
    pub(super) new: &'c History,
    /// Of the older list and everything that came in the newer run.
    pub(super) matched: &'c Matched,
    pub(super) parting: Option<&'c Parting>,
    pub(super) options: RuleOptions,
}

/// A stretch of older messages between two that the newer run has too.
struct Gap {
    /// Older messages without a partner.
    lost: Vec<usize>,
    /// The older one behind it, with its partner.
    behind: Option<usize>,
    /// Where the partner of the older message before it stands.
    before: Option<usize>,
    /// Newer messages between the partners.
    new: Vec<usize>,
}

impl Case<'_> {
    /// Everything that is wrong.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let gaps = self.gaps();
        let mut findings = Vec::new();
        let mut changed = self.changed_under_ids();
        for gap in &gaps {
            if let Some((old, new)) = self.changed_between(gap) {
                changed.push((old, new));
            } else {
                findings.extend(self.lost(gap));
            }
        }
        changed.sort_unstable();
        findings.extend(self.changed(&changed));
        findings.extend(self.reordered());
        findings.extend(self.reminted());
        findings.extend(self.doubled());
        if findings.is_empty() && self.is_same_session() {
            findings.extend(self.parting.map(|parting| self.rewritten(parting)));
        }
        findings
    }

    pub(super) fn is_same_session(&self) -> bool {
        self.old.thread == self.new.thread
    }

    fn is_alike(&self) -> bool {
        std::ptr::eq(self.old_run.form, self.new_run.form)
    }

    fn partner(&self, old: usize) -> Option<usize> {
        self.matched.partner[old].map(|(new, _)| new)
    }

    fn gaps(&self) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = Vec::new();
        let mut open: Option<Gap> = None;
        let mut before = None;
        for (at, live) in self.old.list.iter().enumerate() {
            match self.partner(at) {
                Some(place) => {
                    if let Some(mut gap) = open.take() {
                        gap.behind = Some(at);
                        gap.new = self.newer_between(gap.before, Some(place));
                        gaps.push(gap);
                    }
                    before = Some(place);
                }
                None if is_compared(live) => {
                    let gap = open.get_or_insert_with(|| Gap {
                        lost: Vec::new(),
                        behind: None,
                        before,
                        new: Vec::new(),
                    });
                    gap.lost.push(at);
                }
                None => {}
            }
        }
        if let Some(mut gap) = open.take() {
            gap.new = self.newer_between(gap.before, None);
            gaps.push(gap);
        }
        gaps
    }

    /// Newer messages without a partner between two places.
    fn newer_between(&self, before: Option<usize>, behind: Option<usize>) -> Vec<usize> {
        let from = before.map_or(0, |before| before + 1);
        let to = behind.unwrap_or(self.new.arrived.len());
        (from..to).filter(|&at| self.is_new(at)).collect()
    }

    /// Whether the older run never had a message of the newer one.
    fn is_new(&self, at: usize) -> bool {
        is_new(self.old, self.new, self.matched, at)
    }

    /// Messages that say something else under the id that they had.
    fn changed_under_ids(&self) -> Vec<(usize, usize)> {
        let asked = self.old.list.iter().rposition(|live| live.is_authored()).unwrap_or(0);
        let is_changed = |(at, live): (usize, &Live)| {
            let (place, By::Id) = self.matched.partner[at]? else {
                return None;
            };
            let new = &self.new.arrived[place];
            // What was still being written when the older run was taken went on.
            let under_way = at >= asked && !live.is_authored();
            let differs = live.print != new.print && live.role == new.role && !self.new.has_said(live);
            (is_compared(live) && differs && !under_way).then_some((at, place))
        };
        if !self.is_alike() {
            return Vec::new();
        }
        self.old.list.iter().enumerate().filter_map(is_changed).collect()
    }

    /// The one message of a gap in whose place one other stands.
    fn changed_between(&self, gap: &Gap) -> Option<(usize, usize)> {
        let (&[old], &[new]) = (&gap.lost[..], &gap.new[..]) else {
            return None;
        };
        gap.behind?;
        let (was, is) = (&self.old.list[old], &self.new.arrived[new]);
        let is_summary = was.kind == Kind::Summary && is.kind == Kind::Summary;
        let same_kind = was.kind == is.kind && was.role == is.role;
        // Two ids are two messages, but a summary that is made again gets another one.
        let no_ids = was.recorded_id().is_none() || is.recorded_id().is_none();
        (self.is_alike() && same_kind && (no_ids || is_summary)).then_some((old, new))
    }

    fn changed(&self, changed: &[(usize, usize)]) -> Vec<Finding> {
        let is_summary = |pair: &&(usize, usize)| self.old.list[pair.0].kind == Kind::Summary;
        let (summaries, others): (Vec<_>, Vec<_>) = changed.iter().partition(is_summary);
        let of = |pairs: Vec<&(usize, usize)>, rule, what: &str, help| {
            let &&(old, new) = pairs.first()?;
            let (was, is) = (&self.old.list[old], &self.new.arrived[new]);
            let more = match pairs.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            };
            let message = format!("{what} {} now reads {}{more}", quote(was), quote(is));
            let mut finding = report::finding(self, rule, is, "has another content than in the older run", message);
            finding.help = Some(help);
            for &&(old, new) in pairs.iter().take(report::MOST) {
                report::relate_old(self, &mut finding, &self.old.list[old], "what it was");
                report::relate_new(self, &mut finding, &self.new.arrived[new], "what it is");
            }
            Some(finding)
        };
        let stable = "keep the summary in the history, and look for it there before another one is written".to_owned();
        let in_place =
            "leave what was said as it is: what has to be corrected goes into a new message at the tail".to_owned();
        let mut findings: Vec<Finding> = of(summaries, &rule::UNSTABLE_SUMMARY, "the summary", stable)
            .into_iter()
            .collect();
        let is_result = |pair: &&(usize, usize)| self.old.list[pair.0].kind == Kind::ToolResult;
        let (results, said): (Vec<_>, Vec<_>) = others.into_iter().partition(is_result);
        findings.extend(of(said, &rule::REWRITTEN_PREFIX, "what stood as", in_place.clone()));
        // Harnesses blank old results, and settle those of calls that were broken off.
        findings.extend(
            of(
                results,
                &rule::REWRITTEN_PREFIX,
                "a tool result that stood as",
                in_place,
            )
            .map(|mut finding| {
                finding.confidence = Confidence::Low;
                finding
            }),
        );
        findings
    }

    /// How many of the older messages a compaction that the newer run tells may have taken.
    fn compacted(&self) -> usize {
        let is_summary = |at: &usize| self.new.arrived[*at].kind == Kind::Summary && self.is_new(*at);
        let summary = (0..self.new.arrived.len()).rev().find(is_summary);
        if summary.is_none() && self.new.compactions <= self.old.compactions {
            return 0;
        }
        let kept = self
            .matched
            .partner
            .iter()
            .position(|partner| summary.is_some_and(|summary| partner.is_some_and(|(new, _)| new > summary)));
        kept.unwrap_or(self.old.list.len())
    }

    /// Messages that are nowhere in the newer run.
    fn lost(&self, gap: &Gap) -> Option<Finding> {
        if !self.new_run.form.shows_everything() {
            return None;
        }
        let compacted = self.compacted();
        let is_told = |live: &Live| {
            // Two formats do not have all messages alike; what was typed and what has an id of a call they share.
            live.is_conversation()
                && (self.is_alike() || live.is_authored() || !live.calls.is_empty() || !live.results.is_empty())
        };
        let lost: Vec<usize> = gap
            .lost
            .iter()
            .copied()
            .filter(|&at| at >= compacted && is_told(&self.old.list[at]))
            .collect();
        let (&first, &last) = (lost.first()?, lost.last()?);
        let is_tail = gap.behind.is_none();
        let asks = lost.iter().any(|&at| self.old.list[at].is_authored());
        // An answer that is taken back and given again is another try; a fork says that it ends where it was taken.
        if is_tail && (!asks && !gap.new.is_empty() || self.new.forked) {
            return None;
        }
        let what = if is_tail && gap.new.is_empty() && !self.adds_anything() {
            "the run ends before them"
        } else if is_tail {
            "the run goes on without them"
        } else {
            "they are missing between messages that both runs have"
        };
        let number = count(
            lost.len(),
            "message of the older run is lost",
            "messages of the older run are lost",
        );
        let message = match lost.len() {
            1 => format!(
                "{number}: {}, and {}",
                quote(&self.old.list[first]),
                what.replace("they are", "it is").replace("them", "it")
            ),
            _ => format!(
                "{number}, from {} to {}, and {what}",
                quote(&self.old.list[first]),
                quote(&self.old.list[last])
            ),
        };
        let at = gap
            .behind
            .and_then(|at| self.partner(at))
            .or(gap.new.first().copied())
            .or(gap.before);
        let mut finding = report::finding_at(self, report::LOST, at, "what was lost stood before this", message);
        if is_tail && gap.new.is_empty() {
            finding.label = Some("what was lost stood behind this".to_owned());
        }
        report::relate_old(self, &mut finding, &self.old.list[first], "the first that is lost");
        report::relate_old(self, &mut finding, &self.old.list[last], "the last that is lost");
        finding.counterexample = Some(report::rows_around(self, at, gap.before, &lost));
        finding.about = Some(report::about(self, &self.old.list[first]));
        finding.help = Some(if is_tail && !self.adds_anything() && gap.new.is_empty() {
            "keep every message that was stored; if this is the older of the two runs, exchange them".to_owned()
        } else {
            "copy and resume whole histories; what has to go goes by a compaction that the record tells".to_owned()
        });
        // In a store that is written anew a person may have gone back without a word of it.
        let may_go_back = is_tail && !gap.new.is_empty() && self.is_same_session() && !self.new_run.form.only_grows();
        let (shared, all) = self.matched.share(&self.old.list);
        if may_go_back || !self.is_alike() && shared * 4 < all * 3 {
            finding.confidence = Confidence::Low;
        }
        Some(finding)
    }

    /// Whether the newer run has messages that the older one has not.
    fn adds_anything(&self) -> bool {
        (0..self.new.arrived.len()).any(|at| self.is_new(at))
    }

    fn reordered(&self) -> Option<Finding> {
        let arrived = places(&self.old.arrived);
        let stands = places(&self.new.list);
        let key = |live: &Live| (live.recorded_id().map(str::to_owned), live.print);
        // Results of one message stand in the order in which they came.
        let counts = |live: &Live| live.is_conversation() && live.kind != Kind::ToolResult;
        let pairs = || {
            let pair = |(at, live)| match self.matched.partner[at] {
                Some((new, by)) if counts(live) && by != By::Guess && by != By::Beginning => Some((at, new)),
                _ => None,
            };
            self.old.list.iter().enumerate().filter_map(pair)
        };
        let as_listed: Vec<(usize, usize)> = pairs().collect();
        let moved = moved(as_listed.clone());
        let last = *moved.last()?;
        // A compaction puts messages in another order: to have kept one of the orders is enough.
        let as_arrived = pairs().filter_map(|(at, new)| Some((*arrived.get(&key(&self.old.list[at]))?, new)));
        let at_end = |pairs: &[(usize, usize)]| -> Vec<(usize, usize)> {
            let stands = |&(at, new): &(usize, usize)| Some((at, *stands.get(&key(&self.new.arrived[new]))?));
            pairs.iter().filter_map(stands).collect()
        };
        let as_arrived: Vec<(usize, usize)> = as_arrived.collect();
        let others = [at_end(&as_listed), at_end(&as_arrived), as_arrived];
        if others.into_iter().any(|pairs| self::moved(pairs).is_empty()) {
            return None;
        }
        let (was, is) = (&self.old.list[last.was_at], &self.new.arrived[last.at]);
        let neighbour = self.new.arrived[..last.at].iter().rev().find(|live| counts(live));
        let message = format!(
            "{} stood at place {} in the older run and stands behind {} now{}",
            quote(was),
            last.was_at + 1,
            neighbour.map_or("the head of the list".to_owned(), |live| quote(live)),
            match moved.len() - 1 {
                0 => String::new(),
                more => format!(" (and {more} more)"),
            }
        );
        let mut finding = report::finding(
            self,
            &rule::REORDERED_HISTORY,
            is,
            "stood elsewhere in the older run",
            message,
        );
        report::relate_old(self, &mut finding, was, "where it stood");
        finding.help = Some("read a stored history in the order in which it was written".to_owned());
        finding.counterexample = Some(report::rows_around(self, Some(last.at), None, &[]));
        Some(finding)
    }

    /// Messages that are there under ids of their own.
    fn reminted(&self) -> Option<Finding> {
        if !self.is_alike() || self.new.forked {
            return None;
        }
        let is_kept = |at: usize| matches!(self.matched.partner[at], Some((_, By::Id)));
        let last_kept = (0..self.old.list.len()).rev().find(|&at| is_kept(at));
        let pairs: Vec<(usize, usize)> = (self.old.list.iter().enumerate())
            .filter_map(|(at, live)| match self.matched.partner[at] {
                Some((new, By::NewId)) if live.is_conversation() => Some((at, new)),
                _ => None,
            })
            .collect();
        let &(old, new) = pairs.last()?;
        let answers = pairs.iter().any(|&(at, _)| !self.old.list[at].is_authored());
        let is_mixed = last_kept.is_some_and(|kept| pairs.iter().any(|&(at, _)| at < kept));
        // A copy may have ids of its own, if all of its messages have; a tail that is said again is another try.
        let whole = last_kept.is_none() && pairs.len() > 1 && answers;
        if !(is_mixed || self.is_same_session() && whole) {
            return None;
        }
        let (was, is) = (&self.old.list[old], &self.new.arrived[new]);
        let message = format!(
            "{} under a new id ({} is now {}): whoever merges by id takes {} for another message",
            count(
                pairs.len(),
                "message of the older run stands",
                "messages of the older run stand"
            ),
            name(was),
            name(is),
            if pairs.len() == 1 { "it" } else { "each" },
        );
        let mut finding = report::finding(
            self,
            &rule::REMINTED_IDS,
            is,
            "the same message under a new id",
            message,
        );
        report::relate_old(self, &mut finding, was, "the message with its old id");
        finding.help = Some(
            "keep the ids of messages that are stored; where a copy needs its own, give all of them new ones"
                .to_owned(),
        );
        Some(finding)
    }

    /// Messages that were there once and are there twice.
    fn doubled(&self) -> Option<Finding> {
        let mut live_now: FxHashMap<u64, usize> = FxHashMap::default();
        for live in &self.new.list {
            *live_now.entry(live.print).or_default() += 1;
        }
        let compared: Vec<usize> = (0..self.old.list.len())
            .filter(|&at| is_compared(&self.old.list[at]))
            .collect();
        let mut neighbours: FxHashMap<(u64, u64), usize> = FxHashMap::default();
        for pair in compared.windows(2) {
            let prints = (self.old.list[pair[0]].print, self.old.list[pair[1]].print);
            neighbours.entry(prints).or_insert(pair[0]);
        }
        let is_again = |at: usize| {
            let live = &self.new.arrived[at];
            !self.matched.taken[at] && live_now.get(&live.print).is_some_and(|&number| number > 1)
        };
        let newer: Vec<usize> = (0..self.new.arrived.len())
            .filter(|&at| is_compared(&self.new.arrived[at]))
            .collect();
        let mut run: Vec<(usize, usize)> = Vec::new();
        for pair in newer.windows(2) {
            let prints = (self.new.arrived[pair[0]].print, self.new.arrived[pair[1]].print);
            match neighbours
                .get(&prints)
                .filter(|_| is_again(pair[0]) && is_again(pair[1]))
            {
                Some(&old) if run.is_empty() => run.extend([(old, pair[0]), (old + 1, pair[1])]),
                Some(&old) => run.push((old + 1, pair[1])),
                None => run.clear(),
            }
            if run.len() >= self.options.repeats.get() as usize {
                break;
            }
        }
        if run.len() < self.options.repeats.get() as usize {
            return None;
        }
        let &(old, new) = run.first()?;
        let (was, is) = (&self.old.list[old], &self.new.arrived[new]);
        let message = format!(
            "{} messages of the older run, from {} on, are there a second time: the history was added to itself",
            run.len(),
            quote(was),
        );
        let mut finding = report::finding(self, &rule::DUPLICATE_MESSAGE, is, "a second copy", message);
        report::relate_old(self, &mut finding, was, "the message in the older run");
        if let Some(first) = self.partner(old) {
            report::relate_new(self, &mut finding, &self.new.arrived[first], "where it stands first");
        }
        finding.help = Some("pass only what is new; the history is already stored".to_owned());
        Some(finding)
    }

    /// A record of a store that only grows has changed, and no message with it.
    fn rewritten(&self, parting: &Parting) -> Finding {
        let place = parting.new.unwrap_or_else(|| report::last_place(self));
        let message = format!(
            "a record of a store that only grows {}, though every message is there",
            parting.what.replace("its ", "")
        );
        let mut finding = report::finding_at_place(self, report::LOST, place, "the records part here", message);
        finding.severity = Severity::Info;
        finding.note = None;
        report::relate_old_place(self, &mut finding, parting.old, "the older record");
        finding
    }
}

/// Whether a newer message was never in the older run.
pub(super) fn is_new(old: &History, new: &History, matched: &Matched, at: usize) -> bool {
    let live = &new.arrived[at];
    !matched.taken[at] && is_compared(live) && !old.has_said(live)
}

/// Where each message stands first, by its id and what it says.
fn places(list: &[Live]) -> FxHashMap<(Option<String>, u64), usize> {
    let mut places = FxHashMap::default();
    for (at, live) in list.iter().enumerate() {
        places
            .entry((live.recorded_id().map(str::to_owned), live.print))
            .or_insert(at);
    }
    places
}

/// The fewest messages whose moving explains the order of the second places.
fn moved(mut pairs: Vec<(usize, usize)>) -> Vec<Moved> {
    pairs.sort_unstable_by_key(|(_, new)| *new);
    let matching = Matching {
        was_at: pairs.iter().map(|(old, _)| Some(*old)).collect(),
    };
    let place = |moved: Moved| Moved {
        was_at: moved.was_at,
        at: pairs[moved.at].1,
    };
    matching.moved().into_iter().map(place).collect()
}
