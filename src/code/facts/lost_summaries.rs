//! Summaries that a model writes for one call and that nobody keeps.

use super::{Durability, Facts};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{ExprKind, Intrinsic, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::finding::Confidence;

/// One such summary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LostSummary {
    /// Where the list with the summary is made for the call.
    pub(crate) at: ExprRef,
    /// The call that writes the summary.
    pub(crate) summary: ExprRef,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn lost_summaries(&self) -> Vec<LostSummary> {
        let mut found: Vec<LostSummary> = Vec::new();
        for summary in self.exprs() {
            if !self.makes_summary(summary) || self.is_test(summary) || self.is_kept_somewhere(summary) {
                continue;
            }
            let lost = self
                .put_in_passing_list(summary)
                .or_else(|| self.written_in_copy(summary));
            let at = lost.filter(|at| found.iter().all(|known| known.at != *at));
            found.extend(at.map(|at| LostSummary { at, summary }));
        }
        found
    }

    /// Whether the text of a summary is put in a field, in a variable of a file, under a key, or in a
    /// store.
    fn is_kept_somewhere(&self, summary: ExprRef) -> bool {
        let onward = reach(
            &self.graph,
            self.node(summary),
            Direction::Forward,
            |flow, _, held, _| {
                matches!(flow, Flow::Same | Flow::Text | Flow::Leave(_) | Flow::Enter(_)) && held.is_empty()
                    || matches!(flow, Flow::Load(_))
            },
        );
        onward.iter().any(|one| {
            // A field of the message that it is put in.
            let from = one.previous.and_then(|at| self.graph.as_expr(onward[at as usize].node));
            let in_message = from
                .and_then(|from| self.graph.around(from))
                .is_some_and(|outer| self.construction(outer).is_some());
            !in_message && self.keeps_text(one)
        })
    }

    fn keeps_text(&self, one: &Reached) -> bool {
        match self.graph.origin(one.node) {
            Origin::Field(..) | Origin::Slot(..) => true,
            Origin::Variable(function, _) => function.function.0 == 0,
            Origin::Expr(at) => {
                if self.graph.is_target(*at) && !matches!(self.kind(*at), ExprKind::Name(_)) {
                    return true;
                }
                // Whatever is given the text outside the project, and is no message or model, may keep it.
                let Some(call) = self.graph.around(*at) else {
                    return false;
                };
                match self.kind(call) {
                    ExprKind::Call {
                        callee,
                        args,
                        idiom: None,
                    } => {
                        let given = args.iter().any(|arg| arg.value == at.expr);
                        let shown = self
                            .path(self.beside(call, *callee))
                            .is_some_and(|path| self.vocabulary.is_display_call(&path));
                        given
                            && !shown
                            && self.project.callees_of(call).is_empty()
                            && self.construction(call).is_none()
                            && !self.runs_model(call)
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// The message with the summary, where its list is made for one call of the model.
    fn put_in_passing_list(&self, summary: ExprRef) -> Option<ExprRef> {
        let texts = reach(
            &self.graph,
            self.node(summary),
            Direction::Forward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Text | Flow::Load(_)),
        );
        let texts: Vec<Node> = texts.iter().map(|one| one.node).collect();
        let mut made = self.constructions().iter().filter(|made| {
            let content = made.content.map(|content| self.node(content));
            content.is_some_and(|content| texts.contains(&content)) && !self.is_test(made.expr)
        });
        // What writes the summary may give a message already.
        let made = made.next().map_or(summary, |made| made.expr);
        let Durability::CallOnly = self.durability(made) else {
            return None;
        };
        let onward = self.ways_into_lists(made);
        let in_lists = onward.iter().filter(|one| *one.held == [Held::Item]);
        // A list that is changed in place stays with whoever holds it.
        let stays = self.becomes_field(made) || in_lists.clone().any(|one| self.is_held_by_others(one.node));
        let beside = in_lists.clone().any(|one| {
            let sure = self.histories().near(&self.graph, one.node).confidence;
            sure >= Some(Confidence::Medium) && self.holds_kept_messages(one.node)
        });
        (!stays && beside).then(|| self.copy_elsewhere(&onward, self.owner(made)).unwrap_or(made))
    }

    /// Whether a list is, under another name, one that a caller outside the project or an object holds.
    fn is_held_by_others(&self, list: Node) -> bool {
        let names = reach(&self.graph, list, Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_))
        });
        names.iter().any(|one| match self.graph.origin(one.node) {
            Origin::Param(function, _) => self.project.callers_of(*function).is_empty(),
            Origin::Field(..) | Origin::Slot(..) => true,
            _ => false,
        })
    }

    /// Whether a list has messages of a history beside the summary: one that is a parameter, a field or a
    /// part of a state.
    fn holds_kept_messages(&self, list: Node) -> bool {
        let behind = reach(&self.graph, list, Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Part(_))
        });
        behind.iter().any(|one| {
            let given = matches!(
                self.graph.origin(one.node),
                Origin::Param(..) | Origin::Field(..) | Origin::Slot(..)
            );
            given && self.histories().confidence(one.node) >= Some(Confidence::Medium)
        })
    }

    /// The copy of the history that a summary is put in, where another function makes it.
    fn copy_elsewhere(&self, onward: &[Reached], but: FuncRef) -> Option<ExprRef> {
        let lists = onward.iter().filter(|one| *one.held == [Held::Item]);
        let sources = lists.flat_map(|one| {
            reach(&self.graph, one.node, Direction::Backward, |flow, _, held, _| {
                held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_))
            })
        });
        sources.filter_map(|one| self.graph.as_expr(one.node)).find(|at| {
            matches!(self.kind(*at), ExprKind::Call { idiom: Some(idiom), .. }
                if matches!(idiom.op, Intrinsic::Copy | Intrinsic::DeepCopy))
                && self.owner(*at) != but
        })
    }

    /// The call that is given a copy of a kept history, puts summaries in place of long texts of it, and
    /// whose result is sent and not kept.
    fn written_in_copy(&self, summary: ExprRef) -> Option<ExprRef> {
        let function = self.owner(summary);
        let list = self.edited_param(function, summary)?;
        self.project.callers_of(function).iter().find_map(|site| {
            let call = ExprRef {
                module: site.caller.module,
                expr: site.call,
            };
            let bound = self.project.bind(call, function);
            let (_, given) = bound.iter().find(|(index, _)| *index == list as usize)?;
            let given = self.beside(call, *given);
            let copies = matches!(self.kind(given), ExprKind::Call { idiom: Some(idiom), .. }
                if matches!(idiom.op, Intrinsic::DeepCopy));
            (copies && self.is_kept_list(given) && self.is_only_sent(call)).then_some(call)
        })
    }

    /// The parameter whose messages a function gives another text in a loop, and that it gives back.
    fn edited_param(&self, function: FuncRef, summary: ExprRef) -> Option<u32> {
        let paths = self.paths.function(function);
        let loops: Vec<ExprRef> = paths
            .enclosing_loops(paths.stmt_of(summary.expr)?)
            .filter_map(|of| match &paths.stmt(of).kind {
                StmtKind::For { iter, .. } => Some(self.beside(summary, *iter)),
                _ => None,
            })
            .collect();
        let outermost = loops.last()?;
        let behind = reach(
            &self.graph,
            self.node(*outermost),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Part(Part::Slice)),
        );
        let param = behind.iter().find_map(|one| match self.graph.origin(one.node) {
            Origin::Param(of, index) if *of == function => Some((one.node, *index)),
            _ => None,
        })?;
        let returned = reach(&self.graph, param.0, Direction::Forward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        let gives_back = returned
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Result(of) if *of == function));
        let texts = reach(
            &self.graph,
            self.node(summary),
            Direction::Forward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        let replaces = texts.iter().filter_map(|one| self.graph.as_expr(one.node)).any(|at| {
            let is_asked = |target: ExprRef| match self.call(summary) {
                Some((_, args)) => args.iter().any(|arg| {
                    crate::code::flow::predicate::same_spelling(self.module(at.module), arg.value, target.expr)
                }),
                None => false,
            };
            self.graph.is_target(at) && is_asked(at)
        });
        (gives_back && replaces).then_some(param.1)
    }

    /// Whether a list is a copy of one that an object keeps.
    fn is_kept_list(&self, copy: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(copy), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Part(Part::DeepCopy | Part::Copy))
        });
        behind.iter().any(|one| {
            let kept = matches!(self.graph.origin(one.node), Origin::Field(..) | Origin::Slot(..))
                || self
                    .graph
                    .as_expr(one.node)
                    .is_some_and(|at| matches!(self.kind(at), ExprKind::Attribute { .. }));
            kept && self.histories().confidence(one.node) >= Some(Confidence::Medium)
        })
    }

    /// Whether the list that a call gives is sent to a model and put nowhere else.
    fn is_only_sent(&self, call: ExprRef) -> bool {
        let onward = reach(&self.graph, self.node(call), Direction::Forward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Part(Part::Copy | Part::DeepCopy))
        });
        let exprs: Vec<ExprRef> = onward.iter().filter_map(|one| self.graph.as_expr(one.node)).collect();
        let sent = exprs.iter().any(|at| self.is_sent(*at));
        let stored = exprs
            .iter()
            .any(|at| self.graph.is_target(*at) && !matches!(self.kind(*at), ExprKind::Name(_)));
        sent && !stored
    }
}
