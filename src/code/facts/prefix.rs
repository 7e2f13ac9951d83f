//! What stands before the history in a call: the system prompt, the tools, the head of the list, and
//! the key of the provider's cache.

use super::heads::{Placement, Position};
use super::{Construction, Durability, Facts, Keeper};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{Arg, ExprId, ExprKind, Intrinsic, StmtKind, TemplatePart};
use crate::code::project::{ClassRef, ExprRef, FuncRef};
use crate::code::vocabulary::{Effect, Field, Role, Strength};
use crate::finding::Confidence;

/// Which part of a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PrefixPart {
    /// The system prompt.
    System,
    /// The tools.
    Tools,
    /// A message at the head of the list.
    Head,
    /// The text of a stored message in the form in which it is sent.
    Stored,
    /// The key under which the provider keeps the prefix.
    CacheKey,
}

/// One text that stands in the prefix of calls.
#[derive(Clone, Debug)]
pub(crate) struct Prefix {
    /// The text.
    pub(crate) node: Node,
    /// Which part it is.
    pub(crate) part: PrefixPart,
    /// Where it enters the call or the list, if that is one place.
    pub(crate) enters: Option<ExprRef>,
    /// The message that it is the content of.
    pub(crate) message: Option<ExprRef>,
    /// Whether more than a name says so.
    pub(crate) sure: bool,
    /// Whether the call has no history, so that no later call has the same prefix.
    pub(crate) single: bool,
    /// Whether it is given to the object that will call the model, and so kept.
    pub(crate) kept: bool,
    /// The function that alone makes what is told of the present in it; what it is given may be of then.
    pub(crate) made_in: Option<FuncRef>,
}

/// All texts of a project that stand in the prefix of a call; tests are left out.
pub(super) fn find(facts: &Facts) -> Vec<Prefix> {
    let mut found = Find {
        facts,
        prefixes: Vec::new(),
    };
    found.sends();
    for expr in facts.exprs().filter(|expr| !facts.is_test(*expr)) {
        match facts.kind(expr) {
            ExprKind::Call { callee, args, .. } => found.named_arguments(expr, facts.beside(expr, *callee), args),
            ExprKind::Dict(entries) => found.body(expr, entries),
            ExprKind::Comprehension { element, clauses, .. } => {
                if let [clause] = &clauses[..] {
                    found.rewritten(facts.beside(expr, clause.iter), facts.beside(expr, *element));
                }
            }
            _ => {}
        }
    }
    found.names();
    found.functions();
    for made in facts.constructions().iter().filter(|made| !facts.is_test(made.expr)) {
        found.message(made);
    }
    found.prefixes
}

/// Whether a function is a method of something that makes prompts: `PromptBuilder`.
fn is_of_prompt_maker(facts: &Facts, function: FuncRef) -> bool {
    let class = facts.project.function(function).class.map(|class| ClassRef {
        module: function.module,
        class,
    });
    let makes = class.is_some_and(|class| facts.vocabulary.makes_prompts(&facts.project.class(class).name));
    makes && returns_text(facts, function)
}

/// Whether a function says that it returns text, or writes one where it returns.
fn returns_text(facts: &Facts, function: FuncRef) -> bool {
    let returns = facts.project.function(function).returns.as_deref();
    if let Some(returns) = returns {
        return facts.vocabulary.is_text_type(returns);
    }
    let paths = facts.paths.function(function);
    paths.stmts().any(|stmt| match paths.stmt(stmt).kind {
        StmtKind::Return(Some(value)) => {
            let value = ExprRef {
                module: function.module,
                expr: value,
            };
            match facts.kind(value) {
                ExprKind::Template(_) => true,
                ExprKind::Call { idiom: Some(idiom), .. } => matches!(idiom.op, Intrinsic::Join | Intrinsic::Format),
                _ => facts.text(value).is_some(),
            }
        }
        _ => false,
    })
}

