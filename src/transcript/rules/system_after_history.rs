//! A system message behind messages of the conversation, for a provider that wants it first.

use super::{StepRule, Symptom, name};
use crate::finding::Confidence;
use crate::rule::SYSTEM_AFTER_HISTORY;
use crate::transcript::message::{Kind, Live, Role};
use crate::transcript::replay::Noted;
use crate::transcript::step::{Scene, Step};

/// Told once a history.
pub(crate) struct SystemAfterHistory {
    /// Whether the form is that of a provider which wants it first.
    sure: bool,
    /// Whether a call named one of its models.
    named: Option<String>,
    found: Option<(Live, Live)>,
}

impl SystemAfterHistory {
    /// Nothing seen yet.
    pub(crate) fn new(sure: bool) -> Self {
        Self {
            sure,
            named: None,
            found: None,
        }
    }
}

impl StepRule for SystemAfterHistory {
    fn step(&mut self, step: &Step<'_>, _symptoms: &mut Vec<Symptom>) {
        if self.found.is_some() {
            return;
        }
        let Some(first) = step.outline.said_first() else {
            return;
        };
        let is_system = |live: &&Live| {
            live.role == Role::System && !live.developer && matches!(live.kind, Kind::System | Kind::Injected)
        };
        let places = super::arrivals(step).filter(|&at| at > first);
        let found = places.map(|at| &step.after[at]).find(is_system);
        self.found = found.map(|live| (live.clone(), step.after[first].clone()));
    }

    fn note(&mut self, _scene: &Scene<'_>, noted: &Noted<'_>, _symptoms: &mut Vec<Symptom>) {
        if let Noted::Call(call) = noted
            && let Some(model) = call.model.as_deref().filter(|model| wants_it_first(model))
        {
            self.named.get_or_insert_with(|| model.to_owned());
        }
    }

    fn end(&mut self, _scene: &Scene<'_>, symptoms: &mut Vec<Symptom>) {
        let Some((live, first)) = self.found.take() else { return };
        let (who, confidence) = match &self.named {
            _ if self.sure => ("the provider".to_owned(), Confidence::High),
            Some(model) => (format!("the provider of `{model}`"), Confidence::Medium),
            None => return,
        };
        let message = format!(
            "{} is a system message behind messages of the conversation: {who} takes system text in front of it only",
            name(&live)
        );
        let symptom = Symptom::new(&SYSTEM_AFTER_HISTORY, &live, "a system message here", message)
            .confidence(confidence)
            .related(&first, "the conversation begins here");
        symptoms.push(symptom.alone());
    }
}

/// Whether a model is of a provider that takes system text in front of the conversation only: Anthropic's.
fn wants_it_first(model: &str) -> bool {
    model.to_lowercase().contains("claude")
}
