//! What is done with a value: fields read, roles tested, calls it is given to.

use super::gather::Gather;
use crate::code::facts::fields::{field_read, words_of};
use crate::code::flow::graph::{Flow, Node};
use crate::code::flow::iteration::integer;
use crate::code::flow::predicate::same_spelling;
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{Arg, BinaryOp, CompareOp, ExprKind, Intrinsic, Name};
use crate::code::project::{ExprRef, ModuleIx};
use crate::code::vocabulary::{ArgumentSpec, Field, Strength, spelled};

impl Gather<'_, '_> {
    pub(super) fn expression(&mut self, expr: ExprRef) {
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
            ExprKind::List { .. } | ExprKind::Binary { op: BinaryOp::Add, .. } => self.keeps_head(expr),
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
    /// `[xs[0]] + xs[n:]`, `[xs[0], *xs[n:]]`.
    fn keeps_head(&mut self, expr: ExprRef) {
        let facts = self.facts;
        let module = facts.module(expr.module);
        let (mut head, mut rest) = (None, None);
        let mut open = vec![expr.expr];
        while let Some(part) = open.pop() {
            match module.kind(part) {
                ExprKind::Binary {
                    op: BinaryOp::Add,
                    left,
                    right,
                } => open.extend([*right, *left]),
                ExprKind::List { items, .. } => open.extend(items.iter().rev().map(|item| item.value)),
                ExprKind::Index { base, index } if integer(module, *index) == Some(0) => head = head.or(Some(*base)),
                ExprKind::Slice {
                    base,
                    start: Some(_),
                    end: None,
                    ..
                } => rest = rest.or(Some(*base)),
                _ => {}
            }
        }
        if let (Some(head), Some(rest)) = (head, rest)
            && same_spelling(module, head, rest)
        {
            for list in [head, rest] {
                self.add(facts.node(facts.beside(expr, list)), |one| one.keeps_head = true);
            }
        }
    }

    pub(super) fn field_of(&mut self, node: Node, base: ExprRef, name: &Name, module: ModuleIx) {
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
    pub(super) fn role_test(&mut self, expr: ExprRef, op: CompareOp, left: ExprRef, right: ExprRef) {
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
            let role = |word: &Name| facts.vocabulary.role_in(word, strength);
            let roles: Vec<_> = words.iter().filter_map(role).collect();
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
            // `item.message.role`: what holds the message of a turn stands for it in a list.
            if let Some((holder, part)) = field_read(facts, subject)
                && sure
                && facts.vocabulary.field(&part) == Some(Field::Content)
            {
                self.add(facts.node(holder), |one| one.message = true);
            }
        }
    }

    /// A list that is sent to a model.
    pub(super) fn sent(&mut self, expr: ExprRef, callee: ExprRef, args: &[Arg]) {
        let facts = self.facts;
        let Some(path) = facts.path(callee) else { return };
        if facts.vocabulary.is_foreign_source(&path) {
            self.add(facts.node(expr), |one| one.foreign = true);
        }
        let Some(call) = facts.vocabulary.model_call(&path, facts.frameworks(expr.module)) else {
            return;
        };
        let Some(value) = call.messages.find(args) else {
            if call.strength == Strength::Strong {
                self.sent_by_key(expr, args, &call.messages);
            }
            return;
        };
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

    /// `create(**params)`, where `params` is a display with the messages under a key.
    fn sent_by_key(&mut self, expr: ExprRef, args: &[Arg], spec: &ArgumentSpec) {
        let facts = self.facts;
        for arg in args.iter().filter(|arg| arg.spread) {
            let value = facts.beside(expr, arg.value);
            let behind = reach(
                &facts.graph,
                facts.node(value),
                Direction::Backward,
                |flow, _, held, _| held.is_empty() && flow == Flow::Same,
            );
            let displays = behind.iter().filter_map(|one| facts.graph.as_expr(one.node));
            let pairs = displays.filter_map(|display| match facts.kind(display) {
                ExprKind::Dict(entries) => Some(entries.iter().map(move |entry| (display, entry))),
                _ => None,
            });
            for (display, (key, value)) in pairs.flatten() {
                let key = key.and_then(|key| facts.text(facts.beside(display, key)));
                if key.is_some_and(|key| spec.keywords.iter().any(|word| **word == **key)) {
                    self.add(facts.node(facts.beside(display, *value)), |one| one.proven = true);
                }
            }
        }
    }

    /// `session.get_items(…)`: a method that reads a history from where it is kept.
    pub(super) fn read(&mut self, expr: ExprRef, callee: ExprRef) {
        let facts = self.facts;
        let ExprKind::Attribute { base, name } = facts.kind(callee) else {
            return;
        };
        let name = spelled(name);
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

    pub(super) fn constructions(&mut self) {
        let facts = self.facts;
        for made in facts.constructions() {
            let paired = made.is_tool_result(facts) || made.field(facts, |field| field == Field::ToolCall).is_some();
            // `{...x, id}` is a copy of anything.
            let is_copy = made.base.is_some() && !made.typed && made.role.is_none();
            if is_copy && made.content.is_none() {
                continue;
            }
            self.add(facts.node(made.expr), |one| {
                one.message = !is_copy;
                one.weak_message = true;
                one.paired |= paired;
            });
        }
    }
}
