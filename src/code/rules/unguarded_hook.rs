//! `unguarded-hook`: the error of one hook ends the run.

use rustc_hash::FxHashSet;

use crate::code::facts::{Facts, OpenDispatch};
use crate::code::project::ExprRef;
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut open = facts.open_dispatches();
    // Several lists of hooks behind one call of the dispatcher are one thing to mend.
    let mut shared: FxHashSet<ExprRef> = FxHashSet::default();
    open.retain(|one| one.shares.is_none_or(|call| shared.insert(call)));
    findings.extend(open.iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, open: &OpenDispatch) -> Finding {
    let (at, message, label) = match open.shares {
        Some(call) => (
            call,
            "an error of a hook is handled as an error of the work: the run fails although the work is done",
            "in the same `try` as the work",
        ),
        None => (
            open.call,
            "an error of one hook ends the run, and the hooks behind it never run",
            "nothing catches its errors",
        ),
    };
    let mut finding = Finding::at(&rule::UNGUARDED_HOOK, Witness::Code, facts.span(at), message);
    finding.label = Some(label.to_owned());
    let sure = open.named && facts.is_filled_from_outside(open.hooks);
    finding.confidence = if sure { Confidence::High } else { Confidence::Medium };
    if open.shares.is_some() {
        finding.related.push(Related {
            span: facts.span(open.call),
            message: "the hook is called here".to_owned(),
        });
    }
    finding.help = Some(
        "catch the errors of each hook where it is called, note them, and go on: what a hook adds is optional, the \
         turn is not"
            .to_owned(),
    );
    finding
}
