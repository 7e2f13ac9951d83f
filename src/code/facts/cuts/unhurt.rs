//! Cuts that take no question away: what is asked stands behind what is kept, or what is cut off is told
//! again in front of it.

use super::reaches::{Goes, goes_around};
use super::{Finder, Reach, Seen};
use crate::code::facts::Facts;
use crate::code::flow::graph::{Flow, Node};
use crate::code::flow::iteration::integer;
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Module, Name, StmtKind, TemplatePart};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Field;

impl Finder<'_, '_> {
    /// Whether no question is lost to a cut that leaves tool pairs whole.
    pub(super) fn loses_no_question(&self, seen: &Seen, goes: &Goes) -> bool {
        let tasks = goes.behind.iter().filter(|(message, _)| self.is_task(*message));
        let lists: Vec<ExprRef> = tasks.map(|(_, list)| *list).collect();
        // Whatever reads what is kept reads the task behind it.
        let only_task = || {
            goes.reach == Reach::Model
                || goes_around(self.facts, &seen.kept, &self.ignored, true, &lists).reach == Reach::Nowhere
        };
        !lists.is_empty() && only_task() || self.is_rest_told(seen.site, &goes.joined)
    }

    /// Whether a message asks for something about the conversation: what the conversation itself asks
    /// for is to be read, not to be done.
    fn is_task(&self, message: ExprRef) -> bool {
        let facts = self.facts;
        let content = facts.construction(message).and_then(|made| made.content);
        content.is_some_and(|content| {
            let module = facts.module(content.module);
            let inside = module.inside(content.expr).map(|inner| facts.beside(content, inner));
            inside
                .flat_map(|inner| texts(facts, inner))
                .any(|text| facts.vocabulary.is_task(&text))
        })
    }

    /// Whether the words of what a cut leaves out go into a message that is joined with what it keeps.
    fn is_rest_told(&self, site: ExprRef, joined: &[ExprRef]) -> bool {
        let facts = self.facts;
        let told = |rest: ExprRef| {
            let mut contents = false;
            let walked = reach(&facts.graph, facts.node(rest), Direction::Forward, |flow, _, _, _| {
                if let Flow::Load(symbol) = flow {
                    contents |= facts.vocabulary.field(facts.graph.symbol_name(symbol)) == Some(Field::Content);
                }
                matches!(
                    flow,
                    Flow::Same
                        | Flow::Element
                        | Flow::Into
                        | Flow::Load(_)
                        | Flow::Text
                        | Flow::Part(_)
                        | Flow::Enter(_)
                        | Flow::Leave(_)
                )
            });
            let texts = walked
                .iter()
                .filter(|one| one.via.text)
                .filter_map(|one| facts.graph.as_expr(one.node));
            contents && texts.into_iter().any(|text| self.is_told_beside(text, joined))
        };
        !joined.is_empty() && self.rests(site).into_iter().any(told)
    }

    /// Whether a text is the content of a message that is put in front of what is kept.
    fn is_told_beside(&self, text: ExprRef, joined: &[ExprRef]) -> bool {
        let facts = self.facts;
        let message = facts.graph.around(text);
        let made = message.and_then(|message| facts.construction(message));
        made.filter(|made| made.content == Some(text)).is_some_and(|made| {
            let goes = reach(
                &facts.graph,
                facts.node(made.expr),
                Direction::Forward,
                |flow, _, held, _| matches!(flow, Flow::Same | Flow::Part(_)) || flow == Flow::Into && held.is_empty(),
            );
            let mut places = goes.iter().filter_map(|one| facts.graph.as_expr(one.node));
            places.any(|place| joined.contains(&place))
        })
    }

    /// The slices that end where a cut begins, in its function.
    fn rests(&self, site: ExprRef) -> Vec<ExprRef> {
        let facts = self.facts;
        let ExprKind::Slice {
            base,
            start: Some(start),
            end: None,
            ..
        } = facts.kind(site)
        else {
            return Vec::new();
        };
        let module = facts.module(site.module);
        let paths = facts.paths.function(facts.owner(site));
        let kept = paths.stmt_of(site.expr).and_then(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } if *value == site.expr => match &targets[..] {
                [target] => named(module, *target),
                _ => None,
            },
            _ => None,
        });
        let all = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
        all.filter(|other| match module.kind(*other) {
            ExprKind::Slice {
                base: list,
                start: None,
                end: Some(end),
                ..
            } => {
                same_spelling(module, *base, *list)
                    && (same_spelling(module, *start, *end)
                        || kept.is_some_and(|kept| is_without(module, *end, *base, kept)))
            }
            _ => false,
        })
        .map(|other| facts.beside(site, other))
        .collect()
    }
}

fn named(module: &Module, expr: ExprId) -> Option<&Name> {
    match module.kind(expr) {
        ExprKind::Name(name) => Some(name),
        _ => None,
    }
}

/// `-len(kept)`, `len(all) - len(kept)`.
fn is_without(module: &Module, end: ExprId, all: ExprId, kept: &Name) -> bool {
    let length_of = |expr: ExprId| match module.kind(expr) {
        ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => idiom.operands.first().copied(),
        _ => None,
    };
    match module.kind(end) {
        ExprKind::Binary {
            op: BinaryOp::Sub,
            left,
            right,
        } => {
            let whole =
                integer(module, *left) == Some(0) || length_of(*left).is_some_and(|of| same_spelling(module, of, all));
            whole && length_of(*right).is_some_and(|of| named(module, of) == Some(kept))
        }
        _ => false,
    }
}

/// The texts that an expression holds: its own, or those that stand behind its name.
fn texts(facts: &Facts, expr: ExprRef) -> Vec<Name> {
    let node: Node = facts.node(expr);
    let behind = reach(&facts.graph, node, Direction::Backward, |flow, _, held, _| {
        held.is_empty() && matches!(flow, Flow::Same | Flow::Text)
    });
    let mut found = Vec::new();
    for at in behind.iter().filter_map(|one| facts.graph.as_expr(one.node)) {
        match facts.kind(at) {
            ExprKind::Template(parts) => found.extend(parts.iter().filter_map(|part| match part {
                TemplatePart::Text(text) => Some(text.clone()),
                TemplatePart::Value { .. } => None,
            })),
            _ => found.extend(facts.text(at).cloned()),
        }
    }
    found
}
