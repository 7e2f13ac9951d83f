//! Marks for a provider's cache where nothing is kept by them.

use super::{StepRule, Symptom, count};
use crate::rule::MISPLACED_BREAKPOINT;
use crate::transcript::message::Live;
use crate::transcript::replay::Noted;
use crate::transcript::step::{Scene, Source, Step};

/// How many marks a request may carry: Anthropic refuses more.
const MOST: usize = 4;

/// How many requests in a row have to mark nothing that stays.
const IN_A_ROW: usize = 2;

/// Looks at the marks of each request; tells each misplacement once.
pub(crate) struct MisplacedBreakpoint {
    /// Whether each recorded list is a request.
    lists_are_requests: bool,
    /// What carried a mark in the request before.
    marked: Vec<Live>,
    /// With what that request began: agents that take turns send each other's messages no more.
    beginning: Option<u64>,
    /// How many requests in a row marked only what the next one did not send again.
    lost: usize,
    told_many: bool,
    told_lost: bool,
}

impl MisplacedBreakpoint {
    /// Nothing sent yet.
    pub(crate) fn new(lists_are_requests: bool) -> Self {
        Self {
            lists_are_requests,
            marked: Vec::new(),
            beginning: None,
            lost: 0,
            told_many: false,
            told_lost: false,
        }
    }

    fn sent(&mut self, list: &[Live], symptoms: &mut Vec<Symptom>) {
        let marked: Vec<Live> = list.iter().filter(|live| live.breakpoints > 0).cloned().collect();
        let marks: usize = marked.iter().map(|live| usize::from(live.breakpoints)).sum();
        if marks > MOST && !std::mem::replace(&mut self.told_many, true) {
            let last = marked.last().expect("there are marks");
            let message = format!(
                "the request carries {marks} cache markers on {}: a provider takes {MOST}, and refuses the call or drops the stable ones",
                count(marked.len(), "message", "messages")
            );
            let mut symptom = Symptom::new(&MISPLACED_BREAKPOINT, last, "one marker more", message);
            for live in marked.iter().rev().skip(1).take(MOST) {
                symptom = symptom.related(live, "marked, too");
            }
            symptoms.push(symptom);
        }
        let before = std::mem::replace(&mut self.marked, marked);
        let stays = |live: &Live| list.iter().any(|other| other.print == live.print);
        let beginning = list.first().map(|live| live.print);
        let goes_on = std::mem::replace(&mut self.beginning, beginning) == beginning;
        if !goes_on || before.is_empty() || before.iter().any(stays) {
            self.lost = 0;
            return;
        }
        self.lost += 1;
        if self.lost < IN_A_ROW || std::mem::replace(&mut self.told_lost, true) {
            return;
        }
        let lost = before.last().expect("it was marked");
        let at = self.marked.last().or(list.last()).unwrap_or(lost);
        let message = format!(
            "what carried the cache markers of the last {} is not sent again: what was written to the cache by them is never read",
            count(self.lost, "request", "requests")
        );
        let symptom = Symptom::new(&MISPLACED_BREAKPOINT, at, "the marker stands here now", message);
        symptoms.push(symptom.related(lost, "marked before, and gone now"));
    }
}

impl StepRule for MisplacedBreakpoint {
    fn step(&mut self, step: &Step<'_>, symptoms: &mut Vec<Symptom>) {
        let is_request = matches!(step.source, Source::Beginning | Source::State | Source::Input);
        if self.lists_are_requests && is_request {
            self.sent(step.after, symptoms);
        }
    }

    fn note(&mut self, _scene: &Scene<'_>, noted: &Noted<'_>, symptoms: &mut Vec<Symptom>) {
        if let Noted::Prompt(prompted) = noted
            && !self.lists_are_requests
        {
            self.sent(prompted.list, symptoms);
        }
    }
}
