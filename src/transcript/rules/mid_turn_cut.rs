//! A cut that falls inside a turn.

use rustc_hash::FxHashMap;

use super::{StepRule, Symptom, count, quote};
use crate::finding::Severity;
use crate::rule::MID_TURN_CUT;
use crate::transcript::event::CompactionClass;
use crate::transcript::message::{Kind, Live};
use crate::transcript::step::{Source, Step};

pub(crate) struct MidTurnCut;

impl StepRule for MidTurnCut {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        if step.source == Source::Compaction(CompactionClass::MidTurn) {
            symptoms.push(compacted(step));
        }
        if !matches!(step.source, Source::Update | Source::State) {
            return;
        }
        symptoms.extend(match step.question {
            Some(_) => cut(step),
            None => unasked(step),
        });
    }
}

/// What a harness does in its documented way, where the model was at work. Whether the question is lost with it,
/// `displaced-question` sees; half a tool pair, `split-tool-pair`.
fn compacted(step: &Step<'_>) -> Symptom {
    let gone = step
        .change
        .removed
        .iter()
        .filter(|removed| removed.old.is_conversation());
    let gone = count(gone.count(), "message is", "messages are");
    let question = match (step.question, step.question_at()) {
        (Some(question), Some(_)) => format!("the question {} stays", quote(&question.live)),
        (Some(question), None) => format!(
            "the model reads no more of the question {} than is summed up",
            quote(&question.live)
        ),
        (None, _) => "what was asked is not known".to_owned(),
    };
    let message = format!("the history is compacted while the model is at work: {gone} replaced, and {question}");
    let label = "compacted in the middle of a turn";
    Symptom::at_spot(&MID_TURN_CUT, step.spot, step.turn, label, label, message).severity(Severity::Info)
}

/// Messages of a turn that stay although the question that began it is cut away.
fn cut(step: &Step<'_>) -> Option<Symptom> {
    let change = step.change;
    if change.removes_only_the_tail() && change.removed.len() < change.before {
        return None;
    }
    let is_gone = |old: &Live| step.outline.first_asked(old.content).is_none();
    // Messages without ids show an edit as one that went and one that came.
    let is_edited = |was_at: usize| {
        let now = change.rewritten(was_at);
        now.is_some_and(|at| step.after[at].is_authored())
    };
    let questions = change
        .removed
        .iter()
        .filter(|removed| removed.old.is_authored() && is_gone(&removed.old) && !is_edited(removed.was_at))
        .map(|removed| &removed.old);
    let mut questions = questions.rev().peekable();
    questions.peek()?;
    let rests = rests(step);
    let (question, stays) = questions.find_map(|question| Some((question, *rests.get(&question.turn)?)))?;
    let is_current = step.question.is_some_and(|current| current.is(question));
    let quoted = is_current
        && step
            .change
            .inserted
            .iter()
            .any(|&at| repeats(&step.after[at], question));
    let read = step
        .taken_for_current()
        .map_or("no question at all".to_owned(), |at| quote(&step.after[at]));
    let symptom = if is_current && !quoted {
        let message = format!(
            "the cut takes away the current question {} and leaves what was done for it: the model reads {read} as the \
             newest question",
            quote(question),
        );
        Symptom::new(
            &MID_TURN_CUT,
            stays,
            "belongs to the question that was cut away",
            message,
        )
    } else {
        let message = format!("the cut takes away {} and leaves the rest of its turn", quote(question));
        Symptom::new(&MID_TURN_CUT, stays, "the rest of a turn that was cut", message).severity(Severity::Warn)
    };
    Some(symptom.related(question, "the question that was cut away"))
}

/// Where inputs are not recorded: a list written anew that holds a turn's work and no question for it.
fn unasked(step: &Step<'_>) -> Option<Symptom> {
    if !step.change.reset {
        return None;
    }
    let in_loop = step.after.iter().rev().find(|live| live.is_conversation())?.kind == Kind::ToolResult;
    let asked = step
        .after
        .iter()
        .any(|live| live.is_authored() && live.turn == step.turn);
    if asked || !in_loop {
        return None;
    }
    let stays = *rests(step).get(&step.turn)?;
    let message = "the list is written anew with this turn's tool rounds and without its question: the model does not \
                   read what it was asked"
        .to_owned();
    Some(Symptom::new(
        &MID_TURN_CUT,
        stays,
        "belongs to a question that is not in the list",
        message,
    ))
}

/// For each turn its first message, other than questions, that was there before the step and still is.
fn rests<'s>(step: &'s Step<'_>) -> FxHashMap<u32, &'s Live> {
    let is_rest = |live: &&Live| live.is_conversation() && !live.is_authored() && live.step < step.number;
    let mut rests = FxHashMap::default();
    for live in step.after.iter().filter(is_rest) {
        rests.entry(live.turn).or_insert(live);
    }
    rests
}

/// Whether a summary, or whatever replaces the messages, holds the question word for word.
fn repeats(live: &Live, question: &Live) -> bool {
    let words = question.head.trim();
    live.is_program_text() && !words.is_empty() && live.head.contains(words)
}
