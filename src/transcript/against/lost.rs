//! Messages of an older run that are nowhere in a newer one.

use super::matching::By;
use super::report;
use super::verdicts::{Case, in_order};
use crate::finding::{Confidence, Finding};
use crate::transcript::message::{Kind, Live};
use crate::transcript::rules::{count, quote};

use super::history::is_compared;

/// The most stretches that are told one by one.
const STRETCHES: usize = 6;

/// A stretch of older messages between two that the newer run has too.
pub(super) struct Gap {
    /// Older messages without a partner.
    lost: Vec<usize>,
    /// The older one behind it.
    behind: Option<usize>,
    /// Where the partner of the older message before it stands.
    before: Option<usize>,
    /// Newer messages between the partners.
    new: Vec<usize>,
}

/// The stretches that are lost, without those that are something else.
pub(super) fn gaps(case: &Case<'_>, mut is_other: impl FnMut(&Gap) -> bool) -> Vec<Gap> {
    let stands = in_order(case);
    let mut gaps: Vec<Gap> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut before = None;
    let mut close = |lost: &mut Vec<usize>, before: Option<usize>, behind: Option<usize>| {
        if lost.is_empty() {
            return;
        }
        let from = before.map_or(0, |before| before + 1);
        let to = behind.and_then(|at| case.partner(at)).unwrap_or(case.new.arrived.len());
        let gap = Gap {
            lost: std::mem::take(lost),
            behind,
            before,
            new: (from..to).filter(|&at| case.is_new(at)).collect(),
        };
        if !is_other(&gap) {
            gaps.push(gap);
        }
    };
    for (at, live) in case.old.list.iter().enumerate() {
        if stands[at] {
            close(&mut open, before, Some(at));
            before = case.partner(at);
        } else if case.partner(at).is_none() && is_compared(live) {
            open.push(at);
        }
    }
    close(&mut open, before, None);
    gaps
}

/// The one message of a gap in whose place one other stands.
pub(super) fn changed_between(case: &Case<'_>, gap: &Gap) -> Option<(usize, usize)> {
    let (&[old], &[new]) = (&gap.lost[..], &gap.new[..]) else {
        return None;
    };
    gap.behind?;
    let (was, is) = (&case.old.list[old], &case.new.arrived[new]);
    let is_summary = was.kind == Kind::Summary && is.kind == Kind::Summary;
    let same_kind = was.kind == is.kind && was.role == is.role;
    // Two ids are two messages, but a summary that is made again gets another one.
    let no_ids = was.recorded_id().is_none() || is.recorded_id().is_none();
    (case.is_alike() && same_kind && (no_ids || is_summary)).then_some((old, new))
}

/// One finding a stretch; where there are many, one for all.
pub(super) fn findings(case: &Case<'_>, mut gaps: Vec<Gap>) -> Vec<Finding> {
    if gaps.is_empty() || !case.new_run.form.shows_everything() {
        return Vec::new();
    }
    let compacted = compacted(case);
    for gap in &mut gaps {
        gap.lost
            .retain(|&at| at >= compacted && is_told(case, &case.old.list[at]));
    }
    let adds = (0..case.new.arrived.len()).any(|at| case.is_new(at));
    let is_loss = |gap: &Gap| {
        let asks = gap.lost.iter().any(|&at| case.old.list[at].is_authored());
        let is_tail = gap.behind.is_none();
        // An answer that is taken back and given again is another try; a fork says that it ends where it was taken.
        !gap.lost.is_empty() && !(is_tail && (!asks && !gap.new.is_empty() || case.new.forked))
    };
    gaps.retain(is_loss);
    // Between two formats that share little, what is missing may be written in another way.
    let (shared, all) = case.matched.share(&case.old.list);
    let is_sure = case.is_alike() || shared * 4 >= all * 3;
    let number = gaps.len();
    let mut findings: Vec<Finding> = gaps
        .iter()
        .take(if number > STRETCHES { 1 } else { STRETCHES })
        .map(|gap| {
            let places = if number > STRETCHES {
                &gaps[..]
            } else {
                std::slice::from_ref(gap)
            };
            finding(case, gap, places, adds)
        })
        .collect();
    for finding in findings.iter_mut().filter(|_| !is_sure) {
        finding.confidence = Confidence::Low;
    }
    findings
}

/// Whether both runs must have a message. Two formats do not have all alike; what was typed and what has an id of a
/// call they share.
fn is_told(case: &Case<'_>, live: &Live) -> bool {
    live.is_conversation()
        && (case.is_alike() || live.is_authored() || !live.calls.is_empty() || !live.results.is_empty())
}

