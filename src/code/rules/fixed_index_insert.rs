//! `fixed-index-insert`: messages are put in one after the other at the same index.

use crate::code::counterexample::{notes_at_one_index, replaced_at_first};
use crate::code::facts::{Facts, FixedInsert, OrderLost};
use crate::finding::{Finding, Related, Witness};
use crate::mend::Mend;
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.fixed_inserts().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, insert: &FixedInsert) -> Finding {
    let (message, label, help) = match insert.lost {
        OrderLost::Index => (
            "messages are put in one after the other at the same index: each stands before the one that came before it",
            "the last one ends up first",
            "put them in together, or move the index on with each",
        ),
        OrderLost::Completion => (
            "results are put in as they come in: their order is not that of the calls, and differs from run to run",
            "whichever is done first stands first",
            "wait for all of them, and put them in by the order of the calls",
        ),
        OrderLost::Replaced => (
            "all replacements are put in at the place of the first item that they replace: what stood between two of \
             them comes behind all of it",
            "everything goes to one place",
            "put each replacement at the place of what it replaces",
        ),
    };
    let mut finding = Finding::at(&rule::FIXED_INDEX_INSERT, Witness::Code, facts.span(insert.at), message);
    finding.label = Some(label.to_owned());
    finding.confidence = insert.confidence;
    finding.related.push(Related {
        span: facts.span(insert.repeated),
        message: "it runs for each of these".to_owned(),
    });
    finding.help = Some(help.to_owned());
    finding.counterexample = match insert.lost {
        OrderLost::Index => Some(notes_at_one_index()),
        OrderLost::Replaced => Some(replaced_at_first()),
        // Which order comes out is not the code's to say.
        OrderLost::Completion => None,
    };
    if insert.lost == OrderLost::Index && insert.repeated.module == insert.at.module {
        finding.mend = Some(Mend::AdvanceIndex {
            insert: facts.span(insert.at),
            items: facts.span(insert.repeated),
        });
    }
    finding
}
