//! `unlatched-warning`: a warning about a limit is stored again at every call past it.

use super::matrix;
use crate::code::facts::Facts;
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    for (at, test) in facts.unlatched_warnings() {
        let mut finding = Finding::at(
            &rule::UNLATCHED_WARNING,
            Witness::Code,
            facts.span(at),
            "a warning is stored at every call once the limit is passed, and nothing remembers that it was given",
        );
        finding.label = Some("one more copy at each call past the limit".to_owned());
        finding.related.push(Related {
            span: facts.span(test),
            message: "stays true from then on".to_owned(),
        });
        finding.help = Some(format!(
            "give it once, when the limit is passed: remember that it was given, and forget that when a compaction \
             removes it; or {}",
            matrix::STATE
        ));
        findings.push(finding);
    }
}
