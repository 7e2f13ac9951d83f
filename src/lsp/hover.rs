//! What the pointer on a finding shows: what the model would read, then the rule's page in short.

use crate::finding::Finding;
use crate::report;
use crate::report::text::one_line;

/// The sections of a page that help somebody who stands before the finding. Examples and limits are in `explain`.
const SECTIONS: [&str; 3] = ["What it does", "Why it matters", "How to mend"];

/// The text, as Markdown or for an editor that shows none.
pub(super) fn text(finding: &Finding, markdown: bool) -> String {
    let form = if markdown { Form::Markdown } else { Form::Plain };
    let rule = finding.rule();
    let mut parts = vec![format!(
        "{}: {}",
        form.strong(rule.id()),
        form.literal(&finding.message)
    )];
    if let Some(counterexample) = &finding.counterexample {
        parts.push("What the model reads:".to_owned());
        parts.push(form.block(&report::counterexample(counterexample).join("\n")));
    }
    for (label, said) in [("Note", &finding.note), ("Help", &finding.help)] {
        parts.extend(said.as_ref().map(|said| format!("{label}: {}", form.literal(said))));
    }
    parts.push(format!("{}.", rule.summary()));
    parts.extend(sections(rule.body()).map(str::to_owned));
    let command = form.code(&format!("ctxlint explain {}", rule.id()));
    parts.push(format!("{command} shows the whole page."));
    parts.join("\n\n")
}

/// What an editor shows.
#[derive(Clone, Copy)]
enum Form {
    Markdown,
    Plain,
}

impl Form {
    fn literal(self, text: &str) -> String {
        match self {
            Self::Markdown => report::markdown::literal(text),
            Self::Plain => one_line(text).into_owned(),
        }
    }

    fn strong(self, text: &str) -> String {
        match self {
            Self::Markdown => format!("**{text}**"),
            Self::Plain => text.to_owned(),
        }
    }

    fn code(self, text: &str) -> String {
        match self {
            Self::Markdown => format!("`{text}`"),
            Self::Plain => text.to_owned(),
        }
    }

    /// Lines that are neither wrapped nor read as markup: none of them begins with a fence.
    fn block(self, lines: &str) -> String {
        match self {
            Self::Markdown => format!("```text\n{lines}\n```"),
            Self::Plain => lines.to_owned(),
        }
    }
}

/// The sections of a page that are shown.
fn sections(body: &str) -> impl Iterator<Item = &str> {
    let sections = body.split("\n## ").skip(1).filter(|section| {
        let title = section.lines().next().unwrap_or_default().trim();
        SECTIONS.contains(&title)
    });
    sections.filter_map(|section| {
        // The heading would be larger than the finding.
        let (_, text) = section.split_once('\n')?;
        Some(text.trim()).filter(|text| !text.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::RULES;

    #[test]
    fn every_page_has_what_is_shown_of_it() {
        for rule in RULES {
            assert!(sections(rule.body()).count() >= 2, "{}", rule.id());
            assert!(
                sections(rule.body()).all(|text| !text.contains("title=")),
                "{}",
                rule.id()
            );
        }
    }
}
