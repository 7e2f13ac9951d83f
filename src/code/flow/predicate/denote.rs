//! What an expression stands for with regard to a message.

use super::truth::Reading;
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Literal, Name};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::scope::Binding;
use crate::code::vocabulary::{Block, Field, Role, Strength};

/// What an expression stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum Denotes {
    /// The message.
    #[default]
    Message,
    /// Its position in the list.
    Position,
    /// Its role, or what may be one.
    Role,
    /// Its content, or text made from it.
    Content,
    /// Its id.
    Id,
    /// The calls it asks for.
    Calls,
    /// The id of the call that it answers.
    CallId,
    /// A mark on it.
    Marker,
    /// A block of its content.
    Part,
    /// The kind of a block.
    PartKind,
    /// A field of a block or of the message that means nothing here.
    Detail,
}

/// How a function of the project takes the message or a part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    pub(super) function: FuncRef,
    pub(super) param: usize,
    pub(super) part: Denotes,
}

impl Reading<'_, '_> {
    /// What an expression stands for; `None` where it has nothing to do with the message.
    pub(super) fn denotes(&self, expr: ExprId) -> Option<Denotes> {
        if self.subject.is(self.module, expr) {
            return Some(self.subject.part);
        }
        match self.module.kind(expr) {
            ExprKind::Name(name) => self.name(name, expr),
            ExprKind::Attribute { base, name } => self.field(self.denotes(*base)?, name),
            ExprKind::Index { base, index } => {
                let base = self.denotes(*base)?;
                match self.text(*index) {
                    Some(key) => self.field(base, &key),
                    None => element(base),
                }
            }
            ExprKind::Slice { base, .. } => self.denotes(*base),
            ExprKind::Call { callee, idiom, .. } => match idiom {
                Some(idiom) => match (idiom.op, idiom.operands.as_slice()) {
                    (Intrinsic::Get | Intrinsic::GetAttribute | Intrinsic::Pop, [base, key, ..]) => {
                        let base = self.denotes(*base)?;
                        match self.text(*key) {
                            Some(key) => self.field(base, &key),
                            None => Some(Denotes::Detail),
                        }
                    }
                    (
                        Intrinsic::ToText
                        | Intrinsic::TextOp
                        | Intrinsic::ReplaceText
                        | Intrinsic::Pass
                        | Intrinsic::Copy
                        | Intrinsic::Len
                        | Intrinsic::Values
                        | Intrinsic::Items
                        | Intrinsic::Reversed
                        | Intrinsic::Enumerate,
                        [value, ..],
                    )
                    | (Intrinsic::Join, [_, value]) => self.denotes(*value),
                    _ => None,
                },
                None => self.result(expr, *callee),
            },
            // `m.get("calls") or []`
            ExprKind::Logic { all: false, operands } => self.denotes(*operands.first()?),
            ExprKind::Conditional { then, otherwise, .. } => self.denotes(*then).or_else(|| self.denotes(*otherwise)),
            ExprKind::Await(value) | ExprKind::Bind { value, .. } => self.denotes(*value),
            ExprKind::Comprehension { clauses, .. } => clauses.iter().find_map(|clause| self.denotes(clause.iter)),
            _ => None,
        }
    }

    /// A variable: bound by a loop around, or by an assignment before.
    fn name(&self, name: &Name, expr: ExprId) -> Option<Denotes> {
        if self.subject.is_position(name) {
            return Some(Denotes::Position);
        }
        if let Some((_, bound)) = self.bound.iter().rev().find(|(bound, _)| bound == name) {
            return *bound;
        }
        match self.binding(name, expr)? {
            Binding::Value(value) => self.deeper()?.denotes(*value),
            Binding::Element(list) => element(self.deeper()?.denotes(*list)?),
            _ => None,
        }
    }

    /// The last binding of a name before a place, in the function that is read.
    pub(super) fn binding(&self, name: &Name, before: ExprId) -> Option<&Binding> {
        let bindings = self
            .reader
            .project
            .scopes(self.function.module)
            .own(self.function.function, name)?;
        let start = self.module.expr(before).place.start;
        let stands_before = |binding: &&Binding| match binding {
            Binding::Value(value) | Binding::Element(value) => self.module.expr(*value).place.end <= start,
            _ => false,
        };
        bindings
            .iter()
            .filter(stands_before)
            .max_by_key(|binding| match binding {
                Binding::Value(value) | Binding::Element(value) => Some(self.module.expr(*value).place.start),
                _ => None,
            })
    }

