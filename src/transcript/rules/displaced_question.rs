//! What the person asked last is not what the model reads last.

use super::{StepRule, Symptom, quote};
use crate::rule::DISPLACED_QUESTION;
use crate::transcript::event::CompactionClass;
use crate::transcript::message::{Kind, Live};
use crate::transcript::step::{Source, Step};

/// Tells each question's fate once.
#[derive(Default)]
pub(crate) struct DisplacedQuestion {
    told: Option<u64>,
    /// Whether the last that was said is an answer: what was asked is no longer open.
    answered: bool,
}

impl StepRule for DisplacedQuestion {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let last = step.outline.said_last();
        let answers = last.is_some_and(|at| step.after[at].kind == Kind::Assistant);
        let answered = std::mem::replace(&mut self.answered, answers);
        let is_list = matches!(step.source, Source::Append | Source::Beginning);
        let Some(question) = step.question.filter(|_| !is_list && !step.asks && step.whole) else {
            return;
        };
        let content = question.live.content;
        let touches = !step.change.only_appends()
            || step
                .change
                .inserted
                .iter()
                .any(|&at| step.after[at].is_authored() && step.after[at].content != content);
        if !touches || self.told == Some(content) {
            return;
        }
        let symptom = match (step.question_at(), step.taken_for_current()) {
            (Some(_), Some(at)) if !question.is(&step.after[at]) => Some(displaced(step, &step.after[at])),
            (None, last) if !answered => lost(step, last),
            _ => None,
        };
        if let Some(symptom) = symptom {
            self.told = Some(content);
            symptoms.push(symptom);
        }
    }
}

fn displaced(step: &Step<'_>, last: &Live) -> Symptom {
    let asked = step.question.map(|question| quote(&question.live)).unwrap_or_default();
    let message = format!(
        "the person asked {asked}, the model reads {} as the newest question",
        quote(last)
    );
    let symptom = Symptom::new(&DISPLACED_QUESTION, last, "read as the newest question", message);
    match step.question_at() {
        Some(at) => symptom.related(&step.after[at], "what the person asked last"),
        None => symptom,
    }
}

/// Whether a message is the question, shortened.
fn begins_like(live: &Live, question: &Live) -> bool {
    const ENOUGH: usize = 64;
    let beginning = |text: &str| text.trim_start().chars().take(ENOUGH).collect::<String>();
    let of_question = beginning(&question.head);
    live.is_authored() && !of_question.is_empty() && beginning(&live.head) == of_question
}

/// The question is gone: by a cut, not by a rollback, and no summary holds it word for word.
fn lost(step: &Step<'_>, last: Option<usize>) -> Option<Symptom> {
    let question = step.question?;
    let words = question.live.head.trim();
    let is_compaction = matches!(step.source, Source::Compaction(_));
    if is_compaction && step.after.iter().any(|live| begins_like(live, &question.live)) {
        return None;
    }
    // A harness that compacts lets a summary stand for what was asked, too; but not where it keeps what was asked
    // before, word for word, while the model is at work on what was asked last.
    let summed_up = step.after.iter().any(|live| live.kind == Kind::Summary);
    let keeps_older = || last.is_some_and(|at| step.after[at].turn < question.live.turn);
    let at_work = step.source == Source::Compaction(CompactionClass::MidTurn);
    if is_compaction && summed_up && !(at_work && keeps_older()) {
        return None;
    }
    let kept_in = |live: &Live| live.is_program_text() && !words.is_empty() && live.head.contains(words);
    // A state may be an older one that somebody went back to; a node that removes the question is a cut.
    let rolled_back =
        step.source == Source::State && step.change.removes_only_the_tail() && step.change.inserted.is_empty();
    if step.after.is_empty() || rolled_back || step.after.iter().any(kept_in) {
        return None;
    }
    let read = last.map_or("no question at all".to_owned(), |at| quote(&step.after[at]));
    let message = format!(
        "the current question {} is gone: the model reads {read} as the newest question",
        quote(&question.live)
    );
    let at = last.unwrap_or(step.after.len() - 1);
    let symptom = Symptom::new(
        &DISPLACED_QUESTION,
        &step.after[at],
        "what the model reads instead",
        message,
    );
    Some(symptom.related(&question.live, "what the person asked last"))
}
