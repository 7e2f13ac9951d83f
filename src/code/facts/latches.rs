//! Flags that let a reminder through once, and what becomes of them when the history is cut.

use super::{Durability, Facts, Keeper};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprKind, Intrinsic, Literal, StmtKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef};
use crate::code::vocabulary::{Purpose, Role};

/// A latch that outlives what it guards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StuckLatch {
    /// Where the history is replaced.
    pub(crate) cut: ExprRef,
    /// Where the reminder is stored.
    pub(crate) reminder: ExprRef,
    /// Where the flag is set.
    pub(crate) set: ExprRef,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn stuck_latches(&self) -> Vec<StuckLatch> {
        let mut found = Vec::new();
        for made in self.constructions() {
            let Some(class) = self.project.function(self.owner(made.expr)).class else {
                continue;
            };
            let injected = matches!(made.role, Some(Role::System | Role::User)) && !made.removal;
            if self.module(made.expr.module).is_test || !injected {
                continue;
            }
            let Some(content) = made.content else { continue };
            if !self.is_fixed_text(content, Role::User) {
                continue;
            }
            let class = ClassRef {
                module: made.expr.module,
                class,
            };
            let Durability::Durable(kept) = self.durability(made.expr) else {
                continue;
            };
            let stored = kept.iter().find(|kept| kept.keeper == Keeper::Object);
            let latch = stored.and_then(|kept| Some((kept.enters, self.latch_around(class, kept.enters)?)));
            let Some((reminder, set)) = latch else { continue };
            let Some(list) = self.receiver_list(reminder) else {
                continue;
            };
            found.extend(
                self.cut_without_reset(class, list, set)
                    .map(|cut| StuckLatch { cut, reminder, set }),
            );
        }
        found
    }

    /// The attribute that a call puts something into.
    fn receiver_list(&self, call: ExprRef) -> Option<ExprRef> {
        let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(call) else {
            return None;
        };
        let list = self.beside(call, *idiom.operands.first()?);
        matches!(self.kind(list), ExprKind::Attribute { .. }).then_some(list)
    }

    /// A flag of the object that is tested on the way to an expression, and set where that stands.
    fn latch_around(&self, class: ClassRef, at: ExprRef) -> Option<ExprRef> {
        let function = self.owner(at);
        let tested: Vec<Node> = self
            .guards_around(at, 1)
            .into_iter()
            .filter_map(|(place, guard)| self.flag_field(class, self.beside(place, guard.cond)))
            .collect();
        self.flag_writes(function, true).into_iter().find(|target| {
            self.flag_field(class, *target)
                .is_some_and(|field| tested.contains(&field))
        })
    }

    /// The attribute of the object that an expression is.
    fn flag_field(&self, class: ClassRef, expr: ExprRef) -> Option<Node> {
        let ExprKind::Attribute { base, name } = self.kind(expr) else {
            return None;
        };
        let ExprKind::Name(receiver) = self.kind(self.beside(expr, *base)) else {
            return None;
        };
        let symbol = self.graph.symbol(name)?;
        let owner = self.project.field_owner(class, name);
        self.project
            .is_receiver(self.owner(expr), receiver)
            .then(|| self.graph.find(&Origin::Field(owner, symbol)))?
    }

    /// The targets that a function sets to `true`, or to something else.
    fn flag_writes(&self, function: FuncRef, to: bool) -> Vec<ExprRef> {
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let paths = self.paths.function(function);
        let writes = paths.stmts().filter_map(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } => {
                let is_true = matches!(self.kind(at(*value)), ExprKind::Literal(Literal::Bool(true)));
                (is_true == to).then(|| targets.iter().map(|target| at(*target)))
            }
            _ => None,
        });
        writes.flatten().collect()
    }

    /// A compaction of the list in the same class that leaves the flag as it is, where nothing else
    /// resets it.
    fn cut_without_reset(&self, class: ClassRef, list: ExprRef, set: ExprRef) -> Option<ExprRef> {
        let flag = self.flag_field(class, set)?;
        let held = self.flag_field(class, list)?;
        let methods: Vec<FuncRef> = self
            .project
            .class(class)
            .methods
            .iter()
            .map(|(_, function)| FuncRef {
                module: class.module,
                function: *function,
            })
            .collect();
        let constructor = self.project.special(class, crate::code::ir::Special::Constructor);
        let own = |function: &&FuncRef| Some(**function) != constructor;
        let resets = methods.iter().filter(own).any(|function| {
            let writes = self.flag_writes(*function, false);
            writes
                .iter()
                .any(|target| self.flag_field(class, *target) == Some(flag))
        });
        let outside = self.graph.incoming(flag).iter().any(|edge| {
            let writer = self.graph.as_expr(edge.node);
            writer.is_some_and(|expr| !methods.contains(&self.owner(expr)))
        });
        if resets || outside {
            return None;
        }
        methods
            .iter()
            .filter(own)
            .find_map(|function| self.compaction_of(class, *function, held))
    }

    /// The statement of a method that replaces the list by something shorter that was made of it.
    fn compaction_of(&self, class: ClassRef, function: FuncRef, held: Node) -> Option<ExprRef> {
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let paths = self.paths.function(function);
        let replaced = paths.stmts().find_map(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } => {
                let target = targets
                    .iter()
                    .map(|target| at(*target))
                    .find(|target| self.flag_field(class, *target) == Some(held))?;
                self.is_shorter(at(*value), held).then_some(target)
            }
            _ => None,
        })?;
        let name = &self.project.function(function).name;
        let summary = self.vocabulary.purposes(name).contains(&Purpose::Summary);
        let mut reads = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
        let reads = reads.any(|expr| {
            let given = self.graph.around(at(expr)).is_some_and(|outer| {
                matches!(self.kind(outer), ExprKind::Call { idiom: None, args, .. } if args.iter().any(|arg| arg.value == expr))
            });
            given && self.flag_field(class, at(expr)) == Some(held)
        });
        (summary || reads).then_some(replaced)
    }

    /// Whether a value is a new list that does not hold all of the old one.
    fn is_shorter(&self, value: ExprRef, held: Node) -> bool {
        let whole = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, kept, _| {
                kept.is_empty()
                    && matches!(
                        flow,
                        Flow::Same
                            | Flow::Part(
                                crate::code::flow::graph::Part::Concat
                                    | crate::code::flow::graph::Part::Copy
                                    | crate::code::flow::graph::Part::DeepCopy
                            )
                    )
            },
        );
        let made = match self.kind(value) {
            ExprKind::List { items, .. } => !items.is_empty(),
            ExprKind::Call { idiom: Some(idiom), .. } => idiom.op == Intrinsic::Chain,
            ExprKind::Binary { .. } | ExprKind::Slice { .. } => true,
            _ => false,
        };
        made && !whole.iter().any(|one| one.node == held)
    }
}
