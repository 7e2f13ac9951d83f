//! `persisted-state`: a snapshot of current state is written into the durable history.

use rustc_hash::FxHashSet;

use crate::code::counterexample::kept_state;
use crate::code::facts::{Applied, Cause, Construction, Durability, Facts, Keeper, Kept, Snapshot, SnapshotOf};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Fold, Granularity, Role, Runs};
use crate::finding::{Confidence, Finding, Related, Severity, Witness};
use crate::history::reducer::Reducer;
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut reported: FxHashSet<ExprRef> = FxHashSet::default();
    for made in facts.constructions().iter().filter(|made| !facts.is_test(made.expr)) {
        let Some(snapshot) = facts.snapshot(made).or_else(|| facts.limit_notice(made)) else {
            continue;
        };
        // What was put in the queue of the person's words is reported where it is put there.
        if facts.is_steered(made, &snapshot) {
            continue;
        }
        let Durability::Durable(kept) = facts.durability(made.expr) else {
            continue;
        };
        for kept in kept.iter().filter(|kept| !facts.is_test(kept.at)) {
            // What a history is shortened or copied to was put into it before.
            let settled = kept.moved
                || facts.opens_list(kept)
                || facts.is_taken_out(kept)
                || facts.tells_change(kept, &snapshot)
                || facts.tells_difference(made.expr, kept, &snapshot);
            let at = place(facts, made, kept);
            if !settled && reported.insert(at) {
                findings.push(report(facts, made, &snapshot, kept, at));
            }
        }
    }
}

/// The message where it is written into the update, or else the update; the call that puts it in, where the
/// whole list is stored later on.
fn place(facts: &Facts, made: &Construction, kept: &Kept) -> ExprRef {
    if kept.keeper == Keeper::Store && kept.enters != made.expr {
        return kept.enters;
    }
    if kept.keeper != Keeper::Update {
        return kept.at;
    }
    let mut around = Some(made.expr);
    while let Some(expr) = around {
        if expr == kept.at {
            return made.expr;
        }
        around = facts.graph.around(expr);
    }
    kept.at
}

fn report(facts: &Facts, made: &Construction, snapshot: &Snapshot, kept: &Kept, at: ExprRef) -> Finding {
    let repeated = repeated(facts, kept, snapshot);
    let what = what(snapshot);
    let often = match (repeated, runs(facts, kept)) {
        (true, Some(Runs::Turn)) => "a new copy in every turn, and the older ones stay",
        (true, _) => "a new copy for every call, and the older ones stay",
        (false, _) => "it stays there when it is not true any more",
    };
    let message = format!("{what} is persisted in history: {often}");
    let mut finding = Finding::at(&rule::PERSISTED_STATE, Witness::Code, facts.span(at), message);
    finding.severity = match repeated {
        true => Severity::Error,
        false if facts.tells_passing(kept, snapshot) => Severity::Info,
        false => Severity::Warn,
    };
    finding.confidence = match (snapshot.sure, kept.keeper) {
        (true, Keeper::Update | Keeper::Object | Keeper::State | Keeper::Module) => Confidence::High,
        _ => Confidence::Medium,
    };
    finding.label = Some(label(kept.keeper).to_owned());
    if snapshot.at != at {
        finding.related.push(Related {
            span: facts.span(snapshot.at),
            message: "read here".to_owned(),
        });
    }
    if kept.keeper == Keeper::Store && kept.at != at {
        finding.related.push(Related {
            span: facts.span(kept.at),
            message: "stored with the list here".to_owned(),
        });
    }
    if made.expr != at && facts.span(made.expr).start != facts.span(at).start {
        finding.related.push(Related {
            span: facts.span(made.expr),
            message: "becomes this message".to_owned(),
        });
    }
    finding.help = Some(
        "decision matrix, row `state`: rebuild it for every call and send it with that call only, as a message at the tail of the call or at \
         system level; keep it out of the history"
            .to_owned(),
    );
    let reducer = match kept.applied {
        Some(Applied::Fold(Fold::MergeById)) => Reducer::AddMessages,
        Some(Applied::Replace) => Reducer::LastValue,
        _ => Reducer::OperatorAdd,
    };
    finding.counterexample = Some(kept_state(reducer, made.role.unwrap_or(Role::System), repeated));
    finding
}

/// How often the message is written.
fn runs(facts: &Facts, kept: &Kept) -> Option<Runs> {
    let by_update = facts
        .updates()
        .iter()
        .find(|update| update.expr == kept.at)
        .and_then(|update| update.runs);
    by_update.max(facts.runs(kept.enters)).or(facts.runs(kept.at))
}

/// Whether a new copy is written each time, whatever is there already. A date is the same all day: one
/// copy a turn is not worse than one.
fn repeated(facts: &Facts, kept: &Kept, snapshot: &Snapshot) -> bool {
    let daily = matches!(snapshot.of, SnapshotOf::Volatile(Cause::Clock, Granularity::Day));
    let often = runs(facts, kept).is_some_and(|runs| runs >= if daily { Runs::Call } else { Runs::Turn });
    often && !facts.is_conditional(kept)
}

fn what(snapshot: &Snapshot) -> String {
    match &snapshot.of {
        SnapshotOf::Key(name) => format!("a snapshot of `{name}` in the state"),
        SnapshotOf::Attribute(name) => format!("a snapshot of `{name}`"),
        SnapshotOf::Reading(path) => format!("what `{path}()` says at the moment"),
        SnapshotOf::Volatile(cause, granularity) => match (cause, granularity) {
            (Cause::Clock, Granularity::Day) => "the current date",
            (Cause::Clock, _) => "the current time",
            (Cause::Age, _) => "how long ago something was",
            (Cause::Random, _) => "a random value",
            (Cause::Message, _) => "the id of the message at hand",
            (Cause::Lookup, _) => "what was looked up for one question",
            (Cause::Counter, _) => "the count of the calls so far",
            (Cause::WorkingDirectory, _) => "the working directory",
            (Cause::Git, _) => "the state of version control",
            (Cause::FileListing, _) => "a listing of files",
            (Cause::Machine, _) => "the load of the machine",
            (Cause::Editor, _) => "what is open in the editor",
        }
        .to_owned(),
    }
}

fn label(keeper: Keeper) -> &'static str {
    match keeper {
        Keeper::Update => "folded into the history",
        Keeper::Store => "stored",
        Keeper::Object => "stays in the list of this object",
        Keeper::State => "stays in the state",
        Keeper::Module => "stays in the list of this module",
        Keeper::Caller => "changes the caller's list",
    }
}
