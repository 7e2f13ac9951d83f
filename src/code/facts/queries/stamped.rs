//! Messages that are stored in one go, each with the time of that moment.

use super::{Disorder, Replay};
use crate::code::facts::Facts;
use crate::code::ir::{ExprKind, Name};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{VolatileKind, words};
use crate::finding::Confidence;

/// Words in the name of a field that says when something was.
const TIMES: [&str; 5] = ["created", "timestamp", "time", "date", "sent"];
/// Words in the name of a field that says which comes first.
const PLACES: [&str; 8] = [
    "seq", "sequence", "order", "index", "idx", "position", "ordinal", "number",
];
/// First words of the names of calls that store.
const STORES: [&str; 8] = ["save", "store", "insert", "write", "persist", "add", "create", "append"];

impl Facts<'_> {
    /// `store.save(reply.map((m) => ({ …m, createdAt: new Date() })))`: all have the same time, and
    /// nothing else says which comes first.
    pub(super) fn stamped_alike(&self, list: ExprRef) -> Option<Replay> {
        let ExprKind::Comprehension { element, clauses, .. } = self.kind(list) else {
            return None;
        };
        let [clause] = &clauses[..] else { return None };
        let of_history = self.histories().confidence(self.node(self.beside(list, clause.iter)));
        of_history.filter(|sure| *sure >= Confidence::Medium)?;
        let made = self.construction(self.beside(list, *element))?;
        made.content?;
        let says = |name: &Name, known: &[&str]| words(name).iter().any(|word| known.contains(&&**word));
        if made.fields.iter().any(|(name, _)| says(name, &PLACES)) {
            return None;
        }
        let (_, time) = made
            .fields
            .iter()
            .find(|(name, value)| says(name, &TIMES) && self.is_this_moment(*value))?;
        let call = self.graph.around(list)?;
        let (callee, args) = self.call(call)?;
        let ExprKind::Attribute { name, .. } = self.kind(callee) else {
            return None;
        };
        let stores = words(name).first().is_some_and(|word| STORES.contains(&&**word));
        let given = args.iter().any(|arg| arg.value == list.expr);
        (stores && given).then_some(Replay {
            at: *time,
            because: call,
            disorder: Disorder::SameTime,
        })
    }

    /// Whether an expression reads the clock and changes nothing about it.
    fn is_this_moment(&self, value: ExprRef) -> bool {
        self.call(value).is_some_and(|(callee, args)| {
            let path = self.path(callee);
            let known = path.and_then(|path| self.vocabulary.volatile(&path, self.frameworks(value.module)));
            args.is_empty() && known.is_some_and(|known| known.kind == VolatileKind::Clock)
        })
    }
}
