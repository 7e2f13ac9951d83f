//! The words of one project beside those that ctxlint carries.

use std::sync::Arc;

use super::schema::Framework;
use super::{BUILTIN, Vocabulary};

/// What a project's own code calls things.
#[derive(Clone, Debug, Default)]
pub struct Words(Option<Arc<Vocabulary>>);

impl Words {
    /// The words of a project, which win over those of ctxlint where both give one literal a meaning.
    pub(crate) fn with(mut project: Framework) -> Self {
        project.is_project = true;
        let carried = Vocabulary::read(&BUILTIN).expect("the carried files are read by a test");
        let files = std::iter::once(project).chain(carried).collect();
        Self(Some(Arc::new(Vocabulary::of(files))))
    }

    /// Everything that is known.
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        match &self.0 {
            Some(extended) => extended,
            None => Vocabulary::builtin(),
        }
    }
}
