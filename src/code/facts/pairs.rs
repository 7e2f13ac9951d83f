//! Tool pairs that lose a half without a cut: ways past the results, results for other calls, degraded
//! ways around a repair.

mod collected;
mod degraded;
mod escapes;
mod offered;
mod open;
mod unanswered;

use super::Facts;
use crate::code::flow::graph::Flow;
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::{ExitKind, Paths, StmtId};
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Literal, Name, StmtKind};
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
    /// A result names its call by a word of the program.
    Unnamed,
    /// Calls that wait for their turn are thrown away.
    Abandoned,
    /// Stored calls that gave nothing become calls without a result.
    Unanswered,
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
        let repairs = self.repairs();
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
            found.extend(search.unanswered());
            found.extend(search.unrepaired(repairs));
            found.extend(search.open_at_prompt(repairs));
            found.extend(search.abandoned(repairs));
        }
        for made in self.constructions() {
            if made.typed && made.is_tool_result(self) {
                let function = self.owner(made.expr);
                let search = Search {
                    facts: self,
                    function,
                    paths: self.paths.function(function),
                };
                found.extend(search.unnamed(made));
            }
        }
        found
    }
}

struct Search<'a, 'p> {
    facts: &'a Facts<'p>,
    function: FuncRef,
    paths: &'a Paths<'p>,
}

/// Something that is added to the end of a history.
#[derive(Clone, Copy, Debug)]
struct Addition {
    stmt: StmtId,
    /// The call or the target that adds.
    by: ExprId,
    list: ExprId,
    value: ExprId,
    /// Whether the value is a list.
    extends: bool,
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
            ExprKind::Comprehension { clauses, .. } => self.root(clauses.first()?.iter),
            _ => None,
        }
    }

    /// The variable whose calls a message is given that a helper builds: `build(text, tool_calls=reply.tool_calls)`.
    fn built_with_calls(&self, value: ExprId) -> Option<&Name> {
        let built = reach(
            &self.facts.graph,
            self.facts.node(self.at(value)),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        built.iter().find_map(|one| {
            let call = self.facts.graph.as_expr(one.node)?;
            let (_, args) = self
                .facts
                .call(call)
                .filter(|_| self.facts.owner(call) == self.function)?;
            let calls = args.iter().find(|arg| {
                let named = arg.name.as_ref().and_then(|name| self.facts.vocabulary.field(name));
                named == Some(Field::ToolCall)
            })?;
            self.root(calls.value)
        })
    }

    /// Whether an expression reads calls of tools from a variable.
    fn reads_calls(&self, expr: ExprId, root: &Name) -> bool {
        let Some((base, name)) = super::fields::field_read(self.facts, self.at(expr)) else {
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
        self.facts.module(self.function.module).inside(expr)
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
    fn additions(&self) -> Vec<Addition> {
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
                    found.push(Addition {
                        stmt,
                        by: expr,
                        list: *list,
                        value: *value,
                        extends: idiom.op == Intrinsic::Extend,
                    });
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
                found.push(Addition {
                    stmt,
                    by: target,
                    list: target,
                    value,
                    extends: true,
                });
            }
        }
        found
    }

    /// The messages with calls that are added.
    fn asked(&self, additions: &[Addition]) -> Vec<Asked> {
        let mut found = Vec::new();
        for &Addition {
            stmt,
            by,
            list,
            value,
            extends,
        } in additions
        {
            // A loop over what is stored renders it; it adds nothing to it.
            if extends || self.paths.enclosing_loops(stmt).any(|around| self.renders(around)) {
                continue;
            }
            let made = self.facts.made_behind(self.at(value));
            let root = match made {
                Some(made) if made.role == Some(Role::Assistant) => {
                    let calls = made.field(self.facts, |field| field == Field::ToolCall);
                    calls.and_then(|calls| self.root(calls.expr).cloned())
                }
                Some(_) => None,
                None if self.built_with_calls(value).is_some() => self.built_with_calls(value).cloned(),
                // The reply as it came, whose calls are read somewhere in the function.
                None => self.root(value).cloned().filter(|root| {
                    !self.facts.project.is_receiver(self.function, root)
                        // A type whose member makes a message is no reply.
                        && !root.starts_with(char::is_uppercase)
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
                    at: self.at(by),
                    list: self.at(list),
                    root,
                });
            }
        }
        found
    }

    /// Whether a loop runs over a history, or over other things that are there before it begins, and asks
    /// no model.
    fn renders(&self, stmt: StmtId) -> bool {
        let module = self.facts.module(self.function.module);
        let is_history = |list: ExprId| {
            self.facts
                .histories()
                .confidence(self.facts.node(self.at(list)))
                .is_some()
        };
        let stored = match self.paths.stmt(stmt).kind {
            StmtKind::For { iter, .. } => iteration(module, iter).is_some_and(|over| {
                is_history(over.list)
                    || !over.positions && matches!(self.kind(over.list), ExprKind::Name(_) | ExprKind::Attribute { .. })
            }),
            // `while i < len(xs)`
            StmtKind::While { cond, .. } => match self.kind(cond) {
                ExprKind::Compare { right, .. } => match self.kind(*right) {
                    ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Len => {
                        idiom.operands.first().is_some_and(|list| is_history(*list))
                    }
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        };
        stored && !self.facts.frequencies.calls_model(self.function, stmt) && !self.awaits_in(stmt)
    }

    /// Whether something in a loop is waited for.
    fn awaits_in(&self, around: StmtId) -> bool {
        let mut inside = self.paths.exprs_in(around);
        inside.any(|expr| matches!(self.kind(expr), ExprKind::Await(_)))
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
}
