//! Calls and `new`.

use tree_sitter::Node;

use super::{Lowering, bare, parts};
use crate::code::ir::{Arg, ExprId, ExprKind, Idiom, Intrinsic, ListKind, Literal, Name, Place};

impl Lowering<'_> {
    pub(super) fn call(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let (Some(function), Some(arguments)) = (
            node.child_by_field_name("function"),
            node.child_by_field_name("arguments"),
        ) else {
            let kind = self.other(node);
            return self.push(kind, place);
        };
        if arguments.kind() == "template_string" {
            return self.tagged(function, arguments, place);
        }
        let called = bare(function);
        let given = parts(arguments);
        if let Some(known) = self.library_function(called, &given, place) {
            return known;
        }
        if called.kind() == "member_expression"
            && let Some(receiver) = called.child_by_field_name("object")
            && let Some(method) = called.child_by_field_name("property")
            && let Some(known) = self.library_method(called, receiver, method, &given, place)
        {
            return known;
        }
        let callee = self.callee(called);
        let args = self.arguments(&given);
        self.push(
            ExprKind::Call {
                callee,
                args,
                idiom: None,
            },
            place,
        )
    }

    /// `super(…)` calls the constructor of the class above.
    fn callee(&mut self, node: Node<'_>) -> ExprId {
        let callee = self.expr(node);
        if node.kind() != "super" {
            return callee;
        }
        let kind = ExprKind::Attribute {
            base: callee,
            name: Name::from(super::classes::CONSTRUCTOR),
        };
        let place = self.place(node);
        self.push(kind, place)
    }

    /// `` tag`text` ``: a text made of a text.
    fn tagged(&mut self, tag: Node<'_>, text: Node<'_>, place: Place) -> ExprId {
        let callee = self.expr(tag);
        let text = self.expr(text);
        self.push(
            ExprKind::Call {
                callee,
                args: vec![argument(text)],
                idiom: Some(Idiom {
                    op: Intrinsic::TextOp,
                    operands: vec![text],
                }),
            },
            place,
        )
    }

    /// `new Class(…)`.
    pub(super) fn construction(&mut self, node: Node<'_>) -> ExprId {
        let place = self.place(node);
        let Some(class) = node.child_by_field_name("constructor").map(bare) else {
            let kind = self.other(node);
            return self.push(kind, place);
        };
        let given = node.child_by_field_name("arguments").map(parts).unwrap_or_default();
        match (self.text_of(class), &*given) {
            ("Set", []) => return self.apply(Intrinsic::ToSet, Vec::new(), place),
            ("Set", &[xs]) => {
                let xs = self.expr(xs);
                return self.apply(Intrinsic::ToSet, vec![xs], place);
            }
            ("Map", []) => return self.push(ExprKind::Dict(Vec::new()), place),
            ("Map", &[xs]) => {
                let xs = self.expr(xs);
                return self.apply(Intrinsic::Copy, vec![xs], place);
            }
            ("Array", []) => {
                let kind = ListKind::List;
                return self.push(
                    ExprKind::List {
                        kind,
                        items: Vec::new(),
                    },
                    place,
                );
            }
            // A date made of nothing is the present time.
            ("Date", []) => return self.now(class, place),
            _ => {}
        }
        let callee = self.expr(class);
        let args = self.arguments(&given);
        self.push(
            ExprKind::Call {
                callee,
                args,
                idiom: None,
            },
            place,
        )
    }

    /// `Date.now()`.
    pub(super) fn now(&mut self, class: Node<'_>, place: Place) -> ExprId {
        let base = self.expr(class);
        let name = Name::from("now");
        let callee = self.push(ExprKind::Attribute { base, name }, place);
        self.push(
            ExprKind::Call {
                callee,
                args: Vec::new(),
                idiom: None,
            },
            place,
        )
    }

    /// The arguments; the entries of an object among them are arguments by name.
    pub(super) fn arguments(&mut self, given: &[Node<'_>]) -> Vec<Arg> {
        let mut args = Vec::new();
        for &part in given {
            if bare(part).kind() == "object" {
                self.gathered(bare(part), &mut args);
            } else {
                args.push(Arg {
                    spread: part.kind() == "spread_element",
                    ..argument(self.expr(part))
                });
            }
        }
        args
    }

    fn gathered(&mut self, object: Node<'_>, args: &mut Vec<Arg>) {
        let value = self.expr(object);
        args.push(Arg {
            gathers: true,
            ..argument(value)
        });
        let ExprKind::Dict(entries) = self.kind_of(value) else {
            return;
        };
        for (key, value) in entries.clone() {
            let name = match key.map(|key| self.kind_of(key)) {
                Some(ExprKind::Literal(Literal::Str(name))) => name.clone(),
                Some(_) => continue,
                // What is spread may name any.
                None => Name::from(""),
            };
            args.push(Arg {
                spread: key.is_none(),
                name: Some(name),
                ..argument(value)
            });
        }
    }
}

/// An argument by position.
pub(super) fn argument(value: ExprId) -> Arg {
    Arg {
        value,
        name: None,
        spread: false,
        gathers: false,
    }
}
