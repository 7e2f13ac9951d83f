//! Calls that no result will ever name: results under an id that is written in the program, and queues
//! of calls that are emptied before their turn.

use super::{Addition, Asked, Search, Split, SplitAt, SplitKind};
use crate::code::facts::cuts::Repairs;
use crate::code::facts::{Construction, Durability, Keeper};
use crate::code::flow::graph::Flow;
use crate::code::flow::paths::StmtId;
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, ListKind, Name, StmtKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Block, Field, Role, last_segment, words};
use crate::finding::Confidence;

impl Search<'_, '_> {
    /// A result that is made at run time and names the call that it answers by a word of the program.
    pub(super) fn unnamed(&self, made: &Construction) -> Option<Split> {
        let call = made.field(self.facts, |field| field == Field::ToolResult)?;
        let id = self.facts.text(call)?;
        // A pair that is written out as a whole is an example.
        let content = made.content;
        let written = content.is_some_and(|content| self.facts.project.constant(content).is_some());
        let added = self.additions().iter().any(|added| added.value == made.expr.expr);
        let recorded = self.is_recorded(made.expr);
        let joins = added || recorded;
        let other = if id.is_empty() {
            // Where calls have no ids, results have none either.
            !self.knows_ids(recorded) || self.is_id_of_call(id)
        } else {
            self.names_a_call(id, call.expr)
        };
        (!written && joins && !other).then_some(Split {
            kind: SplitKind::Unnamed,
            at: SplitAt::Expr(call),
            because: made.expr,
            confidence: Confidence::High,
        })
    }

