//! Conditions as predicates.

use super::denote::{Denotes, Taken};
use super::{Asks, Kinds, Predicate, Predicates, Subject};
use crate::code::ir::{ExprId, ExprKind, Intrinsic, Literal, Module, Name};
use crate::code::project::{ExprRef, FuncRef, Target};
use crate::code::scope::Binding;
use crate::code::vocabulary::{Role, last_segment, words};

/// How often variables are followed to their values.
const HOPS: u8 = 8;

/// One function, read for one message.
pub(super) struct Reading<'a, 'p> {
    pub(super) reader: &'a Predicates<'p>,
    pub(super) function: FuncRef,
    pub(super) module: &'a Module,
    pub(super) subject: &'a Subject,
    /// The helpers that are being read.
    pub(super) open: &'a [FuncRef],
    /// Variables of loops and comprehensions around.
    pub(super) bound: Vec<(Name, Option<Denotes>)>,
    hops: u8,
}

impl<'a, 'p> Reading<'a, 'p> {
    pub(super) fn new(
        reader: &'a Predicates<'p>,
        function: FuncRef,
        subject: &'a Subject,
        open: &'a [FuncRef],
    ) -> Self {
        Self {
            reader,
            function,
            module: reader.project.module(function.module),
            subject,
            open,
            bound: Vec::new(),
            hops: HOPS,
        }
    }

    /// The same, one variable further from the condition.
    pub(super) fn deeper(&self) -> Option<Self> {
        Some(Self {
            bound: self.bound.clone(),
            hops: self.hops.checked_sub(1)?,
            ..*self
        })
    }

    /// The same, with a variable that stands for something.
    pub(super) fn with(&self, target: ExprId, denotes: Option<Denotes>) -> Self {
        let mut inner = Self {
            bound: self.bound.clone(),
            ..*self
        };
        match self.module.kind(target) {
            ExprKind::Name(name) => inner.bound.push((name.clone(), denotes)),
            // Of position and element, the element.
            ExprKind::List { items, .. } => {
                if let Some(last) = items.last() {
                    return inner.with(last.value, denotes);
                }
            }
            _ => {}
        }
        inner
    }

    pub(super) fn at(&self, expr: ExprId) -> ExprRef {
        ExprRef {
            module: self.function.module,
            expr,
        }
    }

    /// What a condition says.
    pub(super) fn truth(&self, expr: ExprId) -> Predicate {
        match self.module.kind(expr) {
            ExprKind::Literal(literal) => Predicate::constant(match literal {
                Literal::Bool(value) => *value,
                Literal::None => false,
                Literal::Int(value) => *value != 0,
                Literal::Str(text) => !text.is_empty(),
                Literal::Float => return Predicate::open(Asks::ELSE),
            }),
            ExprKind::Not(inner) => self.truth(*inner).negated(),
            ExprKind::Logic { all, operands } => {
                let each = operands.iter().map(|&operand| self.truth(operand));
                let joined = each.reduce(|a, b| if *all { a.and(b) } else { a.or(b) });
                joined.unwrap_or(Predicate::unknown())
            }
            ExprKind::Conditional { cond, then, otherwise } => {
                self.truth(*cond).alternative(self.truth(*then), self.truth(*otherwise))
            }
            ExprKind::Compare { op, left, right } => self.comparison(*op, *left, *right),
            ExprKind::TypeTest { value, types } => self.type_test(*value, types),
            ExprKind::Await(value) | ExprKind::Bind { value, .. } => self.truth(*value),
            ExprKind::Call { callee, args, idiom } => match idiom {
                Some(idiom) if matches!(idiom.op, Intrinsic::Any | Intrinsic::All) => {
                    self.quantified(*idiom.operands.first().unwrap_or(&expr))
                }
                _ if args.len() == 1 && self.is_name(*callee, "bool") => self.truth(args[0].value),
                Some(_) if self.helper_called(expr).is_none() => self.presence(expr),
                _ => self.call(expr, *callee),
            },
            ExprKind::Name(name) if self.denotes(expr).is_none() => self.variable(name),
            _ => self.presence(expr),
        }
    }

    /// A variable with a truth: followed where only one value is ever given to it.
    fn variable(&self, name: &Name) -> Predicate {
        let scopes = self.reader.project.scopes(self.function.module);
        match (scopes.own(self.function.function, name), self.deeper()) {
            (Some([Binding::Value(value)]), Some(deeper)) => deeper.truth(*value),
            (Some([Binding::Param(_)]) | None, _) => Predicate::open(Asks::ELSE),
            _ => Predicate::unknown(),
        }
    }

