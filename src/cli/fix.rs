//! `check --fix` and `check --diff`: mend, then report what is left.

use std::io::{self, BufWriter, Write};

use crate::cli::args::CheckArgs;
use crate::cli::settings::Settings;
use crate::cli::{Status, color, complain, run};
use crate::code;
use crate::fix::{self, Fixed};
use crate::mend::Applicability;
use crate::outcome::{Problem, ProblemKind};
use crate::report::text::{count, one_line};

pub(super) fn run(args: &CheckArgs, settings: &Settings) -> io::Result<Status> {
    if !args.fixes.diff && !settings.inputs.texts.is_empty() {
        complain(format_args!(
            "what is on standard input cannot be changed there; --diff shows the change"
        ));
        return Ok(Status::Failed);
    }
    let check = |texts: &code::Texts| {
        let mut options = run::check_options(settings);
        options.texts.extend(texts.clone());
        let mut outcome = code::check(&options);
        let narrowed = settings.narrow(&mut outcome, false);
        if let Some(reason) = &args.fixes.add_ignore {
            fix::ignores(&mut outcome, reason, code::comment_marker);
        }
        if args.common.output.verbose && texts.is_empty() {
            run::say_what_was_read(&outcome, &narrowed);
        }
        outcome
    };
    let threads = run::threads(&args.common)?;
    let mut fixed = threads.install(|| fix::fix(args.fixes.unsafe_fixes, check, code::parses));
    for refused in &fixed.refused {
        let (not_done, what) = match args.fixes.add_ignore {
            Some(_) => ("ignored", "comment"),
            None => ("fixed", "fix"),
        };
        complain(format_args!(
            "{}:{}: [{}] is not {not_done}: the {what} {}",
            one_line(&refused.path.display().to_string()),
            refused.at.line,
            refused.rule,
            refused.why,
        ));
    }
    if args.fixes.diff {
        return show(args, &fixed);
    }
    let failed = fix::write(&fixed.changed);
    if !failed.is_empty() {
        // What is reported is what is there.
        for (path, _) in &failed {
            fixed.changed.remove(path);
            fixed.mended.remove(path);
        }
        let texts = fixed
            .changed
            .iter()
            .map(|(path, (_, text))| (path.clone(), text.clone()));
        let texts: code::Texts = texts.collect();
        let left = threads.install(|| check(&texts));
        fixed.outcome = left;
        fixed
            .outcome
            .problems
            .extend(failed.into_iter().map(|(path, error)| Problem {
                path,
                line: None,
                message: format!("the fix is not written: {error}"),
                help: None,
                kind: ProblemKind::Failed,
            }));
    }
    let unsafe_fixes = args.fixes.unsafe_fixes;
    let shown = run::Shown {
        unsafe_fixes,
        ..run::Shown::default()
    };
    let status = run::report(settings, &args.common, shown, &fixed.outcome)?;
    if !args.common.output.quiet {
        match args.fixes.add_ignore {
            Some(_) => complain(format_args!("put {}", counted(&fixed, "ignore comment"))),
            None => say(&fixed, "fixed", unsafe_fixes),
        }
    }
    Ok(status)
}

/// Writes the diff. The status says whether there is one.
fn show(args: &CheckArgs, fixed: &Fixed) -> io::Result<Status> {
    for problem in &fixed.outcome.problems {
        run::complain_about(problem);
    }
    let color = color::on_stdout(args.common.output.color);
    let mut out = BufWriter::new(io::stdout().lock());
    for (path, (old, new)) in &fixed.changed {
        let path = path.display().to_string();
        out.write_all(fix::unified(&one_line(&path), old, new, color).as_bytes())?;
    }
    out.flush()?;
    if !args.common.output.quiet {
        match args.fixes.add_ignore {
            Some(_) => complain(format_args!("would put {}", counted(fixed, "ignore comment"))),
            None => say(fixed, "would fix", args.fixes.unsafe_fixes),
        }
    }
    let problems = &fixed.outcome.problems;
    if problems.iter().any(|problem| problem.kind == ProblemKind::Failed) {
        Ok(Status::Failed)
    } else if fixed.outcome.files.is_empty() {
        Ok(Status::Nothing)
    } else if fixed.changed.is_empty() || args.common.output.exit_zero {
        Ok(Status::Clean)
    } else {
        Ok(Status::Findings)
    }
}

/// One line of talk: how many were mended, and how many more could be.
fn say(fixed: &Fixed, done: &str, unsafe_fixes: bool) {
    let more = fixed.outcome.findings.iter().filter(|finding| {
        let fix = finding.fix.as_ref();
        fix.is_some_and(|fix| fix.applicability == Applicability::Unsafe)
    });
    let more = match more.count() {
        0 => String::new(),
        _ if unsafe_fixes => String::new(),
        more => format!("; {more} more with --unsafe-fixes"),
    };
    complain(format_args!("{done} {}{more}", counted(fixed, "finding")));
}

/// `2 findings in 1 file`
fn counted(fixed: &Fixed, what: &str) -> String {
    let mended: usize = fixed.mended.values().sum();
    let files = count(fixed.changed.len() as u64, "file");
    format!("{} in {files}", count(mended as u64, what))
}
