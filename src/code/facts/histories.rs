//! Which values are the message list of a conversation with a model, and how sure that is.
//!
//! Every name of one list is one class of nodes; evidence at any of them counts for all: types,
//! framework sources, roles that its elements are made with or tested for, the call it is sent by, and
//! its name. A name alone never makes a history.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::Facts;
use super::constructions::is_message_class;
use crate::code::flow::graph::{Flow, Graph, Node, Origin, Part, Site, Symbol};
use crate::code::ir::Stmt;
use crate::code::ir::{Arg, ClassId, CompareOp, ExprKind, FunctionId, Intrinsic, Name, StmtKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef, ModuleIx};
use crate::code::vocabulary::{Field, HistoryType, Role, Strength, words};
use crate::finding::Confidence;

/// How many places around a value are looked at.
const NEAR: usize = 400;
/// How many calls are entered on the way.
const NEAR_CALLS: usize = 3;

/// The histories of a project.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    root: Vec<u32>,
    confidence: FxHashMap<u32, Confidence>,
    paired: FxHashMap<u32, bool>,
    messages: FxHashMap<u32, Confidence>,
    direct: FxHashMap<u32, Evidence>,
}

/// What the surroundings of one value say, calls matched with their returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Near {
    /// How sure it is that the value is a history.
    pub(crate) confidence: Option<Confidence>,
    /// Whether it holds tool calls or their results.
    pub(crate) paired: bool,
}

impl Histories {
    /// What the surroundings of a value say: the names it has in the functions around, the types, the
    /// calls, and what is asked about its elements. A whole project's worth of shared helpers ties
    /// values together that have nothing to do with each other; this looks at one of them.
    pub(crate) fn near(&self, graph: &Graph, value: Node) -> Near {
        let found = around(&self.direct, graph, value);
        Near {
            confidence: found.confidence(),
            paired: found.paired,
        }
    }
}

/// What is seen at a value and at the places around it, calls matched with their returns.
fn around(direct: &FxHashMap<u32, Evidence>, graph: &Graph, value: Node) -> Evidence {
    let mut found = Evidence::default();
    let mut seen = FxHashSet::default();
    let mut open = VecDeque::from([(value, Vec::<Site>::new(), false)]);
    while let Some(state) = open.pop_front() {
        if seen.len() == NEAR || !seen.insert(state.clone()) {
            continue;
        }
        let (node, calls, element) = state;
        let here = direct.get(&node.0).copied().unwrap_or_default();
        if element {
            found.elements |= here.message;
            found.weak_elements |= here.weak_message;
            found.paired |= here.paired;
            found.tagged_pairs |= here.tagged && here.paired;
            found.pair_blocks |= here.paired;
        } else {
            found.merge(Evidence {
                message: false,
                weak_message: false,
                tagged: false,
                ..here
            });
        }
        for (edges, forward) in [(graph.outgoing(node), true), (graph.incoming(node), false)] {
            for edge in edges {
                let mut calls = calls.clone();
                let element = match edge.flow {
                    Flow::Same => element,
                    Flow::Part(part) if !element && part != Part::Map => false,
                    Flow::Enter(site) if crosses(&mut calls, site, forward) => element,
                    Flow::Leave(site) if crosses(&mut calls, site, !forward) => element,
                    Flow::Element if forward && !element => true,
                    Flow::Into if !forward && !element => true,
                    _ => continue,
                };
                open.push_back((edge.node, calls, element));
            }
        }
    }
    found
}

/// Enters a call or leaves one; a call that was entered is left only where it was entered.
fn crosses(calls: &mut Vec<Site>, site: Site, enters: bool) -> bool {
    if enters {
        calls.push(site);
        return calls.len() <= NEAR_CALLS;
    }
    calls.pop().is_none_or(|top| top == site)
}

