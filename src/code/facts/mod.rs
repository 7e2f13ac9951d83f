//! What rules see: histories, messages, scans, writes, updates and the uses of what was found.
//!
//! A rule asks these questions and no others; it never looks at a language.

mod ahead;
mod cache_markers;
mod calls;
mod composition;
mod constructions;
mod counted;
mod cuts;
mod decorated;
mod dedupes;
mod degraded_state;
mod describe;
mod dispatch;
mod duplicates;
mod durability;
mod edits;
mod emission;
mod expiry;
mod external;
mod fields;
mod fixed_inserts;
mod heads;
mod histories;
mod hooks;
mod inputs;
mod intervals;
mod latches;
mod leads;
mod limits;
mod lost_summaries;
mod moved;
mod notices;
mod occasions;
mod pairs;
mod placement;
mod prefix;
mod queries;
mod queues;
mod recipients;
mod reminders;
mod reminted;
mod rendered;
mod rewrites;
mod role_only;
mod scans;
mod settings;
mod short_latches;
mod skips;
mod snapshots;
mod sought;
mod stale;
mod stored_back;
mod swaps;
mod systems;
mod test_functions;
mod thresholds;
mod uncovered_cuts;
mod unmarked;
mod unordered;
mod updates;
mod uses;
mod volatile;

use std::sync::OnceLock;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use cache_markers::{Misplaced, MisplacedWhy};
pub(crate) use calls::ModelSend;
pub(crate) use composition::Composed;
pub(crate) use constructions::Construction;
use cuts::Repairs;
pub(crate) use cuts::{Cut, Keeps, Means, Reach, Safety};
pub(crate) use decorated::Decorated;
pub(crate) use dedupes::OldestKept;
pub(crate) use degraded_state::DegradedState;
pub(crate) use dispatch::OpenDispatch;
pub(crate) use duplicates::{Duplicate, DuplicateKind};
pub(crate) use durability::{Durability, Keeper, Kept};
pub(crate) use expiry::Unexpired;
pub(crate) use external::{ExternalText, Outside};
pub(crate) use fixed_inserts::{FixedInsert, OrderLost};
pub(crate) use heads::Position;
pub(crate) use histories::Histories;
pub(crate) use hooks::HookFacts;
pub(crate) use inputs::InputChange;
pub(crate) use leads::DroppedSystem;
pub(crate) use lost_summaries::LostSummary;
pub(crate) use moved::{LeftOut, Moved};
pub(crate) use occasions::Occasion;
use occasions::Occasions;
pub(crate) use pairs::{Split, SplitAt, SplitKind};
pub(crate) use prefix::{Prefix, PrefixPart};
pub(crate) use queries::{Disorder, OldestRows, Replay};
pub(crate) use queues::WrongQueue;
pub(crate) use recipients::OpenHook;
pub(crate) use reminders::{Reminder, Repeats};
pub(crate) use reminted::{RemintKind, Reminted};
pub(crate) use rewrites::{Rewrite, RewriteWhy};
pub(crate) use role_only::RoleOnly;
pub(crate) use scans::{Pick, Scan, Yield};
pub(crate) use skips::Skip;
pub(crate) use snapshots::{Snapshot, SnapshotOf};
pub(crate) use stale::{Stale, StaleKind};
pub(crate) use swaps::{Fate, Found, Swap};
pub(crate) use systems::LateSystem;
pub(crate) use test_functions::{Shape, ShapeTest};
pub(crate) use uncovered_cuts::UncoveredCut;
pub(crate) use unordered::Unordered;
pub(crate) use updates::{Applied, Update};
pub(crate) use uses::{Use, UseKind};
pub(crate) use volatile::{Cause, Source};

use super::flow::build::build;
use super::flow::frequency::{Declared, Frequencies};
use super::flow::graph::{Graph, Node};
use super::flow::paths::{AllPaths, StmtId};
use super::flow::predicate::Predicates;
use super::ir::{Arg, ExprId, ExprKind, Literal, Module, Name, StmtKind};
use super::memo::Memo;
use super::project::{ClassRef, ExprRef, FuncRef, ModuleIx, Project};
use super::vocabulary::{Frameworks, Vocabulary};
use crate::finding::Span;

