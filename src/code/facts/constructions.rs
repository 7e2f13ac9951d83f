//! Messages that the code makes: constructor calls, dictionaries with a role, edited copies.

use super::Facts;
use super::rendered::rendered;
use crate::code::flow::graph::Flow;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{Arg, ExprId, ExprKind, Name};
use crate::code::project::{ClassRef, ExprRef, Target};
use crate::code::vocabulary::{Field, HistoryType, Role, Strength, last_segment, words};

/// One message that is made.
#[derive(Clone, Debug)]
pub(crate) struct Construction {
    /// The whole expression.
    pub(crate) expr: ExprRef,
    /// Its role, where that is written there.
    pub(crate) role: Option<Role>,
    /// The expression of the role, where the role is not that of the class.
    pub(crate) role_expr: Option<ExprRef>,
    /// Its id.
    pub(crate) id: Option<ExprRef>,
    /// Its content.
    pub(crate) content: Option<ExprRef>,
    /// All fields that are given.
    pub(crate) fields: Vec<(Name, ExprRef)>,
    /// The message that it is an edited copy of.
    pub(crate) base: Option<ExprRef>,
    /// Whether it is a marker that removes a message (or all of them).
    pub(crate) removal: bool,
    /// Whether it is made of an object of an interface that asks for marks around the text, and has none.
    pub(crate) lacks_marks: bool,
    /// Whether a class or a framework says that it is a message, beyond the shape of a dictionary.
    pub(crate) typed: bool,
}

/// All constructions of a project, in the order of its expressions.
pub(super) fn find(facts: &Facts) -> Vec<Construction> {
    facts.found_in_exprs(|expr| construction(facts, expr))
}

fn construction(facts: &Facts, expr: ExprRef) -> Option<Construction> {
    match facts.kind(expr) {
        ExprKind::Call { callee, args, .. } => call(facts, expr, facts.beside(expr, *callee), args),
        ExprKind::Dict(entries) => dictionary(facts, expr, entries),
        _ => None,
    }
}

fn call(facts: &Facts, expr: ExprRef, callee: ExprRef, args: &[Arg]) -> Option<Construction> {
    let here = facts.frameworks(expr.module);
    if let ExprKind::Attribute { base, name } = facts.kind(callee)
        && matches!(&**name, "model_copy" | "copy" | "copy_with" | "evolve")
        && let Some(update) = args.iter().find(|arg| arg.name.as_deref() == Some("update"))
        && let ExprKind::Dict(entries) = facts.kind(facts.beside(expr, update.value))
    {
        let mut copy = Construction::of(expr);
        copy.base = Some(facts.beside(expr, *base));
        copy.typed = true;
        copy.fill(facts, pairs(facts, expr, entries));
        return Some(copy);
    }
    let path = facts.path(callee)?;
    let mut made = Construction::of(expr);
    made.typed = true;
    if let Some(removal) = facts.vocabulary.removal(&path, here) {
        made.removal = true;
        made.id = removal.id.find(args).map(|id| facts.beside(expr, id));
        return Some(made);
    }
    if let Some(constructor) = facts.vocabulary.message_constructor(&path, here) {
        let positional: Vec<Name> = constructor
            .positional
            .iter()
            .map(|name| Name::from(name.as_str()))
            .collect();
        made.role = constructor.role;
        made.fill(facts, given(facts, expr, args, &positional));
        return Some(made);
    }
    if let Some(made) = rendered(facts, expr, &path, args) {
        return Some(made);
    }
    if path.ends_with("replace") && path.contains("dataclasses") {
        let base = args.first().filter(|arg| arg.name.is_none())?;
        made.base = Some(facts.beside(expr, base.value));
        made.fill(facts, given(facts, expr, &args[1..], &[]));
        return Some(made).filter(|made| made.id.is_some() || made.content.is_some());
    }
    let class = class_made(facts, expr);
    let Some(class) = class else {
        return by_member(facts, expr, callee, args)
            .or_else(|| by_maker(facts, expr))
            .or_else(|| unseen_class(facts, expr, &path, args));
    };
    let parameters = facts.project.parameters(class);
    if !is_message_class(facts, class, &parameters) {
        return by_member(facts, expr, callee, args);
    }
    made.fill(facts, given(facts, expr, args, &parameters));
    made.role = made
        .role
        .or_else(|| facts.vocabulary.role_of_type(&facts.project.class(class).name, here));
    // What is not given comes from the message that is spread into it.
    let spread = args.iter().find(|arg| arg.spread);
    if let Some(rest) = spread.and_then(|arg| construction(facts, facts.beside(expr, arg.value))) {
        made.role = made.role.or(rest.role);
        made.content = made.content.or(rest.content);
        made.id = made.id.or(rest.id);
    }
    Some(made)
}

