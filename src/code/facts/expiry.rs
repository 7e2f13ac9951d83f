//! Texts that are kept with the time they were written, are injected, and never grow old.

use super::fields::field_read;
use super::{Cause, Facts};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Name, StmtKind, written};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Role;

/// One such text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unexpired {
    /// The message that it is put in.
    pub(crate) made: ExprRef,
    /// Where it is kept.
    pub(crate) kept: ExprRef,
    /// The time that nobody reads.
    pub(crate) written: ExprRef,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn unexpired_injections(&self) -> Vec<Unexpired> {
        let mut found = Vec::new();
        for kept in self.exprs() {
            let Some(fields) = self.fields_given(kept).filter(|_| !self.is_test(kept)) else {
                continue;
            };
            // What keeps it is cheaper to tell than what its fields are made of.
            let Some((keeper, is_container)) = self.keeper_of(kept) else {
                continue;
            };
            let Some(holder) = self.lasting_place(keeper) else {
                continue;
            };
            let Some((clock, written)) = self.stamped(kept, fields) else {
                continue;
            };
            if self.is_read_anywhere(&clock) {
                continue;
            }
            let made = self.injected_from(holder, is_container);
            found.extend(made.map(|made| Unexpired { made, kept, written }));
        }
        found
    }

    /// The fields that an object is made with, if it is made with several.
    fn fields_given(&self, kept: ExprRef) -> Option<Vec<(Name, ExprId)>> {
        let fields: Vec<(Name, ExprId)> = match self.kind(kept) {
            ExprKind::Dict(entries) => entries
                .iter()
                .filter_map(|(key, value)| Some((self.text(self.beside(kept, (*key)?))?.clone(), *value)))
                .collect(),
            ExprKind::Call { args, idiom, .. } => {
                let record = idiom.as_ref().is_none_or(|idiom| idiom.op == Intrinsic::Record);
                let named = args.iter().filter(|arg| record && !arg.gathers);
                named.filter_map(|arg| Some((arg.name.clone()?, arg.value))).collect()
            }
            _ => return None,
        };
        (fields.len() > 1 && self.construction(kept).is_none()).then_some(fields)
    }

    /// The field of an object that is the time at which it is made.
    fn stamped(&self, kept: ExprRef, fields: Vec<(Name, ExprId)>) -> Option<(Name, ExprRef)> {
        let mut clocks = fields.into_iter().filter(|(_, value)| {
            let value = self.beside(kept, *value);
            let is_call = matches!(self.kind(value), ExprKind::Call { .. });
            is_call
                && self
                    .volatile_sources(self.node(value))
                    .iter()
                    .any(|source| source.cause == Cause::Clock && source.sure)
        });
        let (name, value) = clocks.next()?;
        Some((name, self.beside(kept, value)))
    }

    /// Whether anything in the project reads a field of this name, or all fields of something at once.
    fn is_read_anywhere(&self, name: &Name) -> bool {
        let read = self.fields_read.get_or_init(|| {
            let read = self.exprs().filter_map(|at| {
                if let Some(text) = self.text(at) {
                    // A look-up by the name, and not the display that it is the key of.
                    let outer = self.graph.around(at)?;
                    return (!matches!(self.kind(outer), ExprKind::Dict(_))).then(|| text.clone());
                }
                let (_, read) = field_read(self, at)?;
                (!self.graph.is_target(at)).then_some(read)
            });
            read.collect()
        });
        read.contains(name)
    }

    /// The message that a text of a kept object ends up in, if what keeps the object outlives every call
    /// and nothing takes it out again.
    fn injected_from(&self, holder: Node, is_container: bool) -> Option<ExprRef> {
        if self.is_emptied(holder) {
            return None;
        }
        let reads = self.names_for(holder).into_iter().filter_map(|name| {
            if is_container {
                self.kept_under(name)
            } else {
                (!self.graph.is_target(name)).then_some(name)
            }
        });
        let texts: Vec<Node> = reads.flat_map(|read| self.texts_from(read)).collect();
        let mut made = self.constructions().iter().filter(|made| {
            let injected = matches!(made.role, Some(Role::User | Role::System)) && !self.is_test(made.expr);
            let content = made.content.map(|content| self.node(content));
            injected && content.is_some_and(|content| texts.contains(&content))
        });
        made.next().map(|made| made.expr)
    }

    /// What a text of an object is made into.
    fn texts_from(&self, read: ExprRef) -> Vec<Node> {
        let reached = reach(&self.graph, self.node(read), Direction::Forward, |flow, _, _, _| {
            matches!(
                flow,
                Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Load(_) | Flow::Text | Flow::Store(_) | Flow::Into
            )
        });
        let texts = reached.iter().filter(|one| one.via.load.is_some());
        texts.map(|one| one.node).collect()
    }

    /// What an object is put in, and whether that holds several of them.
    fn keeper_of(&self, kept: ExprRef) -> Option<(ExprRef, bool)> {
        if let Some(call) = self.graph.around(kept) {
            let (callee, args) = self.call(call)?;
            let ExprKind::Attribute { base, .. } = self.kind(callee) else {
                return None;
            };
            let mut values = written(args);
            let (key, value) = (values.next(), values.next());
            let given = key.is_some() && value.is_some_and(|arg| arg.value == kept.expr) && values.next().is_none();
            let unknown = self.project.callees_of(call).is_empty();
            return (given && unknown).then(|| (self.beside(call, *base), true));
        }
        let paths = self.paths.function(self.owner(kept));
        match &paths.stmt(paths.stmt_of(kept.expr)?).kind {
            StmtKind::Assign { targets, value, .. } if *value == kept.expr => {
                let target = self.beside(kept, *targets.first()?);
                match self.kind(target) {
                    ExprKind::Index { base, .. } => Some((self.beside(target, *base), true)),
                    ExprKind::Name(_) | ExprKind::Attribute { .. } => Some((target, false)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The place outside every call that an expression names: a field of an object, or a variable of a
    /// file.
    fn lasting_place(&self, keeper: ExprRef) -> Option<Node> {
        let direction = if self.graph.is_target(keeper) {
            Direction::Forward
        } else {
            Direction::Backward
        };
        let names = reach(&self.graph, self.node(keeper), direction, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        let mut places = names.iter().filter(|one| match self.graph.origin(one.node) {
            Origin::Field(..) => true,
            Origin::Variable(function, _) => function.function.0 == 0,
            _ => false,
        });
        places.next().map(|one| one.node)
    }

    /// The expressions that name what a place holds.
    fn names_for(&self, holder: Node) -> Vec<ExprRef> {
        let names = reach(&self.graph, holder, Direction::Forward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_))
        });
        names.iter().filter_map(|one| self.graph.as_expr(one.node)).collect()
    }

    /// `kept.get(key)`, `kept[key]`.
    fn kept_under(&self, name: ExprRef) -> Option<ExprRef> {
        let outer = self.graph.around(name)?;
        match self.kind(outer) {
            ExprKind::Attribute { .. } => self.graph.around(outer).filter(|call| {
                matches!(self.kind(*call), ExprKind::Call { idiom: Some(idiom), .. }
                    if idiom.op == Intrinsic::Get && idiom.operands.first() == Some(&name.expr))
            }),
            ExprKind::Index { base, .. } if *base == name.expr => (!self.graph.is_target(outer)).then_some(outer),
            _ => None,
        }
    }

    /// Whether anything takes something out of a holder, or replaces all that it holds.
    fn is_emptied(&self, holder: Node) -> bool {
        let written = self
            .graph
            .incoming(holder)
            .iter()
            .filter(|edge| edge.flow == Flow::Same);
        written.count() > 2 || self.names_for(holder).into_iter().any(|name| self.is_taken_from(name))
    }

    /// `kept.pop(key)`, `del kept[key]`, `kept.delete(key)`, `kept.clear()`.
    fn is_taken_from(&self, name: ExprRef) -> bool {
        let Some(outer) = self.graph.around(name) else {
            return false;
        };
        let takes = |call: ExprRef| match self.kind(call) {
            ExprKind::Call { idiom: Some(idiom), .. } => {
                let op = matches!(
                    idiom.op,
                    Intrinsic::Pop | Intrinsic::PopFirst | Intrinsic::Clear | Intrinsic::RemoveValue
                );
                op && idiom.operands.first() == Some(&name.expr)
            }
            // Whatever else is called on it, but to put something in, may take something out.
            ExprKind::Call { callee, args, .. } => *callee == outer.expr && written(args).count() != 2,
            _ => false,
        };
        match self.kind(outer) {
            ExprKind::Attribute { .. } => self.graph.around(outer).is_some_and(takes),
            ExprKind::Call { .. } => takes(outer),
            ExprKind::Index { base, .. } if *base == name.expr => {
                let paths = self.paths.function(self.owner(outer));
                paths.stmt_of(outer.expr).is_some_and(
                    |stmt| matches!(&paths.stmt(stmt).kind, StmtKind::Delete(targets) if targets.contains(&outer.expr)),
                )
            }
            _ => false,
        }
    }
}
