//! Passes that make a history whole again: they drop from the cut end up to a boundary, or drop the
//! other half of a tool pair.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Safety;
use super::boundary;
use crate::code::facts::Facts;
use crate::code::flow::graph::Node;
use crate::code::flow::iteration::iteration;
use crate::code::flow::paths::{StmtId, When};
use crate::code::flow::predicate::{Asks, Kinds};
use crate::code::ir::{CompareOp, ExprId, ExprKind, FunctionId, Intrinsic, Literal, Name, StmtKind};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Block, Field};

/// How deep helpers that call repairing helpers are followed.
const ROUNDS: usize = 2;
/// How deep helpers of a condition are read.
const HELPERS: usize = 2;
/// How far callers of a cutting function are followed.
const CALLERS: usize = 3;

/// One pass.
#[derive(Clone, Debug)]
pub(in crate::code::facts) struct Repair {
    /// The place to point at.
    pub(super) at: ExprRef,
    /// The list.
    pub(super) list: Node,
    /// How safe a cut is after it.
    pub(super) safety: Safety,
    /// A pass that looks at one half only: what it drops.
    pub(super) one_sided: bool,
    /// Whether it only puts in answers that are missing.
    pub(super) answers: bool,
}

/// All passes of a project.
#[derive(Debug, Default)]
pub(in crate::code::facts) struct Repairs {
    own: FxHashMap<FuncRef, Vec<Repair>>,
    /// Functions that repair, directly or through what they call.
    whole: FxHashMap<FuncRef, Repair>,
    /// Calls of such functions.
    calls: FxHashMap<FuncRef, Vec<(ExprRef, Repair)>>,
}

impl Repairs {
    pub(in crate::code::facts) fn of(facts: &Facts) -> Self {
        let mut repairs = Self::default();
        for (function, _) in facts.project.functions() {
            let found = Finder { facts, function }.all();
            if let Some(best) = combined(&found) {
                repairs.whole.insert(function, best);
                repairs.own.insert(function, found);
            }
        }
        for round in 0..ROUNDS {
            let mut more = Vec::new();
            for expr in facts.exprs() {
                let ExprKind::Call { idiom, .. } = facts.kind(expr) else {
                    continue;
                };
                let Some(repair) = repairs.called(facts, expr, idiom.is_some()) else {
                    continue;
                };
                let function = facts.owner(expr);
                let calls = repairs.calls.entry(function).or_default();
                if calls.iter().any(|(call, _)| *call == expr) {
                    continue;
                }
                calls.push((expr, repair.clone()));
                if round + 1 < ROUNDS {
                    more.push((function, repair));
                }
            }
            for (function, repair) in more {
                // The body of a file calls everything; it repairs nothing for others.
                if function.function != FunctionId(0) {
                    repairs.whole.entry(function).or_insert(repair);
                }
            }
        }
        repairs
    }

    /// What a call repairs.
    fn called(&self, facts: &Facts, call: ExprRef, is_idiom: bool) -> Option<Repair> {
        let callees = facts.project.callees_of(call);
        let given = |node: &dyn Fn(Node) -> bool| {
            let ExprKind::Call { args, .. } = facts.kind(call) else {
                return None;
            };
            args.iter()
                .map(|arg| facts.node(facts.beside(call, arg.value)))
                .find(|arg| node(*arg))
        };
        for callee in callees {
            if let Some(repair) = self.whole.get(callee) {
                let list = given(&|arg| facts.histories().same(arg, repair.list)).unwrap_or(repair.list);
                return Some(Repair {
                    at: call,
                    list,
                    ..repair.clone()
                });
            }
        }
        if is_idiom {
            return None;
        }
        // A function that is not understood, and whose name says that it repairs pairs.
        let (callee, _) = facts.call(call)?;
        let path = facts.path(callee)?;
        if !facts.vocabulary.is_pair_repair(&path) {
            return None;
        }
        let list = given(&|arg| facts.histories().confidence(arg).is_some())?;
        Some(Repair {
            at: call,
            list,
            safety: Safety::Pairs,
            one_sided: false,
            answers: false,
        })
    }

