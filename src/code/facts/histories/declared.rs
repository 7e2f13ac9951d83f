//! What declarations say: types, names, classes of messages.

use super::gather::Gather;
use crate::code::facts::Facts;
use crate::code::facts::constructions::{has_role_variants, is_message_class};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::ir::{ClassId, FunctionId, Name, Stmt, StmtKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef, ModuleIx, Target};
use crate::code::vocabulary::{Field, HistoryType, Role, Strength, words};

/// The names of the project's own message classes.
pub(super) fn message_classes(facts: &Facts) -> Vec<(Name, bool)> {
    let mut names = Vec::new();
    for (module_ix, module) in facts.project.modules() {
        for class in 0..module.classes.len() {
            let class = ClassRef {
                module: module_ix,
                class: ClassId(class as u32),
            };
            let parameters = facts.project.parameters(class);
            if is_family(facts, class) || has_role_variants(facts, class) || is_message_class(facts, class, &parameters)
            {
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
pub(super) fn is_family(facts: &Facts, class: ClassRef) -> bool {
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
    pub(super) fn declarations(&mut self) {
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

    pub(super) fn block(&mut self, module: ModuleIx, block: &[Stmt]) {
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

    pub(super) fn annotated(&mut self, node: Node, module: ModuleIx, annotation: Option<&Name>) {
        let Some(annotation) = annotation else { return };
        if self.facts.vocabulary.is_nested(annotation) {
            self.add(node, |one| one.lists = true);
        }
        let here = self.facts.frameworks(module);
        let of_project = || {
            let own = self.facts.vocabulary.of_elements(annotation);
            let mut words = own
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
            Some(HistoryType::List(Strength::Weak) | HistoryType::Message(Strength::Weak))
                if of_project().is_none() && self.is_other_class(module, annotation) =>
            {
                self.add(node, |one| one.foreign = true);
            }
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

    /// Whether a type is a record of the project that has nothing of a message: no role, no content, no
    /// half of a tool pair.
    fn is_other_class(&self, module: ModuleIx, annotation: &str) -> bool {
        let facts = self.facts;
        let top = FuncRef {
            module,
            function: FunctionId(0),
        };
        let mut words = annotation
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.starts_with(char::is_uppercase));
        words.any(|word| {
            facts.project.annotated(top, word).iter().any(|target| {
                let Target::Class(class) = target else { return false };
                let ir = facts.project.class(*class);
                let has = |name: &Name| {
                    matches!(
                        facts.vocabulary.field(name),
                        Some(Field::Role(_) | Field::Content | Field::ToolCall | Field::ToolResult)
                    )
                };
                ir.is_record && !ir.fields.is_empty() && !ir.fields.iter().any(|field| has(&field.name))
            })
        })
    }

    pub(super) fn named(&mut self, node: Node, module: ModuleIx, name: &str) {
        if self.facts.vocabulary.is_id_list_name(name) {
            self.add(node, |one| one.ids = true);
        }
        if let Some(strength) = self.facts.vocabulary.history_name(name) {
            let foreign = self.foreign[module.0 as usize];
            self.add(node, |one| {
                one.name = one.name.max(Some(strength));
                one.foreign |= foreign;
            });
        }
    }

    /// A list that is a message's content is no history.
    pub(super) fn slots(&mut self) {
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
    pub(super) fn mapped(&mut self) {
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
