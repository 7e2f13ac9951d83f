//! `unordered-prefix`: the order of a set, a map or a directory reaches what stands before the history.

use rustc_hash::FxHashMap;

use crate::code::facts::{Facts, Prefix, PrefixPart, Unordered};
use crate::code::project::ModuleIx;
use crate::code::vocabulary::UnorderedKind;
use crate::finding::{Confidence, Finding, Position, Related, Witness};
use crate::mend::Mend;
use crate::rule;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut places: FxHashMap<(ModuleIx, Position), (Unordered, &Prefix)> = FxHashMap::default();
    let parts = facts.prompt_parts();
    for prefix in facts.prefixes().iter().chain(&parts) {
        if prefix.part == PrefixPart::CacheKey || prefix.single || facts.is_folded(prefix) {
            continue;
        }
        for unordered in facts.unordered_sources(prefix) {
            let known = places
                .entry((unordered.at.module, facts.span(unordered.at).start))
                .or_insert((unordered, prefix));
            if prefix.sure && !known.1.sure {
                known.1 = prefix;
            }
        }
    }
    findings.extend(
        places
            .into_values()
            .map(|(unordered, prefix)| report(facts, &unordered, prefix)),
    );
}

fn report(facts: &Facts, unordered: &Unordered, prefix: &Prefix) -> Finding {
    let what = match unordered.kind {
        UnorderedKind::Set => "a set has no order",
        UnorderedKind::Map => "a hash map has no order",
        UnorderedKind::Listing => "a directory is listed in no fixed order",
        UnorderedKind::Completion => "results come in the order in which they are ready",
    };
    let part = match prefix.part {
        PrefixPart::Tools => "the tools",
        PrefixPart::Head => "the first message",
        PrefixPart::Stored => "messages of earlier turns",
        PrefixPart::System | PrefixPart::CacheKey => "the system prompt",
    };
    let message = format!("{what}, and its items go into {part} as they come: the prefix differs from run to run");
    let mut finding = Finding::at(
        &rule::UNORDERED_PREFIX,
        Witness::Code,
        facts.span(unordered.at),
        message,
    );
    finding.label = Some("run through unsorted".to_owned());
    finding.confidence = if prefix.sure {
        Confidence::High
    } else {
        Confidence::Medium
    };
    if facts.span(unordered.source).start.line != facts.span(unordered.at).start.line {
        finding.related.push(Related {
            span: facts.span(unordered.source),
            message: "it has no order of its own".to_owned(),
        });
    }
    let sortable = match unordered.kind {
        UnorderedKind::Set => true,
        UnorderedKind::Listing => facts.lists_names(unordered),
        UnorderedKind::Map | UnorderedKind::Completion => false,
    };
    finding.mend = sortable.then(|| Mend::Sort {
        items: facts.span(unordered.at),
        names: unordered.kind == UnorderedKind::Listing,
    });
    finding.help = Some(
        "sort the items before they become text or a list of tools, or keep them in something that remembers the order \
         in which they were written"
            .to_owned(),
    );
    finding
}
