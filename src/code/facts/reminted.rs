//! Ids that are made anew for messages that have one already.

mod rewrapped;
mod unwrapped;

use super::fields::field_read;
use super::{Cause, Construction, Facts};
use crate::code::flow::graph::{Flow, Origin};
use crate::code::flow::paths::StmtId;
use crate::code::flow::reach::{Direction, Held, Reached, reach};
use crate::code::ir::{BinaryOp, CompareOp, ExprKind, Name, StmtKind};
use crate::code::project::{ClassRef, ExprRef, FuncRef, Target};
use crate::code::vocabulary::{Block, Field, Purpose, Role};
use crate::finding::Confidence;

/// What is wrong with an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemintKind {
    /// Chance gives a rebuilt message its id.
    Fresh,
    /// The place in a list gives a message its id, although others of the list have ids of their own.
    Positional,
    /// The item that is sent back is named by the call that it makes.
    ByCall,
    /// What a compaction kept becomes messages again.
    Rewrapped,
    /// Contents that were taken out of a list of messages are put into it again.
    Unwrapped,
}

/// One such id.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reminted {
    /// The id.
    pub(crate) at: ExprRef,
    /// What has an id already.
    pub(crate) of: Option<ExprRef>,
    /// What is wrong.
    pub(crate) kind: RemintKind,
    /// How sure it is.
    pub(crate) confidence: Confidence,
}

