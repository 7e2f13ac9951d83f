//! `map`: the places of a project that put something into a history or change it.

use rustc_hash::FxHashSet;

use super::facts::{Applied, Durability, Facts, Keeper, Keeps, Pick, Position, Reach, UseKind};
use super::flow::paths::Guard;
use super::project::ExprRef;
use super::vocabulary::{Effect, Fold, Role, Runs};
use crate::finding::{Confidence, Span};

/// A place that puts something into a history or changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Where.
    pub span: Span,
    /// The function around it.
    pub function: String,
    /// What is done.
    pub does: Does,
    /// The role of the message that is made; none where it is not known or where none is made.
    pub role: Option<&'static str>,
    /// Where in the list.
    pub placement: &'static str,
    /// How long it stays.
    pub retention: &'static str,
    /// How often it happens, as far as that is known.
    pub frequency: Option<&'static str>,
    /// The innermost condition that it happens under.
    pub guard: Option<Condition>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Where it stands.
    pub span: Span,
    /// Whether it must hold, or must not.
    pub holds: bool,
    /// As written, in one line.
    pub text: String,
}

/// What a site does to a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    /// Puts a message into it.
    Inject,
    /// Changes a message that is in it.
    Edit,
    /// Gives a message the id of another one, which is emitted again.
    Swap,
    /// Removes a message by its id.
    Remove,
    /// Cuts it.
    Cut,
}

impl Does {
    /// As in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Inject => "inject",
            Self::Edit => "edit",
            Self::Swap => "id-swap",
            Self::Remove => "remove",
            Self::Cut => "cut",
        }
    }
}

/// All sites of a project in the order of the source; those of tests are left out. The texts of
/// conditions are the caller's to fill in.
pub(super) fn find(facts: &Facts) -> Vec<Site> {
    let mut sites = Vec::new();
    let swapped: FxHashSet<ExprRef> = facts.swaps().iter().map(|swap| swap.taker).collect();
    for made in facts.constructions() {
        let durability = facts.durability(made.expr);
        let placement = facts.placement(made.expr);
        let unknown = matches!(durability, Durability::Unknown);
        if unknown && placement.position == Position::Unknown && !swapped.contains(&made.expr) {
            continue;
        }
        let does = match () {
            () if swapped.contains(&made.expr) => Does::Swap,
            () if made.removal => Does::Remove,
            () => Does::Inject,
        };
        let placement = match (does, placement.position) {
            (Does::Swap, _) => "another message's place",
            (Does::Remove, _) => "by id",
            // A reducer puts what is new at the end, wherever it stands in the update.
            _ if is_folded(&durability) => "tail",
            (_, Position::Head) => "head",
            (_, Position::Tail) => "tail",
            (_, Position::Unknown) => "unknown",
        };
        // A hook that only changes what one call sends keeps nothing, whatever it hands on.
        let hook = facts.hook(facts.owner(made.expr)).and_then(|hook| hook.effect);
        let retention = match durability {
            Durability::Unknown if hook == Some(Effect::CallOnly) => "call-only",
            durability => retention(&durability),
        };
        sites.extend(site(facts, made.expr, does, made.role, placement, retention));
    }
    edits(facts, &mut sites);
    for cut in facts.cuts() {
        let kept = match cut.reach {
            Reach::Durable => "durable",
            Reach::Model => "call-only",
            Reach::Returned | Reach::Nowhere => "unknown",
        };
        let part = match cut.keeps {
            Keeps::Newest => "keeps the newest",
            Keeps::Oldest => "keeps the oldest",
            Keeps::Some => "keeps some",
        };
        sites.extend(site(facts, cut.site, Does::Cut, None, part, kept));
    }
    sites.sort_by(|one, other| (&one.span, one.does).cmp(&(&other.span, other.does)));
    sites.dedup_by(|one, other| one.span == other.span && one.does == other.does);
    sites
}

/// Messages that were found and are changed in place.
fn edits(facts: &Facts, sites: &mut Vec<Site>) {
    for scan in facts
        .scans()
        .iter()
        .filter(|scan| scan.confidence >= Confidence::Medium)
    {
        let place = match scan.pick {
            Pick::Oldest => "the first match",
            Pick::Newest => "the last match",
            Pick::Any => "a match",
        };
        for used in facts.uses_of_found(scan) {
            let at = match used.kind {
                UseKind::Edit { field } => field,
                UseKind::ReplaceIndex { by } => by,
                _ => continue,
            };
            sites.extend(site(facts, at, Does::Edit, None, place, "in place"));
        }
    }
}

fn site(
    facts: &Facts,
    at: ExprRef,
    does: Does,
    role: Option<Role>,
    placement: &'static str,
    retention: &'static str,
) -> Option<Site> {
    if facts.module(at.module).is_test {
        return None;
    }
    let function = facts.owner(at);
    Some(Site {
        span: facts.span(at),
        function: facts.project.function(function).name.to_string(),
        does,
        role: role.map(|role| match role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }),
        placement,
        retention,
        frequency: facts.runs(at).map(|runs| match runs {
            Runs::Import => "once a process",
            Runs::Construction => "once an object",
            Runs::Session => "once a session",
            Runs::Turn => "once a turn",
            Runs::Call => "each call",
            Runs::ToolCall => "each tool call",
        }),
        guard: guard(facts, at),
    })
}

fn is_folded(durability: &Durability) -> bool {
    matches!(durability, Durability::Durable(kept)
        if kept.iter().any(|kept| kept.applied == Some(Applied::Fold(Fold::MergeById))))
}

fn retention(durability: &Durability) -> &'static str {
    match durability {
        Durability::Durable(kept) => match kept.first().map(|kept| kept.keeper) {
            Some(Keeper::Update) => "durable: update",
            Some(Keeper::Store) => "durable: store",
            Some(Keeper::Object) => "durable: object",
            Some(Keeper::State) => "durable: state",
            Some(Keeper::Module) => "durable: module",
            Some(Keeper::Caller) => "durable: the caller's list",
            None => "durable",
        },
        Durability::CallOnly => "call-only",
        Durability::Unknown => "unknown",
    }
}

/// The innermost condition that an expression is evaluated under.
fn guard(facts: &Facts, at: ExprRef) -> Option<Condition> {
    let guards = facts.paths.function(facts.owner(at)).guards(at.expr);
    let Guard { cond, holds } = *guards.first()?;
    Some(Condition {
        span: facts.span(facts.beside(at, cond)),
        holds,
        text: String::new(),
    })
}
