//! `fold`: rows of a state and its updates through a reducer.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter};
use std::path::Path;

use crate::cli::args::FoldArgs;
use crate::cli::{Status, complain};
use crate::history::fold_rows::{self, Malformed, Stopped};
use crate::report::text::one_line;

pub(crate) fn run(args: &FoldArgs) -> io::Result<Status> {
    let name = args.file.display().to_string();
    let name = one_line(&name);
    let input = match open(&args.file) {
        Ok(input) => input,
        Err(error) => {
            complain(format_args!("{name}: {error}"));
            return Ok(Status::Failed);
        }
    };
    let output = BufWriter::new(io::stdout().lock());
    let malformed = |Malformed { line, column, message }: Malformed| {
        let column = column.map(|column| format!(":{column}")).unwrap_or_default();
        complain(format_args!("{name}:{line}{column}: {}", one_line(&message)));
    };
    match fold_rows::run(args.reducer, input, output, malformed) {
        Ok(summary) if summary.malformed > 0 => Ok(Status::Failed),
        Ok(summary) if summary.rows == 0 => {
            complain(format_args!("{name}: no rows to fold"));
            Ok(Status::Nothing)
        }
        Ok(_) => Ok(Status::Clean),
        Err(Stopped::Reading(error)) => {
            complain(format_args!("{name}: {error}"));
            Ok(Status::Failed)
        }
        Err(Stopped::Writing(error)) => Err(error),
    }
}

fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(BufReader::new(File::open(path)?)))
}
