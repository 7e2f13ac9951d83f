//! How far a long run has come, on a terminal.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::transcript::Progress;

/// Fewer bytes than this are read before anybody wonders.
const SHORT: u64 = 64 << 20;

/// A bar on standard error for files of these names, where it is a terminal and there is much to read.
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    pub(crate) fn over(files: &[PathBuf], quiet: bool) -> Self {
        if quiet || !io::stderr().is_terminal() {
            return Self(None);
        }
        let sizes = files
            .iter()
            .filter_map(|file| file.metadata().ok())
            .map(|file| file.len());
        let total = sizes.sum::<u64>();
        if total < SHORT {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        // A template that cannot be read leaves the usual bar.
        if let Ok(style) = ProgressStyle::with_template("{wide_bar} {bytes} of {total_bytes}, {eta} left") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(Some(bar))
    }

    /// What the run tells.
    pub(crate) fn progress(&self) -> Progress {
        match &self.0 {
            Some(bar) => {
                let bar = bar.clone();
                Progress::new(move |bytes| bar.inc(bytes))
            }
            None => Progress::default(),
        }
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
