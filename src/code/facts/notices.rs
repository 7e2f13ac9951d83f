//! What texts of the program's own tell a model about limits.

use super::{Construction, Facts};
use crate::code::ir::{ExprKind, Literal, TemplatePart};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::Role;

impl Facts<'_> {
    /// Messages that tell a model to come to an end because a limit is near, and not how to say that it
    /// did not get through.
    pub(crate) fn silent_stops(&self) -> Vec<ExprRef> {
        let notices = self.constructions().iter().filter(|made| !self.is_test(made.expr));
        notices
            .filter(|made| self.limit_notice(made).is_some())
            .filter(|made| {
                let said = self.words_said(made);
                self.vocabulary.says_to_stop(&said) && !self.vocabulary.says_partial(&said)
            })
            .map(|made| made.expr)
            .collect()
    }

    /// Messages that set a limit for the answer, each with what it says, where the function that sends
    /// them never looks at the length of anything.
    pub(crate) fn unchecked_budgets(&self) -> Vec<(ExprRef, String)> {
        let mut found = Vec::new();
        for made in self.constructions() {
            let told = matches!(made.role, Some(Role::System | Role::User)) && !self.is_test(made.expr);
            if !told || made.is_tool_result(self) {
                continue;
            }
            let Some(limit) = self.vocabulary.stated_limit(&self.words_said(made)) else {
                continue;
            };
            let owner = self.owner(made.expr);
            let asks = self.model_sends().iter().any(|send| self.owner(send.call) == owner);
            if asks && !self.measures(owner) {
                found.push((made.expr, limit));
            }
        }
        found
    }

    /// What the program itself says in a message.
    fn words_said(&self, made: &Construction) -> String {
        let Some(content) = made.content else {
            return String::new();
        };
        let reached = self.made_of(self.node(content));
        let mut said = String::new();
        for at in reached.iter().filter_map(|one| self.graph.as_expr(one.node)) {
            match self.kind(at) {
                ExprKind::Literal(Literal::Str(text)) => {
                    said.push_str(text);
                    said.push(' ');
                }
                ExprKind::Template(parts) => {
                    for part in parts {
                        match part {
                            TemplatePart::Text(text) => said.push_str(text),
                            TemplatePart::Value { .. } => said.push('0'),
                        }
                    }
                    said.push(' ');
                }
                _ => {}
            }
        }
        said.to_lowercase()
    }

    /// Whether a function cuts anything to a length, compares a length, or tells the provider a limit.
    fn measures(&self, function: FuncRef) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let mut exprs = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
        exprs.any(|expr| match module.kind(expr) {
            ExprKind::Slice { end, .. } => end.is_some(),
            ExprKind::Call { args, idiom, .. } => {
                let length = idiom
                    .as_ref()
                    .is_some_and(|idiom| idiom.op == crate::code::ir::Intrinsic::Len);
                let limit = args
                    .iter()
                    .filter_map(|arg| arg.name.as_ref())
                    .any(|name| self.vocabulary.is_count_name(name));
                length || limit
            }
            _ => false,
        })
    }
}
