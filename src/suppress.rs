//! Ignore comments: `# ctxlint: ignore[rule-id, other] reason`, on the line of a finding or alone on
//! the line above it. Unused, unknown and malformed ones are findings themselves.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashMap;

use crate::finding::{Finding, Position, Span, Witness};
use crate::outcome::{Comment, Outcome, Suppressed, SuppressedBy};
use crate::rule::{self, Rule};

/// The right form, for help texts.
const FORM: &str = "write `ctxlint: ignore[rule-id] reason` after the comment marker";

/// The right form. The comment may hold other directives before it.
static IGNORE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?:#|//|/\*)\s*ctxlint:\s*ignore\[([^\]]*)\]"));

/// What somebody writes who means the right form. Prose about ctxlint is not meant here.
static ATTEMPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)(?:#|//|/\*)\s*ctxlint(?:\s*[:=-]|\s+(?:ignore|disable|allow|noqa|skip|off)\b)[^\r\n]*")
});

static RULE_ID: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("the patterns of this file are constants that its tests compile")
}

/// One rule id in one ignore comment.
#[derive(Debug)]
struct Directive {
    rule: &'static Rule,
    /// The id's place, for the finding about it when it hides nothing.
    span: Span,
    /// The first and last line it speaks for.
    lines: (u32, u32),
    /// What the comment gives as the reason.
    reason: Option<String>,
    used: bool,
}

/// Moves the findings that ignore comments name to [`Outcome::suppressed`], adds the findings about the comments
/// themselves, and returns how many were moved. `runs` tells which rules took part: a comment
/// for a rule that did not run cannot be called unused.
pub(crate) fn apply(outcome: &mut Outcome, runs: impl Fn(&Rule) -> bool) -> usize {
    let mut by_file: BTreeMap<PathBuf, Vec<Directive>> = BTreeMap::new();
    let mut about_comments = Vec::new();
    let lasts = last_lines_covered(&outcome.comments);
    for (comment, last) in outcome.comments.iter().zip(lasts) {
        let covers = (comment.start.line, last);
        let directives = by_file.entry(comment.path.clone()).or_default();
        read(comment, covers, directives, &mut about_comments);
    }

    let before = outcome.suppressed.len();
    for finding in std::mem::take(&mut outcome.findings) {
        let directives = by_file.get_mut(finding.path()).into_iter().flatten();
        let mut reason = None;
        for directive in directives.filter(|directive| directive.speaks_for(&finding)) {
            directive.used = true;
            reason.get_or_insert_with(|| directive.reason.clone());
        }
        match reason {
            None => outcome.findings.push(finding),
            Some(reason) => outcome.suppressed.push(Suppressed {
                finding,
                by: SuppressedBy::Comment,
                reason,
            }),
        }
    }
    let hidden = outcome.suppressed.len() - before;

    let unused = by_file
        .into_values()
        .flatten()
        .filter(|directive| !directive.used && runs(directive.rule));
    about_comments.extend(unused.map(Directive::into_unused));
    about_comments.retain(|finding| runs(finding.rule()));
    outcome.findings.extend(about_comments);
    hidden
}

/// For each comment the last line that it speaks for. One after code speaks for its line; one of its own line also for
/// the next line that is not another such comment, so that several can be stacked.
fn last_lines_covered(comments: &[Comment]) -> Vec<u32> {
    fn place(comment: &Comment) -> (&Path, u32) {
        (&comment.path, comment.start.line)
    }
    let alone = comments.iter().filter(|comment| comment.own_line);
    let mut alone: Vec<(&Path, u32)> = alone.map(place).collect();
    alone.sort_unstable();
    alone.dedup();
    // Where the stack ends that a line belongs to; from the last line on, so that each line is looked at once.
    let mut ends: FxHashMap<(&Path, u32), u32> = FxHashMap::default();
    for &(path, line) in alone.iter().rev() {
        let end = ends.get(&(path, line + 1)).copied().unwrap_or(line + 1);
        ends.insert((path, line), end);
    }
    let last = |comment: &Comment| {
        let end = ends.get(&place(comment)).copied().filter(|_| comment.own_line);
        end.unwrap_or(comment.start.line)
    };
    comments.iter().map(last).collect()
}

impl Directive {
    fn speaks_for(&self, finding: &Finding) -> bool {
        let (first, last) = (finding.span().start.line, finding.span().end.line);
        let named = self.rule == finding.rule() || finding.also.contains(&self.rule);
        named && self.lines.0 <= last && first <= self.lines.1
    }

