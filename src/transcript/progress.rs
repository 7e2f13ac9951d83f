//! How far a long run has come.

use std::fmt;
use std::sync::Arc;

/// Is told how many bytes of records were read, from several threads at once.
#[derive(Clone, Default)]
pub struct Progress(Option<Arc<dyn Fn(u64) + Send + Sync>>);

impl Progress {
    /// Tells `told` how many more bytes were read.
    pub fn new(told: impl Fn(u64) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    pub(super) fn read(&self, bytes: u64) {
        if let Some(told) = &self.0 {
            told(bytes);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Progress").field(&self.0.is_some()).finish()
    }
}
