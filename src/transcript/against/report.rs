//! From a verdict over two runs to a finding that names the places in both.

use std::path::Path;

use super::verdicts::Case;
use crate::finding::{Counterexample, Excerpt, Finding, Mark, Related, Witness};
use crate::rule::{self, Rule};
use crate::transcript::evidence;
use crate::transcript::message::{Live, Place};
use crate::transcript::rules;
use crate::transcript::safe_text::{self, WIDTH};

/// What reports messages that are gone, and records that were written anew.
pub(super) static LOST: &Rule = &rule::BROKEN_CHAIN;

/// The most messages that a finding names one by one.
pub(super) const MOST: usize = 6;

/// Messages that are shown on each side of what is wrong.
const AROUND: usize = 2;

/// A finding at a newer message.
pub(super) fn finding(case: &Case<'_>, rule: &'static Rule, at: &Live, label: &str, message: String) -> Finding {
    let mut finding = finding_at_place(case, rule, at.place, label, message);
    finding.turn = (at.turn > 0).then_some(at.turn);
    finding.about = Some(about(case, at));
    let text = evidence::line(at);
    finding.excerpt = Some(Excerpt {
        name: title(case, at),
        labels: vec![(0..text.len(), label.to_owned())],
        text,
    });
    finding
}

/// A finding at the newer message of this place, or at the end where there is none.
pub(super) fn finding_at(
    case: &Case<'_>,
    rule: &'static Rule,
    at: Option<usize>,
    label: &str,
    message: String,
) -> Finding {
    match at.and_then(|at| case.new.arrived.get(at)) {
        Some(live) => finding(case, rule, live, label, message),
        None => finding_at_place(case, rule, last_place(case), label, message),
    }
}

/// A finding at a place of the newer run.
pub(super) fn finding_at_place(
    case: &Case<'_>,
    rule: &'static Rule,
    place: Place,
    label: &str,
    message: String,
) -> Finding {
    let span = evidence::span(&case.new_run.paths, place);
    let mut finding = Finding::at(rule, Witness::Transcript, span, message);
    finding.label = Some(label.to_owned());
    finding.session = Some(case.new.session.clone());
    finding.about = Some(format!("{}\nagainst an older run", case.new.thread));
    finding.note = case.parting.filter(|_| case.is_same_session()).map(|parting| {
        let old = evidence::span(&case.old_run.paths, parting.old);
        format!(
            "the records are the same up to line {} of {}, whose record {}",
            parting.old.line,
            old.path.display(),
            parting.what
        )
    });
    finding
}

/// Where the newer history ends.
pub(super) fn last_place(case: &Case<'_>) -> Place {
    let last = case.new.arrived.last().map(|live| live.place);
    last.unwrap_or(Place {
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 2,
        ..Place::default()
    })
}

/// What tells a finding from others of its rule.
pub(super) fn about(case: &Case<'_>, live: &Live) -> String {
    format!("{}\nagainst an older run\n{}", case.new.thread, rules::about(live))
}

pub(super) fn relate_old(case: &Case<'_>, finding: &mut Finding, live: &Live, what: &str) {
    relate_old_place(
        case,
        finding,
        live.place,
        &format!("in the older run: {what}, {}", rules::quote(live)),
    );
}

pub(super) fn relate_old_place(case: &Case<'_>, finding: &mut Finding, place: Place, what: &str) {
    relate(finding, evidence::span(&case.old_run.paths, place), what);
}

pub(super) fn relate_new(case: &Case<'_>, finding: &mut Finding, live: &Live, what: &str) {
    relate(finding, evidence::span(&case.new_run.paths, live.place), what);
}

fn relate(finding: &mut Finding, span: crate::finding::Span, what: &str) {
    if *finding.span() != span && finding.related.iter().all(|related| related.span != span) {
        finding.related.push(Related {
            span,
            message: what.to_owned(),
        });
    }
}

/// The newer messages around a place, with what was lost before it.
pub(super) fn rows_around(case: &Case<'_>, at: Option<usize>, before: Option<usize>, lost: &[usize]) -> Counterexample {
    let newer = &case.new.arrived;
    // What was lost at the tail stood behind everything that is there.
    let behind = at.filter(|at| Some(*at) != before);
    let from = before.map_or_else(|| behind.unwrap_or(0), |before| before + 1);
    let mut rows: Vec<_> = newer[..from.min(newer.len())]
        .iter()
        .rev()
        .take(AROUND)
        .map(|live| evidence::row(live, None))
        .collect();
    rows.reverse();
    let shown = lost.iter().take(MOST).map(|&at| &case.old.list[at]);
    rows.extend(shown.map(|live| evidence::row(live, Some(Mark::Lost))));
    if let Some(behind) = behind {
        let moved = lost.is_empty();
        let rest = newer[behind..].iter().take(AROUND).enumerate();
        rows.extend(rest.map(|(n, live)| evidence::row(live, (moved && n == 0).then_some(Mark::Moved))));
    }
    Counterexample { rows }
}

/// What an excerpt is called.
fn title(case: &Case<'_>, at: &Live) -> String {
    let name = |path: &Path| {
        let name = path
            .file_name()
            .map_or_else(|| "standard input".into(), |name| name.to_string_lossy());
        safe_text::excerpt(&name, WIDTH)
    };
    let turn = if at.turn > 0 {
        format!(", turn {}", at.turn)
    } else {
        String::new()
    };
    format!(
        "{}{turn}, against {}",
        name(&case.new_run.path),
        name(&case.old_run.path)
    )
}
