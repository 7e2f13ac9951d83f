//! `--show-config` and `--show-files`: what a run would go by.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

use crate::cli::settings::Settings;
use crate::cli::{Status, complain, run};
use crate::outcome::{Problem, ProblemKind};
use crate::report::text::{neutral, one_line};
use crate::select::Selector;

/// Prints the configuration with the command line worked in, as a file that says the same.
pub(super) fn config(settings: &Settings) -> io::Result<Status> {
    let mut table = settings.config.table.clone();
    let selection = &settings.selection;
    let names = |selectors: &[Selector]| {
        let names = selectors.iter().map(|selector| toml::Value::from(selector.name()));
        toml::Value::Array(names.collect())
    };
    let given = [
        ("select", names(&selection.select)),
        ("ignore", names(&selection.ignore)),
        ("pedantic", selection.pedantic.into()),
        ("min-severity", selection.min_severity.as_str().into()),
        ("min-confidence", selection.min_confidence.as_str().into()),
        ("fail-on", settings.fail_on.as_str().into()),
    ];
    for (key, value) in given {
        table.insert(key.to_owned(), value);
    }
    if let Some((path, _)) = &settings.baseline {
        table.insert("baseline".to_owned(), path.display().to_string().into());
    }
    let text = toml::to_string(&table).map_err(io::Error::other)?;
    let mut out = BufWriter::new(io::stdout().lock());
    match &settings.config.path {
        Some(path) => writeln!(out, "# {}", neutral(&path.display().to_string()))?,
        None => writeln!(out, "# no configuration file")?,
    }
    out.write_all(neutral(&text).as_bytes())?;
    out.flush()?;
    Ok(Status::Clean)
}

/// Prints the files of a run.
pub(super) fn files((files, problems): &(Vec<PathBuf>, Vec<Problem>), settings: &Settings) -> io::Result<Status> {
    for problem in problems {
        run::complain_about(problem);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for path in files {
        writeln!(out, "{}", one_line(&path.display().to_string()))?;
    }
    out.flush()?;
    Ok(if problems.iter().any(|problem| problem.kind == ProblemKind::Failed) {
        Status::Failed
    } else if files.is_empty() && !settings.listed {
        complain(format_args!("no file here can be checked"));
        Status::Nothing
    } else {
        Status::Clean
    })
}
