//! Texts of the program's own that are stored as words of the person.

use rustc_hash::FxHashSet;

use super::{Construction, Durability, Facts, Keeper};
use crate::code::flow::graph::{Flow, Origin, Part};
use crate::code::flow::iteration::integer;
use crate::code::flow::predicate::{Subject, same_spelling};
use crate::code::flow::reach::{Direction, reach};
use crate::code::ir::{CompareOp, ExprId, ExprKind, Intrinsic, StmtKind, TemplatePart};
use crate::code::project::{ExprRef, FuncRef, Target};
use crate::code::vocabulary::{Block, Field, Role};
use crate::finding::Confidence;

/// How many calls and functions around one are looked at.
const CALLERS: usize = 4;

impl Facts<'_> {
    /// Stored messages in the person's role whose text the program wrote, with nothing that tells them
    /// from the person's: the place that stores each, and the message.
    pub(crate) fn unmarked_injections(&self) -> Vec<(ExprRef, ExprRef)> {
        let mut found = Vec::new();
        let gestures = self.gestures();
        for made in self.constructions() {
            let skip = self.module(made.expr.module).is_test || made.removal || made.base.is_some();
            if skip || made.role != Some(Role::User) || made.is_tool_result(self) || !self.is_bare(made) {
                continue;
            }
            let Some(content) = made.content.filter(|content| self.is_fixed_text(*content, Role::User)) else {
                continue;
            };
            let for_one_call = self.is_in_batch(made.expr);
            // The person chose the words by choosing the button.
            if self.is_done_by_hand(self.owner(made.expr), &gestures, CALLERS) {
                continue;
            }
            let opens = self.stands_beside_rules(made.expr) || self.fills_opening(made.expr);
            if for_one_call || opens || self.is_tagged(content) || self.holds_results(content) {
                continue;
            }
            if let Some(enters) = self.answers_model(made.expr) {
                found.push((enters, made.expr));
                continue;
            }
            let Durability::Durable(kept) = self.durability(made.expr) else {
                continue;
            };
            let stays = kept
                .iter()
                .find(|kept| kept.keeper != Keeper::Caller && !self.opens_list(kept) && !self.is_taken_out(kept));
            found.extend(stays.map(|kept| (kept.enters, made.expr)));
        }
        found
    }

    /// Stored messages whose text comes from elsewhere as it is, made of objects of an interface that asks
    /// for marks around the text and gets none: the place that stores each, and the message.
    pub(crate) fn unmarked_quotes(&self) -> Vec<(ExprRef, ExprRef)> {
        let mut found = Vec::new();
        for made in self.constructions() {
            let Some(content) = made.content.filter(|_| made.lacks_marks && !self.is_test(made.expr)) else {
                continue;
            };
            // Words that another package puts to a text, such as that it was too long, mark none of them.
            let worded = self
                .made_of(self.node(content))
                .iter()
                .filter_map(|one| self.graph.as_expr(one.node))
                .filter(|at| self.project.package_of(at.module) == self.project.package_of(made.expr.module))
                .any(|at| !self.is_test(at) && (self.is_wording(at) || self.is_chosen_setting(at)));
            if worded || self.is_worded_by_callee(content) {
                continue;
            }
            if let Durability::Durable(kept) = self.durability(made.expr) {
                let stays = kept.iter().find(|kept| kept.keeper == Keeper::Store);
                found.extend(stays.map(|kept| (kept.at, made.expr)));
            }
        }
        found
    }

    /// Whether a text is what a function of the project gives which puts words together.
    fn is_worded_by_callee(&self, content: ExprRef) -> bool {
        let behind = reach(
            &self.graph,
            self.node(content),
            Direction::Backward,
            |flow, _, held, _| {
                let hands_on = matches!(
                    flow,
                    Flow::Same | Flow::Enter(_) | Flow::Opaque | Flow::Text | Flow::Part(Part::Copy | Part::DeepCopy)
                );
                held.is_empty() && hands_on
            },
        );
        let calls = behind.iter().filter_map(|one| self.graph.as_expr(one.node));
        calls.flat_map(|call| self.project.callees_of(call)).any(|writer| {
            let paths = self.paths.function(*writer);
            let mut exprs = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
            exprs.any(|expr| {
                let at = ExprRef {
                    module: writer.module,
                    expr,
                };
                matches!(self.kind(at), ExprKind::Template(_)) && self.is_wording(at)
            })
        })
    }

    /// Whether a text is what whoever runs the program chose for it.
    fn is_chosen_setting(&self, text: ExprRef) -> bool {
        let ExprKind::Attribute { base, .. } = self.kind(text) else {
            return false;
        };
        match self.kind(self.beside(text, *base)) {
            ExprKind::Name(name) | ExprKind::Attribute { name, .. } => self.vocabulary.names_settings(name),
            _ => false,
        }
    }

    /// The functions that run when a person does something on a screen.
    fn gestures(&self) -> FxHashSet<FuncRef> {
        let mut found = FxHashSet::default();
        for (module, ir) in self.project.modules() {
            for gesture in &ir.gestures {
                let at = ExprRef { module, expr: *gesture };
                let behind = reach(&self.graph, self.node(at), Direction::Backward, |flow, _, held, _| {
                    held.is_empty() && matches!(flow, Flow::Same | Flow::Opaque)
                });
                let lambdas = behind.iter().filter_map(|one| self.graph.as_expr(one.node));
                found.extend(lambdas.filter_map(|expr| match self.kind(expr) {
                    ExprKind::Lambda(function) => Some(FuncRef {
                        module: expr.module,
                        function: *function,
                    }),
                    _ => None,
                }));
                if let Target::Function(function) = self.project.resolve(self.owner(at), *gesture) {
                    found.insert(function);
                }
            }
        }
        found
    }

    /// Whether a function runs only because a person did something on a screen.
    fn is_done_by_hand(&self, function: FuncRef, gestures: &FxHashSet<FuncRef>, depth: usize) -> bool {
        if gestures.contains(&function) {
            return true;
        }
        if depth == 0 {
            return false;
        }
        let callers = self.project.callers_of(function);
        let inside = self.project.function(function).parent.map(|parent| FuncRef {
            module: function.module,
            function: parent,
        });
        inside.is_some_and(|outer| self.is_done_by_hand(outer, gestures, depth - 1))
            || !callers.is_empty()
                && callers
                    .iter()
                    .all(|call| self.is_done_by_hand(call.caller, gestures, depth - 1))
    }

    /// Where a message is added right behind the model's own words to a history that the function was
    /// given, in a loop that goes on with it: nobody but the program answers the model.
    fn answers_model(&self, made: ExprRef) -> Option<ExprRef> {
        let enters = self.graph.around(made)?;
        let list = self.appended_to(enters, made)?;
        let paths = self.paths.function(self.owner(enters));
        let stmt = paths.stmt_of(enters.expr)?;
        paths.enclosing_loops(stmt).next()?;
        let module = self.module(made.module);
        let behind_reply = paths.preceding(stmt).iter().any(|before| {
            let StmtKind::Expr(call) = paths.stmt(*before).kind else {
                return false;
            };
            let Some((other, value)) = self.append_parts(self.beside(made, call)) else {
                return false;
            };
            let said = self.construction(self.beside(made, value));
            same_spelling(module, list, other)
                && said.is_some_and(|said| {
                    let fixed = said
                        .content
                        .is_some_and(|text| self.is_fixed_text(text, Role::Assistant));
                    said.role == Some(Role::Assistant) && !fixed
                })
        });
        let origins = reach(
            &self.graph,
            self.node(self.beside(made, list)),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Load(_) | Flow::Part(Part::Copy)),
        );
        let given = origins
            .iter()
            .any(|one| matches!(self.graph.origin(one.node), Origin::Param(..) | Origin::Field(..)));
        let sure = self.histories().confidence(self.node(self.beside(made, list)))?;
        (behind_reply && given && sure >= Confidence::Medium).then_some(enters)
    }

    /// The list that a call appends this value to.
    fn appended_to(&self, call: ExprRef, value: ExprRef) -> Option<ExprId> {
        let (list, added) = self.append_parts(call)?;
        (added == value.expr).then_some(list)
    }

    fn append_parts(&self, call: ExprRef) -> Option<(ExprId, ExprId)> {
        match self.kind(call) {
            ExprKind::Call { idiom: Some(idiom), .. } if idiom.op == Intrinsic::Append => match idiom.operands[..] {
                [list, value] => Some((list, value)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a message has nothing but a role, a content and what every message has.
    fn is_bare(&self, made: &Construction) -> bool {
        made.fields
            .iter()
            .all(|(name, value)| match self.vocabulary.field(name) {
                Some(Field::Role(_) | Field::Content) => true,
                // An id that says what the message is marks it.
                Some(Field::Id) => self.project.constant(*value).is_none(),
                _ => false,
            })
    }

    /// Whether a message stands in a display with the one that sets the rules: a conversation is opened.
    fn stands_beside_rules(&self, made: ExprRef) -> bool {
        let Some(list) = self.graph.around(made) else {
            return false;
        };
        match self.kind(list) {
            ExprKind::List { items, .. } => items.iter().any(|item| {
                let beside = self.construction(self.beside(list, item.value));
                beside.is_some_and(|beside| beside.role == Some(Role::System))
            }),
            _ => false,
        }
    }

    /// Whether a message is made because the first one is not the person's: what a provider wants at the
    /// head of a list says nothing about now.
    fn fills_opening(&self, made: ExprRef) -> bool {
        let module = self.module(made.module);
        let paths = self.paths.function(self.owner(made));
        paths.guards(made.expr).into_iter().any(|guard| {
            module.inside(guard.cond).any(|inner| match module.kind(inner) {
                ExprKind::Compare { op: CompareOp::NotEq, left, .. } if guard.holds => {
                    let first = module.inside(*left).find(|part| {
                        matches!(module.kind(*part), ExprKind::Index { index, .. } if integer(module, *index) == Some(0))
                    });
                    first.is_some_and(|first| {
                        let subject = Subject::spelled(module, first);
                        self.predicates.of(self.beside(made, inner), &subject).negated().is_user()
                    })
                }
                _ => false,
            })
        })
    }

    /// Whether a message stands behind a history in a list that is made for one call:
    /// `send({ contents: [...history, ask] })`.
    fn is_in_batch(&self, made: ExprRef) -> bool {
        let Some(outer) = self.graph.around(made) else {
            return false;
        };
        // Or it is put into that list where it has a name.
        let list = match self.kind(outer) {
            ExprKind::Call { idiom: Some(idiom), .. } if matches!(idiom.op, Intrinsic::Append | Intrinsic::Insert) => {
                let filled = idiom.operands.first().map(|list| self.beside(outer, *list));
                filled.and_then(|list| match self.kind(list) {
                    ExprKind::Name(name) => self.project.only_value(self.owner(list), name),
                    _ => None,
                })
            }
            _ => Some(outer),
        };
        let Some(list) = list else { return false };
        let ExprKind::List { items, .. } = self.kind(list) else {
            return false;
        };
        let histories = items.iter().filter(|item| item.spread).filter(|item| {
            let node = self.node(self.beside(list, item.value));
            self.histories().confidence(node).is_some()
        });
        let spread: Vec<ExprRef> = histories.map(|item| self.beside(list, item.value)).collect();
        if spread.is_empty() {
            return false;
        }
        // `xs = [...xs, ask]` goes on with the list.
        let module = self.module(list.module);
        let paths = self.paths.function(self.owner(list));
        let grows = paths
            .stmt_of(list.expr)
            .is_some_and(|stmt| match &paths.stmt(stmt).kind {
                StmtKind::Assign { targets, .. } => targets.iter().any(|target| {
                    matches!(module.kind(*target), ExprKind::Attribute { .. })
                        || spread.iter().any(|one| same_spelling(module, one.expr, *target))
                }),
                _ => false,
            });
        let onward = reach(&self.graph, self.node(list), Direction::Forward, |flow, _, held, _| {
            held.is_empty() && flow == Flow::Same
        });
        let given = onward.iter().filter_map(|one| self.graph.as_expr(one.node)).any(|at| {
            let outer = self.graph.around(at).map(|outer| (outer, self.kind(outer)));
            match outer {
                Some((_, ExprKind::Call { args, idiom: None, .. })) => args.iter().any(|arg| arg.value == at.expr),
                Some((outer, ExprKind::Dict(_))) => self
                    .graph
                    .around(outer)
                    .is_some_and(|call| matches!(self.kind(call), ExprKind::Call { idiom: None, .. })),
                _ => false,
            }
        });
        given && !grows
    }

    /// Whether a content is a list of results of tools, which some providers want in the person's name.
    fn holds_results(&self, content: ExprRef) -> bool {
        let behind = reach(
            &self.graph,
            self.node(content),
            Direction::Backward,
            |flow, _, held, _| {
                held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Into | Flow::Part(_))
            },
        );
        let mut made = behind.iter().filter_map(|one| self.graph.as_expr(one.node));
        made.any(|display| match self.kind(display) {
            ExprKind::Dict(entries) => {
                let mut words = entries.iter().flat_map(|(key, value)| key.iter().chain([value]));
                words.any(|word| {
                    let text = self.text(self.beside(display, *word));
                    text.is_some_and(|text| self.vocabulary.block(text) == Some(Block::ToolResult))
                })
            }
            _ => false,
        })
    }

    /// Whether a text begins or ends as text that a program marks: `<reminder>…`, `[system] …`.
    fn is_tagged(&self, content: ExprRef) -> bool {
        let reached = self.made_of(self.node(content));
        let opens = |text: &str| text.trim_start().starts_with(['<', '[', '#', '(', '*']);
        let closes = |text: &str| text.trim_end().ends_with(['>', ']']);
        let mut exprs = reached.iter().filter_map(|one| self.graph.as_expr(one.node));
        exprs.any(|at| match self.kind(at) {
            ExprKind::Template(parts) => {
                matches!(parts.first(), Some(TemplatePart::Text(text)) if opens(text))
                    || matches!(parts.last(), Some(TemplatePart::Text(text)) if closes(text))
            }
            _ => self.text(at).is_some_and(|text| opens(text) || closes(text)),
        })
    }
}
