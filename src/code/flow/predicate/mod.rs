//! What a condition asks about a message.
//!
//! A condition is read as two sets of [`Kinds`] of messages: those for which it may come out true,
//! and those for which it may come out false. `and`, `or`, `not`, branches and returns of helper
//! functions are operations on the sets, so a helper, a lambda and an inline test give the same
//! answer.

mod compare;
mod denote;
mod kinds;
mod returned;
mod subject;
mod truth;

#[cfg(test)]
mod tests;

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

pub(crate) use kinds::{Asks, Kinds, Predicate};
pub(crate) use subject::{Subject, same_spelling};

use super::super::ir::ExprKind;
use super::super::project::{ExprRef, FuncRef, Project};
use super::super::vocabulary::{Frameworks, Vocabulary};
use denote::{Denotes, Taken};
use truth::Reading;

/// How deep helpers that call helpers are followed.
const DEPTH: usize = 6;

/// How many overriding methods are looked at.
const OVERRIDES: usize = 4;

/// Reads conditions of one project.
#[derive(Debug)]
pub(crate) struct Predicates<'p> {
    project: &'p Project,
    vocabulary: &'p Vocabulary,
    frameworks: Vec<Frameworks>,
    /// Helper functions by the parameter that takes the message, or a part of it.
    helpers: Mutex<FxHashMap<(FuncRef, usize, Denotes), Predicate>>,
}

impl<'p> Predicates<'p> {
    /// Prepares for a project.
    pub(crate) fn new(project: &'p Project, vocabulary: &'p Vocabulary) -> Self {
        Self {
            project,
            vocabulary,
            frameworks: vocabulary.frameworks_of(&project.modules().map(|(_, module)| module).collect::<Vec<_>>()),
            helpers: Mutex::default(),
        }
    }

    /// What a condition asks about the subject.
    pub(crate) fn of(&self, cond: ExprRef, subject: &Subject) -> Predicate {
        Reading::new(self, self.project.owner(cond), subject, &[]).truth(cond.expr)
    }

    /// What a function, a method or a lambda asks about one of its parameters.
    pub(crate) fn of_function(&self, function: FuncRef, param: usize) -> Predicate {
        let part = Denotes::Message;
        self.helper(Taken { function, param, part }, &[])
    }

    /// What something callable asks about its first argument: a name, a lambda.
    pub(crate) fn of_callable(&self, callable: ExprRef) -> Predicate {
        let function = match self.project.module(callable.module).kind(callable.expr) {
            ExprKind::Lambda(function) => Some(FuncRef {
                module: callable.module,
                function: *function,
            }),
            _ => self.project.functions_named_by(callable).into_iter().next(),
        };
        match function {
            Some(function) => {
                let takes_receiver = usize::from(self.project.function(function).has_receiver);
                self.of_function(function, takes_receiver)
            }
            None => Predicate::unknown(),
        }
    }

    fn helper(&self, taken: Taken, open: &[FuncRef]) -> Predicate {
        let Taken { function, param, part } = taken;
        let key = (function, param, part);
        if let Some(known) = self.helpers.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return *known;
        }
        // A helper that asks itself adds nothing, and what was cut off here is not remembered.
        let Some(name) = self
            .project
            .function(function)
            .params
            .get(param)
            .map(|param| &param.name)
        else {
            return Predicate::unknown();
        };
        if open.contains(&function) || open.len() >= DEPTH {
            return Predicate::unknown();
        }
        let mut around = open.to_vec();
        around.push(function);
        let subject = Subject::holding(name.clone(), part);
        let found = Reading::new(self, function, &subject, &around).returned();
        if open.is_empty() {
            let mut helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
            helpers.insert(key, found);
        }
        found
    }

    fn here(&self, function: FuncRef) -> Frameworks {
        self.frameworks[function.module.0 as usize]
    }
}
