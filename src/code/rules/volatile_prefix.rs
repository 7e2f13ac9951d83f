//! `volatile-prefix`: a value that changes between calls stands before the history.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::code::facts::{Cause, Facts, Prefix, PrefixPart, Source};
use crate::code::ir::ExprKind;
use crate::code::project::{ExprRef, ModuleIx};
use crate::code::vocabulary::{Granularity, Runs};
use crate::finding::{Confidence, Finding, Related, Severity, Witness};
use crate::mend::Mend;
use crate::rule;

/// Through how many files a value is followed with some certainty.
const FAR: usize = 5;

/// Adds what it finds.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut places: FxHashMap<ExprRef, Vec<Seen>> = FxHashMap::default();
    for prefix in facts.prefixes() {
        if prefix.part == PrefixPart::CacheKey
            && let Some(history) = facts.whole_history_in(prefix.node)
        {
            findings.extend(growing_key(facts, prefix, history));
            continue;
        }
        let sources = facts.volatile_sources(prefix.node);
        if sources.is_empty() || facts.is_folded(prefix) {
            continue;
        }
        let ours = |source: &Source| prefix.made_in.is_none_or(|function| facts.owner(source.at) == function);
        for source in sources.into_iter().filter(ours) {
            if let Some(seen) = judge(facts, prefix, source) {
                places.entry(place(facts, prefix, &seen.source)).or_default().push(seen);
            }
        }
    }
    findings.extend(places.into_iter().filter_map(|(at, seen)| report(facts, at, seen)));
}

/// A changing value in a prefix, and how bad that is.
struct Seen<'f> {
    prefix: &'f Prefix,
    source: Source,
    runs: Option<Runs>,
    severity: Severity,
}

fn judge<'f>(facts: &Facts, prefix: &'f Prefix, source: Source) -> Option<Seen<'f>> {
    // What the message was given when it was made is stored with it.
    let elsewhere = |content| facts.owner(content) != facts.owner(source.at);
    if prefix.part == PrefixPart::Stored && prefix.enters.is_none_or(elsewhere) {
        return None;
    }
    // What is read out of another message is what was true when that was made; whether that one stands in
    // a prefix is its own question.
    if prefix.part == PrefixPart::System && source.way.iter().any(|expr| facts.is_said_by_other(*expr, prefix)) {
        return None;
    }
    let known = facts.renewed(&source.way);
    // What is handed to the object that will call the model is read when that is made.
    let runs = known.or(prefix.kept.then_some(Runs::Construction));
    // The surroundings of the process decide many things that are no text of a prompt.
    let of_process = matches!(
        source.cause,
        Cause::WorkingDirectory | Cause::Git | Cause::FileListing | Cause::Machine
    );
    if of_process && !prefix.sure {
        return None;
    }
    let per_call = runs.is_none_or(|runs| runs >= Runs::Turn);
    // An id that an object was given when it was made is the same for every call of its conversation.
    let stored = || {
        let mut way = source.way.iter();
        way.any(|expr| matches!(facts.kind(*expr), ExprKind::Attribute { .. }))
    };
    if prefix.part == PrefixPart::CacheKey && source.cause == Cause::Random && stored() {
        return None;
    }
    if source.way.iter().any(|at| facts.fills_missing_id(*at)) {
        return None;
    }
    let severity = match source.cause {
        Cause::Counter | Cause::Lookup | Cause::Message if !per_call => return None,
        Cause::Random | Cause::Counter | Cause::Lookup | Cause::Message | Cause::Machine if per_call => Severity::Error,
        Cause::Random | Cause::WorkingDirectory | Cause::Machine => Severity::Warn,
        _ => match (per_call, source.granularity) {
            (true, Granularity::Exact | Granularity::Second) => Severity::Error,
            (true, Granularity::Day) => Severity::Info,
            (false, Granularity::Day) => return None,
            _ => Severity::Warn,
        },
    };
    let severity = if prefix.single { Severity::Info } else { severity };
    Some(Seen {
        prefix,
        source,
        runs,
        severity,
    })
}

/// Where the value becomes part of the text: the first expression on its way that puts it beside other
/// text or hands it to a function; at the head of a list, where the message enters that.
fn place(facts: &Facts, prefix: &Prefix, source: &Source) -> ExprRef {
    if prefix.part == PrefixPart::Head
        && let Some(enters) = prefix.enters
    {
        return enters;
    }
    // An id is one of a message where somebody reads it, and part of a prompt where it becomes text.
    let text = match source.cause {
        Cause::Message => facts.stands_in_text(&source.way),
        _ => None,
    };
    text.or_else(|| facts.joins_text(&source.way))
        .or(prefix.enters)
        .unwrap_or(source.at)
}

