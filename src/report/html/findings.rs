//! The findings, as they are read without any script.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::Page;
use super::sessions::Sessions;
use crate::finding::{Counterexample, Finding, Mark, Severity};
use crate::report::text::{clip, neutral, one_line};
use crate::report::{WIDTH, human, snippet};

/// So many findings are shown with all they have; more of them are named only, so that a page stays one.
const WHOLE: usize = 2_000;
/// Characters of a message of the model's list.
const TEXT: usize = 160;

/// The section of the page.
pub(super) fn section(page: &Page<'_>, sessions: &Sessions<'_>) -> Markup {
    let findings = &page.outcome.findings;
    html! {
        section #findings aria-labelledby="findings-title" {
            h2 #findings-title { "Findings" }
            @if findings.is_empty() {
                p .none { "Nothing was found." }
            } @else {
                (filters(findings))
                ol .findings {
                    @for (number, finding) in findings.iter().enumerate() {
                        (item(page, sessions, number, finding))
                    }
                }
            }
        }
    }
}

/// Hidden until the script that makes them work is there.
fn filters(findings: &[Finding]) -> Markup {
    let severities: BTreeSet<Severity> = findings.iter().map(|finding| finding.severity).collect();
    let rules: BTreeSet<&str> = findings.iter().map(|finding| finding.rule().id()).collect();
    html! {
        form #filters hidden aria-label="Which findings are shown" {
            fieldset {
                legend { "Severity" }
                @for severity in severities.iter().rev() {
                    label {
                        input type="checkbox" name="severity" value=(severity.as_str()) checked;
                        " " (severity.as_str())
                    }
                }
            }
            label {
                "Rule "
                select name="rule" {
                    option value="" { "all rules" }
                    @for rule in &rules { option value=(rule) { (rule) } }
                }
            }
            label { "Text " input type="search" name="text" autocomplete="off"; }
            output #shown aria-live="polite" {}
        }
    }
}

fn item(page: &Page<'_>, sessions: &Sessions<'_>, number: usize, finding: &Finding) -> Markup {
    let start = finding.span().start;
    let place = format!("{}:{}:{}", page.path(finding.path()), start.line, start.column);
    let severity = finding.severity.as_str();
    let drawn = sessions.of_finding(finding).zip(finding.moment);
    html! {
        li .finding .(severity) #{ "f" (number) } data-severity=(severity) data-rule=(finding.rule().id()) {
            h3 {
                span .badge { (severity) }
                " " code { (finding.rule().id()) }
                " " span .confidence { (finding.confidence.as_str()) " confidence" }
            }
            p .message { (one_line(&finding.message)) }
            p .place {
                code { (place) }
                @if let Some(turn) = finding.turn { ", turn " (turn) }
                @if let Some(step) = &finding.step { ", step " (one_line(step)) }
                @if let Some((session, step)) = drawn {
                    " " a .draw href={ "#s" (session) "." (step) "." (start.line) } { "show in the history" }
                }
            }
            @if number < WHOLE {
                @if let Some(counterexample) = &finding.counterexample { (model_reads(counterexample)) }
                (excerpt(page, finding))
                @if let Some(note) = &finding.note { p .note { "Note: " (one_line(note)) } }
                @if let Some(help) = &finding.help { p .help { "Help: " (one_line(help)) } }
                @if !finding.also.is_empty() {
                    p .also {
                        "Also: "
                        @for (at, rule) in finding.also.iter().enumerate() {
                            @if at > 0 { ", " }
                            code { (rule.id()) }
                        }
                    }
                }
                @if !finding.related.is_empty() {
                    ul .related {
                        @for related in &finding.related {
                            li {
                                code { (page.path(&related.span.path)) ":" (related.span.start.line) ":" (related.span.start.column) }
                                " " (one_line(&related.message))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn excerpt(page: &Page<'_>, finding: &Finding) -> Markup {
    let source = page.outcome.sources.get(finding.path());
    // A snippet without a text to show is the message once more.
    if source.is_none() && finding.excerpt.is_none() {
        return html! {};
    }
    // Writing to a string does not fail; without an excerpt the finding still says all.
    let Ok(text) = snippet::render(finding, source.map(AsRef::as_ref), WIDTH, false) else {
        return html! {};
    };
    let text = text.trim_end();
    html! {
        details open[source.is_some()] {
            summary { "Excerpt" }
            pre tabindex="0" { (neutral(text)) }
        }
    }
}

/// The list that the model would read, with what is special about its messages.
fn model_reads(counterexample: &Counterexample) -> Markup {
    html! {
        details open {
            summary { "What the model reads" }
            ol .model {
                @for row in &counterexample.rows {
                    li .(row.mark.map_or("", Mark::as_str)) {
                        span .role .(role(&row.role)) { (one_line(&row.role)) }
                        @if let Some(id) = &row.id { " " code { (clip(&one_line(id), 24)) } }
                        " " q { (clip(&one_line(&row.text), TEXT)) }
                        @if let Some(mark) = row.mark { " " strong .mark { (human::note(mark).1) } }
                    }
                }
            }
        }
    }
}

/// The class of a role: what is none of these has no colour.
fn role(role: &str) -> &'static str {
    ["system", "user", "assistant", "tool"]
        .into_iter()
        .find(|known| *known == role)
        .unwrap_or("other")
}
