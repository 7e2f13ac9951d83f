//! The first match of a search from the oldest message decides where something is put, or what is
//! asked.

use super::matrix;
use crate::code::counterexample::{Target, aimed_at_first, edited, note_at_first, question_ahead, repeated, swapped};
use crate::code::facts::{Construction, Facts, Pick, Scan, Use, UseKind, Yield};
use crate::code::flow::predicate::{Asks, Kinds, Predicate};
use crate::code::ir::{ExprKind, Name};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Field, Purpose, Role, Strength};
use crate::finding::{Confidence, Counterexample, Finding, Related, Severity, Witness};
use crate::mend::Mend;
use crate::rule;

/// Reports every search from the head whose match is attached to or asked.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let mut seen = Vec::new();
    for scan in facts.scans() {
        if scan.pick != Pick::Oldest || facts.is_test(scan.site) || seen.contains(&scan.site) {
            continue;
        }
        let wanted = wants(facts, scan);
        let setting = facts.setting_decided_by(scan);
        if let Some(at) = facts.question_put_ahead(scan) {
            seen.push(scan.site);
            findings.push(put_ahead(facts, scan, at));
            continue;
        }
        if wanted.is_none() && setting.is_none() || facts.is_only_match(scan) {
            continue;
        }
        if let Some(at) = setting
            && !facts.sought(scan).is_by_id()
        {
            seen.push(scan.site);
            let harm = Harm {
                kind: HarmKind::Setting,
                at,
                role: None,
                sure: true,
            };
            findings.push(report(facts, scan, Wants::Question, &harm, std::slice::from_ref(&harm)));
            continue;
        }
        let Some(wants) = wanted else { continue };
        let uses = facts.uses_of_found(scan);
        let mut harms: Vec<Harm> = uses
            .iter()
            .filter_map(|one| harm(facts, scan, wants, one, &uses))
            .collect();
        harms.sort_by_key(|harm| harm.kind);
        if let Some(worst) = harms.first() {
            seen.push(scan.site);
            findings.push(report(facts, scan, wants, worst, &harms));
        }
    }
}

/// What a search wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wants {
    /// A message of the person.
    Question,
    /// The oldest message, whatever it is.
    Anything,
    /// Something that is not understood.
    Unclear,
    /// The message with the call that has a given id.
    Caller,
}

/// What a search wants, where that may be a question of the person.
fn wants(facts: &Facts, scan: &Scan) -> Option<Wants> {
    let sought = facts.sought(scan);
    let by_call = sought.asks.has(Asks::CALL_ID | Asks::ROLE) && asks_role_field(facts, scan);
    if by_call && (scan.yields != Yield::Part || yields_id(facts, scan)) {
        return Some(Wants::Caller);
    }
    if sought.is_by_id() || sought.wants_marked() || !sought.accepts.meets(Kinds::AUTHORED) {
        return None;
    }
    if scan.conditions.is_empty() && scan.accepts.is_none() || sought.is_existence_only() {
        return Some(Wants::Anything);
    }
    if sought.is_user() {
        return Some(Wants::Question);
    }
    let unclear = sought.asks.meets(Asks::UNKNOWN) && sought.accepts == Kinds::ALL;
    unclear.then_some(Wants::Unclear)
}

/// Whether a search looks at a field that only messages have: blocks of content have ids of calls too.
fn asks_role_field(facts: &Facts, scan: &Scan) -> bool {
    let mut open: Vec<ExprRef> = scan.conditions.iter().map(|(cond, _)| *cond).collect();
    while let Some(expr) = open.pop() {
        if let ExprKind::Attribute { name, .. } = facts.kind(expr)
            && facts.vocabulary.field(name) == Some(Field::Role(Strength::Strong))
        {
            return true;
        }
        let children = facts.module(expr.module).children(expr.expr);
        open.extend(children.into_iter().map(|child| facts.beside(expr, child)));
    }
    false
}