/// The class of the project that a call makes an object of.
fn class_made(facts: &Facts, call: ExprRef) -> Option<ClassRef> {
    let targets = facts.project.targets_of_call(call);
    targets.into_iter().find_map(|target| match target {
        Target::Class(class) => Some(class),
        _ => None,
    })
}

/// What an object is made with, be it a message or not: the entries of a display, the fields of a class.
pub(super) fn made_with(facts: &Facts, expr: ExprRef) -> Vec<(Name, ExprRef)> {
    match (facts.kind(expr), facts.call(expr)) {
        (ExprKind::Dict(entries), _) => pairs(facts, expr, entries),
        (_, Some((_, args))) => class_made(facts, expr).map_or_else(Vec::new, |class| {
            given(facts, expr, args, &facts.project.parameters(class))
        }),
        _ => Vec::new(),
    }
}

/// A message made by a function of the project that is given its role: `said("user", text)`. What its
/// parameters are called says what they become.
fn by_maker(facts: &Facts, expr: ExprRef) -> Option<Construction> {
    let [function] = facts.project.callees_of(expr) else {
        return None;
    };
    let returns = facts.project.function(*function).returns.clone()?;
    let gives_message = facts
        .project
        .annotated(*function, &returns)
        .iter()
        .any(|target| match target {
            Target::Class(class) => is_message_class(facts, *class, &facts.project.parameters(*class)),
            _ => false,
        });
    if !gives_message {
        return None;
    }
    let params = &facts.project.function(*function).params;
    let bound = facts.project.bind(expr, *function).into_iter();
    let fields = bound.filter_map(|(index, value)| Some((params.get(index)?.name.clone(), facts.beside(expr, value))));
    let mut made = Construction::of(expr);
    made.typed = true;
    made.fill(facts, fields.collect());
    (made.role.is_some() && made.content.is_some()).then_some(made)
}

/// A message made by a member of its type that is named after the role: `ChatMessage.user(text)`, or the
/// variant `Message.Assistant` of an enumeration.
fn by_member(facts: &Facts, expr: ExprRef, callee: ExprRef, args: &[Arg]) -> Option<Construction> {
    let ExprKind::Attribute { base, name } = facts.kind(callee) else {
        return None;
    };
    let base = facts.beside(callee, *base);
    let (ExprKind::Name(kind) | ExprKind::Attribute { name: kind, .. }) = facts.kind(base) else {
        return None;
    };
    let is_type = kind.starts_with(char::is_uppercase)
        && match facts.project.resolve(facts.project.owner(base), base.expr) {
            Target::Class(class) => {
                let parameters = facts.project.parameters(class);
                is_message_class(facts, class, &parameters) || has_role_variants(facts, class)
            }
            _ => matches!(
                facts.vocabulary.history_type(kind, facts.frameworks(expr.module)),
                Some(HistoryType::Message(_))
            ),
        };
    if !is_type {
        return None;
    }
    let words = words(name);
    let mut unnamed: Vec<ExprRef> = args
        .iter()
        .filter(|arg| arg.name.is_none() && !arg.spread)
        .map(|arg| facts.beside(expr, arg.value))
        .collect();
    let named = facts
        .vocabulary
        .role(name)
        .or_else(|| facts.vocabulary.role(words.first()?));
    let role = match named {
        Some(role) => role,
        // `ChatMessage.new(Role.User, text)`.
        None if &**name == "new" && unnamed.len() > 1 => {
            let role = role_of(facts, unnamed[0])?;
            unnamed.remove(0);
            role
        }
        None => return None,
    };
    let mut made = Construction::of(expr);
    made.typed = true;
    made.fill(facts, given(facts, expr, args, &[]));
    made.role = Some(role);
    // Of a result, what it answers comes first.
    match (role, &unnamed[..]) {
        (Role::Tool, [call, .., content]) => {
            made.content = made.content.or(Some(*content));
            made.fields.push((Name::from("tool_call_id"), *call));
        }
        (_, [content, ..]) => made.content = made.content.or(Some(*content)),
        _ => {}
    }
    Some(made)
}

