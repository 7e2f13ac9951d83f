//! `split-tool-pair`: a call is left without its result, or a result without its call.

use crate::code::counterexample::{Left, cut as story};
use crate::code::facts::{Cut, Facts, Means, Reach, Safety, Split, SplitAt, SplitKind};
use crate::finding::{Finding, Related, Witness};
use crate::rule;

/// Reports cuts that may separate a call from its result.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    for cut in facts.cuts() {
        // What falls anywhere is reported once, as a cut that may fall inside a turn.
        if separates(cut) && !is_plain(cut) {
            findings.push(cut_finding(facts, cut));
        }
    }
    for split in facts.splits() {
        findings.push(split_finding(facts, &split));
    }
}

/// Whether a cut may leave a half of a pair.
pub(super) fn separates(cut: &Cut) -> bool {
    // A filter that drops a half is read where a model gets what is left.
    let read = cut.means != Means::Half || cut.reach >= Reach::Model;
    cut.has_pairs && cut.safety == Safety::Nothing && read
}

/// Whether nothing is to be said of a cut but that it may fall anywhere.
fn is_plain(cut: &Cut) -> bool {
    let by_choice = matches!(cut.means, Means::Filter | Means::Half | Means::Limit);
    !by_choice && !cut.carries_calls && cut.too_early.is_none() && cut.one_sided.is_none()
}

fn split_finding(facts: &Facts, split: &Split) -> Finding {
    let span = match split.at {
        SplitAt::Expr(at) => facts.span(at),
        SplitAt::Stmt(function, stmt) => facts.stmt_span(function, stmt),
    };
    let (message, because, help) = match split.kind {
        SplitKind::Escape(_) => (
            "a way leaves before every tool call of the message has its result",
            "the message with the calls is added here",
            "add a result for every call before this way leaves, one that says what went wrong if need be",
        ),
        SplitKind::Misaligned => (
            "one call is paired with all results: only the first result is stored, under each call's id",
            "the list has one element",
            "pair every result with its own call",
        ),
        SplitKind::Unrepaired => (
            "when a step fails, the history goes out without the repair of its tool pairs",
            "tool pairs are repaired here",
            "repair the history in the degraded path as well",
        ),
        SplitKind::OpenAtPrompt => (
            "a new prompt is added although the last message may still wait for results of its calls",
            "an interrupted turn leaves the calls of this message open",
            "answer the open calls of the last message before the new prompt is added",
        ),
        SplitKind::Unnamed => (
            match split.at {
                SplitAt::Expr(id) if facts.text(id).is_some_and(|id| id.is_empty()) => {
                    "the id of the call is empty: the result belongs to no call of the model"
                }
                _ => "the id of the call is a word of the program: the result belongs to no call of the model",
            },
            "the result is made here",
            "hand the id of the call on to where its result is made",
        ),
        SplitKind::Abandoned => (
            "calls that wait for their turn are thrown away without a result",
            "the conversation goes on here",
            "add a result for every call that is dropped, one that says that it was cancelled",
        ),
        SplitKind::Unanswered => (
            "a stored call gets a result only where it gave one: a call that was cancelled stays without any",
            "the message with the calls is added here",
            "add a result in the other case as well, one that says that the call gave nothing",
        ),
    };
    // What a degraded way leaves out is asked about there; the pair is what is lost by it.
    let degraded = split.kind == SplitKind::Unrepaired;
    let named = if degraded {
        &rule::CUT_WITHOUT_SUMMARY
    } else {
        &rule::SPLIT_TOOL_PAIR
    };
    let mut finding = Finding::at(named, Witness::Code, span, message);
    if degraded {
        finding.also.push(&rule::SPLIT_TOOL_PAIR);
    }
    finding.confidence = split.confidence;
    finding.related.push(Related {
        span: facts.span(split.because),
        message: because.to_owned(),
    });
    finding.help = Some(help.to_owned());
    finding.counterexample = Some(story(Left::WithoutOneResult));
    finding
}

fn cut_finding(facts: &Facts, cut: &Cut) -> Finding {
    let (at, message, related) = if let Some((repair, call)) = cut.too_early {
        let related = vec![
            (repair, "tool pairs are repaired here, before the cut"),
            (cut.site, "and cut here"),
        ];
        (
            call,
            "tool pairs are repaired before the history is cut, so the cut can separate them again",
            related,
        )
    } else if let Some(repair) = cut.one_sided {
        let related = vec![(cut.site, "the history is cut here")];
        (
            repair,
            "only one half of the separated tool pairs is dropped behind the cut",
            related,
        )
    } else {
        let message = match cut.means {
            Means::Half => "results of tools are dropped while the messages with their calls stay",
            _ if cut.carries_calls => {
                "calls are carried over the cut without looking which of them the kept results answer"
            }
            Means::Filter => "messages are dropped one by one, so a tool call may lose its result or a result its call",
            _ => "the cut may separate a tool call from its result",
        };
        let at = cut.at;
        let related = if at == cut.site {
            Vec::new()
        } else {
            vec![(cut.site, "the history is cut here")]
        };
        (at, message, related)
    };
    let mut finding = Finding::at(&rule::SPLIT_TOOL_PAIR, Witness::Code, facts.span(at), message);
    finding.confidence = cut.confidence;
    for (at, message) in related {
        finding.related.push(Related {
            span: facts.span(at),
            message: message.to_owned(),
        });
    }
    finding.help = Some(
        "decision matrix, row `history over budget`: cut where a turn begins, or drop results without a call and calls without a result after the cut"
            .to_owned(),
    );
    finding.counterexample = Some(story(match cut.means {
        Means::Filter => Left::WithoutOneCall,
        _ => Left::Result,
    }));
    finding
}