    /// The passes that a statement of a function makes, its own and those that it calls.
    fn in_function(&self, function: FuncRef) -> impl Iterator<Item = &Repair> {
        let own = self.own.get(&function).into_iter().flatten();
        own.chain(
            self.calls
                .get(&function)
                .into_iter()
                .flatten()
                .map(|(_, repair)| repair),
        )
    }

    /// Whether a call repairs.
    pub(in crate::code::facts) fn is_call(&self, call: ExprRef) -> bool {
        self.calls.values().flatten().any(|(other, _)| *other == call)
    }

    /// Every pass of a function.
    pub(in crate::code::facts) fn of_function(&self, function: FuncRef) -> Vec<&Repair> {
        self.in_function(function).collect()
    }

    /// What runs after `site` on the list that is cut there, in its function and in those that call it.
    pub(super) fn after(&self, facts: &Facts, site: ExprRef, list: Node) -> Vec<Repair> {
        self.around(facts, site, list, When::Before, CALLERS, &mut FxHashSet::default())
    }

    /// What runs before `site` on the list, with the place where the cut is called.
    pub(super) fn before(&self, facts: &Facts, site: ExprRef, list: Node) -> Option<(Repair, ExprRef)> {
        let mut at = site;
        for _ in 0..CALLERS {
            let function = facts.owner(at);
            let paths = facts.paths.function(function);
            let found = self.in_function(function).find(|repair| {
                facts.histories().same(repair.list, list)
                    && paths
                        .order(repair.at.expr, at.expr)
                        .is_some_and(|order| order.when == When::Before)
            });
            if let Some(repair) = found {
                return Some((repair.clone(), at));
            }
            let [caller] = facts.project.callers_of(function) else {
                return None;
            };
            at = ExprRef {
                module: caller.caller.module,
                expr: caller.call,
            };
        }
        None
    }

    fn around(
        &self,
        facts: &Facts,
        site: ExprRef,
        list: Node,
        when: When,
        depth: usize,
        seen: &mut FxHashSet<FuncRef>,
    ) -> Vec<Repair> {
        let function = facts.owner(site);
        if !seen.insert(function) {
            return Vec::new();
        }
        let paths = facts.paths.function(function);
        let here: Vec<Repair> = self
            .in_function(function)
            .filter(|repair| {
                // A call that leads back to the cut is no repair behind it.
                let again = facts
                    .project
                    .callees_of(repair.at)
                    .iter()
                    .any(|callee| seen.contains(callee));
                !again
                    && facts.histories().same(repair.list, list)
                    && paths
                        .order(site.expr, repair.at.expr)
                        .is_some_and(|order| order.when == when)
            })
            .cloned()
            .collect();
        if !here.is_empty() || depth == 0 {
            return here;
        }
        let mut all: Option<Vec<Repair>> = None;
        for caller in facts.project.callers_of(function) {
            let call = ExprRef {
                module: caller.caller.module,
                expr: caller.call,
            };
            let found = self.around(facts, call, list, when, depth - 1, seen);
            // The least protected caller counts.
            if all.as_ref().is_none_or(|all| best(&found) < best(all)) {
                all = Some(found);
            }
        }
        all.unwrap_or_default()
    }
}

/// How safe several passes make a cut.
pub(super) fn best(repairs: &[Repair]) -> Safety {
    let whole = repairs.iter().filter(|repair| !repair.one_sided && !repair.answers);
    whole.map(|repair| repair.safety).max().unwrap_or_default()
}

/// The passes of one function as one.
fn combined(found: &[Repair]) -> Option<Repair> {
    let whole = found.iter().filter(|repair| !repair.one_sided && !repair.answers);
    whole
        .max_by_key(|repair| repair.safety)
        .or_else(|| found.first())
        .cloned()
}

