//! Where reports go.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

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
            format!("no format of this name; there are {}", known.join(", "))
        })?;
        Ok(Self { format, file })
    }
}

/// The sinks of a run: what was asked for, or human on stdout.
pub(crate) fn plan(asked: &[SinkSpec]) -> Result<Vec<SinkSpec>, String> {
    if asked.iter().filter(|sink| sink.file.is_none()).count() > 1 {
        return Err("only one --format can go to stdout; give the others a file, as in --format json=FILE".to_owned());
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
            let named = |error: io::Error| io::Error::other(format!("{}: {error}", path.display()));
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
