//! Stored turns that are turned into messages: calls that get a result only where they gave one.

use super::{Search, Split, SplitAt, SplitKind};
use crate::code::facts::fields::field_read;
use crate::code::flow::paths::StmtId;
use crate::code::ir::{ExprId, ExprKind, Name, StmtKind};
use crate::code::vocabulary::Field;

impl Search<'_, '_> {
    /// `for call in item.calls: if call.output: messages.append(result)`, in a loop over the turns that
    /// adds the message with the calls before: a call without output gets no result at all.
    pub(super) fn unanswered(&self) -> Vec<Split> {
        let additions = self.additions();
        let results: Vec<_> = additions
            .iter()
            .filter(|added| {
                let made = self.facts.construction(self.at(added.value));
                !added.extends && made.is_some_and(|made| made.is_tool_result(self.facts))
            })
            .collect();
        let mut found = Vec::new();
        for result in &results {
            let mut loops = self.paths.enclosing_loops(result.stmt);
            let (Some(calls), Some(turns)) = (loops.next(), loops.next()) else {
                continue;
            };
            let StmtKind::For { target, .. } = self.paths.stmt(calls).kind else {
                continue;
            };
            let ExprKind::Name(call) = self.kind(target) else {
                continue;
            };
            // Another result in the same loop answers the call in the other case.
            let alone = results
                .iter()
                .filter(|other| self.paths.contains(calls, other.stmt))
                .count()
                == 1;
            let asked = additions.iter().find(|added| {
                added.stmt < calls
                    && self.paths.contains(turns, added.stmt)
                    && self.same_list(self.at(added.list), result.list)
            });
            let (Some(asked), Some(cond), true) = (asked, self.condition_in(calls, result.stmt, call), alone) else {
                continue;
            };
            let Some(confidence) = self.sure(result.list) else {
                continue;
            };
            let output = self.output_tested(cond, call, result.value);
            if output.is_some_and(|output| !self.chooses_by(asked.value, &output)) {
                found.push(Split {
                    kind: SplitKind::Unanswered,
                    at: SplitAt::Expr(self.at(cond)),
                    because: self.at(asked.by),
                    confidence,
                });
            }
        }
        found
    }

    /// The condition inside a loop under which a statement runs; it asks about the loop's variable.
    fn condition_in(&self, around: StmtId, stmt: StmtId, call: &Name) -> Option<ExprId> {
        let mut guards = self.paths.guards_at(stmt).into_iter().filter(|guard| {
            let of = self.paths.stmt_of(guard.cond);
            of.is_some_and(|of| of != around && self.paths.contains(around, of))
        });
        let asks = |expr: ExprId| matches!(self.kind(expr), ExprKind::Name(name) if name == call);
        guards
            .find(|guard| self.inside(guard.cond).any(asks))
            .map(|guard| guard.cond)
    }

    /// The field of a call that a condition asks for and the content of the result is made of.
    fn output_tested(&self, cond: ExprId, call: &Name, result: ExprId) -> Option<Name> {
        let content = self.facts.construction(self.at(result))?.content?;
        let fields = |expr: ExprId| {
            self.inside(expr).filter_map(|inner| {
                let (base, name) = field_read(self.facts, self.at(inner))?;
                (self.root(base.expr) == Some(call)).then_some(name)
            })
        };
        let tested: Vec<Name> = fields(cond).collect();
        let known = |name: &Name| {
            matches!(
                self.facts.vocabulary.field(name),
                Some(Field::Role(_) | Field::Id | Field::ToolResult | Field::ToolCall)
            )
        };
        fields(content.expr).find(|name| tested.contains(name) && !known(name))
    }

    /// Whether the message with the calls was made of those that have such a field.
    fn chooses_by(&self, asked: ExprId, output: &Name) -> bool {
        self.inside(asked).any(|inner| match self.kind(inner) {
            ExprKind::Comprehension { clauses, .. } => {
                clauses.iter().flat_map(|clause| &clause.conditions).any(|cond| {
                    self.inside(*cond)
                        .any(|inner| field_read(self.facts, self.at(inner)).is_some_and(|(_, name)| name == *output))
                })
            }
            _ => false,
        })
    }
}
