//! Ways that lead past a statement.

#[cfg(test)]
mod tests;

use super::{Paths, Slot, StmtId, catches_all};
use crate::code::ir::{ExprId, StmtKind};

/// How a way ends without having passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ExitKind {
    /// By `return`.
    Return,
    /// By `raise`, or by an error of a call that nothing in the function catches.
    Raise,
    /// By `break`.
    Break,
    /// By `continue`.
    Continue,
    /// At the end of the function.
    End,
    /// At the next iteration of a loop.
    NextIteration,
}

/// A way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Exit {
    /// How.
    pub(crate) kind: ExitKind,
    /// The statement that leaves; the loop for its next iteration; none for the end of the function.
    pub(crate) at: Option<StmtId>,
    /// Whether it leaves by an error that the source does not name.
    pub(crate) implicit: bool,
}

/// What must be passed, and what the caller knows about the ways.
pub(crate) struct Detour<'q> {
    /// Statements one of which must be passed.
    pub(crate) through: &'q [StmtId],
    /// Whether a loop with such a statement in it passes one for everything that must be passed, so
    /// that a run through the whole loop counts, and an iteration without one is a way out.
    pub(crate) complete: &'q dyn Fn(StmtId) -> bool,
    /// Whether nothing needs to be passed where a condition comes out so.
    pub(crate) harmless: &'q dyn Fn(ExprId, bool) -> bool,
}

/// Where control is after a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Normal,
    Break,
    Continue,
    Return,
    Raise,
    /// At the statement that the search began at, or in an iteration that passed nothing.
    Out,
}

/// One way through a stretch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    end: End,
    /// The statement that ended it.
    at: Option<StmtId>,
    implicit: bool,
    /// The first `break` or `continue` on it, which is to blame if it passes nothing later.
    first: Option<(ExitKind, StmtId)>,
}

impl Way {
    const THROUGH: Self = Self {
        end: End::Normal,
        at: None,
        implicit: false,
        first: None,
    };

    fn jump(end: End, at: StmtId) -> Self {
        Self {
            end,
            at: Some(at),
            ..Self::THROUGH
        }
    }

    fn error(at: StmtId) -> Self {
        Self {
            implicit: true,
            ..Self::jump(End::Raise, at)
        }
    }

    fn blaming(self, kind: ExitKind, at: StmtId) -> Self {
        Self {
            first: self.first.or(Some((kind, at))),
            ..self
        }
    }
}

impl Paths<'_> {
    /// The ways from behind `from` that leave the function, or come back to `from`, without passing.
    pub(crate) fn escapes(&self, from: StmtId, detour: &Detour<'_>) -> Vec<Exit> {
        let search = Search {
            paths: self,
            from,
            detour,
        };
        let mut exits: Vec<Exit> = search.run().into_iter().map(exit).collect();
        exits.sort_unstable();
        exits.dedup();
        exits
    }

    /// The statements that leave a loop before it has run through everything.
    pub(crate) fn early_exits(&self, of: StmtId) -> Vec<Exit> {
        self.stmts()
            .filter(|&stmt| stmt != of && self.contains(of, stmt))
            .filter_map(|stmt| {
                let kind = match self.stmt(stmt).kind {
                    StmtKind::Return(_) => ExitKind::Return,
                    StmtKind::Raise(_) => ExitKind::Raise,
                    StmtKind::Break if self.enclosing_loops(stmt).next() == Some(of) => ExitKind::Break,
                    _ => return None,
                };
                Some(Exit {
                    kind,
                    at: Some(stmt),
                    implicit: false,
                })
            })
            .collect()
    }
}

fn exit(way: Way) -> Exit {
    let kind = match way.end {
        End::Normal => ExitKind::End,
        End::Return => ExitKind::Return,
        End::Raise => ExitKind::Raise,
        End::Break => ExitKind::Break,
        End::Continue => ExitKind::Continue,
        End::Out => ExitKind::NextIteration,
    };
    match way.first {
        Some((kind, at)) => Exit {
            kind,
            at: Some(at),
            implicit: false,
        },
        None => Exit {
            kind,
            at: way.at,
            implicit: way.implicit,
        },
    }
}

struct Search<'a, 'm> {
    paths: &'a Paths<'m>,
    from: StmtId,
    detour: &'a Detour<'a>,
}

