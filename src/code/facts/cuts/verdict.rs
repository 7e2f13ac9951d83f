//! What becomes of a cut: who reads what is left, and what repairs it.

use super::carried::Carried;
use super::repairs::{self};
use super::{Cut, Finder, Keeps, Means, Reach, Safety, Seen, reaches};
use crate::code::facts::Pick;
use crate::code::flow::graph::{Flow, Node, Origin};
use crate::code::flow::predicate::Subject;
use crate::code::flow::reach::{Direction, reach as walk};
use crate::code::ir::ExprKind;
use crate::code::project::ExprRef;
use crate::code::vocabulary::Field;

impl Finder<'_, '_> {
    pub(super) fn add(&mut self, seen: &Seen) {
        let facts = self.facts;
        let Some(confidence) = self.confidence(seen.list) else {
            return;
        };
        let node = seen.kept.first().copied().unwrap_or_else(|| facts.node(seen.list));
        // What is made anew of the text of an answer has neither calls nor results.
        let goes = reaches::goes(facts, &seen.kept, &self.ignored, seen.means != Means::Half);
        let mut reach = goes.reach;
        if seen.keeps == Keeps::Some && seen.means == Means::Slice && self.is_alone_with_ends(seen.site) {
            reach = reach.max(Reach::Returned);
        }
        if self.is_removed(seen.site) {
            reach = Reach::Durable;
        }
        if matches!(seen.means, Means::Pop) || self.is_deleted(seen.site) || self.is_put_back(seen.site) {
            reach = reach.max(self.in_place(seen.list));
        }
        if reach == Reach::Nowhere
            || reaches::is_window_for_others(facts, seen.site, seen.list, reach)
            || self.is_shown(seen.site, reach)
            || self.is_page(seen, reach)
            || self.is_taken_back(seen.site)
        {
            return;
        }
        let repairs = facts.repairs();
        let after = repairs.after(facts, seen.site, node);
        let too_early = repairs
            .before(facts, seen.site, node)
            .filter(|(repair, _)| !repair.one_sided && !repair.answers && repair.at != seen.site)
            .map(|(repair, call)| (repair.at, call));
        let one_sided = after.iter().find(|repair| repair.one_sided).map(|repair| repair.at);
        let carried = self.carried(seen.site);
        let mut safety = seen.bound.safety.max(repairs::best(&after));
        if carried == Carried::Named {
            safety = safety.max(Safety::Pairs);
        }
        let has_pairs = self.has_pairs(seen.list)
            || facts.histories().near(&facts.graph, node).paired && !self.is_sorted_out(seen.list);
        let loses_no_question = safety == Safety::Pairs && self.loses_no_question(seen, &goes);
        let mut products = Vec::new();
        if seen.means == Means::Library {
            products.extend(goes.joined);
            products.extend(goes.written);
            products.sort_unstable();
            products.dedup();
        }
        self.cuts.push(Cut {
            site: seen.site,
            at: seen.bound.decided.unwrap_or(seen.site),
            means: seen.means,
            keeps: seen.keeps,
            measured: seen.bound.measured,
            safety,
            reach,
            products,
            too_early,
            one_sided: one_sided.and_then(|at| self.condition_of(at)).or(one_sided),
            has_pairs,
            carries_calls: carried == Carried::Calls,
            with_partner: seen.bound.with_partner,
            at_answer: seen.bound.at_answer,
            told_again: !has_pairs && self.is_told_again(node),
            loses_no_question,
            keeps_question: self.keeps_question(seen.site, facts.node(seen.list)),
            confidence,
        });
    }

    /// Whether each message of a list becomes a role and its words: a view of what was said.
    fn is_told_again(&self, list: Node) -> bool {
        let facts = self.facts;
        let names = walk(&facts.graph, list, Direction::Forward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        names.iter().any(|one| {
            let over = facts.graph.as_expr(one.node);
            let around = over.and_then(|over| Some((over, facts.graph.around(over)?)));
            around.is_some_and(|(over, around)| match facts.kind(around) {
                ExprKind::Comprehension { element, clauses, .. } => {
                    let runs = clauses.iter().any(|clause| clause.iter == over.expr);
                    let told = facts.construction(facts.beside(around, *element)).is_some_and(|made| {
                        made.role_expr.is_some()
                            && made.fields.iter().all(|(name, _)| {
                                matches!(facts.vocabulary.field(name), Some(Field::Role(_) | Field::Content))
                            })
                    });
                    runs && told
                }
                _ => false,
            })
        })
    }

    /// Whether the function that cuts finds the newest message of the user and does something with it.
    pub(super) fn keeps_question(&self, site: ExprRef, list: Node) -> bool {
        let facts = self.facts;
        let function = facts.owner(site);
        facts.scans().iter().any(|scan| {
            let subject = scan.subject.clone().map(Subject::named);
            facts.owner(scan.site) == function
                && scan.pick == Pick::Newest
                && facts.histories().same(facts.node(scan.list), list)
                && subject.is_some_and(|subject| {
                    scan.conditions.iter().any(|(cond, holds)| {
                        let predicate = facts.predicates.of(*cond, &subject);
                        if *holds {
                            predicate.is_user()
                        } else {
                            predicate.negated().is_user()
                        }
                    })
                })
                && scan
                    .results
                    .iter()
                    .any(|result| !facts.graph.outgoing(*result).is_empty())
        })
    }

    /// Whether a person takes back what was said: by the name of the function, or of one that calls it.
    fn is_taken_back(&self, site: ExprRef) -> bool {
        let facts = self.facts;
        let function = facts.owner(site);
        let callers = facts.project.callers_of(function).iter().map(|call| call.caller);
        std::iter::once(function)
            .chain(callers)
            .any(|function| facts.vocabulary.undoes(&facts.project.function(function).name))
    }

    /// Whether a function answers a request to see something: what it returns is shown.
    pub(super) fn is_shown(&self, site: ExprRef, reach: Reach) -> bool {
        let facts = self.facts;
        let function = facts.owner(site);
        let decorators = &facts.project.function(function).decorators;
        reach != Reach::Model
            && decorators.iter().any(|decorator| {
                let at = ExprRef { module: function.module, expr: *decorator };
                facts.call(at).is_some_and(|(callee, _)| {
                    matches!(facts.kind(callee), ExprKind::Attribute { name, .. } if facts.vocabulary.is_showing_decorator(name))
                })
            })
    }

    /// The condition of a pass behind a call of it.
    pub(super) fn condition_of(&self, call: ExprRef) -> Option<ExprRef> {
        let repairs = self.facts.repairs();
        let callees = self.facts.project.callees_of(call);
        callees.iter().find_map(|callee| {
            repairs
                .of_function(*callee)
                .into_iter()
                .find(|repair| repair.one_sided)
                .map(|repair| repair.at)
        })
    }

    /// How far a change of the list itself reaches.
    pub(super) fn in_place(&self, list: ExprRef) -> Reach {
        let facts = self.facts;
        let mut reach = Reach::Nowhere;
        // A local name of a list that lives elsewhere is that list.
        let behind = walk(
            &facts.graph,
            facts.node(list),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && flow == Flow::Same,
        );
        for place in behind {
            match facts.graph.origin(place.node) {
                Origin::Field(..) | Origin::Slot(..) => reach = reach.max(Reach::Durable),
                Origin::Param(function, _) if facts.project.callers_of(*function).is_empty() => {
                    reach = reach.max(Reach::Returned);
                }
                _ => {}
            }
        }
        reach
    }
}