    fn is_name(&self, expr: ExprId, expected: &str) -> bool {
        matches!(self.module.kind(expr), ExprKind::Name(name) if &**name == expected)
    }

    /// Whether a value counts as true.
    pub(super) fn presence(&self, expr: ExprId) -> Predicate {
        match self.denotes(expr) {
            Some(Denotes::Message) => Predicate {
                accepts: Kinds::ALL,
                rejects: Kinds::OTHER,
                asks: Asks::EXISTENCE,
            },
            Some(Denotes::Position) => Predicate::open(Asks::POSITION),
            Some(Denotes::Role) => Predicate::open(Asks::ROLE),
            Some(Denotes::Content | Denotes::Part | Denotes::PartKind) => Predicate::open(Asks::CONTENT),
            Some(Denotes::Id) => Predicate::open(Asks::ID),
            Some(Denotes::Calls) => Predicate::exactly(Kinds::CALLS, Asks::TOOL),
            Some(Denotes::CallId) => Predicate::exactly(Kinds::ANY_RESULTS, Asks::TOOL),
            Some(Denotes::Marker) => Predicate::flagged(),
            Some(Denotes::Detail) => self.detail(expr),
            None if self.mentions(expr) => Predicate::unknown(),
            None => Predicate::open(Asks::ELSE),
        }
    }

    /// A field of the message that no vocabulary knows: a property of the project's own, a name that
    /// says a role, or else a flag.
    fn detail(&self, expr: ExprId) -> Predicate {
        let ExprKind::Attribute { base, name } = self.module.kind(expr) else {
            return Predicate::flagged();
        };
        if self.denotes(*base) == Some(Denotes::Message)
            && let Target::Function(property) = self.reader.project.resolve(self.function, expr)
            && self.reader.project.function(property).has_receiver
        {
            let (function, param, part) = (property, 0, Denotes::Message);
            return self.reader.helper(Taken { function, param, part }, self.open);
        }
        self.by_name(name).unwrap_or(Predicate::flagged())
    }

    /// What the name of a test that cannot be read says: `is_user`, `has_tool_calls`, `starts_turn`.
    fn by_name(&self, name: &str) -> Option<Predicate> {
        let words = words(name);
        let vocabulary = self.reader.vocabulary;
        let pair = |index: usize| words.get(index..index + 2).map(|pair| pair.join("_"));
        for index in 0..words.len() {
            let block = pair(index).and_then(|pair| {
                vocabulary
                    .block(&pair)
                    .or_else(|| vocabulary.block(pair.trim_end_matches('s')))
            });
            if let Some(block) = block {
                return Some(Predicate::exactly(Kinds::of_block(block), Asks::TOOL));
            }
        }
        let starts_turn = words.iter().any(|word| word == "turn" || word == "boundary")
            && words
                .iter()
                .any(|word| matches!(word.as_str(), "start" | "starts" | "begin" | "begins" | "boundary"));
        if starts_turn {
            return Some(Predicate::some_of(Kinds::AUTHORED, Asks::ROLE | Asks::TOOL));
        }
        let role = words.iter().find_map(|word| vocabulary.role(word))?;
        let is_test = matches!(words.first().map(String::as_str), Some("is" | "from" | "by" | "has"));
        is_test.then(|| Predicate::some_of(Kinds::of_role(role), Asks::ROLE))
    }

    /// A type of blocks whose name says that a person wrote them: `UserPromptPart`. A message with one is
    /// not only results of tools.
    fn authored_block(&self, name: &str) -> Option<Predicate> {
        let of_person = |pair: &[String]| self.reader.vocabulary.role(&pair.join("_")) == Some(Role::User);
        words(last_segment(name))
            .windows(2)
            .any(of_person)
            .then(|| Predicate::some_of(Kinds::AUTHORED, Asks::ROLE))
    }

    fn type_test(&self, value: ExprId, types: &[ExprId]) -> Predicate {
        match self.denotes(value) {
            Some(Denotes::Message) => {
                let each = types.iter().map(|&of| self.is_of_type(of));
                each.reduce(Predicate::or).unwrap_or(Predicate::unknown())
            }
            Some(Denotes::Content) => self.content_is(types),
            Some(Denotes::Part) => {
                let of = |of: &ExprId| self.reader.project.dotted(self.at(*of));
                let names: Option<Vec<Name>> = types.iter().map(of).collect();
                let names = names.unwrap_or_default();
                let kinds = names.iter().find_map(|name| self.by_name(name));
                kinds
                    .or_else(|| names.iter().find_map(|name| self.authored_block(name)))
                    .unwrap_or(Predicate::open(Asks::CONTENT))
            }
            Some(Denotes::Calls) => Predicate::some_of(Kinds::CALLS, Asks::TOOL),
            Some(Denotes::CallId) => Predicate::some_of(Kinds::ANY_RESULTS, Asks::TOOL),
            Some(_) => Predicate::open(Asks::NOTHING),
            None if self.mentions(value) => Predicate::unknown(),
            None => Predicate::open(Asks::ELSE),
        }
    }