/// Whether a search yields the id of the message.
fn yields_id(facts: &Facts, scan: &Scan) -> bool {
    scan.results.iter().all(|result| {
        facts.graph.as_expr(*result).is_some_and(|result| {
            matches!(facts.kind(result), ExprKind::Attribute { name, .. } if facts.vocabulary.field(name) == Some(Field::Id))
        })
    })
}

/// What is done with the match, gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum HarmKind {
    /// Its id goes to another message, and it is emitted again.
    Swap,
    /// It is emitted again with something in it, or edited in place.
    Rewrite,
    /// Something is inserted at its place.
    Insert,
    /// It is asked again at the tail.
    Repeat,
    /// It is looked up.
    LookUp,
    /// A model is asked it.
    Ask,
    /// It leaves the code as the current one.
    Current,
    /// It decides what is done to all messages.
    Setting,
    /// It is taken for the message with the call.
    Caller,
}

/// One harmful use.
struct Harm {
    kind: HarmKind,
    at: ExprRef,
    role: Option<Role>,
    sure: bool,
}

fn harm(facts: &Facts, scan: &Scan, wants: Wants, one: &Use, all: &[Use]) -> Option<Harm> {
    let place = |kind, at| {
        Some(Harm {
            kind,
            at,
            role: None,
            sure: true,
        })
    };
    if facts.is_test(one.at) || is_for_people(facts, one, wants) {
        return None;
    }
    if wants == Wants::Caller {
        return is_taken(one).then(|| place(HarmKind::Caller, one.at))?;
    }
    let found = match &one.kind {
        UseKind::Id(made) => {
            let made = facts.construction(*made).filter(|made| !made.removal)?;
            is_kept(facts, made).then_some(())?;
            let kind = if repeats_under_other_id(facts, made, all) {
                HarmKind::Swap
            } else {
                HarmKind::Rewrite
            };
            (wants != Wants::Anything || kind == HarmKind::Swap).then_some(())?;
            Some(Harm {
                kind,
                at: made.expr,
                role: made.role,
                sure: true,
            })
        }
        UseKind::Base(made) => {
            let made = facts.construction(*made)?;
            (wants == Wants::Question && made.content.is_some() && is_kept(facts, made)).then_some(())?;
            place(HarmKind::Rewrite, made.expr)
        }
        // What holds for the whole conversation may stand at its head.
        UseKind::Edit { field }
            if wants == Wants::Question && !facts.writes_standing_text(*field) && !facts.blots_out(scan, *field) =>
        {
            place(HarmKind::Rewrite, *field)
        }
        UseKind::ReplaceIndex { by } if wants == Wants::Question => place(HarmKind::Rewrite, *by),
        UseKind::InsertIndex { by } if wants == Wants::Question => place(HarmKind::Insert, *by),
        UseKind::Bound { slice }
            if wants == Wants::Question && (one.via.position || scan.yields == Yield::Position) =>
        {
            let meets = all.iter().any(|other| {
                matches!(&other.kind, UseKind::Bound { slice: second } if facts.is_split_around(*slice, *second))
            });
            meets.then(|| place(HarmKind::Insert, *slice))?
        }
        UseKind::Content(made) => {
            let made = facts.construction(*made)?;
            (wants == Wants::Question && !one.via.opaque && is_alone(facts, one)).then_some(())?;
            repeat(facts, made, one)
        }
        UseKind::Query { call } if wants != Wants::Unclear && is_content(facts, scan, one) => {
            let sure = !is_meant(facts, one);
            Some(Harm {
                kind: HarmKind::LookUp,
                at: *call,
                role: None,
                sure,
            })
        }
        UseKind::ModelText { call } if wants == Wants::Question => {
            let sure = !is_meant(facts, one);
            Some(Harm {
                kind: HarmKind::Ask,
                at: *call,
                role: None,
                sure,
            })
        }
        UseKind::Result(_) | UseKind::Argument { .. } if wants != Wants::Unclear => {
            let content = !is_meant(facts, one) && is_content(facts, scan, one);
            let named = match wants {
                // What is merely the first of a list must be called the current one itself.
                Wants::Anything => one.names.get(..1).unwrap_or_default(),
                _ => &one.names,
            };
            let current = content
                && is_alone(facts, one)
                && (has_purpose(facts, named, Purpose::Current)
                    || wants == Wants::Question && is_given_with_newest(facts, scan, &one.kind));
            current.then_some(())?;
            place(HarmKind::Current, one.at)
        }
        _ => None,
    }?;
    // Past this point the walk is dear: what was tested on the way.
    let tested = facts.tested(&one.way);
    if !tested.accepts.meets(Kinds::AUTHORED) || facts.is_first_turn(one) {
        return None;
    }
    let asked = if found.kind == HarmKind::Current {
        tested.is_user()
    } else {
        is_question_at_head(facts, scan, tested, one)
    };
    if wants == Wants::Anything && !asked {
        return None;
    }
    let asks = matches!(found.kind, HarmKind::Repeat | HarmKind::Ask);
    if asks && is_beside_newest(facts, scan, &one.kind) {
        return None;
    }
    Some(found)
}

