//! Cuts of a history: what shortens it, where the bound comes from, what makes it safe, and who reads
//! what is left.

mod boundary;
mod bounds;
mod carried;
mod library;
mod loops;
mod noted;
mod pages;
mod picked;
mod reaches;
mod repairs;
mod shrunk;
mod singles;
mod slices;
mod unhurt;
mod verdict;

use rustc_hash::FxHashSet;

use super::Facts;
use crate::code::flow::graph::Node;
use crate::code::flow::iteration::integer;
use crate::code::ir::{ExprKind, Intrinsic, Literal, Module, StmtKind};
use crate::code::project::{ExprRef, FuncRef, ModuleIx};
use crate::code::vocabulary::{Vocabulary, words};
use crate::finding::Confidence;
pub(super) use repairs::Repairs;

/// How safe a cut is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Safety {
    /// It may fall anywhere.
    #[default]
    Nothing,
    /// It leaves tool pairs whole.
    Pairs,
    /// It falls between two turns.
    Turns,
}

/// Who reads what a cut leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reach {
    /// Nobody that is known.
    #[default]
    Nowhere,
    /// Callers outside the project.
    Returned,
    /// A model, for one call.
    Model,
    /// It becomes the history.
    Durable,
}

/// What a cut is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Means {
    /// A slice, or the deletion of one.
    Slice,
    /// Messages taken from an end, one by one.
    Pop,
    /// A new list, filled from one end under a budget.
    Rebuild,
    /// A list with a greatest length.
    Window,
    /// A condition on each message.
    Filter,
    /// A condition that drops results and keeps calls.
    Half,
    /// A function of a library.
    Library,
    /// A limited read of what is stored.
    Limit,
}

/// Which part is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keeps {
    /// The newest messages.
    Newest,
    /// The oldest messages.
    Oldest,
    /// Some from anywhere.
    Some,
}

/// One cut.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// The expression that cuts.
    pub(crate) site: ExprRef,
    /// The place to point at: where the bound is decided.
    pub(crate) at: ExprRef,
    /// How.
    pub(crate) means: Means,
    /// What stays.
    pub(crate) keeps: Keeps,
    /// Whether the bound comes from sizes.
    pub(crate) measured: bool,
    /// How safe it is.
    pub(crate) safety: Safety,
    /// Who reads what is left.
    pub(crate) reach: Reach,
    /// Where what is left is joined with other messages or written back; for cuts of a library.
    pub(crate) products: Vec<ExprRef>,
    /// A repair that runs before the cut, and the place where the cut is called after it.
    pub(crate) too_early: Option<(ExprRef, ExprRef)>,
    /// A repair behind the cut that looks at one half of a pair only.
    pub(crate) one_sided: Option<ExprRef>,
    /// Whether the history holds tool pairs.
    pub(crate) has_pairs: bool,
    /// Whether calls from before the cut are put in front of what is kept, whichever they are.
    pub(crate) carries_calls: bool,
    /// Whether each message that goes takes its partner along, and nothing chooses where that ends.
    pub(crate) with_partner: bool,
    /// Whether the search for its place stops at messages of the model only: inside a turn, every time.
    pub(crate) at_answer: bool,
    /// Whether what is kept is told again by role and words alone.
    pub(crate) told_again: bool,
    /// Whether no question is lost with what goes, where tool pairs are whole.
    pub(crate) loses_no_question: bool,
    /// Whether the newest question is looked up beside the cut and kept.
    pub(crate) keeps_question: bool,
    /// How sure it is that it cuts a history.
    pub(crate) confidence: Confidence,
}

/// All cuts of a project, in the order of the source.
pub(super) fn find(facts: &Facts) -> Vec<Cut> {
    let mut found = Finder {
        facts,
        ignored: reaches::ignored_updates(facts),
        cuts: Vec::new(),
    };
    for expr in facts.exprs() {
        found.expression(expr);
    }
    for (function, _) in facts.project.functions() {
        found.function(function);
    }
    let mut cuts = found.cuts;
    cuts.sort_by_key(|cut| (cut.site.module, facts.span(cut.site).start, cut.site.expr));
    cuts.dedup_by_key(|cut| cut.site);
    cuts
}

struct Finder<'a, 'p> {
    facts: &'a Facts<'p>,
    /// Updates that cut nothing, whatever is missing from them.
    ignored: FxHashSet<ExprRef>,
    cuts: Vec<Cut>,
}

/// What is seen of a cut before its ways are followed.
struct Seen {
    site: ExprRef,
    list: ExprRef,
    means: Means,
    keeps: Keeps,
    bound: bounds::Bound,
    kept: Vec<Node>,
}