/// What speaks for (and against) a class of nodes.
#[derive(Clone, Copy, Debug, Default)]
struct Evidence {
    /// A type of the framework, a state of the framework, or a certain model call.
    proven: bool,
    /// A type or call that other things have too.
    likely: bool,
    /// It is made as, or tested to be, a message.
    message: bool,
    /// It may be one, by words that content blocks share.
    weak_message: bool,
    /// One of its elements is a message.
    elements: bool,
    /// One of its elements may be one.
    weak_elements: bool,
    /// It is sent to something under the name of a list of messages.
    sent: bool,
    /// It has the name of a history.
    name: Option<Strength>,
    /// It is a list inside one message.
    inner: bool,
    /// It comes from something that has messages of another kind.
    foreign: bool,
    /// A message with a tool call or a tool result is among its elements, or is looked for there.
    paired: bool,
    /// A field that may hold a role is compared with a role's word.
    tagged: bool,
    /// One of its elements is compared so and has a half of a tool pair.
    tagged_pairs: bool,
    /// One of its elements is a half of a tool pair, or holds one.
    pair_blocks: bool,
}

impl Histories {
    pub(super) fn of(facts: &Facts) -> Self {
        let mut classes = Classes::of(facts);
        let mut evidence: FxHashMap<u32, Evidence> = FxHashMap::default();
        let mut direct: FxHashMap<u32, Evidence> = FxHashMap::default();
        signals(facts, &mut classes, &mut evidence, &mut direct);
        // What is known of messages counts for the lists that they stand in, and the other way round.
        let links = element_links(facts, &mut classes);
        lift(&links, &mut evidence);
        blocks(facts, &mut classes, &mut evidence, &mut direct);
        lift(&links, &mut evidence);
        let mut confidence = FxHashMap::default();
        for (root, one) in &evidence {
            if let Some(level) = one.confidence() {
                confidence.insert(*root, level);
            }
        }
        let mut messages = FxHashMap::default();
        for (list, element) in &links {
            if let Some(level) = confidence.get(list) {
                let entry = messages.entry(*element).or_insert(*level);
                *entry = (*entry).max(*level);
            }
        }
        let paired = evidence.iter().map(|(root, one)| (*root, one.paired)).collect();
        let root = (0..facts.graph.len() as u32).map(|node| classes.find(node)).collect();
        Self {
            root,
            confidence,
            paired,
            messages,
            direct,
        }
    }

    /// How sure it is that a value is a history; `None` when nothing says so.
    pub(crate) fn confidence(&self, node: Node) -> Option<Confidence> {
        self.confidence.get(&self.root[node.0 as usize]).copied()
    }

    /// How sure it is that a value is a message of a history.
    pub(crate) fn message(&self, node: Node) -> Option<Confidence> {
        self.messages.get(&self.root[node.0 as usize]).copied()
    }

    /// Whether something shows that the history holds tool calls or their results.
    pub(crate) fn has_tool_pairs(&self, node: Node) -> bool {
        self.paired.get(&self.root[node.0 as usize]).copied().unwrap_or(false)
    }

    /// Whether two values are lists of the same conversation.
    pub(crate) fn same(&self, one: Node, other: Node) -> bool {
        self.root[one.0 as usize] == self.root[other.0 as usize]
    }
}

/// What is known of elements counts for their lists.
fn lift(links: &[(u32, u32)], evidence: &mut FxHashMap<u32, Evidence>) {
    for (list, element) in links {
        let of_element = evidence.get(element).copied().unwrap_or_default();
        let list = evidence.entry(*list).or_default();
        list.elements |= of_element.message;
        list.weak_elements |= of_element.weak_message;
        list.paired |= of_element.paired;
        list.tagged_pairs |= of_element.tagged && of_element.paired;
        list.pair_blocks |= of_element.paired;
    }
}

/// What holds blocks of tool pairs in its content is a message.
fn blocks(
    facts: &Facts,
    classes: &mut Classes,
    evidence: &mut FxHashMap<u32, Evidence>,
    direct: &mut FxHashMap<u32, Evidence>,
) {
    let mut holders = Vec::new();
    for node in 0..facts.graph.len() as u32 {
        let Origin::Slot(holder, symbol) = facts.graph.origin(Node(node)) else {
            continue;
        };
        if facts.vocabulary.field(facts.graph.symbol_name(*symbol)) != Some(Field::Content) {
            continue;
        }
        let content = classes.find(node);
        if evidence.get(&content).is_some_and(|one| one.pair_blocks) {
            let seen = Evidence {
                message: true,
                paired: true,
                ..Evidence::default()
            };
            evidence.entry(classes.find(holder.0)).or_default().merge(seen);
            // The class may be that of half the project: what is said of this one value needs its own.
            if around(direct, &facts.graph, Node(node)).pair_blocks {
                holders.push((*holder, seen));
            }
        }
    }
    for (holder, seen) in holders {
        direct.entry(holder.0).or_default().merge(seen);
    }
}