/// Whether a function returns a text that says it sums up what was said: nothing of that is at the tail.
fn opens_history(facts: &Facts, function: FuncRef) -> bool {
    let paths = facts.paths.function(function);
    paths.stmts().any(|stmt| {
        let StmtKind::Return(Some(value)) = paths.stmt(stmt).kind else {
            return false;
        };
        let value = ExprRef {
            module: function.module,
            expr: value,
        };
        match facts.kind(value) {
            ExprKind::Template(parts) => parts.iter().any(|part| match part {
                TemplatePart::Text(text) => facts.vocabulary.says_summary(text),
                TemplatePart::Value { .. } => false,
            }),
            _ => false,
        }
    })
}

struct Find<'a, 'p> {
    facts: &'a Facts<'p>,
    prefixes: Vec<Prefix>,
}

impl Find<'_, '_> {
    fn add(&mut self, node: Node, part: PrefixPart, enters: Option<ExprRef>, sure: bool) -> &mut Prefix {
        self.prefixes.push(Prefix {
            node,
            part,
            enters,
            message: None,
            sure,
            single: false,
            kept: false,
            made_in: None,
        });
        let last = self.prefixes.len() - 1;
        &mut self.prefixes[last]
    }

    /// Arguments of model calls.
    fn sends(&mut self) {
        let facts = self.facts;
        for send in facts.model_sends().iter().filter(|send| !facts.is_test(send.call)) {
            let single = !send.builds && send.messages.is_some_and(|list| facts.is_single(facts.node(list)));
            for (value, part) in [(send.system, PrefixPart::System), (send.tools, PrefixPart::Tools)] {
                if let Some(value) = value {
                    let prefix = self.add(facts.node(value), part, Some(value), true);
                    prefix.single = single;
                    prefix.kept = send.builds;
                }
            }
        }
    }

    /// Arguments whose name says that they are a system prompt or a key of the cache.
    fn named_arguments(&mut self, call: ExprRef, callee: ExprRef, args: &[Arg]) {
        let facts = self.facts;
        let of_project = !facts.project.callees_of(call).is_empty();
        let sets = match facts.kind(callee) {
            ExprKind::Attribute { name, .. } => facts.vocabulary.sets_prefix(name),
            _ => false,
        };
        // Of several values one is the prompt, and which one is not known.
        let alone = args.iter().filter(|arg| arg.name.is_none()).count() == 1;
        for arg in args {
            let value = facts.beside(call, arg.value);
            let Some(name) = &arg.name else {
                if sets && alone && !of_project && !arg.spread {
                    self.add(facts.node(value), PrefixPart::System, Some(value), false);
                }
                continue;
            };
            if facts.vocabulary.is_cache_key(name) {
                self.add(facts.node(value), PrefixPart::CacheKey, Some(value), true);
            } else if !of_project && facts.vocabulary.prefix_name(name) == Some(Strength::Strong) {
                let constructs = match facts.kind(callee) {
                    ExprKind::Name(name) | ExprKind::Attribute { name, .. } => name.starts_with(char::is_uppercase),
                    _ => false,
                };
                let sure = facts.path(callee).is_some_and(|path| {
                    facts
                        .vocabulary
                        .is_call_only_method(&path, facts.frameworks(call.module))
                });
                self.add(facts.node(value), PrefixPart::System, Some(value), sure).kept = constructs;
            }
        }
    }