impl Facts<'_> {
    /// All ids that are made anew, in the order of the constructions.
    pub(crate) fn reminted_ids(&self) -> Vec<Reminted> {
        let mut found = Vec::new();
        for made in self.constructions() {
            if self.is_test(made.expr) || made.removal {
                continue;
            }
            found.extend(self.retold(made));
        }
        for at in self.exprs() {
            if !self.is_test(at) {
                found.extend(self.named_by_call(at));
                found.extend(self.rewrapped(at));
            }
        }
        for (function, _) in self.project.functions() {
            if !self.project.is_test(function) {
                found.extend(self.written_ids(function));
            }
        }
        // What shortens the history is told by that, whatever else is wrong with the same id.
        let untold = |one: &Reminted| found.iter().all(|other: &Reminted| other.at != one.at);
        let code = self.exprs().filter(|at| !self.is_test(*at));
        let unwrapped: Vec<Reminted> = code.filter_map(|at| self.unwrapped(at)).filter(untold).collect();
        found.extend(unwrapped);
        found
    }

    /// The field of some that means this, with the name it is given by.
    fn field_of<'a>(&self, fields: &'a [(Name, ExprRef)], wanted: Field) -> Option<&'a (Name, ExprRef)> {
        fields
            .iter()
            .find(|(name, _)| self.vocabulary.field(name) == Some(wanted))
    }

    /// A message that is made of an item of a list, under an id that chance gives.
    fn retold(&self, made: &Construction) -> Option<Reminted> {
        let id = made.id?;
        if !self.is_chance(id) || self.belongs_elsewhere(made) || made.base.is_some() && self.is_new_version(made) {
            return None;
        }
        // What keeps nothing of what was said is a message of its own.
        if made.base.is_some()
            && made
                .content
                .is_some_and(|content| self.project.constant(content).is_some())
        {
            return None;
        }
        let copied = made.base.map(|base| self.item_with_id(base, true));
        let (of, confidence) = match copied {
            Some(found) => found.map(|of| (of, Confidence::High))?,
            None if self.retells(made) => {
                let mut sources = self.sources(made).into_iter();
                sources.find_map(|base| Some((self.item_with_id(base, false)?, Confidence::Medium)))?
            }
            None => return None,
        };
        Some(Reminted {
            at: id,
            of: Some(of),
            kind: RemintKind::Fresh,
            confidence,
        })
    }

    /// Whether a copy says something else than the message that it is made of: it is another one then.
    fn is_new_version(&self, made: &Construction) -> bool {
        made.fields
            .iter()
            .any(|(name, _)| matches!(self.vocabulary.field(name), Some(Field::Content | Field::ToolCall)))
    }

    /// Whether what a message says is written where its id is.
    fn is_rewritten_beside(&self, stmt: StmtId, function: FuncRef, variable: &Name) -> bool {
        let paths = self.paths.function(function);
        let mut beside = paths.preceding(stmt).iter().chain(paths.following(stmt));
        beside.any(|other| {
            let StmtKind::Assign { targets, .. } = &paths.stmt(*other).kind else {
                return false;
            };
            targets.iter().any(|target| {
                let at = ExprRef {
                    module: function.module,
                    expr: *target,
                };
                field_read(self, at).is_some_and(|(base, name)| {
                    let same = matches!(self.kind(base), ExprKind::Name(name) if name == variable);
                    same && matches!(self.vocabulary.field(&name), Some(Field::Content | Field::ToolCall))
                })
            })
        })
    }

    /// Whether chance alone gives a value, and nothing of an id that is there.
    fn is_chance(&self, id: ExprRef) -> bool {
        let reached = self.made_of(self.node(id));
        let known = reached
            .iter()
            .any(|one| self.keeps_its_id(one) || self.is_given_out(one));
        let sources = self.volatile_among(&reached, self.node(id));
        !known
            && sources
                .iter()
                .any(|source| source.cause == Cause::Random && source.sure)
    }

    /// Whether a walk that looks for an id comes to what an object keeps of the ids that it gave out.
    fn is_given_out(&self, one: &Reached) -> bool {
        matches!(self.graph.origin(one.node), Origin::Field(..)) && one.held.contains(&Held::Item)
    }

    /// Whether a walk that looks for an id ends at an object that has one. What is put together in the
    /// project is followed to the id that it was given, which may be none.
    fn keeps_its_id(&self, one: &Reached) -> bool {
        let wanted = one.held.iter().any(|held| match held {
            Held::Field(symbol) => self.vocabulary.field(self.graph.symbol_name(*symbol)) == Some(Field::Id),
            Held::Item => false,
        });
        let put_together = || {
            self.graph.as_expr(one.node).is_some_and(
                |at| matches!(self.kind(at), ExprKind::Dict(entries) if entries.iter().all(|(key, _)| key.is_some())),
            )
        };
        let incoming = self.graph.incoming(one.node);
        wanted && !put_together() && (incoming.is_empty() || incoming.iter().any(|edge| self.is_beyond(*edge, one)))
    }

    fn reads_id(&self, at: ExprRef) -> bool {
        field_read(self, at).is_some_and(|(_, name)| self.vocabulary.field(&name) == Some(Field::Id))
    }

    /// Whether a message is put under another conversation: `{…, thread_id: fork.id}`.
    fn belongs_elsewhere(&self, made: &Construction) -> bool {
        made.fields.iter().any(|(name, _)| {
            let words = crate::code::vocabulary::words(name);
            let holder = words.len() > 1 && words.last().is_some_and(|word| word == "id");
            holder
                && !matches!(
                    self.vocabulary.field(name),
                    Some(Field::Id | Field::ToolCall | Field::ToolResult)
                )
        })
    }

    /// Whether the function, or another of its class, makes messages of the person out of what is
    /// recorded: it retells a conversation, and does not take down what a model answers.
    fn retells(&self, made: &Construction) -> bool {
        let owner = self.owner(made.expr);
        let class = self.project.function(owner).class;
        self.constructions().iter().any(|other| {
            let there = self.owner(other.expr);
            let beside = there == owner
                || class.is_some() && there.module == owner.module && self.project.function(there).class == class;
            let open = other.role_expr.is_some() && (other.role.is_none() || other.role == Some(Role::User));
            beside && open && other.role_expr.is_some_and(|role| !self.sources_in(role).is_empty())
        })
    }

    /// The variables whose fields make up a message.
    fn sources(&self, made: &Construction) -> Vec<ExprRef> {
        let fields = made
            .fields
            .iter()
            .map(|(_, value)| *value)
            .filter(|value| Some(*value) != made.id);
        fields.flat_map(|value| self.sources_in(value)).collect()
    }

    /// The variables whose fields an expression reads.
    fn sources_in(&self, expr: ExprRef) -> Vec<ExprRef> {
        let mut found = Vec::new();
        let mut open = vec![expr];
        while let Some(at) = open.pop() {
            if let Some((base, _)) = field_read(self, at)
                && matches!(self.kind(base), ExprKind::Name(_))
            {
                found.push(base);
            }
            let children = self.module(at.module).children(at.expr);
            open.extend(children.into_iter().map(|child| self.beside(at, child)));
        }
        found
    }

    /// The item of a list that a variable is or was taken from, if it is known to have an id that the
    /// function does not look at.
    fn item_with_id(&self, variable: ExprRef, is_message: bool) -> Option<ExprRef> {
        let ExprKind::Name(name) = self.kind(variable) else {
            return None;
        };
        if self.looks_at_id(self.owner(variable), name) {
            return None;
        }
        let reached = reach(
            &self.graph,
            self.node(variable),
            Direction::Backward,
            |flow, _, held, _| {
                held.len() < 4 && matches!(flow, Flow::Same | Flow::Enter(_) | Flow::Element | Flow::Load(_))
            },
        );
        let is_item = reached.iter().any(|one| one.held.contains(&Held::Item));
        let answered = reached.iter().any(|one| self.comes_from_model(one));
        if !is_item || answered {
            return None;
        }
        let has_id = self.is_replay(self.owner(variable)) || reached.iter().any(|one| self.has_id(one));
        let known = is_message
            && self
                .histories()
                .message(self.node(variable))
                .is_some_and(|sure| sure >= Confidence::Medium);
        (has_id || known).then_some(variable)
    }

    /// Whether a function, or one that calls it, makes again what was stored, by its name.
    fn is_replay(&self, function: FuncRef) -> bool {
        let named = |function: FuncRef| {
            let name = &self.project.function(function).name;
            self.vocabulary.purposes(name).contains(&Purpose::Replay)
        };
        let around = self.project.function(function).parent.map(|parent| FuncRef {
            module: function.module,
            function: parent,
        });
        let callers = self.project.callers_of(function).iter().map(|site| site.caller);
        named(function) || around.is_some_and(named) || callers.into_iter().any(named)
    }

    fn comes_from_model(&self, one: &Reached) -> bool {
        let Some(at) = self.graph.as_expr(one.node) else {
            return false;
        };
        let streamed = || {
            let paths = self.paths.function(self.owner(at));
            let stmt = paths.stmt_of(at.expr);
            stmt.is_some_and(
                |stmt| matches!(&paths.stmt(stmt).kind, StmtKind::For { iter, is_async: true, .. } if *iter == at.expr),
            )
        };
        self.runs_model(at) || streamed()
    }

    /// Whether the type of a value declares an id.
    fn has_id(&self, one: &Reached) -> bool {
        let class = match self.graph.origin(one.node) {
            Origin::Param(function, index) => {
                let param = &self.project.function(*function).params[*index as usize];
                let annotation = param.annotation.as_ref();
                annotation.and_then(|annotation| {
                    let targets = self.project.annotated(*function, annotation);
                    targets.into_iter().find_map(|target| match target {
                        Target::Class(class) => Some(class),
                        _ => None,
                    })
                })
            }
            Origin::Expr(at) => self.project.class_of(*at),
            _ => None,
        };
        class.is_some_and(|class| self.declares_id(class))
    }

    fn declares_id(&self, class: ClassRef) -> bool {
        let is_id = |name: &Name| self.vocabulary.field(name) == Some(Field::Id);
        self.project.class(class).fields.iter().any(|field| is_id(&field.name))
            || self.project.parameters(class).iter().any(is_id)
    }

    /// Whether a function reads the id of a variable.
    fn looks_at_id(&self, function: FuncRef, variable: &Name) -> bool {
        let paths = self.paths.function(function);
        let mut exprs = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt));
        exprs.any(|expr| {
            let at = ExprRef {
                module: function.module,
                expr,
            };
            let read = field_read(self, at).filter(|(_, name)| self.vocabulary.field(name) == Some(Field::Id));
            read.is_some_and(|(base, _)| {
                !self.graph.is_target(at) && matches!(self.kind(base), ExprKind::Name(name) if name == variable)
            })
        })
    }

    /// `{"type": "function_call", "id": x, "call_id": x}`: the two are given by different sides.
    fn named_by_call(&self, at: ExprRef) -> Option<Reminted> {
        let ExprKind::Dict(entries) = self.kind(at) else {
            return None;
        };
        let under = |wanted: &dyn Fn(&str) -> bool| {
            entries.iter().find_map(|(key, value)| {
                let key = self.text(self.beside(at, (*key)?))?;
                wanted(key).then(|| self.beside(at, *value))
            })
        };
        let kind = under(&|key| matches!(self.vocabulary.field(key), Some(Field::Role(_))))?;
        let id = under(&|key| self.vocabulary.field(key) == Some(Field::Id))?;
        let call = under(&|key| self.vocabulary.field(key) == Some(Field::ToolResult))?;
        let is_call = self.text(kind).and_then(|kind| self.vocabulary.block(kind)) == Some(Block::ToolCall);
        let derived = |at: ExprRef| {
            let reached = self.made_of(self.node(at));
            let texts = reached.iter().any(|one| one.via.text);
            let ids = reached
                .iter()
                .any(|one| self.graph.as_expr(one.node).is_some_and(|at| self.reads_id(at)));
            texts && ids
        };
        let same = match (self.kind(id), self.kind(call)) {
            (ExprKind::Name(one), ExprKind::Name(other)) => one == other,
            _ => false,
        };
        (same && is_call && derived(id)).then_some(Reminted {
            at: id,
            of: None,
            kind: RemintKind::ByCall,
            confidence: Confidence::Medium,
        })
    }

    /// Ids that are written into the messages of a list.
    fn written_ids(&self, function: FuncRef) -> Vec<Reminted> {
        let paths = self.paths.function(function);
        let at = |expr| ExprRef {
            module: function.module,
            expr,
        };
        let written = paths.stmts().filter_map(|stmt| {
            let StmtKind::Assign { targets, value, .. } = &paths.stmt(stmt).kind else {
                return None;
            };
            let target = at(*targets.first()?);
            let (base, name) = field_read(self, target)?;
            let ExprKind::Name(variable) = self.kind(base) else {
                return None;
            };
            let is_message = self
                .histories()
                .message(self.node(base))
                .is_some_and(|sure| sure >= Confidence::Medium);
            let in_loop = paths.enclosing_loops(stmt).next().is_some();
            if self.vocabulary.field(&name) != Some(Field::Id) || !is_message || !in_loop {
                return None;
            }
            let value = at(*value);
            let fresh = self.is_chance(value)
                && !self.looks_at_id(function, variable)
                && !self.is_rewritten_beside(stmt, function, variable);
            let kind = if fresh && self.item_with_id(base, true).is_some() {
                RemintKind::Fresh
            } else if (self.is_for_missing(target) || self.is_chosen_by_id(target, base))
                && self.is_place_in_given_list(value, function)
            {
                RemintKind::Positional
            } else {
                return None;
            };
            Some(Reminted {
                at: target,
                of: None,
                kind,
                confidence: Confidence::Medium,
            })
        });
        written.collect()
    }

    /// Whether a value is text of a place in a list that the function was given, with nothing added to
    /// the place, and nothing looks whether it is taken.
    fn is_place_in_given_list(&self, value: ExprRef, function: FuncRef) -> bool {
        let reached = reach(
            &self.graph,
            self.node(value),
            Direction::Backward,
            |flow, _, held, _| held.is_empty() && matches!(flow, Flow::Same | Flow::Text | Flow::Position),
        );
        let exprs: Vec<ExprRef> = reached.iter().filter_map(|one| self.graph.as_expr(one.node)).collect();
        let moved = exprs.iter().any(|at| {
            matches!(self.kind(*at), ExprKind::Binary { op: BinaryOp::Add, left, right }
                if self.text(self.beside(*at, *left)).is_none() && self.text(self.beside(*at, *right)).is_none())
        });
        let paths = self.paths.function(function);
        let module = self.module(function.module);
        let looked = paths.stmts().flat_map(|stmt| paths.own_exprs_in(stmt)).any(|expr| {
            matches!(module.kind(expr), ExprKind::Compare { op: CompareOp::In | CompareOp::NotIn, left, .. }
                if exprs.iter().any(|at| crate::code::flow::predicate::same_spelling(module, at.expr, *left)))
        });
        let given = reached.iter().any(|one| {
            let of_list = matches!(self.graph.origin(one.node), Origin::Param(of, _) if *of == function);
            of_list && one.via.position && one.via.text
        });
        given && !moved && !looked
    }
}
