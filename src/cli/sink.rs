//! Where reports go.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{self, Path, PathBuf};

use crate::nearest;
use crate::report::text::one_line;
use crate::report::{Format, Report};

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

/// The sinks of a run: what was asked for, or human on stdout.
pub(crate) fn plan(asked: &[SinkSpec]) -> Result<Vec<SinkSpec>, String> {
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
    if asked.is_empty() {
        return Ok(vec![SinkSpec {
            format: Format::Human,
            file: None,
        }]);
    }
    Ok(asked.to_vec())
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
            let mut out = BufWriter::new(File::create(path).map_err(named)?);
            let plain = Report {
                color: false,
                ..*report
            };
            sink.format.write(&plain, &mut out).map_err(named)?;
            out.flush().map_err(named)
        }
    }
}

/// Why there is no report in a file, and what to do.
fn unwritten(path: &Path, error: &io::Error) -> io::Error {
    let advice = match error.kind() {
        io::ErrorKind::NotFound => "make its folder first",
        io::ErrorKind::IsADirectory => "name a file in this folder",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => "name a file that you may write",
        io::ErrorKind::StorageFull => "free some space",
        _ => "name another file",
    };
    let path = path.display().to_string();
    io::Error::other(format!(
        "{}: the report is not written: {error}; {advice}",
        one_line(&path)
    ))
}