/// Whether the content of the match is what is used.
fn is_content(facts: &Facts, scan: &Scan, one: &Use) -> bool {
    match one.via.load {
        Some(field) => facts.vocabulary.field(facts.graph.symbol_name(field)) == Some(Field::Content),
        None => scan.yields == Yield::Part,
    }
}

/// The oldest message of a list may be a system message or a summary; it counts as a question only
/// where nothing says so, and the list is not known to start otherwise.
fn is_question_at_head(facts: &Facts, scan: &Scan, tested: Predicate, one: &Use) -> bool {
    // Far from the list, what is at its head is anybody's guess; an id that is taken is sure.
    let function = facts.owner(scan.site);
    let near = one.way.iter().all(|expr| facts.owner(*expr) == function);
    let sure = near || matches!(one.kind, UseKind::Id(_));
    sure && (tested.is_user() || !facts.head_is_fixed(scan.list) && !facts.names_prefix(&one.names))
}

/// Whether something is done with the message that was found, beside asking whether it is there.
fn is_taken(one: &Use) -> bool {
    match one.kind {
        UseKind::Condition => one.via.load.is_some(),
        UseKind::Edit { .. }
        | UseKind::Base(_)
        | UseKind::Id(_)
        | UseKind::ReplaceIndex { .. }
        | UseKind::InsertIndex { .. }
        | UseKind::Result(_)
        | UseKind::Argument { .. } => true,
        _ => false,
    }
}

/// A title, a line on a screen, a note in a log.
fn is_for_people(facts: &Facts, one: &Use, wants: Wants) -> bool {
    let owner = facts.project.function(facts.owner(one.at));
    // Whoever handles calls in a class for a screen does not show them there.
    let class = owner.class.filter(|_| wants != Wants::Caller);
    let class = class.map(|class| &facts.module(one.at.module).class(class).name);
    let names = one.names.iter().chain([&owner.name]).chain(class);
    names.into_iter().any(|name| {
        let purposes = facts.vocabulary.purposes(name);
        [Purpose::Title, Purpose::Display, Purpose::Record]
            .iter()
            .any(|purpose| purposes.contains(purpose))
    })
}

fn has_purpose(facts: &Facts, names: &[Name], purpose: Purpose) -> bool {
    names
        .iter()
        .any(|name| facts.vocabulary.purposes(name).contains(&purpose))
}

/// Whether what is asked holds the newest question as well.
fn is_beside_newest(facts: &Facts, scan: &Scan, asked: &UseKind) -> bool {
    let tail = facts
        .scans()
        .iter()
        .filter(|other| other.pick == Pick::Newest && other.site.module == scan.site.module);
    tail.into_iter()
        .any(|other| facts.uses_of_found(other).iter().any(|one| one.kind == *asked))
}