    /// A type of messages; any other type (a dictionary, a base class) tells no kinds apart.
    fn is_of_type(&self, of: ExprId) -> Predicate {
        let project = self.reader.project;
        if let Target::Class(class) = project.resolve(self.function, of) {
            let fields = &project.class(class).fields;
            let role_field = fields
                .iter()
                .find(|field| &*field.name == "role" || &*field.name == "type");
            let literal = role_field.and_then(|field| field.value);
            if let Some(value) = literal
                && let ExprKind::Literal(Literal::Str(text)) = project.module(class.module).kind(value)
                && let Some(role) = self.reader.vocabulary.role(text)
            {
                return Predicate::exactly(Kinds::of_role(role), Asks::ROLE);
            }
        }
        let path = self.text(of).or_else(|| project.dotted(self.at(of)));
        let role = path.and_then(|path| {
            self.reader
                .vocabulary
                .role_of_type(&path, self.reader.here(self.function))
        });
        match role {
            Some(role) => Predicate::exactly(Kinds::of_role(role), Asks::ROLE),
            None => Predicate::open(Asks::NOTHING),
        }
    }

    /// Text content is no list of results; a list may be one.
    fn content_is(&self, types: &[ExprId]) -> Predicate {
        let any = |names: [&str; 3]| types.iter().any(|&of| names.iter().any(|name| self.is_name(of, name)));
        match (any(["str", "string", "String"]), any(["list", "Array", "Vec"])) {
            (true, false) => Predicate {
                accepts: !Kinds::USER_RESULTS,
                rejects: Kinds::ALL,
                asks: Asks::CONTENT,
            },
            (false, true) => Predicate {
                accepts: Kinds::ALL,
                rejects: !Kinds::USER_RESULTS,
                asks: Asks::CONTENT,
            },
            _ => Predicate::open(Asks::CONTENT),
        }
    }

    /// `any(…)` and `all(…)`: a block of one kind speaks for the whole message.
    fn quantified(&self, items: ExprId) -> Predicate {
        match self.module.kind(items) {
            ExprKind::Comprehension { element, clauses, .. } => {
                let mut inner = Self {
                    bound: self.bound.clone(),
                    ..*self
                };
                let mut found = Predicate::constant(true);
                for clause in clauses {
                    let of = inner.denotes(clause.iter).and_then(super::denote::element);
                    inner = inner.with(clause.target, of);
                    for &cond in &clause.conditions {
                        found = found.and(inner.truth(cond));
                    }
                }
                found.and(inner.truth(*element))
            }
            ExprKind::List { items, .. } => {
                let each = items.iter().map(|item| self.truth(item.value));
                each.reduce(Predicate::or).unwrap_or(Predicate::unknown())
            }
            _ if self.mentions(items) => Predicate::unknown(),
            _ => Predicate::open(Asks::ELSE),
        }
    }

    fn call(&self, call: ExprId, callee: ExprId) -> Predicate {
        if let Some(taken) = self.helper_called(call) {
            return self.reader.helper(taken, self.open);
        }
        if let ExprKind::Attribute { base, name } = self.module.kind(callee) {
            let base = self.denotes(*base);
            let at_an_end = matches!(words(name).concat().as_str(), "startswith" | "endswith");
            match base {
                // Text at an end of the content or of the id is how programs mark messages.
                Some(Denotes::Content) if at_an_end => return Predicate::marked(Asks::CONTENT),
                Some(Denotes::Id) if at_an_end => return Predicate::marked(Asks::ID),
                Some(Denotes::Message) => return self.by_name(name).unwrap_or(Predicate::unknown()),
                _ => {}
            }
        }
        let takes_message = match self.module.kind(call) {
            ExprKind::Call { args, .. } => args.iter().any(|arg| self.denotes(arg.value) == Some(Denotes::Message)),
            _ => false,
        };
        if takes_message && let ExprKind::Name(name) | ExprKind::Attribute { name, .. } = self.module.kind(callee) {
            return self.by_name(name).unwrap_or(Predicate::unknown());
        }
        self.presence(call)
    }

    /// Whether the message is part of an expression.
    pub(super) fn mentions(&self, expr: ExprId) -> bool {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            if self.denotes(expr).is_some() {
                return true;
            }
            open.extend(self.module.children(expr));
        }
        false
    }
}
