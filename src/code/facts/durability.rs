//! Whether a message that the code makes stays in a history, or reaches one call only.
//!
//! A copy that is put back, or that shares a list with the history, is no copy: what counts is where
//! the list ends up that the message is put in.

#[cfg(test)]
mod tests;

use super::{Applied, Facts};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::paths::When;
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{ExprKind, Intrinsic, ListKind, StmtKind};
use crate::code::project::{ClassRef, ExprRef};
use crate::code::vocabulary::{Strength, last_segment};
use crate::finding::Confidence;

/// Where a message is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keeper {
    /// A reducer folds it into the history.
    Update,
    /// A store.
    Store,
    /// The list of an object that lives on.
    Object,
    /// The list of a state.
    State,
    /// A variable of a module.
    Module,
    /// The list of a caller that nobody here knows, changed in place.
    Caller,
}

/// A message that is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kept {
    /// By what.
    pub(crate) keeper: Keeper,
    /// The display, the call or the target that puts it in a list.
    pub(crate) enters: ExprRef,
    /// The update, the call of the store, or the same as `enters`.
    pub(crate) at: ExprRef,
    /// How it is applied, if it is an update.
    pub(crate) applied: Option<Applied>,
    /// Whether it came out of another history, elsewhere in the program, into this one.
    pub(crate) moved: bool,
}

/// What becomes of a message.
#[derive(Clone, Debug)]
pub(crate) enum Durability {
    /// It stays.
    Durable(Vec<Kept>),
    /// It reaches a call of the model and nothing else.
    CallOnly,
    /// Not known.
    Unknown,
}

