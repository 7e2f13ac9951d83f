//! What the analysis saw in one file, as text: `ctxlint facts FILE[:LINE]`.

use super::Facts;
use super::updates::Applied;
use crate::code::dump;
use crate::code::project::{ExprRef, ModuleIx};

/// One thing that was seen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    /// 1-based line.
    pub(crate) line: u32,
    /// 1-based column.
    pub(crate) column: u32,
    /// What it is.
    pub(crate) kind: &'static str,
    /// What is known of it.
    pub(crate) text: String,
}

impl Facts<'_> {
    /// Everything that was seen in a module, in the order of the source.
    pub(crate) fn describe(&self, module: ModuleIx) -> Vec<Seen> {
        let mut seen = Vec::new();
        let mut add = |at: ExprRef, kind: &'static str, text: String| {
            if at.module == module {
                let start = self.span(at).start;
                seen.push(Seen {
                    line: start.line,
                    column: start.column,
                    kind,
                    text,
                });
            }
        };
        for scan in self.scans() {
            let what = match scan.constant {
                Some(at) => format!("item {at}"),
                None => format!("{:?} match of {} conditions", scan.pick, scan.conditions.len()).to_lowercase(),
            };
            let sure = scan.confidence;
            let yields = format!("{:?}", scan.yields).to_lowercase();
            let mut uses: Vec<String> = self.uses_of_found(scan).iter().map(|one| self.use_text(one)).collect();
            uses.sort();
            uses.dedup();
            add(
                scan.site,
                "scan",
                format!("{what}, yields the {yields} ({sure}); used as {}", uses.join(", ")),
            );
        }
        for made in self.constructions() {
            let role = made
                .role
                .map_or("unknown".to_owned(), |role| format!("{role:?}").to_lowercase());
            let id = if made.id.is_some() { ", with an id" } else { "" };
            let kind = if made.removal { "removal" } else { "message" };
            add(made.expr, kind, format!("role {role}{id}"));
        }
        for cut in self.cuts() {
            let words = format!(
                "{:?}, keeps {:?}, safe for {:?}, reaches {:?}",
                cut.means, cut.keeps, cut.safety, cut.reach
            );
            let pairs = if cut.has_pairs { ", with tool pairs" } else { "" };
            add(
                cut.site,
                "cut",
                format!("{}{pairs} ({})", words.to_lowercase(), cut.confidence),
            );
        }
        for update in self.updates() {
            let applied = match update.applied {
                Applied::Fold(fold) => format!("folded ({fold:?})"),
                other => format!("{other:?}"),
            };
            add(
                update.expr,
                "update",
                format!("key {}, {}, {}", update.key, applied.to_lowercase(), update.confidence),
            );
        }
        for expr in self.exprs().filter(|expr| expr.module == module) {
            if let Some(confidence) = self.histories().confidence(self.node(expr))
                && let Some(name) = self.name_of(expr)
            {
                let pairs = if self.histories().has_tool_pairs(self.node(expr)) {
                    ", with tool pairs"
                } else {
                    ""
                };
                add(expr, "history", format!("{name} ({confidence}){pairs}"));
            }
        }
        seen.sort();
        seen.dedup();
        seen
    }

    fn name_of(&self, expr: ExprRef) -> Option<String> {
        use crate::code::ir::ExprKind;
        let named = matches!(
            self.kind(expr),
            ExprKind::Name(_) | ExprKind::Attribute { .. } | ExprKind::Index { .. }
        );
        named.then(|| dump::expression(self.module(expr.module), expr.expr))
    }

    fn use_text(&self, one: &super::Use) -> String {
        use super::UseKind;
        let line = self.span(one.at).start.line;
        let kind = match &one.kind {
            UseKind::Id(_) => "an id",
            UseKind::Content(_) => "content",
            UseKind::Base(_) => "the base of a copy",
            UseKind::Element { .. } => "an element of a history",
            UseKind::InsertIndex { .. } => "the place of an insertion",
            UseKind::Edit { .. } => "a message edited in place",
            UseKind::ReplaceIndex { .. } => "the place of a replacement",
            UseKind::Bound { .. } => "a bound",
            UseKind::Query { .. } => "a query",
            UseKind::ModelText { .. } => "text for the model",
            UseKind::Update(_) => "part of an update",
            UseKind::Shown { .. } => "text for a person",
            UseKind::Condition => "a condition",
            UseKind::Argument { .. } => "an argument",
            UseKind::Result(_) => "a result",
            UseKind::Field(_) => "a field",
        };
        format!("{kind} in line {line}")
    }
}
