//! What a text is made of that differs from one evaluation to the next, how soon it differs, and how
//! often it is evaluated.

mod narrowing;
mod sources;

#[cfg(test)]
mod tests;

use rustc_hash::FxHashSet;

use super::Facts;
use crate::code::flow::graph::{Edge, Flow, Node, Origin};
use crate::code::flow::reach::{Direction, Held, Reached, Via, path, reach};
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Name, ParamKind, StmtKind, TemplatePart};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Granularity, Runs};
use crate::finding::Confidence;

/// Why a value differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Cause {
    /// It is the time.
    Clock,
    /// It is how long ago something was.
    Age,
    /// It is chance.
    Random,
    /// It was looked up for the question at hand.
    Lookup,
    /// It is the id of the message at hand.
    Message,
    /// It counts the calls of the model.
    Counter,
    /// It is the directory of the process.
    WorkingDirectory,
    /// It is what a version control system says.
    Git,
    /// It is the files of a directory.
    FileListing,
    /// It is the load of the machine.
    Machine,
    /// It is what a person has open in an editor.
    Editor,
}

/// One such part of a text.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// Why it differs.
    pub(crate) cause: Cause,
    /// How soon it differs, by what is left of it in the text.
    pub(crate) granularity: Granularity,
    /// The expression that gives it.
    pub(crate) at: ExprRef,
    /// Whether more than a name says so.
    pub(crate) sure: bool,
    /// From there to the text, without places that are no expressions.
    pub(crate) way: Vec<ExprRef>,
}

