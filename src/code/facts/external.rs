//! Text from outside, of a page, a search or a tool, that the program says in its own or in the
//! person's name.

mod marks;
mod sources;

use rustc_hash::FxHashSet;

use super::{Construction, Durability, Facts, PrefixPart};
use crate::code::flow::graph::{Node, Origin};
use crate::code::flow::reach::{Direction, path, reach};
use crate::code::project::ExprRef;
use crate::code::vocabulary::{Effect, Role, Runs};

/// Where a text comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outside {
    /// What stands under an address that is not fixed.
    Page,
    /// A search of the web.
    Search,
    /// A run of a tool.
    Tool,
    /// The result of a tool, found in the history.
    Result,
}

/// One such text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExternalText {
    /// The message, or the text at system level, that it is said in.
    pub(crate) said: ExprRef,
    /// What gives it.
    pub(crate) source: ExprRef,
    /// Where it comes from.
    pub(crate) outside: Outside,
    /// Whether it stands at system level, and not in the person's name.
    pub(crate) as_rule: bool,
}

/// A text from outside among what another is made of.
struct Quoted {
    source: ExprRef,
    outside: Outside,
    /// Whether it was kept from an earlier call.
    kept: bool,
}

impl Facts<'_> {
    /// All of a project.
    pub(crate) fn external_texts(&self) -> Vec<ExternalText> {
        let results = self.found_results();
        let mut found = Vec::new();
        for made in self.constructions() {
            let skip = self.is_test(made.expr) || made.removal || made.base.is_some() || made.is_tool_result(self);
            let as_rule = match made.role {
                Some(Role::System) => true,
                Some(Role::User) => false,
                _ => continue,
            };
            let Some(content) = made.content.filter(|_| !skip && !self.has_marker(made)) else {
                continue;
            };
            let quoted = self.quoted(self.node(content), &results).into_iter();
            let injected = quoted.filter(|quoted| as_rule || quoted.kept || self.is_before_call(made.expr));
            let Some(quoted) = injected.into_iter().next() else {
                continue;
            };
            if self.joins_conversation(made) {
                found.push(ExternalText {
                    said: made.expr,
                    source: quoted.source,
                    outside: quoted.outside,
                    as_rule,
                });
            }
        }
        for prefix in self.prefixes() {
            let at_system_level = prefix.part == PrefixPart::System && prefix.sure && !prefix.single;
            let Some(said) = prefix.enters.filter(|_| at_system_level && prefix.message.is_none()) else {
                continue;
            };
            let quoted = self.quoted(prefix.node, &results).into_iter().next();
            found.extend(quoted.map(|quoted| ExternalText {
                said,
                source: quoted.source,
                outside: quoted.outside,
                as_rule: true,
            }));
        }
        found.sort_by_key(|one| one.said);
        found.dedup_by_key(|one| one.said);
        found
    }

    /// The texts from outside that a text is made of, word for word and with nothing that says so.
    fn quoted(&self, text: Node, results: &FxHashSet<Node>) -> Vec<Quoted> {
        let reached = reach(&self.graph, text, Direction::Backward, |flow, _, held, from| {
            self.is_word_for_word(flow, held, from)
        });
        let mut found = Vec::new();
        for (index, one) in reached.iter().enumerate() {
            let Some((source, outside)) = self.outside(one, results) else {
                continue;
            };
            let nodes = path(&reached, index);
            if self.is_test(source) || self.is_marked(&reached, &nodes) || self.is_of_the_house(&nodes) {
                continue;
            }
            found.push(Quoted {
                source,
                outside,
                kept: outside == Outside::Result || nodes.iter().any(|node| self.outlives_call(*node)),
            });
        }
        found
    }

    /// Whether a node is what an object, or a file, keeps.
    fn outlives_call(&self, node: Node) -> bool {
        match self.graph.origin(node) {
            Origin::Field(..) => true,
            Origin::Variable(function, _) => function.function.0 == 0,
            _ => false,
        }
    }

    /// Whether a framework runs the function around an expression before every call.
    fn is_before_call(&self, at: ExprRef) -> bool {
        self.hook(self.owner(at))
            .is_some_and(|hook| hook.runs == Runs::Call && hook.effect == Some(Effect::CallOnly))
    }

    /// Whether a message stands beside a conversation, in its history or in the calls that send it.
    fn joins_conversation(&self, made: &Construction) -> bool {
        match self.durability(made.expr) {
            Durability::Durable(kept) => kept.iter().any(|kept| !self.opens_list(kept)),
            Durability::CallOnly => {
                let onward = self.onward(made.expr);
                self.model_sends().iter().filter_map(|send| send.messages).any(|list| {
                    let list = self.node(list);
                    onward.iter().any(|one| one.node == list) && !self.is_single(list)
                })
            }
            Durability::Unknown => self.is_before_call(made.expr),
        }
    }
}
