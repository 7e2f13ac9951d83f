//! What holds where an expression is evaluated.

use super::{Paths, Slot, StmtId};
use crate::code::ir::{ExprId, ExprKind, Module, StmtKind};

/// A condition that was tested on the way, and how the test came out. Whether its variables have
/// changed since is not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Guard {
    /// The condition.
    pub(crate) cond: ExprId,
    /// Whether it holds.
    pub(crate) holds: bool,
}

/// The conditions that must each hold or fail for `cond` to come out as `holds`; `cond` itself where
/// it cannot be taken apart.
pub(crate) fn conjuncts(module: &Module, cond: ExprId, holds: bool) -> Vec<Guard> {
    let mut found = Vec::new();
    let mut open = vec![Guard { cond, holds }];
    while let Some(guard) = open.pop() {
        match module.kind(guard.cond) {
            ExprKind::Not(inner) => open.push(Guard {
                cond: *inner,
                holds: !guard.holds,
            }),
            ExprKind::Logic { all, operands } if *all == guard.holds => {
                open.extend(operands.iter().rev().map(|&cond| Guard {
                    cond,
                    holds: guard.holds,
                }));
            }
            _ => found.push(guard),
        }
    }
    found
}

impl Paths<'_> {
    /// What holds where an expression is evaluated, the nearest test first.
    pub(crate) fn guards(&self, expr: ExprId) -> Vec<Guard> {
        let mut found = self.guards_inside(expr);
        if let Some(stmt) = self.stmt_of(expr) {
            found.extend(self.guards_at(stmt));
        }
        found
    }

    /// What holds where a statement begins, the nearest test first.
    pub(crate) fn guards_at(&self, stmt: StmtId) -> Vec<Guard> {
        let mut found = Vec::new();
        let mut here = stmt;
        loop {
            for &before in self.preceding(here).iter().rev() {
                found.extend(self.left_by(before));
            }
            let Some((parent, slot)) = self.parent(here) else {
                return found;
            };
            found.extend(self.entered_by(parent, slot));
            here = parent;
        }
    }

    /// What a test inside the same statement decides before the expression is reached.
    fn guards_inside(&self, expr: ExprId) -> Vec<Guard> {
        let mut found = Vec::new();
        let mut inner = expr;
        while let Some(outer) = self.around(inner) {
            match self.module.kind(outer) {
                ExprKind::Logic { all, operands } => {
                    let before = operands.iter().take_while(|&&operand| operand != inner);
                    for &operand in before {
                        found.extend(conjuncts(self.module, operand, *all));
                    }
                }
                ExprKind::Conditional { cond, then, .. } if *cond != inner => {
                    found.extend(conjuncts(self.module, *cond, *then == inner));
                }
                ExprKind::Comprehension { clauses, .. } => {
                    'clauses: for clause in clauses {
                        if clause.iter == inner || clause.target == inner {
                            break;
                        }
                        for &cond in &clause.conditions {
                            if cond == inner {
                                break 'clauses;
                            }
                            found.extend(conjuncts(self.module, cond, true));
                        }
                    }
                }
                _ => {}
            }
            inner = outer;
        }
        found
    }

    /// What holds in a block because of the statement around it.
    fn entered_by(&self, stmt: StmtId, slot: Slot) -> Vec<Guard> {
        match (&self.stmt(stmt).kind, slot) {
            (StmtKind::If { cond, .. }, Slot::Then) | (StmtKind::While { cond, .. }, Slot::Loop) => {
                conjuncts(self.module, *cond, true)
            }
            (StmtKind::If { cond, .. }, Slot::Otherwise) | (StmtKind::While { cond, .. }, Slot::LoopElse) => {
                conjuncts(self.module, *cond, false)
            }
            _ => Vec::new(),
        }
    }

    /// What holds behind a statement because every other way through it leaves the block.
    fn left_by(&self, stmt: StmtId) -> Vec<Guard> {
        match &self.stmt(stmt).kind {
            StmtKind::Assert { cond } => conjuncts(self.module, *cond, true),
            StmtKind::If { cond, .. } => {
                let then = self.completes(self.block(stmt, Slot::Then));
                let otherwise = self.completes(self.block(stmt, Slot::Otherwise));
                match (then, otherwise) {
                    (false, true) => {
                        let mut found = conjuncts(self.module, *cond, false);
                        // `elif` chains: what holds behind the rest holds as well.
                        for &inner in self.block(stmt, Slot::Otherwise).iter().rev() {
                            found.extend(self.left_by(inner));
                        }
                        found
                    }
                    (true, false) => conjuncts(self.module, *cond, true),
                    _ => Vec::new(),
                }
            }
            StmtKind::While { cond, .. } if !self.breaks(stmt) => conjuncts(self.module, *cond, false),
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::code::flow::paths::Paths;
    use crate::code::flow::testing::{call, function, module, text};

    /// The guards of `here()` in the function `f`, as the source writes them.
    fn guards(source: &str) -> Vec<String> {
        let module = module(source);
        let paths = Paths::of(&module, function(&module, "f"));
        paths
            .guards(call(&module, "here"))
            .into_iter()
            .map(|guard| {
                let sign = if guard.holds { "" } else { "not " };
                format!("{sign}{}", text(source, &module, guard.cond))
            })
            .collect()
    }

    #[test]
    fn branches_and_loops_around() {
        let source = "
def f(a, b, c):
    if a and not b:
        pass
    elif c:
        while a > 1:
            here()
";
        assert_eq!(guards(source), ["a > 1", "c", "not a and not b"]);
    }

    #[test]
    fn exits_before() {
        let source = "
def f(xs, a, b):
    if not xs or a is None:
        return
    for x in xs:
        if x.done:
            continue
        elif b:
            break
        here(x)
";
        assert_eq!(guards(source), ["not x.done", "not b", "xs", "not a is None"]);
    }

    #[test]
    fn a_branch_that_goes_on_guards_nothing() {
        let source = "
def f(a, b):
    if a:
        b = 1
    here()
";
        assert!(guards(source).is_empty());
    }

    #[test]
    fn the_else_that_leaves() {
        let source = "
def f(a):
    if a:
        pass
    else:
        raise ValueError
    assert a.ready
    here()
";
        assert_eq!(guards(source), ["a.ready", "a"]);
    }

    #[test]
    fn behind_a_loop_its_condition_fails() {
        let source = "
def f(i, xs):
    while i > 0 and not ok(xs[i]):
        i -= 1
    here()
";
        assert_eq!(guards(source), ["not i > 0 and not ok(xs[i])"]);
        let with_break = source.replace("i -= 1", "break");
        assert!(guards(&with_break).is_empty());
    }

    #[test]
    fn tests_inside_the_same_expression() {
        assert_eq!(guards("def f(a, b):\n    return a and b and here()\n"), ["a", "b"]);
        assert_eq!(guards("def f(a):\n    return a.x or here()\n"), ["not a.x"]);
        assert_eq!(guards("def f(a):\n    return here() if a else 1\n"), ["a"]);
        assert_eq!(guards("def f(a):\n    return 1 if a else here()\n"), ["not a"]);
        let comprehension = "def f(xs):\n    return [here(x) for x in xs if x.ok if not x.old]\n";
        assert_eq!(guards(comprehension), ["x.ok", "not x.old"]);
        let condition = "def f(xs):\n    return [x for x in xs if x.ok if here(x)]\n";
        assert_eq!(guards(condition), ["x.ok"]);
        assert!(guards("def f(xs):\n    return [x for x in here() if x.ok]\n").is_empty());
    }
}