/// The facts of one project.
#[derive(Debug)]
pub(crate) struct Facts<'p> {
    /// The program.
    pub(crate) project: &'p Project,
    /// Where values go.
    pub(crate) graph: Graph,
    /// How often things run.
    pub(crate) frequencies: Frequencies,
    /// What frameworks call things.
    pub(crate) vocabulary: &'p Vocabulary,
    /// What runs before what, and under which condition.
    pub(crate) paths: AllPaths<'p>,
    /// What conditions ask about messages.
    pub(crate) predicates: Predicates<'p>,
    frameworks: Vec<Frameworks>,
    constructions: Vec<Construction>,
    construction_of: FxHashMap<ExprRef, usize>,
    /// Which of them stand in a function, in order.
    constructions_in: FxHashMap<FuncRef, Vec<usize>>,
    hooks: FxHashMap<FuncRef, HookFacts>,
    histories: Histories,
    scans: Vec<Scan>,
    updates: Vec<Update>,
    update_of: FxHashMap<ExprRef, usize>,
    swaps: Vec<Swap>,
    cuts: Vec<Cut>,
    repairs: OnceLock<Repairs>,
    occasions: Occasions,
    /// By module: whether results of tools stand in the person's name.
    user_results: Vec<bool>,
    model_sends: Vec<ModelSend>,
    model_runs: FxHashSet<ExprRef>,
    prefixes: Vec<Prefix>,
    /// The names of all fields that are read; collected when somebody asks.
    fields_read: OnceLock<FxHashSet<Name>>,
    /// What every attribute, key and named argument is given; collected when somebody asks.
    flag_values: OnceLock<FxHashMap<Name, Vec<Option<bool>>>>,
    /// Whether classes hold a history, by those that were asked about.
    states: Memo<ClassRef, bool>,
    /// Whether messages become part of a history, by those that were asked about.
    parts: Memo<ExprRef, bool>,
}

impl<'p> Facts<'p> {
    /// Collects the facts of a project.
    pub(crate) fn of(project: &'p Project, vocabulary: &'p Vocabulary) -> Self {
        let (graph, paths) = rayon::join(|| build(project), || AllPaths::of(project));
        let mut facts = Self {
            project,
            graph,
            frequencies: Frequencies::default(),
            vocabulary,
            paths,
            predicates: Predicates::new(project, vocabulary),
            frameworks: vocabulary.frameworks_of(&project.modules().map(|(_, module)| module).collect::<Vec<_>>()),
            constructions: Vec::new(),
            construction_of: FxHashMap::default(),
            constructions_in: FxHashMap::default(),
            hooks: FxHashMap::default(),
            histories: Histories::default(),
            scans: Vec::new(),
            updates: Vec::new(),
            update_of: FxHashMap::default(),
            swaps: Vec::new(),
            cuts: Vec::new(),
            repairs: OnceLock::new(),
            occasions: Occasions::default(),
            user_results: project
                .modules()
                .map(|(_, module)| cuts::has_user_results(vocabulary, module))
                .collect(),
            model_sends: Vec::new(),
            model_runs: FxHashSet::default(),
            prefixes: Vec::new(),
            fields_read: OnceLock::new(),
            flag_values: OnceLock::new(),
            states: Memo::default(),
            parts: Memo::default(),
        };
        facts.constructions = constructions::find(&facts);
        facts.construction_of = facts
            .constructions
            .iter()
            .enumerate()
            .map(|(index, construction)| (construction.expr, index))
            .collect();
        for (index, made) in facts.constructions.iter().enumerate() {
            let function = facts.project.owner(made.expr);
            facts.constructions_in.entry(function).or_default().push(index);
        }
        facts.hooks = hooks::find(&facts);
        facts.histories = Histories::of(&facts);
        facts.scans = scans::find(&facts);
        facts.updates = updates::find(&facts);
        for (index, update) in facts.updates.iter().enumerate() {
            facts.update_of.entry(update.messages).or_insert(index);
        }
        facts.swaps = swaps::find(&facts);
        facts.cuts = cuts::find(&facts);
        facts.model_sends = calls::find(&facts);
        facts.model_runs = calls::running(&facts.model_sends);
        facts.frequencies = facts.declared_frequencies();
        facts.prefixes = prefix::find(&facts);
        facts
    }

