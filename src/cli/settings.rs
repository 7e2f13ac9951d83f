//! What a run goes by: the command line, over the configuration, over what holds without both.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::baseline::{self, Baseline};
use crate::changed::Changed;
use crate::cli::args::{Common, ConfigFlags};
use crate::cli::inputs::Inputs;
use crate::cli::sink::{self, SinkSpec};
use crate::cli::{color, complain};
use crate::config::{self, Config, Source};
use crate::exclude::{Exclusion, Globs};
use crate::finding::{Confidence, Severity};
use crate::fingerprint;
use crate::outcome::Outcome;
use crate::report::Half;
use crate::report::text::{count, one_line};
use crate::roots::Roots;
use crate::select::{Hidden, Selection};

/// Everything that `check` and `audit` go by.
pub(crate) struct Settings {
    pub(crate) half: Half,
    pub(crate) inputs: Inputs,
    pub(crate) config: Config,
    pub(crate) selection: Selection,
    pub(crate) exclusion: Exclusion,
    pub(crate) roots: Roots,
    pub(crate) sinks: Vec<SinkSpec>,
    pub(crate) fail_on: Severity,
    /// The findings that are known, and the file they stand in.
    pub(crate) baseline: Option<(PathBuf, Baseline)>,
    /// What was added, and since when.
    changed: Option<(String, Changed)>,
    /// Whether every file may be left out without that being worth a word.
    pub(crate) listed: bool,
}

/// What was taken away from an outcome.
#[derive(Default)]
pub(crate) struct Narrowed {
    pub(crate) hidden: Hidden,
    /// By the baseline.
    pub(crate) known: usize,
    /// By `--changed`.
    pub(crate) untouched: usize,
    /// The fingerprints of everything that was found.
    found: FxHashSet<String>,
}

impl Settings {
    /// Settles what a run goes by; says what is wrong where that cannot be.
    pub(crate) fn of(half: Half, common: &Common, inputs: Inputs) -> Option<Self> {
        let config = configuration(&common.config, &inputs.paths)?;
        match Self::settled(half, common, inputs, config) {
            Ok(settings) => Some(settings),
            Err(message) => {
                complain(format_args!("{}", one_line(&message)));
                None
            }
        }
    }

    fn settled(half: Half, common: &Common, inputs: Inputs, config: Config) -> Result<Self, String> {
        let roots = Roots::of(&inputs.paths);
        let here = || Globs::new(Path::new("."), common.files.exclude.iter().map(String::as_str));
        let given = (!common.files.exclude.is_empty()).then(here);
        let globs = config.exclude.clone().into_iter().chain(given);
        let known = match half {
            Half::Check => common.known.baseline.clone().or_else(|| config.baseline.clone()),
            Half::Audit => common.known.baseline.clone(),
        };
        let baseline = match known.map(|path| near(&path)) {
            // What is to be written need not be there.
            Some(path) if common.known.write_baseline && !path.exists() => Some((path, Baseline::default())),
            Some(path) => Some((path.clone(), Baseline::read(&path)?)),
            None if common.known.write_baseline => {
                let path = near(&baseline::default_path(&roots));
                let old = if path.exists() {
                    Baseline::read(&path)?
                } else {
                    Baseline::default()
                };
                Some((path, old))
            }
            None => None,
        };
        let changed = common.known.changed.as_ref();
        let changed = changed.map(|since| Ok::<_, String>((since.clone(), Changed::since(since, &roots)?)));
        Ok(Self {
            half,
            selection: selection(common, &config),
            exclusion: Exclusion::new(globs.collect(), common.files.force_exclude || inputs.listed),
            sinks: sink::plan(&common.output.format, common.output.statistics)?,
            fail_on: common.output.fail_on.or(config.fail_on).unwrap_or(Severity::Warn),
            baseline,
            changed: changed.transpose()?,
            listed: common.files.force_exclude || inputs.listed,
            roots,
            inputs,
            config,
        })
    }