impl Finder<'_, '_> {
    fn expression(&mut self, expr: ExprRef) {
        let facts = self.facts;
        match facts.kind(expr) {
            ExprKind::Slice { base, start, end, step } => {
                let step = step.is_some_and(|step| integer(facts.module(expr.module), step) != Some(1));
                if !step && !facts.graph.is_target(expr) {
                    self.slice(expr, *base, *start, *end);
                }
            }
            ExprKind::Call { callee, args, idiom } => {
                if let Some(idiom) = idiom
                    && facts.project.callees_of(expr).is_empty()
                {
                    match (idiom.op, &idiom.operands[..]) {
                        (Intrinsic::Pop, [list, rest @ ..]) => self.popped(expr, *list, rest.first().copied()),
                        (Intrinsic::PopFirst, [list]) => self.popped(expr, *list, None),
                        (Intrinsic::Take, [list, bound]) => self.slice(expr, *list, None, Some(*bound)),
                        _ => {}
                    }
                }
                self.library(expr, facts.beside(expr, *callee), args);
            }
            ExprKind::Comprehension { .. } => self.filter(expr),
            _ => {}
        }
    }

    fn confidence(&self, list: ExprRef) -> Option<Confidence> {
        let facts = self.facts;
        let node = facts.node(list);
        // The cheap answer first.
        facts.histories().confidence(node)?;
        if facts.histories().holds_lists(&facts.graph, node) {
            return None;
        }
        facts.histories().near(&facts.graph, node).confidence
    }

    fn has_pairs(&self, list: ExprRef) -> bool {
        let facts = self.facts;
        let histories = facts.histories();
        histories.has_tool_pairs(facts.node(list))
            && histories.near(&facts.graph, facts.node(list)).paired
            && !self.is_program_without_tools(list.module)
            && !self.is_sorted_out(list)
    }

    /// Whether a file runs a model on what it keeps and never speaks of a tool: the type of its messages may
    /// know tools, its messages do not.
    fn is_program_without_tools(&self, module: ModuleIx) -> bool {
        let facts = self.facts;
        let ir = facts.module(module);
        let speaks = |name: &str| words(name).iter().any(|word| matches!(word.as_str(), "tool" | "tools"));
        let speaks_of_tools = || {
            ir.exprs.iter().any(|expr| match &expr.kind {
                ExprKind::Name(name) | ExprKind::Attribute { name, .. } => speaks(name),
                ExprKind::Literal(Literal::Str(text)) => facts.vocabulary.block(text).is_some() || speaks(text),
                ExprKind::Call { args, .. } => args
                    .iter()
                    .any(|arg| arg.name.as_ref().is_some_and(|name| speaks(name))),
                _ => false,
            }) || ir.functions.iter().any(|function| speaks(&function.name))
        };
        facts.model_sends().iter().any(|send| send.call.module == module) && !speaks_of_tools()
    }

    fn function(&mut self, function: FuncRef) {
        let facts = self.facts;
        let paths = facts.paths.function(function);
        for stmt in paths.stmts() {
            match &paths.stmt(stmt).kind {
                StmtKind::For { target, iter, .. } => self.rebuilt(function, stmt, *target, *iter),
                StmtKind::Assign { .. } => {
                    let around = paths.enclosing_loops(stmt).next();
                    let around = around.filter(|of| matches!(paths.stmt(*of).kind, StmtKind::While { .. }));
                    if let Some(around) = around {
                        self.shrunk(function, stmt, around);
                    }
                }
                StmtKind::Delete(targets) => {
                    for target in targets {
                        let target = ExprRef {
                            module: function.module,
                            expr: *target,
                        };
                        if let ExprKind::Index { base, index } = facts.kind(target) {
                            let list = facts.beside(target, *base);
                            let number = integer(facts.module(target.module), *index);
                            if self.confidence(list).is_some() && number == Some(0) {
                                self.taken(target, list, None, Keeps::Newest);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether results of tools stand in the person's name in a file, by a key that only they have.
pub(super) fn has_user_results(vocabulary: &Vocabulary, module: &Module) -> bool {
    module.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Literal(Literal::Str(text)) => vocabulary.is_user_result(text),
        ExprKind::Attribute { name, .. } => vocabulary.is_user_result(name),
        ExprKind::Call { args, .. } => args
            .iter()
            .any(|arg| arg.name.as_ref().is_some_and(|name| vocabulary.is_user_result(name))),
        _ => false,
    })
}