/// Whether the members of a class are named after different roles, as the variants of an enumeration
/// of messages are.
pub(crate) fn has_role_variants(facts: &Facts, class: ClassRef) -> bool {
    let module = facts.module(class.module);
    let roles: Vec<Role> = module
        .classes
        .iter()
        .filter(|inner| inner.outer == Some(class.class))
        .filter_map(|inner| facts.vocabulary.role(words(&inner.name).first()?))
        .collect();
    roles.contains(&Role::User) && roles.contains(&Role::Assistant)
}

/// An object of a class that is not among the files, made with a role's word and a content by name.
fn unseen_class(facts: &Facts, expr: ExprRef, path: &str, args: &[Arg]) -> Option<Construction> {
    if !last_segment(path).starts_with(char::is_uppercase) {
        return None;
    }
    let mut made = Construction::of(expr);
    made.fill(facts, given(facts, expr, args, &[]));
    // A kind is a role where the class is called one of messages: `ChatMessage(kind=Kind.USER, text=…)`.
    let of_messages = words(last_segment(path)).iter().any(|word| word == "message");
    let by_role = made.fields.iter().any(|(name, _)| match facts.vocabulary.field(name) {
        Some(Field::Role(strength)) => strength == Strength::Strong || of_messages,
        _ => false,
    });
    (by_role && made.role.is_some() && made.content.is_some()).then_some(made)
}

/// Whether a class of the project is a message: it has a role and a content, or derives from a
/// message class.
pub(crate) fn is_message_class(facts: &Facts, class: ClassRef, parameters: &[Name]) -> bool {
    let field = |wanted: fn(&Field) -> bool| {
        parameters
            .iter()
            .any(|name| facts.vocabulary.field(name).as_ref().is_some_and(wanted))
    };
    let content = field(|field| matches!(field, Field::Content));
    let role = field(|field| matches!(field, Field::Role(Strength::Strong))) && !has_other_roles(facts, class);
    let weak_role = field(|field| matches!(field, Field::Role(Strength::Weak)));
    let pairs = field(|field| matches!(field, Field::ToolCall | Field::ToolResult));
    let here = facts.frameworks(class.module);
    (content && (role || weak_role && pairs))
        || facts
            .project
            .bases(class)
            .iter()
            .any(|base| facts.vocabulary.message_constructor(base, here).is_some())
}

/// Whether a value is one of some words, none of which is a role in a conversation.
fn is_other_role(facts: &Facts, role: ExprRef) -> bool {
    let behind = reach(
        &facts.graph,
        facts.node(role),
        Direction::Backward,
        |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Leave(_)),
    );
    let mut words = behind
        .iter()
        .filter_map(|one| facts.text(facts.graph.as_expr(one.node)?))
        .peekable();
    words.peek().is_some() && words.all(|word| facts.vocabulary.role(word).is_none())
}

/// Whether the role that a class declares is one of some words, none of which is a role in a
/// conversation.
fn has_other_roles(facts: &Facts, class: ClassRef) -> bool {
    let mut roles = facts
        .project
        .class(class)
        .fields
        .iter()
        .filter(|field| facts.vocabulary.field(&field.name) == Some(Field::Role(Strength::Strong)))
        .filter_map(|field| field.annotation.as_deref())
        .flat_map(|annotation| annotation.split(['"', '\'']).skip(1).step_by(2))
        .peekable();
    roles.peek().is_some() && roles.all(|role| facts.vocabulary.role(role).is_none())
}

fn dictionary(facts: &Facts, expr: ExprRef, entries: &[(Option<ExprId>, ExprId)]) -> Option<Construction> {
    let mut made = Construction::of(expr);
    made.fill(facts, pairs(facts, expr, entries));
    let spread = entries
        .iter()
        .find(|(key, _)| key.is_none())
        .map(|(_, value)| facts.beside(expr, *value));
    let has = |name: &str| made.fields.iter().any(|(field, _)| &**field == name);
    let has_field = |wanted: Field| {
        made.fields
            .iter()
            .any(|(name, _)| facts.vocabulary.field(name) == Some(wanted))
    };
    let paired = has_field(Field::ToolCall) || has_field(Field::ToolResult);
    // The role of something on a page.
    if made.role.is_none() && made.role_expr.is_some_and(|role| is_other_role(facts, role)) {
        return None;
    }
    if has("role") && (made.content.is_some() || paired || spread.is_some()) {
        return Some(made);
    }
    // `{"type": "human", "content": …}` and items of the responses interface.
    let by_type = made.role.is_some() || made.role_expr.is_some_and(|role| is_choice_of_roles(facts, role));
    if has("type") && by_type && (made.content.is_some() || paired) {
        return Some(made);
    }
    // `{**message, "content": …}`.
    if spread.is_some() && (made.content.is_some() || made.id.is_some()) {
        made.base = spread;
        return Some(made);
    }
    None
}