    /// The body of a request.
    fn body(&mut self, expr: ExprRef, entries: &[(Option<ExprId>, ExprId)]) {
        let facts = self.facts;
        let keyed: Vec<(&str, ExprId)> = entries
            .iter()
            .filter_map(|(key, value)| Some((&**facts.text(facts.beside(expr, (*key)?))?, *value)))
            .collect();
        let is_body = keyed
            .iter()
            .any(|(key, _)| matches!(*key, "messages" | "input" | "contents"));
        for (key, value) in keyed {
            let value = facts.beside(expr, value);
            if facts.vocabulary.is_cache_key(key) {
                self.add(facts.node(value), PrefixPart::CacheKey, Some(value), true);
            } else if is_body && matches!(key, "tools" | "functions") {
                self.add(facts.node(value), PrefixPart::Tools, Some(value), true);
            } else if is_body && facts.vocabulary.prefix_name(key).is_some() {
                self.add(facts.node(value), PrefixPart::System, Some(value), true);
            }
        }
    }

    /// What a method makes of every message of a history for a call: the content of what it returns.
    fn rewritten(&mut self, iter: ExprRef, element: ExprRef) {
        let facts = self.facts;
        let (ExprKind::Name(name) | ExprKind::Attribute { name, .. }) = facts.kind(iter) else {
            return;
        };
        let known = facts.histories().confidence(facts.node(iter)).is_some();
        if !known && facts.vocabulary.history_name(name).is_none() {
            return;
        }
        for function in facts.project.callees_of(element) {
            if !facts.project.function(*function).has_receiver || facts.project.is_test(*function) {
                continue;
            }
            let paths = facts.paths.function(*function);
            for stmt in paths.stmts() {
                let StmtKind::Return(Some(returned)) = paths.stmt(stmt).kind else {
                    continue;
                };
                let made = ExprRef {
                    module: function.module,
                    expr: returned,
                };
                let Some((_, args)) = facts.call(made) else { continue };
                let content = args.iter().find(|arg| {
                    let field = arg.name.as_ref().and_then(|name| facts.vocabulary.field(name));
                    field == Some(Field::Content)
                });
                if let Some(content) = content {
                    let content = facts.beside(made, content.value);
                    self.add(facts.node(content), PrefixPart::Stored, Some(content), true);
                }
            }
        }
    }

    /// Attributes, keys and variables that are called so.
    fn names(&mut self) {
        let facts = self.facts;
        for node in (0..facts.graph.len() as u32).map(Node) {
            let (name, of_test) = match facts.graph.origin(node) {
                Origin::Field(class, symbol) => (facts.graph.symbol_name(*symbol), facts.module(class.module).is_test),
                Origin::Slot(_, symbol) => (facts.graph.symbol_name(*symbol), false),
                Origin::Variable(function, name) => (&**name, facts.project.is_test(*function)),
                _ => continue,
            };
            if !of_test && facts.vocabulary.prefix_name(name) == Some(Strength::Strong) {
                self.add(node, PrefixPart::System, None, false);
            }
        }
    }

    /// Functions whose result is a system prompt: a framework asks for it, or their name says so.
    fn functions(&mut self) {
        let facts = self.facts;
        for (function, ir) in facts.project.functions() {
            if facts.project.is_test(function) {
                continue;
            }
            let asked = facts
                .hook(function)
                .is_some_and(|hook| hook.effect == Some(Effect::CallOnly));
            let named = facts.vocabulary.prefix_name(&ir.name) == Some(Strength::Strong);
            let makes = named || is_of_prompt_maker(facts, function);
            if (asked || makes || opens_history(facts, function))
                && let Some(node) = facts.graph.find(&Origin::Result(function))
            {
                let prefix = self.add(node, PrefixPart::System, None, asked);
                prefix.made_in = Some(function).filter(|_| !asked && !makes);
            }
        }
    }