struct Finder<'a, 'p> {
    facts: &'a Facts<'p>,
    function: FuncRef,
}

impl Finder<'_, '_> {
    fn at(&self, expr: ExprId) -> ExprRef {
        ExprRef {
            module: self.function.module,
            expr,
        }
    }

    fn is_history(&self, expr: ExprId) -> bool {
        self.facts
            .histories()
            .confidence(self.facts.node(self.at(expr)))
            .is_some()
    }

    fn all(&self) -> Vec<Repair> {
        let facts = self.facts;
        let paths = facts.paths.function(self.function);
        let module = facts.module(self.function.module);
        let mut found = Vec::new();
        for stmt in paths.stmts() {
            for expr in paths.own_exprs_in(stmt) {
                match module.kind(expr) {
                    ExprKind::Call { idiom: Some(idiom), .. }
                        if matches!(idiom.op, Intrinsic::Pop | Intrinsic::PopFirst | Intrinsic::RemoveValue) =>
                    {
                        found.extend(idiom.operands.first().and_then(|list| self.removal(stmt, expr, *list)));
                    }
                    ExprKind::Slice {
                        base,
                        start: Some(start),
                        end: None,
                        ..
                    } if matches!(module.kind(*start), ExprKind::Literal(Literal::Int(1))) => {
                        found.extend(self.removal(stmt, expr, *base));
                    }
                    ExprKind::Comprehension { .. } => found.extend(self.filter(expr)),
                    _ => {}
                }
            }
            match &paths.stmt(stmt).kind {
                StmtKind::Delete(targets) => {
                    for target in targets {
                        if let ExprKind::Index { base, .. } = module.kind(*target) {
                            found.extend(self.removal(stmt, *target, *base));
                        }
                    }
                }
                StmtKind::For { target, iter, .. } => found.extend(self.filtering_loop(stmt, *target, *iter)),
                StmtKind::Assign { targets, value, .. } => {
                    found.extend(
                        targets
                            .iter()
                            .filter_map(|target| self.without_results(*target, *value)),
                    );
                }
                _ => {}
            }
        }
        found
    }

    /// `xs[i].content = [block for block in … if block.type != "tool_result"]`: the results of the first
    /// message that is kept go with their calls.
    fn without_results(&self, target: ExprId, value: ExprId) -> Option<Repair> {
        let facts = self.facts;
        let module = facts.module(self.function.module);
        let (ExprKind::Attribute { base, name }, ExprKind::Comprehension { clauses, .. }) =
            (module.kind(target), module.kind(value))
        else {
            return None;
        };
        let ExprKind::Index { base: list, .. } = module.kind(*base) else {
            return None;
        };
        let drops = clauses.iter().flat_map(|clause| &clause.conditions).any(|cond| {
            matches!(module.kind(*cond), ExprKind::Compare { op: CompareOp::NotEq, left, right }
            if [left, right].iter().any(|side| {
                facts.text(self.at(**side)).and_then(|text| facts.vocabulary.block(text)) == Some(Block::ToolResult)
            }))
        });
        let content = facts.vocabulary.field(name) == Some(Field::Content);
        (content && drops && self.is_history(*list)).then(|| Repair {
            at: self.at(value),
            list: facts.node(self.at(*list)),
            safety: Safety::Pairs,
            one_sided: false,
            answers: false,
        })
    }