/// Whether a call is given the newest message of the same list as well.
fn is_given_with_newest(facts: &Facts, scan: &Scan, given: &UseKind) -> bool {
    let same = |other: &&Scan| {
        other.pick == Pick::Newest
            && other.site.module == scan.site.module
            && facts.histories().same(facts.node(other.list), facts.node(scan.list))
    };
    matches!(given, UseKind::Argument { .. })
        && facts.scans().iter().filter(same).any(|other| {
            let uses = facts.uses_of_found(other);
            uses.iter().any(|one| one.kind == *given && is_alone(facts, one))
        })
}

/// Whether the names say that the oldest question is meant.
fn is_meant(facts: &Facts, one: &Use) -> bool {
    has_purpose(facts, &one.names, Purpose::Origin) || has_purpose(facts, &one.names, Purpose::Goal)
}

/// Whether a message that is made becomes part of a history, an update or a call.
fn is_kept(facts: &Facts, made: &Construction) -> bool {
    facts.becomes_part(made.expr)
}

/// Whether the match comes back as another message than the one that has its id.
fn repeats_under_other_id(facts: &Facts, taker: &Construction, uses: &[Use]) -> bool {
    facts.swaps().iter().any(|swap| swap.taker == taker.expr)
        && uses
            .iter()
            .any(|one| matches!(one.kind, UseKind::Content(made) | UseKind::Base(made) if made != taker.expr))
}

/// A new message with the content of the match: harmful as the last one, and where it is not an old
/// goal kept beside a tail that was cut.
fn repeat(facts: &Facts, made: &Construction, one: &Use) -> Option<Harm> {
    let same_id = made.id.is_some_and(|id| one.way.contains(&id));
    if same_id || made.is_tool_result(facts) || made.role == Some(Role::Assistant) {
        return None;
    }
    let places = facts
        .uses(facts.node(made.expr))
        .into_iter()
        .filter_map(|put| match put.kind {
            UseKind::Element { by } if put.via.load.is_none() && !put.via.text => Some((by, facts.place(put.at, by))),
            _ => None,
        });
    let (by, place) = places.into_iter().find(|(_, place)| place.last)?;
    if place.beside_part || has_purpose(facts, &one.names, Purpose::Goal) {
        return None;
    }
    let alone = facts.is_alone(by);
    if alone && made.role == Some(Role::System) {
        return None;
    }
    Some(Harm {
        kind: if alone { HarmKind::Ask } else { HarmKind::Repeat },
        at: made.expr,
        role: made.role,
        sure: !alone || !is_meant(facts, one),
    })
}

fn report(facts: &Facts, scan: &Scan, wants: Wants, worst: &Harm, all: &[Harm]) -> Finding {
    let what = match wants {
        Wants::Anything => "the oldest message",
        Wants::Caller => "the first message with a call of this id",
        Wants::Question | Wants::Unclear => "the first matching message",
    };
    let belief = match worst.kind {
        HarmKind::Swap => {
            "gives its id away and comes back behind the current question: the model will believe that it is asked the \
             oldest question again"
        }
        HarmKind::Rewrite => {
            "is rewritten: the model will believe that what was added belongs to the oldest question, not to the current one"
        }
        HarmKind::Insert => {
            "is where something is inserted: the model will believe that it belongs to the oldest question, not to the \
             current one"
        }
        HarmKind::Repeat => {
            "is repeated behind the current question: the model will believe that it is asked the oldest question again"
        }
        HarmKind::LookUp => {
            "is what is looked up: the model will believe that what was found for the oldest question answers the current one"
        }
        HarmKind::Ask => "is what the model is asked: it will believe that the oldest question is the current one",
        HarmKind::Current => {
            "is handed on as the current question: the model will believe that the oldest question is asked now"
        }
        HarmKind::Setting => {
            "decides what is done to all of them: the model will read newer messages as if they were like the oldest one, \
             and the decision changes when that one is cut away"
        }
        HarmKind::Caller => {
            "is taken for the newest one: where ids repeat from turn to turn, the model will believe that an old call is \
             the one that was just answered"
        }
    };
    let message = format!("{what} of the history {belief}");
    let mut finding = Finding::at(&rule::HEAD_SCAN_ATTACH, Witness::Code, facts.span(scan.site), message);
    let sure = if worst.sure { Confidence::High } else { Confidence::Low };
    let clear = if wants == Wants::Question {
        Confidence::High
    } else {
        Confidence::Medium
    };
    finding.confidence = scan.confidence.min(sure).min(clear);
    finding.label = Some("this search starts at the oldest message".to_owned());
    let mut listed = Vec::new();
    for harm in all {
        let place = facts.span(harm.at);
        if !listed.contains(&place) {
            listed.push(place.clone());
            finding.related.push(Related {
                span: place,
                message: use_text(harm.kind).to_owned(),
            });
        }
    }
    let row = match worst.kind {
        HarmKind::Swap | HarmKind::Insert | HarmKind::Rewrite => format!("{}; {}", matrix::STATE, matrix::EVENT),
        _ => "search from the newest message, and make sure that the match belongs to the current turn".to_owned(),
    };
    finding.help = Some(row);
    finding.counterexample = Some(example(facts, worst));
    // What stands at a fixed place was not searched for: nobody knows what is meant instead.
    // The head of a list that was turned is its newest message.
    if scan.constant.is_none() && scan.list.module == scan.site.module && !facts.is_turned(scan.list) {
        finding.mend = Some(Mend::SearchFromTail {
            search: facts.span(scan.site),
            list: facts.span(scan.list),
        });
    }
    finding
}

