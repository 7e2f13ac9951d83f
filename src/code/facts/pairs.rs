//! Tool pairs that lose a half without a cut: ways past the results, results for other calls, degraded
//! ways around a repair.

use super::Facts;
use super::cuts::Repairs;
use crate::code::flow::graph::Origin;
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::{Detour, ExitKind, Paths, Slot, StmtId, When};
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{CompareOp, ExprId, ExprKind, Intrinsic, Literal, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::scope::Binding;
use crate::code::vocabulary::{Field, Role};
use crate::finding::Confidence;

/// How deep helpers of a prompt's preparation are followed.
const HELPERS: usize = 3;

/// How a pair loses a half.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SplitKind {
    /// A way leads past the results of a call.
    Escape(ExitKind),
    /// Results are put under the ids of other calls.
    Misaligned,
    /// When a step fails, the history goes out without the repair.
    Unrepaired,
    /// A new prompt is added whatever stands open.
    OpenAtPrompt,
}

/// One place where a pair loses a half.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    /// How.
    pub(crate) kind: SplitKind,
    /// The place to point at.
    pub(crate) at: SplitAt,
    /// Where the calls are put into the history, or what else explains it.
    pub(crate) because: ExprRef,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

/// A statement or an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SplitAt {
    /// An expression.
    Expr(ExprRef),
    /// A statement of a function.
    Stmt(FuncRef, StmtId),
}

impl Facts<'_> {
    /// Everything that separates tool pairs without a cut.
    pub(crate) fn splits(&self) -> Vec<Split> {
        let repairs = Repairs::of(self);
        let mut found = Vec::new();
        for (function, _) in self.project.functions() {
            let search = Search {
                facts: self,
                function,
                paths: self.paths.function(function),
            };
            found.extend(search.escapes());
            found.extend(search.skipped());
            found.extend(search.misaligned());
            found.extend(search.unrepaired(&repairs));
            found.extend(search.open_at_prompt(&repairs));
        }
        found
    }
}

struct Search<'a, 'p> {
    facts: &'a Facts<'p>,
    function: FuncRef,
    paths: &'a Paths<'p>,
}

/// A message with calls that is added to a history.
struct Asked {
    stmt: StmtId,
    at: ExprRef,
    list: ExprRef,
    /// The variable that holds the reply, or what the calls are read from.
    root: Name,
}

impl Search<'_, '_> {
    fn at(&self, expr: ExprId) -> ExprRef {
        ExprRef {
            module: self.function.module,
            expr,
        }
    }

    fn kind(&self, expr: ExprId) -> &ExprKind {
        self.facts.kind(self.at(expr))
    }

    /// The variable that a chain of fields and calls starts from.
    fn root(&self, expr: ExprId) -> Option<&Name> {
        match self.kind(expr) {
            ExprKind::Name(name) => Some(name),
            ExprKind::Attribute { base, .. } | ExprKind::Index { base, .. } => self.root(*base),
            ExprKind::Call { callee, .. } => self.root(*callee),
            ExprKind::Await(value) => self.root(*value),
            _ => None,
        }
    }

    /// Whether an expression reads calls of tools from a variable.
    fn reads_calls(&self, expr: ExprId, root: &Name) -> bool {
        let Some((base, name)) = super::histories::field_read(self.facts, self.at(expr)) else {
            return false;
        };
        let is_call = self.facts.vocabulary.field(&name) == Some(Field::ToolCall);
        (is_call || self.facts.vocabulary.field(&name) == Some(Field::Content) && self.is_blocks(expr))
            && self.root(base.expr) == Some(root)
    }

    /// Whether content is gone through for blocks with calls.
    fn is_blocks(&self, expr: ExprId) -> bool {
        let Some(around) = self.facts.graph.around(self.at(expr)) else {
            return false;
        };
        matches!(self.facts.kind(around), ExprKind::Comprehension { .. }) && self.mentions_call_block(around.expr)
    }