impl Facts<'_> {
    /// What the value of a node is made of: every node it comes from, as text or unchanged.
    pub(crate) fn made_of(&self, start: Node) -> Vec<Reached> {
        // What tests give a program tells nothing of what it is given elsewhere.
        let of_test = self.graph.is_of_test(start);
        reach(&self.graph, start, Direction::Backward, |flow, via, held, node| {
            (of_test || !self.graph.is_of_test(node)) && self.makes_up(flow, *via, held, node)
        })
    }

    /// The parts of the value of a node that differ from one evaluation to the next.
    pub(crate) fn volatile_sources(&self, start: Node) -> Vec<Source> {
        self.volatile_among(&self.made_of(start), start)
    }

    /// The same, where it is known what the value is made of.
    pub(crate) fn volatile_among(&self, reached: &[Reached], start: Node) -> Vec<Source> {
        let around: FxHashSet<Node> = reached.iter().map(|one| one.node).collect();
        let mut sources: Vec<Source> = Vec::new();
        for (index, one) in reached.iter().enumerate() {
            if let Origin::Param(function, param) = self.graph.origin(one.node)
                && sources::of_message(self, *function, *param, &one.held)
            {
                let found = self.given_source(reached, index, Cause::Message);
                sources.extend(found.filter(|found| sources.iter().all(|known| known.at != found.at)));
                continue;
            }
            if let Origin::Param(function, param) = self.graph.origin(one.node)
                && sources::counts_rounds(self, *function, *param)
            {
                let found = self.given_source(reached, index, Cause::Counter);
                sources.extend(found.filter(|found| sources.iter().all(|known| known.at != found.at)));
                continue;
            }
            let Some(at) = self.graph.as_expr(one.node) else {
                continue;
            };
            if self.is_test(at) || sources.iter().any(|found| found.at == at) {
                continue;
            }
            let Some(leaf) = sources::leaf(self, at, &one.held) else {
                continue;
            };
            let way = self.exprs_on(reached, index);
            let granularity = narrowing::finest(self, one.node, leaf.granularity, start, &around);
            let is_age = matches!(leaf.cause, Cause::Clock | Cause::Age) && narrowing::is_age(self, &way);
            // A stopwatch that nothing is taken from tells nobody anything.
            if leaf.cause == Cause::Age && !is_age {
                continue;
            }
            sources.push(Source {
                cause: if is_age { Cause::Age } else { leaf.cause },
                granularity,
                at,
                sure: leaf.sure,
                way,
            });
        }
        sources
    }

    /// Whether an expression is evaluated only where something has no id yet, which it keeps from then on.
    pub(crate) fn fills_missing_id(&self, at: ExprRef) -> bool {
        let guards = self.paths.function(self.owner(at)).guards(at.expr);
        guards.into_iter().any(|guard| {
            !guard.holds
                && matches!(self.kind(self.beside(at, guard.cond)), ExprKind::Attribute { name, .. }
                    if self.vocabulary.names_id(name))
        })
    }

    /// What the parameter that `reached[index]` is says of the call at hand.
    fn given_source(&self, reached: &[Reached], index: usize, cause: Cause) -> Option<Source> {
        let way = self.exprs_on(reached, index);
        let at = *way.first()?;
        (!self.is_test(at)).then_some(Source {
            cause,
            granularity: Granularity::Exact,
            at,
            sure: true,
            way,
        })
    }

    /// How often a value that comes this way is evaluated anew: as often as the rarest place on it.
    pub(crate) fn renewed(&self, way: &[ExprRef]) -> Option<Runs> {
        way.iter().filter_map(|expr| self.runs(*expr)).min()
    }

    /// How often an expression is evaluated.
    pub(crate) fn runs(&self, expr: ExprRef) -> Option<Runs> {
        self.frequencies
            .at(self.project, &self.paths, expr)
            .map(|found| found.runs)
    }

    /// The expressions from `reached[index]` back to the start of a walk.
    pub(crate) fn exprs_on(&self, reached: &[Reached], index: usize) -> Vec<ExprRef> {
        let mut way: Vec<ExprRef> = path(reached, index)
            .into_iter()
            .filter_map(|node| self.graph.as_expr(node))
            .collect();
        way.reverse();
        way
    }

    /// Where on its way a value becomes part of a larger text: the first form of it that stands beside
    /// other text or is handed to a function of the project.
    pub(crate) fn joins_text(&self, way: &[ExprRef]) -> Option<ExprRef> {
        let mut pairs = way.windows(2);
        let joined = pairs.find(|pair| {
            let (value, outer) = (pair[0], pair[1]);
            match self.kind(outer) {
                ExprKind::List { .. } | ExprKind::Dict(_) => true,
                ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Record => true,
                _ => self.is_beside_text(value, outer) || self.is_added(value, outer) || self.is_given(value),
            }
        });
        joined.map(|pair| pair[0])
    }

    /// The index of the first form of a value from which on it goes this way and no other: behind the last
    /// name that is read several times, and the last function that several callers ask.
    pub(crate) fn used_once_from(&self, way: &[ExprRef]) -> usize {
        let mut from = 0;
        for (index, place) in way.iter().enumerate() {
            let next = way.get(index + 1);
            let shared = match self.kind(*place) {
                ExprKind::Name(name) => self.reads_of(*place, name) > 1,
                ExprKind::Attribute { .. } => {
                    next.is_none_or(|next| self.call(*next).is_none_or(|(callee, _)| callee != *place))
                }
                _ => false,
            };
            if shared {
                from = index;
            }
            let owner = self.owner(*place);
            if next.is_some_and(|next| self.owner(*next) != owner) && self.project.callers_of(owner).len() > 1 {
                from = index + 1;
            }
        }
        from
    }

    /// How often a name is read in the function of one of its reads.
    fn reads_of(&self, read: ExprRef, name: &Name) -> usize {
        let owner = self.owner(read);
        let module = self.module(read.module);
        let reads = (0..module.exprs.len() as u32).filter(|expr| {
            let expr = self.beside(read, ExprId(*expr));
            matches!(self.kind(expr), ExprKind::Name(other) if other == name)
                && self.owner(expr) == owner
                && !self.graph.is_target(expr)
        });
        reads.count()
    }

    /// The first form of a value on its way that stands beside other text.
    pub(crate) fn stands_in_text(&self, way: &[ExprRef]) -> Option<ExprRef> {
        let mut pairs = way.windows(2);
        pairs
            .find(|pair| self.is_beside_text(pair[0], pair[1]))
            .map(|pair| pair[0])
    }

    /// Whether `outer` puts a value beside other text.
    fn is_beside_text(&self, value: ExprRef, outer: ExprRef) -> bool {
        match self.kind(outer) {
            ExprKind::Template(parts) => parts.iter().any(is_words),
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                right,
            } => {
                let beside = if *left == value.expr { *right } else { *left };
                self.is_wording(self.beside(outer, beside))
            }
            ExprKind::Call { idiom: Some(idiom), .. } => {
                matches!(idiom.op, Intrinsic::Format | Intrinsic::ReplaceText)
                    && idiom.operands.first() != Some(&value.expr)
            }
            _ => false,
        }
    }

    /// Whether a value is an argument of a function of the project.
    fn is_given(&self, value: ExprRef) -> bool {
        let Some(call) = self.graph.around(value) else {
            return false;
        };
        match self.kind(call) {
            ExprKind::Call { callee, .. } => *callee != value.expr && !self.project.callees_of(call).is_empty(),
            _ => false,
        }
    }

    /// Whether a value is added to a text in place: `text += now()`.
    fn is_added(&self, value: ExprRef, target: ExprRef) -> bool {
        let paths = self.paths.function(self.owner(value));
        paths.stmt_of(value.expr).is_some_and(|stmt| {
            matches!(&paths.stmt(stmt).kind, StmtKind::Update { target: to, value: added, .. }
                if *added == value.expr && *to == target.expr)
        })
    }

    /// Whether an expression is text with words in it, written there.
    pub(crate) fn is_wording(&self, expr: ExprRef) -> bool {
        match self.kind(expr) {
            ExprKind::Template(_) => true,
            ExprKind::Binary { left, right, .. } => {
                self.is_wording(self.beside(expr, *left)) || self.is_wording(self.beside(expr, *right))
            }
            _ => self
                .project
                .constant(expr)
                .is_some_and(|text| text.contains(char::is_alphabetic)),
        }
    }

    /// Whether a step against the flow keeps to what the value is made of.
    fn makes_up(&self, flow: Flow, via: Via, held: &[Held], from: Node) -> bool {
        // What is made of a history tells what was said, not how things are.
        if self
            .histories()
            .confidence(from)
            .is_some_and(|sure| sure >= Confidence::Medium)
        {
            return false;
        }
        match flow {
            Flow::Test | Flow::Position | Flow::Select | Flow::Length => false,
            // One field of what `vars(options)` gives is not made of all the others.
            Flow::Opaque => !matches!(held.last(), Some(Held::Field(_))) && self.shows_through(from),
            // A display is text of all its parts; an object is more than what somebody put in a field of it,
            // unless it is written out and the field was made into text for that.
            Flow::Store(_) if held.is_empty() => {
                let written = via.opaque || via.text;
                self.is_in_display(from) || written && (self.is_text_in_record(from) || self.is_gathered(from))
            }
            _ => true,
        }
    }

    /// Whether a value comes from where a walk to what it is made of does not follow: a history, a call
    /// outside the project.
    pub(crate) fn is_beyond(&self, edge: Edge, one: &Reached) -> bool {
        !matches!(edge.flow, Flow::Test | Flow::Position | Flow::Select | Flow::Length)
            && !self.makes_up(edge.flow, one.via, &one.held, edge.node)
    }

    /// Whether a value is a named argument among those that a parameter gathers: `render(name, **values)`.
    fn is_gathered(&self, value: Node) -> bool {
        match self.graph.origin(value) {
            Origin::Slot(holder, _) => match self.graph.origin(*holder) {
                Origin::Param(function, index) => {
                    self.project.function(*function).params[*index as usize].kind == ParamKind::RestKeyword
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether a value stands in a display of a dictionary or of a list.
    fn is_in_display(&self, value: Node) -> bool {
        let outer = self.graph.as_expr(value).and_then(|value| self.graph.around(value));
        outer.is_some_and(|outer| matches!(self.kind(outer), ExprKind::Dict(_) | ExprKind::List { .. }))
    }

    /// Whether a value stands as text in an object that is written out field by field, as what a template
    /// is filled with is.
    fn is_text_in_record(&self, value: Node) -> bool {
        let Some(value) = self.graph.as_expr(value) else {
            return false;
        };
        let in_record = self.graph.around(value).is_some_and(|outer| {
            matches!(self.kind(outer), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Record)
        });
        in_record
            && match self.kind(value) {
                ExprKind::Template(_) => true,
                ExprKind::Call { idiom: Some(idiom), .. } => {
                    matches!(idiom.op, Intrinsic::ToText | Intrinsic::Format | Intrinsic::Join)
                }
                _ => false,
            }
    }

    /// Whether a call outside the project gives what it is given in another form.
    pub(crate) fn shows_through(&self, given: Node) -> bool {
        let Some(given) = self.graph.as_expr(given) else {
            return false;
        };
        let Some(outer) = self.graph.around(given) else {
            return false;
        };
        let callee = match self.kind(outer) {
            // A method of the value itself.
            ExprKind::Attribute { name, .. } => {
                return self.vocabulary.is_form_of_receiver(name) || self.vocabulary.narrowed(name).is_some();
            }
            ExprKind::Call { callee, .. } => self.beside(outer, *callee),
            kind => return matches!(kind, ExprKind::Other(_)),
        };
        self.called_name(callee)
            .is_some_and(|name| self.vocabulary.makes_text(&name))
    }

    /// The last name of what is called.
    fn called_name(&self, callee: ExprRef) -> Option<Name> {
        match self.kind(callee) {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => Some(name.clone()),
            _ => None,
        }
    }
}

/// Whether a part of a template is text with words in it.
fn is_words(part: &TemplatePart) -> bool {
    matches!(part, TemplatePart::Text(text) if text.contains(char::is_alphabetic))
}
