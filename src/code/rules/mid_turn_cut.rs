//! `mid-turn-cut`: a cut by an amount that may fall inside a turn.

use super::split_tool_pair;
use crate::code::counterexample::{Left, cut as story, cut_for_good};
use crate::code::facts::{Cut, Facts, Keeps, Means, Reach, Safety};
use crate::finding::{Finding, Related, Severity, Witness};
use crate::mend::Mend;
use crate::rule;

/// Reports cuts of a history that no search for a turn boundary protects.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    for cut in facts.cuts() {
        if matches!(cut.means, Means::Filter | Means::Half | Means::Limit) || cut.safety == Safety::Turns {
            continue;
        }
        if cut.safety == Safety::Pairs && cut.loses_no_question {
            continue;
        }
        let mut finding = Finding::at(&rule::MID_TURN_CUT, Witness::Code, facts.span(cut.at), message(cut));
        // What keeps tool pairs whole by its own tests has chosen its place; a library's choice is
        // nobody's in the project.
        if (cut.safety == Safety::Pairs || cut.carries_calls) && (cut.means != Means::Library || cut.keeps_question) {
            finding.severity = if cut.with_partner || cuts_every_turn(cut) {
                Severity::Warn
            } else {
                Severity::Info
            };
        }
        // Nobody that is known reads these words, and there is no half of a pair among them.
        if cut.told_again && cut.reach <= Reach::Returned {
            finding.severity = Severity::Info;
        }
        finding.confidence = cut.confidence;
        if split_tool_pair::separates(cut) && !cut.carries_calls {
            finding.also.push(&rule::SPLIT_TOOL_PAIR);
        }
        finding.label = Some("the cut may fall inside a turn".to_owned());
        if cut.at != cut.site {
            let message = "the history is cut here".to_owned();
            finding.related.push(Related {
                span: facts.span(cut.site),
                message,
            });
        }
        finding.note = Some(note(cut).to_owned());
        finding.help = Some(help(cut).to_owned());
        finding.counterexample = Some(match (cut.keeps, cut.reach) {
            (Keeps::Oldest, _) => story(Left::Oldest),
            (_, Reach::Durable) if cut.means == Means::Library => cut_for_good(Left::Pair),
            _ => story(Left::Pair),
        });
        finding.mend = facts.trim_start(cut.site).map(|(name, value)| Mend::NameArgument {
            call: facts.span(cut.site),
            name,
            value,
        });
        for product in &cut.products {
            let mut written = Finding::at(
                &rule::MID_TURN_CUT,
                Witness::Code,
                facts.span(*product),
                "what a cut inside a turn leaves becomes the history",
            );
            written.severity = finding.severity;
            written.confidence = finding.confidence;
            let message = "the history is cut here, between tool pairs and not between turns".to_owned();
            written.related.push(Related {
                span: facts.span(cut.site),
                message,
            });
            written.help.clone_from(&finding.help);
            written.counterexample = Some(cut_for_good(Left::Pair));
            findings.push(written);
        }
        findings.push(finding);
    }
}

/// Whether the search for a place to cut finds one inside a turn, whatever the history is.
fn cuts_every_turn(cut: &Cut) -> bool {
    cut.at_answer && !cut.keeps_question
}

fn message(cut: &Cut) -> String {
    if cut.safety == Safety::Pairs && cuts_every_turn(cut) {
        return "the history is cut where an answer of the model begins, so the question that it answers is cut off"
            .to_owned();
    }
    let how = match (cut.means, cut.measured) {
        (Means::Library, _) => "a library's cut",
        (Means::Pop, _) => "messages are taken from the history one by one until it fits",
        (Means::Rebuild, _) => "the history is filled up to a budget, message by message",
        (Means::Window, _) => "the history holds a fixed number of messages",
        (_, true) => "the history is cut by size",
        (_, false) => "the history is cut by a number of messages",
    };
    match cut.means {
        Means::Library => format!("{how} respects no turn boundary"),
        _ => format!("{how}, which respects no turn boundary"),
    }
}

fn note(cut: &Cut) -> &'static str {
    match (cut.keeps, cut.reach) {
        (Keeps::Oldest, _) => "what is cut off is the newest part: the current question may be in it",
        (_, Reach::Durable) => "what is cut off is gone from the history, not only from one call",
        _ => "the first message that is kept may be an answer or a tool result whose question is gone",
    }
}

fn help(cut: &Cut) -> &'static str {
    match cut.means {
        Means::Library => {
            "decision matrix, row `history over budget`: cut where a turn begins, and keep the newest question when the current turn alone is too long"
        }
        _ => {
            "decision matrix, row `history over budget`: walk back from the limit to the nearest message that the user wrote, and cut there"
        }
    }
}
