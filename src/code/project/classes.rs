//! Bases, subclasses, members and attributes of classes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::lineage::{kind, lineage};
use super::{ByName, ClassRef, FuncRef, ModuleIx, Project, Target};
use crate::code::ir::{ClassId, ExprId, ExprKind, FunctionId, Module, Name, Special, Stmt, StmtKind};

/// How many overriding methods one call may mean.
const MAX_OVERRIDES: usize = 64;

impl ClassRef {
    /// Where the names in the class's body are read.
    pub(super) fn scope(self, project: &Project) -> FuncRef {
        FuncRef {
            module: self.module,
            function: project.class(self).scope,
        }
    }
}

/// What the fields of a class mean for its constructor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ClassKind {
    /// The constructor takes what its own parameters say.
    #[default]
    Plain,
    /// The constructor takes the fields in order.
    Dataclass,
    /// The constructor takes the fields by name and checks them.
    Model,
    /// Its instances are dictionaries.
    TypedDict,
}

/// What is known of a class beside its members.
#[derive(Debug, Default)]
pub(crate) struct ClassFacts {
    /// The class, then its bases in the order in which members are looked up: [`Target::Class`] and
    /// [`Target::External`] only.
    pub(crate) lineage: Vec<Target>,
    /// The classes of the run that name it as a base, in order.
    pub(crate) subclasses: Vec<ClassRef>,
    /// By its decorators and bases.
    pub(crate) kind: ClassKind,
}

/// A value assigned to an attribute of the receiver.
#[derive(Debug)]
struct Assigned {
    method: FunctionId,
    value: ExprId,
    annotation: Option<Name>,
}

/// All classes of a run.
#[derive(Debug, Default)]
pub(super) struct ClassTable {
    facts: Vec<Vec<ClassFacts>>,
    assigned: Vec<Vec<ByName<Vec<Assigned>>>>,
    nested: FxHashMap<ClassRef, Vec<ClassRef>>,
}

impl ClassTable {
    /// The classes and what they hold themselves; each is its own only ancestor until [`Self::link`].
    pub(super) fn members(modules: &[Module]) -> Self {
        let mut table = Self::default();
        for (index, ir) in modules.iter().enumerate() {
            let module = ModuleIx(index as u32);
            table.assigned.push(assignments(ir));
            let mut facts = Vec::new();
            for this in classes_of(module, ir) {
                facts.push(ClassFacts {
                    lineage: vec![Target::Class(this)],
                    ..ClassFacts::default()
                });
                if let Some(outer) = ir.class(this.class).outer {
                    let outer = ClassRef { module, class: outer };
                    table.nested.entry(outer).or_default().push(this);
                }
            }
            table.facts.push(facts);
        }
        table
    }

    /// Finds the bases of every class, by what the project knows of each class alone.
    pub(super) fn link(project: &mut Project) {
        let all: Vec<ClassRef> = project
            .modules()
            .flat_map(|(module, ir)| classes_of(module, ir))
            .collect();
        let mut bases: FxHashMap<ClassRef, Vec<Target>> =
            all.iter().map(|&class| (class, bases(project, class))).collect();
        // What adds members to a class is looked up as a base of it, and has its members.
        for &part in &all {
            let Some(Target::Class(whole)) = extended(project, part).filter(|whole| *whole != Target::Class(part))
            else {
                continue;
            };
            bases.entry(part).or_default().push(Target::Class(whole));
            bases.entry(whole).or_default().push(Target::Class(part));
        }
        let linked: Vec<(Vec<Target>, ClassKind)> = all
            .iter()
            .map(|&class| {
                let lineage = lineage(class, &bases);
                let kind = kind(project, class, &lineage);
                (lineage, kind)
            })
            .collect();
        let table = &mut project.classes;
        for (&class, (lineage, kind)) in all.iter().zip(linked) {
            for base in &bases[&class] {
                if let Target::Class(base) = base
                    && *base != class
                {
                    table.facts_mut(*base).subclasses.push(class);
                }
            }
            let facts = table.facts_mut(class);
            facts.lineage = lineage;
            facts.kind = kind;
        }
    }

    pub(super) fn facts(&self, class: ClassRef) -> &ClassFacts {
        &self.facts[class.module.0 as usize][class.class.0 as usize]
    }

    fn facts_mut(&mut self, class: ClassRef) -> &mut ClassFacts {
        &mut self.facts[class.module.0 as usize][class.class.0 as usize]
    }

    /// The classes of the run in the lineage.
    pub(super) fn ancestors(&self, class: ClassRef) -> impl Iterator<Item = ClassRef> {
        self.facts(class).lineage.iter().filter_map(|base| match base {
            Target::Class(base) => Some(*base),
            _ => None,
        })
    }

    pub(super) fn method(&self, project: &Project, class: ClassRef, name: &str) -> Option<FuncRef> {
        self.ancestors(class)
            .find_map(|ancestor| Self::own_method(project, ancestor, name))
    }

    /// The method that the class, or the nearest base in the run that has one, is given for a purpose.
    pub(super) fn special(&self, project: &Project, class: ClassRef, purpose: Special) -> Option<FuncRef> {
        self.ancestors(class).find_map(|ancestor| {
            let module = project.module(ancestor.module);
            let mut methods = project.class(ancestor).methods.iter().rev();
            let (_, function) = methods.find(|(_, function)| module.function(*function).special == Some(purpose))?;
            Some(FuncRef {
                module: ancestor.module,
                function: *function,
            })
        })
    }

