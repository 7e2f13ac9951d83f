//! What becomes of a value: every end of its ways that a rule may care about.

use super::{Applied, Facts, Scan, Yield};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::reach::{Direction, Held, Reached, Via, path, reach};
use crate::code::ir::{ExprKind, Intrinsic, Name};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Field, Strength};

/// One end of a value's way.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    /// What it is.
    pub(crate) kind: UseKind,
    /// The expression that stands for the value there.
    pub(crate) at: ExprRef,
    /// What was done to the value on the way.
    pub(crate) via: Via,
    /// The names of variables, fields and functions on the way.
    pub(crate) names: Vec<Name>,
    /// The expressions on the way, from the start.
    pub(crate) way: Vec<ExprRef>,
}

/// What a value is used as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UseKind {
    /// The id of a message that is made.
    Id(ExprRef),
    /// (A part of) the content of a message that is made.
    Content(ExprRef),
    /// What a message that is made is copied from.
    Base(ExprRef),
    /// An element of a history: appended, inserted, displayed.
    Element {
        /// The call or display that puts it there.
        by: ExprRef,
    },
    /// The place where a message is inserted.
    InsertIndex {
        /// The call.
        by: ExprRef,
    },
    /// A message whose content is written in place.
    Edit {
        /// The field, the assignment's target or what is changed in place.
        field: ExprRef,
    },
    /// The place of an element that is replaced.
    ReplaceIndex {
        /// The target.
        by: ExprRef,
    },
    /// The bound of a slice or of a deletion.
    Bound {
        /// The slice.
        slice: ExprRef,
    },
    /// The text of a look-up.
    Query {
        /// The call.
        call: ExprRef,
    },
    /// An argument of a model call that is not its list of messages.
    ModelText {
        /// The call.
        call: ExprRef,
    },
    /// Part of an update that is folded into the history.
    Update(ExprRef),
    /// Shown to a person or noted in a log.
    Shown {
        /// The call.
        call: ExprRef,
    },
    /// A condition.
    Condition,
    /// An argument of a call outside the project.
    Argument {
        /// The call.
        call: ExprRef,
    },
    /// The result of a function that nothing in the project calls.
    Result(FuncRef),
    /// A field of an object that lives on.
    Field(Node),
}