/// The newest question, put in where a search from the head stopped.
fn put_ahead(facts: &Facts, scan: &Scan, at: ExprRef) -> Finding {
    let message = "the newest question is put where a search from the oldest message stops: the model will believe that what \
                   stands behind it, a summary of older turns too, was said after it";
    let mut finding = Finding::at(&rule::HEAD_SCAN_ATTACH, Witness::Code, facts.span(at), message);
    finding.severity = Severity::Warn;
    finding.confidence = scan.confidence.min(Confidence::Medium);
    finding.label = Some("the newest question is inserted here".to_owned());
    finding.related.push(Related {
        span: facts.span(scan.site),
        message: "this search starts at the oldest message".to_owned(),
    });
    finding.help = Some(
        "put the question back at the tail, or right before the messages of its own turn, found by a search from there"
            .to_owned(),
    );
    finding.counterexample = Some(question_ahead());
    finding
}

/// Whether a message went through no other list: what did is a transcript, not this one message.
fn is_alone(facts: &Facts, one: &Use) -> bool {
    let mut way = one.way.iter();
    !way.any(|expr| facts.histories().confidence(facts.node(*expr)).is_some())
}

fn use_text(kind: HarmKind) -> &'static str {
    match kind {
        HarmKind::Swap => "its id is taken here",
        HarmKind::Rewrite => "it is rewritten here",
        HarmKind::Insert => "something is inserted next to it here",
        HarmKind::Repeat => "it is asked again here",
        HarmKind::LookUp => "it is looked up here",
        HarmKind::Ask => "the model is asked it here",
        HarmKind::Current => "it is handed on here",
        HarmKind::Setting => "all messages are changed alike here",
        HarmKind::Caller => "it is used here",
    }
}

fn example(facts: &Facts, harm: &Harm) -> Counterexample {
    match harm.kind {
        HarmKind::Swap => {
            let swap = facts.swaps().iter().find(|swap| swap.taker == harm.at);
            let suffix = swap.and_then(|swap| swap.suffix.as_deref()).unwrap_or("__again");
            swapped(Target::Oldest, harm.role.unwrap_or(Role::User), suffix)
        }
        HarmKind::Rewrite => edited(),
        HarmKind::Insert => note_at_first(Role::System),
        HarmKind::Repeat => repeated(),
        HarmKind::LookUp | HarmKind::Ask | HarmKind::Current | HarmKind::Setting | HarmKind::Caller => aimed_at_first(),
    }
}
