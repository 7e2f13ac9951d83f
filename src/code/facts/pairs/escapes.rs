//! Ways past the results of a call.

use super::{Addition, Asked, Search, Split, SplitAt, SplitKind};
use crate::code::facts::fields::field_read;
use crate::code::flow::graph::{Flow, Origin, Part};
use crate::code::flow::paths::{Detour, ExitKind, Slot, StmtId, When};
use crate::code::flow::reach::{Direction, Reached, reach};
use crate::code::ir::{CompareOp, ExprId, ExprKind, Intrinsic, Literal, Name, StmtKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Block, Role};

impl Search<'_, '_> {
    pub(super) fn escapes(&self) -> Vec<Split> {
        let additions = self.additions();
        let mut found = Vec::new();
        for asked in self.asked(&additions) {
            let names = self.call_names(&asked.root);
            let results = self.results(&asked, &names, &additions);
            if results.is_empty() || self.takes_back(&asked) || self.wait_in_queue(&asked, &names) {
                continue;
            }
            let complete = |stmt: StmtId| matches!(self.paths.stmt(stmt).kind, StmtKind::For { .. });
            let others = self.offers_tools_of_others();
            let harmless = |cond: ExprId, holds: bool| {
                self.says_no_calls(cond, holds, &asked.root, &names) || others && !holds && self.asks_tool_name(cond)
            };
            let detour = Detour {
                through: &results,
                complete: &complete,
                harmless: &harmless,
            };
            let exits = self.paths.escapes(asked.stmt, &detour);
            let Some(confidence) = self.sure(asked.list.expr) else {
                continue;
            };
            let lives_on = self.lives_on(asked.list);
            for exit in exits {
                let Some(at) = exit.at.filter(|_| !exit.implicit) else {
                    continue;
                };
                let counts = match exit.kind {
                    ExitKind::Continue | ExitKind::NextIteration => true,
                    ExitKind::Break | ExitKind::Return => lives_on,
                    ExitKind::Raise | ExitKind::End => false,
                };
                if counts && (!self.is_last_call(at) || self.fails_before_result(at, &results)) {
                    let at = SplitAt::Stmt(self.function, at);
                    found.push(Split {
                        kind: SplitKind::Escape(exit.kind),
                        at,
                        because: asked.at,
                        confidence,
                    });
                    break;
                }
            }
        }
        found
    }

