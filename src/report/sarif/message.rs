//! What a result says. Where space is short only the first sentence is shown: it is the finding's message.

use crate::finding::Finding;
use crate::report::human;
use crate::report::markdown::literal;
use crate::report::text::one_line;

use super::model::Message;

/// The message of a finding whose related places have ids from 1 to `related`.
pub(super) fn of(finding: &Finding, related: usize) -> Message {
    let plain = |text: &str| unlinked(&one_line(text));
    let mut text = sentences(finding, &plain);
    text.push_str(&links(finding, related, &link_text));
    let markdown = finding.counterexample.as_ref().map(|counterexample| {
        let mut markdown = sentences(finding, &literal);
        markdown.push_str(&links(finding, related, &literal));
        markdown.push_str("\n\nWhat the model reads:\n\n```text\n");
        for line in human::list(counterexample) {
            markdown.push_str(&line);
            markdown.push('\n');
        }
        markdown.push_str("```\n");
        markdown
    });
    Message { text, markdown }
}

fn sentences(finding: &Finding, shown: &impl Fn(&str) -> String) -> String {
    let mut text = sentence(&shown(&finding.message));
    let mut add = |label: &str, part: &str| {
        text.push(' ');
        text.push_str(label);
        text.push_str(&sentence(&shown(part)));
    };
    if let Some(label) = &finding.label {
        add("Here: ", label);
    }
    if let Some(turn) = finding.turn {
        add("In turn ", &turn.to_string());
    }
    if let Some(note) = &finding.note {
        add("Note: ", note);
    }
    if let Some(help) = &finding.help {
        add("Help: ", help);
    }
    if !finding.also.is_empty() {
        let ids: Vec<_> = finding.also.iter().map(|rule| rule.id()).collect();
        add("Also: ", &ids.join(", "));
    }
    text
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    let stop = if text.ends_with(['.', '!', '?', '…']) {
        ""
    } else {
        "."
    };
    format!("{text}{stop}")
}

/// Links to the related places. Code scanning shows a place only if the message links to it.
fn links(finding: &Finding, related: usize, shown: &impl Fn(&str) -> String) -> String {
    let places = finding.related.iter().take(related).enumerate();
    let links: Vec<_> = places
        .map(|(index, place)| {
            let text = match place.message.trim() {
                "" => "there",
                text => text,
            };
            format!("[{}]({})", shown(text), index + 1)
        })
        .collect();
    let more = match finding.related.len() - related {
        0 => String::new(),
        more => format!(" and {more} more places"),
    };
    if links.is_empty() {
        String::new()
    } else {
        format!(" See {}{more}.", links.join(", "))
    }
}

/// A text in which nothing has the shape of a link.
fn unlinked(text: &str) -> String {
    text.replace("](", "\\](")
}

/// A text between the brackets of a link.
fn link_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        if matches!(c, '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_stranger_is_a_link() {
        assert_eq!(unlinked("see [here](evil) and a[0]"), "see [here\\](evil) and a[0]");
        assert_eq!(link_text("a[0]\\"), "a\\[0\\]\\\\");
    }

    #[test]
    fn a_sentence_ends_once() {
        assert_eq!(sentence("wrong"), "wrong.");
        assert_eq!(sentence("what? "), "what?");
    }
}
