//! Messages of a caller that are changed in place while a call is built.

use super::edits::EditKind;
use super::{Durability, Facts};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::predicate::{Asks, Subject};
use crate::code::flow::reach::{Direction, path, reach};
use crate::code::ir::{CompareOp, ExprId, ExprKind, Intrinsic, Literal, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::finding::Confidence;

/// One change of what a caller gave.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InputChange {
    /// The target that is written, or the call that changes the list.
    pub(crate) at: ExprRef,
    /// Whether a message is changed, and not the list.
    pub(crate) of_message: bool,
    /// The function and its parameter.
    pub(crate) param: (FuncRef, u32),
    /// How sure it is that it is a history.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All changes of messages that a caller gave, in functions that build a call or a view of them.
    pub(crate) fn input_changes(&self) -> Vec<InputChange> {
        let mut found = Vec::new();
        for (function, ir) in self.project.functions() {
            if ir.params.is_empty() || self.module(function.module).is_test || !self.builds_view(function) {
                continue;
            }
            let paths = self.paths.function(function);
            for stmt in paths.stmts() {
                let targets = match &paths.stmt(stmt).kind {
                    StmtKind::Assign { targets, .. } => targets.as_slice(),
                    StmtKind::Update { target, .. } => std::slice::from_ref(target),
                    _ => continue,
                };
                let written = targets
                    .iter()
                    .find_map(|target| self.written_message(function, *target));
                found.extend(written);
            }
            found.extend(self.changed_lists(function));
        }
        found
    }

    /// Whether a function sends messages to a model, or returns an update made of what it was given.
    fn builds_view(&self, function: FuncRef) -> bool {
        let sends = self.model_sends().iter().any(|send| {
            let spread = || {
                self.call(send.call)
                    .is_some_and(|(_, args)| args.iter().any(|arg| arg.spread))
            };
            !send.builds && self.owner(send.call) == function && (send.messages.is_some() || spread())
        });
        let updates = self.updates().iter().any(|update| self.owner(update.expr) == function);
        sends || updates || self.returns_update(function)
    }

    /// `return {**state, "messages": fresh}`.
    fn returns_update(&self, function: FuncRef) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        paths.stmts().any(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Return(Some(value)) => match module.kind(*value) {
                ExprKind::Dict(entries) => {
                    entries.iter().any(|(key, _)| key.is_none())
                        && entries.iter().any(|(_, value)| {
                            let value = ExprRef {
                                module: function.module,
                                expr: *value,
                            };
                            self.histories().confidence(self.node(value)) >= Some(Confidence::Medium)
                        })
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// A field of a caller's message that is assigned to.
    fn written_message(&self, function: FuncRef, target: ExprId) -> Option<InputChange> {
        let module = self.module(function.module);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let base = match module.kind(target) {
            ExprKind::Attribute { base, .. } => *base,
            ExprKind::Index { base, index } if self.text(at(*index)).is_some() => *base,
            _ => return None,
        };
        let (param, confidence) = self.given_message(at(base), function)?;
        if self.is_for_missing(at(target)) || self.is_chosen_by_id(at(target), at(base)) {
            return None;
        }
        let returned = self.is_returned(at(base), function) || self.returns_given(function, param);
        (!returned).then_some(InputChange {
            at: at(target),
            of_message: true,
            param,
            confidence,
        })
    }

    /// The parameter of whose list a value is a message, or a part of one, and nothing was copied on the
    /// way but the list.
    fn given_message(&self, value: ExprRef, function: FuncRef) -> Option<((FuncRef, u32), Confidence)> {
        let reached = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, held, _| {
                held.len() < 4
                    && matches!(
                        flow,
                        Flow::Same
                            | Flow::Element
                            | Flow::Load(_)
                            | Flow::Part(Part::Copy | Part::Slice | Part::Filter | Part::Reverse)
                    )
            },
        );
        let mut found = None;
        for (index, one) in reached.iter().enumerate() {
            let nodes = path(&reached, index);
            let exprs: Vec<ExprRef> = nodes.iter().filter_map(|node| self.graph.as_expr(*node)).collect();
            if exprs.iter().any(|expr| self.makes_copy(*expr)) {
                // On one way it is a copy: who knows on which.
                return None;
            }
            let Some(param) = self.param_behind(one.node, function) else {
                continue;
            };
            let list = nodes
                .iter()
                .enumerate()
                .find(|(at, node)| *at > 0 && self.histories().confidence(**node) >= Some(Confidence::Medium));
            // An element of the list must be on the way, and the list behind it.
            let Some((_, list)) = list else { continue };
            if self.graph.as_expr(*list).is_some_and(|list| list == value) {
                continue;
            }
            let confidence = self.histories().near(&self.graph, *list).confidence;
            found = found.or(confidence.map(|sure| (param, sure)));
        }
        found.filter(|(_, sure)| *sure >= Confidence::Medium)
    }

    /// The parameter that a node is, or whose field it is, where nobody in the project calls the function
    /// with a list of its own.
    fn param_behind(&self, node: Node, function: FuncRef) -> Option<(FuncRef, u32)> {
        let param = match self.graph.origin(node) {
            Origin::Param(..) => node,
            Origin::Slot(holder, _) => *holder,
            _ => return None,
        };
        let Origin::Param(of, index) = self.graph.origin(param) else {
            return match self.graph.as_expr(param) {
                Some(name) => {
                    self.graph
                        .incoming(self.node(name))
                        .iter()
                        .find_map(|edge| match self.graph.origin(edge.node) {
                            Origin::Param(of, index) if *of == function && edge.flow == Flow::Same => {
                                Some((*of, *index))
                            }
                            _ => None,
                        })
                }
                None => None,
            };
        };
        let own = self.project.function(*of).has_receiver && *index == 0;
        let given = || self.project.callers_of(function).is_empty() || self.is_from_elsewhere(node);
        (*of == function && !own && given()).then_some((*of, *index))
    }

    /// Whether every list that comes here was got by a call outside the project, and none is made, copied
    /// or kept by the project: it belongs to who handed it out.
    fn is_from_elsewhere(&self, given: Node) -> bool {
        let behind = reach(&self.graph, given, Direction::Backward, |flow, _, held, _| {
            held.len() < 3
                && matches!(
                    flow,
                    Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Load(_) | Flow::Store(_)
                )
        });
        let mut foreign = false;
        for one in &behind {
            match self.graph.origin(one.node) {
                Origin::Field(..) => return false,
                Origin::Expr(at) => match self.kind(*at) {
                    ExprKind::List { items, .. } if !items.is_empty() => return false,
                    ExprKind::Comprehension { .. } | ExprKind::Slice { .. } => return false,
                    ExprKind::Call { idiom: Some(idiom), .. }
                        if matches!(idiom.op, Intrinsic::Get | Intrinsic::GetAttribute | Intrinsic::Pass) => {}
                    ExprKind::Call { idiom: Some(_), .. } => return false,
                    ExprKind::Call { .. } => foreign |= self.project.callees_of(*at).is_empty(),
                    _ => {}
                },
                _ => {}
            }
        }
        foreign
    }

    /// Whether an expression makes a new message: a display, or a call that is no look-up.
    fn makes_copy(&self, expr: ExprRef) -> bool {
        match self.kind(expr) {
            ExprKind::Dict(_) | ExprKind::Conditional { .. } => true,
            ExprKind::Call { idiom, .. } => idiom.as_ref().is_none_or(|idiom| {
                !matches!(
                    idiom.op,
                    Intrinsic::Get
                        | Intrinsic::GetAttribute
                        | Intrinsic::First
                        | Intrinsic::Reversed
                        | Intrinsic::Enumerate
                        | Intrinsic::Pass
                        | Intrinsic::Filter
                        | Intrinsic::Copy
                )
            }),
            _ => false,
        }
    }

    /// Whether a field is filled only where it is missing.
    pub(super) fn is_for_missing(&self, target: ExprRef) -> bool {
        let module = self.module(target.module);
        let field = match module.kind(target.expr) {
            ExprKind::Attribute { name, .. } => name.clone(),
            ExprKind::Index { index, .. } => match self.text(self.beside(target, *index)) {
                Some(text) => text.clone(),
                None => return false,
            },
            _ => return false,
        };
        let guards = self.paths.function(self.owner(target)).guards(target.expr);
        guards.iter().any(|guard| {
            let mut open = vec![guard.cond];
            let mut tested = false;
            while let Some(expr) = open.pop() {
                let at = self.beside(target, expr);
                tested |= super::fields::field_read(self, at).is_some_and(|(_, name)| name == field)
                    || self.text(at).is_some_and(|text| *text == field);
                open.extend(module.children(expr));
            }
            tested && self.is_absence(self.beside(target, guard.cond), guard.holds)
        })
    }

    /// Whether a condition says that something is not there.
    fn is_absence(&self, cond: ExprRef, holds: bool) -> bool {
        match self.kind(cond) {
            ExprKind::Compare { op, .. } => match op {
                CompareOp::Is | CompareOp::Eq | CompareOp::NotIn => holds,
                CompareOp::IsNot | CompareOp::NotEq | CompareOp::In => !holds,
                _ => false,
            },
            _ => !holds,
        }
    }

    /// Whether the message was looked up by its id.
    pub(super) fn is_chosen_by_id(&self, target: ExprRef, base: ExprRef) -> bool {
        let module = self.module(target.module);
        let subject = Subject::spelled(module, base.expr);
        let guards = self.paths.function(self.owner(target)).guards(target.expr);
        guards.iter().any(|guard| {
            let predicate = self.predicates.of(self.beside(target, guard.cond), &subject);
            predicate.asks.meets(Asks::ID)
        })
    }

    /// Whether the changed message itself is what the function gives back.
    fn is_returned(&self, message: ExprRef, function: FuncRef) -> bool {
        match self.durability(message) {
            Durability::Durable(kept) => !kept.is_empty() && self.owner(message) == function,
            _ => false,
        }
    }

    /// Whether the function hands back the list that it was given: it changes it in place by contract.
    fn returns_given(&self, function: FuncRef, param: (FuncRef, u32)) -> bool {
        let Some(start) = self.graph.find(&Origin::Param(param.0, param.1)) else {
            return false;
        };
        let reached = reach(&self.graph, start, Direction::Forward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Part(Part::Copy))
        });
        let name = &self.project.function(function).params[param.1 as usize].name;
        let is_state = self.vocabulary.history_name(name).is_none();
        !is_state
            && reached
                .iter()
                .any(|one| matches!(self.graph.origin(one.node), Origin::Result(of) if *of == function))
    }

    /// A caller's list that is changed at its head, or made shorter, before it is sent.
    fn changed_lists(&self, function: FuncRef) -> Vec<InputChange> {
        let edits = self.edits_in(function).into_iter();
        let changes = edits.filter(|edit| {
            let head = edit.index.is_none_or(|index| self.is_zero(index));
            edit.kind == EditKind::Insert && head
        });
        let changes = changes.map(|edit| (edit.site, edit.list));
        let found = changes.chain(self.filled_heads(function)).filter_map(|(site, list)| {
            let confidence = self.near_history(list)?;
            let reached = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
                held.is_empty() && flow == Flow::Same
            });
            let only = reached.iter().all(|one| {
                self.graph
                    .as_expr(one.node)
                    .is_none_or(|expr| matches!(self.kind(expr), ExprKind::Name(_)))
            });
            let param = reached.iter().find_map(|one| match self.graph.origin(one.node) {
                Origin::Param(of, index) if *of == function => {
                    self.param_behind(one.node, function).map(|_| (*of, *index))
                }
                _ => None,
            })?;
            (only && !self.returns_given(function, param)).then_some(InputChange {
                at: site,
                of_message: false,
                param,
                confidence,
            })
        });
        found.collect()
    }

    /// `xs[0:0] = several`: the target, and the list.
    fn filled_heads(&self, function: FuncRef) -> Vec<(ExprRef, ExprRef)> {
        let paths = self.paths.function(function);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let targets = paths.stmts().flat_map(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, .. } => targets.as_slice(),
            _ => &[],
        });
        let heads = targets.filter_map(|target| match *self.kind(at(*target)) {
            ExprKind::Slice {
                base,
                start,
                end: Some(end),
                step: None,
            } => {
                let at_head = start.is_none_or(|start| self.is_zero(at(start))) && self.is_zero(at(end));
                at_head.then_some((at(*target), at(base)))
            }
            _ => None,
        });
        heads.collect()
    }

    fn is_zero(&self, expr: ExprRef) -> bool {
        matches!(self.kind(expr), ExprKind::Literal(Literal::Int(0)))
    }
}