    /// A field of what `base` stands for.
    fn field(&self, base: Denotes, name: &str) -> Option<Denotes> {
        let meaning = self.reader.vocabulary.field(name);
        match base {
            Denotes::Message => Some(match meaning {
                Some(Field::Role(_)) => Denotes::Role,
                Some(Field::Content) => Denotes::Content,
                Some(Field::Id) => Denotes::Id,
                Some(Field::Marker) => Denotes::Marker,
                Some(Field::ToolCall) => Denotes::Calls,
                Some(Field::ToolResult) => Denotes::CallId,
                None => Denotes::Detail,
            }),
            // A message inside a message: `event.message.role`.
            Denotes::Detail | Denotes::Content => Some(match meaning {
                Some(Field::Role(Strength::Strong)) => Denotes::Role,
                Some(Field::Content) => Denotes::Content,
                Some(Field::ToolCall) => Denotes::Calls,
                Some(Field::ToolResult) => Denotes::CallId,
                _ => Denotes::Detail,
            }),
            Denotes::Part => Some(match meaning {
                Some(Field::Role(_)) => Denotes::PartKind,
                Some(Field::ToolCall) => Denotes::Calls,
                Some(Field::ToolResult) => Denotes::CallId,
                _ => Denotes::Detail,
            }),
            // `m.role.value`, `m.metadata["origin"]`
            Denotes::Role | Denotes::PartKind | Denotes::Marker | Denotes::Id | Denotes::Calls | Denotes::CallId => {
                Some(base)
            }
            Denotes::Position => None,
        }
    }

    /// What the call of a function gives that returns a part of the message.
    fn result(&self, call: ExprId, callee: ExprId) -> Option<Denotes> {
        // A method of a part gives something of it: `m.role.lower()`, `m.model_dump()`.
        if let ExprKind::Attribute { base, .. } = self.module.kind(callee)
            && let Some(of) = self.denotes(*base)
            && of != Denotes::Message
        {
            return Some(of);
        }
        let Some(taken) = self.helper_called(call) else {
            // Something made of a part of the message: `stem(m.id)`.
            let ExprKind::Call { args, .. } = self.module.kind(call) else {
                return None;
            };
            let parts = args.iter().filter_map(|arg| self.denotes(arg.value));
            return parts.into_iter().find(|part| *part != Denotes::Message);
        };
        if self.open.contains(&taken.function) || self.open.len() >= super::DEPTH {
            return None;
        }
        let name = self
            .reader
            .project
            .function(taken.function)
            .params
            .get(taken.param)?
            .name
            .clone();
        let mut open = self.open.to_vec();
        open.push(taken.function);
        let subject = super::Subject::holding(name, taken.part);
        let inner = Reading::new(self.reader, taken.function, &subject, &open).deeper()?;
        let mut values = inner.returned_values().into_iter();
        values.find_map(|value| inner.denotes(value))
    }

    /// The project's function that a call enters with the message or a part of it.
    pub(super) fn helper_called(&self, call: ExprId) -> Option<Taken> {
        let call = ExprRef {
            module: self.function.module,
            expr: call,
        };
        let project = self.reader.project;
        project
            .callees_of(call)
            .iter()
            .take(super::OVERRIDES)
            .find_map(|&function| {
                let bound = project.bind(call, function);
                let parts: Vec<Taken> = bound
                    .into_iter()
                    .filter_map(|(param, value)| {
                        let part = self.denotes(value)?;
                        Some(Taken { function, param, part })
                    })
                    .collect();
                let whole = parts.iter().find(|taken| taken.part == Denotes::Message);
                whole.or(parts.first()).copied()
            })
    }

    /// The text of a literal or of a constant.
    pub(super) fn text(&self, expr: ExprId) -> Option<Name> {
        self.reader.project.constant(self.at(expr))
    }

    /// The role or the kind of block that a value stands for: a literal, a constant, a member of an
    /// enumeration.
    pub(super) fn meaning(&self, expr: ExprId) -> (Option<Role>, Option<Block>) {
        let vocabulary = self.reader.vocabulary;
        let of = |text: &str| (vocabulary.role(text), vocabulary.block(text));
        if let Some(text) = self.text(expr) {
            return of(&text);
        }
        match self.module.kind(expr) {
            ExprKind::Attribute { base, name } if &**name == "value" || &**name == "name" => self.meaning(*base),
            ExprKind::Attribute { base, name } => {
                let by_value = self.member(*base, name).map(|text| of(&text)).unwrap_or_default();
                if by_value == (None, None) { of(name) } else { by_value }
            }
            ExprKind::Index { index, .. } => self.text(*index).map(|text| of(&text)).unwrap_or_default(),
            ExprKind::Name(name) => {
                // `USER`, `ROLE_USER`: a constant from elsewhere.
                let words = crate::code::vocabulary::words(name);
                words.last().map(|word| of(word)).unwrap_or_default()
            }
            _ => (None, None),
        }
    }

    /// The value of a member of a class of the project.
    fn member(&self, class: ExprId, name: &str) -> Option<Name> {
        use crate::code::project::Target;
        let Target::Class(class) = self.reader.project.resolve(self.function, class) else {
            return None;
        };
        let fields = &self.reader.project.class(class).fields;
        let value = fields.iter().find(|field| &*field.name == name)?.value?;
        match self.reader.project.module(class.module).kind(value) {
            ExprKind::Literal(Literal::Str(text)) => Some(text.clone()),
            _ => None,
        }
    }
}

/// An element of what `list` stands for.
pub(super) fn element(list: Denotes) -> Option<Denotes> {
    match list {
        Denotes::Content | Denotes::Detail | Denotes::Part => Some(Denotes::Part),
        Denotes::Message | Denotes::Position => None,
        other => Some(other),
    }
}
