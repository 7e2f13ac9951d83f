//! Values and paths: what becomes of a value, on which way, under which condition.

pub(crate) mod build;
mod children;
mod dispatch;
pub(crate) mod frequency;
pub(crate) mod graph;
pub(crate) mod iteration;
pub(crate) mod paths;
pub(crate) mod predicate;
pub(crate) mod reach;

#[cfg(test)]
pub(crate) mod testing;
