//! The shared ground: messages, the reducers that fold updates into a history, turns and tool pairs.
//! Pure functions; no I/O.
//!
//! [`reducer::History`] folds anything that is an [`entry::Entry`]: full messages, the light records of
//! a replay, the few messages of a counterexample.

pub mod coerce;
pub mod delta;
pub mod entry;
pub mod fold_rows;
mod item;
pub mod message;
mod openai;
pub mod pairs;
pub mod reducer;
mod rows;
mod step;
pub mod turns;
mod variants;
