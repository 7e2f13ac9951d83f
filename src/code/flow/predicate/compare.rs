//! Comparisons as predicates.

use super::denote::Denotes;
use super::truth::Reading;
use super::{Asks, Kinds, Predicate};
use crate::code::ir::{CompareOp, ExprId, ExprKind, Intrinsic, Literal};
use crate::code::vocabulary::Field;

impl Reading<'_, '_> {
    /// `==`, `is`, `in`, `<` and their opposites.
    pub(super) fn comparison(&self, op: CompareOp, left: ExprId, right: ExprId) -> Predicate {
        let negated = matches!(op, CompareOp::NotEq | CompareOp::IsNot | CompareOp::NotIn);
        let found = match op {
            CompareOp::Eq | CompareOp::NotEq | CompareOp::Is | CompareOp::IsNot => self.equality(left, right),
            CompareOp::In | CompareOp::NotIn => self.membership(left, right),
            CompareOp::Less | CompareOp::LessEq | CompareOp::Greater | CompareOp::GreaterEq => {
                self.measured(op, left, right)
            }
        };
        if negated { found.negated() } else { found }
    }

    fn equality(&self, left: ExprId, right: ExprId) -> Predicate {
        let (asked, other) = match (self.denotes(left), self.denotes(right)) {
            (Some(asked), _) => (asked, right),
            (None, Some(asked)) => (asked, left),
            (None, None) if self.mentions(left) || self.mentions(right) => return Predicate::unknown(),
            (None, None) => return Predicate::open(Asks::ELSE),
        };
        if matches!(self.module.kind(other), ExprKind::Literal(Literal::None)) {
            let present = if self.denotes(left).is_some() { left } else { right };
            return self.presence(present).negated();
        }
        match asked {
            Denotes::Role => self.is_one_of(&[other]),
            Denotes::PartKind => self.part_is_one_of(&[other]),
            Denotes::Calls if self.reads_id(left) || self.reads_id(right) => {
                Predicate::some_of(Kinds::CALLS, Asks::TOOL | Asks::CALL_ID)
            }
            Denotes::Calls => Predicate::some_of(Kinds::CALLS, Asks::TOOL),
            Denotes::CallId => Predicate::some_of(Kinds::ANY_RESULTS, Asks::TOOL | Asks::CALL_ID),
            Denotes::Marker => Predicate::flagged(),
            Denotes::Content | Denotes::Part => Predicate::open(Asks::CONTENT),
            Denotes::Position => Predicate::open(Asks::POSITION),
            // The same object is a look-up like one by id.
            Denotes::Id | Denotes::Message => Predicate::open(Asks::ID),
            Denotes::Detail => Predicate::open(Asks::UNKNOWN),
        }
    }

    /// Whether an expression reads a field that holds an id: `call.id`.
    fn reads_id(&self, expr: ExprId) -> bool {
        let name = match self.module.kind(expr) {
            ExprKind::Attribute { name, .. } => Some(name.clone()),
            ExprKind::Index { index, .. } => self.text(*index),
            _ => None,
        };
        name.is_some_and(|name| matches!(self.reader.vocabulary.field(&name), Some(Field::Id | Field::ToolResult)))
    }

    /// `len(m.calls) > 0` asks for presence; other measures tell no kinds apart.
    fn measured(&self, op: CompareOp, left: ExprId, right: ExprId) -> Predicate {
        let is_zero = |expr| matches!(self.module.kind(expr), ExprKind::Literal(Literal::Int(0)));
        match (op, is_zero(left), is_zero(right)) {
            (CompareOp::Greater, _, true) => self.presence(left),
            (CompareOp::Less, true, _) => self.presence(right),
            _ => {
                let asks = [left, right].into_iter().map(|side| match self.denotes(side) {
                    Some(Denotes::Position) => Asks::POSITION,
                    Some(_) => Asks::CONTENT,
                    None if self.mentions(side) => Asks::UNKNOWN,
                    None => Asks::NOTHING,
                });
                let asks = asks.fold(Asks::NOTHING, |a, b| a | b);
                Predicate::open(if asks == Asks::NOTHING { Asks::ELSE } else { asks })
            }
        }
    }