impl Construction {
    /// A message of which nothing but the place is known yet.
    pub(super) fn of(expr: ExprRef) -> Self {
        Self {
            expr,
            role: None,
            role_expr: None,
            id: None,
            content: None,
            fields: Vec::new(),
            base: None,
            removal: false,
            lacks_marks: false,
            typed: false,
        }
    }

    fn fill(&mut self, facts: &Facts, fields: Vec<(Name, ExprRef)>) {
        for (name, value) in fields {
            match facts.vocabulary.field(&name) {
                Some(Field::Role(strength)) => {
                    let role = role_of(facts, value);
                    if role.is_some() && (self.role.is_none() || strength == Strength::Strong) {
                        self.role = role;
                    }
                    if strength == Strength::Strong || role.is_some() || is_choice_of_roles(facts, value) {
                        self.role_expr = Some(value);
                    }
                }
                Some(Field::Content) if self.content.is_none() => self.content = Some(value),
                Some(Field::Id) if self.id.is_none() => self.id = Some(value),
                _ => {}
            }
            self.fields.push((name, value));
        }
    }

    /// The value of a field, by any of these meanings.
    pub(crate) fn field(&self, facts: &Facts, wanted: impl Fn(Field) -> bool) -> Option<ExprRef> {
        self.fields
            .iter()
            .find(|(name, _)| facts.vocabulary.field(name).is_some_and(&wanted))
            .map(|(_, value)| *value)
    }

    /// Whether it is the result of a tool: by its role or by the call that it answers.
    pub(crate) fn is_tool_result(&self, facts: &Facts) -> bool {
        match self.role {
            Some(Role::Tool) => true,
            // A call that is an item of its own has the id that its result answers.
            Some(Role::Assistant) => false,
            _ => self.field(facts, |field| field == Field::ToolResult).is_some(),
        }
    }
}

/// `"human" if … else "ai"`
fn is_choice_of_roles(facts: &Facts, expr: ExprRef) -> bool {
    match facts.kind(expr) {
        ExprKind::Conditional { then, otherwise, .. } => [then, otherwise]
            .into_iter()
            .all(|branch| role_of(facts, facts.beside(expr, *branch)).is_some()),
        _ => false,
    }
}

/// The role that an expression names: a literal, or a member of an enumeration.
pub(crate) fn role_of(facts: &Facts, expr: ExprRef) -> Option<Role> {
    match facts.kind(expr) {
        ExprKind::Attribute { base, name } if &**name == "value" => role_of(facts, facts.beside(expr, *base)),
        ExprKind::Attribute { name, .. } => facts.vocabulary.role(name),
        ExprKind::Name(_) => facts
            .project
            .constant(expr)
            .and_then(|text| facts.vocabulary.role(&text)),
        _ => facts.text(expr).and_then(|text| facts.vocabulary.role(text)),
    }
}

fn pairs(facts: &Facts, expr: ExprRef, entries: &[(Option<ExprId>, ExprId)]) -> Vec<(Name, ExprRef)> {
    entries
        .iter()
        .filter_map(|(key, value)| {
            let key = facts.text(facts.beside(expr, (*key)?))?;
            Some((key.clone(), facts.beside(expr, *value)))
        })
        .collect()
}

fn given(facts: &Facts, expr: ExprRef, args: &[Arg], positional: &[Name]) -> Vec<(Name, ExprRef)> {
    let mut names = positional.iter();
    args.iter()
        .filter(|arg| !arg.spread && !arg.gathers)
        .filter_map(|arg| {
            let name = match &arg.name {
                Some(name) => name.clone(),
                None => names.next()?.clone(),
            };
            Some((name, facts.beside(expr, arg.value)))
        })
        .collect()
}
