//! What runs before what.

use super::{Paths, Slot, StmtId};
use crate::code::ir::{ExprId, ExprKind};

/// How two places of a function stand to each other in one run through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// The same place.
    Same,
    /// The first runs before the second, where both run.
    Before,
    /// The first runs after the second.
    After,
    /// One of them runs.
    Exclusive,
}

/// The order of two places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Order {
    /// In one run, and within one iteration of the loops around both.
    pub(crate) when: When,
    /// The innermost loop around both: in it, each may run before the other, one iteration earlier.
    pub(crate) in_loop: Option<StmtId>,
}

impl Paths<'_> {
    /// The order of two expressions; `None` if one stands in another function.
    pub(crate) fn order(&self, a: ExprId, b: ExprId) -> Option<Order> {
        let (at_a, at_b) = (self.stmt_of(a)?, self.stmt_of(b)?);
        if at_a != at_b {
            return Some(self.stmt_order(at_a, at_b));
        }
        let when = if a == b { When::Same } else { self.inner_order(a, b) };
        Some(Order {
            when,
            in_loop: self.same_loop(at_a, at_b),
        })
    }

    /// The order of two statements; the tests and sources of a compound one come before its blocks.
    pub(crate) fn stmt_order(&self, a: StmtId, b: StmtId) -> Order {
        let when = if a == b {
            When::Same
        } else if self.contains(a, b) {
            When::Before
        } else if self.contains(b, a) {
            When::After
        } else {
            self.apart(a, b)
        };
        Order {
            when,
            in_loop: self.same_loop(a, b),
        }
    }

    /// The order of two statements of which none contains the other.
    fn apart(&self, a: StmtId, b: StmtId) -> When {
        let ways_a: Vec<_> = self.parents(a).collect();
        let by_number = if a < b { When::Before } else { When::After };
        let Some((parent, slot_b)) = self
            .parents(b)
            .find(|(parent, _)| ways_a.iter().any(|(other, _)| other == parent))
        else {
            return by_number;
        };
        let slot_a = ways_a.iter().find(|(other, _)| *other == parent).map(|(_, slot)| *slot);
        match (slot_a, slot_b) {
            (Some(Slot::Then), Slot::Otherwise)
            | (Some(Slot::Otherwise), Slot::Then)
            | (Some(Slot::NoError), Slot::Handler(_))
            | (Some(Slot::Handler(_)), Slot::NoError) => When::Exclusive,
            (Some(Slot::Handler(one)), Slot::Handler(other)) if one != other => When::Exclusive,
            _ => by_number,
        }
    }

    /// The order of two expressions of one statement.
    fn inner_order(&self, a: ExprId, b: ExprId) -> When {
        let way = |expr| -> Vec<ExprId> { std::iter::successors(Some(expr), |&inner| self.around(inner)).collect() };
        let (way_a, way_b) = (way(a), way(b));
        // What is inside is evaluated before what is around it.
        if way_a.contains(&b) {
            return When::Before;
        }
        if way_b.contains(&a) {
            return When::After;
        }
        let meet = way_a.iter().position(|outer| way_b.contains(outer));
        let Some(meet) = meet else {
            // Two expressions of the statement itself: `own_exprs` gives them in the order of evaluation.
            let position = |way: &[ExprId]| {
                let stmt = self.stmt_of(a)?;
                let own = super::own_exprs(self.module, &self.stmt(stmt).kind);
                own.iter().position(|expr| Some(expr) == way.last())
            };
            return if position(&way_a) < position(&way_b) {
                When::Before
            } else {
                When::After
            };
        };
        let outer = way_a[meet];
        let (in_a, in_b) = (
            way_a[meet - 1],
            way_b[way_b.iter().take_while(|&&expr| expr != outer).count() - 1],
        );
        match self.module.kind(outer) {
            ExprKind::Conditional { cond, .. } if *cond != in_a && *cond != in_b => When::Exclusive,
            ExprKind::Conditional { cond, .. } if *cond == in_b => When::After,
            ExprKind::Conditional { .. } => When::Before,
            ExprKind::Comprehension { element, value, .. } => {
                // The clauses are written behind the element and run before it.
                let is_result = |expr| expr == *element || Some(expr) == *value;
                match (is_result(in_a), is_result(in_b)) {
                    (true, false) => When::After,
                    (false, true) => When::Before,
                    _ => self.by_position(in_a, in_b, outer),
                }
            }
            _ => self.by_position(in_a, in_b, outer),
        }
    }

    fn by_position(&self, a: ExprId, b: ExprId, outer: ExprId) -> When {
        let inside = self.module.children(outer);
        let position = |expr| inside.iter().position(|&inner| inner == expr);
        if position(a) < position(b) {
            When::Before
        } else {
            When::After
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Paths, When};
    use crate::code::flow::testing::{call, function, module};

    /// The order of `a()` and `b()` in the function `f`, and whether a loop is around both.
    fn order(source: &str) -> (When, bool) {
        let module = module(source);
        let paths = Paths::of(&module, function(&module, "f"));
        let order = paths
            .order(call(&module, "a"), call(&module, "b"))
            .expect("both are in the function");
        (order.when, order.in_loop.is_some())
    }

    #[test]
    fn in_one_block() {
        assert_eq!(order("def f():\n    a()\n    b()\n"), (When::Before, false));
        assert_eq!(order("def f():\n    b()\n    a()\n"), (When::After, false));
        assert_eq!(
            order("def f():\n    for x in y:\n        a()\n        if x:\n            b()\n"),
            (When::Before, true)
        );
        assert_eq!(
            order("def f():\n    for x in a():\n        b()\n"),
            (When::Before, false)
        );
    }

    #[test]
    fn in_branches() {
        assert_eq!(
            order("def f(x):\n    if x:\n        a()\n    else:\n        b()\n"),
            (When::Exclusive, false)
        );
        assert_eq!(
            order("def f(x):\n    if x:\n        a()\n    elif b():\n        pass\n"),
            (When::Exclusive, false)
        );
        assert_eq!(order("def f():\n    if a():\n        b()\n"), (When::Before, false));
    }

    #[test]
    fn around_errors() {
        let tried = "def f():\n    try:\n        a()\n    except E:\n        b()\n";
        assert_eq!(order(tried), (When::Before, false));
        let two = "def f():\n    try:\n        g()\n    except E:\n        a()\n    except F:\n        b()\n";
        assert_eq!(order(two), (When::Exclusive, false));
        let last = "def f():\n    try:\n        g()\n    except E:\n        a()\n    finally:\n        b()\n";
        assert_eq!(order(last), (When::Before, false));
    }

    #[test]
    fn in_one_statement() {
        assert_eq!(order("def f():\n    b(a())\n"), (When::Before, false));
        assert_eq!(order("def f():\n    x[a()] = b()\n"), (When::After, false));
        assert_eq!(
            order("def f(c):\n    return a() if c else b()\n"),
            (When::Exclusive, false)
        );
        assert_eq!(
            order("def f(c):\n    return b() if a() else c\n"),
            (When::Before, false)
        );
        assert_eq!(
            order("def f(c):\n    return [b(x) for x in a()]\n"),
            (When::Before, false)
        );
        assert_eq!(order("def f(c):\n    return [a(), b()]\n"), (When::Before, false));
    }
}