    fn mentions_call_block(&self, expr: ExprId) -> bool {
        self.inside(expr).any(|inner| match self.kind(inner) {
            ExprKind::Literal(Literal::Str(text)) => {
                self.facts.vocabulary.block(text) == Some(crate::code::vocabulary::Block::ToolCall)
                    || self.facts.vocabulary.field(text) == Some(Field::ToolCall)
            }
            _ => false,
        })
    }

    /// All expressions inside one.
    fn inside(&self, expr: ExprId) -> impl Iterator<Item = ExprId> + '_ {
        let module = self.facts.module(self.function.module);
        let mut open = vec![expr];
        std::iter::from_fn(move || {
            let expr = open.pop()?;
            open.extend(module.children(expr));
            Some(expr)
        })
    }

    /// The variables that hold calls read from `root`.
    fn call_names(&self, root: &Name) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        for stmt in self.paths.stmts() {
            let StmtKind::Assign { targets, value, .. } = &self.paths.stmt(stmt).kind else {
                continue;
            };
            let reads = self.inside(*value).any(|inner| self.reads_calls(inner, root));
            if !reads || matches!(self.kind(*value), ExprKind::Await(_)) {
                continue;
            }
            for target in targets {
                if let ExprKind::Name(name) = self.kind(*target) {
                    names.push(name.clone());
                }
            }
        }
        names
    }

    /// How sure it is that a value is a history, by what is around it.
    fn sure(&self, list: ExprId) -> Option<Confidence> {
        let histories = self.facts.histories();
        let node = self.facts.node(self.at(list));
        histories.confidence(node)?;
        histories.near(&self.facts.graph, node).confidence
    }

    /// Appends and extensions of histories: the statement, the call, the list and the value.
    fn additions(&self) -> Vec<(StmtId, ExprId, ExprId, ExprId, bool)> {
        let mut found = Vec::new();
        for stmt in self.paths.stmts() {
            for expr in self.paths.own_exprs_in(stmt) {
                if let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(expr)
                    && let (Intrinsic::Append | Intrinsic::Extend, [list, value]) = (idiom.op, &idiom.operands[..])
                    && self
                        .facts
                        .histories()
                        .confidence(self.facts.node(self.at(*list)))
                        .is_some()
                {
                    found.push((stmt, expr, *list, *value, idiom.op == Intrinsic::Extend));
                }
            }
            if let StmtKind::Update {
                target,
                op: crate::code::ir::BinaryOp::Add,
                value,
            } = self.paths.stmt(stmt).kind
                && self
                    .facts
                    .histories()
                    .confidence(self.facts.node(self.at(target)))
                    .is_some()
            {
                found.push((stmt, target, target, value, true));
            }
        }
        found
    }

    /// The messages with calls that are added.
    fn asked(&self, additions: &[(StmtId, ExprId, ExprId, ExprId, bool)]) -> Vec<Asked> {
        let mut found = Vec::new();
        for &(stmt, expr, list, value, extends) in additions {
            // A loop over a history renders what is stored; it adds nothing to it.
            if extends
                || self
                    .paths
                    .enclosing_loops(stmt)
                    .any(|around| self.runs_over_history(around))
            {
                continue;
            }
            let made = self.facts.construction(self.at(value));
            let root = match made {
                Some(made) if made.role == Some(Role::Assistant) => {
                    let calls = made.field(self.facts, |field| field == Field::ToolCall);
                    calls.and_then(|calls| self.root(calls.expr).cloned())
                }
                Some(_) => None,
                // The reply as it came, whose calls are read somewhere in the function.
                None => self.root(value).cloned().filter(|root| {
                    !matches!(&**root, "self" | "this")
                        && !self.is_loop_variable(root)
                        && self.paths.stmts().any(|other| {
                            self.paths
                                .own_exprs_in(other)
                                .any(|inner| self.reads_calls(inner, root))
                        })
                }),
            };
            if let Some(root) = root {
                found.push(Asked {
                    stmt,
                    at: self.at(expr),
                    list: self.at(list),
                    root,
                });
            }
        }
        found
    }

    fn runs_over_history(&self, stmt: StmtId) -> bool {
        let StmtKind::For { iter, .. } = self.paths.stmt(stmt).kind else {
            return false;
        };
        let module = self.facts.module(self.function.module);
        iteration(module, iter).is_some_and(|over| {
            self.facts
                .histories()
                .confidence(self.facts.node(self.at(over.list)))
                .is_some()
        })
    }

    /// Whether a variable runs over the messages of a history.
    fn is_loop_variable(&self, name: &Name) -> bool {
        let bindings = self
            .facts
            .project
            .scopes(self.function.module)
            .own(self.function.function, name);
        bindings.is_some_and(|bindings| {
            bindings.iter().any(|binding| match binding {
                Binding::Element(list) => self
                    .facts
                    .histories()
                    .confidence(self.facts.node(self.at(*list)))
                    .is_some(),
                _ => false,
            })
        })
    }

    fn same_list(&self, a: ExprRef, b: ExprId) -> bool {
        same_spelling(self.facts.module(self.function.module), a.expr, b)
    }

    // ---- ways past the results ---------------------------------------------------------------------

    fn escapes(&self) -> Vec<Split> {
        let additions = self.additions();
        let mut found = Vec::new();
        for asked in self.asked(&additions) {
            let names = self.call_names(&asked.root);
            let results = self.results(&asked, &names, &additions);
            if results.is_empty() || self.takes_back(&asked) {
                continue;
            }
            let complete = |stmt: StmtId| matches!(self.paths.stmt(stmt).kind, StmtKind::For { .. });
            let harmless = |cond: ExprId, holds: bool| self.says_no_calls(cond, holds, &asked.root, &names);
            let detour = Detour {
                through: &results,
                complete: &complete,
                harmless: &harmless,
            };
            let exits = self.paths.escapes(asked.stmt, &detour);
            let Some(confidence) = self.sure(asked.list.expr) else {
                continue;
            };
            let lives_on = self.lives_on(asked.list);
            for exit in exits {
                let Some(at) = exit.at.filter(|_| !exit.implicit) else {
                    continue;
                };
                let counts = match exit.kind {
                    ExitKind::Continue | ExitKind::NextIteration => true,
                    ExitKind::Break | ExitKind::Return => lives_on,
                    ExitKind::Raise | ExitKind::End => false,
                };
                if counts && !self.is_last_call(at) {
                    let at = SplitAt::Stmt(self.function, at);
                    found.push(Split {
                        kind: SplitKind::Escape(exit.kind),
                        at,
                        because: asked.at,
                        confidence,
                    });
                    break;
                }
            }
        }
        found
    }

    /// The statements that add results to the same list.
    fn results(
        &self,
        asked: &Asked,
        names: &[Name],
        additions: &[(StmtId, ExprId, ExprId, ExprId, bool)],
    ) -> Vec<StmtId> {
        let about_calls = |expr: ExprId| {
            self.inside(expr).any(|inner| {
                self.reads_calls(inner, &asked.root)
                    || matches!(self.kind(inner), ExprKind::Name(name) if names.contains(name))
            })
        };
        let mut found = Vec::new();
        for &(stmt, _, list, value, extends) in additions {
            if stmt == asked.stmt || !self.same_list(asked.list, list) {
                continue;
            }
            let made = self.facts.construction(self.at(value));
            let is_result = made.is_some_and(|made| made.is_tool_result(self.facts));
            let unknown =
                made.is_none() && (extends || about_calls(value) || self.comes_from_calls(value, asked, names));
            let carries = made.is_some_and(|made| made.role == Some(Role::User)) && self.holds_results(value);
            if is_result || unknown || carries {
                found.push(stmt);
            }
        }
        // Helpers that are given the list and the calls, or the reply.
        for stmt in self.paths.stmts().filter(|&stmt| stmt != asked.stmt) {
            for expr in self.paths.own_exprs_in(stmt) {
                let ExprKind::Call {
                    callee,
                    args,
                    idiom: None,
                } = self.kind(expr)
                else {
                    continue;
                };
                let given = args.iter().any(|arg| {
                    about_calls(arg.value)
                        || matches!(self.kind(arg.value), ExprKind::Name(name) if *name == asked.root)
                });
                let takes_list = args.iter().any(|arg| self.same_list(asked.list, arg.value))
                    || self
                        .root(*callee)
                        .is_some_and(|root| self.root(asked.list.expr) == Some(root) && &**root == "self");
                if given && takes_list && self.order_after(asked.stmt, stmt) && self.adds_to_history(expr, takes_list) {
                    found.push(stmt);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Whether a helper of the project adds to a history; one from elsewhere may.
    fn adds_to_history(&self, call: ExprId, takes_list: bool) -> bool {
        let callees = self.facts.project.callees_of(self.at(call));
        if callees.is_empty() {
            return takes_list && matches!(self.kind(call), ExprKind::Call { args, .. } if args.len() > 1);
        }
        callees.iter().any(|callee| {
            let inner = Search {
                facts: self.facts,
                function: *callee,
                paths: self.facts.paths.function(*callee),
            };
            !inner.additions().is_empty()
        })
    }

    fn order_after(&self, first: StmtId, second: StmtId) -> bool {
        self.paths.stmt_order(first, second).when == When::Before
    }

    /// A variable whose value was made of the calls: `results = await execute(calls)`.
    fn comes_from_calls(&self, value: ExprId, asked: &Asked, names: &[Name]) -> bool {
        let ExprKind::Name(name) = self.kind(value) else {
            return false;
        };
        let made = self.paths.stmts().any(|stmt| match &self.paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } => {
                targets.iter().any(|target| self.inside(*target).any(|inner| matches!(self.kind(inner), ExprKind::Name(other) if other == name)))
                    && self.inside(*value).any(|inner| {
                        self.reads_calls(inner, &asked.root)
                            || matches!(self.kind(inner), ExprKind::Name(other) if names.contains(other) || *other == asked.root)
                    })
            }
            StmtKind::For { target, iter, .. } => {
                self.inside(*target).any(|inner| matches!(self.kind(inner), ExprKind::Name(other) if other == name))
                    && self.inside(*iter).any(|inner| {
                        self.reads_calls(inner, &asked.root)
                            || matches!(self.kind(inner), ExprKind::Name(other) if names.contains(other))
                    })
            }
            _ => false,
        });
        made
    }

    /// Whether a user message carries results of tools.
    fn holds_results(&self, value: ExprId) -> bool {
        let Some(made) = self.facts.construction(self.at(value)) else {
            return false;
        };
        let Some(content) = made.content else { return false };
        // A list that is filled with results, or a display of them; text is none.
        !matches!(self.facts.kind(content), ExprKind::Template(_) | ExprKind::Literal(_))
            && (self.facts.has_user_results(content.module) || self.mentions_result_block(content.expr))
    }

    fn mentions_result_block(&self, expr: ExprId) -> bool {
        self.inside(expr).any(|inner| match self.kind(inner) {
            ExprKind::Literal(Literal::Str(text)) => {
                self.facts.vocabulary.block(text) == Some(crate::code::vocabulary::Block::ToolResult)
            }
            _ => false,
        })
    }

    /// Whether a condition that comes out so says that there are no calls to answer.
    fn says_no_calls(&self, cond: ExprId, holds: bool, root: &Name, names: &[Name]) -> bool {
        let about = |expr: ExprId| {
            self.reads_calls(expr, root) || matches!(self.kind(expr), ExprKind::Name(name) if names.contains(name))
        };
        if about(cond) {
            return !holds;
        }
        let module = self.facts.module(self.function.module);
        let reason = self.inside(cond).any(|inner| {
            super::histories::field_read(self.facts, self.at(inner))
                .is_some_and(|(_, name)| self.facts.vocabulary.is_stop_field(&name))
                || matches!(self.kind(inner), ExprKind::Name(name) if self.facts.vocabulary.is_stop_field(name))
        });
        if reason {
            return true;
        }
        match module.kind(cond) {
            ExprKind::Compare { op, left, right } => {
                let none = |expr: ExprId| matches!(self.kind(expr), ExprKind::Literal(Literal::None | Literal::Int(0)));
                let length = |expr: ExprId| self.inside(expr).any(about);
                let empty = none(*left) && length(*right) || none(*right) && length(*left);
                match op {
                    CompareOp::Eq | CompareOp::Is | CompareOp::LessEq => empty && holds,
                    CompareOp::NotEq | CompareOp::IsNot | CompareOp::Greater => empty && !holds,
                    _ => false,
                }
            }
            // A helper that is asked about the reply or its calls.
            ExprKind::Call { .. } => self
                .inside(cond)
                .any(|inner| about(inner) || matches!(self.kind(inner), ExprKind::Name(name) if name == root)),
            ExprKind::Attribute { .. } => self.root(cond) == Some(root),
            _ => false,
        }
    }

    /// Whether the message is taken out again somewhere: the way that leaves may clean up.
    fn takes_back(&self, asked: &Asked) -> bool {
        self.paths.stmts().filter(|&stmt| stmt != asked.stmt).any(|stmt| {
            let popped = self.paths.own_exprs_in(stmt).any(|expr| match self.kind(expr) {
                ExprKind::Call { idiom: Some(idiom), .. } => {
                    matches!(idiom.op, Intrinsic::Pop | Intrinsic::Clear | Intrinsic::RemoveValue)
                        && idiom
                            .operands
                            .first()
                            .is_some_and(|list| self.same_list(asked.list, *list))
                }
                _ => false,
            });
            let deleted = match &self.paths.stmt(stmt).kind {
                StmtKind::Delete(targets) => targets.iter().any(|target| match self.kind(*target) {
                    ExprKind::Index { base, .. } | ExprKind::Slice { base, .. } => self.same_list(asked.list, *base),
                    _ => false,
                }),
                _ => false,
            };
            (popped || deleted) && self.order_after(asked.stmt, stmt)
        })
    }

    /// Whether the list outlives the function: an attribute, or one that the caller gave.
    fn lives_on(&self, list: ExprRef) -> bool {
        let graph = &self.facts.graph;
        graph.incoming(self.facts.node(list)).iter().any(|edge| {
            matches!(
                graph.origin(edge.node),
                Origin::Param(..) | Origin::Field(..) | Origin::Slot(..)
            )
        })
    }

    /// Whether the way leaves because of which tool was called: the last one of a run answers nothing.
    fn is_last_call(&self, at: StmtId) -> bool {
        self.paths.guards_at(at).iter().any(|guard| {
            guard.holds
                && matches!(self.kind(guard.cond), ExprKind::Compare { op: CompareOp::Eq | CompareOp::In, left, right }
                if [left, right].iter().any(|side| self.inside(**side).any(|inner| {
                    super::histories::field_read(self.facts, self.at(inner)).is_some_and(|(_, name)| &*name == "name")
                        || matches!(self.kind(inner), ExprKind::Name(name) if name.ends_with("name"))
                })))
        })
    }

    // ---- results that are collected first ----------------------------------------------------------

    /// A list of results that is filled in a loop over the calls, and goes into one message: a way
    /// through the loop that adds none.
    fn skipped(&self) -> Vec<Split> {
        let mut found = Vec::new();
        for (_, call, list, value, extends) in self.additions() {
            let made = self.facts.construction(self.at(value));
            let results = match made {
                Some(made) if made.role == Some(Role::User) => made.content.map(|content| content.expr),
                None if extends => Some(value),
                _ => None,
            };
            let Some(results) = results else { continue };
            let ExprKind::Name(name) = self.kind(results) else {
                continue;
            };
            let Some(confidence) = self.sure(list) else {
                continue;
            };
            for stmt in self.paths.stmts() {
                if !matches!(self.paths.stmt(stmt).kind, StmtKind::For { .. }) {
                    continue;
                }
                if let Some(at) = self.skips(stmt, name) {
                    let at = SplitAt::Stmt(self.function, at);
                    let kind = SplitKind::Escape(ExitKind::Continue);
                    found.push(Split {
                        kind,
                        at,
                        because: self.at(call),
                        confidence,
                    });
                }
            }
        }
        found
    }

    /// The statement of a loop that leaves a call without its result in the list.
    fn skips(&self, around: StmtId, results: &Name) -> Option<StmtId> {
        let inside = |stmt: &StmtId| *stmt != around && self.paths.contains(around, *stmt);
        let adds: Vec<StmtId> = self
            .paths
            .stmts()
            .filter(inside)
            .filter(|stmt| {
                self.paths.own_exprs_in(*stmt).any(|expr| match self.kind(expr) {
                    ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Append => {
                        let [list, value] = idiom.operands[..] else {
                            return false;
                        };
                        matches!(self.kind(list), ExprKind::Name(other) if other == results)
                            && (self.mentions_result_block(value)
                                || self
                                    .facts
                                    .construction(self.at(value))
                                    .is_some_and(|made| made.is_tool_result(self.facts)))
                    }
                    _ => false,
                })
            })
            .collect();
        if adds.is_empty() {
            return None;
        }
        self.paths.stmts().filter(inside).find(|stmt| {
            let leaves = matches!(self.paths.stmt(*stmt).kind, StmtKind::Continue)
                && self.paths.enclosing_loops(*stmt).next() == Some(around);
            let answered = adds.iter().any(|add| self.paths.preceding(*stmt).contains(add));
            // What is no call needs no result.
            let of_kind = self.paths.guards_at(*stmt).iter().any(|guard| {
                self.paths
                    .stmt_of(guard.cond)
                    .is_some_and(|of| self.paths.contains(around, of))
                    && self.paths.contains(around, *stmt)
                    && self.decides_kind(guard.cond, guard.holds)
            });
            leaves && !answered && !of_kind
        })
    }

    /// Whether a condition that comes out so says that a block is no call.
    fn decides_kind(&self, cond: ExprId, holds: bool) -> bool {
        let says_call = match self.kind(cond) {
            ExprKind::Compare { op, .. } => matches!(op, CompareOp::Eq | CompareOp::Is | CompareOp::In) == holds,
            _ => holds,
        };
        !says_call && self.mentions_call_block(cond)
            || matches!(self.kind(cond), ExprKind::Compare { .. } | ExprKind::TypeTest { .. })
                && !self.mentions_call_block(cond)
                && self.mentions_role_or_type(cond)
    }

    fn mentions_role_or_type(&self, cond: ExprId) -> bool {
        self.inside(cond).any(|inner| {
            super::histories::field_read(self.facts, self.at(inner))
                .is_some_and(|(_, name)| matches!(self.facts.vocabulary.field(&name), Some(Field::Role(_))))
        })
    }

    // ---- results of other calls --------------------------------------------------------------------

    /// `for call, result in zip([call], results)`: one call, all results.
    fn misaligned(&self) -> Vec<Split> {
        let mut found = Vec::new();
        for stmt in self.paths.stmts() {
            let StmtKind::For { iter, .. } = self.paths.stmt(stmt).kind else {
                continue;
            };
            let ExprKind::Call { idiom: Some(idiom), .. } = self.kind(iter) else {
                continue;
            };
            if idiom.op != Intrinsic::Zip || idiom.operands.len() != 2 {
                continue;
            }
            let single = |expr: ExprId| matches!(self.kind(expr), ExprKind::List { items, .. } if matches!(&items[..], [only] if !only.spread));
            let (one, many) = match idiom.operands[..] {
                [a, b] if single(a) => (a, b),
                [a, b] if single(b) => (b, a),
                _ => continue,
            };
            let outer = self
                .paths
                .enclosing_loops(stmt)
                .any(|around| match self.paths.stmt(around).kind {
                    StmtKind::For { iter, .. } => same_spelling(self.facts.module(self.function.module), iter, many),
                    _ => false,
                });
            let adds = self.additions().into_iter().find(|(inner, _, _, value, _)| {
                self.paths.contains(stmt, *inner)
                    && self
                        .facts
                        .construction(self.at(*value))
                        .is_some_and(|made| made.is_tool_result(self.facts))
            });
            if let Some((_, _, list, ..)) = adds
                && outer
                && let Some(confidence) = self.sure(list)
            {
                let at = SplitAt::Expr(self.at(iter));
                found.push(Split {
                    kind: SplitKind::Misaligned,
                    at,
                    because: self.at(one),
                    confidence,
                });
            }
        }
        found
    }

    // ---- degraded ways -----------------------------------------------------------------------------

    /// `try: sent = repair(xs); sent = shrink(sent) except: sent = xs`.
    fn unrepaired(&self, repairs: &Repairs) -> Vec<Split> {
        let mut found = Vec::new();
        for stmt in self.paths.stmts() {
            if !matches!(self.paths.stmt(stmt).kind, StmtKind::Try { .. }) {
                continue;
            }
            let mut repaired: Option<(Name, ExprRef)> = None;
            let mut others = false;
            for inner in self.paths.block(stmt, Slot::Try).iter().copied() {
                for expr in self.paths.own_exprs_in(inner) {
                    if !matches!(self.kind(expr), ExprKind::Call { idiom: None, .. }) {
                        continue;
                    }
                    if repairs.is_call(self.at(expr)) {
                        if let StmtKind::Assign { targets, .. } = &self.paths.stmt(inner).kind
                            && let ExprKind::Name(name) = self.kind(targets[0])
                        {
                            repaired = Some((name.clone(), self.at(expr)));
                        }
                    } else {
                        others = true;
                    }
                }
            }
            let Some((name, repair)) = repaired.filter(|_| others) else {
                continue;
            };
            let StmtKind::Try { handlers, .. } = &self.paths.stmt(stmt).kind else {
                continue;
            };
            for number in 0..handlers.len() {
                for inner in self.paths.block(stmt, Slot::Handler(number)).iter().copied() {
                    let StmtKind::Assign { targets, value, .. } = &self.paths.stmt(inner).kind else {
                        continue;
                    };
                    let same = matches!(self.kind(targets[0]), ExprKind::Name(other) if *other == name);
                    let raw = matches!(self.kind(*value), ExprKind::Name(_) | ExprKind::Attribute { .. });
                    let confidence = self.sure(*value);
                    if let Some(confidence) = confidence
                        && same
                        && raw
                    {
                        let at = SplitAt::Expr(self.at(*value));
                        found.push(Split {
                            kind: SplitKind::Unrepaired,
                            at,
                            because: repair,
                            confidence,
                        });
                    }
                }
            }
        }
        found
    }

    // ---- a new prompt over open calls --------------------------------------------------------------

    /// A history that is handed in from outside gets a new prompt, and nobody looks whether its last
    /// message still waits for results.
    fn open_at_prompt(&self, repairs: &Repairs) -> Vec<Split> {
        let additions = self.additions();
        let mut found = Vec::new();
        for asked in self.asked(&additions) {
            let names = self.call_names(&asked.root);
            let results = self.results(&asked, &names, &additions);
            let waits = results.iter().any(|stmt| {
                self.paths
                    .own_exprs_in(*stmt)
                    .any(|expr| matches!(self.kind(expr), ExprKind::Await(_)))
            });
            if !waits || !self.is_handed_in(asked.list) || !repairs.of_function(self.function).is_empty() {
                continue;
            }
            let prompt = additions.iter().find(|(stmt, _, list, value, _)| {
                self.same_list(asked.list, *list)
                    && self.order_after(*stmt, asked.stmt)
                    && self.paths.same_loop(*stmt, asked.stmt).is_none()
                    && self.looks_at_nothing(*stmt, asked.list)
                    && self.comes_from_outside(*value)
            });
            if let Some((_, expr, list, ..)) = prompt
                && let Some(confidence) = self.sure(*list)
            {
                let at = SplitAt::Expr(self.at(*expr));
                let confidence = confidence.min(Confidence::Medium);
                found.push(Split {
                    kind: SplitKind::OpenAtPrompt,
                    at,
                    because: asked.at,
                    confidence,
                });
            }
        }
        found
    }

    /// Whether a list is an attribute that a constructor is given.
    fn is_handed_in(&self, list: ExprRef) -> bool {
        let ExprKind::Attribute { base, name } = self.facts.kind(list) else {
            return false;
        };
        let Some(class) = self.facts.project.class_of(self.facts.beside(list, *base)) else {
            return false;
        };
        self.facts
            .project
            .attribute_values(class, name)
            .iter()
            .any(|(method, value)| {
                let at = ExprRef {
                    module: method.module,
                    expr: *value,
                };
                let mut open = vec![at.expr];
                let module = self.facts.module(at.module);
                while let Some(expr) = open.pop() {
                    if let ExprKind::Name(name) = module.kind(expr)
                        && self
                            .facts
                            .project
                            .function(*method)
                            .params
                            .iter()
                            .any(|param| param.name == *name)
                    {
                        return true;
                    }
                    open.extend(module.children(expr));
                }
                false
            })
    }

    /// Whether nothing before the statement reads the list.
    fn looks_at_nothing(&self, stmt: StmtId, list: ExprRef) -> bool {
        !self
            .paths
            .stmts()
            .filter(|&other| other != stmt && self.order_after(other, stmt))
            .any(|other| {
                self.paths
                    .own_exprs_in(other)
                    .any(|expr| self.same_list(list, expr) || self.helper_looks(self.at(expr), list, 0))
            })
    }

    /// Whether a call enters a method that reads the same attribute, itself or through a helper.
    fn helper_looks(&self, call: ExprRef, list: ExprRef, depth: usize) -> bool {
        let ExprKind::Attribute { name, .. } = self.facts.kind(list) else {
            return false;
        };
        depth < HELPERS
            && self.facts.project.callees_of(call).iter().any(|callee| {
                let paths = self.facts.paths.function(*callee);
                let mut inside = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
                inside.any(|expr| {
                    let at = ExprRef {
                        module: callee.module,
                        expr,
                    };
                    matches!(self.facts.kind(at), ExprKind::Attribute { name: other, .. } if other == name)
                        || self.helper_looks(at, list, depth + 1)
                })
            })
    }

    /// Whether a message is made of what the function is given.
    fn comes_from_outside(&self, value: ExprId) -> bool {
        let params = &self.facts.project.function(self.function).params;
        let mut open = vec![value];
        let mut hops = 8;
        while let Some(expr) = open.pop() {
            if let ExprKind::Name(name) = self.kind(expr) {
                if params.iter().any(|param| param.name == *name && &*param.name != "self") {
                    return true;
                }
                for stmt in self.paths.stmts() {
                    if hops > 0
                        && let StmtKind::For { target, iter, .. } = self.paths.stmt(stmt).kind
                        && matches!(self.kind(target), ExprKind::Name(other) if other == name)
                    {
                        hops -= 1;
                        open.push(iter);
                    }
                }
            }
            open.extend(self.facts.module(self.function.module).children(expr));
        }
        false
    }
}
