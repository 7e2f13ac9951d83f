//! What class a value is of: by annotations, by what is assigned, by what a call gives.

use super::annotations;
use super::classes::ClassTable;
use super::resolve::{Ask, Search, add, add_all};
use super::{ClassRef, FuncRef, ModuleIx, Target};
use crate::code::ir::{ExprId, ExprKind, FunctionId, Intrinsic, Name, Stmt, StmtKind};
use crate::code::scope::Binding;

impl Search<'_> {
    /// The classes that a value may be an instance of.
    pub(super) fn types(&mut self, at: FuncRef, expr: ExprId) -> Vec<Target> {
        self.once(Ask::Types, at, expr, Self::find_types)
    }

    fn find_types(&mut self, at: FuncRef, expr: ExprId) -> Vec<Target> {
        let mut found = Vec::new();
        match self.kind(at.module, expr) {
            ExprKind::Name(name) => found = self.types_of_name(at, name),
            ExprKind::Attribute { base, name } => found = self.types_of_attribute(at, *base, name),
            ExprKind::Call { callee, idiom, .. } => {
                if let Some(idiom) = idiom
                    && matches!(idiom.op, Intrinsic::Pass | Intrinsic::Copy | Intrinsic::DeepCopy)
                    && let Some(value) = idiom.operands.first()
                {
                    found = self.types(at, *value);
                }
                for target in self.targets(at, *callee) {
                    add_all(&mut found, self.result(&target));
                }
            }
            ExprKind::Await(value) | ExprKind::Bind { value, .. } => found = self.types(at, *value),
            ExprKind::Conditional { then, otherwise, .. } => {
                found = self.types(at, *then);
                add_all(&mut found, self.types(at, *otherwise));
            }
            ExprKind::Logic { operands, .. } => {
                for operand in operands {
                    add_all(&mut found, self.types(at, *operand));
                }
            }
            ExprKind::Index { base, .. } => found = self.types_of_elements(at, *base),
            _ => {}
        }
        found
    }

    fn types_of_name(&mut self, at: FuncRef, name: &str) -> Vec<Target> {
        let module = self.project.module(at.module);
        match self.project.scopes(at.module).lookup(module, at.function, name) {
            Some((holder, bindings)) => {
                let holder = FuncRef {
                    module: at.module,
                    function: holder,
                };
                self.types_of_bindings(holder, bindings)
            }
            None => Vec::new(),
        }
    }

    fn types_of_bindings(&mut self, holder: FuncRef, bindings: &[Binding]) -> Vec<Target> {
        let mut found = Vec::new();
        for binding in bindings {
            if !self.burn() {
                break;
            }
            match binding {
                Binding::Param(index) => {
                    let function = self.project.function(holder);
                    let param = &function.params[*index];
                    if let (0, true, Some(class)) = (*index, function.has_receiver, function.class) {
                        add(
                            &mut found,
                            Target::Class(ClassRef {
                                module: holder.module,
                                class,
                            }),
                        );
                    } else if let Some(annotation) = &param.annotation {
                        add_all(&mut found, self.annotation(holder, annotation));
                    } else if let Some(default) = param.default {
                        add_all(&mut found, self.types(holder, default));
                    }
                }
                Binding::Typed(annotation) => add_all(&mut found, self.annotation(holder, annotation)),
                Binding::Value(value) => {
                    let at = self.owner(holder.module, *value);
                    add_all(&mut found, self.types(at, *value));
                }
                Binding::Element(iter) => {
                    let at = self.owner(holder.module, *iter);
                    add_all(&mut found, self.types_of_elements(at, *iter));
                }
                Binding::Import(import) => {
                    let import = &self.project.module(holder.module).imports[*import];
                    if let (Some(source), Some(symbol)) =
                        (self.project.map.find(holder.module, &import.module), &import.symbol)
                    {
                        add_all(&mut found, self.types_of_member(source, symbol));
                    }
                }
                Binding::Function(_) | Binding::Class(_) | Binding::Unknown => {}
            }
        }
        found
    }

    fn types_of_member(&mut self, module: ModuleIx, name: &str) -> Vec<Target> {
        let top = FuncRef {
            module,
            function: FunctionId(0),
        };
        match self.project.scopes(module).own(FunctionId(0), name) {
            Some(bindings) if self.burn() => self.types_of_bindings(top, bindings),
            _ => Vec::new(),
        }
    }

    fn types_of_attribute(&mut self, at: FuncRef, base: ExprId, name: &str) -> Vec<Target> {
        let mut found = Vec::new();
        for target in self.targets(at, base) {
            if let Target::Module(module) = target {
                add_all(&mut found, self.types_of_member(module, name));
            }
        }
        for class in self.types(at, base) {
            if let Target::Class(class) = class {
                add_all(&mut found, self.types_of_field(class, name));
            }
        }
        found
    }

    /// The classes that an attribute of an instance may be of: by its annotation, by what is assigned
    /// to it, or by what a property returns.
    fn types_of_field(&mut self, class: ClassRef, name: &str) -> Vec<Target> {
        let mut found = Vec::new();
        for ancestor in self.project.class_facts(class).lineage.clone() {
            let Target::Class(ancestor) = ancestor else { continue };
            if !self.burn() {
                break;
            }
            for (scope, annotation) in self.project.classes.own_annotations(self.project, ancestor, name) {
                add_all(&mut found, self.annotation(scope, &annotation));
            }
            for (method, value) in self.project.classes.own_values(self.project, ancestor, name) {
                add_all(&mut found, self.types(method, value));
            }
            if let Some(method) = ClassTable::own_method(self.project, ancestor, name) {
                add_all(&mut found, self.result(&Target::Function(method)));
            }
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// The classes that the elements of a container may be of, by its annotation.
    fn types_of_elements(&mut self, at: FuncRef, container: ExprId) -> Vec<Target> {
        let mut found = Vec::new();
        for (scope, annotation) in self.annotations_of(at, container) {
            if let Some(element) = annotations::element(&annotation) {
                add_all(&mut found, self.annotation(scope, element));
            }
        }
        found
    }

    /// The annotations of a variable or attribute, with where they are to be read.
    fn annotations_of(&mut self, at: FuncRef, expr: ExprId) -> Vec<(FuncRef, Name)> {
        let mut found = Vec::new();
        match self.kind(at.module, expr) {
            ExprKind::Name(name) => {
                let module = self.project.module(at.module);
                let Some((holder, bindings)) = self.project.scopes(at.module).lookup(module, at.function, name) else {
                    return found;
                };
                let holder = FuncRef {
                    module: at.module,
                    function: holder,
                };
                for binding in bindings {
                    match binding {
                        Binding::Param(index) => {
                            let annotation = self.project.function(holder).params[*index].annotation.clone();
                            found.extend(annotation.map(|annotation| (holder, annotation)));
                        }
                        Binding::Typed(annotation) => found.push((holder, annotation.clone())),
                        _ => {}
                    }
                }
            }
            ExprKind::Attribute { base, name } => {
                for class in self.types(at, *base) {
                    let Target::Class(class) = class else { continue };
                    for ancestor in self.project.class_facts(class).lineage.clone() {
                        let Target::Class(ancestor) = ancestor else { continue };
                        if !self.burn() {
                            return found;
                        }
                        found.extend(self.project.classes.own_annotations(self.project, ancestor, name));
                        for (method, value) in self.project.classes.own_values(self.project, ancestor, name) {
                            if matches!(self.kind(method.module, value), ExprKind::Name(_)) {
                                found.extend(self.annotations_of(method, value));
                            }
                        }
                    }
                }
            }
            _ => {}
        }
        found
    }

    /// The classes of what a call of the target gives.
    fn result(&mut self, target: &Target) -> Vec<Target> {
        match target {
            Target::Class(_) => vec![target.clone()],
            Target::External(path) => {
                let name = path.rsplit('.').next().unwrap_or(path);
                if name.starts_with(char::is_uppercase) {
                    vec![target.clone()]
                } else {
                    vec![Target::External(Name::from(format!("{path}()")))]
                }
            }
            Target::Function(function) => {
                if !self.burn() {
                    return Vec::new();
                }
                let ir = self.project.function(*function);
                if let Some(returns) = &ir.returns {
                    let scope = FuncRef {
                        module: function.module,
                        function: ir.parent.unwrap_or(FunctionId(0)),
                    };
                    return self.annotation(scope, returns);
                }
                let mut found = Vec::new();
                for value in returned(&ir.body) {
                    add_all(&mut found, self.types(*function, value));
                }
                found
            }
            Target::Module(_) | Target::Unknown => Vec::new(),
        }
    }

    /// The classes that an annotation names.
    pub(super) fn annotation(&mut self, at: FuncRef, annotation: &str) -> Vec<Target> {
        let mut found = Vec::new();
        for dotted in annotations::classes(annotation) {
            if dotted == "Self" {
                found.extend(self.class_around(at).map(Target::Class));
                continue;
            }
            let mut names = dotted.split('.');
            let mut targets = names.next().map(|first| self.name(at, first)).unwrap_or_default();
            for name in names {
                targets = targets
                    .iter()
                    .flat_map(|target| self.member_of(at.module, target, name))
                    .collect();
            }
            targets.retain(|target| matches!(target, Target::Class(_) | Target::External(_)));
            add_all(&mut found, targets);
        }
        found
    }
}

/// The values of the `return` statements in a body.
pub(crate) fn returned(body: &[Stmt]) -> Vec<ExprId> {
    let mut values = Vec::new();
    for stmt in body {
        if let StmtKind::Return(Some(value)) = stmt.kind {
            values.push(value);
        }
        for block in stmt.kind.blocks() {
            values.extend(returned(block));
        }
    }
    values
}
