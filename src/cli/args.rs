//! The command line, as clap reads it.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::cli::sink::SinkSpec;
use crate::cli::when;
use crate::exclude;
use crate::finding::{Confidence, Severity};
use crate::history::reducer::Reducer;
use crate::report::Format;
use crate::rule::{self, Rule};
use crate::select::Selector;
use crate::transcript::discoverable;

/// Finds places where agent code, or a recorded run, makes the model believe the wrong "now".
#[derive(Debug, Parser)]
#[command(
    version,
    max_term_width = 100,
    after_help = "Exit status: 0 clean, 1 findings at or over --fail-on, 2 usage or I/O error, \
                  3 nothing that could be checked, 130 interrupted: what was read until then is reported."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check agent code
    Check(CheckArgs),
    /// Audit recorded transcripts
    Audit(AuditArgs),
    /// Show the history of a recorded run, step by step
    Replay(ReplayArgs),
    /// Fold rows {"left", "updates"} through a reducer
    Fold(FoldArgs),
    /// Show where a project puts something into a history or changes it
    Map(MapArgs),
    /// Show what the analysis sees in a source file
    Facts(FactsArgs),
    /// Write a configuration, a pre-commit hook and a workflow, where there are none yet
    Init(InitArgs),
    /// Print a rule's page
    Explain(ExplainArgs),
    /// Print the table of rules
    Rules(RulesArgs),
    /// Serve an editor: what check finds, as you type
    Lsp(LspArgs),
    /// Print what a shell needs to complete the command line
    Completions(CompletionsArgs),
    /// Print the manual page
    Man(ManArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckArgs {
    /// Files and folders (default: the current folder); - is standard input
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// What the text on standard input is called: the file whose place it takes
    #[arg(long, value_name = "NAME")]
    pub(crate) stdin_filename: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten, next_help_heading = "Fixes")]
    pub(crate) fixes: FixFlags,
    #[command(flatten, next_help_heading = "Cache")]
    pub(crate) cache: CacheFlags,
}

/// Whether the result of an earlier run over the same files may do.
#[derive(Debug, ClapArgs)]
pub(crate) struct CacheFlags {
    /// Neither read nor write the cache
    #[arg(long, conflicts_with = "cache_dir")]
    pub(crate) no_cache: bool,
    // As an attribute, so that a leading dot may stand in it.
    #[arg(
        long,
        value_name = "DIR",
        help = "Where results are kept (default: .ctxlint_cache beside the configuration, or else in the current folder)"
    )]
    pub(crate) cache_dir: Option<PathBuf>,
}

/// Which findings are mended, and how far.
#[derive(Debug, ClapArgs)]
pub(crate) struct FixFlags {
    /// Apply the safe fixes, and report what is left
    #[arg(long, conflicts_with_all = ["changed", "write_baseline"])]
    pub(crate) fix: bool,
    /// Take fixes too that change what the program does: apply them with --fix, else show them
    #[arg(long)]
    pub(crate) unsafe_fixes: bool,
    /// Show as a unified diff what --fix would change, and write nothing; exit with 1 if it would
    #[arg(long, conflicts_with_all = ["format", "changed", "write_baseline"])]
    pub(crate) diff: bool,
    /// Put an ignore comment with this reason above every finding that is reported, and report what is left
    #[arg(long, value_name = "REASON", value_parser = reason, conflicts_with_all = ["fix", "unsafe_fixes", "changed", "write_baseline"])]
    pub(crate) add_ignore: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct AuditArgs {
    /// Files and folders (default: the current folder); - is standard input
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read every file as this format instead of looking at its content
    #[arg(long, value_name = "FORMAT")]
    pub(crate) input_format: Option<String>,
    /// Look into the places where agents keep your own sessions: those of one format, or all
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, default_missing_value = "", value_parser = store(), conflicts_with_all = ["paths", "files_from"])]
    pub(crate) discover: Option<String>,
    /// Compare the histories with those of an older run: a file, a folder, an archive or a database (repeatable)
    #[arg(long, value_name = "OLDER")]
    pub(crate) against: Vec<PathBuf>,
    /// Print for every file what became of its records, and which sessions it holds
    #[arg(long)]
    pub(crate) coverage: bool,
    /// Print what the calls of each session cost: tokens by class, and what breaks of the cached prefix cost, by cause
    #[arg(long)]
    pub(crate) cost: bool,
    /// What models cost, before the prices that ctxlint knows: a file like the one in docs/cost.md
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
    #[command(flatten, next_help_heading = "Sessions")]
    pub(crate) sessions: SessionFlags,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Which sessions are reported.
