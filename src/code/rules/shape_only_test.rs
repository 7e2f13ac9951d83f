//! A test asserts the shape of an update that it never folds.

use crate::code::facts::{Facts, Shape, ShapeTest};
use crate::code::project::FuncRef;
use crate::finding::{Confidence, Finding, Related, Severity, Witness};
use crate::rule::{self, Rule};

/// Rules about code whose updates do something else when folded than they show.
const CARES: [&Rule; 5] = [
    &rule::HEAD_SCAN_ATTACH,
    &rule::ID_SWAP,
    &rule::IGNORED_INSERT,
    &rule::IGNORED_TRIM,
    &rule::MID_TURN_CUT,
];

/// Reports tests of code that the findings so far are about, or that assert ids made of others.
pub(super) fn check(facts: &Facts, findings: &mut Vec<Finding>) {
    let cared: Vec<(FuncRef, usize)> = findings
        .iter()
        .enumerate()
        .filter(|(_, finding)| CARES.contains(&finding.rule()) && finding.severity > Severity::Info)
        .filter_map(|(index, finding)| Some((facts.function_at(finding.span())?, index)))
        .collect();
    let mut found = Vec::new();
    for test in facts.shape_tests() {
        let about = cared
            .iter()
            .find(|(function, _)| test.runs.contains(function))
            .map(|(_, index)| &findings[*index]);
        let derived = test.asserted.iter().any(|one| one.what == Shape::DerivedId);
        if about.is_some() || derived {
            found.push(report(facts, &test, about));
        }
    }
    findings.extend(found);
}

fn report(facts: &Facts, test: &ShapeTest, about: Option<&Finding>) -> Finding {
    let shape = match test.asserted.iter().map(|one| one.what).min() {
        Some(Shape::DerivedId | Shape::Id) => "the ids",
        Some(Shape::Position) => "the positions",
        _ => "the number",
    };
    let message = format!(
        "the test asserts {shape} of an update's messages and never folds it, so it stays green while the model believes \
         that another question is the current one"
    );
    let mut finding = Finding::at(
        &rule::SHAPE_ONLY_TEST,
        Witness::Code,
        facts.header(test.function),
        message,
    );
    finding.label = Some("never folds the update".to_owned());
    if about.is_none() {
        finding.confidence = Confidence::Medium;
    }
    finding.related.push(Related {
        span: facts.span(test.call),
        message: "the update is made here".to_owned(),
    });
    if let Some(first) = test.asserted.first() {
        finding.related.push(Related {
            span: facts.span(first.at),
            message: "only the shape of the update is asserted".to_owned(),
        });
    }
    if let Some(about) = about {
        // What a cut leaves is in its list, folded or not, unless the reducer ignores the cut.
        if *about.rule() == rule::MID_TURN_CUT {
            finding.severity = Severity::Info;
        }
        finding.related.push(Related {
            span: about.span().clone(),
            message: format!("the code under test has a finding of {}", about.rule().id()),
        });
    }
    finding.help = Some(
        "fold the update into a history of several turns with the reducer, then assert that the last question that the \
         model reads is the current one; this holds for every row of the decision matrix that writes to the history"
            .to_owned(),
    );
    finding
}