    fn into_unused(self) -> Finding {
        let message = format!("this comment hides no finding of `{}`", self.rule.id());
        let mut finding = Finding::at(&rule::UNUSED_IGNORE, Witness::Code, self.span, message);
        finding.help = Some("remove it, or move it to the line of the finding or alone to the line above".to_owned());
        finding
    }
}

fn read(comment: &Comment, lines: (u32, u32), directives: &mut Vec<Directive>, findings: &mut Vec<Finding>) {
    let Some(found) = IGNORE.captures(&comment.text) else {
        if let Some(attempt) = ATTEMPT.find(&comment.text) {
            findings.push(malformed(
                comment,
                attempt.range(),
                "this is not an ignore comment, so it hides nothing",
            ));
        }
        return;
    };
    let list = found.get(1).expect("the pattern has one group, and it is not optional");
    let reason = reason(&comment.text[found.get(0).map_or(0, |whole| whole.end())..]);
    let mut start = list.start();
    for item in list.as_str().split(',') {
        let id = item.trim();
        let id_start = start + item.len() - item.trim_start().len();
        let place = id_start..id_start + id.len();
        start += item.len() + 1;
        if !RULE_ID.is_match(id) {
            let whole = found.get(0).map_or(place, |whole| whole.range());
            let message = if id.is_empty() {
                "an ignore comment must name the rules it hides".to_owned()
            } else {
                format!("`{id}` is no rule id")
            };
            findings.push(malformed(comment, whole, &message));
            continue;
        }
        let span = span_in(comment, &place);
        match rule::find(id) {
            Some(rule) => directives.push(Directive {
                rule,
                span,
                lines,
                reason: reason.clone(),
                used: false,
            }),
            None => findings.push(unknown(id, span)),
        }
    }
}

/// What stands behind the brackets, up to the end of the comment or the next directive in it.
fn reason(rest: &str) -> Option<String> {
    let rest = rest.split(" #").next().unwrap_or(rest);
    let rest = rest.trim().trim_end_matches("*/").trim();
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn malformed(comment: &Comment, place: Range<usize>, message: &str) -> Finding {
    let span = span_in(comment, &place);
    let mut finding = Finding::at(&rule::MALFORMED_IGNORE, Witness::Code, span, message);
    finding.help = Some(FORM.to_owned());
    finding
}

fn unknown(id: &str, span: Span) -> Finding {
    let message = format!("there is no rule `{id}`");
    let mut finding = Finding::at(&rule::UNKNOWN_RULE_IN_IGNORE, Witness::Code, span, message);
    finding.help = Some(match rule::nearest(id) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`ctxlint rules` lists the rules".to_owned(),
    });
    finding
}

