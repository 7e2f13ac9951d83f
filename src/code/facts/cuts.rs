//! Cuts of a history: what shortens it, where the bound comes from, what makes it safe, and who reads
//! what is left.

mod boundary;
mod bounds;
mod reaches;
mod repairs;

use super::{Facts, Pick, UseKind};
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::iteration::{integer, iteration};
use crate::code::flow::paths::{ExitKind, StmtId};
use crate::code::flow::predicate::{Kinds, Subject, same_spelling};
use crate::code::flow::reach::{Direction, reach as reach_back};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Literal, Module, Name, StmtKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef};
use crate::code::vocabulary::Vocabulary;
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
    /// The history.
    pub(crate) list: ExprRef,
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
    /// Whether the newest question is looked up beside the cut and kept.
    pub(crate) keeps_question: bool,
    /// How sure it is that it cuts a history.
    pub(crate) confidence: Confidence,
}

/// All cuts of a project, in the order of the source.
pub(super) fn find(facts: &Facts) -> Vec<Cut> {
    let mut found = Finder {
        facts,
        repairs: None,
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
    /// Collected when the first cut asks for them.
    repairs: Option<Repairs>,
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
        facts.histories().near(&facts.graph, node).confidence
    }

    fn has_pairs(&self, list: ExprRef) -> bool {
        let facts = self.facts;
        let histories = facts.histories();
        histories.has_tool_pairs(facts.node(list)) && histories.near(&facts.graph, facts.node(list)).paired
    }

    // ---- slices ------------------------------------------------------------------------------------

    fn slice(&mut self, expr: ExprRef, base: ExprId, start: Option<ExprId>, end: Option<ExprId>) {
        let facts = self.facts;
        let list = facts.beside(expr, base);
        if self.confidence(list).is_none() {
            return;
        }
        let module = facts.module(expr.module);
        let number = |bound: Option<ExprId>| bound.and_then(|bound| integer(module, bound));
        let deleted = self.is_deleted(expr);
        // A slice that only takes an end off, or one message, cuts nothing.
        let trivial = match (start, end) {
            (None, None) => true,
            (Some(start), None) => number(Some(start)).is_some_and(|from| (-1..=2).contains(&from)),
            (None, Some(end)) => number(Some(end)).is_some_and(|to| (-2..=1).contains(&to)),
            (Some(start), Some(end)) => {
                let (from, to) = (number(Some(start)), number(Some(end)));
                from.is_some_and(|from| (0..=2).contains(&from))
                    && to.is_some_and(|to| (-2..=3).contains(&to))
                    && !self.is_alone_with_ends(expr)
            }
        };
        let removed = self.is_removed(expr);
        if trivial && !deleted && !removed || !deleted && !removed && self.has_rest(expr) || self.is_insertion(expr) {
            return;
        }
        let has_pairs = self.has_pairs(list);
        let start_bound = start.map(|bound| bounds::judge(facts, expr, facts.beside(expr, bound), has_pairs));
        let end_bound = end.map(|bound| bounds::judge(facts, expr, facts.beside(expr, bound), has_pairs));
        let amount = |bound: &Option<bounds::Bound>| bound.as_ref().is_some_and(|bound| bound.is_amount(facts));
        let bound = match (start_bound, end_bound) {
            (Some(start), Some(end)) => {
                let start_counts = start.is_amount(facts) && number_of(facts, expr, true).is_none_or(|from| from > 2);
                if end.is_amount(facts) || !start_counts {
                    end
                } else {
                    start
                }
            }
            (Some(bound), None) | (None, Some(bound)) => bound,
            (None, None) => return,
        };
        let _ = amount;
        if bound.length || !bound.is_amount(facts) {
            return;
        }
        let keeps = match (start.is_some(), end.is_some(), deleted || removed) {
            (true, false, false) | (false, true, true) => Keeps::Newest,
            (false, true, false) | (true, false, true) => Keeps::Oldest,
            _ => Keeps::Some,
        };
        let kept = if deleted {
            self.places(list)
        } else {
            vec![facts.node(expr)]
        };
        self.add(Seen {
            site: expr,
            list,
            means: Means::Slice,
            keeps,
            bound,
            kept,
        });
    }

    /// Whether the messages of a slice are marked for removal: `[RemoveMessage(id=m.id) for m in xs[:-n]]`.
    fn is_removed(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        facts.graph.around(expr).is_some_and(|around| match facts.kind(around) {
            ExprKind::Comprehension { element, clauses, .. } => {
                clauses.iter().any(|clause| clause.iter == expr.expr)
                    && facts
                        .construction(facts.beside(around, *element))
                        .is_some_and(|made| made.removal)
            }
            _ => false,
        })
    }

    /// Whether this slice and the one that goes on where it ends stand in one list: `xs[:i] + [x] + xs[i:]`
    /// cuts nothing.
    fn is_insertion(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let mut top = expr;
        while let Some(around) = facts.graph.around(top) {
            if !matches!(facts.kind(around), ExprKind::Binary { .. } | ExprKind::List { .. }) {
                break;
            }
            top = around;
        }
        let module = facts.module(expr.module);
        let mut open = vec![top.expr];
        let mut heads = Vec::new();
        let mut tails = Vec::new();
        while let Some(inner) = open.pop() {
            match module.kind(inner) {
                ExprKind::Slice {
                    base,
                    start: None,
                    end: Some(end),
                    ..
                } => heads.push((*base, *end)),
                ExprKind::Slice {
                    base,
                    start: Some(start),
                    end: None,
                    ..
                } => tails.push((*base, *start)),
                _ => open.extend(module.children(inner)),
            }
        }
        heads.iter().any(|(base, end)| {
            tails
                .iter()
                .any(|(list, start)| same_spelling(module, *base, *list) && same_spelling(module, *end, *start))
        })
    }

    /// Whether what this slice leaves out is another slice of the same function: the cut is there.
    fn has_rest(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let ExprKind::Slice {
            base, end: Some(end), ..
        } = facts.kind(expr)
        else {
            return false;
        };
        let module = facts.module(expr.module);
        let paths = facts.paths.function(facts.owner(expr));
        paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .any(|other| match module.kind(other) {
                ExprKind::Slice {
                    base: list,
                    start: Some(start),
                    end: None,
                    ..
                } => {
                    same_spelling(module, *base, *list)
                        && (same_spelling(module, *start, *end)
                            || integer(module, *start).is_some_and(|from| integer(module, *end) == Some(from)))
                }
                _ => false,
            })
    }

    /// Whether single messages from the end are all that is kept beside a slice of the middle.
    fn is_alone_with_ends(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let ExprKind::Slice {
            base, end: Some(end), ..
        } = facts.kind(expr)
        else {
            return false;
        };
        let module = facts.module(expr.module);
        let Some(end) = integer(module, *end).filter(|end| *end < 0) else {
            return false;
        };
        let paths = facts.paths.function(facts.owner(expr));
        paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .any(|other| match module.kind(other) {
                ExprKind::List { items, .. } => items.iter().any(|item| match module.kind(item.value) {
                    ExprKind::Index { base: list, index } => {
                        same_spelling(module, *base, *list) && integer(module, *index) == Some(end)
                    }
                    _ => false,
                }),
                _ => false,
            })
    }

    fn is_deleted(&self, expr: ExprRef) -> bool {
        let paths = self.facts.paths.function(self.facts.owner(expr));
        paths.stmt_of(expr.expr).is_some_and(
            |stmt| matches!(&paths.stmt(stmt).kind, StmtKind::Delete(targets) if targets.contains(&expr.expr)),
        )
    }

    /// Whether a slice replaces the whole list where it is: `xs[:] = xs[-n:]`.
    fn is_put_back(&self, expr: ExprRef) -> bool {
        let facts = self.facts;
        let paths = facts.paths.function(facts.owner(expr));
        paths
            .stmt_of(expr.expr)
            .is_some_and(|stmt| match &paths.stmt(stmt).kind {
                StmtKind::Assign { targets, .. } => targets.iter().any(|target| {
                    matches!(
                        facts.kind(facts.beside(expr, *target)),
                        ExprKind::Slice {
                            start: None,
                            end: None,
                            ..
                        }
                    )
                }),
                _ => false,
            })
    }

    /// The places that hold a list that is changed where it is.
    fn places(&self, list: ExprRef) -> Vec<Node> {
        let node = self.facts.node(list);
        let edges = self.facts.graph.incoming(node).iter();
        let mut places: Vec<Node> = edges
            .filter(|edge| edge.flow == Flow::Same)
            .map(|edge| edge.node)
            .collect();
        places.push(node);
        places
    }

    // ---- single messages ---------------------------------------------------------------------------

    /// `xs.pop(0)` in a loop, or under a test of the length.
    fn popped(&mut self, expr: ExprRef, list: ExprId, index: Option<ExprId>) {
        let facts = self.facts;
        let list = facts.beside(expr, list);
        if self.confidence(list).is_none() {
            return;
        }
        let index = index.map(|index| facts.beside(expr, index));
        let number = index.and_then(|index| integer(facts.module(index.module), index.expr));
        if number.is_some_and(|number| number < 0) || index.is_some_and(|index| facts.text(index).is_some()) {
            return;
        }
        let first =
            matches!(facts.kind(expr), ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::PopFirst);
        let keeps = match (index, first) {
            (None, false) => Keeps::Oldest,
            (Some(_), _) | (None, true) => Keeps::Newest,
        };
        self.taken(expr, list, index.filter(|_| number.is_none()), keeps);
    }

    fn taken(&mut self, expr: ExprRef, list: ExprRef, index: Option<ExprRef>, keeps: Keeps) {
        let facts = self.facts;
        let function = facts.owner(expr);
        let paths = facts.paths.function(function);
        let Some(stmt) = paths.stmt_of(expr.expr) else { return };
        // What is taken out is looked at, not thrown away.
        let thrown = match &paths.stmt(stmt).kind {
            StmtKind::Expr(value) => *value == expr.expr,
            StmtKind::Assign { targets, value, .. } => {
                *value == expr.expr
                    && keeps == Keeps::Newest
                    && targets.iter().all(|target| self.is_unread(facts.beside(expr, *target)))
            }
            StmtKind::Delete(_) => true,
            _ => false,
        };
        let subjects = boundary::loop_subjects(facts, function, stmt);
        let guards = paths.guards_at(stmt);
        let in_loop = paths.enclosing_loops(stmt).next().is_some();
        let compared = guards
            .iter()
            .any(|guard| bounds::has_order(facts, facts.beside(expr, guard.cond)));
        let in_while = paths
            .enclosing_loops(stmt)
            .next()
            .is_some_and(|around| matches!(paths.stmt(around).kind, StmtKind::While { .. }));
        if !thrown || !(compared || in_while) || keeps == Keeps::Oldest && !in_loop {
            return;
        }
        let tested = guards.iter().any(|guard| {
            boundary::tests(facts, facts.beside(expr, guard.cond), guard.holds, &subjects)
                .iter()
                .any(|test| {
                    matches!(facts.kind(test.subject), ExprKind::Index { base, .. }
                    if facts.histories().same(facts.node(facts.beside(test.subject, *base)), facts.node(list)))
                })
        });
        if tested {
            return;
        }
        let has_pairs = self.has_pairs(list);
        let mut bound = index
            .map(|index| bounds::judge(facts, expr, index, has_pairs))
            .unwrap_or_default();
        bound.measured = true;
        let kept = self.places(list);
        self.add(Seen {
            site: expr,
            list,
            means: Means::Pop,
            keeps,
            bound,
            kept,
        });
    }

    /// Whether a variable is looked at in conditions at most.
    fn is_unread(&self, target: ExprRef) -> bool {
        let facts = self.facts;
        matches!(facts.kind(target), ExprKind::Name(_))
            && facts
                .uses(facts.node(target))
                .iter()
                .all(|one| matches!(one.kind, UseKind::Condition))
    }

    // ---- loops -------------------------------------------------------------------------------------

    fn function(&mut self, function: FuncRef) {
        let facts = self.facts;
        let paths = facts.paths.function(function);
        for stmt in paths.stmts() {
            match &paths.stmt(stmt).kind {
                StmtKind::For { target, iter, .. } => self.rebuilt(function, stmt, *target, *iter),
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

    /// A list that is filled with the messages of another one until a budget is used up, or without
    /// those that a condition drops.
    fn rebuilt(&mut self, function: FuncRef, stmt: StmtId, target: ExprId, iter: ExprId) {
        let facts = self.facts;
        let module = facts.module(function.module);
        let paths = facts.paths.function(function);
        let Some(over) = iteration(module, iter) else { return };
        let at = |expr: ExprId| ExprRef {
            module: function.module,
            expr,
        };
        let list = at(over.list);
        if self.confidence(list).is_none() {
            return;
        }
        let (subject, _) = boundary::subject_of(facts, function, target, iter);
        let Some(subject) = subject else { return };
        let mut kept = None;
        let mut added_at = None;
        for inner in paths
            .stmts()
            .filter(|&inner| inner != stmt && paths.contains(stmt, inner))
        {
            for expr in paths.own_exprs_in(inner) {
                if let ExprKind::Call { idiom: Some(idiom), .. } = module.kind(expr)
                    && let (Intrinsic::Append | Intrinsic::Insert, [into, .., value]) = (idiom.op, &idiom.operands[..])
                    && matches!(module.kind(*value), ExprKind::Name(name) if *name == subject)
                {
                    kept = Some(at(*into));
                    added_at = Some(inner);
                }
            }
        }
        let (Some(kept), Some(added_at)) = (kept, added_at) else {
            return;
        };
        let subjects = vec![subject.clone()];
        let has_pairs = self.has_pairs(list) || self.has_pairs(kept);
        let guards_inside = |stmt_at: StmtId| {
            paths.guards_at(stmt_at).into_iter().filter(|guard| {
                paths
                    .stmt_of(guard.cond)
                    .is_some_and(|of| of != stmt && paths.contains(stmt, of))
            })
        };
        let tested = |cond: ExprId| !boundary::tests(facts, at(cond), true, &subjects).is_empty();
        let breaks = paths
            .early_exits(stmt)
            .into_iter()
            .filter(|exit| exit.kind == ExitKind::Break);
        for exit in breaks {
            let Some(leaves) = exit.at else { continue };
            let guards: Vec<_> = guards_inside(leaves).collect();
            if guards.iter().any(|guard| tested(guard.cond)) {
                continue;
            }
            if let Some(guard) = guards.iter().find(|guard| bounds::has_order(facts, at(guard.cond))) {
                let bound = bounds::Bound {
                    measured: true,
                    ..bounds::Bound::default()
                };
                let keeps = if over.backward { Keeps::Newest } else { Keeps::Oldest };
                let kept = self.places(kept);
                self.add(Seen {
                    site: at(guard.cond),
                    list,
                    means: Means::Rebuild,
                    keeps,
                    bound,
                    kept,
                });
                return;
            }
        }
        // Messages that are dropped one by one.
        let guards: Vec<_> = guards_inside(added_at).collect();
        let dropping = guards.iter().find(|guard| bounds::has_order(facts, at(guard.cond)));
        if let Some(guard) = dropping
            && has_pairs
            && !guards.iter().any(|guard| tested(guard.cond))
        {
            let bound = bounds::Bound {
                measured: true,
                ..bounds::Bound::default()
            };
            let kept = self.places(kept);
            self.add(Seen {
                site: at(guard.cond),
                list,
                means: Means::Filter,
                keeps: Keeps::Some,
                bound,
                kept,
            });
        }
    }

    /// `[m for m in xs if m.sent > since]`.
    fn filter(&mut self, expr: ExprRef) {
        let facts = self.facts;
        let ExprKind::Comprehension { element, clauses, .. } = facts.kind(expr) else {
            return;
        };
        let [clause] = &clauses[..] else { return };
        let Some(over) = iteration(facts.module(expr.module), clause.iter) else {
            return;
        };
        let list = facts.beside(expr, over.list);
        let has_pairs = self.has_pairs(list);
        if self.confidence(list).is_none()
            || !has_pairs
            || !matches!(facts.kind(facts.beside(expr, *element)), ExprKind::Name(_))
        {
            return;
        }
        let (subject, position) = boundary::subject_of(facts, facts.owner(expr), clause.target, clause.iter);
        let subjects: Vec<_> = subject.into_iter().collect();
        let tested = clause
            .conditions
            .iter()
            .any(|cond| !boundary::tests(facts, facts.beside(expr, *cond), true, &subjects).is_empty());
        if let Some(cond) = clause
            .conditions
            .iter()
            .find(|cond| self.drops_results(facts.beside(expr, **cond), &subjects))
        {
            let bound = bounds::Bound {
                counted: true,
                ..bounds::Bound::default()
            };
            self.add(Seen {
                site: facts.beside(expr, *cond),
                list,
                means: Means::Half,
                keeps: Keeps::Some,
                bound,
                kept: vec![facts.node(expr)],
            });
            return;
        }
        let ordered = clause
            .conditions
            .iter()
            .find(|cond| bounds::has_order(facts, facts.beside(expr, **cond)));
        let Some(cond) = ordered.filter(|_| !tested) else {
            return;
        };
        let at = facts.beside(expr, *cond);
        let bound = match position.filter(|_| over.pairs || over.positions) {
            Some(_) => bounds::judge(facts, expr, at, has_pairs),
            None => bounds::Bound {
                measured: true,
                ..bounds::Bound::default()
            },
        };
        let bound = bounds::Bound {
            measured: true,
            ..bound
        };
        self.add(Seen {
            site: at,
            list,
            means: Means::Filter,
            keeps: Keeps::Some,
            bound,
            kept: vec![facts.node(expr)],
        });
    }

    /// Whether a condition drops every result of a tool and keeps the calls.
    fn drops_results(&self, cond: ExprRef, subjects: &[Name]) -> bool {
        let tests = boundary::tests(self.facts, cond, true, subjects);
        matches!(&tests[..], [only] if {
            let accepts = only.predicate.accepts;
            accepts.has(Kinds::ASSISTANT) && !accepts.meets(Kinds::RESULTS)
        })
    }

    // ---- libraries ---------------------------------------------------------------------------------

    fn library(&mut self, expr: ExprRef, callee: ExprRef, args: &[crate::code::ir::Arg]) {
        let facts = self.facts;
        let Some(path) = facts.path(callee) else { return };
        let here = facts.frameworks(expr.module);
        let vocabulary = facts.vocabulary;
        if let Some(trim) = vocabulary.trim(&path, here)
            && let Some(list) = trim.messages.find(args)
            && !trim.filters
        {
            let list = facts.beside(expr, list);
            let safety = trim
                .start
                .find(args)
                .map_or(Safety::Nothing, |start| self.start_of(expr, start, trim));
            let bound = bounds::Bound {
                measured: true,
                safety,
                ..bounds::Bound::default()
            };
            if self.confidence(list).is_some() {
                self.add(Seen {
                    site: expr,
                    list,
                    means: Means::Library,
                    keeps: Keeps::Newest,
                    bound,
                    kept: vec![facts.node(expr)],
                });
            }
            return;
        }
        if let Some(item) = self.inherited(expr, callee) {
            let bound = bounds::Bound {
                measured: true,
                safety: Safety::Pairs,
                ..bounds::Bound::default()
            };
            let list = args.first().map_or(expr, |list| facts.beside(expr, list.value));
            let kept = self.item(expr, item);
            self.add(Seen {
                site: expr,
                list,
                means: Means::Library,
                keeps: Keeps::Newest,
                bound,
                kept,
            });
            return;
        }
        let length = args.iter().find(|arg| arg.name.as_deref() == Some("maxlen"));
        if let Some(length) = length
            && path.ends_with("deque")
            && !matches!(
                facts.kind(facts.beside(expr, length.value)),
                ExprKind::Literal(Literal::None)
            )
            && self.confidence(expr).is_some()
        {
            let bound = bounds::Bound {
                counted: true,
                ..bounds::Bound::default()
            };
            let kept = vec![facts.node(expr)];
            self.add(Seen {
                site: expr,
                list: expr,
                means: Means::Window,
                keeps: Keeps::Newest,
                bound,
                kept,
            });
            return;
        }
        if vocabulary.is_limited_read(&path)
            && let Some(limit) = args
                .iter()
                .find(|arg| arg.name.as_deref().is_some_and(|name| vocabulary.is_count_name(name)))
            && !matches!(
                facts.kind(facts.beside(expr, limit.value)),
                ExprKind::Literal(Literal::None)
            )
            && facts.project.callees_of(expr).is_empty()
            && self.confidence(expr).is_some()
        {
            let bound = bounds::Bound {
                counted: true,
                ..bounds::Bound::default()
            };
            let kept = vec![facts.node(expr)];
            self.add(Seen {
                site: expr,
                list: expr,
                means: Means::Limit,
                keeps: Keeps::Newest,
                bound,
                kept,
            });
        }
    }

    /// How safe the message is that a library's cut is told to start on.
    fn start_of(&self, expr: ExprRef, start: ExprId, trim: &crate::code::vocabulary::Trim) -> Safety {
        let facts = self.facts;
        let start = facts.beside(expr, start);
        let words: Vec<String> = match facts.kind(start) {
            ExprKind::List { items, .. } => items
                .iter()
                .filter_map(|item| self.word(facts.beside(start, item.value)))
                .collect(),
            _ => self.word(start).into_iter().collect(),
        };
        let is_boundary = |word: &String| trim.boundary_starts.contains(word);
        if words.is_empty() {
            Safety::Nothing
        } else if words.iter().all(is_boundary) {
            Safety::Turns
        } else {
            Safety::Pairs
        }
    }

    fn word(&self, expr: ExprRef) -> Option<String> {
        let text = self.facts.project.constant(expr).map(|text| text.to_string());
        text.or_else(|| {
            self.facts
                .path(expr)
                .map(|path| path.rsplit('.').next().unwrap_or(&path).to_owned())
        })
    }

    /// The item of the result that holds what is kept, for a method that a class inherits from a
    /// library's class.
    fn inherited(&self, expr: ExprRef, callee: ExprRef) -> Option<usize> {
        let facts = self.facts;
        let ExprKind::Attribute { base, name } = facts.kind(callee) else {
            return None;
        };
        if !facts.project.callees_of(expr).is_empty()
            || !matches!(facts.kind(facts.beside(callee, *base)), ExprKind::Name(_))
        {
            return None;
        }
        let function = facts.owner(expr);
        let class = facts.project.function(function).class?;
        let bases = facts.project.bases(ClassRef {
            module: function.module,
            class,
        });
        facts.vocabulary.inherited_cut(name, &bases)
    }

    /// The nodes of an item of a result that is taken apart.
    fn item(&self, expr: ExprRef, item: usize) -> Vec<Node> {
        let graph = &self.facts.graph;
        let node = self.facts.node(expr);
        let Some(symbol) = graph.symbol(&format!("#{item}")) else {
            return vec![node];
        };
        let mut open = vec![node];
        let mut found = Vec::new();
        let mut seen = vec![node];
        while let Some(at) = open.pop() {
            for edge in graph.outgoing(at) {
                match edge.flow {
                    Flow::Load(field) if field == symbol => found.push(edge.node),
                    Flow::Same if !seen.contains(&edge.node) && seen.len() < 32 => {
                        seen.push(edge.node);
                        open.push(edge.node);
                    }
                    _ => {}
                }
            }
        }
        if found.is_empty() { vec![node] } else { found }
    }

    // ---- what becomes of it ------------------------------------------------------------------------

    fn add(&mut self, seen: Seen) {
        let facts = self.facts;
        let Some(confidence) = self.confidence(seen.list) else {
            return;
        };
        let node = seen.kept.first().copied().unwrap_or_else(|| facts.node(seen.list));
        let goes = reaches::goes(facts, &seen.kept);
        let mut reach = goes.reach;
        if seen.keeps == Keeps::Some && seen.means == Means::Slice && self.is_alone_with_ends(seen.site) {
            reach = reach.max(Reach::Returned);
        }
        if self.is_removed(seen.site) {
            reach = Reach::Durable;
        }
        if matches!(seen.means, Means::Pop) || self.is_deleted(seen.site) || self.is_put_back(seen.site) {
            reach = reach.max(self.in_place(seen.list));
        }
        if reach == Reach::Nowhere
            || reaches::is_window_for_others(facts, seen.site, reach)
            || self.is_shown(seen.site, reach)
            || self.is_page(seen.site, reach)
        {
            return;
        }
        let repairs = self.repairs.get_or_insert_with(|| Repairs::of(facts));
        let after = repairs.after(facts, seen.site, node);
        let too_early = repairs
            .before(facts, seen.site, node)
            .filter(|(repair, _)| !repair.one_sided && !repair.answers && repair.at != seen.site)
            .map(|(repair, call)| (repair.at, call));
        let one_sided = after.iter().find(|repair| repair.one_sided).map(|repair| repair.at);
        let safety = seen.bound.safety.max(repairs::best(&after));
        let has_pairs = self.has_pairs(seen.list) || facts.histories().near(&facts.graph, node).paired;
        let mut products = Vec::new();
        if seen.means == Means::Library {
            products.extend(goes.joined);
            products.extend(goes.written);
            products.sort_unstable();
            products.dedup();
        }
        self.cuts.push(Cut {
            site: seen.site,
            at: seen.bound.decided.unwrap_or(seen.site),
            list: seen.list,
            means: seen.means,
            keeps: seen.keeps,
            measured: seen.bound.measured,
            safety,
            reach,
            products,
            too_early,
            one_sided: one_sided.and_then(|at| self.condition_of(at)).or(one_sided),
            has_pairs,
            keeps_question: self.keeps_question(seen.site, facts.node(seen.list)),
            confidence,
        });
    }

    /// Whether the function that cuts finds the newest message of the user and does something with it.
    fn keeps_question(&self, site: ExprRef, list: Node) -> bool {
        let facts = self.facts;
        let function = facts.owner(site);
        facts.scans().iter().any(|scan| {
            let subject = scan.subject.clone().map(Subject::named);
            facts.owner(scan.site) == function
                && scan.pick == Pick::Newest
                && facts.histories().same(facts.node(scan.list), list)
                && subject.is_some_and(|subject| {
                    scan.conditions.iter().any(|(cond, holds)| {
                        let predicate = facts.predicates.of(*cond, &subject);
                        if *holds {
                            predicate.is_user()
                        } else {
                            predicate.negated().is_user()
                        }
                    })
                })
                && scan
                    .results
                    .iter()
                    .any(|result| !facts.graph.outgoing(*result).is_empty())
        })
    }

    /// Whether a function hands out one page of many: it is told where the page begins.
    fn is_page(&self, site: ExprRef, reach: Reach) -> bool {
        let function = self.facts.project.function(self.facts.owner(site));
        reach <= Reach::Returned
            && function
                .params
                .iter()
                .any(|param| self.facts.vocabulary.is_page_name(&param.name))
    }

    /// Whether a function answers a request to see something: what it returns is shown.
    fn is_shown(&self, site: ExprRef, reach: Reach) -> bool {
        let facts = self.facts;
        let function = facts.owner(site);
        let decorators = &facts.project.function(function).decorators;
        reach != Reach::Model
            && decorators.iter().any(|decorator| {
                let at = ExprRef { module: function.module, expr: *decorator };
                facts.call(at).is_some_and(|(callee, _)| {
                    matches!(facts.kind(callee), ExprKind::Attribute { name, .. } if facts.vocabulary.is_showing_decorator(name))
                })
            })
    }

    /// The condition of a pass behind a call of it.
    fn condition_of(&self, call: ExprRef) -> Option<ExprRef> {
        let repairs = self.repairs.as_ref()?;
        let callees = self.facts.project.callees_of(call);
        callees.iter().find_map(|callee| {
            repairs
                .of_function(*callee)
                .into_iter()
                .find(|repair| repair.one_sided)
                .map(|repair| repair.at)
        })
    }

    /// How far a change of the list itself reaches.
    fn in_place(&self, list: ExprRef) -> Reach {
        let facts = self.facts;
        let mut reach = Reach::Nowhere;
        // A local name of a list that lives elsewhere is that list.
        let behind = reach_back(
            &facts.graph,
            facts.node(list),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        for place in behind {
            match facts.graph.origin(place.node) {
                Origin::Field(..) | Origin::Slot(..) => reach = reach.max(Reach::Durable),
                Origin::Param(function, _) => {
                    if facts.project.callers_of(*function).is_empty() {
                        reach = reach.max(Reach::Returned);
                    }
                }
                _ => {}
            }
        }
        reach
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

/// The number that a slice starts (or ends) with.
fn number_of(facts: &Facts, slice: ExprRef, first: bool) -> Option<i64> {
    let ExprKind::Slice { start, end, .. } = facts.kind(slice) else {
        return None;
    };
    integer(facts.module(slice.module), if first { (*start)? } else { (*end)? })
}
