//! `role-only-predicate`: whether a message is the person's is decided by its role alone.

use crate::code::facts::{Facts, RoleOnly};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.role_only_searches().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, search: &RoleOnly) -> Finding {
    let mut finding = Finding::at(
        &rule::ROLE_ONLY_PREDICATE,
        Witness::Code,
        facts.span(search.at),
        "the newest message in the person's role is taken for the person's question, but the program stores messages of its \
         own in that role",
    );
    finding.confidence = search.confidence;
    finding.related.push(Related {
        span: facts.span(search.injected),
        message: "this may be found instead; it carries a mark".to_owned(),
    });
    finding.help = Some("ask for the mark beside the role".to_owned());
    finding
}
