//! A wrap-up message that does not say how to tell that the work is not done.

use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHashSet;

use super::{StepRule, Symptom, quote};
use crate::rule::SILENT_STOP;
use crate::transcript::message::Live;
use crate::transcript::step::Step;

/// That something runs out.
static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:limit|budget|(?:last|final|remaining|no more|out of) (?:step|call|turn|iteration|token|time)s?|steps? (?:left|remain)|tokens? (?:left|remain)|almost (?:full|out)|running out|ran out|maximum|used up|are used)",
    )
});

/// That the model shall come to an end.
static ENDS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:final answer|wrap (?:it |things |this )?up|(?:finish|conclude|stop|end) (?:now|here|your work|the task|working)|give your (?:best |final )?answer|summari[sz]e (?:your|the|what)|no (?:more|further) tool)",
    )
});

/// That it shall say what is left.
static LEFT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:partial|incomplete|unfinished|unanswered|unresolved|(?:what|anything|whatever|work) (?:is |that is )?(?:left|remains|missing|open)|left (?:undone|open|to do)|not (?:yet )?(?:been )?(?:done|finished|completed|covered)|could not|couldn't|remaining (?:work|tasks?|items?|steps?)|next steps|still (?:open|missing|to do)|open (?:points|questions|items))",
    )
});

fn pattern(words: &str) -> Regex {
    Regex::new(&format!("(?i){words}")).expect("a literal pattern")
}

/// Tells each family of notices once.
#[derive(Default)]
pub(crate) struct SilentStop {
    told: FxHashSet<Box<str>>,
}

impl StepRule for SilentStop {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        for at in super::arrivals(step) {
            let live = &step.after[at];
            let Some(class) = live.class.as_deref() else { continue };
            if !stops_silently(live) || !self.told.insert(class.key.clone()) {
                continue;
            }
            let message = format!(
                "{} tells the model to come to an end, and not how to say that it did not get through",
                quote(live)
            );
            symptoms.push(Symptom::new(&SILENT_STOP, live, "ends the work", message));
        }
    }
}

fn stops_silently(live: &Live) -> bool {
    // Of a longer text only the beginning is known, and what is left may be asked for behind it.
    live.head.len() == live.length
        && LIMIT.is_match(&live.head)
        && ENDS.is_match(&live.head)
        && !LEFT.is_match(&live.head)
}
