//! What a person says to an agent at work that goes with one call and is gone.

use super::WrongQueue;
use crate::code::facts::{Applied, Facts, Kept};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::paths::When;
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Special, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

impl Facts<'_> {
    /// All of a project.
    pub(super) fn forgotten_words(&self) -> Vec<WrongQueue> {
        let mut found = Vec::new();
        for start in self.waiting_words() {
            let reached = self.onward_from(start);
            // Whatever else becomes of the words may keep them.
            if reached.iter().any(|one| self.may_keep(one, start)) {
                continue;
            }
            let mut sent = reached.iter().filter_map(|one| self.put_beside_history(&reached, one));
            let waits = reached.iter().find_map(|one| self.waiting_place(one.node));
            if let (Some(sent), Some(waits)) = (sent.next(), waits)
                && !self.is_test(sent)
            {
                found.push(WrongQueue::Forgotten { sent, waits });
            }
        }
        found.sort_by_key(|one| match one {
            WrongQueue::Forgotten { sent, .. } => *sent,
            WrongQueue::Kept { given, .. } => *given,
        });
        found.dedup_by_key(|one| match one {
            WrongQueue::Forgotten { sent, .. } => *sent,
            WrongQueue::Kept { given, .. } => *given,
        });
        found
    }

    /// What functions are given by which a person speaks to an agent at work.
    fn waiting_words(&self) -> Vec<Node> {
        let mut found = Vec::new();
        for (function, ir) in self.project.functions() {
            if !self.vocabulary.names_steering(&ir.name) || self.project.is_test(function) {
                continue;
            }
            let first = usize::from(ir.has_receiver);
            let params = (first..ir.params.len()).map(|index| Origin::Param(function, index as u32));
            found.extend(params.filter_map(|param| self.graph.find(&param)));
        }
        found
    }

    /// Every place that the words come to: as text, in a message, in a list.
    fn onward_from(&self, start: Node) -> Vec<Reached> {
        reach(&self.graph, start, Direction::Forward, |flow, _, _, next| match flow {
            Flow::Test | Flow::Length | Flow::Position | Flow::Select => false,
            // A message made by a member of its type: `Message.user(text)`.
            Flow::Opaque => self
                .graph
                .as_expr(next)
                .is_some_and(|at| self.construction(at).is_some()),
            _ => true,
        })
    }

    /// Whether a place may keep the words for good, as far as that can be known.
    fn may_keep(&self, one: &Reached, start: Node) -> bool {
        if one.node == start {
            return false;
        }
        match self.graph.origin(one.node) {
            Origin::Field(..) => !self.is_drained(one.node),
            Origin::Variable(function, _) => function.function.0 == 0 && !self.is_drained(one.node),
            Origin::Slot(holder, _) => !self.is_body(*holder),
            Origin::Result(function) => self.project.callers_of(*function).is_empty(),
            Origin::Param(function, _) => {
                one.held.contains(&Held::Item) && self.project.callers_of(*function).is_empty()
            }
            Origin::Expr(at) => self.is_kept_at(*at),
        }
    }

    /// Whether an object is a request that was written out here.
    fn is_body(&self, holder: Node) -> bool {
        let held = self.graph.as_expr(holder);
        held.is_some_and(|at| matches!(self.kind(at), ExprKind::Dict(_) | ExprKind::Call { .. }))
    }

    /// Whether an expression is given to something that may keep it, or grows a list that goes on.
    fn is_kept_at(&self, at: ExprRef) -> bool {
        if let Some(update) = self.update_with(at) {
            return matches!(update.applied, Applied::Fold(_) | Applied::Replace);
        }
        let Some(outer) = self.graph.around(at) else {
            return false;
        };
        match self.kind(outer) {
            ExprKind::Call { idiom: Some(idiom), .. }
                if matches!(idiom.op, Intrinsic::Append | Intrinsic::Extend | Intrinsic::Insert) =>
            {
                let list = idiom.operands.first().filter(|list| **list != at.expr);
                list.is_some_and(|list| self.grows_on(self.beside(outer, *list), outer))
            }
            ExprKind::Call {
                callee,
                args,
                idiom: None,
            } => {
                let is_given = *callee != at.expr && args.iter().any(|arg| arg.value == at.expr);
                let known = !self.project.callees_of(outer).is_empty() || self.construction(outer).is_some();
                let sent = self.model_sends().iter().any(|send| send.call == outer);
                let shown = self
                    .path(self.beside(outer, *callee))
                    .is_some_and(|path| self.vocabulary.is_display_call(&path));
                is_given && !known && !sent && !shown
            }
            _ => false,
        }
    }

    /// Whether a list that a call puts something in is more than the list of one call.
    fn grows_on(&self, list: ExprRef, call: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        let place = behind.iter().find(|one| {
            let lasting = matches!(self.graph.origin(one.node), Origin::Field(..) | Origin::Variable(..));
            lasting && self.graph.origin(one.node) != self.graph.origin(self.node(list))
        });
        if let Some(place) = place {
            return !self.is_drained(place.node);
        }
        !self.is_copied_before(list, call)
    }

    /// Whether the function makes the list as a copy before a call, in the same round of whatever loop is
    /// around.
    fn is_copied_before(&self, list: ExprRef, call: ExprRef) -> bool {
        let paths = self.paths.function(self.owner(call));
        let Some(here) = paths.stmt_of(call.expr) else {
            return false;
        };
        let around = paths.enclosing_loops(here).next();
        paths.stmts().any(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } if paths.enclosing_loops(stmt).next() == around => {
                let fresh = match self.kind(self.beside(call, *value)) {
                    ExprKind::List { .. } | ExprKind::Binary { .. } | ExprKind::Comprehension { .. } => true,
                    ExprKind::Call { idiom: Some(idiom), .. } => {
                        matches!(idiom.op, Intrinsic::Copy | Intrinsic::DeepCopy)
                    }
                    _ => false,
                };
                let same = |target: &ExprId| self.path(self.beside(call, *target)) == self.path(list);
                fresh && targets.iter().any(same) && paths.stmt_order(stmt, here).when == When::Before
            }
            _ => false,
        })
    }

    /// Where words that came to a call of the model are put beside the history.
    fn put_beside_history(&self, reached: &[Reached], one: &Reached) -> Option<ExprRef> {
        let list = self.graph.as_expr(one.node)?;
        let sent = self.model_sends().iter().any(|send| send.messages == Some(list));
        if !sent || self.is_single(one.node) {
            return None;
        }
        let mut at = one;
        loop {
            let joined = self.graph.as_expr(at.node).and_then(|here| self.joins_history(here));
            if joined.is_some() {
                return joined;
            }
            at = &reached[at.previous? as usize];
        }
    }

    /// `[*history, note]`, `history + notes`, or where something is put in a copy of the history.
    fn joins_history(&self, at: ExprRef) -> Option<ExprRef> {
        let is_history = |expr: ExprId| self.histories().confidence(self.node(self.beside(at, expr))).is_some();
        let joins = match self.kind(at) {
            ExprKind::List { items, .. } => items.iter().any(|item| item.spread && is_history(item.value)),
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                right,
            } => is_history(*left) || is_history(*right),
            _ => false,
        };
        if joins {
            return (!self.grows_into_itself(at)).then_some(at);
        }
        let call = self.graph.around(at)?;
        match self.kind(call) {
            ExprKind::Call { idiom: Some(idiom), .. } => match (idiom.op, &idiom.operands[..]) {
                (Intrinsic::Append | Intrinsic::Extend, [list, added]) if *added == at.expr => {
                    let copied = is_history(*list) && self.is_copied_before(self.beside(at, *list), call);
                    copied.then_some(call)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// `history = history + notes`: the list goes on.
    fn grows_into_itself(&self, joined: ExprRef) -> bool {
        let onward = reach(
            &self.graph,
            self.node(joined),
            Direction::Forward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Part(Part::Concat)),
        );
        onward.iter().skip(1).any(|one| {
            self.graph.as_expr(one.node) == Some(joined)
                || matches!(self.graph.origin(one.node), Origin::Field(..))
                || self.feeds(one.node, joined)
        })
    }

    /// Whether a node is a part of what is joined.
    fn feeds(&self, node: Node, joined: ExprRef) -> bool {
        self.graph
            .outgoing(node)
            .iter()
            .any(|edge| edge.node == self.node(joined))
    }

    /// The name of the place where words wait, if the node is one.
    fn waiting_place(&self, node: Node) -> Option<ExprRef> {
        let lasting = match self.graph.origin(node) {
            Origin::Field(..) => true,
            Origin::Variable(function, _) => function.function.0 == 0,
            _ => false,
        };
        if !lasting {
            return None;
        }
        self.drains(node).first().copied()
    }

    /// Whether a place is emptied while the program runs.
    fn is_drained(&self, place: Node) -> bool {
        !self.drains(place).is_empty()
    }

    /// Whether the list that keeps a message is emptied while the program runs.
    pub(super) fn is_drained_list(&self, kept: &Kept) -> bool {
        let Some(list) = self.list_of(kept.enters) else {
            return false;
        };
        let behind = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        behind
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Field(..)) && self.is_drained(one.node))
    }

    /// The expressions that empty a place: `queue.clear()`, `queue.pop(0)`, `queue = []`.
    fn drains(&self, place: Node) -> Vec<ExprRef> {
        let names = reach(&self.graph, place, Direction::Forward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        let mut found: Vec<ExprRef> = names
            .iter()
            .filter_map(|one| self.graph.as_expr(one.node))
            .filter(|name| self.is_taken_whole(*name))
            .collect();
        let given = self.graph.incoming(place).iter().filter(|edge| edge.flow == Flow::Same);
        found.extend(given.filter_map(|edge| self.graph.as_expr(edge.node)).filter(|value| {
            let empty = reach(
                &self.graph,
                self.node(*value),
                Direction::Backward,
                |flow, _, held, _| held.is_empty() && flow == Flow::Same,
            );
            let is_empty = empty
                .iter()
                .filter_map(|one| self.graph.as_expr(one.node))
                .any(|at| matches!(self.kind(at), ExprKind::List { items, .. } if items.is_empty()));
            is_empty && !self.is_constructor_or_module(self.owner(*value))
        }));
        found
    }

    fn is_taken_whole(&self, name: ExprRef) -> bool {
        let paths = self.paths.function(self.owner(name));
        let Some(stmt) = paths.stmt_of(name.expr) else {
            return false;
        };
        let mut exprs = paths.own_exprs_in(stmt);
        exprs.any(|expr| match self.kind(self.beside(name, expr)) {
            ExprKind::Call { idiom: Some(idiom), .. } => {
                let takes = matches!(idiom.op, Intrinsic::Pop | Intrinsic::PopFirst | Intrinsic::Clear);
                takes && idiom.operands.first() == Some(&name.expr)
            }
            _ => false,
        })
    }

    fn is_constructor_or_module(&self, function: FuncRef) -> bool {
        let ir = self.project.function(function);
        function.function.0 == 0 || matches!(ir.special, Some(Special::Constructor | Special::Preparation))
    }
}
