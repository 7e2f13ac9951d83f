//! `ignored-trim`: a shorter or reordered list returned to a reducer that merges by id.

use crate::code::counterexample::returned_part;
use crate::code::facts::{Applied, Facts};
use crate::code::ir::ExprKind;
use crate::code::vocabulary::Fold;
use crate::finding::{Finding, Related, Witness};
use crate::mend::Mend;
use crate::rule;

/// Reports updates that leave messages out and remove none.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    for update in facts.updates() {
        if update.applied != Applied::Fold(Fold::MergeById) {
            continue;
        }
        let ways = facts.composition(update.messages, &update.key);
        if ways.iter().any(|way| way.removes() || way.inserted().is_some()) {
            continue;
        }
        let Some(trimmed) = ways.iter().find_map(|way| way.trimmed(facts)) else {
            continue;
        };
        let mut finding = Finding::at(
            &rule::IGNORED_TRIM,
            Witness::Code,
            facts.span(update.messages),
            "a part of the history is returned to a reducer that merges by id: nothing is removed",
        );
        finding.confidence = update.confidence;
        finding.label = Some("what is missing here stays in the history".to_owned());
        finding.related.push(Related {
            span: facts.span(trimmed),
            message: "the list gets shorter, or another order, here".to_owned(),
        });
        finding.help = Some(
            "decision matrix, row `history over budget`: return RemoveMessage for what is to go, or RemoveMessage(id=REMOVE_ALL_MESSAGES) \
             followed by what stays; trim for the call only if the history is to stay"
                .to_owned(),
        );
        finding.counterexample = Some(returned_part());
        // A slice that really cut would cut a turn in two.
        let is_slice = matches!(facts.kind(trimmed), ExprKind::Slice { .. });
        finding.mend = (!is_slice).then(|| Mend::ReplaceAll {
            list: facts.span(update.messages),
        });
        findings.push(finding);
    }
}