impl Search<'_, '_> {
    fn run(&self) -> Vec<Way> {
        let mut ways = self.block(self.paths.following(self.from));
        let mut here = self.from;
        while let Some((parent, slot)) = self.paths.parent(here) {
            ways = match slot {
                Slot::Loop => self.behind_iteration(parent, ways),
                Slot::Try => self.behind_tried(parent, ways),
                Slot::Handler(_) | Slot::NoError => self.finally(parent, ways),
                _ => ways,
            };
            ways = then(ways, || self.block(self.paths.following(parent)));
            here = parent;
        }
        ways
    }

    fn block(&self, block: &[StmtId]) -> Vec<Way> {
        let mut ways = vec![Way::THROUGH];
        for &stmt in block {
            if !ways.iter().any(|way| way.end == End::Normal) {
                break;
            }
            ways = then(ways, || self.stmt(stmt));
        }
        ways
    }

    fn stmt(&self, stmt: StmtId) -> Vec<Way> {
        if stmt == self.from {
            return vec![Way::jump(End::Out, stmt)];
        }
        let mut ways = Vec::new();
        if self.paths.may_raise(stmt) {
            ways.push(Way::error(stmt));
        }
        if self.detour.through.contains(&stmt) {
            return ways;
        }
        match &self.paths.stmt(stmt).kind {
            StmtKind::Return(_) => ways.push(Way::jump(End::Return, stmt)),
            StmtKind::Raise(_) => ways.push(Way::jump(End::Raise, stmt)),
            StmtKind::Break => ways.push(Way::jump(End::Break, stmt)),
            StmtKind::Continue => ways.push(Way::jump(End::Continue, stmt)),
            StmtKind::Assert { .. } => ways.extend([Way::THROUGH, Way::jump(End::Raise, stmt)]),
            StmtKind::If { cond, .. } => {
                for (slot, holds) in [(Slot::Then, true), (Slot::Otherwise, false)] {
                    if !self.is_harmless(*cond, holds) {
                        ways.extend(self.block(self.paths.block(stmt, slot)));
                    }
                }
            }
            StmtKind::For { .. } | StmtKind::While { .. } => ways.extend(self.whole_loop(stmt)),
            StmtKind::Try { .. } => {
                let tried = self.block(self.paths.block(stmt, Slot::Try));
                ways.extend(self.behind_tried(stmt, tried));
            }
            StmtKind::With { .. } => ways.extend(self.block(self.paths.block(stmt, Slot::With))),
            _ => ways.push(Way::THROUGH),
        }
        unique(ways)
    }

    fn is_harmless(&self, cond: ExprId, holds: bool) -> bool {
        super::conjuncts(self.paths.module, cond, holds)
            .iter()
            .any(|guard| (self.detour.harmless)(guard.cond, guard.holds))
    }

    /// A loop met on the way.
    fn whole_loop(&self, stmt: StmtId) -> Vec<Way> {
        let passes_inside = self
            .detour
            .through
            .iter()
            .any(|&inner| inner != stmt && self.paths.contains(stmt, inner));
        let complete = passes_inside && (self.detour.complete)(stmt);
        let mut ways = Vec::new();
        let mut goes_on = Vec::new();
        for way in self.block(self.paths.block(stmt, Slot::Loop)) {
            match way.end {
                End::Break => ways.push(broken(way)),
                End::Normal | End::Continue if complete => {
                    let first = continued(way).first;
                    ways.push(Way {
                        first,
                        ..Way::jump(End::Out, stmt)
                    });
                }
                End::Normal | End::Continue => goes_on.push(Way {
                    first: way.first,
                    ..Way::THROUGH
                }),
                End::Return | End::Raise | End::Out => ways.push(way),
            }
        }
        if !complete && self.ends_by_itself(stmt) {
            goes_on.push(Way::THROUGH);
            ways.extend(self.after_loop(stmt, goes_on));
        }
        ways
    }

    /// Whether a loop is left without `break` on a way that matters.
    fn ends_by_itself(&self, stmt: StmtId) -> bool {
        match self.paths.stmt(stmt).kind {
            StmtKind::While { cond, .. } => !self.paths.is_always_true(cond) && !self.is_harmless(cond, false),
            _ => true,
        }
    }

