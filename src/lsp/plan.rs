//! What an analysis goes by: the project of a file and its configuration, as `check` would find them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::client::Client;
use super::documents::Document;
use crate::baseline::Baseline;
use crate::code::{CheckOptions, Texts};
use crate::config::{self, Config, Source};
use crate::exclude::Exclusion;
use crate::finding::Confidence;
use crate::fingerprint;
use crate::interrupt::Stop;
use crate::outcome::Outcome;
use crate::roots::Roots;
use crate::select::Selection;

/// Open files that are analysed together.
#[derive(Debug)]
pub(super) struct Group<'d> {
    /// The folder of the project; none for a file outside of any, which is alone.
    pub(super) project: Option<PathBuf>,
    config: Option<PathBuf>,
    pub(super) documents: Vec<&'d Document>,
}

/// Open files by their projects and configurations.
pub(super) fn groups<'d>(documents: &'d [Document], client: &Client) -> Vec<Group<'d>> {
    type Key<'k> = (Option<PathBuf>, Option<PathBuf>, Option<&'k Path>);
    let mut groups: BTreeMap<Key<'_>, Vec<&Document>> = BTreeMap::new();
    for document in documents {
        let near = there(&document.path);
        let root = Roots::of(&[near.to_owned()]).marked().map(Path::to_owned);
        let project = root.or_else(|| {
            // A folder that is open stands for a project, and nothing more of the machine does.
            let mut open = client.folders.iter().filter_map(|folder| folder.canonicalize().ok());
            let near = near.canonicalize().ok()?;
            open.find(|folder| near.starts_with(folder) && folder.parent().is_some())
        });
        let settings = &client.settings;
        let config = match &settings.config {
            _ if settings.isolated => None,
            Some(path) => Some(path.clone()),
            None => config::nearest(near),
        };
        let alone = project.is_none().then_some(&*document.path);
        groups.entry((project, config, alone)).or_default().push(document);
    }
    let all = groups.into_iter().map(|((project, config, _), documents)| Group {
        project,
        config,
        documents,
    });
    all.collect()
}

/// The nearest that there is of a path: the folder of a file that was never saved.
fn there(path: &Path) -> &Path {
    path.ancestors().find(|path| path.exists()).unwrap_or(path)
}

/// What an analysis of a group goes by.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) options: CheckOptions,
    selection: Selection,
    baseline: Option<Baseline>,
    roots: Roots,
}

impl Plan {
    /// Reads the configuration of a group. The error is for people.
    pub(super) fn of(group: &Group<'_>, texts: &Texts, client: &Client, stop: &Stop) -> Result<Self, String> {
        let source = group.config.as_deref().map_or(Source::Isolated, Source::Named);
        let config = Config::load(source).map_err(|error| error.render(false).trim_end().to_owned())?;
        let baseline = config.baseline.as_deref().map(Baseline::read).transpose()?;
        let paths: Vec<PathBuf> = group.documents.iter().map(|document| document.path.clone()).collect();
        let near: Vec<PathBuf> = paths.iter().map(|path| there(path).to_owned()).collect();
        Ok(Self {
            roots: Roots::of(&near),
            selection: selection(&config, client.settings.min_confidence),
            baseline,
            options: CheckOptions {
                paths,
                texts: texts.clone(),
                words: config.words,
                // What a project leaves out is left out though somebody looks at it.
                exclusion: Exclusion::new(config.exclude.into_iter().collect(), true),
                project: group.project.clone(),
                // What a file is for shows in the folders above it.
                listed: true,
                users: true,
                stop: stop.clone(),
                ..CheckOptions::default()
            },
        })
    }

    /// Takes away what is not to be shown.
    pub(super) fn narrow(&self, outcome: &mut Outcome) {
        fingerprint::assign(outcome, &self.roots);
        self.selection.apply(outcome);
        // What is said about comments came after the rest.
        fingerprint::assign(outcome, &self.roots);
        if let Some(baseline) = &self.baseline {
            baseline.apply(outcome);
        }
    }
}

fn selection(config: &Config, min_confidence: Option<Confidence>) -> Selection {
    let usual = Selection::default();
    Selection {
        select: config.select.clone(),
        ignore: config.ignore.clone(),
        pedantic: config.pedantic,
        min_severity: config.min_severity.unwrap_or(usual.min_severity),
        min_confidence: min_confidence.or(config.min_confidence).unwrap_or(usual.min_confidence),
        rules: config.rules.clone(),
        per_path: config.per_path.clone(),
    }
}
