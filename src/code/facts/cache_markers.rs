//! Markers that tell a provider up to where it keeps a prefix, and where they are put.

use rustc_hash::FxHashMap;

use super::fields::field_read;
use super::{Facts, Pick};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::iteration::{integer, iteration};
use crate::code::flow::paths::{Guard, StmtId};
use crate::code::flow::predicate::{Asks, Kinds, Subject};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Intrinsic, ListKind, Literal, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Field, Granularity};

/// One marker that is put where it does not help.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Misplaced {
    /// Where.
    pub(crate) at: ExprRef,
    /// The place that explains it.
    pub(crate) because: ExprRef,
    /// Why.
    pub(crate) why: MisplacedWhy,
}

/// Why a marker does not help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MisplacedWhy {
    /// One on every message, however many there are.
    Unbounded,
    /// On the last message of the model, in front of the newest results.
    BeforeNewest,
    /// On the message before the last one only.
    SecondToLast,
    /// What is marked is made anew afterwards, without the marker.
    Rebuilt,
    /// On a text that differs at every call.
    Volatile,
}

/// Where a marker is written.
#[derive(Clone, Copy, Debug)]
struct Site {
    /// The target, or the display with the marker.
    at: ExprRef,
    function: FuncRef,
    stmt: StmtId,
}

