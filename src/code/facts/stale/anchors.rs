//! Positions that a field keeps beside a list: where the list alone is shortened, they are left behind.

use rustc_hash::FxHashSet;

use super::{Stale, StaleKind};
use crate::code::facts::Facts;
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{ExprId, ExprKind, FunctionId, ListKind, Name, Special, StmtKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef};
use crate::finding::Confidence;

/// A field that holds a position in the list of another field.
struct Anchor {
    class: ClassRef,
    list: Name,
    field: Name,
    used: ExprRef,
    confidence: Confidence,
}

impl Facts<'_> {
    pub(super) fn anchors_left_behind(&self, found: &mut Vec<Stale>) {
        let anchors: Vec<Anchor> = self.exprs().filter_map(|expr| self.anchor(expr)).collect();
        if anchors.is_empty() {
            return;
        }
        for (function, ir) in self.project.functions() {
            if ir.special.is_some_and(|special| special != Special::Call) {
                continue;
            }
            for (site, holder, list) in self.shortened_fields(function) {
                let anchor = anchors
                    .iter()
                    .find(|anchor| anchor.list == list && self.is_holder(holder, anchor));
                let Some(anchor) = anchor else { continue };
                if !self.writes_field(function, &anchor.field) {
                    found.push(Stale {
                        kind: StaleKind::Anchor,
                        at: site,
                        from: anchor.used,
                        changed: None,
                        confidence: anchor.confidence.min(Confidence::Medium),
                    });
                }
            }
        }
    }

    /// `self.messages[self.anchor:]`, `self.messages[self.anchor.at:]`.
    fn anchor(&self, slice: ExprRef) -> Option<Anchor> {
        let ExprKind::Slice {
            base,
            start: Some(start),
            end: None,
            ..
        } = self.kind(slice)
        else {
            return None;
        };
        let module = self.module(slice.module);
        let ExprKind::Attribute { base: holder, name } = module.kind(*base) else {
            return None;
        };
        let class = self.project.class_of(self.beside(slice, *holder))?;
        let mut field = *start;
        let mut last = None;
        while let ExprKind::Attribute { base, name } = module.kind(field) {
            last = Some(name.clone());
            if same_spelling(module, *base, *holder) {
                break;
            }
            field = *base;
        }
        let field = match module.kind(field) {
            ExprKind::Attribute { base, .. } if same_spelling(module, *base, *holder) => last?,
            _ => return None,
        };
        Some(Anchor {
            class,
            list: name.clone(),
            field,
            used: slice,
            confidence: self.near_history(self.beside(slice, *base))?,
        })
    }

    /// Where a function shortens the list of an attribute: the place, the object and the attribute.
    fn shortened_fields(&self, function: FuncRef) -> Vec<(ExprRef, ExprRef, Name)> {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let attribute = |list: ExprId| match module.kind(list) {
            ExprKind::Attribute { base, name } => Some((at(*base), name.clone())),
            _ => None,
        };
        let mut found: Vec<_> = self
            .edits_in(function)
            .into_iter()
            .filter(|edit| edit.shortens() && (edit.index.is_some() || edit.kind != super::EditKind::Pop))
            .filter_map(|edit| attribute(edit.list.expr).map(|(holder, name)| (edit.site, holder, name)))
            .collect();
        for stmt in paths.stmts() {
            let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind else {
                continue;
            };
            for target in targets {
                let Some((holder, name)) = attribute(*target) else {
                    continue;
                };
                let shorter = match module.kind(*value) {
                    ExprKind::List {
                        kind: ListKind::List,
                        items,
                    } => items.is_empty(),
                    ExprKind::Slice { base, .. } => same_spelling(module, *base, *target),
                    _ => false,
                };
                if shorter {
                    found.push((at(*target), holder, name));
                }
            }
        }
        found
    }

    /// Whether an object may be one of the class: it is, or nothing is known of it and its file has no
    /// other class with such a list.
    fn is_holder(&self, holder: ExprRef, anchor: &Anchor) -> bool {
        match self.project.class_of(holder) {
            Some(class) => class == anchor.class,
            None => holder.module == anchor.class.module,
        }
    }

    /// Whether a function, one that it calls, or the one around it writes a field.
    fn writes_field(&self, function: FuncRef, field: &Name) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![function];
        while let Some(function) = open.pop() {
            if !seen.insert(function) || seen.len() > 40 {
                continue;
            }
            let paths = self.paths.function(function);
            let module = self.module(function.module);
            for stmt in paths.stmts() {
                let targets = match &paths.stmt(stmt).kind {
                    StmtKind::Assign { targets, .. } => targets.clone(),
                    StmtKind::Update { target, .. } => vec![*target],
                    _ => Vec::new(),
                };
                if targets.iter().any(|target| mentions_attribute(module, *target, field)) {
                    return true;
                }
                for expr in paths.own_exprs_in(stmt) {
                    let call = ExprRef {
                        module: function.module,
                        expr,
                    };
                    open.extend(self.project.callees_of(call));
                }
            }
            let around = self.project.function(function).parent;
            open.extend(around.filter(|around| *around != FunctionId(0)).map(|around| FuncRef {
                module: function.module,
                function: around,
            }));
        }
        false
    }
}

fn mentions_attribute(module: &crate::code::ir::Module, target: ExprId, field: &Name) -> bool {
    let mut open = vec![target];
    while let Some(expr) = open.pop() {
        if matches!(module.kind(expr), ExprKind::Attribute { name, .. } if name == field) {
            return true;
        }
        open.extend(module.children(expr));
    }
    false
}