    /// `while xs and xs[0].role != "user": xs.pop(0)`.
    fn removal(&self, stmt: StmtId, at: ExprId, list: ExprId) -> Option<Repair> {
        let facts = self.facts;
        if !self.is_history(list) {
            return None;
        }
        let node = facts.node(self.at(list));
        let paths = facts.paths.function(self.function);
        let has_pairs = facts.histories().has_tool_pairs(node);
        let mut safety = Safety::Nothing;
        for guard in paths.guards_at(stmt) {
            let subjects = boundary::loop_subjects(facts, self.function, stmt);
            for test in boundary::tests(facts, self.at(guard.cond), !guard.holds, &subjects) {
                let of_list = match facts.kind(test.subject) {
                    ExprKind::Index { base, .. } => facts
                        .histories()
                        .same(facts.node(facts.beside(test.subject, *base)), node),
                    // `note = load(ids[0])`, tested in the loop that drops.
                    ExprKind::Name(_) => paths
                        .enclosing_loops(stmt)
                        .next()
                        .is_some_and(|around| matches!(paths.stmt(around).kind, StmtKind::While { .. })),
                    _ => false,
                };
                if of_list {
                    safety = safety.max(boundary::safety(facts, &test, 0, has_pairs, true));
                }
            }
        }
        (safety > Safety::Nothing).then(|| Repair {
            at: self.at(at),
            list: node,
            safety,
            one_sided: false,
            answers: false,
        })
    }

    /// `[m for m in xs if m.call_id in known]`.
    fn filter(&self, expr: ExprId) -> Option<Repair> {
        let facts = self.facts;
        let ExprKind::Comprehension { clauses, element, .. } = facts.kind(self.at(expr)) else {
            return None;
        };
        let [clause] = &clauses[..] else { return None };
        if clause.conditions.is_empty() || !matches!(facts.kind(self.at(*element)), ExprKind::Name(_)) {
            return None;
        }
        let over =
            iteration(facts.module(self.function.module), clause.iter).filter(|over| self.is_history(over.list))?;
        let (subject, _) = boundary::subject_of(facts, self.function, clause.target, clause.iter);
        let subjects: Vec<Name> = subject.into_iter().collect();
        let mut looks = Looks::default();
        for cond in &clause.conditions {
            looks.add(facts, self.at(*cond), &subjects);
        }
        looks.repair(self.at(clause.conditions[0]), facts.node(self.at(over.list)))
    }

    /// A loop that builds a list of the messages whose other half is there.
    fn filtering_loop(&self, stmt: StmtId, target: ExprId, iter: ExprId) -> Option<Repair> {
        let facts = self.facts;
        let module = facts.module(self.function.module);
        let paths = facts.paths.function(self.function);
        let over = iteration(module, iter).filter(|over| self.is_history(over.list))?;
        let (subject, _) = boundary::subject_of(facts, self.function, target, iter);
        let subject = subject?;
        let inside: Vec<StmtId> = paths
            .stmts()
            .filter(|&inner| inner != stmt && paths.contains(stmt, inner))
            .collect();
        let mut keeps = false;
        let mut answers = false;
        let mut looks = Looks::default();
        let mut at = None;
        for &inner in &inside {
            for expr in paths.own_exprs_in(inner) {
                if let ExprKind::Call { idiom: Some(idiom), .. } = module.kind(expr)
                    && idiom.op == Intrinsic::Append
                    && let [_, value] = idiom.operands[..]
                {
                    keeps |= matches!(module.kind(value), ExprKind::Name(name) if *name == subject);
                    answers |= facts
                        .construction(self.at(value))
                        .is_some_and(|made| made.is_tool_result(facts));
                }
            }
            if let StmtKind::If { cond, .. } = paths.stmt(inner).kind {
                let before = looks.clone();
                looks.add(facts, self.at(cond), std::slice::from_ref(&subject));
                if looks != before {
                    at = at.or(Some(cond));
                }
            }
        }
        let node = facts.node(self.at(over.list));
        if answers {
            return Some(Repair {
                at: self.at(iter),
                list: node,
                safety: Safety::Pairs,
                one_sided: false,
                answers: true,
            });
        }
        looks.repair(self.at(at?), node).filter(|_| keeps)
    }
}

/// What the conditions of a filter look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Looks {
    /// The sets that ids are looked up in, as written.
    sets: Vec<Name>,
    /// It asks for calls or results.
    pairs: bool,
    /// It drops or keeps what only results have.
    results: bool,
}

