//! Changes of lists in place: what puts something in, and what takes something out.

use super::Facts;
use crate::code::ir::{ExprId, ExprKind, Intrinsic, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// What a change does to a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditKind {
    /// Puts one element behind the others.
    Append,
    /// Puts the elements of another list behind the others.
    Extend,
    /// Puts one element at an index.
    Insert,
    /// Takes the element at an index, or at an end.
    Pop,
    /// Takes the first element that equals a value.
    RemoveValue,
    /// Takes everything.
    Clear,
    /// Takes what an index or a slice names.
    Delete,
}

/// One change of a list in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edit {
    /// The call, or the target that is deleted.
    pub(crate) site: ExprRef,
    /// The list.
    pub(crate) list: ExprRef,
    /// What is done to it.
    pub(crate) kind: EditKind,
    /// The index, where one is given.
    pub(crate) index: Option<ExprRef>,
    /// What is put in, or what an element must equal.
    pub(crate) value: Option<ExprRef>,
}

impl Edit {
    /// Whether it takes elements out.
    pub(crate) fn shortens(&self) -> bool {
        !matches!(self.kind, EditKind::Append | EditKind::Extend | EditKind::Insert)
    }
}

impl Facts<'_> {
    /// The changes of lists that a function makes itself, in the order of its statements.
    pub(crate) fn edits_in(&self, function: FuncRef) -> Vec<Edit> {
        let paths = self.paths.function(function);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let mut edits = Vec::new();
        for stmt in paths.stmts() {
            if let StmtKind::Delete(targets) = &paths.stmt(stmt).kind {
                edits.extend(targets.iter().filter_map(|target| self.deleted(at(*target))));
            }
            edits.extend(paths.own_exprs_in(stmt).filter_map(|expr| self.edit(at(expr))));
        }
        edits
    }

    /// The change of a list that a call is.
    pub(crate) fn edit(&self, call: ExprRef) -> Option<Edit> {
        let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(call) else {
            return None;
        };
        if !self.project.callees_of(call).is_empty() {
            return None;
        }
        let at = |expr: &ExprId| self.beside(call, *expr);
        let (kind, index, value) = match (idiom.op, &idiom.operands[..]) {
            (Intrinsic::Append, [_, value]) => (EditKind::Append, None, Some(at(value))),
            (Intrinsic::Extend, [_, values]) => (EditKind::Extend, None, Some(at(values))),
            (Intrinsic::Insert, [_, index, value]) => (EditKind::Insert, Some(at(index)), Some(at(value))),
            // At the head.
            (Intrinsic::Insert, [_, value]) => (EditKind::Insert, None, Some(at(value))),
            (Intrinsic::Pop, [_, rest @ ..]) => (EditKind::Pop, rest.first().map(at), None),
            (Intrinsic::PopFirst, [_]) => (EditKind::Pop, None, None),
            (Intrinsic::RemoveValue, [_, value]) => (EditKind::RemoveValue, None, Some(at(value))),
            (Intrinsic::Clear, [_]) => (EditKind::Clear, None, None),
            _ => return None,
        };
        Some(Edit {
            site: call,
            list: at(idiom.operands.first()?),
            kind,
            index,
            value,
        })
    }

    fn deleted(&self, target: ExprRef) -> Option<Edit> {
        let (base, index) = match self.kind(target) {
            ExprKind::Index { base, index } => (*base, Some(*index)),
            ExprKind::Slice { base, .. } => (*base, None),
            _ => return None,
        };
        Some(Edit {
            site: target,
            list: self.beside(target, base),
            kind: EditKind::Delete,
            index: index.map(|index| self.beside(target, index)),
            value: None,
        })
    }
}
