//! Who gets what a cut leaves: a model, the durable history, a caller outside the project, or nobody
//! that matters.

use rustc_hash::FxHashSet;

use super::Reach;
use crate::code::facts::{Applied, Composed, Facts, Update};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{ExprKind, Intrinsic};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Field, Fold, Purpose, Strength};

/// Where the kept messages go.
#[derive(Clone, Debug, Default)]
pub(super) struct Goes {
    /// The farthest that matters.
    pub(super) reach: Reach,
    /// Where they are written into the durable history.
    pub(super) written: Vec<ExprRef>,
    /// Where they are joined with other messages.
    pub(super) joined: Vec<ExprRef>,
    /// The messages that are put behind them, each with the list that holds both.
    pub(super) behind: Vec<(ExprRef, ExprRef)>,
}

/// Follows the kept messages; `remade` is whether one that is made anew of the content of a kept one counts
/// as that.
pub(super) fn goes(facts: &Facts, starts: &[Node], ignored: &FxHashSet<ExprRef>, remade: bool) -> Goes {
    goes_around(facts, starts, ignored, remade, &[])
}

/// The same, as if some lists were not made.
pub(super) fn goes_around(
    facts: &Facts,
    starts: &[Node],
    ignored: &FxHashSet<ExprRef>,
    remade: bool,
    lists: &[ExprRef],
) -> Goes {
    let mut found = Goes::default();
    for start in starts {
        let reached = reach(
            &facts.graph,
            *start,
            Direction::Forward,
            |flow, via, held, next| match flow {
                _ if facts.graph.as_expr(next).is_some_and(|at| lists.contains(&at)) => false,
                // An update that the reducer ignores cuts nothing.
                Flow::Store(_) => facts.graph.as_expr(next).is_none_or(|at| !ignored.contains(&at)),
                Flow::Text | Flow::Test | Flow::Length | Flow::Position | Flow::Select => false,
                Flow::Opaque => !via.opaque && held.is_empty() && !via.element,
                Flow::Part(Part::Map) => remade || !makes_anew(facts, next),
                // One element is no list any more, unless it goes into another list as it is.
                Flow::Load(symbol) => {
                    !held.is_empty()
                        || remade
                            && via.element
                            && facts.vocabulary.field(facts.graph.symbol_name(symbol)) == Some(Field::Content)
                }
                _ => true,
            },
        );
        for one in &reached {
            let before = one.previous.map(|at| &reached[at as usize]);
            end(facts, one, before, ignored, &mut found);
        }
    }
    found.written.sort_unstable();
    found.written.dedup();
    found.joined.sort_unstable();
    found.joined.dedup();
    found
}

/// The updates that are folded by id and remove nothing: whatever is missing from them stays.
pub(super) fn ignored_updates(facts: &Facts) -> FxHashSet<ExprRef> {
    let merged = facts
        .updates()
        .iter()
        .filter(|update| update.applied == Applied::Fold(Fold::MergeById));
    let without_effect = |update: &&Update| {
        !facts
            .composition(update.messages, &update.key)
            .iter()
            .any(Composed::removes)
    };
    merged.filter(without_effect).map(|update| update.expr).collect()
}

/// Whether a list holds new messages without calls, one for each message of another list.
fn makes_anew(facts: &Facts, list: Node) -> bool {
    let made = facts.graph.as_expr(list).and_then(|list| match facts.kind(list) {
        ExprKind::Comprehension { element, .. } => facts.construction(facts.beside(list, *element)),
        _ => None,
    });
    made.is_some_and(|made| made.base.is_none() && made.field(facts, |field| field == Field::ToolCall).is_none())
}

fn end(facts: &Facts, one: &Reached, before: Option<&Reached>, ignored: &FxHashSet<ExprRef>, found: &mut Goes) {
    if one.via.text {
        return;
    }
    match facts.graph.origin(one.node) {
        Origin::Expr(at) => expression(facts, *at, one, ignored, found),
        Origin::Result(function) => {
            // The list itself, or another one with its elements.
            let items = one.held.iter().filter(|held| matches!(held, Held::Item)).count();
            let called = !facts.project.callers_of(*function).is_empty();
            if items == usize::from(one.via.element) && !called && !one.via.opaque {
                found.reach = found.reach.max(Reach::Returned);
            }
        }
        origin @ (Origin::Field(..) | Origin::Slot(..))
            if one.held.is_empty()
                // One message of it, or what that says, is no history.
                && !one.via.element
                // What is read back from a container that was handed on is written nowhere.
                && before.is_none_or(|before| before.held.is_empty())
                && !one.via.opaque
                && facts.histories().confidence(one.node).is_some()
                && !matches!(origin, Origin::Slot(holder, _) if is_record(facts, *holder)) =>
        {
            found.reach = found.reach.max(Reach::Durable);
        }
        _ => {}
    }
}

