//! What the library of a language means by a call.

use super::{Builder, Env};
use crate::code::flow::graph::{Flow, Node, Origin, Part};
use crate::code::ir::{Arg, ExprId, ExprKind, Idiom, Intrinsic, Name};

impl<'a> Builder<'a> {
    pub(super) fn idiom(&mut self, node: Node, idiom: &'a Idiom, args: &'a [Arg], env: &mut Env) {
        let operands = &idiom.operands;
        let operand = |at: usize| operands.get(at).copied();
        let Some(first) = operand(0) else { return };
        let from = self.node(first);
        match idiom.op {
            Intrinsic::Append => self.mutate(first, operand(1), Flow::Into, env),
            Intrinsic::Insert => {
                self.mutate(first, operand(2).or(operand(1)), Flow::Into, env);
            }
            Intrinsic::Extend => self.mutate(first, operand(1), Flow::Part(Part::Concat), env),
            Intrinsic::Merge => self.mutate(first, operand(1), Flow::Same, env),
            Intrinsic::Pop | Intrinsic::PopFirst => {
                match operand(1).and_then(|key| self.text_key(key)) {
                    Some(key) => self.load_key(first, &key, node, env),
                    None => self.graph.link(from, Flow::Element, node),
                }
                if let Some(default) = operand(2) {
                    let default = self.node(default);
                    self.graph.link(default, Flow::Same, node);
                }
            }
            Intrinsic::Get | Intrinsic::SetDefault | Intrinsic::GetAttribute => {
                match operand(1).and_then(|key| self.text_key(key)) {
                    Some(key) => self.load_key(first, &key, node, env),
                    None => self.graph.link(from, Flow::Element, node),
                }
                if let Some(default) = operand(2) {
                    let default_node = self.node(default);
                    self.graph.link(default_node, Flow::Same, node);
                }
            }
            Intrinsic::SetAttribute => {
                if let (Some(key), Some(value)) = (operand(1).and_then(|key| self.text_key(key)), operand(2)) {
                    let symbol = self.graph.intern(&key);
                    let value = self.node(value);
                    for slot in self.slots(first, symbol, env) {
                        self.graph.link(value, Flow::Same, slot);
                    }
                }
            }
            Intrinsic::RemoveValue | Intrinsic::Clear | Intrinsic::ReverseInPlace | Intrinsic::SortInPlace => {}
            Intrinsic::AddNew => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph.link(one, Flow::Opaque, node);
                }
            }
            Intrinsic::Copy => self.graph.link(from, Flow::Part(Part::Copy), node),
            Intrinsic::DeepCopy => self.graph.link(from, Flow::Part(Part::DeepCopy), node),
            Intrinsic::Reversed => self.graph.link(from, Flow::Part(Part::Reverse), node),
            Intrinsic::Sorted => self.graph.link(from, Flow::Part(Part::Sort), node),
            Intrinsic::ToSet => self.graph.link(from, Flow::Part(Part::Sort), node),
            Intrinsic::Take => self.graph.link(from, Flow::Part(Part::Slice), node),
            Intrinsic::Enumerate | Intrinsic::Values | Intrinsic::Items => {
                self.graph.link(from, Flow::Part(Part::Copy), node);
            }
            Intrinsic::Chain | Intrinsic::Zip => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph.link(one, Flow::Part(Part::Concat), node);
                }
            }
            Intrinsic::Range => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph.link(one, Flow::Text, node);
                }
            }
            Intrinsic::Len => self.graph.link(from, Flow::Length, node),
            Intrinsic::First => {
                self.graph.link(from, Flow::Element, node);
                if let Some(default) = operand(1) {
                    let default = self.node(default);
                    self.graph.link(default, Flow::Same, node);
                }
            }
            Intrinsic::Any | Intrinsic::All => self.graph.link(from, Flow::Test, node),
            Intrinsic::IndexOf => {
                self.graph.link(from, Flow::Position, node);
                if let Some(item) = operand(1) {
                    let item = self.node(item);
                    self.graph.link(item, Flow::Test, node);
                }
            }
            Intrinsic::Filter => {
                if let Some(list) = operand(1) {
                    let list = self.node(list);
                    self.graph.link(list, Flow::Part(Part::Filter), node);
                    self.apply(first, &[(list, Flow::Element)], None, node, env);
                }
            }
            Intrinsic::Map => {
                if let Some(list) = operand(1) {
                    let list = self.node(list);
                    self.graph.link(list, Flow::Part(Part::Map), node);
                    self.apply(first, &[(list, Flow::Element)], Some(Flow::Into), node, env);
                }
            }
            Intrinsic::Min | Intrinsic::Max => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph
                        .link(one, if operands.len() == 1 { Flow::Element } else { Flow::Same }, node);
                }
            }
            Intrinsic::Sum => {
                self.graph.link(from, Flow::Text, node);
                self.graph.link(from, Flow::Part(Part::Concat), node);
            }
            Intrinsic::ToText => {
                self.graph.link(from, Flow::Text, node);
                self.shown(first, node);
            }
            Intrinsic::TextOp => self.graph.link(from, Flow::Text, node),
            Intrinsic::Join | Intrinsic::ReplaceText => {
                for one in operands {
                    let one = self.node(*one);
                    self.graph.link(one, Flow::Text, node);
                }
            }
            Intrinsic::Format => {
                for value in operands.iter().copied().chain(args.iter().map(|arg| arg.value)) {
                    let value = self.node(value);
                    self.graph.link(value, Flow::Text, node);
                }
            }
            Intrinsic::Run => {
                let given: Vec<(Node, Flow)> = operands[1..]
                    .iter()
                    .map(|value| (self.node(*value), Flow::Same))
                    .collect();
                self.apply(first, &given, Some(Flow::Same), node, env);
                // What a function is given is not what it gives; of several awaitables each is.
                let calls = match self.module.kind(first) {
                    ExprKind::Attribute { .. } | ExprKind::Lambda(_) => true,
                    // What is imported is a function, if it is not seen either.
                    ExprKind::Name(_) => {
                        !self.project.functions_named_by(self.at(first)).is_empty()
                            || self
                                .project
                                .dotted(self.at(first))
                                .is_some_and(|path| path.contains('.'))
                    }
                    _ => false,
                };
                for (index, value) in operands.iter().enumerate() {
                    let flow = if index > 0 && calls { Flow::Opaque } else { Flow::Same };
                    let value = self.node(*value);
                    self.graph.link(value, flow, node);
                }
            }
            Intrinsic::Pass => self.graph.link(from, Flow::Same, node),
            Intrinsic::Record => self.construct(node, args, &[]),
        }
    }

    pub(super) fn load_key(&mut self, base: ExprId, key: &Name, node: Node, env: &Env) {
        let symbol = self.graph.intern(key);
        let class = self.project.class_of(self.at(base));
        let places = match class {
            Some(class) => vec![
                self.graph
                    .node(Origin::Field(self.project.field_owner(class, key), symbol)),
            ],
            None => self.slots(base, symbol, env),
        };
        for place in places {
            self.graph.link(place, Flow::Same, node);
        }
    }

    /// Something is put into a list in place: every place that holds the list sees it.
    pub(super) fn mutate(&mut self, list: ExprId, value: Option<ExprId>, flow: Flow, env: &mut Env) {
        let Some(value) = value else { return };
        let value = self.node(value);
        for place in self.places(list, env) {
            self.graph.link(value, flow, place);
        }
    }
}