impl Evidence {
    fn merge(&mut self, other: Self) {
        self.proven |= other.proven;
        self.likely |= other.likely;
        self.message |= other.message;
        self.weak_message |= other.weak_message;
        self.elements |= other.elements;
        self.weak_elements |= other.weak_elements;
        self.sent |= other.sent;
        self.name = self.name.max(other.name);
        self.inner |= other.inner;
        self.foreign |= other.foreign;
        self.paired |= other.paired;
        self.tagged |= other.tagged;
        self.tagged_pairs |= other.tagged_pairs;
        self.pair_blocks |= other.pair_blocks;
    }

    fn confidence(self) -> Option<Confidence> {
        let named = self.name == Some(Strength::Strong);
        if self.proven {
            return Some(Confidence::High);
        }
        if self.inner || self.foreign {
            return None;
        }
        if self.elements && (named || self.likely) {
            return Some(Confidence::High);
        }
        if self.elements
            || self.sent
            || self.tagged_pairs
            || self.likely && named
            || self.weak_elements && (named || self.likely)
        {
            return Some(Confidence::Medium);
        }
        if self.message {
            return None;
        }
        if self.likely || self.weak_elements && self.name.is_some() {
            return Some(Confidence::Low);
        }
        named.then_some(Confidence::Low)
    }
}

/// Union of all names of one value.
struct Classes {
    parent: Vec<u32>,
}

impl Classes {
    fn of(facts: &Facts) -> Self {
        let graph = &facts.graph;
        let mut classes = Self {
            parent: (0..graph.len() as u32).collect(),
        };
        for node in 0..graph.len() as u32 {
            for edge in graph.outgoing(Node(node)) {
                let same = match edge.flow {
                    Flow::Same | Flow::Enter(_) | Flow::Leave(_) => true,
                    Flow::Part(Part::Map) => false,
                    Flow::Part(Part::Concat) => !is_text(facts, Node(node)) && !is_text(facts, edge.node),
                    Flow::Part(_) => true,
                    _ => false,
                };
                if same && !is_nothing(facts, Node(node)) {
                    classes.union(node, edge.node.0);
                }
            }
        }
        classes.join_slots(facts);
        classes
    }

    /// The same field of two names of one value is one value.
    fn join_slots(&mut self, facts: &Facts) {
        let slots: Vec<(u32, Node, Symbol)> = (0..facts.graph.len() as u32)
            .filter_map(|node| match facts.graph.origin(Node(node)) {
                Origin::Slot(holder, symbol) => Some((node, *holder, *symbol)),
                _ => None,
            })
            .collect();
        // Slots of slots need one round a level; deeper ones are not told apart by any rule.
        for _ in 0..3 {
            let mut first: FxHashMap<(u32, Symbol), u32> = FxHashMap::default();
            for (slot, holder, symbol) in &slots {
                let holder = self.find(holder.0);
                match first.get(&(holder, *symbol)) {
                    Some(other) => self.union(*slot, *other),
                    None => {
                        first.insert((holder, *symbol), *slot);
                    }
                }
            }
        }
    }

    fn find(&mut self, node: u32) -> u32 {
        let mut root = node;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut at = node;
        while self.parent[at as usize] != root {
            at = std::mem::replace(&mut self.parent[at as usize], root);
        }
        root
    }

    fn union(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        let (low, high) = (one.min(other), one.max(other));
        self.parent[high as usize] = low;
    }
}

/// Text is joined like lists are; it must not tie lists together.
fn is_text(facts: &Facts, node: Node) -> bool {
    let Some(expr) = facts.graph.as_expr(node) else {
        return false;
    };
    match facts.kind(expr) {
        ExprKind::Template(_) | ExprKind::Literal(_) => true,
        ExprKind::Binary { left, right, .. } => {
            is_text(facts, facts.node(facts.beside(expr, *left)))
                || is_text(facts, facts.node(facts.beside(expr, *right)))
        }
        ExprKind::Call { idiom: Some(idiom), .. } => matches!(
            idiom.op,
            Intrinsic::Join | Intrinsic::Format | Intrinsic::ToText | Intrinsic::TextOp | Intrinsic::ReplaceText
        ),
        _ => false,
    }
}

