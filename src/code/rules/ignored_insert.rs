//! `ignored-insert`: a message put before others in a list that an id-merging reducer appends to.

use crate::code::counterexample::put_before;
use crate::code::facts::{Applied, Composed, Facts};
use crate::code::vocabulary::Fold;
use crate::finding::{Finding, Related, Witness};
use crate::mend::Mend;
use crate::rule;

/// Reports updates whose order the reducer does not take over.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    for update in facts.updates() {
        if update.applied != Applied::Fold(Fold::MergeById) {
            continue;
        }
        let ways = facts.composition(update.messages, &update.key);
        let inserted = ways.iter().filter(|way| !way.removes()).find_map(Composed::inserted);
        let Some(inserted) = inserted else { continue };
        let mut finding = Finding::at(
            &rule::IGNORED_INSERT,
            Witness::Code,
            facts.span(inserted),
            "a message is put before the history, but the reducer appends what it does not know",
        );
        finding.confidence = update.confidence;
        finding.label = Some("lands at the tail".to_owned());
        finding.related.push(Related {
            span: facts.span(update.messages),
            message: "the list is folded by id here".to_owned(),
        });
        finding.help = Some(
            "decision matrix, row `state`: put the message into the call and not into the history; to store it there, return \
             RemoveMessage(id=REMOVE_ALL_MESSAGES) followed by all messages"
                .to_owned(),
        );
        finding.counterexample = Some(put_before());
        finding.mend = facts.could_replace_all(update).then(|| Mend::ReplaceAll {
            list: facts.span(update.messages),
        });
        findings.push(finding);
    }
}
