//! ctxlint tells agent engineers where their code, or their recorded runs, make the model believe
//! the wrong "now".
//!
//! Two halves share one ground: [`code`] reads agent code, [`transcript`] replays recorded runs, and
//! both reason over [`history`], the folding of updates into a list of messages. Neither half knows
//! the other. What they report is a [`finding::Finding`] of a rule in [`rule`].

mod baseline;
mod bounded;
mod cache;
mod changed;
pub mod chronicle;
pub mod cli;
pub mod code;
mod config;
mod drawing;
mod exclude;
pub mod finding;
mod fingerprint;
pub mod fix;
#[cfg(fuzzing)]
#[doc(hidden)]
pub mod fuzzing;
pub mod history;
mod interrupt;
mod lsp;
pub mod mend;
mod nearest;
pub mod outcome;
#[doc(hidden)]
pub mod pieces;
pub mod report;
pub mod roots;
pub mod rule;
mod secrets;
pub mod select;
mod suppress;
pub mod transcript;
mod write;
