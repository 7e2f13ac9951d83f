//! The newest question, where it is taken out of its list by what it says and not by where it stands.

use super::edits::EditKind;
use super::{Facts, Pick};
use crate::code::flow::graph::Flow;
use crate::code::flow::iteration::integer;
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Field, Role, words};
use crate::finding::Confidence;

/// A question that is moved to the end of its list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    /// The removal of whatever equals it.
    pub(crate) removed: ExprRef,
    /// Where it is put back.
    pub(crate) again: ExprRef,
    /// Where it was found.
    pub(crate) found: ExprRef,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All questions that are moved to the end by what they say.
    pub(crate) fn moved_by_value(&self) -> Vec<Moved> {
        let functions = self.project.functions();
        functions.flat_map(|(function, _)| self.moved_in(function)).collect()
    }

    /// `xs.remove(newest)`, `xs.append(newest)`: an older message that says the same goes, and the newest
    /// stays where it was.
    fn moved_in(&self, function: FuncRef) -> Vec<Moved> {
        let edits = self.edits_in(function);
        let module = self.module(function.module);
        let removals = edits.iter().filter(|edit| edit.kind == EditKind::RemoveValue);
        let moved = removals.filter_map(|removal| {
            let value = removal.value?;
            let again = edits.iter().find(|edit| {
                edit.kind == EditKind::Append
                    && same_spelling(module, edit.list.expr, removal.list.expr)
                    && edit
                        .value
                        .is_some_and(|again| same_spelling(module, again.expr, value.expr))
                    && self.is_before(removal.site, edit.site)
            })?;
            Some(Moved {
                removed: removal.site,
                again: again.site,
                found: self.newest_found(value)?,
                confidence: self.near_history(removal.list)?,
            })
        });
        moved.collect()
    }

    /// Where a message was found from the newest end, if it was.
    fn newest_found(&self, value: ExprRef) -> Option<ExprRef> {
        let behind = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_)),
        );
        let mut scans = self.scans().iter().filter(|scan| {
            let end = if self.is_turned(scan.list) {
                Pick::Oldest
            } else {
                Pick::Newest
            };
            scan.pick == end
                && scan
                    .results
                    .iter()
                    .any(|result| behind.iter().any(|one| one.node == *result))
        });
        scans.next().map(|scan| scan.site)
    }
}

/// A list that loses its newest message for a question that is not in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftOut {
    /// The list without its last message.
    pub(crate) at: ExprRef,
    /// Where it was read.
    pub(crate) read: ExprRef,
    /// Where the question was stored behind that.
    pub(crate) stored: ExprRef,
}

impl Facts<'_> {
    /// `past = store.read(id)`, `store.write(id, question)`, `ask(question, past[:-1])`.
    pub(crate) fn left_out(&self) -> Vec<LeftOut> {
        let exprs = self.exprs().filter(|expr| !self.module(expr.module).is_test);
        exprs.filter_map(|expr| self.left_out_at(expr)).collect()
    }

    fn left_out_at(&self, at: ExprRef) -> Option<LeftOut> {
        let module = self.module(at.module);
        let ExprKind::Slice {
            base,
            start: None,
            end: Some(end),
            ..
        } = self.kind(at)
        else {
            return None;
        };
        let ExprKind::Name(list) = module.kind(*base) else {
            return None;
        };
        if integer(module, *end) != Some(-1) {
            return None;
        }
        let paths = self.paths.function(self.owner(at));
        let calls: Vec<ExprRef> = paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .map(|expr| self.beside(at, expr))
            .filter(|expr| self.called_on(*expr).is_some())
            .collect();
        let reads = |call: &&ExprRef| {
            let stmt = paths.stmt_of(call.expr).map(|stmt| &paths.stmt(stmt).kind);
            let whole = |value: ExprId| match module.kind(value) {
                ExprKind::Await(inner) => *inner == call.expr,
                _ => value == call.expr,
            };
            matches!(stmt, Some(StmtKind::Assign { targets, value, .. })
                if whole(*value) && targets.iter().any(|target| matches!(module.kind(*target), ExprKind::Name(name) if name == list)))
        };
        let [read] = calls.iter().filter(reads).copied().collect::<Vec<_>>()[..] else {
            return None;
        };
        let (holder, _) = self.called_on(read)?;
        let stored = calls.iter().copied().find(|call| {
            let same = self
                .called_on(*call)
                .is_some_and(|(other, name)| same_spelling(module, other, holder) && writes(name));
            let question = self
                .call(*call)
                .is_some_and(|(_, args)| args.iter().any(|arg| self.is_question(self.beside(at, arg.value))));
            same && question && self.is_before(read, *call) && self.is_before(*call, at)
        })?;
        Some(LeftOut { at, read, stored })
    }

    /// Whether an object is a message of the person: it has a role's word and a content.
    fn is_question(&self, value: ExprRef) -> bool {
        let ExprKind::Dict(entries) = self.kind(value) else {
            let made = self.construction(value);
            return made.is_some_and(|made| made.role == Some(Role::User) && made.content.is_some());
        };
        let text = |expr: ExprId| self.text(self.beside(value, expr));
        let of_person = entries.iter().any(|(key, word)| {
            let field = key.and_then(text).and_then(|key| self.vocabulary.field(key));
            matches!(field, Some(Field::Role(_)))
                && text(*word).and_then(|word| self.vocabulary.role(word)) == Some(Role::User)
        });
        let content = entries.iter().any(|(key, _)| {
            let key = key.and_then(text);
            key.is_some_and(|key| self.vocabulary.field(key) == Some(Field::Content))
        });
        of_person && content
    }

    /// The object and the name of a method that is called.
    fn called_on(&self, call: ExprRef) -> Option<(ExprId, &Name)> {
        let (callee, _) = self.call(call)?;
        match self.kind(callee) {
            ExprKind::Attribute { base, name } => Some((*base, name)),
            _ => None,
        }
    }
}

/// Whether the name of a method says that it stores something.
fn writes(name: &str) -> bool {
    let verbs = [
        "add", "append", "write", "save", "insert", "store", "put", "push", "record",
    ];
    words(name).first().is_some_and(|word| verbs.contains(&&**word))
}
