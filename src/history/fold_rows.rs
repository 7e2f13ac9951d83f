//! `ctxlint fold`: rows of a state and its updates, folded one after another.

use std::io::{self, BufRead, Read as _, Write};

use serde_json::Value;

use super::coerce::Raised;
use super::reducer::Reducer;
use super::rows::Folder;

/// Longest row that is read, in bytes: what a row holds is many times its size in memory.
pub const LONGEST_ROW: u64 = 8 << 20;

/// A line that is no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// 1-based line.
    pub line: u64,
    /// 1-based column, where there is one.
    pub column: Option<u64>,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
}

/// How many lines were what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Rows that were folded; a row that ends in an error of the reducer is one of them.
    pub rows: u64,
    /// Lines that are no rows. A run with any has failed: exit status 2.
    pub malformed: u64,
}

/// What stopped a run.
#[derive(Debug)]
pub enum Stopped {
    /// The input could not be read on.
    Reading(io::Error),
    /// The output could not be written on; a closed pipe is the normal end of a run.
    Writing(io::Error),
}

/// Folds every row of `input` and writes a line for each to `output`.
///
/// A row is a JSON object with `left`, the state before the first update, and `updates`, a list; its
/// `format`, where it is set, is the `format=` of `add_messages`; other keys are ignored. The line for
/// it is `{"states": [...], "error": null}` with the state after each update that worked; the first one
/// that does not is the `error`, with `at`, its place in the list, and the `kind` and `message` of the
/// exception that the real reducer raises. Messages without an id get `auto-1`, `auto-2`, … in every
/// row, in the order in which the real reducer asks for ids.
///
/// An empty line is skipped. A line that is no row is handed to `malformed`, as it is met, and the run
/// goes on.
pub fn run(
    reducer: Reducer,
    mut input: impl BufRead,
    mut output: impl Write,
    mut malformed: impl FnMut(Malformed),
) -> Result<Summary, Stopped> {
    let mut summary = Summary::default();
    let mut text = Vec::new();
    for line in 1.. {
        text.clear();
        let read = input.by_ref().take(LONGEST_ROW + 1).read_until(b'\n', &mut text);
        if read.map_err(Stopped::Reading)? == 0 {
            break;
        }
        let row = if text.len() as u64 > LONGEST_ROW {
            skip_line(&mut input).map_err(Stopped::Reading)?;
            Err((None, format!("the line is longer than {} MiB", LONGEST_ROW >> 20)))
        } else if text.trim_ascii().is_empty() {
            continue;
        } else {
            Row::parse(reducer, text.trim_ascii_end())
        };
        match row {
            Ok(row) => {
                summary.rows += 1;
                row.fold(reducer, &mut output).map_err(Stopped::Writing)?;
            }
            Err((column, message)) => {
                summary.malformed += 1;
                malformed(Malformed { line, column, message });
            }
        }
    }
    output.flush().map_err(Stopped::Writing)?;
    Ok(summary)
}

/// Leaves `input` behind the next line break.
fn skip_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf()?;
        let (skip, is_end) = match memchr::memchr(b'\n', buffer) {
            Some(at) => (at + 1, true),
            None => (buffer.len(), buffer.is_empty()),
        };
        input.consume(skip);
        if is_end {
            return Ok(());
        }
    }
}

struct Row {
    left: Value,
    updates: Vec<Value>,
    format: Value,
}

impl Row {
    /// Reads a row; the error is a column, where there is one, and what is wrong.
    fn parse(reducer: Reducer, text: &[u8]) -> Result<Self, (Option<u64>, String)> {
        let row: Value = serde_json::from_slice(text).map_err(|error| {
            let message = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = message.strip_suffix(&place).unwrap_or(&message);
            (Some(error.column() as u64), format!("not JSON: {message}"))
        })?;
        let Value::Object(mut row) = row else {
            return Err((
                None,
                "not a row: a JSON object with `left` and `updates` is expected".to_owned(),
            ));
        };
        let Some(left) = row.remove("left") else {
            return Err((None, "not a row: `left` is missing".to_owned()));
        };
        let Some(Value::Array(updates)) = row.remove("updates") else {
            return Err((None, "not a row: `updates` is missing, or no list".to_owned()));
        };
        if matches!(reducer, Reducer::Channel | Reducer::Delta)
            && let Some(at) = updates.iter().position(|update| !update.is_array())
        {
            let message = format!("not a row of this reducer: update {at} is no superstep, that is no list of writes");
            return Err((None, message));
        }
        let format = row.remove("format").unwrap_or_default();
        Ok(Self { left, updates, format })
    }

    /// Folds the row and writes its line; states are written as they come and not kept.
    fn fold(self, reducer: Reducer, output: &mut impl Write) -> io::Result<()> {
        let mut folder = Folder::new(reducer, self.left, self.format);
        let mut error = None;
        output.write_all(b"{\"states\":[")?;
        for (at, update) in self.updates.into_iter().enumerate() {
            if let Err(raised) = folder.fold(update) {
                error = Some((at, raised));
                break;
            }
            if at > 0 {
                output.write_all(b",")?;
            }
            serde_json::to_writer(&mut *output, &folder)?;
        }
        let error = match error {
            Some((at, Raised { kind, message })) => serde_json::json!({"at": at, "kind": kind, "message": message}),
            None => Value::Null,
        };
        writeln!(output, "],\"error\":{error}}}")
    }
}