/// `None` stands for the lack of a value; it ties nothing together.
fn is_nothing(facts: &Facts, node: Node) -> bool {
    facts
        .graph
        .as_expr(node)
        .is_some_and(|expr| matches!(facts.kind(expr), ExprKind::Literal(_)))
}

/// Pairs of a list's class and its elements' class.
fn element_links(facts: &Facts, classes: &mut Classes) -> Vec<(u32, u32)> {
    let mut links = Vec::new();
    for node in 0..facts.graph.len() as u32 {
        for edge in facts.graph.outgoing(Node(node)) {
            match edge.flow {
                Flow::Element => links.push((classes.find(node), classes.find(edge.node.0))),
                Flow::Into => links.push((classes.find(edge.node.0), classes.find(node))),
                _ => {}
            }
        }
    }
    links.sort_unstable();
    links.dedup();
    links
}

/// Where evidence is gathered.
struct Gather<'a, 'p> {
    facts: &'a Facts<'p>,
    classes: &'a mut Classes,
    evidence: &'a mut FxHashMap<u32, Evidence>,
    /// The same by the node where it was seen.
    direct: &'a mut FxHashMap<u32, Evidence>,
    message_classes: Vec<(Name, bool)>,
    /// Files that handle messages of another kind and speak to no model.
    foreign: Vec<bool>,
}

fn signals(
    facts: &Facts,
    classes: &mut Classes,
    evidence: &mut FxHashMap<u32, Evidence>,
    direct: &mut FxHashMap<u32, Evidence>,
) {
    let message_classes = message_classes(facts);
    let foreign = facts
        .project
        .modules()
        .map(|(module, ir)| {
            facts.vocabulary.foreign_import(ir).is_some()
                && !facts.vocabulary.speaks_to_models(facts.frameworks(module))
        })
        .collect();
    let mut gather = Gather {
        facts,
        classes,
        evidence,
        direct,
        message_classes,
        foreign,
    };
    gather.declarations();
    for expr in facts.exprs() {
        gather.expression(expr);
    }
    gather.constructions();
    gather.slots();
    gather.mapped();
}

/// The names of the project's own message classes.
fn message_classes(facts: &Facts) -> Vec<(Name, bool)> {
    let mut names = Vec::new();
    for (module_ix, module) in facts.project.modules() {
        for class in 0..module.classes.len() {
            let class = ClassRef {
                module: module_ix,
                class: ClassId(class as u32),
            };
            let parameters = facts.project.parameters(class);
            if is_family(facts, class) || is_message_class(facts, class, &parameters) {
                let pairs = parameters
                    .iter()
                    .any(|name| matches!(facts.vocabulary.field(name), Some(Field::ToolCall | Field::ToolResult)));
                names.push((facts.project.class(class).name.clone(), pairs));
            }
        }
    }
    names.sort();
    names.dedup();
    names
}

/// Whether the subclasses of a class are named after different roles: `UserText`, `SystemText`.
fn is_family(facts: &Facts, class: ClassRef) -> bool {
    let named = |class: &ClassRef| {
        let words = words(&facts.project.class(*class).name);
        words.first().and_then(|word| facts.vocabulary.role(word))
    };
    let mut roles: Vec<Role> = facts
        .project
        .class_facts(class)
        .subclasses
        .iter()
        .filter_map(named)
        .collect();
    roles.sort_unstable();
    roles.dedup();
    roles.contains(&Role::User) && (roles.contains(&Role::System) || roles.contains(&Role::Assistant))
}

impl Gather<'_, '_> {
    fn add(&mut self, node: Node, fill: impl FnOnce(&mut Evidence)) {
        let mut one = Evidence::default();
        fill(&mut one);
        let root = self.classes.find(node.0);
        self.evidence.entry(root).or_default().merge(one);
        self.direct.entry(node.0).or_default().merge(one);
    }

    // ---- declarations ------------------------------------------------------------------------------

