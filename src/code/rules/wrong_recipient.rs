//! `wrong-recipient`: a hook injects for every agent, where the hooks beside it ask for which.

use crate::code::facts::{Facts, OpenHook};
use crate::finding::{Confidence, Finding, Related, Witness};
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    findings.extend(facts.open_hooks().iter().map(|one| report(facts, one)));
}

fn report(facts: &Facts, hook: &OpenHook) -> Finding {
    let mut finding = Finding::at(
        &rule::WRONG_RECIPIENT,
        Witness::Code,
        facts.header(hook.function),
        format!(
            "this hook injects for every agent: it does not look at `{}`, as the hooks beside it do",
            hook.field
        ),
    );
    finding.confidence = Confidence::Medium;
    finding.related.push(Related {
        span: facts.span(hook.injected),
        message: "it injects this".to_owned(),
    });
    finding.related.push(Related {
        span: facts.span(hook.asked),
        message: "a hook beside it asks for the agent".to_owned(),
    });
    finding.help = Some("leave with nothing for the agents that the text is not meant for".to_owned());
    finding
}