/// Whether a value is a dictionary that is made to tell something, and kept nowhere.
fn is_record(facts: &Facts, holder: Node) -> bool {
    let behind = reach(&facts.graph, holder, Direction::Backward, |flow, _, held, _| {
        held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_))
    });
    let mut displays = Vec::new();
    for one in &behind {
        match facts.graph.origin(one.node) {
            Origin::Expr(at) => match facts.kind(*at) {
                ExprKind::Dict(_) => displays.push(one.node),
                ExprKind::Name(_) | ExprKind::Await(_) => {}
                ExprKind::Call { idiom: None, .. } if !facts.project.callees_of(*at).is_empty() => {}
                _ => return false,
            },
            Origin::Result(_) => {}
            Origin::Variable(function, _) if function.function.0 != 0 => {}
            _ => return false,
        }
    }
    let kept = |display: &Node| {
        let onward = reach(&facts.graph, *display, Direction::Forward, |flow, _, _, _| {
            matches!(
                flow,
                Flow::Same | Flow::Into | Flow::Store(_) | Flow::Enter(_) | Flow::Leave(_)
            )
        });
        onward.iter().any(|one| match facts.graph.origin(one.node) {
            Origin::Field(..) => true,
            Origin::Variable(function, _) => function.function.0 == 0,
            Origin::Expr(at) => is_handed_out(facts, *at),
            _ => false,
        })
    };
    !displays.is_empty() && !displays.iter().any(kept)
}

/// Whether an expression is given to a call that nobody sees into.
fn is_handed_out(facts: &Facts, at: ExprRef) -> bool {
    let Some(call) = facts.graph.around(at) else {
        return false;
    };
    match facts.kind(call) {
        ExprKind::Call {
            callee,
            args,
            idiom: None,
        } => {
            *callee != at.expr
                && args.iter().any(|arg| arg.value == at.expr)
                && facts.project.callees_of(call).is_empty()
        }
        _ => false,
    }
}

fn expression(facts: &Facts, at: ExprRef, one: &Reached, ignored: &FxHashSet<ExprRef>, found: &mut Goes) {
    let whole = one.held.is_empty() && !one.via.element;
    if whole
        && !one.via.opaque
        && let Some(update) = facts.update_with(at)
    {
        match update.applied {
            _ if ignored.contains(&update.expr) => {}
            Applied::Fold(_) | Applied::Replace => {
                found.written.push(at);
                found.reach = found.reach.max(Reach::Durable);
            }
            Applied::CallOnly => found.reach = found.reach.max(Reach::Model),
            Applied::Unknown => found.reach = found.reach.max(Reach::Returned),
        }
    }
    if whole && let Some(outer) = facts.graph.around(at) {
        let joins = match facts.kind(outer) {
            ExprKind::Binary { right, .. } => {
                if let ExprKind::List { items, .. } = facts.kind(facts.beside(outer, *right)) {
                    found
                        .behind
                        .extend(items.iter().map(|item| (facts.beside(outer, item.value), outer)));
                }
                true
            }
            ExprKind::List { items, .. } => {
                let mut rest = items.iter().skip_while(|item| !item.spread || item.value != at.expr);
                let joins = rest.next().is_some();
                found
                    .behind
                    .extend(rest.map(|item| (facts.beside(outer, item.value), outer)));
                joins
            }
            // `xs.append(message)`
            ExprKind::Attribute { .. } => {
                if let Some(call) = facts.graph.around(outer)
                    && let ExprKind::Call { idiom: Some(idiom), .. } = facts.kind(call)
                    && let (Intrinsic::Append, [list, message]) = (idiom.op, &idiom.operands[..])
                    && *list == at.expr
                {
                    found.behind.push((facts.beside(call, *message), at));
                }
                false
            }
            _ => false,
        };
        if joins && !one.via.opaque {
            found.joined.push(outer);
        }
    }
    let Some(call) = facts.graph.around(at) else { return };
    let Some((callee, args)) = facts.call(call) else { return };
    if callee == at {
        return;
    }
    let Some(path) = facts.path(callee) else { return };
    let here = facts.frameworks(call.module);
    if whole && facts.vocabulary.is_overwrite(&path) {
        found.written.push(call);
        found.reach = found.reach.max(Reach::Durable);
        return;
    }
    let argument = args.iter().find(|arg| arg.value == at.expr);
    if let Some(model) = facts.vocabulary.model_call(&path, here) {
        let sends = model.messages.find(args) == Some(at.expr);
        // `create(**payload)`
        let spread = argument.is_some_and(|arg| arg.spread) && keyed(facts, one, &model.messages.keywords);
        let by_name = argument.is_some_and(|arg| {
            arg.name
                .as_deref()
                .is_some_and(|name| facts.vocabulary.history_name(name).is_some())
        });
        let receiver = path.rsplit_once('.').is_some_and(|(receiver, _)| {
            let last = receiver.rsplit('.').next().unwrap_or(receiver);
            facts.vocabulary.model_receiver(last).is_some()
        });
        let sure = model.strength == Strength::Strong || by_name || receiver;
        if (sends || spread) && sure && is_messages(facts, one) {
            found.reach = found.reach.max(Reach::Model);
        }
        return;
    }
    if facts.vocabulary.is_call_only_method(&path, here) && whole {
        found.reach = found.reach.max(Reach::Model);
        return;
    }
    let named = argument.and_then(|arg| arg.name.as_deref());
    // `agent.run_turn(chat_history=…)`
    let by_history_name = named.is_some_and(|name| facts.vocabulary.history_name(name) == Some(Strength::Strong));
    if whole && by_history_name && facts.vocabulary.runs_model_holder(&path) {
        found.reach = found.reach.max(Reach::Model);
        return;
    }
    // `UpdateThread(message_ids=…)`, `threads.update(messages=…)`.
    if whole
        && facts.project.callees_of(call).is_empty()
        && named.is_some_and(|name| facts.vocabulary.names_kept_messages(name))
        && facts.vocabulary.is_update_name(&path)
    {
        found.reach = found.reach.max(Reach::Durable);
        return;
    }
    if let Some(store) = facts.vocabulary.store(&path, here)
        && store.messages.find(args) == Some(at.expr)
        && whole
    {
        found.reach = found.reach.max(Reach::Durable);
    }
}