    fn declarations(&mut self) {
        let facts = self.facts;
        for (module_ix, module) in facts.project.modules() {
            for (number, function) in module.functions.iter().enumerate() {
                let here = FuncRef {
                    module: module_ix,
                    function: FunctionId(number as u32),
                };
                for (at, param) in function.params.iter().enumerate() {
                    if let Some(node) = facts.graph.find(&Origin::Param(here, at as u32)) {
                        self.annotated(node, module_ix, param.annotation.as_ref());
                        self.named(node, module_ix, &param.name);
                    }
                }
                if let Some(node) = facts.graph.find(&Origin::Result(here)) {
                    self.annotated(node, module_ix, function.returns.as_ref());
                }
                self.block(module_ix, &function.body);
            }
            for (number, class) in module.classes.iter().enumerate() {
                let class_ref = ClassRef {
                    module: module_ix,
                    class: ClassId(number as u32),
                };
                for field in &class.fields {
                    let owner = facts.project.field_owner(class_ref, &field.name);
                    let Some(symbol) = facts.graph.symbol(&field.name) else {
                        continue;
                    };
                    if let Some(node) = facts.graph.find(&Origin::Field(owner, symbol)) {
                        self.annotated(node, module_ix, field.annotation.as_ref());
                        self.named(node, module_ix, &field.name);
                    }
                }
            }
        }
    }

    fn block(&mut self, module: ModuleIx, block: &[Stmt]) {
        for stmt in block {
            if let StmtKind::Assign {
                targets,
                annotation: Some(annotation),
                ..
            } = &stmt.kind
            {
                for target in targets {
                    let node = self.facts.node(ExprRef { module, expr: *target });
                    self.annotated(node, module, Some(annotation));
                }
            }
            for inner in stmt.kind.blocks() {
                self.block(module, inner);
            }
        }
    }

    fn annotated(&mut self, node: Node, module: ModuleIx, annotation: Option<&Name>) {
        let Some(annotation) = annotation else { return };
        let here = self.facts.frameworks(module);
        let of_project = || {
            let mut words = annotation
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .filter(|word| !word.is_empty());
            words
                .find_map(|word| self.message_classes.iter().find(|(name, _)| **name == *word))
                .map(|(_, pairs)| *pairs)
        };
        if self.facts.vocabulary.is_text_type(annotation) {
            self.direct.entry(node.0).or_default().inner = true;
        }
        let in_list = annotation.contains('[') && !annotation.starts_with("Optional[");
        match self.facts.vocabulary.history_type(annotation, here) {
            Some(HistoryType::List(Strength::Strong)) => self.add(node, |one| one.proven = true),
            Some(HistoryType::List(Strength::Weak)) => {
                let ours = of_project();
                self.add(node, |one| {
                    one.likely = true;
                    one.elements |= ours.is_some();
                    one.paired |= ours == Some(true);
                });
            }
            Some(HistoryType::Message(Strength::Strong)) => self.add(node, |one| one.message = true),
            Some(HistoryType::Message(Strength::Weak)) => self.add(node, |one| one.weak_message = true),
            Some(HistoryType::State) => {}
            None => {
                if let Some(pairs) = of_project() {
                    self.add(node, |one| {
                        one.likely |= in_list;
                        one.elements |= in_list;
                        one.message |= !in_list;
                        one.paired |= pairs;
                    });
                }
            }
        }
    }

    fn named(&mut self, node: Node, module: ModuleIx, name: &str) {
        if let Some(strength) = self.facts.vocabulary.history_name(name) {
            let foreign = self.foreign[module.0 as usize];
            self.add(node, |one| {
                one.name = one.name.max(Some(strength));
                one.foreign |= foreign;
            });
        }
    }

    // ---- expressions -------------------------------------------------------------------------------

