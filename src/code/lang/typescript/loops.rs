//! Loops. A counting loop over positions becomes a loop over a range, as other languages have it.

use tree_sitter::Node;

use super::{Lowering, assign, bare, parts, stmt};
use crate::code::ir::{BinaryOp, CompareOp, ExprId, ExprKind, Intrinsic, Literal, Place, Stmt, StmtKind};

/// A loop that counts.
struct Counting<'t> {
    variable: Node<'t>,
    from: Node<'t>,
    to: Node<'t>,
    /// Whether the bound is counted too.
    inclusive: bool,
    backward: bool,
    /// What else must hold to go on.
    further: Vec<Node<'t>>,
}

impl Lowering<'_> {
    /// The body of a loop, in which `break` leaves the loop.
    fn loop_body(&mut self, node: Node<'_>) -> Vec<Stmt> {
        let outer = std::mem::replace(&mut self.in_switch, false);
        let body = self.body(node.child_by_field_name("body"));
        self.in_switch = outer;
        body
    }

    /// `for (const x of xs)`; `in` runs over the keys of an object.
    pub(super) fn for_of_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return;
        };
        let place = self.across(node, right);
        match node.child_by_field_name("kind") {
            Some(_) => self.declare_all(left),
            None => self.assign_all(left),
        }
        let iter = self.condition(right, out);
        let mut taken = Vec::new();
        let target = self.target(left, &mut taken);
        let mut body = self.loop_body(node);
        taken.append(&mut body);
        let kind = StmtKind::For {
            target,
            iter,
            body: taken,
            otherwise: Vec::new(),
            is_async: Self::awaits(node),
        };
        out.push(stmt(kind, place));
    }

    /// The target of a loop: a pair of names stays one, other patterns are taken apart in the body.
    fn target(&mut self, left: Node<'_>, body: &mut Vec<Stmt>) -> ExprId {
        let left = bare(left);
        let place = self.place(left);
        match left.kind() {
            "array_pattern" => {
                let names = parts(left);
                if let [position, element] = *names
                    && position.kind() == "identifier"
                {
                    let position = self.name(position);
                    let element = if element.kind() == "identifier" {
                        self.name(element)
                    } else {
                        let root = self.new_name();
                        self.destructure_name(element, &root, None, body);
                        root
                    };
                    return self.loop_target(&element, Some(&position), place);
                }
                self.taken_apart(left, body)
            }
            "object_pattern" => self.taken_apart(left, body),
            _ => self.expr(left),
        }
    }

    fn taken_apart(&mut self, pattern: Node<'_>, body: &mut Vec<Stmt>) -> ExprId {
        let root = self.new_name();
        self.destructure_name(pattern, &root, None, body);
        let place = self.place(pattern);
        self.push_name(&root, place)
    }

    pub(super) fn while_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let Some(condition) = node.child_by_field_name("condition") else {
            return;
        };
        let place = self.across(node, condition);
        let cond = self.condition(condition, out);
        let body = self.loop_body(node);
        let otherwise = Vec::new();
        out.push(stmt(StmtKind::While { cond, body, otherwise }, place));
    }

    /// The condition of a `do` stands at the end of the body.
    pub(super) fn do_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let place = self.place(node);
        let mut body = self.loop_body(node);
        if let Some(condition) = node.child_by_field_name("condition") {
            let cond = self.condition(condition, &mut body);
            self.leave_unless(cond, &mut body);
        }
        let cond = self.push(ExprKind::Literal(Literal::Bool(true)), place);
        let otherwise = Vec::new();
        let place = Place {
            end: place.start,
            ..place
        };
        out.push(stmt(StmtKind::While { cond, body, otherwise }, place));
    }

    fn leave_unless(&mut self, cond: ExprId, body: &mut Vec<Stmt>) {
        let place = self.exprs[cond.0 as usize].place;
        let cond = self.push(ExprKind::Not(cond), place);
        let then = vec![stmt(StmtKind::Break, place)];
        let otherwise = Vec::new();
        body.push(stmt(StmtKind::If { cond, then, otherwise }, place));
    }

    /// `for (init; condition; step)`.
    pub(super) fn for_statement(&mut self, node: Node<'_>, out: &mut Vec<Stmt>) {
        let place = match node.child_by_field_name("increment") {
            Some(increment) => self.across(node, increment),
            None => Place {
                end: self.place(node).start,
                ..self.place(node)
            },
        };
        if let Some(counting) = self.counting(node) {
            return self.counted(node, &counting, place, out);
        }
        if let Some(init) = node.child_by_field_name("initializer") {
            match init.kind() {
                "lexical_declaration" | "variable_declaration" => self.statement(init, out),
                "empty_statement" => {}
                _ => self.expression_statement(init, out),
            }
        }
        let condition = node
            .child_by_field_name("condition")
            .filter(|condition| !matches!(condition.kind(), ";" | "empty_statement"));
        let cond = match condition {
            Some(condition) => self.condition(condition, out),
            None => self.push(ExprKind::Literal(Literal::Bool(true)), place),
        };
        let mut body = self.loop_body(node);
        if let Some(step) = node.child_by_field_name("increment") {
            self.expression_statement(step, &mut body);
            body.append(&mut self.effects);
        }
        let otherwise = Vec::new();
        out.push(stmt(StmtKind::While { cond, body, otherwise }, place));
    }

    fn counting<'t>(&self, node: Node<'t>) -> Option<Counting<'t>> {
        let init = node.child_by_field_name("initializer")?;
        let declarators = match init.kind() {
            "lexical_declaration" | "variable_declaration" => parts(init),
            _ => return None,
        };
        let &declarator = declarators.first()?;
        let variable = declarator.child_by_field_name("name")?;
        let from = declarator.child_by_field_name("value")?;
        let name = self.text_of(variable);
        let step = self.steps(node.child_by_field_name("increment")?, name)?;
        let mut further = Vec::new();
        let mut test = bare(node.child_by_field_name("condition")?);
        while test.kind() == "binary_expression" && self.operator(test) == "&&" {
            further.push(test.child_by_field_name("right")?);
            test = bare(test.child_by_field_name("left")?);
        }
        if test.kind() != "binary_expression" || self.text_of(test.child_by_field_name("left")?) != name {
            return None;
        }
        let backward = step == BinaryOp::Sub;
        let inclusive = match (self.operator(test), backward) {
            ("<" | "!==" | "!=", false) | (">", true) => false,
            ("<=", false) | (">=", true) => true,
            _ => return None,
        };
        // Other variables of the declaration hold what is computed once: the length, mostly.
        (declarators.len() == 1).then_some(Counting {
            variable,
            from,
            to: test.child_by_field_name("right")?,
            inclusive,
            backward,
            further,
        })
    }

    fn counted(&mut self, node: Node<'_>, counting: &Counting<'_>, place: Place, out: &mut Vec<Stmt>) {
        let from = self.condition(counting.from, out);
        let to = self.bound_of(counting, place);
        let is_zero = matches!(self.kind_of(from), ExprKind::Literal(Literal::Int(0)));
        let operands = if counting.backward {
            vec![from, to, self.push_int(-1, place)]
        } else if is_zero {
            vec![to]
        } else {
            vec![from, to]
        };
        let iter = self.apply(Intrinsic::Range, operands, place);
        self.declare_all(counting.variable);
        let target = self.expr(counting.variable);
        let mut body = Vec::new();
        for &further in counting.further.iter().rev() {
            let cond = self.condition(further, &mut body);
            self.leave_unless(cond, &mut body);
        }
        let mut inner = self.loop_body(node);
        body.append(&mut inner);
        let kind = StmtKind::For {
            target,
            iter,
            body,
            otherwise: Vec::new(),
            is_async: false,
        };
        out.push(stmt(kind, place));
    }

    /// The bound that is not counted any more.
    fn bound_of(&mut self, counting: &Counting<'_>, place: Place) -> ExprId {
        let to = self.expr(counting.to);
        if !counting.inclusive {
            return to;
        }
        let step = if counting.backward { -1 } else { 1 };
        if let ExprKind::Literal(Literal::Int(value)) = self.kind_of(to) {
            let value = value.saturating_add(step);
            return self.push_int(value, place);
        }
        let right = self.push_int(1, place);
        let op = if counting.backward {
            BinaryOp::Sub
        } else {
            BinaryOp::Add
        };
        self.push(ExprKind::Binary { op, left: to, right }, place)
    }

    /// `value === case`.
    pub(super) fn is_case(&mut self, subject: ExprId, value: Node<'_>) -> ExprId {
        let place = self.place(value);
        let value = self.expr(value);
        self.compared(CompareOp::Eq, subject, value, place)
    }

    /// A variable for a value that is looked at more than once.
    pub(super) fn once(&mut self, value: ExprId, out: &mut Vec<Stmt>) -> ExprId {
        if matches!(self.kind_of(value), ExprKind::Name(_) | ExprKind::Attribute { .. }) {
            return value;
        }
        let place = self.exprs[value.0 as usize].place;
        let name = self.new_name();
        let target = self.push_name(&name, place);
        out.push(assign(target, value, place));
        self.push_name(&name, place)
    }
}