    /// Takes away what is not to be reported.
    pub(crate) fn narrow(&self, outcome: &mut Outcome, writes_baseline: bool) -> Narrowed {
        fingerprint::assign(outcome, &self.roots);
        let found = outcome
            .findings
            .iter()
            .filter_map(|finding| finding.fingerprint.clone());
        let mut narrowed = Narrowed {
            found: found.collect(),
            ..Narrowed::default()
        };
        narrowed.hidden = self.selection.apply(outcome);
        // What is said about comments came after the rest.
        fingerprint::assign(outcome, &self.roots);
        narrowed.found.extend(
            outcome
                .findings
                .iter()
                .filter_map(|finding| finding.fingerprint.clone()),
        );
        if let Some((_, baseline)) = self.baseline.as_ref().filter(|_| !writes_baseline) {
            narrowed.known = baseline.apply(outcome);
        }
        if let Some((_, changed)) = &self.changed {
            let before = outcome.findings.len();
            outcome.findings.retain(|finding| changed.touches(finding, &self.roots));
            narrowed.untouched = before - outcome.findings.len();
            outcome.hidden += narrowed.untouched;
        }
        narrowed
    }

    /// Says what the baseline and `--changed` did.
    pub(crate) fn say(&self, narrowed: &Narrowed, outcome: &Outcome) {
        if let Some((path, baseline)) = &self.baseline {
            let path = one_line(&path.display().to_string()).into_owned();
            if narrowed.known > 0 {
                let known = count(narrowed.known as u64, "finding");
                complain(format_args!("{known} known from {path}"));
            }
            let stale = baseline.stale(&narrowed.found, outcome, &self.selection.taking_part(), &self.roots);
            if !stale.is_empty() {
                let number = if stale.len() == 1 {
                    "1 entry names".to_owned()
                } else {
                    format!("{} entries name", stale.len())
                };
                let them = if stale.len() == 1 { "it" } else { "them" };
                complain(format_args!(
                    "{path}: {number} nothing any more; --write-baseline takes {them} out"
                ));
                for entry in stale {
                    complain(format_args!("  {}", one_line(&entry.to_string())));
                }
            }
        }
        if let Some((since, _)) = self.changed.as_ref().filter(|_| narrowed.untouched > 0) {
            let number = count(narrowed.untouched as u64, "finding");
            complain(format_args!("{number} on no line added since {since} hidden"));
        }
    }

    /// Writes what would be reported to the baseline.
    pub(crate) fn write_baseline(&self, outcome: &Outcome) -> Result<(), String> {
        let (path, old) = self.baseline.as_ref().ok_or("there is no baseline to write")?;
        let mut new = Baseline::of(&outcome.findings, &self.roots);
        let ran = self.selection.taking_part();
        new.keep(old, outcome, &ran, &self.roots);
        new.write(path)?;
        let (added, pruned) = (new.missing_in(old), old.missing_in(&new));
        complain(format_args!(
            "{}: {} ({added} new, {pruned} taken out)",
            one_line(&path.display().to_string()),
            count(new.len() as u64, "finding")
        ));
        if self.half == Half::Check && self.config.baseline.is_none() {
            complain(format_args!(
                "  help: name it with --baseline {0}, or write baseline = \"{0}\" in {1}",
                path.display(),
                config::FILE_NAME
            ));
        }
        Ok(())
    }
}

/// The configuration of a run over some paths; says what is wrong with it where there is none.
pub(crate) fn configuration(flags: &ConfigFlags, paths: &[PathBuf]) -> Option<Config> {
    let source = match &flags.config {
        _ if flags.isolated => Source::Isolated,
        Some(path) => Source::Named(path),
        None => Source::Above(paths.first().map_or(Path::new("."), PathBuf::as_path)),
    };
    let error = match Config::load(source) {
        Ok(config) => return Some(config),
        Err(error) => error,
    };
    complain(format_args!("{}", error.render(color::on_stderr()).trim_end()));
    None
}

/// Which findings the user wants to see.
fn selection(common: &Common, config: &Config) -> Selection {
    let flags = &common.rules;
    let given = if flags.select.is_empty() {
        &config.select
    } else {
        &flags.select
    };
    Selection {
        select: given.clone(),
        ignore: config.ignore.iter().chain(&flags.ignore).cloned().collect(),
        pedantic: flags.pedantic || config.pedantic,
        min_severity: flags.min_severity.or(config.min_severity).unwrap_or(Severity::Info),
        min_confidence: flags
            .min_confidence
            .or(config.min_confidence)
            .unwrap_or(Confidence::Medium),
        rules: config.rules.clone(),
        per_path: config.per_path.clone(),
    }
}

/// A path as somebody in the working directory would write it.
fn near(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).to_owned()
}