/// How many of the older messages a compaction that the newer run tells may have taken.
fn compacted(case: &Case<'_>) -> usize {
    let is_summary = |at: &usize| case.new.arrived[*at].kind == Kind::Summary && case.is_new(*at);
    let summary = (0..case.new.arrived.len()).rev().find(is_summary);
    if summary.is_none() && case.new.compactions <= case.old.compactions {
        return 0;
    }
    let is_behind = |partner: &Option<(usize, By)>| {
        let new = partner.map(|(new, _)| new);
        summary.is_some_and(|summary| new.is_some_and(|new| new > summary))
    };
    let kept = case.matched.partner.iter().position(is_behind);
    kept.unwrap_or(case.old.list.len())
}

/// What is wrong with a stretch, or with all of them at the first.
fn finding(case: &Case<'_>, gap: &Gap, gaps: &[Gap], adds: bool) -> Finding {
    let lost: Vec<usize> = gaps.iter().flat_map(|gap| gap.lost.iter().copied()).collect();
    let is_tail = gap.behind.is_none();
    let ends = is_tail && gap.new.is_empty();
    let (one, many) = if gaps.len() > 1 {
        (
            "in between",
            "and they are missing between messages that both runs have",
        )
    } else if ends && !adds {
        ("and the run ends before it", "and the run ends before them")
    } else if is_tail {
        ("and the run goes on without it", "and the run goes on without them")
    } else {
        (
            "and it is missing between messages that both runs have",
            "and they are missing between messages that both runs have",
        )
    };
    let places = if gaps.len() > 1 {
        format!(" in {} places", gaps.len())
    } else {
        String::new()
    };
    let at = (gap.behind.and_then(|at| case.partner(at)))
        .or(gap.new.first().copied())
        .or(gap.before);
    let label = if ends {
        "what was lost stood behind this"
    } else {
        "what was lost stood before this"
    };
    let message = sentence(case, &lost, &places, one, many);
    let mut finding = report::finding_at(case, report::LOST, at, label, message);
    name_lost(case, &mut finding, &lost);
    finding.counterexample = Some(report::rows_around(case, at, gap.before, &gap.lost));
    finding.help = Some(if ends && !adds {
        EXCHANGED.to_owned()
    } else {
        "copy and resume whole histories; what has to go goes by a compaction that the record tells".to_owned()
    });
    // In a store that is written anew a person may have gone back without a word of it.
    if is_tail && !gap.new.is_empty() && case.is_same_session() && !case.new_run.form.only_grows() {
        finding.confidence = Confidence::Low;
    }
    finding
}

/// What to do about a run that ends before the older one.
const EXCHANGED: &str = "keep every message that was stored; if this is the older of the two runs, exchange them";

/// The newer record is the beginning of the older one.
pub(super) fn cut_off(case: &Case<'_>) -> Option<Finding> {
    let is_lost = |at: &usize| {
        let live = &case.old.list[*at];
        live.is_conversation() && case.partner(*at).is_none()
    };
    let lost: Vec<usize> = (0..case.old.list.len()).filter(is_lost).collect();
    if lost.is_empty() {
        return case.parting.map(|parting| case.rewritten(parting));
    }
    let message = sentence(
        case,
        &lost,
        "",
        "and the run ends before it",
        "and the run ends before them",
    );
    let last = case.new.arrived.len().checked_sub(1);
    let mut finding = report::finding_at(case, report::LOST, last, "what was lost stood behind this", message);
    name_lost(case, &mut finding, &lost);
    finding.counterexample = Some(report::rows_around(case, last, last, &lost));
    finding.help = Some(EXCHANGED.to_owned());
    Some(finding)
}

fn sentence(case: &Case<'_>, lost: &[usize], places: &str, one: &str, many: &str) -> String {
    let number = count(
        lost.len(),
        "message of the older run is lost",
        "messages of the older run are lost",
    );
    let name = |at: Option<&usize>| at.map_or(String::new(), |&at| quote(&case.old.list[at]));
    match lost {
        [_] => format!("{number}: {}, {one}", name(lost.first())),
        _ => format!(
            "{number}{places}, from {} to {}, {many}",
            name(lost.first()),
            name(lost.last())
        ),
    }
}

/// Names the first and the last of what is lost, in the older run.
fn name_lost(case: &Case<'_>, finding: &mut Finding, lost: &[usize]) {
    for (at, what) in [
        (lost.first(), "the first that is lost"),
        (lost.last(), "the last that is lost"),
    ] {
        if let Some(&at) = at {
            report::relate_old(case, finding, &case.old.list[at], what);
        }
    }
    if let Some(&first) = lost.first() {
        finding.about = Some(report::about(case, &case.old.list[first]));
    }
}
