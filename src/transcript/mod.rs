//! `audit` and `replay`: from recorded runs to findings.

use std::path::PathBuf;

use crate::outcome::Outcome;

/// What to audit.
#[derive(Clone, Debug, Default)]
pub struct AuditOptions {
    /// Files and folders, as the user named them; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// The format's name, where the user forces one.
    pub input_format: Option<String>,
}

/// Audits recorded runs. Every rule runs; the caller filters.
#[must_use]
pub fn audit(_options: &AuditOptions) -> Outcome {
    Outcome::default()
}
