//! Calls that continue from what the provider keeps, and send everything again.

use super::{Duplicate, DuplicateKind};
use crate::code::facts::{Facts, ModelSend};
use crate::code::flow::predicate::same_spelling;
use crate::code::ir::{ExprId, ExprKind, StmtKind};
use crate::code::project::{ExprRef, FuncRef};

/// How many names, calls and displays are followed.
const HOPS: usize = 8;

/// What is known of the messages that a call sends.
#[derive(Default)]
struct Sent {
    /// They are made of the list.
    list: bool,
    /// A stretch of a history is among what makes them.
    part: bool,
}

impl Facts<'_> {
    /// A call with the id of the answer before, read from a message of the very list that is sent.
    pub(super) fn resumed_with_all(&self, send: &ModelSend) -> Option<Duplicate> {
        let messages = send.messages?;
        let continued = self.continued_from(send.call)?;
        let list = self.list_read(continued)?;
        let confidence = self.near_history(list)?;
        let mut sent = Sent::default();
        self.sent_of(messages, list, HOPS, &mut sent);
        (sent.list && !sent.part).then_some(Duplicate {
            kind: DuplicateKind::Resumed,
            at: messages,
            first: continued,
            confidence,
        })
    }

    /// The id of the answer that a call continues from: an argument, or a key of a spread one.
    fn continued_from(&self, call: ExprRef) -> Option<ExprRef> {
        let (_, args) = self.call(call)?;
        let named = |name: &str| self.vocabulary.continues(name);
        if let Some(arg) = args.iter().find(|arg| arg.name.as_deref().is_some_and(named)) {
            return Some(self.beside(call, arg.value));
        }
        let spread = args.iter().filter(|arg| arg.spread || arg.name.is_none());
        let holders: Vec<ExprId> = spread.map(|arg| arg.value).collect();
        let function = self.owner(call);
        let paths = self.paths.function(function);
        let module = self.module(call.module);
        paths.stmts().find_map(|stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, value, .. } => targets.iter().find_map(|target| {
                let (base, name) = match module.kind(*target) {
                    ExprKind::Index { base, index } => (*base, self.text(self.beside(call, *index))?.clone()),
                    ExprKind::Attribute { base, name } => (*base, name.clone()),
                    _ => return None,
                };
                let held = holders.iter().any(|holder| same_spelling(module, *holder, base));
                (held && named(&name)).then(|| self.beside(call, *value))
            }),
            _ => None,
        })
    }

    /// The list of whose messages one is read.
    fn list_read(&self, value: ExprRef) -> Option<ExprRef> {
        let module = self.module(value.module);
        let mut here = value.expr;
        for _ in 0..HOPS {
            let at = self.beside(value, here);
            here = match module.kind(here) {
                ExprKind::Index { base, index } => {
                    let list = self.beside(value, *base);
                    if self.text(self.beside(value, *index)).is_none() && self.near_history(list).is_some() {
                        return Some(list);
                    }
                    *base
                }
                ExprKind::Attribute { base, .. } => *base,
                ExprKind::Call { idiom: Some(idiom), .. } => *idiom.operands.first()?,
                ExprKind::Name(name) => self.project.only_value(self.owner(at), name)?.expr,
                _ => return None,
            };
        }
        None
    }

    /// Whether a value is made of a list, and whether a stretch of a history is among what makes it.
    fn sent_of(&self, value: ExprRef, list: ExprRef, hops: usize, sent: &mut Sent) {
        let module = self.module(value.module);
        if hops == 0 {
            return;
        }
        if same_spelling(module, value.expr, list.expr) {
            sent.list = true;
        }
        match module.kind(value.expr) {
            ExprKind::Slice { .. } => sent.part = true,
            ExprKind::Name(name) => {
                let function = self.owner(value);
                let paths = self.paths.function(function);
                for definition in self.definitions(function, name) {
                    if let StmtKind::Assign { value: made, .. } = &paths.stmt(definition).kind {
                        self.sent_of(self.beside(value, *made), list, hops - 1, sent);
                    }
                }
            }
            ExprKind::Call { .. } => {
                let callees = self.project.callees_of(value);
                sent.part |= callees.iter().any(|callee| self.slices_history(*callee));
            }
            _ => {}
        }
        for child in module.children(value.expr) {
            self.sent_of(self.beside(value, child), list, hops - 1, sent);
        }
    }

    /// Whether a function takes a stretch of a history.
    fn slices_history(&self, function: FuncRef) -> bool {
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        paths
            .stmts()
            .flat_map(|stmt| paths.own_exprs_in(stmt))
            .any(|expr| match module.kind(expr) {
                ExprKind::Slice { base, .. } => {
                    let base = ExprRef {
                        module: function.module,
                        expr: *base,
                    };
                    self.histories().confidence(self.node(base)).is_some()
                }
                _ => false,
            })
    }
}
