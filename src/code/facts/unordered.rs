//! Values whose items come in an order of their own and that reach the prefix of a call.

use super::fields::assigned;
use super::{Facts, Prefix, PrefixPart};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{BinaryOp, ExprKind, Function, Intrinsic, ListKind, Module, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::UnorderedKind;

/// One such value.
#[derive(Clone, Debug)]
pub(crate) struct Unordered {
    /// What has no order.
    pub(crate) source: ExprRef,
    /// Where its items are run through.
    pub(crate) at: ExprRef,
    /// What it is.
    pub(crate) kind: UnorderedKind,
}

impl Facts<'_> {
    /// Results of functions that make a part of a prompt or the list of tools, by their names; the parts of
    /// prompts in files about prompts only.
    pub(crate) fn prompt_parts(&self) -> Vec<Prefix> {
        let about_prompts: Vec<bool> = self
            .project
            .modules()
            .map(|(_, ir)| self.is_about_prompts(ir))
            .collect();
        let part = |function: FuncRef, ir: &Function| {
            if self.project.is_test(function) {
                return None;
            }
            if self.vocabulary.names_tool_list(&ir.name) {
                return Some(PrefixPart::Tools);
            }
            let named = self.vocabulary.names_prompt_part(&ir.name) || self.returns_prompt(function);
            (about_prompts[function.module.0 as usize] && named).then_some(PrefixPart::System)
        };
        let node = |function| self.graph.find(&Origin::Result(function));
        self.project
            .functions()
            .filter_map(|(function, ir)| Some((node(function)?, part(function, ir)?)))
            .map(|(node, part)| Prefix {
                node,
                part,
                enters: None,
                message: None,
                sure: false,
                single: false,
                kept: false,
                made_in: None,
            })
            .collect()
    }

    /// Whether a function gives back a variable whose name says that it is a prompt.
    fn returns_prompt(&self, function: FuncRef) -> bool {
        let paths = self.paths.function(function);
        paths.stmts().any(|stmt| match paths.stmt(stmt).kind {
            StmtKind::Return(Some(value)) => match self.module(function.module).kind(value) {
                ExprKind::Name(name) => self.vocabulary.names_prompt_part(name),
                _ => false,
            },
            _ => false,
        })
    }

    fn is_about_prompts(&self, ir: &Module) -> bool {
        let functions = ir.functions.iter().map(|function| &function.name);
        let params = ir
            .functions
            .iter()
            .flat_map(|function| &function.params)
            .map(|param| &param.name);
        let fields = ir
            .classes
            .iter()
            .flat_map(|class| &class.fields)
            .map(|field| &field.name);
        let mut names = functions.chain(params).chain(fields);
        names.any(|name| self.vocabulary.is_about_prompts(name))
    }

    /// The values without an order that a prefix is made of.
    pub(crate) fn unordered_sources(&self, prefix: &Prefix) -> Vec<Unordered> {
        let reached = self.made_of(prefix.node);
        let mut found: Vec<Unordered> = Vec::new();
        for (index, one) in reached.iter().enumerate() {
            let runs_through = matches!(one.held.last(), None | Some(Held::Item));
            let Some(kind) = self.unordered_kind(one).filter(|_| runs_through) else {
                continue;
            };
            let way = self.exprs_on(&reached, index);
            let Some(source) = way.first().copied() else { continue };
            let known = found.iter().any(|known| known.source == source);
            if known || self.module(source.module).is_test || !self.keeps_order_of(&reached, index, &way, false) {
                continue;
            }
            let at = self.run_through(&way).unwrap_or(source);
            let mut before = way.iter().take_while(|step| **step != at);
            if before.any(|step| self.takes_one(*step)) {
                continue;
            }
            found.push(Unordered { source, at, kind });
        }
        for index in 0..reached.len() {
            let filled = self.filled_without_order(&reached, index);
            found.extend(filled.filter(|one| !found.iter().any(|known| known.source == one.source)));
        }
        found
    }

    /// What a loop runs over without an order that adds `reached[index]` to a list or a text, whatever it
    /// makes of each item.
    fn filled_without_order(&self, reached: &[Reached], index: usize) -> Option<Unordered> {
        let added = self.graph.as_expr(reached[index].node)?;
        let owner = self.owner(added);
        let paths = self.paths.function(owner);
        let stmt = paths.stmt_of(added.expr)?;
        let adds = match &paths.stmt(stmt).kind {
            StmtKind::Update { value, .. } => *value == added.expr,
            StmtKind::Expr(call) => match self.kind(self.beside(added, *call)) {
                ExprKind::Call { idiom: Some(idiom), .. } => {
                    matches!(idiom.op, Intrinsic::Append | Intrinsic::Extend)
                        && idiom.operands.get(1) == Some(&added.expr)
                }
                _ => false,
            },
            _ => false,
        };
        if !adds || self.module(added.module).is_test {
            return None;
        }
        let around = paths.enclosing_loops(stmt).next()?;
        let StmtKind::For { iter, .. } = paths.stmt(around).kind else {
            return None;
        };
        let at = self.beside(added, iter);
        let way = self.exprs_on(reached, index);
        if !self.keeps_order_of(reached, index, &way, true) {
            return None;
        }
        let behind = reach(&self.graph, self.node(at), Direction::Backward, |flow, _, held, _| {
            held.len() < 2
                && matches!(
                    flow,
                    Flow::Same | Flow::Load(_) | Flow::Enter(_) | Flow::Part(Part::Copy | Part::Filter | Part::Map)
                )
        });
        behind.iter().enumerate().find_map(|(index, one)| {
            let kind = self.unordered_kind(one)?;
            let source = *self.exprs_on(&behind, index).first()?;
            matches!(one.held.last(), None | Some(Held::Item)).then_some(Unordered { source, at, kind })
        })
    }

    /// Whether an expression takes one item out of a collection: what is run through then is that item.
    fn takes_one(&self, at: ExprRef) -> bool {
        matches!(self.kind(at), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Pop)
    }

    fn unordered_kind(&self, one: &Reached) -> Option<UnorderedKind> {
        let module = match self.graph.origin(one.node) {
            Origin::Expr(at) => at.module,
            Origin::Param(function, _) => function.module,
            Origin::Field(class, _) => class.module,
            _ => return None,
        };
        let kind = self.kind_without_order(one)?;
        (kind != UnorderedKind::Set || !self.module(module).sets_keep_order).then_some(kind)
    }

    fn kind_without_order(&self, one: &Reached) -> Option<UnorderedKind> {
        match self.graph.origin(one.node) {
            Origin::Expr(at) => match self.kind(*at) {
                ExprKind::List {
                    kind: ListKind::Set,
                    items,
                } => (items.len() > 1).then_some(UnorderedKind::Set),
                ExprKind::Comprehension {
                    kind: ListKind::Set, ..
                } => Some(UnorderedKind::Set),
                ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::ToSet => Some(UnorderedKind::Set),
                ExprKind::Call { callee, .. } if self.project.callees_of(*at).is_empty() => {
                    self.vocabulary.unordered_call(&self.path(self.beside(*at, *callee))?)
                }
                _ => None,
            },
            Origin::Param(function, index) => {
                let param = &self.project.function(*function).params[*index as usize];
                self.vocabulary.unordered_type(param.annotation.as_deref()?)
            }
            Origin::Field(class, symbol) => {
                let name = self.graph.symbol_name(*symbol);
                let field = self
                    .project
                    .class(*class)
                    .fields
                    .iter()
                    .find(|field| &*field.name == name)?;
                self.vocabulary.unordered_type(field.annotation.as_deref()?)
            }
            _ => None,
        }
    }

    /// Whether the items of a listing are names; entries with more to them cannot be compared.
    pub(crate) fn lists_names(&self, unordered: &Unordered) -> bool {
        let Some((callee, args)) = self.call(unordered.source) else {
            return false;
        };
        let named = args.iter().filter_map(|arg| arg.name.as_ref());
        let mut asked = named.filter(|name| self.vocabulary.lists_entries(name));
        asked.next().is_none()
            && self
                .path(callee)
                .is_some_and(|path| !self.vocabulary.lists_entries(&path))
    }

    /// Whether all items of `reached[index]` are run through in their own order on the way, and nothing
    /// sorts them; `ordered` if the order of something else has gone into it already.
    fn keeps_order_of(&self, reached: &[Reached], index: usize, way: &[ExprRef], ordered: bool) -> bool {
        let mut many = ordered;
        // One item alone tells nothing of the order, until it is put beside the others.
        let mut alone = false;
        for (from, to) in reached_by(reached, index) {
            if self.is_taken_away(from) {
                return false;
            }
            let mut taken = false;
            let mut gathered = false;
            for edge in self.graph.outgoing(from).iter().filter(|edge| edge.node == to) {
                match edge.flow {
                    Flow::Part(Part::Sort) if !self.is_set(to) => return false,
                    Flow::Element if self.picks_one(to) => return false,
                    Flow::Element => taken = true,
                    // Who knows what a call makes of a set that nobody has run through.
                    Flow::Opaque if !many && !alone => return false,
                    Flow::Into => gathered |= !self.is_written_list(to),
                    Flow::Part(Part::Map | Part::Copy | Part::Concat) | Flow::Text => {
                        gathered |= !alone || self.is_added_to(to);
                    }
                    Flow::Same => gathered |= alone && self.gets_more(to),
                    _ => {}
                }
            }
            if taken {
                (many, alone) = (false, true);
            } else if gathered {
                (many, alone) = (true, false);
            }
            // What holds it may be put beside others by anybody, in an order of theirs.
            if alone && matches!(self.graph.origin(to), Origin::Field(..)) {
                return false;
            }
        }
        many && !way
            .iter()
            .any(|expr| self.is_sorted_in_place(*expr) || self.is_being_sorted(*expr))
    }

    /// Whether a value is what another one is left without: `wanted - hidden`, `wanted -= hidden`.
    fn is_taken_away(&self, node: Node) -> bool {
        let Some(value) = self.graph.as_expr(node) else {
            return false;
        };
        if let Some(outer) = self.graph.around(value) {
            return matches!(self.kind(outer), ExprKind::Binary { op: BinaryOp::Sub, right, .. } if *right == value.expr);
        }
        let paths = self.paths.function(self.owner(value));
        paths.stmt_of(value.expr).is_some_and(|stmt| {
            matches!(paths.stmt(stmt).kind, StmtKind::Update { op: BinaryOp::Sub, value: by, .. } if by == value.expr)
        })
    }

    /// Whether a node is a list or a dictionary that is written out, not one that is filled.
    fn is_written_list(&self, node: Node) -> bool {
        let expr = self.graph.as_expr(node);
        expr.is_some_and(|expr| matches!(self.kind(expr), ExprKind::List { .. } | ExprKind::Dict(_)))
    }

    /// Whether a node is a place that something is added to.
    fn is_added_to(&self, node: Node) -> bool {
        self.graph.as_expr(node).is_none_or(|expr| self.graph.is_target(expr))
    }

    /// Whether a node is a variable that gets its own value and something more: `text = text + line`.
    fn gets_more(&self, node: Node) -> bool {
        let Some(target) = self.graph.as_expr(node).filter(|expr| self.graph.is_target(*expr)) else {
            return false;
        };
        let ExprKind::Name(name) = self.kind(target) else {
            return false;
        };
        let Some(value) = assigned(self, target) else {
            return false;
        };
        let puts_together = matches!(
            self.kind(value),
            ExprKind::Binary { .. } | ExprKind::Template(_) | ExprKind::List { .. }
        );
        puts_together
            && self
                .module(value.module)
                .inside(value.expr)
                .any(|part| matches!(self.kind(self.beside(value, part)), ExprKind::Name(other) if other == name))
    }

    fn is_set(&self, node: Node) -> bool {
        self.graph.as_expr(node).is_some_and(
            |expr| matches!(self.kind(expr), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::ToSet),
        )
    }

    /// Whether an expression is one item that is asked for: by its key, the smallest, a number of them.
    fn picks_one(&self, node: Node) -> bool {
        let Some(expr) = self.graph.as_expr(node) else {
            return false;
        };
        match self.kind(expr) {
            ExprKind::Index { .. } => true,
            ExprKind::Call { idiom: Some(idiom), .. } => matches!(
                idiom.op,
                Intrinsic::Get
                    | Intrinsic::GetAttribute
                    | Intrinsic::SetDefault
                    | Intrinsic::Pop
                    | Intrinsic::Min
                    | Intrinsic::Max
            ),
            _ => false,
        }
    }

    /// `for x in sorted(xs)`: a loop looks through to the list itself.
    fn is_being_sorted(&self, expr: ExprRef) -> bool {
        let outer = self.graph.around(expr);
        outer.is_some_and(
            |outer| matches!(self.kind(outer), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Sorted),
        )
    }

    /// Whether a variable on the way is sorted in place in its function: `names.sort()`.
    fn is_sorted_in_place(&self, expr: ExprRef) -> bool {
        let ExprKind::Name(name) = self.kind(expr) else {
            return false;
        };
        let function = self.owner(expr);
        self.sorts(function, name)
    }

    fn sorts(&self, function: FuncRef, name: &Name) -> bool {
        let paths = self.paths.function(function);
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        paths.stmts().any(|stmt| {
            let StmtKind::Expr(call) = paths.stmt(stmt).kind else {
                return false;
            };
            match self.kind(at(call)) {
                ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::SortInPlace => {
                    matches!(self.kind(at(idiom.operands[0])), ExprKind::Name(sorted) if sorted == name)
                }
                _ => false,
            }
        })
    }

    /// The first place on the way where the items are run through one by one or made into text.
    fn run_through(&self, way: &[ExprRef]) -> Option<ExprRef> {
        let mut pairs = way.windows(2);
        let pair = pairs.find(|pair| {
            // Two sets make a set.
            let unites = matches!(self.kind(pair[1]), ExprKind::Binary { .. });
            !unites
                && self.graph.outgoing(self.node(pair[0])).iter().any(|edge| {
                    edge.node == self.node(pair[1])
                        && matches!(
                            edge.flow,
                            Flow::Element | Flow::Text | Flow::Part(Part::Map | Part::Copy | Part::Concat)
                        )
                })
        })?;
        Some(pair[0])
    }
}

/// The steps from `reached[index]` to the start of a walk against the flow.
fn reached_by(reached: &[Reached], index: usize) -> Vec<(Node, Node)> {
    let mut steps = Vec::new();
    let mut at = index;
    while let Some(next) = reached[at].previous {
        steps.push((reached[at].node, reached[next as usize].node));
        at = next as usize;
    }
    steps
}