    /// Whether a result, or what a function makes of it and nothing else, is handed to a store.
    fn is_recorded(&self, made: ExprRef) -> bool {
        let stored = |message: ExprRef| match self.facts.durability(message) {
            Durability::Durable(kept) => kept.iter().any(|kept| kept.keeper == Keeper::Store),
            _ => false,
        };
        let onward = reach(
            &self.facts.graph,
            self.facts.node(made),
            Direction::Forward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        let mut converted = onward.iter().filter_map(|one| {
            let value = self.facts.graph.as_expr(one.node)?;
            let call = self.facts.graph.around(value)?;
            let (_, args) = self.facts.call(call)?;
            let alone = matches!(args, [arg] if arg.value == value.expr);
            (alone && self.facts.owner(call) == self.function).then_some(call)
        });
        stored(made) || converted.any(stored)
    }

    /// Whether the same word stands in the file outside results, as the id of a call may.
    fn names_a_call(&self, id: &Name, here: ExprId) -> bool {
        let module = self.facts.module(self.function.module);
        let exprs = (0..module.exprs.len()).map(|expr| ExprId(expr as u32));
        exprs.filter(|expr| *expr != here).any(|expr| {
            self.facts.text(self.at(expr)) == Some(id)
                && !self.facts.is_test(self.at(expr))
                && !self.facts.constructions().iter().any(|made| {
                    made.is_tool_result(self.facts)
                        && made.field(self.facts, |field| field == Field::ToolResult) == Some(self.at(expr))
                })
        })
    }

    /// Whether a message with calls is made under this id in the file.
    fn is_id_of_call(&self, id: &Name) -> bool {
        let mut made = self.facts.constructions().iter();
        made.any(|made| {
            let is_id = |(_, value): &(Name, ExprRef)| self.facts.text(*value) == Some(id);
            made.expr.module == self.function.module
                && made.role == Some(Role::Assistant)
                && made.fields.iter().any(is_id)
        })
    }

    /// Whether the ids of calls are at hand in the function, or in its file.
    fn knows_ids(&self, in_file: bool) -> bool {
        let names_id = |expr: ExprId| {
            let (ExprKind::Attribute { name, .. } | ExprKind::Name(name)) = self.kind(expr) else {
                return false;
            };
            self.facts.vocabulary.field(name) == Some(Field::ToolResult)
        };
        if in_file {
            let module = self.facts.module(self.function.module);
            return (0..module.exprs.len()).any(|expr| names_id(ExprId(expr as u32)));
        }
        let mut here = self.paths.stmts().flat_map(|stmt| self.paths.own_exprs_in(stmt));
        here.any(names_id)
    }

    /// A queue of calls that is emptied although results go into the history for the others, and the
    /// conversation goes on.
    pub(super) fn abandoned(&self, repairs: &Repairs) -> Vec<Split> {
        if !repairs.of_function(self.function).is_empty() {
            return Vec::new();
        }
        let additions = self.additions();
        if !additions.iter().any(|added| self.is_result(added.value)) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for stmt in self.paths.stmts() {
            let Some(queue) = self.emptied(stmt).filter(|queue| self.waits_in(*queue)) else {
                continue;
            };
            let block = self.paths.siblings(stmt);
            let answers = additions.iter().any(|added| {
                self.is_result(added.value) && block.iter().any(|one| self.paths.contains(*one, added.stmt))
            });
            let handed = block.iter().any(|one| *one != stmt && self.hands_on(*one, queue));
            let goes_on = additions
                .iter()
                .find(|added| self.paths.following(stmt).contains(&added.stmt));
            if let Some(Addition { by, list, .. }) = goes_on.filter(|_| !answers && !handed)
                && let Some(confidence) = self.sure(*list)
            {
                found.push(Split {
                    kind: SplitKind::Abandoned,
                    at: SplitAt::Stmt(self.function, stmt),
                    because: self.at(*by),
                    confidence: confidence.min(Confidence::Medium),
                });
            }
        }
        found
    }

    /// The list that a statement in a loop leaves empty.
    fn emptied(&self, stmt: StmtId) -> Option<ExprId> {
        self.paths.enclosing_loops(stmt).next()?;
        match &self.paths.stmt(stmt).kind {
            StmtKind::Expr(call) => match self.kind(*call) {
                ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Clear => {
                    idiom.operands.first().copied()
                }
                _ => None,
            },
            StmtKind::Assign { targets, value, .. } => {
                let empty =
                    matches!(self.kind(*value), ExprKind::List { kind: ListKind::List, items } if items.is_empty());
                targets.first().copied().filter(|_| empty)
            }
            _ => None,
        }
    }

    /// Whether calls of a reply are put into a list outside the block that empties it.
    fn waits_in(&self, queue: ExprId) -> bool {
        let module = self.facts.module(self.function.module);
        let same = |expr: ExprId| same_spelling(module, queue, expr);
        let reads_calls = |expr: ExprId| {
            self.inside(expr).any(|inner| match self.kind(inner) {
                ExprKind::Attribute { name, .. } | ExprKind::Name(name) => {
                    self.facts.vocabulary.field(name) == Some(Field::ToolCall)
                }
                _ => false,
            })
        };
        self.paths.stmts().any(|stmt| match &self.paths.stmt(stmt).kind {
            StmtKind::Expr(call) => match self.kind(*call) {
                ExprKind::Call { idiom: Some(idiom), .. } => {
                    matches!(idiom.op, Intrinsic::Append | Intrinsic::Extend)
                        && matches!(idiom.operands[..], [list, value] if same(list) && reads_calls(value))
                }
                _ => false,
            },
            StmtKind::Update { target, value, .. } => same(*target) && reads_calls(*value),
            _ => false,
        })
    }

    /// Whether the calls of a message wait in a list that is worked off elsewhere in the function.
    pub(super) fn wait_in_queue(&self, asked: &Asked, names: &[Name]) -> bool {
        let module = self.facts.module(self.function.module);
        let calls = |value: ExprId| match self.kind(value) {
            ExprKind::Name(name) => names.contains(name),
            _ => self.reads_calls(value, &asked.root),
        };
        let queued = self.paths.stmts().filter_map(|stmt| match &self.paths.stmt(stmt).kind {
            StmtKind::Expr(call) => match self.kind(*call) {
                ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Extend => {
                    match idiom.operands[..] {
                        [list, value] => self.inside(value).any(calls).then_some(list),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => None,
        });
        queued.into_iter().any(|list| {
            let same = |expr: ExprId| same_spelling(module, list, expr);
            self.paths.stmts().any(|stmt| match &self.paths.stmt(stmt).kind {
                StmtKind::Assign { targets, .. } | StmtKind::Delete(targets) => targets.iter().any(|target| {
                    matches!(self.kind(*target), ExprKind::Slice { base, .. } | ExprKind::Index { base, .. } if same(*base))
                }),
                _ => self.paths.own_exprs_in(stmt).any(|expr| match self.kind(expr) {
                    ExprKind::Call { idiom: Some(idiom), .. } => {
                        matches!(idiom.op, Intrinsic::Pop | Intrinsic::PopFirst | Intrinsic::Clear)
                            && idiom.operands.first().is_some_and(|first| same(*first))
                    }
                    _ => false,
                }),
            })
        })
    }

    /// Whether a statement gives the list to something that may see to the calls in it.
    fn hands_on(&self, stmt: StmtId, list: ExprId) -> bool {
        let module = self.facts.module(self.function.module);
        let is_list = |expr: ExprId| same_spelling(module, list, expr);
        let mut exprs = self.paths.exprs_in(stmt);
        let in_call = exprs.any(|expr| match self.kind(expr) {
            ExprKind::Call { args, .. } => args.iter().any(|arg| self.inside(arg.value).any(is_list)),
            _ => false,
        });
        in_call || matches!(&self.paths.stmt(stmt).kind, StmtKind::For { iter, .. } if self.inside(*iter).any(is_list))
    }

    /// Whether a value is the result of a tool, by its construction or by the name of what makes it.
    fn is_result(&self, value: ExprId) -> bool {
        if let Some(made) = self.facts.construction(self.at(value)) {
            return made.is_tool_result(self.facts);
        }
        let ExprKind::Call { callee, .. } = self.kind(value) else {
            return false;
        };
        self.facts.path(self.at(*callee)).is_some_and(|path| {
            let name = last_segment(&path).to_owned();
            let words = words(&name);
            let two = words.iter().take(2).map(String::as_str).collect::<Vec<_>>().join("_");
            self.facts.vocabulary.block(&two) == Some(Block::ToolResult)
        })
    }
}
