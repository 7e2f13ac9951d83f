//! Text of a tool, copied word for word into what a program says.

use super::{StepRule, Symptom, name, quote};
use crate::rule::EXTERNAL_IN_BATCH;
use crate::transcript::message::{Class, Kind, Live, Nature};
use crate::transcript::replay::Noted;
use crate::transcript::step::{Scene, Step};
use crate::transcript::stretches;

/// Of how many results, counted from the newest, a copy is looked for.
const RESULTS: usize = 50;

/// What stands before a text that is quoted.
const QUOTES: [&str; 7] = ["```", "\n>", "<", "\n#", ":\n", "\u{201c}", "\u{ab}"];

/// Told once a history.
#[derive(Default)]
pub(crate) struct ExternalInBatch {
    told: bool,
}

impl StepRule for ExternalInBatch {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let places: Vec<usize> = super::arrivals(step).collect();
        self.look(step.after, places, symptoms);
    }

    fn note(&mut self, _scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        if let Noted::Prompt(prompted) = noted
            && !prompted.is_history
        {
            self.look(prompted.list, 0..prompted.list.len(), symptoms);
        }
    }
}

impl ExternalInBatch {
    fn look(&mut self, list: &[Live], places: impl IntoIterator<Item = usize>, symptoms: &mut Vec<Symptom>) {
        for at in places {
            if self.told {
                return;
            }
            let live = &list[at];
            if !live.class.as_deref().is_some_and(may_copy) || is_quoted(&live.head) {
                continue;
            }
            let results = list[..at].iter().rev().filter(|live| live.kind == Kind::ToolResult);
            let copied = |result: &&Live| stretches::meet(&live.stretches, &result.stretches);
            let Some(result) = results.take(RESULTS).find(copied) else {
                continue;
            };
            self.told = true;
            let message = format!(
                "{} repeats word for word what a tool gave ({}), and nothing marks it as a quotation: whoever wrote that text speaks in the program's name",
                quote(live),
                name(result),
            );
            let symptom = Symptom::new(&EXTERNAL_IN_BATCH, live, "in the program's name", message);
            symptoms.push(symptom.related(result, "where it came from"));
        }
    }
}

/// Whether an injection may hold somebody else's text: what a harness documents is its own matter.
fn may_copy(class: &Class) -> bool {
    let open = matches!(
        class.nature,
        Nature::State { .. } | Nature::Unclear | Nature::Event { told: false }
    );
    open && !class.mild
}

/// Whether a tag, a fence, a heading or a label stands before the text.
fn is_quoted(text: &str) -> bool {
    let text = text.trim_start();
    let label = text
        .split_once(':')
        .is_some_and(|(label, _)| label.split_whitespace().count() <= 12);
    label || text.starts_with(['[', '#', '{', '>', '"', '|', '(']) || QUOTES.iter().any(|quote| text.contains(quote))
}
