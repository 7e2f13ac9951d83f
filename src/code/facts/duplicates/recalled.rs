//! Words of the person that are stored first and then found again by a look-up for themselves.

use super::{Duplicate, DuplicateKind};
use crate::code::facts::{Facts, UseKind};
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{ExprKind, Name};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::last_segment;
use crate::finding::Confidence;

impl Facts<'_> {
    /// A look-up by the text that was just stored in the same place, whose result joins that text in a call.
    pub(super) fn recalled_at_once(&self, function: FuncRef, found: &mut Vec<Duplicate>) {
        let paths = self.paths.function(function);
        let calls: Vec<ExprRef> = paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .map(|expr| ExprRef {
                module: function.module,
                expr,
            })
            .filter(|expr| self.call(*expr).is_some_and(|(_, args)| args.len() > 1))
            .collect();
        let named = |call: &ExprRef, says: &dyn Fn(&str) -> bool| {
            let path = self.call(*call).and_then(|(callee, _)| self.path(callee));
            path.is_some_and(|path| says(last_segment(&path)))
        };
        let stores = calls
            .iter()
            .filter(|call| named(call, &|name| self.vocabulary.keeps_text(name)));
        for store in stores {
            let looked_up = calls.iter().find_map(|look| {
                let recalls = named(look, &|name| self.vocabulary.recalls_text(name));
                let text = self.common_text(*store, *look).filter(|_| recalls)?;
                let again = self.is_before(*store, *look)
                    && self.is_unchanged(function, &text, *store, *look)
                    && self.is_of_same_place(*store, *look)
                    && self.joins_call(*look);
                again.then_some(*look)
            });
            if let Some(at) = looked_up {
                found.push(Duplicate {
                    kind: DuplicateKind::Recalled,
                    at,
                    first: *store,
                    confidence: Confidence::Medium,
                });
            }
        }
    }

    /// The variable that both calls are given and whose name says that a person said it.
    fn common_text(&self, store: ExprRef, look: ExprRef) -> Option<Name> {
        let names = |call: ExprRef| -> Vec<Name> {
            let args = self.call(call).map(|(_, args)| args).unwrap_or_default();
            let given = args
                .iter()
                .filter_map(|arg| match self.kind(self.beside(call, arg.value)) {
                    ExprKind::Name(name) => Some(name.clone()),
                    _ => None,
                });
            given.collect()
        };
        let looked = names(look);
        names(store)
            .into_iter()
            .find(|name| looked.contains(name) && self.vocabulary.names_input(name))
    }

    /// Whether the look-up asks the object that was stored in, or is given it.
    fn is_of_same_place(&self, store: ExprRef, look: ExprRef) -> bool {
        let receiver = |call: ExprRef| match self.call(call).map(|(callee, _)| (callee, self.kind(callee))) {
            Some((callee, ExprKind::Attribute { base, .. })) => Some(self.beside(callee, *base)),
            _ => None,
        };
        let Some(place) = receiver(store) else { return false };
        let module = self.module(place.module);
        let args = self.call(look).map(|(_, args)| args).unwrap_or_default();
        let mut others = receiver(look)
            .map(|base| base.expr)
            .into_iter()
            .chain(args.iter().map(|arg| arg.value));
        others.any(|other| same_spelling(module, place.expr, other))
    }

    /// Whether what was found becomes (part of) a message or of a text for the model.
    fn joins_call(&self, look: ExprRef) -> bool {
        self.uses(self.node(look)).iter().any(|one| {
            matches!(
                one.kind,
                UseKind::Content(_) | UseKind::Element { .. } | UseKind::ModelText { .. }
            )
        })
    }
}