impl Facts<'_> {
    /// Everything that becomes of the value of a node.
    pub(crate) fn uses(&self, start: Node) -> Vec<Use> {
        self.uses_of(start, false)
    }

    /// Whether a message that is made becomes, as a whole, part of a history, an update or a call.
    pub(crate) fn becomes_part(&self, made: ExprRef) -> bool {
        let find = || {
            self.uses(self.node(made)).iter().any(|one| {
                let whole = !one.via.text && one.via.load.is_none();
                whole
                    && matches!(
                        one.kind,
                        UseKind::Element { .. } | UseKind::Update(_) | UseKind::ReplaceIndex { .. }
                    )
            })
        };
        self.parts.of(&made, || made, find)
    }

    /// Everything that becomes of what a search found.
    pub(crate) fn uses_of_found(&self, scan: &Scan) -> Vec<Use> {
        let part = scan.yields == Yield::Part;
        scan.results.iter().flat_map(|node| self.uses_of(*node, part)).collect()
    }

    /// `part`: whether the value is already a part of a message.
    fn uses_of(&self, start: Node, part: bool) -> Vec<Use> {
        let reached = reach(&self.graph, start, Direction::Forward, |flow, via, held, next| {
            // A position selects the message itself; a bound selects a part, which is another question.
            let is_slice = |expr| matches!(self.kind(expr), ExprKind::Slice { .. });
            follows(flow, *via, held) && !(flow == Flow::Select && self.graph.as_expr(next).is_some_and(is_slice))
        });
        let mut uses = Vec::new();
        for (index, one) in reached.iter().enumerate() {
            self.ends(&reached, index, one, part, &mut uses);
        }
        uses
    }

    fn ends(&self, reached: &[Reached], index: usize, one: &Reached, part: bool, uses: &mut Vec<Use>) {
        let mut add = |kind: UseKind, at: ExprRef| {
            let nodes = path(reached, index);
            let way = nodes.iter().filter_map(|node| self.graph.as_expr(*node)).collect();
            uses.push(Use {
                kind,
                at,
                via: one.via,
                names: self.names_on(&nodes),
                way,
            });
        };
        let at = match self.graph.origin(one.node) {
            Origin::Expr(at) => *at,
            Origin::Result(function) => {
                let is_lambda = &*self.project.function(*function).name == "<lambda>";
                let leaves = self.project.callers_of(*function).is_empty() && !is_lambda && one.held.is_empty();
                if leaves
                    && let Some(before) = one
                        .previous
                        .and_then(|at| self.graph.as_expr(reached[at as usize].node))
                {
                    add(UseKind::Result(*function), before);
                }
                return;
            }
            Origin::Field(..) => {
                if let Some(before) = one
                    .previous
                    .and_then(|at| self.graph.as_expr(reached[at as usize].node))
                {
                    add(UseKind::Field(one.node), before);
                }
                return;
            }
            _ => return,
        };
        if let Some(update) = self.update_with(at)
            && matches!(update.applied, Applied::Fold(_) | Applied::Replace)
        {
            add(UseKind::Update(update.expr), at);
        }
        let Some(outer) = self.graph.around(at) else {
            if self.is_condition(at) {
                add(UseKind::Condition, at);
            }
            return;
        };
        if let Some(made) = self.construction(outer) {
            if made.id == Some(at) {
                add(UseKind::Id(outer), at);
            } else if made.content == Some(at) {
                add(UseKind::Content(outer), at);
            } else if made.base == Some(at) {
                add(UseKind::Base(outer), at);
            }
        }
        if !part && one.held.is_empty() && one.via.load.is_none() && !one.via.text && self.is_content_write(outer, at) {
            add(UseKind::Edit { field: outer }, at);
        }
        // `message.copy_with(…)`: the callee stands between the message and the call.
        if let ExprKind::Attribute { .. } = self.kind(outer)
            && let Some(call) = self.graph.around(outer)
            && self.construction(call).is_some_and(|made| made.base == Some(at))
        {
            add(UseKind::Base(call), at);
        }
        match self.kind(outer) {
            ExprKind::Call { .. } => {
                if let Some(kind) = self.argument_use(outer, at, one, part) {
                    add(kind, at);
                }
            }
            ExprKind::List { items, .. } => {
                let spread = items.iter().any(|item| item.value == at.expr && item.spread);
                if !spread && self.histories().confidence(self.node(outer)).is_some() && one.held.is_empty() {
                    add(UseKind::Element { by: outer }, at);
                }
            }
            ExprKind::Slice { base, .. } if *base != at.expr => add(UseKind::Bound { slice: outer }, at),
            ExprKind::Index { index, .. } if *index == at.expr && self.graph.is_target(outer) => {
                add(UseKind::ReplaceIndex { by: outer }, at);
            }
            ExprKind::Compare { .. } | ExprKind::Not(_) | ExprKind::TypeTest { .. } => add(UseKind::Condition, at),
            _ => {}
        }
    }

    /// Whether `outer` is the content of the message `at`, and is assigned to or changed in place.
    fn is_content_write(&self, outer: ExprRef, at: ExprRef) -> bool {
        let content = |name: &str| self.vocabulary.field(name) == Some(Field::Content);
        match self.kind(outer) {
            ExprKind::Attribute { base, name } if *base == at.expr && content(name) => {}
            ExprKind::Index { base, index } if *base == at.expr => {
                if !self.text(self.beside(outer, *index)).is_some_and(|key| content(key)) {
                    return false;
                }
            }
            _ => return false,
        }
        if self.graph.is_target(outer) {
            return true;
        }
        // `content.append(…)`: the callee stands between the content and the call.
        let method = self.graph.around(outer).and_then(|callee| self.graph.around(callee));
        let mutation = method.filter(|call| {
            matches!(self.kind(*call), ExprKind::Call { idiom: Some(idiom), .. }
                if matches!(idiom.op, Intrinsic::Append | Intrinsic::Insert | Intrinsic::Extend)
                    && idiom.operands.first() == Some(&outer.expr))
        });
        mutation.is_some()
    }

    fn argument_use(&self, call: ExprRef, at: ExprRef, one: &Reached, part: bool) -> Option<UseKind> {
        let ExprKind::Call { callee, args, idiom } = self.kind(call) else {
            return None;
        };
        if *callee == at.expr {
            return None;
        }
        if let Some(idiom) = idiom {
            let place = idiom.operands.iter().position(|operand| *operand == at.expr);
            let list = idiom.operands.first().map(|list| self.node(self.beside(call, *list)));
            let of_history = list.is_some_and(|list| self.histories().confidence(list).is_some());
            return match (idiom.op, place) {
                (Intrinsic::Insert, Some(1)) if of_history && idiom.operands.len() == 3 => {
                    Some(UseKind::InsertIndex { by: call })
                }
                (Intrinsic::Append | Intrinsic::Insert, Some(1 | 2)) if of_history && one.held.is_empty() => {
                    Some(UseKind::Element { by: call })
                }
                (Intrinsic::Any | Intrinsic::All | Intrinsic::Len, _) => Some(UseKind::Condition),
                _ => None,
            };
        }
        if self.construction(call).is_some() {
            return None;
        }
        let argument = args.iter().find(|arg| arg.value == at.expr);
        let content = part || self.is_content(one.via);
        if content
            && one.held.is_empty()
            && argument
                .and_then(|arg| arg.name.as_ref())
                .is_some_and(|name| self.vocabulary.is_query_argument(name))
        {
            return Some(UseKind::Query { call });
        }
        if !self.project.callees_of(call).is_empty() {
            return None;
        }
        let path = self.path(self.beside(call, *callee))?;
        let here = self.frameworks(call.module);
        if self.vocabulary.is_display_call(&path) {
            return Some(UseKind::Shown { call });
        }
        let argument = args.iter().find(|arg| arg.value == at.expr)?;
        if let Some(retrieval) = self.vocabulary.retrieval(&path, here)
            && retrieval.query.find(args) == Some(at.expr)
            && (retrieval.strength == Strength::Strong
                || content
                || argument.name.as_deref().is_some_and(|name| name == "query"))
        {
            return Some(UseKind::Query { call });
        }
        if let Some(model) = self.vocabulary.model_call(&path, here) {
            let sends = model.messages.find(args) == Some(at.expr);
            let sure = model.strength == Strength::Strong || argument.name.is_some();
            let text = part || one.via.text || one.via.load.is_some();
            if sure && (!sends || text && one.held.is_empty()) {
                return Some(UseKind::ModelText { call });
            }
            if sends {
                return None;
            }
        }
        Some(UseKind::Argument { call })
    }

    /// Whether the content of a message is what is left of it.
    fn is_content(&self, via: Via) -> bool {
        via.load
            .is_some_and(|field| self.vocabulary.field(self.graph.symbol_name(field)) == Some(Field::Content))
    }

    /// Whether an expression is the condition of a statement.
    fn is_condition(&self, expr: ExprRef) -> bool {
        matches!(
            self.kind(expr),
            ExprKind::Compare { .. } | ExprKind::Not(_) | ExprKind::TypeTest { .. }
        )
    }

    /// The names that a value had on its way.
    pub(super) fn names_on(&self, nodes: &[Node]) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        for node in nodes {
            let name = match self.graph.origin(*node) {
                Origin::Expr(expr) => match self.kind(*expr) {
                    ExprKind::Name(name) | ExprKind::Attribute { name, .. } => name.clone(),
                    _ => continue,
                },
                Origin::Param(function, index) => self.project.function(*function).params[*index as usize].name.clone(),
                Origin::Result(function) => self.project.function(*function).name.clone(),
                Origin::Variable(_, name) => name.clone(),
                Origin::Field(_, symbol) | Origin::Slot(_, symbol) => Name::from(self.graph.symbol_name(*symbol)),
            };
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        names
    }
}

/// How far a value is followed: not into what is decided by it, and no more than one call outside the
/// project.
fn follows(flow: Flow, via: Via, held: &[Held]) -> bool {
    match flow {
        Flow::Test | Flow::Length | Flow::Position => false,
        Flow::Opaque => !via.opaque,
        Flow::Select => held.is_empty() && !via.text,
        _ => true,
    }
}