#[derive(Debug, ClapArgs)]
pub(crate) struct SessionFlags {
    /// Only sessions whose id begins like this (repeatable)
    #[arg(long, value_name = "ID")]
    pub(crate) session: Vec<String>,
    /// Only sessions in which something happened since: 90m, 12h, 7d, 2w, a date, or a time in RFC 3339
    #[arg(long, value_name = "WHEN", value_parser = when::parse)]
    pub(crate) since: Option<i64>,
    /// Only so many sessions, the newest
    #[arg(long, value_name = "N")]
    pub(crate) last: Option<NonZeroUsize>,
    /// Only sessions of this folder and those in it
    #[arg(long, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
}

/// The flags that `check` and `audit` share.
#[derive(Debug, ClapArgs)]
pub(crate) struct Common {
    /// How many threads to use (default: one a core)
    #[arg(short, long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    #[command(flatten, next_help_heading = "Files")]
    pub(crate) files: FileFlags,
    #[command(flatten, next_help_heading = "Configuration")]
    pub(crate) config: ConfigFlags,
    /// Print what the configuration and the command line come to, and do nothing else
    #[arg(long, help_heading = "Configuration")]
    pub(crate) show_config: bool,
    #[command(flatten, next_help_heading = "Rules")]
    pub(crate) rules: RuleFlags,
    #[command(flatten, next_help_heading = "Known findings")]
    pub(crate) known: KnownFlags,
    #[command(flatten, next_help_heading = "Output")]
    pub(crate) output: OutputFlags,
}

/// Which files are read.
#[derive(Debug, ClapArgs)]
pub(crate) struct FileFlags {
    /// Leave out what this pattern names, in the form of .gitignore (repeatable)
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    pub(crate) exclude: Vec<String>,
    /// Leave out what is excluded even if it is named here; exit with 0 if nothing is left
    #[arg(long)]
    pub(crate) force_exclude: bool,
    /// Read the names of files from this file, one a line; - is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "paths")]
    pub(crate) files_from: Option<PathBuf>,
    /// Print the files that would be read, one a line, and do nothing else
    #[arg(long)]
    pub(crate) show_files: bool,
}

/// Which findings are known already.
#[derive(Debug, ClapArgs)]
pub(crate) struct KnownFlags {
    /// Do not report what is in this baseline
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write what would be reported to the baseline instead, without entries that name nothing any more
    #[arg(long)]
    pub(crate) write_baseline: bool,
    /// Report only what touches lines that were added since the history parted from that of REF
    /// (default: HEAD)
    #[arg(long, value_name = "REF", num_args = 0..=1, default_missing_value = "HEAD", conflicts_with = "write_baseline")]
    pub(crate) changed: Option<String>,
}

/// Which configuration file is read.
#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigFlags {
    /// Read this configuration file instead of the nearest above the first path: ctxlint.toml, or
    /// pyproject.toml with a table [tool.ctxlint]
    #[arg(long, value_name = "FILE", conflicts_with = "isolated")]
    pub(crate) config: Option<PathBuf>,
    /// Read no configuration file
    #[arg(long)]
    pub(crate) isolated: bool,
}

/// Which findings are shown.
#[derive(Debug, ClapArgs)]
pub(crate) struct RuleFlags {
    /// Run only these rules or families (comma-separated, repeatable); housekeeping stays on
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = Selector::parse)]
    pub(crate) select: Vec<Selector>,
    /// Leave these rules or families out
    #[arg(long, value_name = "RULE", value_delimiter = ',', value_parser = Selector::parse)]
    pub(crate) ignore: Vec<Selector>,
    /// Run the opt-in rules too
    #[arg(long)]
    pub(crate) pedantic: bool,
    /// Hide findings under this severity: error, warn or info (default)
    #[arg(long, value_name = "SEVERITY", value_parser = severity(), hide_possible_values = true)]
    pub(crate) min_severity: Option<Severity>,
    /// Hide findings under this confidence: high, medium (default) or low
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidence(), hide_possible_values = true)]
    pub(crate) min_confidence: Option<Confidence>,
}