impl Looks {
    fn add(&mut self, facts: &Facts, cond: ExprRef, subjects: &[Name]) {
        self.look(facts, cond, subjects, HELPERS);
    }

    fn look(&mut self, facts: &Facts, cond: ExprRef, subjects: &[Name], depth: usize) {
        for test in boundary::tests(facts, cond, true, subjects) {
            self.pairs |= test.predicate.asks.meets(Asks::TOOL | Asks::CALL_ID);
            self.results |=
                !test.predicate.accepts.meets(Kinds::RESULTS) || Kinds::ANY_RESULTS.has(test.predicate.accepts);
        }
        let mut open = vec![cond.expr];
        while let Some(expr) = open.pop() {
            let at = facts.beside(cond, expr);
            match facts.kind(at) {
                ExprKind::Compare {
                    op: CompareOp::In | CompareOp::NotIn,
                    left,
                    right,
                } => {
                    let set = facts.beside(at, *right);
                    if let Some(key) = id_field(facts, facts.beside(at, *left)) {
                        self.pairs = true;
                        // Both halves carry a plain `call_id`.
                        self.results |= key.contains("tool") || key.contains("Tool");
                    }
                    if let Some(name) = root_name(facts, set)
                        && !self.sets.contains(&name)
                    {
                        self.sets.push(name);
                    }
                }
                // Or in a helper that is asked about the message.
                ExprKind::Call { .. } if depth > 0 => {
                    if let Some(value) = facts.answer_of_helper(at) {
                        let function = facts.project.function(facts.owner(value));
                        let names: Vec<Name> = function.params.iter().map(|param| param.name.clone()).collect();
                        self.look(facts, value, &names, depth - 1);
                    }
                }
                // A condition may stand in a variable of the loop.
                ExprKind::Name(name) if !subjects.contains(name) => {
                    if let Some(value) = facts.project.only_value(facts.owner(at), name)
                        && value.module == at.module
                        && value.expr < expr
                        && matches!(
                            facts.kind(value),
                            ExprKind::Comprehension { .. } | ExprKind::Call { .. }
                        )
                    {
                        self.pairs |= mentions_results(facts, value);
                    }
                }
                _ => {}
            }
            open.extend(facts.module(cond.module).children(expr));
        }
    }

    fn repair(&self, at: ExprRef, list: Node) -> Option<Repair> {
        if !self.pairs || self.sets.is_empty() {
            return None;
        }
        let one_sided = self.sets.len() == 1 && !self.results;
        Some(Repair {
            at,
            list,
            safety: Safety::Pairs,
            one_sided,
            answers: false,
        })
    }
}

/// The field of a call's id that an expression reads.
fn id_field(facts: &Facts, expr: ExprRef) -> Option<Name> {
    let (_, name) = super::super::fields::field_read(facts, expr)?;
    matches!(facts.vocabulary.field(&name), Some(Field::ToolResult)).then_some(name)
}

fn root_name(facts: &Facts, expr: ExprRef) -> Option<Name> {
    match facts.kind(expr) {
        ExprKind::Name(name) => Some(name.clone()),
        ExprKind::Attribute { base, .. } | ExprKind::Index { base, .. } => root_name(facts, facts.beside(expr, *base)),
        ExprKind::Call { idiom: Some(idiom), .. } => idiom
            .operands
            .first()
            .and_then(|operand| root_name(facts, facts.beside(expr, *operand))),
        _ => None,
    }
}

/// Whether an expression reads results of tools.
fn mentions_results(facts: &Facts, expr: ExprRef) -> bool {
    let mut open = vec![expr.expr];
    while let Some(inner) = open.pop() {
        let at = facts.beside(expr, inner);
        if let Some(text) = facts.text(at)
            && facts.vocabulary.block(text).is_some()
        {
            return true;
        }
        if id_field(facts, at).is_some() {
            return true;
        }
        open.extend(facts.module(expr.module).children(inner));
    }
    false
}
