//! What became of the messages of an older run in a newer one.

use rustc_hash::FxHashMap;

use super::history::{History, Run, is_compared};
use super::lost;
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

impl Case<'_> {
    /// Everything that is wrong.
    pub(super) fn findings(&self) -> Vec<Finding> {
        if self.is_same_session() && self.parting.is_some_and(|parting| parting.ends) {
            // A record that was cut off, or the two runs are exchanged: that is all.
            return lost::cut_off(self).into_iter().collect();
        }
        let mut changed = self.changed_under_ids();
        let gaps = lost::gaps(self, |gap| {
            let pair = lost::changed_between(self, gap);
            changed.extend(pair);
            pair.is_some()
        });
        let mut findings = lost::findings(self, gaps);
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

    /// Whether both are in one form.
    pub(super) fn is_alike(&self) -> bool {
        std::ptr::eq(self.old_run.form, self.new_run.form)
    }

    /// Where the newer message stands that an older one is.
    pub(super) fn partner(&self, old: usize) -> Option<usize> {
        self.matched.partner[old].map(|(new, _)| new)
    }

    /// Whether the older run never had a message of the newer one.
    pub(super) fn is_new(&self, at: usize) -> bool {
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
    pub(super) fn rewritten(&self, parting: &Parting) -> Finding {
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

/// Which older messages have a partner that is certain and stands in their order: what is between two of them was
/// between them.
pub(super) fn in_order(case: &Case<'_>) -> Vec<bool> {
    let sure = |(at, partner): (usize, &Option<(usize, By)>)| match partner {
        Some((new, by)) if *by != By::Guess => Some((at, *new)),
        _ => None,
    };
    let pairs: Vec<(usize, usize)> = case.matched.partner.iter().enumerate().filter_map(sure).collect();
    let mut stands = vec![false; case.old.list.len()];
    for (at, _) in &pairs {
        stands[*at] = true;
    }
    for moved in moved(pairs) {
        stands[moved.was_at] = false;
    }
    stands
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