    /// A message at the head of a list.
    fn message(&mut self, made: &Construction) {
        let facts = self.facts;
        let Some(content) = made.content else { return };
        if made.role == Some(Role::System) && facts.is_handed_out(made.expr) {
            return;
        }
        let placement = facts.placement(made.expr);
        match (made.role, placement) {
            (
                Some(Role::System),
                Placement {
                    position: Position::Head,
                    enters,
                    single,
                },
            ) => {
                let prefix = self.add(facts.node(content), PrefixPart::System, enters, true);
                prefix.single = single;
                prefix.message = Some(made.expr);
            }
            (
                Some(Role::System),
                Placement {
                    position: Position::Unknown,
                    ..
                },
            ) => {
                self.add(facts.node(content), PrefixPart::System, None, false).message = Some(made.expr);
            }
            (
                Some(Role::User),
                Placement {
                    position: Position::Head,
                    enters,
                    single: false,
                },
            ) => {
                let before_history = enters.is_some_and(|enters| facts.precedes_history(enters));
                if before_history {
                    self.add(facts.node(content), PrefixPart::Head, enters, true);
                }
            }
            _ => {}
        }
    }
}

impl Facts<'_> {
    /// Whether an expression is a message, or the content of one, beside the one that a prefix belongs to.
    pub(crate) fn is_said_by_other(&self, expr: ExprRef, prefix: &Prefix) -> bool {
        let message = self.construction(expr).map(|made| made.expr).or_else(|| {
            let around = self.graph.around(expr)?;
            let made = self.construction(around)?;
            (made.content == Some(expr)).then_some(made.expr)
        });
        message.is_some() && message != prefix.message
    }

    /// Whether the text of a prefix is folded into the history or recorded in it instead: it lands at the
    /// tail.
    pub(crate) fn is_folded(&self, prefix: &Prefix) -> bool {
        let Some(Durability::Durable(kept)) = prefix.message.map(|made| self.durability(made)) else {
            return false;
        };
        kept.iter()
            .any(|kept| matches!(kept.keeper, Keeper::Update | Keeper::Store))
    }

    /// The history that a key of the cache is computed over, all of it.
    pub(crate) fn whole_history_in(&self, key: Node) -> Option<ExprRef> {
        let reached = reach(&self.graph, key, Direction::Backward, |flow, _, _, next| match flow {
            Flow::Part(Part::Slice) | Flow::Length | Flow::Element | Flow::Test | Flow::Position => false,
            // Whatever else is done with a history makes no key of it.
            Flow::Opaque => self.shows_through(next),
            _ => true,
        });
        // A field of what holds the history, such as the id of the thread, is not the history.
        let whole = reached.iter().enumerate().filter(|(_, one)| one.held.is_empty());
        let mut ends = whole.filter(|(_, one)| {
            let sure = |least| self.histories().confidence(one.node).is_some_and(|sure| sure >= least);
            match self.graph.origin(one.node) {
                Origin::Param(function, index) => {
                    let param = &self.project.function(*function).params[*index as usize];
                    let single = param
                        .annotation
                        .as_deref()
                        .is_some_and(|declared| self.vocabulary.is_single_value_type(declared));
                    let named = self.vocabulary.history_name(&param.name) == Some(Strength::Strong);
                    !single && self.project.callers_of(*function).is_empty() && (named || sure(Confidence::Medium))
                }
                // Helpers that a whole project shares tie fields together that are not one.
                Origin::Field(class, symbol) if self.is_other_type(*class, self.graph.symbol_name(*symbol)) => false,
                Origin::Field(..) => {
                    let near = self.histories().near(&self.graph, one.node).confidence;
                    sure(Confidence::Medium) && near >= Some(Confidence::Medium)
                }
                _ => false,
            }
        });
        let (index, _) = ends.next()?;
        self.exprs_on(&reached, index).into_iter().next()
    }

    /// Whether a field is declared to hold one thing that is no history.
    fn is_other_type(&self, class: ClassRef, field: &str) -> bool {
        let here = self.frameworks(class.module);
        let fields = &self.project.class(class).fields;
        let declared = fields.iter().find(|known| &*known.name == field);
        declared
            .and_then(|known| known.annotation.as_ref())
            .is_some_and(|annotation| {
                !annotation.contains('[') && self.vocabulary.history_type(annotation, here).is_none()
            })
    }
}