    /// Frequencies by the hooks of frameworks and the calls of models.
    fn declared_frequencies(&self) -> Frequencies {
        let declared = |(function, hook): (&FuncRef, &HookFacts)| {
            (
                *function,
                Declared {
                    runs: hook.runs,
                    strength: hook.strength,
                },
            )
        };
        let declared = self.hooks.iter().map(declared).collect();
        Frequencies::of(self.project, &self.paths, &declared, &self.model_runs)
    }

    /// The module.
    pub(crate) fn module(&self, module: ModuleIx) -> &'p Module {
        self.project.module(module)
    }

    /// Whether the expression is part of a test.
    pub(crate) fn is_test(&self, expr: ExprRef) -> bool {
        let module = self.module(expr.module);
        module.is_test_at(module.expr(expr.expr).place.start)
    }

    /// What the helper of the project that a call enters returns, where it only answers a question.
    pub(crate) fn answer_of_helper(&self, call: ExprRef) -> Option<ExprRef> {
        let [callee] = self.project.callees_of(call) else {
            return None;
        };
        let [only] = &self.project.function(*callee).body[..] else {
            return None;
        };
        match only.kind {
            StmtKind::Return(Some(expr)) if self.owner(call) != *callee => Some(ExprRef {
                module: callee.module,
                expr,
            }),
            _ => None,
        }
    }

    /// What the expression is.
    pub(crate) fn kind(&self, expr: ExprRef) -> &'p ExprKind {
        self.module(expr.module).kind(expr.expr)
    }

    /// The same module's expression.
    #[expect(clippy::unused_self, reason = "it reads as a question like the others")]
    pub(crate) fn beside(&self, expr: ExprRef, other: ExprId) -> ExprRef {
        ExprRef {
            module: expr.module,
            expr: other,
        }
    }

    /// The node of an expression's value.
    pub(crate) fn node(&self, expr: ExprRef) -> Node {
        self.graph.expr(expr)
    }

    /// Where an expression stands.
    pub(crate) fn span(&self, expr: ExprRef) -> Span {
        let module = self.module(expr.module);
        let place = module.expr(expr.expr).place;
        Span {
            path: module.path.clone(),
            start: place.start,
            end: place.end,
        }
    }

    /// Where a statement stands.
    pub(crate) fn stmt_span(&self, function: FuncRef, stmt: StmtId) -> Span {
        let place = self.paths.function(function).stmt(stmt).place;
        let path = self.module(function.module).path.clone();
        Span {
            path,
            start: place.start,
            end: place.end,
        }
    }

    /// The frameworks that a module speaks.
    pub(crate) fn frameworks(&self, module: ModuleIx) -> Frameworks {
        self.frameworks[module.0 as usize]
    }

    /// The dotted path of a called or named thing, imports resolved: `langchain_core.messages.HumanMessage`,
    /// `self.client.chat.completions.create`.
    pub(crate) fn path(&self, expr: ExprRef) -> Option<Name> {
        self.project.dotted(expr)
    }

    /// The parts of a call: the callee, its path and the arguments.
    pub(crate) fn call(&self, expr: ExprRef) -> Option<(ExprRef, &'p [Arg])> {
        match self.kind(expr) {
            ExprKind::Call { callee, args, .. } => Some((self.beside(expr, *callee), args)),
            _ => None,
        }
    }

    /// The text of a literal.
    pub(crate) fn text(&self, expr: ExprRef) -> Option<&'p Name> {
        match self.kind(expr) {
            ExprKind::Literal(Literal::Str(text)) => Some(text),
            _ => None,
        }
    }

    /// All constructions of messages.
    pub(crate) fn constructions(&self) -> &[Construction] {
        &self.constructions
    }

    /// The constructions of a function, in order.
    pub(crate) fn constructions_in(&self, function: FuncRef) -> impl Iterator<Item = &Construction> {
        let here = self.constructions_in.get(&function).map_or(&[][..], Vec::as_slice);
        here.iter().map(|index| &self.constructions[*index])
    }

    /// The construction that an expression is.
    pub(crate) fn construction(&self, expr: ExprRef) -> Option<&Construction> {
        self.construction_of.get(&expr).map(|index| &self.constructions[*index])
    }

    /// Which values are histories, and how sure that is.
    pub(crate) fn histories(&self) -> &Histories {
        &self.histories
    }

    /// What is known of a function that a framework calls.
    pub(crate) fn hook(&self, function: FuncRef) -> Option<HookFacts> {
        self.hooks.get(&function).copied()
    }

    /// All searches over histories.
    pub(crate) fn scans(&self) -> &[Scan] {
        &self.scans
    }

    /// The update whose messages an expression is.
    pub(crate) fn update_with(&self, messages: ExprRef) -> Option<&Update> {
        self.update_of.get(&messages).map(|index| &self.updates[*index])
    }

    /// All updates that functions return to a reducer.
    pub(crate) fn updates(&self) -> &[Update] {
        &self.updates
    }

    /// All id-swaps.
    pub(crate) fn swaps(&self) -> &[Swap] {
        &self.swaps
    }

    /// Whether results of tools stand in the person's name in a file.
    pub(crate) fn has_user_results(&self, module: ModuleIx) -> bool {
        self.user_results[module.0 as usize]
    }

    /// The passes that make tool pairs whole; collected when somebody asks.
    fn repairs(&self) -> &Repairs {
        self.repairs.get_or_init(|| Repairs::of(self))
    }

    /// All cuts of histories.
    pub(crate) fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// All calls of models.
    pub(crate) fn model_sends(&self) -> &[ModelSend] {
        &self.model_sends
    }

    /// Whether an expression is a call that runs a model.
    pub(crate) fn runs_model(&self, call: ExprRef) -> bool {
        self.model_runs.contains(&call)
    }

    /// All texts that stand before the history in a call.
    pub(crate) fn prefixes(&self) -> &[Prefix] {
        &self.prefixes
    }

    /// The function around an expression.
    pub(crate) fn owner(&self, expr: ExprRef) -> FuncRef {
        self.project.owner(expr)
    }

    /// The function that something stands in.
    pub(crate) fn function_at(&self, span: &Span) -> Option<FuncRef> {
        let (module, ir) = self.project.modules().find(|(_, module)| module.path == span.path)?;
        let line = |expr: &usize| ir.exprs[*expr].place.start.line == span.start.line;
        let exact = (0..ir.exprs.len()).find(|expr| ir.exprs[*expr].place.start == span.start);
        let expr = exact.or_else(|| (0..ir.exprs.len()).find(line))?;
        Some(self.owner(ExprRef {
            module,
            expr: ExprId(expr as u32),
        }))
    }

    /// All expressions of the project, module by module.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = ExprRef> + '_ {
        self.project.modules().flat_map(|(module, ir)| {
            (0..ir.exprs.len()).map(move |expr| ExprRef {
                module,
                expr: ExprId(expr as u32),
            })
        })
    }

    /// What a question about each expression finds, in the order of the expressions.
    fn found_in_exprs<T: Send>(&self, ask: impl Fn(ExprRef) -> Option<T> + Sync) -> Vec<T> {
        let modules: Vec<(ModuleIx, usize)> = self
            .project
            .modules()
            .map(|(module, ir)| (module, ir.exprs.len()))
            .collect();
        let found = modules.into_par_iter().flat_map_iter(|(module, exprs)| {
            let exprs = (0..exprs as u32).map(move |expr| ExprRef {
                module,
                expr: ExprId(expr),
            });
            exprs.filter_map(&ask)
        });
        found.collect()
    }
}
