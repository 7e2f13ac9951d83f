//! What gives text from outside, and how far it is the same text.

use rustc_hash::FxHashSet;

use super::Outside;
use crate::code::facts::{Facts, Yield};
use crate::code::flow::graph::{Flow, Node};
use crate::code::flow::predicate::Kinds;
use crate::code::flow::reach::{Held, Reached};
use crate::code::ir::{Arg, BinaryOp, ExprKind, Intrinsic, TemplatePart};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Field;
use crate::finding::Confidence;

impl Facts<'_> {
    /// Where results of tools are held that a search found in a history.
    pub(super) fn found_results(&self) -> FxHashSet<Node> {
        let mut found = FxHashSet::default();
        for scan in self.scans() {
            let of_messages = scan.yields != Yield::Position && scan.confidence >= Confidence::Medium;
            let sought = self.sought(scan).accepts;
            if of_messages && sought != Kinds::NONE && Kinds::ANY_RESULTS.has(sought) {
                found.extend(scan.results.iter().copied());
            }
        }
        found
    }

    /// What a node has from outside, and the expression that gives it.
    pub(super) fn outside(&self, one: &Reached, results: &FxHashSet<Node>) -> Option<(ExprRef, Outside)> {
        let at = self.graph.as_expr(one.node)?;
        let is_content = |held: &Held| match held {
            Held::Field(symbol) => self.vocabulary.field(self.graph.symbol_name(*symbol)) == Some(Field::Content),
            Held::Item => false,
        };
        if results.contains(&one.node) && one.held.iter().all(is_content) {
            return Some((at, Outside::Result));
        }
        let ExprKind::Call { callee, args, idiom } = self.kind(at) else {
            return None;
        };
        if self.construction(at).is_some() {
            return None;
        }
        if let Some(idiom) = idiom {
            // `client.get(url)` is spelled as the look-up of a key is.
            let [client, address] = idiom.operands[..] else {
                return None;
            };
            let path = (idiom.op == Intrinsic::Get).then(|| self.path(self.beside(at, client)))??;
            let fetches = self
                .vocabulary
                .fetches_page(&format!("{path}.get"), self.module(at.module));
            return (fetches && self.is_open(self.beside(at, address))).then_some((at, Outside::Page));
        }
        let path = self.path(self.beside(at, *callee))?;
        if self.vocabulary.runs_tool(&path) {
            return Some((at, Outside::Tool));
        }
        if !self.project.callees_of(at).is_empty() {
            return None;
        }
        if self.vocabulary.searches_web(&path) {
            return Some((at, Outside::Search));
        }
        let fetches = self.vocabulary.fetches_page(&path, self.module(at.module));
        (fetches && self.is_open_address(at, args)).then_some((at, Outside::Page))
    }

    /// Whether an address is chosen while the program runs, by somebody else than the program.
    fn is_open_address(&self, call: ExprRef, args: &[Arg]) -> bool {
        let mut given = args.iter().filter(|arg| !arg.spread);
        let Some(address) = given.find(|arg| arg.name.as_deref().is_none_or(|name| matches!(name, "url" | "uri")))
        else {
            return false;
        };
        // What is sent along asks for an answer: a service is called, and no page is read.
        let sends = args
            .iter()
            .filter_map(|arg| arg.name.as_deref())
            .any(|name| matches!(name, "body" | "method" | "data" | "json"));
        !sends && self.is_open(self.beside(call, address.value))
    }

    fn is_open(&self, address: ExprRef) -> bool {
        match self.kind(address) {
            ExprKind::Name(name) => match self.project.only_value(self.owner(address), name) {
                Some(value) if value != address && !matches!(self.kind(value), ExprKind::Name(_)) => {
                    self.is_open(value)
                }
                _ => self.is_open_name(name),
            },
            ExprKind::Attribute { base, name } => self.is_open_name(name) && self.is_open(self.beside(address, *base)),
            ExprKind::Template(parts) => {
                let value = parts.first();
                matches!(value, Some(TemplatePart::Value { value, .. }) if self.is_open(self.beside(address, *value)))
            }
            ExprKind::Binary {
                op: BinaryOp::Add,
                left,
                ..
            } => self.is_open(self.beside(address, *left)),
            ExprKind::Call { args, .. } => args.iter().any(|arg| self.is_open(self.beside(address, arg.value))),
            ExprKind::Index { base, .. } => self.is_open(self.beside(address, *base)),
            ExprKind::Literal(_) => false,
            _ => true,
        }
    }

    fn is_open_name(&self, name: &str) -> bool {
        let is_constant = name.chars().all(|sign| !sign.is_lowercase());
        !is_constant && !self.vocabulary.names_own_text(name)
    }

    /// Whether a step against the flow keeps to the same words.
    pub(super) fn is_word_for_word(&self, flow: Flow, held: &[Held], from: Node) -> bool {
        // What was said is no text from outside; a result that was sought in it is known by then.
        let is_history = self
            .histories()
            .confidence(from)
            .is_some_and(|sure| sure >= Confidence::Medium);
        match flow {
            _ if is_history => false,
            Flow::Test | Flow::Position | Flow::Select | Flow::Length => false,
            Flow::Opaque => self.hands_on_words(from),
            Flow::Store(symbol) if held.is_empty() => {
                self.vocabulary.field(self.graph.symbol_name(symbol)) == Some(Field::Content)
            }
            _ => true,
        }
    }

    /// Whether a call outside the project gives the text of a value as it is.
    fn hands_on_words(&self, given: Node) -> bool {
        let Some(given) = self.graph.as_expr(given) else {
            return false;
        };
        let Some(outer) = self.graph.around(given) else {
            return false;
        };
        match self.kind(outer) {
            ExprKind::Attribute { name, .. } => self.vocabulary.carries_text(name),
            ExprKind::Call { callee, .. } => self
                .last_name(self.beside(outer, *callee))
                .is_some_and(|name| self.vocabulary.carries_text(&name)),
            kind => matches!(kind, ExprKind::Other(_)),
        }
    }
}