    fn after_loop(&self, stmt: StmtId, ways: Vec<Way>) -> Vec<Way> {
        then(ways, || self.block(self.paths.block(stmt, Slot::LoopElse)))
    }

    /// The rest of the ways that began inside an iteration: the next iteration, up to the start of
    /// the search, or the end of the loop.
    fn behind_iteration(&self, stmt: StmtId, ways: Vec<Way>) -> Vec<Way> {
        let mut found = Vec::new();
        let mut ended = Vec::new();
        for way in ways {
            match way.end {
                End::Break => found.push(broken(way)),
                End::Normal => ended.push(way),
                End::Continue => ended.push(Way {
                    first: continued(way).first,
                    ..Way::THROUGH
                }),
                _ => found.push(way),
            }
        }
        let enters_again = match self.paths.stmt(stmt).kind {
            StmtKind::While { cond, .. } => !self.is_harmless(cond, true),
            _ => true,
        };
        if !ended.is_empty() && enters_again {
            let body = || self.block(self.paths.block(stmt, Slot::Loop));
            for again in then(ended.clone(), body) {
                match again.end {
                    End::Out if again.at == Some(self.from) => found.push(Way {
                        first: again.first,
                        ..Way::jump(End::Out, stmt)
                    }),
                    End::Break => found.push(broken(again)),
                    End::Normal | End::Continue => {}
                    _ => found.push(again),
                }
            }
        }
        if self.ends_by_itself(stmt) {
            found.extend(self.after_loop(stmt, ended));
        }
        unique(found)
    }

    /// The handlers, the error-free rest and the cleaning up behind what was tried.
    fn behind_tried(&self, stmt: StmtId, tried: Vec<Way>) -> Vec<Way> {
        let StmtKind::Try { handlers, .. } = &self.paths.stmt(stmt).kind else {
            return tried;
        };
        let raised = tried.iter().any(|way| way.end == End::Raise);
        let all_caught = handlers.iter().any(catches_all);
        let mut ways = Vec::new();
        if raised {
            for number in 0..handlers.len() {
                ways.extend(self.block(self.paths.block(stmt, Slot::Handler(number))));
            }
        }
        let (errors, rest): (Vec<Way>, Vec<Way>) = tried.into_iter().partition(|way| way.end == End::Raise);
        if !all_caught {
            ways.extend(errors);
        }
        ways.extend(then(rest, || self.block(self.paths.block(stmt, Slot::NoError))));
        self.finally(stmt, ways)
    }

    /// Every way out of a `try` runs through its `finally`.
    fn finally(&self, stmt: StmtId, ways: Vec<Way>) -> Vec<Way> {
        let last = self.block(self.paths.block(stmt, Slot::Finally));
        let mut found = Vec::new();
        for way in ways {
            for after in &last {
                found.push(if after.end == End::Normal { way } else { *after });
            }
        }
        unique(found)
    }
}

/// A `break` goes on behind its loop, and is to blame if nothing is passed there.
fn broken(way: Way) -> Way {
    let blamed = way.at.map_or(way, |at| way.blaming(ExitKind::Break, at));
    Way {
        end: End::Normal,
        at: None,
        ..blamed
    }
}

/// The same for a `continue`.
fn continued(way: Way) -> Way {
    match (way.end, way.at) {
        (End::Continue, Some(at)) => way.blaming(ExitKind::Continue, at),
        _ => way,
    }
}

/// Appends a stretch to the ways that reach its start.
fn then(ways: Vec<Way>, stretch: impl FnOnce() -> Vec<Way>) -> Vec<Way> {
    let (reaching, mut found): (Vec<Way>, Vec<Way>) = ways.into_iter().partition(|way| way.end == End::Normal);
    if !reaching.is_empty() {
        for next in stretch() {
            found.extend(reaching.iter().map(|way| Way {
                first: way.first.or(next.first),
                ..next
            }));
        }
    }
    unique(found)
}

/// Drops repeated ways; their number stays that of the places where a way can end.
fn unique(ways: Vec<Way>) -> Vec<Way> {
    let mut found: Vec<Way> = Vec::with_capacity(ways.len());
    for way in ways {
        if !found.contains(&way) {
            found.push(way);
        }
    }
    found
}
