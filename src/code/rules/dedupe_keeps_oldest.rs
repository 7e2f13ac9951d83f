//! `dedupe-keeps-oldest`: of two items with one id the older one is kept.

use crate::code::counterexample::older_version_kept;
use crate::code::facts::{Facts, OldestKept};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.oldest_kept().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, kept: &OldestKept) -> Finding {
    let mut finding = Finding::at(
        &rule::DEDUPE_KEEPS_OLDEST,
        Witness::Code,
        facts.span(kept.at),
        "of two items with one id the first is kept, and the list has the old ones first: the newer version is lost",
    );
    finding.confidence = kept.confidence;
    finding.related.push(Related {
        span: facts.span(kept.passed),
        message: "the newer one is passed over here".to_owned(),
    });
    finding.related.push(Related {
        span: facts.span(kept.joined),
        message: "the old and the new are joined here".to_owned(),
    });
    finding.help = Some(
        "run over the list from its end and turn the result round, or let the later item replace the earlier one"
            .to_owned(),
    );
    finding.counterexample = Some(older_version_kept());
    finding
}