    /// The statements that add results to the same list.
    pub(super) fn results(&self, asked: &Asked, names: &[Name], additions: &[Addition]) -> Vec<StmtId> {
        let about_calls = |expr: ExprId| {
            self.inside(expr).any(|inner| {
                self.reads_calls(inner, &asked.root)
                    || matches!(self.kind(inner), ExprKind::Name(name) if names.contains(name))
            })
        };
        let mut found = Vec::new();
        for &Addition {
            stmt,
            list,
            value,
            extends,
            ..
        } in additions
        {
            if stmt == asked.stmt || !self.same_list(asked.list, list) {
                continue;
            }
            let made = self.facts.made_behind(self.at(value));
            let is_result = made.is_some_and(|made| made.is_tool_result(self.facts));
            let unknown =
                made.is_none() && (extends || about_calls(value) || self.comes_from_calls(value, asked, names));
            let carries = made.is_some_and(|made| made.role == Some(Role::User)) && self.holds_results(value);
            if is_result || unknown || carries {
                found.push(stmt);
            }
        }
        // Helpers that are given the list and the calls, or the reply.
        for stmt in self.paths.stmts().filter(|&stmt| stmt != asked.stmt) {
            for expr in self.paths.own_exprs_in(stmt) {
                let ExprKind::Call {
                    callee,
                    args,
                    idiom: None,
                } = self.kind(expr)
                else {
                    continue;
                };
                let given = args.iter().any(|arg| {
                    about_calls(arg.value)
                        || matches!(self.kind(arg.value), ExprKind::Name(name) if *name == asked.root)
                });
                let takes_list = args.iter().any(|arg| self.same_list(asked.list, arg.value))
                    || self.root(*callee).is_some_and(|root| {
                        self.root(asked.list.expr) == Some(root) && self.facts.project.is_receiver(self.function, root)
                    });
                if given && takes_list && self.order_after(asked.stmt, stmt) && self.adds_to_history(expr, takes_list) {
                    found.push(stmt);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a helper of the project adds to a history; one from elsewhere may.
    pub(super) fn adds_to_history(&self, call: ExprId, takes_list: bool) -> bool {
        let callees = self.facts.project.callees_of(self.at(call));
        if callees.is_empty() {
            return takes_list && matches!(self.kind(call), ExprKind::Call { args, .. } if args.len() > 1);
        }
        callees.iter().any(|callee| {
            let inner = Search {
                facts: self.facts,
                function: *callee,
                paths: self.facts.paths.function(*callee),
            };
            !inner.additions().is_empty()
        })
    }

    pub(super) fn order_after(&self, first: StmtId, second: StmtId) -> bool {
        self.paths.stmt_order(first, second).when == When::Before
    }

    /// A variable whose value was made of the calls: `results = await execute(calls)`.
    pub(super) fn comes_from_calls(&self, value: ExprId, asked: &Asked, names: &[Name]) -> bool {
        let ExprKind::Name(name) = self.kind(value) else {
            return false;
        };
        self.paths.stmts().any(|stmt| match &self.paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } => {
                targets.iter().any(|target| self.inside(*target).any(|inner| matches!(self.kind(inner), ExprKind::Name(other) if other == name)))
                    && self.inside(*value).any(|inner| {
                        self.reads_calls(inner, &asked.root)
                            || matches!(self.kind(inner), ExprKind::Name(other) if names.contains(other) || *other == asked.root)
                    })
            }
            StmtKind::For { target, iter, .. } => {
                self.inside(*target).any(|inner| matches!(self.kind(inner), ExprKind::Name(other) if other == name))
                    && self.inside(*iter).any(|inner| {
                        self.reads_calls(inner, &asked.root)
                            || matches!(self.kind(inner), ExprKind::Name(other) if names.contains(other))
                    })
            }
            _ => false,
        })
    }

    /// Whether a user message carries results of tools.
    pub(super) fn holds_results(&self, value: ExprId) -> bool {
        let Some(made) = self.facts.construction(self.at(value)) else {
            return false;
        };
        let Some(content) = made.content else { return false };
        // A list that is filled with results, or a display of them; text is none.
        !matches!(self.facts.kind(content), ExprKind::Template(_) | ExprKind::Literal(_))
            && (self.facts.has_user_results(content.module) || self.mentions_result_block(content.expr))
    }

    pub(super) fn mentions_result_block(&self, expr: ExprId) -> bool {
        self.inside(expr).any(|inner| match self.kind(inner) {
            ExprKind::Literal(Literal::Str(text)) => self.facts.vocabulary.block(text) == Some(Block::ToolResult),
            _ => false,
        })
    }

    /// Whether a condition that comes out so says that there are no calls to answer.
    pub(super) fn says_no_calls(&self, cond: ExprId, holds: bool, root: &Name, names: &[Name]) -> bool {
        let about = |expr: ExprId| {
            self.reads_calls(expr, root) || matches!(self.kind(expr), ExprKind::Name(name) if names.contains(name))
        };
        if about(cond) {
            return !holds;
        }
        let module = self.facts.module(self.function.module);
        let reason = self.inside(cond).any(|inner| {
            field_read(self.facts, self.at(inner)).is_some_and(|(_, name)| self.facts.vocabulary.is_stop_field(&name))
                || matches!(self.kind(inner), ExprKind::Name(name) if self.facts.vocabulary.is_stop_field(name))
        });
        if reason {
            return true;
        }
        match module.kind(cond) {
            ExprKind::Compare { op, left, right } => {
                let none = |expr: ExprId| matches!(self.kind(expr), ExprKind::Literal(Literal::None | Literal::Int(0)));
                let length = |expr: ExprId| self.inside(expr).any(about);
                let empty = none(*left) && length(*right) || none(*right) && length(*left);
                match op {
                    CompareOp::Eq | CompareOp::Is | CompareOp::LessEq => empty && holds,
                    CompareOp::NotEq | CompareOp::IsNot | CompareOp::Greater => empty && !holds,
                    _ => false,
                }
            }
            // A helper that is asked about the reply or its calls.
            ExprKind::Call { .. } => self
                .inside(cond)
                .any(|inner| about(inner) || matches!(self.kind(inner), ExprKind::Name(name) if name == root)),
            ExprKind::Attribute { .. } => self.root(cond) == Some(root),
            _ => false,
        }
    }

    /// Whether the message is taken out again somewhere: the way that leaves may clean up.
    pub(super) fn takes_back(&self, asked: &Asked) -> bool {
        self.paths.stmts().filter(|&stmt| stmt != asked.stmt).any(|stmt| {
            let popped = self.paths.own_exprs_in(stmt).any(|expr| match self.kind(expr) {
                ExprKind::Call { idiom: Some(idiom), .. } => {
                    matches!(idiom.op, Intrinsic::Pop | Intrinsic::Clear | Intrinsic::RemoveValue)
                        && idiom
                            .operands
                            .first()
                            .is_some_and(|list| self.same_list(asked.list, *list))
                }
                _ => false,
            });
            let deleted = match &self.paths.stmt(stmt).kind {
                StmtKind::Delete(targets) => targets.iter().any(|target| match self.kind(*target) {
                    ExprKind::Index { base, .. } | ExprKind::Slice { base, .. } => self.same_list(asked.list, *base),
                    _ => false,
                }),
                _ => false,
            };
            (popped || deleted) && self.order_after(asked.stmt, stmt)
        })
    }

    /// Whether the list outlives the function: an attribute, one that the caller gave, or a part of what is
    /// returned.
    pub(super) fn lives_on(&self, list: ExprRef) -> bool {
        let graph = &self.facts.graph;
        let given = graph.incoming(self.facts.node(list)).iter().any(|edge| {
            matches!(
                graph.origin(edge.node),
                Origin::Param(..) | Origin::Field(..) | Origin::Slot(..)
            )
        });
        // A use leads nowhere: what becomes of the list is seen from where the variable got it.
        let same = |flow: Flow| flow == Flow::Same;
        let behind = reach(graph, self.facts.node(list), Direction::Backward, |flow, _, _, _| {
            same(flow)
        });
        let returned = |from: &Reached| {
            let onward = reach(graph, from.node, Direction::Forward, |flow, _, held, _| {
                // A class that is not among the files keeps what it is given.
                held.len() < 2 && (same(flow) || matches!(flow, Flow::Store(_) | Flow::Part(Part::Copy) | Flow::Opaque))
            });
            onward.iter().any(|one| {
                (one.via.opaque || !one.held.is_empty())
                    && matches!(graph.origin(one.node), Origin::Result(function) if *function == self.function)
            })
        };
        given || behind.iter().any(returned)
    }

    /// Whether the way leaves because of which tool was called: the last one of a run answers nothing.
    pub(super) fn is_last_call(&self, at: StmtId) -> bool {
        let guards = self.paths.guards_at(at);
        guards
            .iter()
            .any(|guard| guard.holds && self.asks_tool_name(guard.cond))
    }

    /// Whether a way leaves because of an error on the way to a result.
    fn fails_before_result(&self, at: StmtId, results: &[StmtId]) -> bool {
        let mut around = self.paths.parents(at);
        around.any(|(parent, slot)| {
            let tried = || self.paths.block(parent, Slot::Try).iter();
            matches!(slot, Slot::Handler(_))
                && tried().any(|tried| results.iter().any(|result| self.paths.contains(*tried, *result)))
        })
    }
}