    fn expression(&mut self, expr: ExprRef) {
        let facts = self.facts;
        let node = facts.node(expr);
        match facts.kind(expr) {
            ExprKind::Name(name) => self.named(node, expr.module, name),
            ExprKind::Attribute { base, name } => {
                self.named(node, expr.module, name);
                self.field_of(node, facts.beside(expr, *base), name, expr.module);
            }
            ExprKind::Index { base, index } => {
                if let Some(key) = facts.text(facts.beside(expr, *index)) {
                    self.named(node, expr.module, key);
                    self.field_of(node, facts.beside(expr, *base), key, expr.module);
                }
            }
            ExprKind::Compare { op, left, right } => {
                self.role_test(expr, *op, facts.beside(expr, *left), facts.beside(expr, *right));
            }
            ExprKind::TypeTest { value, types } => {
                let here = facts.frameworks(expr.module);
                let subject = facts.node(facts.beside(expr, *value));
                for one in types {
                    let Some(path) = facts.path(facts.beside(expr, *one)) else {
                        continue;
                    };
                    let role = facts.vocabulary.role_of_type(&path, here);
                    if role.is_some() || facts.vocabulary.message_constructor(&path, here).is_some() {
                        let tool = role == Some(crate::code::vocabulary::Role::Tool);
                        self.add(subject, |one| {
                            one.message = true;
                            one.paired |= tool;
                        });
                    }
                }
            }
            ExprKind::Call { callee, args, idiom } => {
                if let Some(idiom) = idiom
                    && matches!(idiom.op, Intrinsic::Get | Intrinsic::GetAttribute)
                    && let [base, key, ..] = idiom.operands[..]
                    && let Some(key) = facts.text(facts.beside(expr, key))
                {
                    self.named(node, expr.module, key);
                    self.field_of(node, facts.beside(expr, base), key, expr.module);
                }
                self.sent(expr, facts.beside(expr, *callee), args);
                self.read(expr, facts.beside(expr, *callee));
            }
            _ => {}
        }
    }

    /// `base.name`, `base["name"]`: what the read says about both.
    fn field_of(&mut self, node: Node, base: ExprRef, name: &Name, module: ModuleIx) {
        let facts = self.facts;
        let here = facts.frameworks(module);
        if let Some(holder) = facts.path(base)
            && facts.vocabulary.is_state_source(&holder, name, here)
        {
            let proven = facts.vocabulary.speaks_to_models(here) && name.contains("messages");
            self.add(node, |one| {
                one.likely = true;
                one.proven |= proven;
            });
        }
        if matches!(facts.vocabulary.field(name), Some(Field::ToolCall | Field::ToolResult)) {
            let strong = name.contains("tool");
            self.add(facts.node(base), |one| {
                one.paired = true;
                one.message |= strong;
                one.weak_message = true;
            });
        }
    }

    /// A comparison of a role with a role's word.
    fn role_test(&mut self, expr: ExprRef, op: CompareOp, left: ExprRef, right: ExprRef) {
        let facts = self.facts;
        if !matches!(
            op,
            CompareOp::Eq | CompareOp::NotEq | CompareOp::Is | CompareOp::IsNot | CompareOp::In | CompareOp::NotIn
        ) {
            return;
        }
        for (field, value) in [(left, right), (right, left)] {
            let Some((subject, name)) = field_read(facts, field) else {
                continue;
            };
            let Some(Field::Role(strength)) = facts.vocabulary.field(&name) else {
                continue;
            };
            let words = words_of(facts, value);
            let roles: Vec<_> = words.iter().filter_map(|word| facts.vocabulary.role(word)).collect();
            let block = words.iter().any(|word| facts.vocabulary.block(word).is_some());
            if roles.is_empty() && !block {
                continue;
            }
            let framework = facts.vocabulary.speaks_to_models(facts.frameworks(expr.module));
            let sure = !roles.is_empty() && (strength == Strength::Strong || framework && !block);
            let tool = block || roles.contains(&crate::code::vocabulary::Role::Tool);
            self.add(facts.node(subject), |one| {
                one.message |= sure;
                one.weak_message = true;
                one.paired |= tool;
                one.tagged |= !roles.is_empty();
            });
        }
    }

    /// A list that is sent to a model.
    fn sent(&mut self, expr: ExprRef, callee: ExprRef, args: &[Arg]) {
        let facts = self.facts;
        let Some(path) = facts.path(callee) else { return };
        if facts.vocabulary.is_foreign_source(&path) {
            self.add(facts.node(expr), |one| one.foreign = true);
        }
        let Some(call) = facts.vocabulary.model_call(&path, facts.frameworks(expr.module)) else {
            return;
        };
        let Some(value) = call.messages.find(args) else { return };
        let by_name = args
            .iter()
            .find(|arg| arg.value == value)
            .and_then(|arg| arg.name.as_deref());
        let receiver = path.rsplit_once('.').and_then(|(receiver, _)| {
            facts
                .vocabulary
                .model_receiver(receiver.rsplit('.').next().unwrap_or(receiver))
        });
        let strong = call.strength == Strength::Strong;
        let proven = strong && by_name == Some("messages");
        let likely = strong || by_name == Some("messages") || receiver == Some(Strength::Strong);
        self.add(facts.node(facts.beside(expr, value)), |one| {
            one.proven |= proven;
            one.likely |= likely;
            one.sent |= by_name == Some("messages");
        });
    }

