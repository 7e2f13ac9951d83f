//! `stale-offset`: a position or a length is used when the list has become another one.

use crate::code::counterexample::{
    read_behind_old_length, read_from_old_anchor, removed_at_old_place, replaced_by_older_state, skipped_while_removing,
};
use crate::code::facts::{Facts, Stale, StaleKind};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.stale_positions().iter().map(|stale| report(facts, stale)));
}

fn report(facts: &Facts, stale: &Stale) -> Finding {
    let mut finding = Finding::at(
        &rule::STALE_OFFSET,
        Witness::Code,
        facts.span(stale.at),
        message(stale.kind),
    );
    finding.confidence = stale.confidence;
    let from = match stale.kind {
        StaleKind::Iterated => "removed here",
        StaleKind::Position => "the position was looked up here",
        StaleKind::Length => "the length was taken here",
        StaleKind::Anchor => "the list is read from this position on",
        StaleKind::Replaced => "made here, of the history as it was then",
    };
    finding.related.push(Related {
        span: facts.span(stale.from),
        message: from.to_owned(),
    });
    if let Some(changed) = stale.changed {
        let text = match stale.kind {
            StaleKind::Length => "what runs here may shorten the list",
            StaleKind::Replaced => "runs beside the conversation from here on",
            _ => "the list is shortened here",
        };
        finding.related.push(Related {
            span: facts.span(changed),
            message: text.to_owned(),
        });
    }
    finding.help = Some(help(stale.kind).to_owned());
    finding.counterexample = Some(match stale.kind {
        StaleKind::Iterated => skipped_while_removing(),
        StaleKind::Position => removed_at_old_place(),
        StaleKind::Length => read_behind_old_length(),
        StaleKind::Anchor => read_from_old_anchor(),
        StaleKind::Replaced => replaced_by_older_state(),
    });
    finding
}

fn message(kind: StaleKind) -> &'static str {
    match kind {
        StaleKind::Iterated => {
            "messages are removed from the list that the loop runs over: the message behind each removed one is skipped"
        }
        StaleKind::Position => {
            "a position from before a removal is used after it: it names another message by now, or none"
        }
        StaleKind::Length => {
            "a length from before the run is used as an offset after it: where the run shortens its history, messages \
             are left out"
        }
        StaleKind::Anchor => {
            "the history is shortened and a position that is kept beside it is not: the next read starts at another \
             message, or behind the last one"
        }
        StaleKind::Replaced => {
            "the history is replaced by what a worker made of an earlier state of it: messages that were added \
             meanwhile are lost"
        }
    }
}

fn help(kind: StaleKind) -> &'static str {
    match kind {
        StaleKind::Iterated => "build a new list of what stays, or run over a copy, or from the end",
        StaleKind::Position => "use the positions before anything is removed, or look them up again",
        StaleKind::Length => "tell the new messages by their ids, or compare the length with the offset first",
        StaleKind::Replaced => {
            "keep the list that the worker was given, and replace only what is still the same; put newer messages behind it"
        }
        StaleKind::Anchor => "reset the position, or move it by as many messages as are taken out before it",
    }
}
