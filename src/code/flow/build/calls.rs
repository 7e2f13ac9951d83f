//! Calls: arguments, results, constructors, and functions that are handed over.

use super::{Builder, Env};
use crate::code::flow::graph::{Context, Flow, Node, Origin, Site};
use crate::code::ir::{Arg, ExprId, ExprKind, Idiom, Name, ParamKind, Special, written};
use crate::code::project::{ClassRef, FuncRef, Target};

impl<'a> Builder<'a> {
    pub(super) fn call(
        &mut self,
        expr: ExprId,
        callee: ExprId,
        args: &'a [Arg],
        idiom: Option<&'a Idiom>,
        env: &mut Env,
    ) {
        let inside = Context::Expr(expr);
        let node = self.node(expr);
        let site = Site(node.0);
        self.eval(callee, inside, env);
        for arg in written(args) {
            match self.module.kind(arg.value) {
                // Its entries are arguments of the call.
                ExprKind::Dict(entries) if arg.gathers => {
                    self.graph.place(self.at(arg.value), inside);
                    self.entries(arg.value, entries, inside, env);
                }
                _ => {
                    self.eval(arg.value, inside, env);
                }
            }
        }
        let targets = self.project.targets_of_call(self.at(expr));
        let functions = targets.iter().filter_map(|target| match target {
            Target::Function(function) => Some(*function),
            _ => None,
        });
        let entered: Vec<FuncRef> = functions.collect();
        if !entered.is_empty() {
            let call = self.at(expr);
            self.graph.dispatch.note(self.project, self.here, site, call, &entered);
        }
        let mut inside_project = false;
        for target in &targets {
            match target {
                Target::Function(function) => {
                    inside_project = true;
                    for (param, value) in self.project.bind(self.at(expr), *function) {
                        let param = self.takes(*function, param, value, args);
                        let value_node = self.node(value);
                        self.graph.link(value_node, Flow::Enter(site), param);
                        // What the callee changes in place, the caller sees.
                        for place in self.places(value, env) {
                            if place != value_node {
                                self.graph.link(param, Flow::Leave(site), place);
                            }
                        }
                    }
                    let result = self.graph.node(Origin::Result(*function));
                    self.graph.link(result, Flow::Leave(site), node);
                }
                Target::Class(class) => {
                    inside_project = true;
                    if let Some(init) = self.project.special(*class, Special::Constructor) {
                        for (param, value) in self.project.bind(self.at(expr), init) {
                            let param = self.takes(init, param, value, args);
                            let value = self.node(value);
                            self.graph.link(value, Flow::Enter(site), param);
                        }
                    } else {
                        self.fields(*class, args);
                    }
                    self.construct(node, args, &self.project.parameters(*class));
                }
                Target::External(_) | Target::Module(_) | Target::Unknown => {}
            }
        }
        if inside_project {
            return;
        }
        if let Some(idiom) = idiom {
            return self.idiom(node, idiom, args, env);
        }
        if let ExprKind::Attribute { base, .. } = self.module.kind(callee) {
            let receiver = self.node(*base);
            self.graph.link(receiver, Flow::Opaque, node);
        }
        for arg in args.iter().filter(|arg| !arg.gathers) {
            let from = self.node(arg.value);
            self.graph.link(from, Flow::Opaque, node);
        }
        let called = match self.module.kind(callee) {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => name.clone(),
            _ => return,
        };
        if called.trim_start_matches('_').starts_with(char::is_uppercase) {
            self.construct(node, args, &[Name::from("content")]);
        }
    }

    /// The place that takes an argument: a parameter, or the field of that name in the one that gathers the
    /// named arguments which have no parameter of their own.
    fn takes(&mut self, function: FuncRef, param: usize, value: ExprId, args: &[Arg]) -> Node {
        let gathers = self.project.function(function).params[param].kind == ParamKind::RestKeyword;
        let param = self.graph.node(Origin::Param(function, param as u32));
        let name = args
            .iter()
            .find(|arg| arg.value == value)
            .and_then(|arg| arg.name.as_ref());
        match name.filter(|_| gathers) {
            Some(name) => {
                let symbol = self.graph.intern(name);
                let field = self.graph.node(Origin::Slot(param, symbol));
                self.graph.link(field, Flow::Store(symbol), param);
                field
            }
            None => param,
        }
    }

    /// The text that an object is shown as.
    pub(super) fn shown(&mut self, value: ExprId, node: Node) {
        if !self.shows_objects {
            return;
        }
        let class = self.project.class_of(self.at(value));
        if let Some(show) = class.and_then(|class| self.project.special(class, Special::Text)) {
            let site = Site(node.0);
            let from = self.node(value);
            let object = self.graph.node(Origin::Param(show, 0));
            self.graph.link(from, Flow::Enter(site), object);
            let text = self.graph.node(Origin::Result(show));
            self.graph.link(text, Flow::Leave(site), node);
        }
    }

    /// The arguments of a class without a constructor of its own are the attributes that its methods
    /// and users read.
    pub(super) fn fields(&mut self, class: ClassRef, args: &[Arg]) {
        let parameters = self.project.parameters(class);
        let mut positional = parameters.iter();
        for arg in args.iter().filter(|arg| !arg.spread && !arg.gathers) {
            let name = match &arg.name {
                Some(name) => Some(name),
                None => positional.next(),
            };
            if let Some(name) = name.filter(|name| parameters.contains(name)) {
                let symbol = self.graph.intern(name);
                let owner = self.project.field_owner(class, name);
                let field = self.graph.node(Origin::Field(owner, symbol));
                let value = self.node(arg.value);
                self.graph.link(value, Flow::Same, field);
            }
        }
    }

    /// Arguments become the fields of a new object.
    pub(super) fn construct(&mut self, node: Node, args: &[Arg], positional: &[Name]) {
        let mut position = 0;
        for arg in args.iter().filter(|arg| !arg.gathers) {
            let from = self.node(arg.value);
            if arg.spread {
                self.graph.link(from, Flow::Same, node);
                continue;
            }
            let field = if let Some(name) = &arg.name {
                Some(name.clone())
            } else {
                position += 1;
                positional.get(position - 1).cloned()
            };
            if let Some(field) = field {
                let symbol = self.graph.intern(&field);
                self.graph.link(from, Flow::Store(symbol), node);
            }
        }
    }

    /// Calls a function value of the project with these arguments.
    pub(super) fn apply(
        &mut self,
        function: ExprId,
        given: &[(Node, Flow)],
        result: Option<Flow>,
        node: Node,
        env: &mut Env,
    ) {
        let _ = env;
        let called: Vec<FuncRef> = match self.module.kind(function) {
            ExprKind::Lambda(id) => vec![FuncRef {
                module: self.here.module,
                function: *id,
            }],
            _ => self.project.functions_named_by(self.at(function)),
        };
        for function in called {
            let skipped = u32::from(self.project.function(function).has_receiver);
            for (index, (from, flow)) in given.iter().enumerate() {
                let param = self.graph.node(Origin::Param(function, index as u32 + skipped));
                match flow {
                    Flow::Same => self.graph.link(*from, Flow::Enter(Site(node.0)), param),
                    other => self.graph.link(*from, *other, param),
                }
            }
            if let Some(flow) = result {
                let value = self.graph.node(Origin::Result(function));
                match flow {
                    Flow::Same => self.graph.link(value, Flow::Leave(Site(node.0)), node),
                    other => self.graph.link(value, other, node),
                }
            }
        }
    }
}
