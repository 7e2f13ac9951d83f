//! Whether a text says of a part of it that it is a quotation.

use crate::code::facts::{Construction, Facts};
use crate::code::flow::graph::{Node, Origin};
use crate::code::flow::reach::Reached;
use crate::code::ir::{BinaryOp, ExprId, ExprKind, Intrinsic, Item, StmtKind, TemplatePart};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Field;

/// Signs that no running text has, and that programs put around what they quote.
const FENCES: [&str; 8] = ["<", "```", "\"\"\"", "---", "===", "***", "~~~", "{{"];

/// What stands before a part of a text.
enum Before {
    /// Nothing.
    Nothing,
    /// This text.
    Text(String),
    /// Something that is not known.
    Unknown,
}

impl Facts<'_> {
    /// Whether a message has a field that says what it is.
    pub(super) fn has_marker(&self, made: &Construction) -> bool {
        made.field(self, |field| field == Field::Marker).is_some()
    }

    /// Whether what another text is made of says, or a function on the way says by its name, that the first
    /// of these nodes' text is quoted: `nodes` go from the whole text to its source.
    pub(super) fn is_marked(&self, reached: &[Reached], nodes: &[Node]) -> bool {
        let fenced = reached.iter().any(|one| {
            let text = self
                .graph
                .as_expr(one.node)
                .map(|at| self.words_in(at))
                .unwrap_or_default();
            FENCES.iter().any(|fence| text.contains(fence)) || self.vocabulary.says_quoted(&text)
        });
        fenced || self.is_marked_by_call(nodes) || nodes.windows(2).any(|pair| self.is_introduced(pair[1], pair[0]))
    }

    /// Whether a name on the way to the first larger text says that the program or the person wrote it.
    pub(super) fn is_of_the_house(&self, nodes: &[Node]) -> bool {
        let alone = nodes.iter().rev().take_while(|node| {
            let at = self.graph.as_expr(**node).map(|at| self.kind(at));
            !matches!(at, Some(ExprKind::Template(_) | ExprKind::Binary { .. }))
        });
        let alone: Vec<Node> = alone.copied().collect();
        self.names_on(&alone)
            .iter()
            .any(|name| self.vocabulary.names_own_text(name))
    }

    /// The text that is written at an expression.
    fn words_in(&self, at: ExprRef) -> String {
        match self.kind(at) {
            ExprKind::Template(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    TemplatePart::Text(text) => Some(&**text),
                    TemplatePart::Value { .. } => None,
                })
                .collect::<Vec<_>>()
                .join(" "),
            _ => self.text(at).map(ToString::to_string).unwrap_or_default(),
        }
    }

    /// Whether a function that the text goes through marks it, or puts it in other words, by its name.
    fn is_marked_by_call(&self, nodes: &[Node]) -> bool {
        let (_, ways) = nodes.split_last().unwrap_or((&nodes[0], &[]));
        ways.iter().any(|node| {
            let name = match self.graph.origin(*node) {
                Origin::Result(function) | Origin::Param(function, _) => {
                    Some(self.project.function(*function).name.clone())
                }
                Origin::Expr(at) => self.call(*at).and_then(|(callee, _)| self.last_name(callee)),
                _ => None,
            };
            name.is_some_and(|name| self.vocabulary.names_marking(&name))
        })
    }

    /// Whether what stands before a value in a larger text says what the value is.
    fn is_introduced(&self, value: Node, outer: Node) -> bool {
        let (Some(value), Some(outer)) = (self.graph.as_expr(value), self.graph.as_expr(outer)) else {
            return false;
        };
        match self.before(value, outer) {
            Before::Nothing => false,
            Before::Text(text) => introduces(&text),
            Before::Unknown => true,
        }
    }

    /// What stands before `value` in the text that `outer` makes of it.
    fn before(&self, value: ExprRef, outer: ExprRef) -> Before {
        match self.kind(outer) {
            ExprKind::Template(parts) => {
                let at = parts
                    .iter()
                    .position(|part| matches!(part, TemplatePart::Value { value: part, .. } if *part == value.expr));
                at.map_or(Before::Unknown, |at| self.before_part(outer, &parts[..at]))
            }
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                right,
            } if *right == value.expr => self.ending(self.beside(outer, *left)),
            ExprKind::Binary { .. } => Before::Nothing,
            ExprKind::List { items, .. } => self.before_item(outer, items, value),
            ExprKind::Dict(entries) => {
                let content = |key: ExprId| {
                    let key = self.text(self.beside(outer, key));
                    key.is_some_and(|key| self.vocabulary.field(key) == Some(Field::Content))
                };
                let of_content = entries
                    .iter()
                    .any(|(key, entry)| *entry == value.expr && key.is_some_and(content));
                if of_content { Before::Nothing } else { Before::Unknown }
            }
            ExprKind::Call { idiom: Some(idiom), .. } => match idiom.op {
                Intrinsic::Format => Before::Unknown,
                Intrinsic::ReplaceText if idiom.operands.first() != Some(&value.expr) => Before::Unknown,
                _ => Before::Nothing,
            },
            _ if self.is_appended_to(value, outer) => Before::Unknown,
            _ => Before::Nothing,
        }
    }

    /// What stands before a part of a template.
    fn before_part(&self, template: ExprRef, parts: &[TemplatePart]) -> Before {
        let mut text = String::new();
        for part in parts.iter().rev() {
            match part {
                TemplatePart::Text(part) => text.insert_str(0, part),
                TemplatePart::Value { value, .. } if text.trim().is_empty() => {
                    return self.ending(self.beside(template, *value));
                }
                TemplatePart::Value { .. } => break,
            }
        }
        if text.is_empty() {
            Before::Nothing
        } else {
            Before::Text(text)
        }
    }

    fn before_item(&self, list: ExprRef, items: &[Item], value: ExprRef) -> Before {
        match items.iter().position(|item| item.value == value.expr) {
            None => Before::Unknown,
            Some(0) => Before::Nothing,
            Some(at) => self.ending(self.beside(list, items[at - 1].value)),
        }
    }

    /// The end of a text.
    fn ending(&self, text: ExprRef) -> Before {
        if let Some(text) = self.project.constant(text) {
            return Before::Text(text.to_string());
        }
        match self.kind(text) {
            ExprKind::Template(parts) => match parts.last() {
                Some(TemplatePart::Text(end)) => Before::Text(end.to_string()),
                _ => Before::Unknown,
            },
            ExprKind::Binary {
                op: BinaryOp::Add,
                right,
                ..
            } => self.ending(self.beside(text, *right)),
            _ => Before::Unknown,
        }
    }

    /// `text += value`, `parts.append(value)`: what is there already stands before it.
    fn is_appended_to(&self, value: ExprRef, outer: ExprRef) -> bool {
        let paths = self.paths.function(self.owner(value));
        let is_updated = paths.stmt_of(value.expr).is_some_and(|stmt| {
            matches!(&paths.stmt(stmt).kind, StmtKind::Update { target, value: added, .. }
                if *added == value.expr && *target == outer.expr)
        });
        let in_variable = matches!(self.kind(outer), ExprKind::Name(_));
        let is_put = in_variable
            && self.graph.around(value).is_some_and(|call| {
                matches!(self.kind(call), ExprKind::Call { idiom: Some(idiom), .. }
                if matches!(idiom.op, Intrinsic::Append | Intrinsic::Insert | Intrinsic::Extend))
            });
        is_updated || is_put
    }
}

/// Whether the end of a text says what follows it: `Search results:`, a heading, an opening quote.
fn introduces(text: &str) -> bool {
    let lowered = text.to_lowercase();
    if lowered.contains("following") || lowered.contains("below") {
        return true;
    }
    let bullet = |line: &&str| matches!(*line, "" | "-" | "*" | "•" | "+");
    let mut lines = text.lines().map(str::trim).rev();
    let Some(last) = lines.find(|line| !bullet(line)) else {
        return false;
    };
    let sentence = last.ends_with(['.', '!', '?', ',', ';']);
    let runs_on = !text.ends_with('\n') && last.ends_with(char::is_alphanumeric);
    last.starts_with('#') || !(sentence || runs_on)
}
