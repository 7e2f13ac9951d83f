//! `rewritten-prefix`: messages that were sent already are sent in another form.

use super::matrix;
use crate::code::facts::{Decorated, Facts, Rewrite, RewriteWhy};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let moved = facts.decorated().into_iter().filter(|one| one.same_text);
    findings.extend(moved.map(|one| text_that_moves(facts, &one)));
    findings.extend(facts.rewrites().iter().map(|one| rewritten(facts, one)));
}

fn text_that_moves(facts: &Facts, one: &Decorated) -> Finding {
    let mut finding = Finding::at(
        &rule::REWRITTEN_PREFIX,
        Witness::Code,
        facts.span(one.at),
        "a text stands on the newest question only: the question before it is sent again without it, and all that \
         follows is billed anew",
    );
    finding.confidence = one.confidence;
    finding.related.push(Related {
        span: facts.span(one.found),
        message: "the message is found here".to_owned(),
    });
    finding.help = Some(format!(
        "put the text on every such message in the same way; or {}",
        matrix::STATE
    ));
    finding
}

fn rewritten(facts: &Facts, one: &Rewrite) -> Finding {
    let (message, help) = match one.why {
        RewriteWhy::Age => (
            "a message is sent in another form as soon as it is old enough, and the new form is not kept: the border moves \
             with each call, and all behind it is billed anew",
            "rewrite rarely and many at once, and store what was rewritten",
        ),
        RewriteWhy::Newest => (
            "whether old messages are sent in another form depends on the newest one: what was sent before is rewritten at \
             the next call",
            "let the form of a message depend only on what stands before it; start behind the last question",
        ),
    };
    let mut finding = Finding::at(&rule::REWRITTEN_PREFIX, Witness::Code, facts.span(one.at), message);
    finding.confidence = one.confidence;
    finding.related.push(Related {
        span: facts.span(one.decided),
        message: "this decides about the form".to_owned(),
    });
    finding.help = Some(help.to_owned());
    finding
}
