//! What a name means, and what class a value is of.

use rustc_hash::FxHashMap;

use super::classes::ClassTable;
use super::{ClassRef, ExprRef, FuncRef, ModuleIx, Project, Target};
use crate::code::ir::{DEFAULT_EXPORT, ExprId, ExprKind, FunctionId, Import, Intrinsic, Name};
use crate::code::scope::Binding;

/// How many steps one question may take. Names that are assigned in many places through each other
/// would otherwise be followed along every path.
const MAX_STEPS: u32 = 2000;

/// How many meanings one expression may have. A query that is built up as `q = q.where(…)` in twenty
/// branches has a path for every way through them.
const MAX_TARGETS: usize = 32;

/// How many steps may lead from one to the next.
const MAX_DEPTH: u32 = 60;

/// One question and the steps it has taken.
pub(super) struct Search<'p> {
    pub(super) project: &'p Project,
    steps: u32,
    depth: u32,
    /// The modules, and the names that are looked for in what they take in whole.
    starred: Vec<(ModuleIx, Name)>,
    /// What was answered before; empty while it is being asked, so that no question asks itself.
    known: FxHashMap<(Ask, ExprRef), Vec<Target>>,
}

/// What is asked about an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ask {
    Targets,
    Types,
}

impl<'p> Search<'p> {
    pub(super) fn new(project: &'p Project) -> Self {
        Self {
            project,
            steps: 0,
            depth: 0,
            starred: Vec::new(),
            known: FxHashMap::default(),
        }
    }

    pub(super) fn burn(&mut self) -> bool {
        self.steps += 1;
        self.steps < MAX_STEPS
    }

    /// Asks once for each expression.
    pub(super) fn once(
        &mut self,
        ask: Ask,
        at: FuncRef,
        expr: ExprId,
        answer: fn(&mut Self, FuncRef, ExprId) -> Vec<Target>,
    ) -> Vec<Target> {
        let key = (
            ask,
            ExprRef {
                module: at.module,
                expr,
            },
        );
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if self.depth >= MAX_DEPTH || !self.burn() {
            return Vec::new();
        }
        self.known.insert(key, Vec::new());
        self.depth += 1;
        let found = answer(self, at, expr);
        self.depth -= 1;
        self.known.insert(key, found.clone());
        found
    }