/// The place of a byte range of the comment's text.
fn span_in(comment: &Comment, range: &Range<usize>) -> Span {
    let column = |byte: usize| {
        let before = comment.text.get(..byte).unwrap_or(&comment.text);
        comment.start.column + before.chars().count() as u32
    };
    let at = |byte| Position {
        line: comment.start.line,
        column: column(byte),
    };
    Span {
        path: comment.path.clone(),
        start: at(range.start),
        end: at(range.end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{HEAD_SCAN_ATTACH, ID_SWAP};

    const PATH: &str = "agent.py";

    fn position(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    fn finding(rule: &'static Rule, first: u32, last: u32) -> Finding {
        let span = Span {
            path: PATH.into(),
            start: position(first, 1),
            end: position(last, 9),
        };
        Finding::at(rule, Witness::Code, span, "wrong")
    }

    fn comment(line: u32, column: u32, text: &str, own_line: bool) -> Comment {
        Comment {
            path: PATH.into(),
            start: position(line, column),
            text: text.to_owned(),
            own_line,
        }
    }

    /// Rule ids and places of what is left, and the number of hidden findings.
    fn after(findings: Vec<Finding>, comments: Vec<Comment>) -> (Vec<String>, usize) {
        let mut outcome = Outcome {
            findings,
            comments,
            ..Outcome::default()
        };
        let hidden = apply(&mut outcome, |_| true);
        let shown = outcome.findings.iter().map(|finding| {
            let Span { start, end, .. } = finding.span();
            format!("{} {}:{}-{}", finding.rule().id(), start.line, start.column, end.column)
        });
        (shown.collect(), hidden)
    }

    #[test]
    fn a_comment_hides_its_rule_on_its_line_and_alone_on_the_line_above() {
        let trailing = comment(4, 30, "# ctxlint: ignore[id-swap] ids are ours", false);
        assert_eq!(after(vec![finding(&ID_SWAP, 4, 4)], vec![trailing]), (vec![], 1));
        let above = comment(3, 5, "# ctxlint: ignore[id-swap]", true);
        assert_eq!(after(vec![finding(&ID_SWAP, 4, 4)], vec![above]), (vec![], 1));
        let inside = comment(5, 20, "// ctxlint: ignore[id-swap]", false);
        assert_eq!(after(vec![finding(&ID_SWAP, 4, 7)], vec![inside]), (vec![], 1));
    }

    #[test]
    fn what_a_comment_hides_is_kept_with_its_reason() {
        let reason = |text: &str| {
            let mut outcome = Outcome {
                findings: vec![finding(&ID_SWAP, 1, 1)],
                comments: vec![comment(1, 9, text, false)],
                ..Outcome::default()
            };
            apply(&mut outcome, |_| true);
            let [kept] = &outcome.suppressed[..] else {
                panic!("one finding is hidden: {:?}", outcome.suppressed);
            };
            assert_eq!((kept.finding.rule(), kept.by), (&ID_SWAP, SuppressedBy::Comment));
            kept.reason.clone()
        };
        assert_eq!(reason("# ctxlint: ignore[id-swap]"), None);
        assert_eq!(
            reason("# ctxlint: ignore[id-swap] ids are ours  # noqa").as_deref(),
            Some("ids are ours")
        );
        assert_eq!(
            reason("/* ctxlint: ignore[id-swap] for now */").as_deref(),
            Some("for now")
        );
    }

    #[test]
    fn a_comment_after_code_says_nothing_about_the_next_line() {
        let trailing = comment(3, 5, "# ctxlint: ignore[id-swap]", false);
        let (left, hidden) = after(vec![finding(&ID_SWAP, 4, 4)], vec![trailing]);
        assert_eq!(
            (left, hidden),
            (vec!["id-swap 4:1-9".into(), "unused-ignore 3:23-30".into()], 0)
        );
    }

    #[test]
    fn comments_stack_and_one_comment_takes_several_rules() {
        let stacked = vec![
            comment(2, 1, "# ctxlint: ignore[id-swap]", true),
            comment(3, 1, "# ctxlint: ignore[head-scan-attach]", true),
        ];
        let both = || vec![finding(&ID_SWAP, 4, 4), finding(&HEAD_SCAN_ATTACH, 4, 4)];
        assert_eq!(after(both(), stacked), (vec![], 2));
        let list = vec![comment(
            4,
            9,
            "# noqa  # ctxlint: ignore[id-swap, head-scan-attach] both",
            false,
        )];
        assert_eq!(after(both(), list), (vec![], 2));
    }

    /// Not timed: a pass over all comments for each line of the stack of each comment would be trillions of steps.
    #[test]
    fn a_stack_of_comments_is_looked_at_once() {
        const STACK: u32 = 20_000;
        let stack = (1..=STACK).map(|line| comment(line, 1, "# ctxlint: ignore[id-swap]", true));
        let (left, hidden) = after(vec![finding(&ID_SWAP, STACK + 1, STACK + 1)], stack.collect());
        assert_eq!((left.len(), hidden), (0, 1));
    }

    #[test]
    fn an_unused_id_is_reported_at_its_place_unless_its_rule_did_not_run() {
        let list = vec![comment(4, 9, "# ctxlint: ignore[id-swap, head-scan-attach]", false)];
        let (left, hidden) = after(vec![finding(&ID_SWAP, 4, 4)], list.clone());
        assert_eq!((left, hidden), (vec!["unused-ignore 4:36-52".into()], 1));

        let mut outcome = Outcome {
            comments: list,
            ..Outcome::default()
        };
        apply(&mut outcome, |rule| *rule == rule::UNUSED_IGNORE);
        assert!(outcome.findings.is_empty());
    }

    #[test]
    fn unknown_and_malformed_comments_are_findings() {
        let reported = |text: &str| after(vec![], vec![comment(1, 1, text, false)]).0;
        assert_eq!(
            reported("# ctxlint: ignore[id-swop]"),
            ["unknown-rule-in-ignore 1:19-26"]
        );
        assert_eq!(reported("# ctxlint: ignore[]"), ["malformed-ignore 1:1-20"]);
        assert_eq!(reported("# ctxlint: ignore[Id Swap]"), ["malformed-ignore 1:1-27"]);
        assert_eq!(reported("# ctxlint: ignore id-swap"), ["malformed-ignore 1:1-26"]);
        assert_eq!(reported("// ctxlint-disable id-swap"), ["malformed-ignore 1:1-27"]);
        assert_eq!(reported("# CTXLINT: ignore[id-swap]"), ["malformed-ignore 1:1-27"]);
        assert_eq!(reported("# run ctxlint: it reads this file"), [""; 0]);
        assert_eq!(reported("# ctxlint reads this file"), [""; 0]);
    }
}