impl Facts<'_> {
    /// All misplaced markers of a project.
    pub(crate) fn misplaced_markers(&self) -> Vec<Misplaced> {
        let sites = self.marker_sites();
        let mut found = Vec::new();
        for site in &sites {
            found.extend(self.unbounded(site));
            found.extend(self.on_volatile(site));
            found.extend(self.second_to_last(site, &sites));
        }
        found.extend(self.before_newest(&sites));
        found.extend(self.rebuilt(&sites));
        found
    }

    fn marker_sites(&self) -> Vec<Site> {
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            if self.module(function.module).is_test {
                continue;
            }
            let paths = self.paths.function(function);
            for stmt in paths.stmts() {
                let at = |expr| ExprRef {
                    module: function.module,
                    expr,
                };
                if let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind {
                    let marks = |target: &&ExprId| self.is_marker_field(at(**target)) && !self.is_nothing(at(*value));
                    found.extend(targets.iter().find(marks).map(|target| Site {
                        at: at(*target),
                        function,
                        stmt,
                    }));
                }
                for expr in paths.own_exprs_in(stmt) {
                    if self.is_marked_display(at(expr)) {
                        found.push(Site {
                            at: at(expr),
                            function,
                            stmt,
                        });
                    }
                }
            }
        }
        found
    }

    fn is_marker_field(&self, target: ExprRef) -> bool {
        field_read(self, target).is_some_and(|(_, name)| self.vocabulary.is_cache_marker(&name))
    }

    fn is_nothing(&self, value: ExprRef) -> bool {
        matches!(
            self.kind(value),
            ExprKind::Literal(Literal::None | Literal::Bool(false))
        )
    }

    fn is_marked_display(&self, display: ExprRef) -> bool {
        self.marker_of(display).is_some_and(|value| !self.is_nothing(value))
    }

    /// The value of the marker in a display.
    fn marker_of(&self, display: ExprRef) -> Option<ExprRef> {
        let ExprKind::Dict(entries) = self.kind(display) else {
            return None;
        };
        let marker = entries.iter().find(|(key, _)| {
            let key = key.and_then(|key| self.text(self.beside(display, key)));
            key.is_some_and(|key| self.vocabulary.is_cache_marker(key))
        });
        marker.map(|(_, value)| self.beside(display, *value))
    }

    /// Whether a marker is handed on from what is converted: whoever made that chose the place.
    fn hands_marker_on(&self, display: ExprRef) -> bool {
        self.marker_of(display).is_some_and(|value| match self.kind(value) {
            ExprKind::Name(name) => self
                .project
                .only_value(self.owner(value), name)
                .is_some_and(|value| self.is_asked_of_outside(value)),
            _ => self.is_asked_of_outside(value),
        })
    }

    fn is_asked_of_outside(&self, value: ExprRef) -> bool {
        match self.kind(value) {
            ExprKind::Attribute { .. } => true,
            // What is asked of the message: `markerOf(message.options)`.
            ExprKind::Call { idiom: None, args, .. } => !args.is_empty() || self.project.callees_of(value).is_empty(),
            // Or else of what holds it.
            ExprKind::Logic { operands, .. } => {
                let mut operands = operands.iter().map(|operand| self.beside(value, *operand));
                operands.all(|operand| self.is_asked_of_outside(operand))
            }
            _ => false,
        }
    }

    // ---- too many --------------------------------------------------------------------------------

    /// A marker that a loop over a history puts on every message of a kind, in the function of the loop
    /// or in a helper that is given the message.
    fn unbounded(&self, site: &Site) -> Option<Misplaced> {
        if self.hands_marker_on(site.at) || self.is_moved(site) {
            return None;
        }
        let module = self.module(site.function.module);
        let direct = self.loop_without_bound(site.at, site.function, site.stmt);
        let of_helper = || {
            let ir = self.project.function(site.function);
            // A helper that chooses for itself is another question.
            if self
                .paths
                .function(site.function)
                .enclosing_loops(site.stmt)
                .next()
                .is_some()
                || module.is_test
            {
                return None;
            }
            let sites = self.project.callers_of(site.function).iter();
            let mut calls = sites.filter(|call| !ir.params.is_empty() && !self.module(call.caller.module).is_test);
            calls.find_map(|call| {
                let at = ExprRef {
                    module: call.caller.module,
                    expr: call.call,
                };
                let stmt = self.paths.function(call.caller).stmt_of(call.call)?;
                self.loop_without_bound(at, call.caller, stmt).map(|of| (at, of))
            })
        };
        let (at, because) = direct.map(|of| (site.at, of)).or_else(of_helper)?;
        Some(Misplaced {
            at,
            because,
            why: MisplacedWhy::Unbounded,
        })
    }

    /// The history that the outermost loop around a statement runs over, where nothing in it limits how
    /// often the statement is reached.
    fn loop_without_bound(&self, at: ExprRef, function: FuncRef, stmt: StmtId) -> Option<ExprRef> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        for of in paths.enclosing_loops(stmt) {
            let StmtKind::For { target, iter, .. } = &paths.stmt(of).kind else {
                return None;
            };
            let over = iteration(module, *iter)?;
            let list = self.beside(at, over.list);
            if over.positions || self.is_part(list) {
                return None;
            }
            // How many blocks a message has is nobody's choice, and a loop around goes through more than one.
            let blocks = self.is_content_of_some(list) && paths.enclosing_loops(of).next().is_some();
            if !blocks && self.histories().confidence(self.node(list)).is_none() {
                continue;
            }
            let item = self.node(self.beside(at, *target));
            let inside = |guard: &Guard| paths.stmt_of(guard.cond).is_some_and(|asked| paths.contains(of, asked));
            let guards = paths.guards(at.expr);
            let plain = guards
                .iter()
                .filter(|guard| inside(guard))
                .all(|guard| self.asks_item_only(self.beside(at, guard.cond), item));
            return (plain && !self.leaves_behind(function, of, stmt)).then_some(list);
        }
        None
    }

    /// Whether a marker is put where one was: a form of the message is made, and keeps what it had.
    fn is_moved(&self, site: &Site) -> bool {
        let guards = self.paths.function(site.function).guards(site.at.expr);
        guards.iter().any(|guard| {
            let mut open = vec![guard.cond];
            while let Some(expr) = open.pop() {
                let at = self.beside(site.at, expr);
                let asks =
                    self.is_marker_field(at) || self.text(at).is_some_and(|text| self.vocabulary.is_cache_marker(text));
                if guard.holds && asks {
                    return true;
                }
                open.extend(self.module(site.at.module).children(expr));
            }
            false
        })
    }

    /// Whether a list is the content of a message.
    fn is_content_of_some(&self, list: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        behind.iter().any(|one| {
            let read = self.graph.as_expr(one.node).and_then(|expr| field_read(self, expr));
            read.is_some_and(|(message, name)| {
                self.vocabulary.field(&name) == Some(Field::Content)
                    && self.histories().message(self.node(message)).is_some()
            })
        })
    }

    /// Whether a list is a stretch or a choice of another.
    fn is_part(&self, list: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        behind.iter().any(|one| {
            let Some(expr) = self.graph.as_expr(one.node) else {
                return false;
            };
            match self.kind(expr) {
                ExprKind::Slice { .. } | ExprKind::Comprehension { .. } => true,
                ExprKind::Call { idiom: Some(idiom), .. } => matches!(idiom.op, Intrinsic::Take | Intrinsic::Filter),
                _ => false,
            }
        })
    }

    /// Whether a condition asks nothing but what kind of thing the item of a loop is.
    fn asks_item_only(&self, cond: ExprRef, item: Node) -> bool {
        let constant = |expr: ExprId| {
            matches!(self.kind(self.beside(cond, expr)), ExprKind::Literal(_))
                || self.project.constant(self.beside(cond, expr)).is_some()
                || matches!(self.kind(self.beside(cond, expr)), ExprKind::List { .. })
        };
        let shape = match self.kind(cond) {
            ExprKind::TypeTest { .. } => true,
            ExprKind::Compare { op, left, right } => {
                !matches!(
                    op,
                    CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq
                ) && (constant(*left) || constant(*right))
                    && integer(self.module(cond.module), *left).is_none()
                    && integer(self.module(cond.module), *right).is_none()
            }
            ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Index { .. } => true,
            ExprKind::Call { idiom: Some(idiom), .. } => matches!(idiom.op, Intrinsic::Get | Intrinsic::GetAttribute),
            ExprKind::Call { args, .. } => match &args[..] {
                [only] => self.asks_role_of(cond, self.beside(cond, only.value)),
                _ => false,
            },
            _ => false,
        };
        shape
            && reach(&self.graph, self.node(cond), Direction::Backward, |_, _, _, _| true)
                .iter()
                .any(|one| one.node == item)
    }

    /// Whether a helper asks for the role of what it is given, and for nothing that it does not show.
    fn asks_role_of(&self, cond: ExprRef, given: ExprRef) -> bool {
        let subject = Subject::spelled(self.module(given.module), given.expr);
        let asks = self.predicates.of(cond, &subject).asks;
        asks.meets(Asks::ROLE) && !asks.meets(Asks::UNKNOWN)
    }

    /// Whether the loop, or the function, is left behind a statement.
    fn leaves_behind(&self, function: FuncRef, of: StmtId, stmt: StmtId) -> bool {
        let paths = self.paths.function(function);
        let mut here = Some(stmt);
        while let Some(at) = here.filter(|at| *at != of) {
            if !paths.completes(paths.following(at)) {
                return true;
            }
            here = paths.parent(at).map(|(parent, _)| parent);
        }
        false
    }

    // ---- in the wrong place ----------------------------------------------------------------------

    /// The newest message of the model is sought, and marked.
    fn before_newest(&self, sites: &[Site]) -> Vec<Misplaced> {
        let mut by_stmt: FxHashMap<(FuncRef, StmtId), &Site> = FxHashMap::default();
        for site in sites {
            by_stmt.entry((site.function, site.stmt)).or_insert(site);
        }
        let mut found = Vec::new();
        for scan in self.scans() {
            if scan.pick != Pick::Newest || scan.constant.is_some() || sites.is_empty() {
                continue;
            }
            let sought = self.sought(scan).accepts;
            if sought == Kinds::NONE || !Kinds::ASSISTANT.has(sought) {
                continue;
            }
            let function = self.owner(scan.site);
            let of_function = |site: &&Site| site.function == function;
            if sites.iter().filter(of_function).count() != 1 {
                continue;
            }
            let marked = self.uses_of_found(scan).into_iter().find_map(|one| {
                let owner = self.owner(one.at);
                let stmt = self.paths.function(owner).stmt_of(one.at.expr)?;
                by_stmt.get(&(owner, stmt)).copied()
            });
            found.extend(marked.map(|site| Misplaced {
                at: site.at,
                because: scan.site,
                why: MisplacedWhy::BeforeNewest,
            }));
        }
        found
    }

    /// The only marker of a function is for `positions[-2:-1]`.
    fn second_to_last(&self, site: &Site, sites: &[Site]) -> Option<Misplaced> {
        let paths = self.paths.function(site.function);
        let of = paths.enclosing_loops(site.stmt).next()?;
        let StmtKind::For { iter, .. } = &paths.stmt(of).kind else {
            return None;
        };
        let ExprKind::Slice {
            start: Some(start),
            end: Some(end),
            ..
        } = self.kind(self.beside(site.at, *iter))
        else {
            return None;
        };
        let module = self.module(site.function.module);
        let second = integer(module, *start) == Some(-2) && integer(module, *end) == Some(-1);
        let loops =
            |other: &&Site| other.function == site.function && paths.enclosing_loops(other.stmt).next().is_some();
        (second && sites.iter().filter(loops).count() == 1).then_some(Misplaced {
            at: site.at,
            because: self.beside(site.at, *iter),
            why: MisplacedWhy::SecondToLast,
        })
    }

    /// A marked block whose text differs at every call.
    fn on_volatile(&self, site: &Site) -> Option<Misplaced> {
        let ExprKind::Dict(entries) = self.kind(site.at) else {
            return None;
        };
        let text = entries.iter().find_map(|(key, value)| {
            let key = self.text(self.beside(site.at, (*key)?))?;
            (self.vocabulary.field(key) == Some(Field::Content)).then(|| self.beside(site.at, *value))
        })?;
        let sources = self.volatile_sources(self.node(text));
        let source = sources
            .iter()
            .find(|source| source.sure && source.granularity < Granularity::Day)?;
        Some(Misplaced {
            at: site.at,
            because: source.at,
            why: MisplacedWhy::Volatile,
        })
    }

    // ---- and thrown away -------------------------------------------------------------------------

    /// `send(rebuild(mark(messages)))`: what is marked is made anew without the marker.
    fn rebuilt(&self, sites: &[Site]) -> Vec<Misplaced> {
        let mut markers: Vec<FuncRef> = sites.iter().map(|site| site.function).collect();
        markers.sort_unstable();
        markers.dedup();
        let mut found = Vec::new();
        for marker in &markers {
            for site in self.project.callers_of(*marker) {
                let call = ExprRef {
                    module: site.caller.module,
                    expr: site.call,
                };
                if self.module(call.module).is_test || markers.contains(&site.caller) {
                    continue;
                }
                if let Some(rebuild) = self.rebuilt_after(call, &markers) {
                    found.push(Misplaced {
                        at: call,
                        because: rebuild,
                        why: MisplacedWhy::Rebuilt,
                    });
                }
            }
        }
        found
    }

    /// The call that makes the messages of a marked list anew, on its way to the model.
    fn rebuilt_after(&self, marked: ExprRef, markers: &[FuncRef]) -> Option<ExprRef> {
        let onward = reach(
            &self.graph,
            self.node(marked),
            Direction::Forward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same),
        );
        onward.iter().find_map(|one| {
            let value = self.graph.as_expr(one.node)?;
            let call = self.graph.around(value)?;
            let ExprKind::Call { args, .. } = self.kind(call) else {
                return None;
            };
            let given = args.iter().any(|arg| arg.value == value.expr);
            let rebuilds = self
                .project
                .callees_of(call)
                .iter()
                .any(|callee| !markers.contains(callee) && self.rebuilds(*callee));
            (given && rebuilds && self.is_given_as_messages(call)).then_some(call)
        })
    }

    fn is_given_as_messages(&self, list: ExprRef) -> bool {
        let onward = reach(&self.graph, self.node(list), Direction::Forward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_))
        });
        onward.iter().any(|one| {
            let at = self.graph.as_expr(one.node);
            at.is_some_and(|at| self.model_sends().iter().any(|send| send.messages == Some(at)))
        })
    }

    /// Whether a function makes new messages of some fields of the old ones, and joins what blocks they
    /// have into one text.
    fn rebuilds(&self, function: FuncRef) -> bool {
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let paths = self.paths.function(function);
        let exprs: Vec<ExprId> = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt)).collect();
        let returns = self.graph.find(&Origin::Result(function)).is_some();
        let picks = exprs.iter().any(|expr| match self.kind(at(*expr)) {
            ExprKind::Comprehension {
                kind: ListKind::Dict, ..
            } => true,
            _ => self
                .construction(at(*expr))
                .is_some_and(|made| made.base.is_none() && !made.is_tool_result(self)),
        });
        let joins = exprs.iter().any(|expr| match self.kind(at(*expr)) {
            ExprKind::Call { idiom: Some(idiom), .. } => idiom.op == Intrinsic::Join,
            ExprKind::Binary { op: BinaryOp::Add, .. } => false,
            _ => false,
        });
        returns && picks && joins
    }
}