    pub(super) fn kind(&self, module: ModuleIx, expr: ExprId) -> &'p ExprKind {
        self.project.module(module).kind(expr)
    }

    pub(super) fn owner(&self, module: ModuleIx, expr: ExprId) -> FuncRef {
        FuncRef {
            module,
            function: self.project.module(module).owner(expr),
        }
    }

    /// What an expression that is called, or taken as a base class, may mean.
    pub(super) fn targets(&mut self, at: FuncRef, expr: ExprId) -> Vec<Target> {
        self.once(Ask::Targets, at, expr, Self::find_targets)
    }

    fn find_targets(&mut self, at: FuncRef, expr: ExprId) -> Vec<Target> {
        let mut found = Vec::new();
        match self.kind(at.module, expr) {
            ExprKind::Name(name) => found = self.name(at, name),
            ExprKind::Attribute { base, name } => found = self.attribute(at, *base, name),
            ExprKind::Lambda(function) => found.push(Target::Function(FuncRef {
                module: at.module,
                function: *function,
            })),
            ExprKind::Bind { value, .. } => found = self.targets(at, *value),
            ExprKind::Conditional { then, otherwise, .. } => {
                found = self.targets(at, *then);
                add_all(&mut found, self.targets(at, *otherwise));
            }
            ExprKind::Logic { operands, .. } => {
                for operand in operands {
                    add_all(&mut found, self.targets(at, *operand));
                }
            }
            // `Generic[T]` is still `Generic`.
            ExprKind::Index { base, .. } => {
                found = self.targets(at, *base);
                found.retain(|target| matches!(target, Target::Class(_) | Target::External(_)));
            }
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Pass => {
                if let Some(value) = idiom.operands.first() {
                    found = self.targets(at, *value);
                }
            }
            _ => {}
        }
        found
    }

    pub(super) fn name(&mut self, at: FuncRef, name: &str) -> Vec<Target> {
        let module = self.project.module(at.module);
        match self.project.scopes(at.module).lookup(module, at.function, name) {
            Some((_, bindings)) => self.bound(at.module, bindings),
            None => self
                .starred(at.module, name)
                .or_else(|| Some(vec![Target::Module(self.project.map.package(at.module, name)?)]))
                .unwrap_or_else(|| vec![Target::External(Name::from(name))]),
        }
    }

    /// What bindings of one name may mean: definitions before values, the last definition first, since
    /// overloads and fallbacks stand before or after the real one.
    fn bound(&mut self, module: ModuleIx, bindings: &[Binding]) -> Vec<Target> {
        let mut found = Vec::new();
        for binding in bindings.iter().rev() {
            match binding {
                Binding::Function(function) => add(
                    &mut found,
                    Target::Function(FuncRef {
                        module,
                        function: *function,
                    }),
                ),
                Binding::Class(class) => add(&mut found, Target::Class(ClassRef { module, class: *class })),
                _ => {}
            }
        }
        for binding in bindings {
            match binding {
                Binding::Import(import) => {
                    let import = &self.project.module(module).imports[*import];
                    add_all(&mut found, self.import(module, import));
                }
                Binding::Value(value) => {
                    let at = self.owner(module, *value);
                    add_all(&mut found, self.targets(at, *value));
                }
                _ => {}
            }
        }
        found
    }

    fn import(&mut self, from: ModuleIx, import: &Import) -> Vec<Target> {
        if !self.burn() {
            return Vec::new();
        }
        let found = self.project.map.find(from, &import.module);
        let Some(symbol) = &import.symbol else {
            // A plain `import a.b` binds `a`.
            let path = match import.module.split_once('.') {
                Some((first, _)) if *first == *import.local => first,
                _ => &import.module,
            };
            return vec![self.path(from, path)];
        };
        if let Some(module) = found
            && let Some(targets) = self.member(module, symbol)
        {
            return targets;
        }
        let separator = if import.module.ends_with('.') { "" } else { "." };
        // What has no name there is known by the name that it has here.
        let name = if **symbol == *DEFAULT_EXPORT {
            &import.local
        } else {
            symbol
        };
        vec![self.path(from, &format!("{}{separator}{name}", import.module))]
    }

    /// A module of the run, or a path outside it.
    fn path(&self, from: ModuleIx, path: &str) -> Target {
        match self.project.map.find(from, path) {
            Some(module) => Target::Module(module),
            None => Target::External(Name::from(path)),
        }
    }

    /// What `module.name` may mean; `None` when the module has no such name.
    fn member(&mut self, module: ModuleIx, name: &str) -> Option<Vec<Target>> {
        if !self.burn() {
            return None;
        }
        if let Some(bindings) = self.project.scopes(module).own(FunctionId(0), name) {
            return Some(self.bound(module, bindings));
        }
        // What a package takes from a file under the file's own name hides the file.
        self.starred(module, name).or_else(|| {
            let submodule = self.project.map.submodule(module, name)?;
            Some(vec![Target::Module(submodule)])
        })
    }

    /// A name that comes from `from … import *` of a module of the run.
    fn starred(&mut self, module: ModuleIx, name: &str) -> Option<Vec<Target>> {
        // Two modules may take in each other.
        let asked = |(asking, about): &(ModuleIx, Name)| *asking == module && **about == *name;
        if self.starred.iter().any(asked) || !self.burn() {
            return None;
        }
        let imports = &self.project.module(module).imports;
        let mut whole = imports.iter().filter(|import| import.symbol.as_deref() == Some("*"));
        let first = whole.next()?;
        self.starred.push((module, Name::from(name)));
        let found = std::iter::once(first)
            .chain(whole)
            .filter_map(|import| self.project.map.find(module, &import.module))
            .find_map(|source| self.member(source, name));
        self.starred.pop();
        found
    }

    fn attribute(&mut self, at: FuncRef, base: ExprId, name: &str) -> Vec<Target> {
        let mut found = Vec::new();
        if let Some(class) = self.super_class(at, base) {
            add_all(&mut found, self.class_member(class, name, true));
            return found;
        }
        for target in self.targets(at, base) {
            add_all(&mut found, self.member_of(at.module, &target, name));
        }
        if !found.is_empty() {
            return found;
        }
        for class in self.types(at, base) {
            match class {
                Target::Class(class) => {
                    add_all(&mut found, self.class_member(class, name, false));
                    for overriding in self.project.classes.overrides(self.project, class, name) {
                        add(&mut found, Target::Function(overriding));
                    }
                }
                Target::External(path) => add(&mut found, Target::External(Name::from(format!("{path}.{name}")))),
                _ => {}
            }
        }
        found
    }

    /// `target.name`.
    pub(super) fn member_of(&mut self, from: ModuleIx, target: &Target, name: &str) -> Vec<Target> {
        match target {
            Target::Module(module) => self.member(*module, name).unwrap_or_default(),
            Target::Class(class) => self.class_member(*class, name, false),
            Target::External(path) => vec![self.path(from, &format!("{path}.{name}"))],
            Target::Function(_) | Target::Unknown => Vec::new(),
        }
    }

    /// The class around the function, where the expression is `super()`.
    fn super_class(&self, at: FuncRef, expr: ExprId) -> Option<ClassRef> {
        let ExprKind::Call { callee, .. } = self.kind(at.module, expr) else {
            return None;
        };
        match self.kind(at.module, *callee) {
            ExprKind::Name(name) if &**name == "super" => self.class_around(at),
            _ => None,
        }
    }

    pub(super) fn class_around(&self, at: FuncRef) -> Option<ClassRef> {
        let module = self.project.module(at.module);
        let mut scope = Some(at.function);
        while let Some(function) = scope {
            let function = module.function(function);
            if let Some(class) = function.class {
                return Some(ClassRef {
                    module: at.module,
                    class,
                });
            }
            scope = function.parent;
        }
        None
    }

    /// A method, a nested class, or an attribute whose values are known, of a class or its bases.
    fn class_member(&mut self, class: ClassRef, name: &str, skip_own: bool) -> Vec<Target> {
        let mut found = Vec::new();
        let lineage = self.project.class_facts(class).lineage.clone();
        for ancestor in lineage.into_iter().skip(usize::from(skip_own)) {
            if !self.burn() {
                break;
            }
            match ancestor {
                Target::Class(ancestor) => {
                    if let Some(method) = ClassTable::own_method(self.project, ancestor, name) {
                        found.push(Target::Function(method));
                    }
                    if let Some(nested) = self.project.classes.nested(self.project, ancestor, name) {
                        found.push(Target::Class(nested));
                    }
                    let values = self.project.classes.own_values(self.project, ancestor, name);
                    let is_attribute = !values.is_empty()
                        || !self
                            .project
                            .classes
                            .own_annotations(self.project, ancestor, name)
                            .is_empty();
                    for (method, value) in values {
                        add_all(&mut found, self.targets(method, value));
                    }
                    if is_attribute {
                        break;
                    }
                }
                Target::External(path) => found.push(Target::External(Name::from(format!("{path}.{name}")))),
                _ => {}
            }
            if !found.is_empty() {
                break;
            }
        }
        found
    }
}

pub(super) fn add(found: &mut Vec<Target>, target: Target) {
    if target != Target::Unknown && found.len() < MAX_TARGETS && !found.contains(&target) {
        found.push(target);
    }
}

pub(super) fn add_all(found: &mut Vec<Target>, targets: Vec<Target>) {
    for target in targets {
        add(found, target);
    }
}