    /// `session.get_items(…)`: a method that reads a history from where it is kept.
    fn read(&mut self, expr: ExprRef, callee: ExprRef) {
        let facts = self.facts;
        let ExprKind::Attribute { base, name } = facts.kind(callee) else {
            return;
        };
        let Some((verb, key)) = name.split_once('_') else {
            return;
        };
        let Some(holder) = facts.path(facts.beside(callee, *base)) else {
            return;
        };
        let reads = matches!(verb, "get" | "load" | "read" | "list" | "fetch" | "aget");
        if reads
            && facts
                .vocabulary
                .is_state_source(&holder, key, facts.frameworks(expr.module))
        {
            self.add(facts.node(expr), |one| one.likely = true);
        }
    }

    // ---- messages ----------------------------------------------------------------------------------

    fn constructions(&mut self) {
        let facts = self.facts;
        for made in facts.constructions() {
            let paired = made.is_tool_result(facts) || made.field(facts, |field| field == Field::ToolCall).is_some();
            self.add(facts.node(made.expr), |one| {
                one.message = true;
                one.paired |= paired;
            });
        }
    }

    /// A list that is a message's content is no history.
    fn slots(&mut self) {
        let facts = self.facts;
        for node in 0..facts.graph.len() as u32 {
            let symbol = match facts.graph.origin(Node(node)) {
                Origin::Slot(_, symbol) | Origin::Field(_, symbol) => *symbol,
                _ => continue,
            };
            if facts.vocabulary.field(facts.graph.symbol_name(symbol)) == Some(Field::Content) {
                self.add(Node(node), |one| one.inner = true);
            }
        }
    }

    /// A list whose elements are turned into the messages of a history is one too.
    fn mapped(&mut self) {
        let facts = self.facts;
        for node in 0..facts.graph.len() as u32 {
            for edge in facts.graph.outgoing(Node(node)) {
                if edge.flow != Flow::Part(Part::Map) {
                    continue;
                }
                let made = self.classes.find(edge.node.0);
                let made = self.evidence.get(&made).copied().unwrap_or_default();
                if made.proven || made.likely {
                    self.add(Node(node), |one| one.likely = true);
                }
            }
        }
    }
}

/// The subject and the name of a read of a field: `m.role`, `m["role"]`, `m.get("role")`,
/// `getattr(m, "role", None)`.
pub(crate) fn field_read(facts: &Facts, expr: ExprRef) -> Option<(ExprRef, Name)> {
    match facts.kind(expr) {
        ExprKind::Attribute { base, name } if &**name == "value" => field_read(facts, facts.beside(expr, *base)),
        ExprKind::Attribute { base, name } => Some((facts.beside(expr, *base), name.clone())),
        ExprKind::Index { base, index } => {
            let key = facts.text(facts.beside(expr, *index))?;
            Some((facts.beside(expr, *base), key.clone()))
        }
        ExprKind::Call { idiom: Some(idiom), .. } => match (idiom.op, &idiom.operands[..]) {
            (Intrinsic::Get | Intrinsic::GetAttribute, [base, key, ..]) => {
                let key = facts.text(facts.beside(expr, *key))?;
                Some((facts.beside(expr, *base), key.clone()))
            }
            (Intrinsic::TextOp | Intrinsic::ToText, [text, ..]) => field_read(facts, facts.beside(expr, *text)),
            _ => None,
        },
        _ => None,
    }
}

/// The words that an expression stands for: a literal, a member of an enumeration, or a display of
/// them.
pub(crate) fn words_of(facts: &Facts, expr: ExprRef) -> Vec<Name> {
    match facts.kind(expr) {
        ExprKind::List { items, .. } => items
            .iter()
            .flat_map(|item| words_of(facts, facts.beside(expr, item.value)))
            .collect(),
        ExprKind::Attribute { base, name } if &**name == "value" => words_of(facts, facts.beside(expr, *base)),
        ExprKind::Attribute { name, .. } => vec![name.clone()],
        ExprKind::Name(_) => facts.project.constant(expr).into_iter().collect(),
        _ => facts.text(expr).cloned().into_iter().collect(),
    }
}