/// How they are shown, and what they mean for the exit status.
#[derive(Debug, ClapArgs)]
pub(crate) struct OutputFlags {
    /// Exit with 1 when a finding has this severity or a higher one: error, warn (default) or info
    #[arg(long, value_name = "SEVERITY", value_parser = severity(), hide_possible_values = true)]
    pub(crate) fail_on: Option<Severity>,
    /// Exit with 0 where it would be 1
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = SinkSpec::parse, help = formats())]
    pub(crate) format: Vec<SinkSpec>,
    /// Print how many findings each rule has instead of the findings
    #[arg(long)]
    pub(crate) statistics: bool,
    /// Say on stderr what took how long
    #[arg(long)]
    pub(crate) timings: bool,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Findings only: no summary, no coverage
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say on stderr which files were read and why findings are hidden
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReplayArgs {
    /// A recorded run; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Only the steps of this turn, from 1
    #[arg(long, value_name = "N")]
    pub(crate) turn: Option<u32>,
    /// Lines for people, JSON, or a page that draws it
    #[arg(long, default_value = "human")]
    pub(crate) format: ReplayForm,
    /// Read the file as this format instead of looking at its content
    #[arg(long, value_name = "FORMAT")]
    pub(crate) input_format: Option<String>,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    #[command(flatten)]
    pub(crate) config: ConfigFlags,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FoldArgs {
    /// One row a line; - is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub(crate) file: PathBuf,
    /// How updates are folded
    #[arg(long, value_name = "REDUCER", default_value = "add-messages", value_parser = reducer())]
    pub(crate) reducer: Reducer,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct MapArgs {
    /// Files and folders
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) paths: Vec<PathBuf>,
    /// A table for people, JSON, or a Markdown table
    #[arg(long, default_value = "human")]
    pub(crate) format: MapFormat,
    #[command(flatten)]
    pub(crate) config: ConfigFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MapFormat {
    Human,
    Json,
    Md,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct FactsArgs {
    /// A source file, or the function around one of its lines
    #[arg(value_name = "FILE[:LINE]")]
    pub(crate) target: PathBuf,
    #[command(flatten)]
    pub(crate) config: ConfigFlags,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// The folder of the project
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) path: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// The rule's id
    #[arg(value_parser = rule::known)]
    pub(crate) rule: &'static Rule,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RulesArgs {
    /// Table for people, or JSON
    #[arg(long, default_value = "human")]
    pub(crate) format: TableFormat,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct LspArgs {
    /// Messages go over standard input and output; the only way there is, and named by some editors
    #[arg(long)]
    pub(crate) stdio: bool,
    #[command(flatten)]
    pub(crate) config: ConfigFlags,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// The shell that reads it
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ManArgs {
    /// Write the page of the program and one for each command into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayForm {
    Human,
    Json,
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    Human,
    Json,
}

fn formats() -> String {
    let others = Format::names();
    let others = others.split_once(", ").map_or("", |(_human, others)| others);
    format!("How to report, to stdout or to a file (repeatable): human (default), {others}")
}

fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err("a reason is one line that says why the findings are wanted".to_owned());
    }
    Ok(text.to_owned())
}

fn pattern(text: &str) -> Result<String, String> {
    exclude::check(text).map(|()| text.to_owned())
}

fn reducer() -> impl TypedValueParser<Value = Reducer> {
    PossibleValuesParser::new(Reducer::ALL.map(|(name, _)| name))
        .map(|name| name.parse().expect("clap lets only the listed words through"))
}

fn store() -> impl TypedValueParser<Value = String> {
    // Nothing stands for all of them; it is what a flag without a value means.
    let names = std::iter::once(PossibleValue::new("").hide(true));
    PossibleValuesParser::new(names.chain(discoverable().into_iter().map(PossibleValue::new)))
}

fn severity() -> impl TypedValueParser<Value = Severity> {
    PossibleValuesParser::new(["error", "warn", "info"])
        .map(|word| Severity::parse(&word).expect("clap lets only the listed words through"))
}

fn confidence() -> impl TypedValueParser<Value = Confidence> {
    PossibleValuesParser::new(["high", "medium", "low"])
        .map(|word| Confidence::parse(&word).expect("clap lets only the listed words through"))
}
