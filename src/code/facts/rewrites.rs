//! Old messages whose form depends on what came after them, so that they are sent in another form each
//! time.

use super::{Construction, Durability, Facts};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{CompareOp, ExprKind, ListKind, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::finding::Confidence;

/// Why a message changes its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RewriteWhy {
    /// It is so far from the newest one.
    Age,
    /// The newest message is of some kind.
    Newest,
}

/// One place that rewrites.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rewrite {
    /// The new form.
    pub(crate) at: ExprRef,
    /// What decides about it.
    pub(crate) decided: ExprRef,
    /// Why.
    pub(crate) why: RewriteWhy,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn rewrites(&self) -> Vec<Rewrite> {
        let by_age = self
            .constructions()
            .iter()
            .filter_map(|made| self.rewritten_by_age(made));
        let mut found: Vec<Rewrite> = by_age.collect();
        for (function, _) in self.project.functions() {
            if !self.project.is_test(function) {
                found.extend(self.switched_by_newest(function));
            }
        }
        found
    }

    /// A copy of a message with another content, because of its distance to the end of the list.
    fn rewritten_by_age(&self, made: &Construction) -> Option<Rewrite> {
        let base = made.base?;
        made.content?;
        let message = self.histories().message(self.node(base))? >= Confidence::Medium;
        if !message || self.is_test(made.expr) {
            return None;
        }
        let guards = self.paths.function(self.owner(made.expr)).guards(made.expr.expr);
        let decided = guards
            .iter()
            .find_map(|guard| self.distance_to_end(self.beside(made.expr, guard.cond)))?;
        let sent = match self.durability(made.expr) {
            Durability::CallOnly => !self.becomes_field(made.expr),
            Durability::Unknown | Durability::Durable(_) => false,
        };
        sent.then_some(Rewrite {
            at: made.expr,
            decided,
            why: RewriteWhy::Age,
            confidence: Confidence::Medium,
        })
    }

    /// The ways of a message, and of the lists that it is put in.
    pub(super) fn ways_into_lists(&self, made: ExprRef) -> Vec<Reached> {
        reach(&self.graph, self.node(made), Direction::Forward, |flow, _, held, _| {
            goes_into_list(flow, held)
        })
    }

    /// Whether the list that a message is put in becomes the list of an object.
    pub(super) fn becomes_field(&self, made: ExprRef) -> bool {
        let onward = reach(&self.graph, self.node(made), Direction::Forward, |flow, _, held, _| {
            goes_into_list(flow, held) || matches!(flow, Flow::Store(_)) && held == [Held::Item]
        });
        onward.iter().any(|one| {
            let kept = matches!(self.graph.origin(one.node), Origin::Field(..) | Origin::Slot(..));
            kept && one.held.contains(&Held::Item)
        })
    }

    /// `i < len(xs) - 6`
    fn distance_to_end(&self, cond: ExprRef) -> Option<ExprRef> {
        let behind = reach(&self.graph, self.node(cond), Direction::Backward, |flow, _, _, _| {
            matches!(flow, Flow::Same | Flow::Test)
        });
        behind.iter().find_map(|one| {
            let at = self.graph.as_expr(one.node)?;
            let ExprKind::Compare { op, left, right } = self.kind(at) else {
                return None;
            };
            let ordered = matches!(
                op,
                CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq
            );
            let sides = [(*left, *right), (*right, *left)];
            let far = sides.into_iter().any(|(place, end)| {
                self.comes_by(self.beside(at, place), Flow::Position)
                    && self.comes_by(self.beside(at, end), Flow::Length)
            });
            (ordered && far).then_some(at)
        })
    }

    /// Whether a value is made of a list by one step, and of nothing but numbers besides.
    fn comes_by(&self, value: ExprRef, step: Flow) -> bool {
        let behind = reach(&self.graph, self.node(value), Direction::Backward, |flow, _, _, _| {
            matches!(flow, Flow::Same | Flow::Text) || flow == step
        });
        behind.iter().any(|one| {
            self.graph.incoming(one.node).iter().any(|edge| {
                edge.flow == step
                    && self
                        .histories()
                        .confidence(edge.node)
                        .is_some_and(|sure| sure >= Confidence::Medium)
            })
        })
    }

    /// A function that gives a history back as it is when its last message is of some kind, and with
    /// other messages in the place of old ones otherwise.
    fn switched_by_newest(&self, function: FuncRef) -> Option<Rewrite> {
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let paths = self.paths.function(function);
        let unchanged = paths.stmts().find_map(|stmt| {
            let StmtKind::Return(Some(value)) = &paths.stmt(stmt).kind else {
                return None;
            };
            let given = self.given_list(function, at(*value))?;
            let mut guards = paths.guards_at(stmt).into_iter();
            let decided = guards.find_map(|guard| self.asks_last(at(guard.cond), at(*value)))?;
            Some((given, decided))
        });
        let (given, decided) = unchanged?;
        let mut made = self.constructions_in(function).filter(|made| {
            let here = made.base.is_none() && !made.removal;
            here && made.content.is_some_and(|content| self.tells_of(content, given))
        });
        let made = made.find(|made| {
            let in_loop = paths
                .stmt_of(made.expr.expr)
                .is_some_and(|stmt| paths.enclosing_loops(stmt).next().is_some());
            in_loop && self.fills_new_list(function, made.expr)
        })?;
        Some(Rewrite {
            at: made.expr,
            decided,
            why: RewriteWhy::Newest,
            confidence: Confidence::Medium,
        })
    }

    /// The parameter that a returned list is, if it is a history.
    fn given_list(&self, function: FuncRef, value: ExprRef) -> Option<Node> {
        self.near_history(value)?;
        let behind = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        let mut params = behind
            .iter()
            .filter(|one| matches!(self.graph.origin(one.node), Origin::Param(of, _) if *of == function));
        params.next().map(|one| one.node)
    }

    /// The look at the last message of a list that a condition takes.
    fn asks_last(&self, cond: ExprRef, list: ExprRef) -> Option<ExprRef> {
        let behind = reach(&self.graph, self.node(cond), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Test | Flow::Load(_))
        });
        let module = self.module(list.module);
        let mut looks = self.scans().iter().filter(|scan| {
            scan.constant == Some(-1)
                && scan.list.module == list.module
                && same_spelling(module, scan.list.expr, list.expr)
        });
        looks
            .find(|scan| {
                let found = scan.results.iter();
                found
                    .into_iter()
                    .any(|result| behind.iter().any(|one| one.node == *result))
            })
            .map(|_| cond)
    }

    /// Whether a text is made of the messages of a list.
    fn tells_of(&self, content: ExprRef, list: Node) -> bool {
        let behind = reach(&self.graph, self.node(content), Direction::Backward, |flow, _, _, _| {
            !matches!(flow, Flow::Test | Flow::Length | Flow::Position)
        });
        behind.iter().any(|one| one.node == list)
    }

    /// Whether a message is put in a list that the function makes anew, empty at first, and gives back.
    fn fills_new_list(&self, function: FuncRef, made: ExprRef) -> bool {
        let onward = reach(&self.graph, self.node(made), Direction::Forward, |flow, _, held, _| {
            matches!(flow, Flow::Same) || flow == Flow::Into && held.is_empty()
        });
        let given_back = onward
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Result(of) if *of == function));
        let lists = onward.iter().filter(|one| !one.held.is_empty());
        let empty = lists.into_iter().any(|one| {
            let behind = reach(&self.graph, one.node, Direction::Backward, |flow, _, held, _| {
                held.is_empty() && matches!(flow, Flow::Same | Flow::Part(Part::Copy | Part::Slice))
            });
            let starts: Vec<ExprRef> = behind.iter().filter_map(|one| self.graph.as_expr(one.node)).collect();
            let parts = starts.iter().any(|at| matches!(self.kind(*at), ExprKind::Slice { .. }));
            let fresh = starts
                .iter()
                .any(|at| matches!(self.kind(*at), ExprKind::List { kind: ListKind::List, items } if items.is_empty()));
            fresh && !parts
        });
        given_back && empty
    }
}

/// Whether a step keeps to a message, or to the list that it is put in.
fn goes_into_list(flow: Flow, held: &[Held]) -> bool {
    match flow {
        Flow::Same | Flow::Enter(_) | Flow::Leave(_) | Flow::Part(_) => true,
        Flow::Into => held.is_empty(),
        _ => false,
    }
}
