//! The rules of a log, from their pages.

use std::sync::LazyLock;

use regex::Regex;

use crate::finding::{Severity, Witness};
use crate::rule::{RULES, Rule};

use super::level;
use super::model::{Configuration, Descriptor, DescriptorProperties, Message, Text};

/// A longer description is refused.
const DESCRIPTION: usize = 1024;

/// The rules that took part in a half, and those that findings name beside them, in the order of the table.
pub(super) fn of(took_part: &[&'static Rule], witness: Witness, named: &[&'static Rule]) -> Vec<&'static Rule> {
    let took_part = |rule: &Rule| rule.witness().contains(&witness) && took_part.contains(&rule);
    let all = RULES.iter().copied();
    all.filter(|rule| took_part(rule) || named.contains(rule)).collect()
}

/// A link from page to page, which leads nowhere outside of the repository.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[[^\[\]]+\]\(([a-z-]+)\.md\)").expect("a constant that the tests compile"));

pub(super) fn descriptor(rule: &'static Rule) -> Descriptor {
    let body = LINK.replace_all(rule.body(), "`$1`");
    let sections = sections(&body);
    let section = |name: &str| {
        let found = sections.iter().find(|(heading, _)| *heading == name);
        found.map_or("", |(_, text)| text.trim())
    };
    Descriptor {
        id: rule.id(),
        short_description: Text {
            text: format!("{}.", rule.summary()),
        },
        full_description: Text {
            text: beginning(section("What it does")),
        },
        help: Message {
            text: help(&section, None),
            markdown: Some(help(&section, Some(first_example(section("Examples"))))),
        },
        default_configuration: Configuration {
            level: level(rule.severity()),
        },
        properties: DescriptorProperties {
            tags: tags(rule),
            precision: rule.confidence().as_str(),
            problem_severity: match rule.severity() {
                Severity::Error => "error",
                Severity::Warn => "warning",
                Severity::Info => "recommendation",
            },
        },
    }
}

fn tags(rule: &'static Rule) -> Vec<&'static str> {
    let witness = rule.witness().iter().map(|witness| witness.as_str());
    std::iter::once(rule.family()).chain(witness).collect()
}

/// The page as far as it helps a reader of an alert: with the first of its examples only, or in plain text with none.
fn help<'p>(section: &impl Fn(&str) -> &'p str, example: Option<&str>) -> String {
    let mark = if example.is_some() { "## " } else { "" };
    let parts = [
        ("What it does", section("What it does")),
        ("Why it matters", section("Why it matters")),
        ("Example", example.unwrap_or_default()),
        ("How to mend", section("How to mend")),
        ("Known limits", section("Known limits")),
    ];
    let told = parts.iter().filter(|(_, text)| !text.is_empty());
    let told: Vec<_> = told
        .map(|(heading, text)| format!("{mark}{heading}\n\n{text}\n"))
        .collect();
    told.join("\n")
}

/// The sections of a page with their headings. A line in a fenced block is no heading.
fn sections(body: &str) -> Vec<(&str, &str)> {
    pieces(body, "## ")
}

/// What stands under the first heading of the examples.
fn first_example(examples: &str) -> &str {
    let pieces = pieces(examples, "### ");
    pieces.first().map_or(examples, |(_, text)| text.trim())
}

fn pieces<'t>(text: &'t str, mark: &str) -> Vec<(&'t str, &'t str)> {
    let mut starts = Vec::new();
    let (mut at, mut fenced) = (0, false);
    for line in text.split_inclusive('\n') {
        fenced ^= line.starts_with("```");
        if let Some(heading) = line.strip_prefix(mark).filter(|_| !fenced) {
            starts.push((at, heading.trim(), at + line.len()));
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(start, ..)| *start).chain([text.len()]);
    let pieces = starts.iter().zip(ends);
    pieces
        .map(|(&(_, heading, from), to)| (heading, &text[from..to]))
        .collect()
}

/// The first sentences of a text, as many as a description may hold. The rest stands in the help.
fn beginning(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= DESCRIPTION {
        return line;
    }
    let held: String = line.chars().take(DESCRIPTION).collect();
    match held.rfind(". ") {
        Some(stop) => held[..=stop].to_owned(),
        None => held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{self, HEAD_SCAN_ATTACH};

    #[test]
    fn every_page_has_what_code_scanning_asks_for() {
        for rule in RULES {
            let told = descriptor(rule);
            let id = rule.id();
            for text in [&told.short_description.text, &told.full_description.text] {
                assert!((1..=DESCRIPTION).contains(&text.chars().count()), "{id}: {text}");
                assert!(text.ends_with('.') || text.ends_with(':'), "{id}: {text}");
            }
            let markdown = told.help.markdown.expect("a page is Markdown");
            for heading in ["What it does", "Why it matters", "How to mend", "Known limits"] {
                assert!(
                    told.help.text.contains(&format!("{heading}\n\n")),
                    "{id} lacks {heading}"
                );
                assert!(markdown.contains(&format!("## {heading}\n\n")), "{id} lacks {heading}");
            }
            assert!(markdown.matches("```").count().is_multiple_of(2), "{id}");
            assert!(
                markdown.contains("## Example\n\n") && !markdown.contains("### "),
                "{id}: {markdown}"
            );
            assert!(!markdown.contains(".md)"), "{id}: {markdown}");
            assert!((2..=20).contains(&told.properties.tags.len()), "{id}");
        }
    }

    #[test]
    fn rules_of_the_other_half_took_no_part_and_named_ones_are_there() {
        let code = of(RULES, Witness::Code, &[]);
        assert!(code.contains(&&HEAD_SCAN_ATTACH) && !code.contains(&&rule::MALFORMED_RECORD));
        let few = of(&[&rule::MALFORMED_RECORD], Witness::Transcript, &[&HEAD_SCAN_ATTACH]);
        assert_eq!(few, [&HEAD_SCAN_ATTACH, &rule::MALFORMED_RECORD]);
    }

    #[test]
    fn a_heading_in_a_block_of_code_is_none() {
        let page = "## One\n\n```py\n## Two\n```\n\n## Three\nx";
        assert_eq!(sections(page), [("One", "\n```py\n## Two\n```\n\n"), ("Three", "x")]);
    }
}