impl Facts<'_> {
    /// What becomes of a message that is made.
    pub(crate) fn durability(&self, made: ExprRef) -> Durability {
        let reached = self.onward(made);
        let mut kept: Vec<Kept> = Vec::new();
        let mut sent = false;
        for (index, one) in reached.iter().enumerate() {
            sent |= self.is_given_to_model(one);
            let Some((keeper, at, applied)) = self.keeper(&reached, one) else {
                continue;
            };
            let enters = self.enters(&reached, index).unwrap_or(made);
            let at = at.unwrap_or(enters);
            if !kept.iter().any(|known| known.at == at && known.enters == enters) {
                kept.push(Kept {
                    keeper,
                    enters,
                    at,
                    applied,
                    moved: self.was_in_history(&reached, index, made),
                });
            }
        }
        // A hook that is given a copy keeps nothing in it.
        if self.changes_one_call(self.owner(made)) {
            kept.retain(|kept| !self.is_put_in_param(kept.enters) && !self.is_put_in_param(kept.at));
        }
        if !kept.is_empty() {
            kept.sort_by_key(|one| (one.keeper, one.at));
            return Durability::Durable(kept);
        }
        if sent {
            Durability::CallOnly
        } else {
            Durability::Unknown
        }
    }

    /// Whether a message was in a history outside the function that made it before it came into the list that
    /// it is in at the end of a way.
    fn was_in_history(&self, reached: &[Reached], index: usize, made: ExprRef) -> bool {
        let here = self.owner(made);
        let steps = std::iter::successors(Some(&reached[index]), |one| Some(&reached[one.previous? as usize]));
        steps
            .skip_while(|one| one.held.contains(&Held::Item))
            .filter(|one| one.held.contains(&Held::Item))
            .any(|one| {
                let outside = self.graph.as_expr(one.node).is_none_or(|at| self.owner(at) != here);
                outside
                    && self
                        .histories()
                        .confidence(one.node)
                        .is_some_and(|sure| sure >= Confidence::Medium)
            })
    }

    /// Whether a call puts something in what its function was given: `history.add(…)`.
    fn is_put_in_param(&self, call: ExprRef) -> bool {
        let params = &self.project.function(self.owner(call)).params;
        let mut at = call;
        loop {
            at = match self.kind(at) {
                ExprKind::Call { callee, .. } => self.beside(at, *callee),
                ExprKind::Attribute { base, .. } => self.beside(at, *base),
                ExprKind::Name(name) => return params.iter().any(|param| param.name == *name),
                _ => return false,
            };
        }
    }

    /// Every place that a message comes to, under another name or in a list.
    pub(super) fn onward(&self, made: ExprRef) -> Vec<Reached> {
        reach(
            &self.graph,
            self.node(made),
            Direction::Forward,
            |flow, _, held, _| match flow {
                Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Store(_) => true,
                Flow::Into => !held.contains(&Held::Item),
                Flow::Part(_) | Flow::Element | Flow::Load(_) => !held.is_empty(),
                _ => false,
            },
        )
    }

    /// What keeps the value of a node that was reached.
    fn keeper(&self, reached: &[Reached], one: &Reached) -> Option<(Keeper, Option<ExprRef>, Option<Applied>)> {
        let in_list = *one.held == [Held::Item];
        if !in_list && !one.held.is_empty() {
            return None;
        }
        let is_history = self
            .histories()
            .confidence(one.node)
            .is_some_and(|sure| sure >= Confidence::Medium);
        let changed = in_list && self.is_changed_in_place(reached, one);
        // What another package keeps in a dictionary is for that package to say.
        let is_ours = |keeper: &Keeper| *keeper != Keeper::State || !self.graph.crosses(reached[0].node, one.node);
        if let Origin::Expr(at) = self.graph.origin(one.node) {
            return self.keeping_expr(*at, in_list, is_history).or_else(|| {
                // Another name of a list that is kept: `xs = self.messages`, `xs.append(…)`.
                let names = reach(&self.graph, one.node, Direction::Backward, |flow, _, held, _| {
                    changed && held.is_empty() && flow == Flow::Same
                });
                let mut places = names
                    .iter()
                    .skip(1)
                    .filter_map(|name| self.keeping_place(name.node, false).filter(is_ours));
                places.next().map(|keeper| (keeper, None, None))
            });
        }
        let keeper = if in_list {
            self.keeping_place(one.node, changed).filter(is_ours)?
        } else {
            return None;
        };
        Some((keeper, None, None))
    }

    /// A place whose list lives on.
    fn keeping_place(&self, place: Node, changed: bool) -> Option<Keeper> {
        let sure = self.histories().confidence(place)?;
        if sure < Confidence::Medium {
            return None;
        }
        match self.graph.origin(place) {
            Origin::Field(class, symbol) => self
                .lives_on(*class, self.graph.symbol_name(*symbol))
                .then_some(Keeper::Object),
            Origin::Slot(holder, _) => self.is_lasting(*holder).then_some(Keeper::State),
            Origin::Variable(function, _) => (function.function.0 == 0).then_some(Keeper::Module),
            Origin::Param(function, index) => {
                let param = &self.project.function(*function).params[*index as usize];
                let named = self.vocabulary.history_name(&param.name) == Some(Strength::Strong);
                let public = self.project.callers_of(*function).is_empty() && self.hook(*function).is_none();
                (changed && named && public).then_some(Keeper::Caller)
            }
            _ => None,
        }
    }

    /// An update that is folded, or a call of a store.
    fn keeping_expr(
        &self,
        at: ExprRef,
        in_list: bool,
        is_history: bool,
    ) -> Option<(Keeper, Option<ExprRef>, Option<Applied>)> {
        if let Some(update) = self.update_with(at) {
            let stays = matches!(update.applied, Applied::Fold(_) | Applied::Replace);
            return stays.then_some((Keeper::Update, Some(update.expr), Some(update.applied)));
        }
        let call = self.graph.around(at)?;
        let (callee, args) = self.call(call)?;
        if self.construction(call).is_some() {
            return None;
        }
        let path = self.path(callee)?;
        let store = self.vocabulary.store(&path, self.frameworks(call.module))?;
        if !store.own && !self.project.callees_of(call).is_empty() {
            return None;
        }
        // `store.save(key, history)`: a whole history is known wherever it stands.
        let whole = in_list && is_history;
        let is_given =
            store.messages.find(args) == Some(at.expr) || whole && args.iter().any(|arg| arg.value == at.expr);
        let sure = store.strength == Strength::Strong || whole;
        (is_given && sure).then_some((Keeper::Store, Some(call), None))
    }

    /// Whether an attribute of a class is the list of a conversation that goes on: something else than
    /// the constructor puts in it what the program did not write.
    fn lives_on(&self, class: ClassRef, name: &str) -> bool {
        let words = |name: &str| self.is_passing(name);
        if words(&self.project.class(class).name) {
            return false;
        }
        let Some(symbol) = self.graph.symbol(name) else {
            return false;
        };
        let Some(field) = self.graph.find(&Origin::Field(class, symbol)) else {
            return false;
        };
        self.graph.incoming(field).iter().any(|edge| match edge.flow {
            Flow::Into => match self.graph.as_expr(edge.node) {
                Some(item) => self.construction(item).is_none_or(|made| {
                    made.content
                        .is_some_and(|content| self.project.constant(content).is_none())
                }),
                None => true,
            },
            Flow::Part(Part::Concat) => true,
            _ => false,
        })
    }

    /// Whether the list of an object belongs to more than one call, by what the object is called.
    fn is_lasting(&self, holder: Node) -> bool {
        match self.graph.origin(holder) {
            Origin::Param(function, index) => {
                !self.is_passing(&self.project.function(*function).params[*index as usize].name)
            }
            Origin::Expr(expr) => match self.kind(*expr) {
                ExprKind::Name(_) | ExprKind::Attribute { .. } => self
                    .path(*expr)
                    .is_some_and(|path| !self.is_passing(last_segment(&path))),
                // A new dictionary is a body of a request or an update; those are seen as such.
                _ => false,
            },
            Origin::Field(_, symbol) | Origin::Slot(_, symbol) => !self.is_passing(self.graph.symbol_name(*symbol)),
            Origin::Variable(..) | Origin::Result(_) => false,
        }
    }

    /// Whether a name is that of something made for one call.
    fn is_passing(&self, name: &str) -> bool {
        self.vocabulary.names_one_call(name)
    }

    /// Whether a walk came to a list by changing it, not by being handed on with it.
    fn is_changed_in_place(&self, reached: &[Reached], one: &Reached) -> bool {
        let Some(previous) = one.previous.map(|index| reached[index as usize].node) else {
            return false;
        };
        self.graph.outgoing(previous).iter().any(|edge| {
            edge.node == one.node && matches!(edge.flow, Flow::Into | Flow::Leave(_) | Flow::Part(Part::Concat))
        })
    }

    /// Whether a value is (in) the list that is sent to a model.
    fn is_given_to_model(&self, one: &Reached) -> bool {
        let Some(at) = self.graph.as_expr(one.node) else {
            return false;
        };
        self.model_sends().iter().any(|send| send.messages == Some(at))
    }

    /// Where on the way to `reached[index]` the message is put in a list.
    fn enters(&self, reached: &[Reached], index: usize) -> Option<ExprRef> {
        let mut at = index;
        let mut entered = None;
        loop {
            let previous = reached[at].previous? as usize;
            if reached[at].held.contains(&Held::Item) && !reached[previous].held.contains(&Held::Item) {
                entered = self.graph.as_expr(reached[previous].node);
            }
            if entered.is_some() || reached[previous].previous.is_none() {
                break;
            }
            at = previous;
        }
        let value = entered?;
        if self.graph.is_target(value) {
            return Some(value);
        }
        self.graph.around(value).or(Some(value))
    }

    /// Whether a message is among the first of a list that is made anew there.
    pub(crate) fn opens_list(&self, kept: &Kept) -> bool {
        if matches!(kept.keeper, Keeper::Update | Keeper::Store) {
            return false;
        }
        let enters = kept.enters;
        match self.kind(enters) {
            ExprKind::List { items, .. } => {
                let joined = self
                    .graph
                    .outgoing(self.node(enters))
                    .iter()
                    .any(|edge| matches!(edge.flow, Flow::Part(Part::Concat)));
                !joined && items.iter().all(|item| !item.spread)
            }
            ExprKind::Call { idiom: Some(idiom), .. } => match idiom.operands.first() {
                Some(list) => self.is_made_anew_before(self.beside(enters, *list), enters),
                None => false,
            },
            _ => false,
        }
    }

    /// Whether the function makes the list anew before a call, in the same round of whatever loop is around.
    fn is_made_anew_before(&self, list: ExprRef, call: ExprRef) -> bool {
        let owner = self.owner(call);
        let paths = self.paths.function(owner);
        let Some(here) = paths.stmt_of(call.expr) else {
            return false;
        };
        let around = paths.enclosing_loops(here).next();
        paths.stmts().any(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } if paths.enclosing_loops(stmt).next() == around => {
                let fresh = matches!(
                    self.kind(self.beside(call, *value)),
                    ExprKind::List { kind: ListKind::List, items } if items.iter().all(|item| !item.spread)
                );
                let same = |target: &crate::code::ir::ExprId| self.path(self.beside(call, *target)) == self.path(list);
                fresh && targets.iter().any(same) && paths.stmt_order(stmt, here).when == When::Before
            }
            _ => false,
        })
    }

    /// Whether the message is taken out of the list again, or older copies of it are, where it is put in.
    pub(crate) fn is_taken_out(&self, kept: &Kept) -> bool {
        let owner = self.owner(kept.enters);
        if kept.keeper == Keeper::Update {
            let class = self.project.function(owner).class;
            return self.constructions().iter().any(|made| {
                let there = self.owner(made.expr);
                made.removal
                    && there.module == owner.module
                    && (there == owner || class.is_some() && self.project.function(there).class == class)
            });
        }
        let Some(list) = self.list_of(kept.enters) else {
            return false;
        };
        let same = |other: ExprRef| self.histories().same(self.node(list), self.node(other));
        let paths = self.paths.function(owner);
        paths.stmts().any(|stmt| {
            let takes = paths
                .own_exprs_in(stmt)
                .any(|expr| self.takes_one_out(self.beside(list, expr), &same));
            let drops = match &paths.stmt(stmt).kind {
                StmtKind::Delete(targets) => targets
                    .iter()
                    .any(|target| match self.kind(self.beside(list, *target)) {
                        ExprKind::Index { base, .. } | ExprKind::Slice { base, end: None, .. } => {
                            same(self.beside(list, *base))
                        }
                        _ => false,
                    }),
                StmtKind::Assign { targets, value, .. } => {
                    targets
                        .iter()
                        .any(|target| self.is_list_itself(self.beside(list, *target), list))
                        && self.filters(self.beside(list, *value), &same)
                }
                _ => false,
            };
            takes || drops
        })
    }

    /// `xs.pop()`, `xs.pop(at)`, `xs.remove(x)`; dropping the oldest is a cut.
    fn takes_one_out(&self, expr: ExprRef, same: &dyn Fn(ExprRef) -> bool) -> bool {
        let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(expr) else {
            return false;
        };
        let of_list = idiom
            .operands
            .first()
            .is_some_and(|list| same(self.beside(expr, *list)));
        match idiom.op {
            Intrinsic::RemoveValue => of_list,
            Intrinsic::Pop => {
                let at = idiom.operands.get(1);
                let number = at.and_then(|at| crate::code::flow::iteration::integer(self.module(expr.module), *at));
                of_list && number.is_none_or(|number| number < 0)
            }
            _ => false,
        }
    }

    /// `[m for m in xs if …]`
    fn filters(&self, value: ExprRef, same: &dyn Fn(ExprRef) -> bool) -> bool {
        match self.kind(value) {
            ExprKind::Comprehension { clauses, .. } => clauses
                .iter()
                .any(|clause| !clause.conditions.is_empty() && same(self.beside(value, clause.iter))),
            _ => false,
        }
    }

    /// Whether a target is the list, or all of it: `xs = …`, `xs[:] = …`.
    fn is_list_itself(&self, target: ExprRef, list: ExprRef) -> bool {
        match self.kind(target) {
            ExprKind::Slice {
                base,
                start: None,
                end: None,
                ..
            } => self.path(self.beside(target, *base)) == self.path(list),
            _ => self.path(target) == self.path(list),
        }
    }

    /// The list that a call, a display or a target puts something in.
    pub(super) fn list_of(&self, enters: ExprRef) -> Option<ExprRef> {
        match self.kind(enters) {
            ExprKind::Call { idiom: Some(idiom), .. } => Some(self.beside(enters, *idiom.operands.first()?)),
            ExprKind::Index { base, .. } => Some(self.beside(enters, *base)),
            ExprKind::List { .. } => {
                let paths = self.paths.function(self.owner(enters));
                match &paths.stmt(paths.stmt_of(enters.expr)?).kind {
                    StmtKind::Update { target, .. } => Some(self.beside(enters, *target)),
                    StmtKind::Assign { targets, .. } => Some(self.beside(enters, *targets.first()?)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
