//! Where reports go.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{self, Path, PathBuf};

use crate::nearest;
use crate::report::text::one_line;
use crate::report::{Format, Report, WIDTH, github};
use crate::write;

/// `FORMAT[=FILE]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SinkSpec {
    pub(crate) format: Format,
    /// Stdout where it is absent.
    pub(crate) file: Option<PathBuf>,
}

impl SinkSpec {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (word, file) = match text.split_once('=') {
            Some((_, "")) => return Err("the file name after `=` is missing".to_owned()),
            Some((word, file)) => (word, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let format = Format::parse(word).ok_or_else(|| {
            let known: Vec<_> = Format::ALL.iter().map(|format| format.as_str()).collect();
            match nearest::nearest(word, known) {
                Some(near) => format!("no format of this name; did you mean `{near}`?"),
                None => format!("no format of this name; there are {}", Format::names()),
            }
        })?;
        Ok(Self { format, file })
    }
}

/// The sinks of a run: what was asked for, or human on stdout; there too where findings are only counted.
pub(crate) fn plan(asked: &[SinkSpec], counts: bool) -> Result<Vec<SinkSpec>, String> {
    let human = || SinkSpec {
        format: Format::Human,
        file: None,
    };
    if counts && let Some(sink) = asked.iter().find(|sink| sink.file.is_none()) {
        let format = sink.format.as_str();
        return Err(format!(
            "--statistics goes to stdout; give --format {format} a file, as in --format {format}=FILE"
        ));
    }
    if asked.iter().filter(|sink| sink.file.is_none()).count() > 1 {
        return Err("only one --format can go to stdout; give the others a file, as in --format json=FILE".to_owned());
    }
    let mut files: Vec<(PathBuf, &SinkSpec)> = Vec::new();
    for sink in asked {
        let Some(file) = &sink.file else { continue };
        let place = file.canonicalize().or_else(|_| path::absolute(file));
        let place = place.unwrap_or_else(|_| file.clone());
        if let Some((_, other)) = files.iter().find(|(taken, _)| *taken == place) {
            return Err(format!(
                "--format {} and --format {} would both write {}; give each a file of its own",
                other.format.as_str(),
                sink.format.as_str(),
                one_line(&file.display().to_string()),
            ));
        }
        files.push((place, sink));
    }
    let mut sinks = asked.to_vec();
    if asked.is_empty() || counts {
        sinks.push(human());
    }
    Ok(sinks)
}

/// Writes one report. Files never get colours.
pub(crate) fn write(sink: &SinkSpec, report: &Report<'_>) -> io::Result<()> {
    match &sink.file {
        None => {
            let mut out = BufWriter::new(io::stdout().lock());
            sink.format.write(report, &mut out)?;
            out.flush()
        }
        Some(path) => {
            let named = |error: io::Error| unwritten(path, &error);
            let plain = Report {
                width: WIDTH,
                color: false,
                ..*report
            };
            // A folder is refused in the words of the system.
            if path.is_dir() {
                File::create(path).map_err(named)?;
            }
            write::atomically_by(path, |out| sink.format.write(&plain, out)).map_err(named)
        }
    }
}

/// GitHub takes no more of a step, of which the last bytes are left to those who reckon otherwise.
const STEP_SUMMARY: usize = (1 << 20) - 1024;

/// Appends the table of findings to the summary of a step of a workflow, where there is one.
pub(crate) fn write_step_summary(report: &Report<'_>) -> Option<io::Result<()>> {
    let path = PathBuf::from(std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty())?);
    let append = || {
        let mut file = File::options().append(true).create(true).open(&path)?;
        let there = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
        file.write_all(github::step_summary(report, STEP_SUMMARY.saturating_sub(there)).as_bytes())
    };
    Some(append().map_err(|error| unwritten(&path, &error)))
}

/// Why there is no report in a file, and what to do.
fn unwritten(path: &Path, error: &io::Error) -> io::Error {
    let advice = write::advice(error);
    let path = path.display().to_string();
    io::Error::other(format!(
        "{}: the report is not written: {error}; {advice}",
        one_line(&path)
    ))
}
