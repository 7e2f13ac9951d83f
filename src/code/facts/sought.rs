//! What a search looks for, and what is known of the message that it finds.

use super::fields::assigned;
use super::{Facts, Scan, Use};
use crate::code::flow::graph::{Flow, Node, Part};
use crate::code::flow::iteration::integer;
use crate::code::flow::predicate::{Asks, Kinds, Predicate, Subject};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{CompareOp, ExprKind, Intrinsic, ListKind};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Role, Strength};

impl Facts<'_> {
    /// What a match must satisfy.
    pub(crate) fn sought(&self, scan: &Scan) -> Predicate {
        let mut sought = Predicate {
            accepts: Kinds::ALL,
            rejects: Kinds::NONE,
            asks: Asks::NOTHING,
        };
        let mut subject = scan.subject.clone().map(Subject::named).unwrap_or_default();
        if let Some(position) = &scan.position {
            subject = subject.or_at(scan.list.expr, position.clone());
        }
        for (cond, holds) in &scan.conditions {
            narrow(&mut sought, self.predicates.of(*cond, &subject), *holds);
        }
        if let Some(accepts) = scan.accepts {
            narrow(&mut sought, self.predicates.of_callable(accepts), true);
        }
        sought
    }

    /// What was tested about a value, at every place on the way to its use.
    pub(crate) fn tested(&self, way: &[ExprRef]) -> Predicate {
        let mut tested = Predicate {
            accepts: Kinds::ALL,
            rejects: Kinds::NONE,
            asks: Asks::NOTHING,
        };
        for expr in way {
            let message = match self.kind(*expr) {
                ExprKind::Name(_) | ExprKind::Index { .. } | ExprKind::Call { .. } => expr.expr,
                // What is tested of the message holds for what is read from it.
                ExprKind::Attribute { base, .. } => *base,
                _ => continue,
            };
            let subject = Subject::spelled(self.module(expr.module), message);
            for guard in self.paths.function(self.owner(*expr)).guards(expr.expr) {
                narrow(
                    &mut tested,
                    self.predicates.of(self.beside(*expr, guard.cond), &subject),
                    guard.holds,
                );
            }
        }
        tested
    }

    /// Whether a list is known to hold no more than one message of the person: it was just made so, its
    /// length was tested, or it is called the messages of one turn.
    pub(crate) fn is_only_match(&self, scan: &Scan) -> bool {
        let of_one_turn = match self.kind(scan.list) {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => self.vocabulary.names_one_turn(name),
            _ => false,
        };
        of_one_turn || self.is_made_with_one_question(scan.list) || self.is_counted_as_one(scan.site)
    }

    /// Whether a search looks for the message with a text that is given, and a field of what it finds is
    /// overwritten with a constant: that message is meant, wherever it stands.
    pub(crate) fn blots_out(&self, scan: &Scan, field: ExprRef) -> bool {
        let Some(subject) = scan.subject.clone().map(Subject::named) else {
            return false;
        };
        let constant = assigned(self, field).is_some_and(|value| self.is_settled_text(value));
        let mut open: Vec<ExprRef> = scan
            .conditions
            .iter()
            .filter(|(_, holds)| *holds)
            .map(|(cond, _)| *cond)
            .collect();
        let mut by_text = false;
        while let Some(cond) = open.pop() {
            match self.kind(cond) {
                ExprKind::Logic { all: true, operands } => {
                    open.extend(operands.iter().map(|operand| self.beside(cond, *operand)));
                }
                ExprKind::Compare {
                    op: CompareOp::Eq,
                    left,
                    right,
                } => {
                    let given = |side: &&crate::code::ir::ExprId| {
                        let side = self.beside(cond, **side);
                        matches!(self.kind(side), ExprKind::Name(_)) && self.project.constant(side).is_none()
                    };
                    by_text |=
                        [left, right].iter().any(given) && self.predicates.of(cond, &subject).asks.has(Asks::CONTENT);
                }
                _ => {}
            }
        }
        constant && by_text
    }

    /// A text of the program's own: a literal, or a constant of a module or of a class.
    fn is_settled_text(&self, value: ExprRef) -> bool {
        self.project.constant(value).is_some()
            || matches!(self.kind(value), ExprKind::Attribute { name, .. } | ExprKind::Name(name)
                if name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase))
    }

    /// Whether a test on the way to a use says that there is only one.
    pub(crate) fn is_first_turn(&self, one: &Use) -> bool {
        one.way
            .iter()
            .chain([&one.at])
            .any(|expr| self.is_counted_as_one(*expr))
    }

    fn is_counted_as_one(&self, expr: ExprRef) -> bool {
        let guards = self.paths.function(self.owner(expr)).guards(expr.expr);
        guards
            .iter()
            .any(|guard| self.counts_one(self.beside(expr, guard.cond), guard.holds))
    }

    /// `len(xs) == 1`, `len(xs) < 2`, and their opposites when they fail.
    fn counts_one(&self, cond: ExprRef, holds: bool) -> bool {
        if let ExprKind::Name(name) = self.kind(cond)
            && let Some(value) = self.project.only_value(self.owner(cond), name)
            && value != cond
            && !matches!(self.kind(value), ExprKind::Name(_))
        {
            return self.counts_one(value, holds);
        }
        let ExprKind::Compare { op, left, right } = self.kind(cond) else {
            return false;
        };
        let limit = integer(self.module(cond.module), *right);
        let one = match (op, holds) {
            (CompareOp::Eq | CompareOp::LessEq, true) | (CompareOp::NotEq | CompareOp::Greater, false) => {
                limit == Some(1)
            }
            (CompareOp::Less, true) | (CompareOp::GreaterEq, false) => limit == Some(2),
            _ => false,
        };
        one && self.is_count(self.beside(cond, *left))
    }

    fn is_count(&self, expr: ExprRef) -> bool {
        match self.kind(expr) {
            ExprKind::Call { idiom: Some(idiom), .. } => matches!(idiom.op, Intrinsic::Len | Intrinsic::Sum),
            ExprKind::Name(name) => self
                .project
                .only_value(self.owner(expr), name)
                .is_some_and(|value| matches!(self.kind(value), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len)),
            _ => false,
        }
    }

    /// Whether every way in which the list comes to be shows at most one message of the person.
    fn is_made_with_one_question(&self, list: ExprRef) -> bool {
        let reached = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && is_alias(flow)
        });
        let mut found = 0;
        for one in &reached {
            let incoming = self.graph.incoming(one.node);
            if let Some(expr) = self.graph.as_expr(one.node)
                && let ExprKind::List {
                    kind: ListKind::List,
                    items,
                } = self.kind(expr)
            {
                let mut questions = 0;
                for item in items {
                    if item.spread {
                        return false;
                    }
                    questions += usize::from(!self.is_made_as_other_than_user(self.beside(expr, item.value)));
                }
                if questions > 1 {
                    return false;
                }
                found += questions;
                continue;
            }
            let added = incoming
                .iter()
                .filter(|edge| matches!(edge.flow, Flow::Into | Flow::Part(_) | Flow::Store(_)));
            for edge in added {
                if is_alias(edge.flow) {
                    continue;
                }
                let other = edge.flow == Flow::Into
                    && self
                        .graph
                        .as_expr(edge.node)
                        .is_some_and(|item| self.is_made_as_other_than_user(item));
                if !other {
                    return false;
                }
            }
            if !incoming.iter().any(|edge| is_alias(edge.flow)) {
                return false;
            }
        }
        found > 0
    }

    fn is_made_as_other_than_user(&self, item: ExprRef) -> bool {
        let roles = self.roles_made(item);
        !roles.is_empty() && roles.iter().all(|role| role.is_some_and(|role| role != Role::User))
    }

    /// The roles of the constructions that a value may come from.
    fn roles_made(&self, item: ExprRef) -> Vec<Option<Role>> {
        let reached = reach(&self.graph, self.node(item), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && is_alias(flow)
        });
        reached
            .iter()
            .filter_map(|one| self.construction(self.graph.as_expr(one.node)?))
            .map(|made| made.role)
            .collect()
    }

    /// Whether the head of a list is a system message (or another fixed one), by the way it is made or
    /// by the name that it is given.
    pub(crate) fn head_is_fixed(&self, list: ExprRef) -> bool {
        let reached = reach(&self.graph, self.node(list), Direction::Backward, |flow, _, held, _| {
            held.is_empty() && (is_alias(flow) || matches!(flow, Flow::Enter(_) | Flow::Part(Part::Concat)))
        });
        let by_display = reached
            .iter()
            .filter_map(|one| self.graph.as_expr(one.node))
            .any(|expr| match self.kind(expr) {
                ExprKind::List { items, .. } => items.first().is_some_and(|first| {
                    !first.spread
                        && self
                            .roles_made(self.beside(expr, first.value))
                            .contains(&Some(Role::System))
                }),
                _ => false,
            });
        by_display || self.inserted_at_head(list)
    }

    /// Whether a system message is put at the head of (another name of) the list somewhere.
    fn inserted_at_head(&self, list: ExprRef) -> bool {
        let node = self.node(list);
        self.constructions()
            .iter()
            .filter(|made| made.role == Some(Role::System))
            .any(|made| {
                let Some(call) = self.graph.around(made.expr) else {
                    return false;
                };
                let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(call) else {
                    return false;
                };
                idiom.op == Intrinsic::Insert
                    && self
                        .histories()
                        .same(self.node(self.beside(call, idiom.operands[0])), node)
            })
    }

    /// Whether a name is that of a system prompt.
    pub(crate) fn names_prefix(&self, names: &[crate::code::ir::Name]) -> bool {
        names
            .iter()
            .any(|name| self.vocabulary.prefix_name(name) == Some(Strength::Strong))
    }

    /// Whether what is written into a field is made of the text that stands before every history.
    pub(crate) fn writes_standing_text(&self, field: ExprRef) -> bool {
        let Some(value) = assigned(self, field) else {
            return false;
        };
        let nodes: Vec<Node> = self.made_of(self.node(value)).iter().map(|one| one.node).collect();
        self.names_prefix(&self.names_on(&nodes))
    }
}

fn narrow(sought: &mut Predicate, with: Predicate, holds: bool) {
    let (accepts, rejects) = if holds {
        (with.accepts, with.rejects)
    } else {
        (with.rejects, with.accepts)
    };
    sought.accepts = sought.accepts & accepts;
    sought.rejects = sought.rejects | rejects;
    sought.asks = sought.asks | with.asks;
}

/// The same list under another name, or a copy of it.
fn is_alias(flow: Flow) -> bool {
    matches!(
        flow,
        Flow::Same | Flow::Leave(_) | Flow::Part(Part::Copy | Part::DeepCopy)
    )
}