fn report(facts: &Facts, at: ExprRef, mut seen: Vec<Seen>) -> Option<Finding> {
    // Where one place is surely a prefix, what only a name says about another adds nothing.
    if seen.iter().any(|one| one.prefix.sure) {
        seen.retain(|one| one.prefix.sure);
    }
    let worst = seen
        .iter()
        .max_by_key(|one| (one.severity, std::cmp::Reverse(one.source.granularity), one.runs))?;
    let what = what(&worst.source);
    let where_to = where_to(worst.prefix.part);
    let how_often = how_often(worst);
    let message = format!("{what} stands in {where_to}: {how_often}");
    let mut finding = Finding::at(&rule::VOLATILE_PREFIX, Witness::Code, facts.span(at), message);
    finding.severity = worst.severity;
    finding.confidence = match (worst.prefix.sure, worst.source.sure && worst.runs.is_some()) {
        (true, true) => Confidence::High,
        (false, _) if is_far(&worst.source) => Confidence::Low,
        _ => Confidence::Medium,
    };
    finding.label = Some("enters the prefix here".to_owned());
    if worst.source.at != at {
        finding.related.push(Related {
            span: facts.span(worst.source.at),
            message: "read here".to_owned(),
        });
    }
    if let Some(enters) = worst.prefix.enters.filter(|enters| *enters != at) {
        finding.related.push(Related {
            span: facts.span(enters),
            message: format!("becomes part of {where_to}"),
        });
    }
    finding.help = Some(help(worst).to_owned());
    finding.mend = coarser(facts, at, worst, &seen);
    Some(finding)
}

/// Whether a value comes a long way: what only a name calls a prompt at the end of it is anything.
fn is_far(source: &Source) -> bool {
    let modules: FxHashSet<ModuleIx> = source.way.iter().map(|place| place.module).collect();
    modules.len() > FAR
}

/// A clock alone can tell the day instead, where it surely stands in a prompt and nowhere else.
fn coarser(facts: &Facts, at: ExprRef, worst: &Seen, seen: &[Seen]) -> Option<Mend> {
    let is_clock = |one: &Seen| one.source.cause == Cause::Clock || one.severity == Severity::Info;
    let in_prompt = worst.prefix.sure && worst.prefix.part == PrefixPart::System;
    if !in_prompt || worst.source.granularity == Granularity::Day || !seen.iter().all(is_clock) {
        return None;
    }
    let way = &worst.source.way;
    let clock = worst.source.at;
    let here = way.iter().take_while(|place| place.module == clock.module);
    // Where it stands in the text of a prompt it may be read as often as that.
    let joins = way.iter().position(|place| *place == at);
    let from = facts.used_once_from(&way[..joins.map_or(way.len(), |joins| joins + 1)]);
    Some(Mend::CoarsenClock {
        way: here.map(|place| facts.span(*place)).collect(),
        from,
    })
}

fn what(source: &Source) -> String {
    let unit = match source.granularity {
        Granularity::Exact => "fraction of a second",
        Granularity::Second => "second",
        Granularity::Minute => "minute",
        Granularity::Hour => "hour",
        Granularity::Day => "day",
    };
    match source.cause {
        Cause::Clock if source.granularity == Granularity::Day => "the date".to_owned(),
        Cause::Clock => format!("the time to the {unit}"),
        Cause::Age => format!("an age to the {unit}"),
        Cause::Random => "a random value".to_owned(),
        Cause::Lookup => "text looked up for the current question".to_owned(),
        Cause::Message => "the id of the message at hand".to_owned(),
        Cause::Counter => "a counter of the calls".to_owned(),
        Cause::WorkingDirectory => "the working directory".to_owned(),
        Cause::Git => "the state of version control".to_owned(),
        Cause::FileListing => "a listing of files".to_owned(),
        Cause::Machine => "the load of the machine".to_owned(),
        Cause::Editor => "what is open in the editor".to_owned(),
    }
}

fn where_to(part: PrefixPart) -> &'static str {
    match part {
        PrefixPart::System => "the system prompt",
        PrefixPart::Tools => "the tools",
        PrefixPart::Head => "a message at the head of the list",
        PrefixPart::Stored => "messages of earlier turns",
        PrefixPart::CacheKey => "the key of the prompt cache",
    }
}

fn how_often(seen: &Seen) -> &'static str {
    if seen.prefix.single {
        return "calls with this prompt share no cached prefix";
    }
    if seen.source.granularity == Granularity::Day && matches!(seen.source.cause, Cause::Clock | Cause::Age) {
        return "it is another one every day, and the cached prefix ends there";
    }
    match seen.runs {
        Some(Runs::Import) => "it is read once a process, and every process has a prefix of its own",
        Some(Runs::Construction | Runs::Session) => {
            "it is read once a session, and every session has a prefix of its own"
        }
        Some(Runs::Turn) => "it is read anew in every turn, and the cached prefix ends there",
        _ => "it is read anew for every call, and the cached prefix ends there",
    }
}

fn help(seen: &Seen) -> &'static str {
    match seen.runs {
        Some(Runs::Import | Runs::Construction | Runs::Session) => {
            "decision matrix, row `state`: keep the prefix constant; write the day only, or send the value in a message at the tail of the call"
        }
        _ => {
            "decision matrix, row `state`: keep the prefix constant and send what changes in a message at the tail of the call, or freeze it \
             for the session at the granularity of a day"
        }
    }
}

fn growing_key(facts: &Facts, prefix: &Prefix, history: ExprRef) -> Option<Finding> {
    let at = prefix.enters?;
    let message = "the key of the prompt cache is computed over the growing history: it is another one in every call";
    let mut finding = Finding::at(&rule::VOLATILE_PREFIX, Witness::Code, facts.span(at), message);
    finding.severity = Severity::Error;
    finding.confidence = Confidence::High;
    finding.label = Some("no call finds the prefix of the call before".to_owned());
    if !matches!(facts.kind(at), ExprKind::Name(_)) && history != at {
        finding.related.push(Related {
            span: facts.span(history),
            message: "the whole history".to_owned(),
        });
    }
    finding.help = Some("make the key of what stays: the session, the system prompt, the model".to_owned());
    Some(finding)
}
