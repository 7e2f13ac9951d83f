//! Whether the content of a message tells how things are at the moment, rather than what was said or
//! what happened.

use super::updates::is_state;
use super::{Cause, Construction, Facts};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{ExprKind, Literal, Name, Special, TemplatePart};
use crate::code::project::{ClassRef, ExprRef, FuncRef};
use crate::code::vocabulary::{Field, Granularity, Purpose, Role, Runs};
use crate::finding::Confidence;

/// What the content of a message is a snapshot of.
#[derive(Clone, Debug)]
pub(crate) enum SnapshotOf {
    /// A value that differs by itself.
    Volatile(Cause, Granularity),
    /// A key of the state that the agent works on.
    Key(Name),
    /// An attribute that changes while the agent works.
    Attribute(Name),
    /// What an object outside says when it is asked.
    Reading(Name),
}

/// A part of a message's content that holds only at the moment.
#[derive(Clone, Debug)]
pub(crate) struct Snapshot {
    /// What it is.
    pub(crate) of: SnapshotOf,
    /// The expression that reads it.
    pub(crate) at: ExprRef,
    /// Whether more than names say so.
    pub(crate) sure: bool,
    /// How often it is read.
    pub(crate) runs: Option<Runs>,
}

impl Facts<'_> {
    /// The snapshot that a message is made of; `None` for the words of a person or of the model, for
    /// the results of tools, and for text that stays true.
    pub(crate) fn snapshot(&self, made: &Construction) -> Option<Snapshot> {
        let content = made.content?;
        if made.base.is_some() || made.removal || made.is_tool_result(self) {
            return None;
        }
        let role = made.role.filter(|role| matches!(role, Role::System | Role::User))?;
        if self.project.constant(content).is_some() {
            return None;
        }
        let reached = self.made_of(self.node(content));
        // What belongs to an event is written with it: the question and the time it was asked.
        if role == Role::User && (reached.iter().any(|one| self.is_said(one)) || self.is_stamp(&reached)) {
            return None;
        }
        self.snapshot_among(&reached, content, made.expr, |way| self.renewed_for(made, way))
    }

    /// The snapshot that a text is made of; `None` for the words of a person or of the model.
    pub(crate) fn snapshot_of(&self, text: ExprRef) -> Option<Snapshot> {
        let reached = self.made_of(self.node(text));
        if reached.iter().any(|one| self.is_said(one)) || self.is_stamp(&reached) {
            return None;
        }
        self.snapshot_among(&reached, text, text, |way| self.renewed(way))
    }

    /// The surest snapshot among what a text is made of that is said at `said`; `renewed` says how often a
    /// value is read anew that comes a way.
    fn snapshot_among(
        &self,
        reached: &[Reached],
        text: ExprRef,
        said: ExprRef,
        renewed: impl Fn(&[ExprRef]) -> Option<Runs>,
    ) -> Option<Snapshot> {
        let mut found: Vec<Snapshot> = Vec::new();
        for (index, one) in reached.iter().enumerate() {
            let Some((of, sure)) = self.state_behind(one) else {
                continue;
            };
            // How another package changes its objects is its own affair.
            if matches!(of, SnapshotOf::Attribute(_)) && self.graph.crosses(self.node(said), one.node) {
                continue;
            }
            let way = self.exprs_on(reached, index);
            let Some(at) = way.first().copied() else { continue };
            found.push(Snapshot {
                of,
                at,
                sure,
                runs: renewed(&way),
            });
        }
        let volatile = self.volatile_among(reached, self.node(text)).into_iter();
        let told = volatile.filter(|source| !matches!(source.cause, Cause::Random | Cause::Message));
        found.extend(told.map(|source| Snapshot {
            of: SnapshotOf::Volatile(source.cause, source.granularity),
            at: source.at,
            sure: source.sure,
            runs: renewed(&source.way),
        }));
        let rank = |one: &Snapshot| match one.of {
            SnapshotOf::Key(_) => 0,
            SnapshotOf::Attribute(_) => 1,
            SnapshotOf::Volatile(..) => 2,
            SnapshotOf::Reading(_) => 3,
        };
        // What is read once and kept is true of the session.
        found.retain(|one| one.runs.is_none_or(|runs| runs >= Runs::Turn));
        found.into_iter().min_by_key(|one| (!one.sure, rank(one), one.at))
    }

    /// How often the function that makes a message reads a value that comes this way: an object that it
    /// makes itself is as new as the message.
    fn renewed_for(&self, made: &Construction, way: &[ExprRef]) -> Option<Runs> {
        let here = self.owner(made.expr);
        let way: Vec<ExprRef> = way
            .iter()
            .copied()
            .filter(|at| {
                let maker = self.owner(*at);
                let prepares = matches!(
                    self.project.function(maker).special,
                    Some(Special::Constructor | Special::Preparation)
                );
                let by_call = || self.project.callers_of(maker).iter().any(|site| site.caller == here);
                maker == here || !prepares || !by_call()
            })
            .collect();
        self.renewed(&way)
    }

    /// Whether a text is what a caller gave, with nothing around it but values and signs: `[12:30] …`.
    fn is_stamp(&self, reached: &[Reached]) -> bool {
        let given = reached.iter().any(|one| match self.graph.origin(one.node) {
            Origin::Param(function, index) => {
                let is_receiver = *index == 0 && self.project.function(*function).has_receiver;
                !is_receiver && one.held.is_empty() && self.project.callers_of(*function).is_empty()
            }
            _ => false,
        });
        let has_words = |text: &str| text.contains(char::is_alphabetic);
        let wordless = reached.iter().all(|one| {
            let Some(expr) = self.graph.as_expr(one.node) else {
                return true;
            };
            match self.kind(expr) {
                ExprKind::Template(parts) => !parts
                    .iter()
                    .any(|part| matches!(part, TemplatePart::Text(text) if has_words(text))),
                ExprKind::Literal(Literal::Str(text)) => !has_words(text),
                _ => true,
            }
        });
        given && wordless
    }

    /// Whether a node holds the words of a person, of a model or of an earlier message.
    fn is_said(&self, one: &Reached) -> bool {
        match self.graph.origin(one.node) {
            Origin::Param(function, index) => {
                let param = &self.project.function(*function).params[*index as usize];
                self.project.callers_of(*function).is_empty()
                    && one.held.is_empty()
                    && self.vocabulary.names_input(&param.name)
            }
            Origin::Expr(at) => {
                let asks = || self.called(*at).is_some_and(|path| &*path == "input");
                // How many tokens an answer took is no part of what it says.
                let measured = one.held.iter().any(|held| match held {
                    Held::Field(symbol) => self.vocabulary.names_state(self.graph.symbol_name(*symbol)),
                    Held::Item => false,
                });
                matches!(self.kind(*at), ExprKind::Call { .. }) && (self.runs_model(*at) && !measured || asks())
            }
            Origin::Slot(holder, symbol) => {
                self.vocabulary.field(self.graph.symbol_name(*symbol)) == Some(Field::Content)
                    && self
                        .histories()
                        .message(*holder)
                        .is_some_and(|sure| sure >= Confidence::Medium)
            }
            _ => false,
        }
    }

    fn called(&self, call: ExprRef) -> Option<Name> {
        let (callee, _) = self.call(call)?;
        self.path(callee)
    }

    /// The state that a node holds.
    fn state_behind(&self, one: &Reached) -> Option<(SnapshotOf, bool)> {
        match self.graph.origin(one.node) {
            Origin::Slot(holder, symbol) => {
                let name = self.graph.symbol_name(*symbol);
                let of_state = self.is_state_object(*holder) && self.vocabulary.names_state(name);
                of_state.then(|| (SnapshotOf::Key(name.into()), true))
            }
            Origin::Field(class, symbol) => {
                let name = self.graph.symbol_name(*symbol);
                if is_state(self, *class) {
                    return self
                        .vocabulary
                        .names_state(name)
                        .then(|| (SnapshotOf::Key(name.into()), true));
                }
                let changes = !self.vocabulary.names_settled(name)
                    && self.histories().confidence(one.node).is_none()
                    && self.changes_in_place(*class, one.node);
                changes.then(|| (SnapshotOf::Attribute(name.into()), true))
            }
            Origin::Expr(at) => self.left_over(*at).or_else(|| self.reading(*at, &one.held)),
            _ => None,
        }
    }

    /// A value whose name says how much is left of something.
    fn left_over(&self, at: ExprRef) -> Option<(SnapshotOf, bool)> {
        match self.kind(at) {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } if self.vocabulary.names_left(name) => {
                Some((SnapshotOf::Attribute(name.clone()), false))
            }
            _ => None,
        }
    }

    /// Whether a node is the state that a framework hands to its hooks and nodes.
    fn is_state_object(&self, holder: Node) -> bool {
        match self.graph.origin(holder) {
            Origin::Param(function, index) => {
                let name = &self.project.function(*function).params[*index as usize].name;
                &**name == "state" || name.ends_with("_state")
            }
            _ => false,
        }
    }

    /// Whether something other than a constructor changes an attribute in place: puts something in it,
    /// or counts with it.
    fn changes_in_place(&self, class: ClassRef, field: Node) -> bool {
        self.graph.incoming(field).iter().any(|edge| {
            let changes = matches!(edge.flow, Flow::Into | Flow::Text | Flow::Part(Part::Concat));
            changes
                && self
                    .graph
                    .as_expr(edge.node)
                    .is_some_and(|expr| !self.is_constructor(self.owner(expr), class))
        })
    }

    fn is_constructor(&self, function: FuncRef, class: ClassRef) -> bool {
        self.project.special(class, Special::Constructor) == Some(function)
    }

    /// A question to an object outside the project that takes nothing but itself, asked anew each time.
    fn reading(&self, at: ExprRef, held: &[Held]) -> Option<(SnapshotOf, bool)> {
        let ExprKind::Call {
            callee,
            args,
            idiom: None,
        } = self.kind(at)
        else {
            return None;
        };
        let plain = args
            .iter()
            .all(|arg| matches!(self.kind(self.beside(at, arg.value)), ExprKind::Literal(_)));
        if !plain || !self.project.callees_of(at).is_empty() {
            return None;
        }
        let callee = self.beside(at, *callee);
        let ExprKind::Attribute { base, name } = self.kind(callee) else {
            return None;
        };
        let path = self.path(callee)?;
        // A part of an answer is anything; a part of what is current is current too.
        let current = self.vocabulary.purposes(name).contains(&Purpose::Current) || self.vocabulary.names_state(name);
        if !held.is_empty() && !current {
            return None;
        }
        let base = self.beside(at, *base);
        // `agent.todo_store.render()`: what keeps a state says how that is now.
        let keeps_state =
            matches!(self.kind(base), ExprKind::Attribute { name, .. } if self.vocabulary.names_state_keeper(name));
        if keeps_state {
            let now = self.runs(at).is_none_or(|runs| runs >= Runs::Turn);
            return (now && !self.vocabulary.names_settled(self.vocabulary.shown_by(name)))
                .then_some((SnapshotOf::Reading(path), false));
        }
        let settled = path
            .split('.')
            .any(|part| !self.project.is_receiver(self.owner(at), part) && self.vocabulary.names_settled(part));
        let known = self
            .vocabulary
            .is_form_of_receiver(path.rsplit('.').next().unwrap_or_default());
        if settled || known || !self.is_held_object(base) {
            return None;
        }
        self.runs(at).filter(|runs| *runs >= Runs::Turn)?;
        Some((SnapshotOf::Reading(path), false))
    }

    /// Whether an object is an attribute of one that lives on, or an element of such an attribute.
    fn is_held_object(&self, object: ExprRef) -> bool {
        let behind = reach(&self.graph, self.node(object), Direction::Backward, |flow, _, _, _| {
            matches!(
                flow,
                Flow::Same | Flow::Element | Flow::Load(_) | Flow::Part(Part::Copy) | Flow::Enter(_) | Flow::Leave(_)
            )
        });
        behind
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Field(..)))
    }
}