    fn membership(&self, left: ExprId, right: ExprId) -> Predicate {
        match (self.denotes(left), self.denotes(right)) {
            (Some(Denotes::Role), _) => match self.items(right) {
                Some(items) => self.is_one_of(&items),
                None => Predicate::open(Asks::ROLE),
            },
            (Some(Denotes::PartKind), _) => match self.items(right) {
                Some(items) => self.part_is_one_of(&items),
                None => Predicate::open(Asks::CONTENT),
            },
            (Some(Denotes::Id | Denotes::Message), _) => Predicate::open(Asks::ID),
            (Some(Denotes::CallId), _) => Predicate::some_of(Kinds::ANY_RESULTS, Asks::TOOL | Asks::CALL_ID),
            (Some(Denotes::Calls), _) => Predicate::some_of(Kinds::CALLS, Asks::TOOL),
            (Some(Denotes::Marker), _) | (None, Some(Denotes::Marker)) => Predicate::flagged(),
            (Some(Denotes::Position), _) => Predicate::open(Asks::POSITION),
            (Some(_), _) | (None, Some(Denotes::Content)) => Predicate::open(Asks::CONTENT),
            // `"tool_calls" in m`
            (None, Some(of @ (Denotes::Message | Denotes::Part))) => match self.text(left) {
                Some(key) => self.has_field(of, &key),
                None => Predicate::unknown(),
            },
            (None, Some(_)) => Predicate::unknown(),
            (None, None) if self.mentions(left) || self.mentions(right) => Predicate::unknown(),
            (None, None) => Predicate::open(Asks::ELSE),
        }
    }

    fn has_field(&self, of: Denotes, key: &str) -> Predicate {
        match self.reader.vocabulary.field(key) {
            Some(Field::ToolCall) => Predicate::exactly(Kinds::CALLS, Asks::TOOL),
            Some(Field::ToolResult) => Predicate::exactly(Kinds::ANY_RESULTS, Asks::TOOL),
            Some(Field::Role(_)) => Predicate::open(Asks::EXISTENCE),
            Some(Field::Content) => Predicate::open(Asks::CONTENT),
            Some(Field::Id) => Predicate::open(Asks::ID),
            _ if of == Denotes::Part => Predicate::open(Asks::CONTENT),
            _ => Predicate::flagged(),
        }
    }

    /// The items of a display, or of a constant that is one.
    fn items(&self, expr: ExprId) -> Option<Vec<ExprId>> {
        match self.module.kind(expr) {
            ExprKind::List { items, .. } => Some(items.iter().map(|item| item.value).collect()),
            ExprKind::Call { idiom: Some(idiom), .. } if matches!(idiom.op, Intrinsic::ToSet | Intrinsic::Copy) => {
                self.items(*idiom.operands.first()?)
            }
            ExprKind::Name(name) => {
                let value = self.reader.project.only_value(self.function, name)?;
                // The items of another module's constant are of no use here.
                (value.module == self.function.module && value.expr != expr)
                    .then(|| self.deeper()?.items(value.expr))
                    .flatten()
            }
            _ => None,
        }
    }

    /// Whether the role is one of these values.
    fn is_one_of(&self, values: &[ExprId]) -> Predicate {
        let mut kinds = Kinds::NONE;
        let mut asks = Asks::ROLE;
        for &value in values {
            match self.meaning(value) {
                (Some(role), _) => kinds = kinds | Kinds::of_role(role),
                (None, Some(block)) => {
                    kinds = kinds | Kinds::of_block(block);
                    asks = asks | Asks::TOOL;
                }
                (None, None) => return Predicate::open(asks),
            }
        }
        Predicate::exactly(kinds, asks)
    }

    /// Whether the kind of a block is one of these values.
    fn part_is_one_of(&self, values: &[ExprId]) -> Predicate {
        let mut kinds = Kinds::NONE;
        for &value in values {
            match self.meaning(value) {
                (_, Some(block)) => kinds = kinds | Kinds::of_block(block),
                _ => return Predicate::open(Asks::CONTENT),
            }
        }
        Predicate::exactly(kinds, Asks::TOOL)
    }
}