    /// The method that the class itself defines. The last definition wins, but the setter of a property
    /// is not what reading the property calls.
    pub(super) fn own_method(project: &Project, class: ClassRef, name: &str) -> Option<FuncRef> {
        let module = project.module(class.module);
        let is_setter = |function: FunctionId| module.function(function).special == Some(Special::Setter);
        let methods = &project.class(class).methods;
        methods
            .iter()
            .rev()
            .find(|(method, function)| **method == *name && !is_setter(*function))
            .map(|&(_, function)| FuncRef {
                module: class.module,
                function,
            })
    }

    /// The methods of subclasses that stand in for the class's own.
    pub(super) fn overrides(&self, project: &Project, class: ClassRef, name: &str) -> Vec<FuncRef> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![class];
        while let Some(base) = open.pop() {
            for &subclass in self.facts(base).subclasses.iter().rev() {
                if seen.insert(subclass) {
                    open.push(subclass);
                }
            }
            if base != class {
                found.extend(Self::own_method(project, base, name));
            }
            if found.len() >= MAX_OVERRIDES {
                break;
            }
        }
        found
    }

    pub(super) fn nested(&self, project: &Project, class: ClassRef, name: &str) -> Option<ClassRef> {
        let nested = self.nested.get(&class)?;
        nested
            .iter()
            .copied()
            .find(|&inner| *project.class(inner).name == *name)
    }

    /// The values that the class's own body and methods give to an attribute.
    pub(super) fn own_values(&self, project: &Project, class: ClassRef, name: &str) -> Vec<(FuncRef, ExprId)> {
        let ir = project.class(class);
        let scope = class.scope(project);
        let fields = ir.fields.iter().filter(|field| *field.name == *name);
        let mut values: Vec<(FuncRef, ExprId)> = fields.filter_map(|field| Some((scope, field.value?))).collect();
        values.extend(
            self.assigned(class, name)
                .map(|(method, assigned)| (method, assigned.value)),
        );
        values
    }

    /// The annotations that the class's own body and methods give to an attribute.
    pub(super) fn own_annotations(&self, project: &Project, class: ClassRef, name: &str) -> Vec<(FuncRef, Name)> {
        let ir = project.class(class);
        let scope = class.scope(project);
        let fields = ir.fields.iter().filter(|field| *field.name == *name);
        let mut found: Vec<(FuncRef, Name)> = fields
            .filter_map(|field| Some((scope, field.annotation.clone()?)))
            .collect();
        found.extend(
            self.assigned(class, name)
                .filter_map(|(method, assigned)| Some((method, assigned.annotation.clone()?))),
        );
        found
    }

    pub(super) fn attribute_values(&self, project: &Project, class: ClassRef, name: &str) -> Vec<(FuncRef, ExprId)> {
        self.ancestors(class)
            .flat_map(|ancestor| self.own_values(project, ancestor, name))
            .collect()
    }

    fn assigned(&self, class: ClassRef, name: &str) -> impl Iterator<Item = (FuncRef, &Assigned)> {
        let by_name = &self.assigned[class.module.0 as usize][class.class.0 as usize];
        by_name.get(name).into_iter().flatten().map(move |assigned| {
            let method = FuncRef {
                module: class.module,
                function: assigned.method,
            };
            (method, assigned)
        })
    }
}

fn classes_of(module: ModuleIx, ir: &Module) -> impl Iterator<Item = ClassRef> {
    (0..ir.classes.len()).map(move |index| ClassRef {
        module,
        class: ClassId(index as u32),
    })
}

/// The bases as they are named; of a name with several meanings, the likeliest.
fn bases(project: &Project, class: ClassRef) -> Vec<Target> {
    let scope = class.scope(project);
    project
        .class(class)
        .bases
        .iter()
        .map(|&base| project.resolve(scope, base))
        .filter(|base| matches!(base, Target::Class(_) | Target::External(_)))
        .collect()
}

/// The class that another one only adds members to.
fn extended(project: &Project, class: ClassRef) -> Option<Target> {
    let extends = project.class(class).extends?;
    Some(project.resolve(class.scope(project), extends))
}

/// For each class of the module, what its methods assign to attributes of their receiver.
fn assignments(module: &Module) -> Vec<ByName<Vec<Assigned>>> {
    let mut table: Vec<ByName<Vec<Assigned>>> = module.classes.iter().map(|_| ByName::default()).collect();
    for (index, function) in module.functions.iter().enumerate() {
        if let (Some(class), true, Some(receiver)) = (function.class, function.has_receiver, function.params.first()) {
            let by_name = &mut table[class.0 as usize];
            collect(
                module,
                FunctionId(index as u32),
                &receiver.name,
                &function.body,
                by_name,
            );
        }
    }
    table
}

fn collect(module: &Module, method: FunctionId, receiver: &str, body: &[Stmt], into: &mut ByName<Vec<Assigned>>) {
    for stmt in body {
        if let StmtKind::Assign {
            targets,
            value,
            annotation,
        } = &stmt.kind
        {
            for &target in targets {
                if let ExprKind::Attribute { base, name } = module.kind(target)
                    && matches!(module.kind(*base), ExprKind::Name(base) if **base == *receiver)
                {
                    into.entry(name.clone()).or_default().push(Assigned {
                        method,
                        value: *value,
                        annotation: annotation.clone(),
                    });
                }
            }
        }
        for block in stmt.kind.blocks() {
            collect(module, method, receiver, block, into);
        }
    }
}
