//! `init`: the files with which a project begins to use ctxlint. What is there stays as it is.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use crate::cli::args::InitArgs;
use crate::cli::{Status, complain};
use crate::config;
use crate::report::text::one_line;

/// A file that a project may want.
struct Template {
    path: &'static str,
    /// `VERSION` stands for that of this program.
    text: &'static str,
    /// What to do where the file is there already; none where nothing is to be done.
    otherwise: Option<&'static str>,
}

const TEMPLATES: [Template; 3] = [
    Template {
        path: config::FILE_NAME,
        text: include_str!("init/ctxlint.toml"),
        otherwise: None,
    },
    Template {
        path: ".pre-commit-config.yaml",
        text: include_str!("init/pre-commit.yaml"),
        otherwise: Some("add the hook to it"),
    },
    Template {
        path: ".github/workflows/ctxlint.yml",
        text: include_str!("init/workflow.yml"),
        otherwise: None,
    },
];

pub(crate) fn run(args: &InitArgs) -> io::Result<Status> {
    if !args.path.is_dir() {
        complain(format_args!(
            "{}: there is no such folder; name the folder of the project",
            one_line(&args.path.display().to_string())
        ));
        return Ok(Status::Failed);
    }
    let mut status = Status::Clean;
    let mut out = io::stdout().lock();
    for template in TEMPLATES {
        let text = template.text.replace("VERSION", env!("CARGO_PKG_VERSION"));
        match create(&args.path.join(template.path), &text) {
            Ok(()) => writeln!(out, "wrote {}", template.path)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match template.otherwise {
                None => writeln!(out, "left {} as it is", template.path)?,
                Some(what) => writeln!(out, "left {} as it is; {what}:\n\n{text}", template.path)?,
            },
            Err(error) => {
                complain(format_args!("{}: it cannot be written: {error}", template.path));
                status = Status::Failed;
            }
        }
    }
    out.flush()?;
    Ok(status)
}

/// Writes a file that is not there yet.
fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(text.as_bytes())
}
