//! The thread that analyses: takes what is open, tells what is found in it.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread;

use lsp_types::Uri;

use super::client::Client;
use super::diagnostics::{Shown, Texts};
use super::documents::{self, Document};
use super::plan::{self, Group, Plan};
use super::server::Event;
use crate::code::{self, Kept};
use crate::interrupt::Stop;

/// What is to be analysed anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Stale {
    /// Nothing.
    #[default]
    Nothing,
    /// What these files have something to do with.
    Files(Vec<PathBuf>),
    /// Everything that is open.
    Everything,
}

impl Stale {
    /// Both.
    pub(super) fn and(&mut self, other: Self) {
        *self = match (std::mem::take(self), other) {
            (Self::Nothing, one) | (one, Self::Nothing) => one,
            (Self::Files(mut files), Self::Files(more)) => {
                files.extend(more);
                files.dedup();
                Self::Files(files)
            }
            _ => Self::Everything,
        };
    }

    /// Whether it has something to do with open files of one project.
    fn touches(&self, group: &Group<'_>) -> bool {
        match self {
            Self::Nothing => false,
            Self::Everything => true,
            Self::Files(files) => files.iter().any(|file| {
                let is_inside = |project: &PathBuf| documents::canonical(file).starts_with(project);
                let is_open = group.documents.iter().any(|document| document.path == *file);
                is_open || group.project.as_ref().is_some_and(is_inside)
            }),
        }
    }
}

/// What is open, and what of it is to be analysed.
#[derive(Debug)]
pub(super) struct Job {
    /// Tells jobs apart.
    pub(super) number: u64,
    pub(super) documents: Vec<Document>,
    pub(super) stale: Stale,
    pub(super) client: Arc<Client>,
    pub(super) stop: Stop,
}

/// What a job came to.
#[derive(Debug)]
pub(super) struct Done {
    /// That of the job.
    pub(super) number: u64,
    pub(super) stale: Stale,
    /// What is shown in the files that were analysed.
    pub(super) shown: BTreeMap<Uri, Arc<[Shown]>>,
    /// What stopped files from being analysed, for people.
    pub(super) problems: Vec<String>,
}

/// Starts the thread; it ends when nobody can give it a job any more.
pub(super) fn worker(tell: Sender<Event>) -> Sender<Job> {
    let (give, take) = mpsc::channel::<Job>();
    thread::spawn(move || {
        let kept = Arc::new(Kept::default());
        for job in take {
            // One file that makes the analysis fail must not cost the person the linter.
            let done = panic::catch_unwind(AssertUnwindSafe(|| run(&job, &kept))).unwrap_or_else(|_| Done {
                number: job.number,
                stale: Stale::Nothing,
                shown: BTreeMap::new(),
                problems: vec!["the analysis has failed; please report what stands above this line".to_owned()],
            });
            kept.end_run();
            if tell.send(Event::Analysed(done)).is_err() {
                return;
            }
        }
    });
    give
}

fn run(job: &Job, kept: &Arc<Kept>) -> Done {
    let mut done = Done {
        number: job.number,
        stale: job.stale.clone(),
        shown: BTreeMap::new(),
        problems: Vec::new(),
    };
    let texts: code::Texts = job
        .documents
        .iter()
        .map(|one| (one.path.clone(), Arc::clone(&one.text)))
        .collect();
    for group in plan::groups(&job.documents, &job.client) {
        if job.stop.told() {
            break;
        }
        if !job.stale.touches(&group) {
            continue;
        }
        let found = match Plan::of(&group, &texts, &job.client, &job.stop) {
            Ok(mut plan) => {
                plan.options.kept = Some(Arc::clone(kept));
                let mut outcome = code::check(&plan.options);
                plan.narrow(&mut outcome);
                outcome.findings
            }
            // Findings without the configuration would be others.
            Err(problem) => {
                done.problems.push(problem);
                Vec::new()
            }
        };
        let mut texts = Texts::of(&job.documents, &job.client);
        for document in &group.documents {
            let own = found.iter().filter(|finding| finding.path() == document.path);
            let shown: Arc<[Shown]> = own.map(|finding| texts.shown(finding, document)).collect();
            done.shown.insert(document.uri.clone(), shown);
        }
    }
    done
}