/// Whether what is held is a list of messages, or a state with one.
fn is_messages(facts: &Facts, one: &Reached) -> bool {
    if one.via.opaque {
        return one.held.is_empty();
    }
    one.held.iter().all(|held| match held {
        Held::Item => true,
        Held::Field(symbol) => {
            let name = facts.graph.symbol_name(*symbol);
            name.starts_with('#')
                || facts.vocabulary.history_name(name).is_some()
                || facts.vocabulary.field(name) == Some(Field::Content)
        }
    })
}

fn keyed(facts: &Facts, one: &Reached, keywords: &[String]) -> bool {
    matches!(one.held.last(), Some(Held::Field(symbol)) if keywords.iter().any(|word| word == facts.graph.symbol_name(*symbol)))
}

/// Whether the names around a cut say that nobody but a person, a log or a router reads it.
pub(super) fn is_window_for_others(facts: &Facts, site: ExprRef, list: ExprRef, reach: Reach) -> bool {
    let function = facts.project.function(facts.owner(site));
    let mut purposes = facts.vocabulary.purposes(&function.name).to_vec();
    let paths = facts.paths.function(facts.owner(site));
    if let Some(stmt) = paths.stmt_of(site.expr)
        && let crate::code::ir::StmtKind::Assign { targets, .. } = &paths.stmt(stmt).kind
    {
        for target in targets {
            if let ExprKind::Name(name) = facts.kind(facts.beside(site, *target)) {
                // What goes into a summary is what is taken out; what stays is cut elsewhere.
                if facts.vocabulary.is_summarized_name(name) {
                    return true;
                }
                purposes.extend_from_slice(&facts.vocabulary.purposes(name));
            }
        }
    }
    // What the list itself is called says nothing about what the rest of it is for.
    let mut whole = list;
    while let ExprKind::Slice { base, .. } = facts.kind(whole) {
        whole = facts.beside(whole, *base);
    }
    if let ExprKind::Name(name) | ExprKind::Attribute { name, .. } = facts.kind(whole) {
        let own = facts.vocabulary.purposes(name);
        purposes.retain(|purpose| !own.contains(purpose));
    }
    let shown = purposes
        .iter()
        .any(|purpose| matches!(purpose, Purpose::Title | Purpose::Display | Purpose::Routing));
    let noted = purposes.contains(&Purpose::Record);
    shown || noted && reach <= Reach::Returned
}
