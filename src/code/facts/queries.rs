//! Queries of stored messages, and in which order they give them.

mod oldest;
mod sql;
mod stamped;

pub(crate) use oldest::OldestRows;
use sql::Sql;

use super::Facts;
use crate::code::flow::graph::{Flow, Node, Part};
use crate::code::flow::iteration::integer;
use crate::code::flow::reach::{Direction, Reached, reach};
use crate::code::ir::{ExprKind, Intrinsic, Literal, Name, StmtKind, TemplatePart};
use crate::code::project::{ExprRef, FuncRef};
use crate::code::vocabulary::{Field, Strength};
use crate::finding::Confidence;

/// A reading of stored messages whose order is not the one in which they were said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replay {
    /// Where the list is made, or the query.
    pub(crate) at: ExprRef,
    /// The query, or what gives the messages their time.
    pub(crate) because: ExprRef,
    /// What is wrong with the order.
    pub(crate) disorder: Disorder,
}

/// What is wrong with an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disorder {
    /// Nothing says which.
    None,
    /// The newest comes first, and nothing turns it round.
    NewestFirst,
    /// A time that only knows whole seconds, and nothing beside it.
    WholeSeconds,
    /// Messages that are written together get the same time, or one that says nothing.
    SameTime,
    /// Messages are written at the same time by tasks that do not wait for each other.
    Racing,
}

/// How a query orders its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ordering {
    None,
    Descending,
    /// By these columns.
    By(Vec<String>),
}

impl Facts<'_> {
    /// All such readings of a project.
    pub(crate) fn replays(&self) -> Vec<Replay> {
        let mut found = Vec::new();
        for expr in self.exprs().filter(|expr| !self.module(expr.module).is_test) {
            found.extend(self.of_sql(expr));
            found.extend(self.of_rows(expr));
            found.extend(self.racing(expr));
            found.extend(self.written_together(expr));
            found.extend(self.stamped_alike(expr));
        }
        found
    }

    // ---- SQL -------------------------------------------------------------------------------------

    /// A query in SQL whose rows are the messages of a conversation.
    fn of_sql(&self, text: ExprRef) -> Option<Replay> {
        let outer = self.graph.around(text);
        if outer.is_some_and(|outer| matches!(self.kind(outer), ExprKind::Template(_) | ExprKind::Binary { .. })) {
            return None;
        }
        let whole = self.whole_text(text)?;
        let query = Sql::of(&whole)?;
        let function = self.owner(text);
        // Rows that a window numbers in an order are picked by that number.
        if query.ordering == Ordering::None && whole.to_lowercase().contains("order by") {
            return None;
        }
        if function.function.0 == 0 && self.is_read_elsewhere(text) || !self.selects_messages(&query) {
            return None;
        }
        if self.orders_afterwards(function) {
            return None;
        }
        let filled_in = matches!(self.kind(text), ExprKind::Template(parts)
            if parts.iter().any(|part| matches!(part, TemplatePart::Value { .. })));
        let disorder = match query.ordering {
            // What is filled in may say it.
            Ordering::None if filled_in => return None,
            Ordering::None => Disorder::None,
            Ordering::Descending => Disorder::NewestFirst,
            Ordering::By(columns) => match &columns[..] {
                [column] if self.is_whole_seconds(text, column) => Disorder::WholeSeconds,
                _ => return None,
            },
        };
        Some(Replay {
            at: text,
            because: text,
            disorder,
        })
    }

    /// Whether a query is put together in several statements, or by a function of the project, so that
    /// what orders or limits it may be said where it is not seen.
    pub(crate) fn is_built_in_steps(&self, query: ExprRef) -> bool {
        let paths = self.paths.function(self.owner(query));
        let assigned = |stmt| match &paths.stmt(stmt).kind {
            StmtKind::Assign { targets, .. } => match &targets[..] {
                [target] => match self.kind(self.beside(query, *target)) {
                    ExprKind::Name(name) => Some(name),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        let steps = paths.stmt_of(query.expr).and_then(assigned).is_some_and(|name| {
            let same = paths.stmts().filter(|stmt| assigned(*stmt) == Some(name));
            same.count() > 1
        });
        steps || !self.project.callees_of(query).is_empty() || self.chain(query).is_none()
    }

    /// A constant of a module may be read by a function that sorts; it is judged where it is used.
    fn is_read_elsewhere(&self, text: ExprRef) -> bool {
        !self.graph.outgoing(self.node(text)).is_empty()
    }

    fn whole_text(&self, expr: ExprRef) -> Option<String> {
        match self.kind(expr) {
            ExprKind::Literal(Literal::Str(text)) => Some(text.to_string()),
            ExprKind::Template(parts) => Some(
                parts
                    .iter()
                    .map(|part| match part {
                        TemplatePart::Text(text) => &**text,
                        TemplatePart::Value { .. } => "?",
                    })
                    .collect(),
            ),
            ExprKind::Binary { left, right, .. } => {
                let left = self.whole_text(self.beside(expr, *left))?;
                Some(left + &self.whole_text(self.beside(expr, *right))?)
            }
            _ => None,
        }
    }

    /// Whether the rows are messages: they have a role and a content, or the table has the name of a
    /// history and all columns are read.
    fn selects_messages(&self, query: &Sql) -> bool {
        let has = |wanted: fn(Field) -> bool| {
            query
                .columns
                .iter()
                .any(|column| self.vocabulary.field(column).is_some_and(wanted))
        };
        let content = has(|field| field == Field::Content);
        let message = content && has(|field| field == Field::Role(Strength::Strong));
        // What has a kind may be anything.
        let kind = content && has(|field| matches!(field, Field::Role(_)));
        let all = query.columns.iter().any(|column| column == "*");
        let named = self.vocabulary.history_name(&query.table);
        message || all && named.is_some() || kind && named == Some(Strength::Strong)
    }

    /// Whether a function, or one that calls it, puts things in an order of its own.
    fn orders_afterwards(&self, function: FuncRef) -> bool {
        let callers = self.project.callers_of(function).iter().map(|site| site.caller);
        std::iter::once(function).chain(callers).any(|function| {
            let at = |expr| ExprRef {
                module: function.module,
                expr,
            };
            let paths = self.paths.function(function);
            function.function.0 != 0
                && paths
                    .stmts()
                    .any(|stmt| paths.own_exprs_in(stmt).any(|expr| self.reorders(at(expr))))
        })
    }

    /// Whether an expression turns a list round or sorts it, or fills it from its head.
    fn reorders(&self, expr: ExprRef) -> bool {
        match self.kind(expr) {
            ExprKind::Call { idiom: Some(idiom), .. } => match idiom.op {
                Intrinsic::Reversed | Intrinsic::Sorted | Intrinsic::ReverseInPlace | Intrinsic::SortInPlace => true,
                Intrinsic::Insert => {
                    idiom.operands.len() == 2
                        || matches!(
                            self.kind(self.beside(expr, idiom.operands[1])),
                            ExprKind::Literal(Literal::Int(0))
                        )
                }
                _ => false,
            },
            ExprKind::Slice { step: Some(_), .. } => true,
            _ => false,
        }
    }

    /// Whether a column is filled by the database with a time of whole seconds: the table is made in the
    /// same file.
    fn is_whole_seconds(&self, near: ExprRef, column: &str) -> bool {
        self.exprs().filter(|expr| expr.module == near.module).any(|expr| {
            self.text(expr).is_some_and(|text| {
                let text = text.to_lowercase();
                text.contains("create table")
                    && text.split([',', '\n']).map(str::trim_start).any(|line| {
                        line.split_whitespace().next() == Some(column) && line.contains("current_timestamp")
                    })
            })
        })
    }

    // ---- rows of a query that is built by calls ----------------------------------------------------

    /// Messages that are made of the rows of a query, one by one.
    fn of_rows(&self, list: ExprRef) -> Option<Replay> {
        let behind = self.rows_behind(list)?;
        if behind.iter().any(|one| self.is_reordered(one)) {
            return None;
        }
        let (query, ordering) = behind
            .iter()
            .find_map(|one| self.query(self.graph.as_expr(one.node)?))?;
        // `query("SELECT … ORDER BY …").fetch_all(…)`: the text is judged where it stands.
        if self.holds_sql(query) {
            return None;
        }
        let disorder = match ordering {
            Ordering::None => Disorder::None,
            // A person reads the newest first.
            Ordering::Descending if self.is_part_of_listing(list) => return None,
            Ordering::Descending => Disorder::NewestFirst,
            Ordering::By(_) => return None,
        };
        let onward = reach(&self.graph, self.node(list), Direction::Forward, |flow, _, held, _| {
            held.is_empty() && matches!(flow, Flow::Same | Flow::Leave(_) | Flow::Enter(_) | Flow::Part(_))
        });
        (!onward.iter().any(|one| self.is_reordered(one)) && !self.orders_afterwards(self.owner(list))).then_some(
            Replay {
                at: list,
                because: query,
                disorder,
            },
        )
    }

    /// Whether a query is asked in SQL, as far as it is written out.
    fn holds_sql(&self, query: ExprRef) -> bool {
        let links = self.chain(query).unwrap_or_default();
        let mut given = links.iter().flat_map(|(_, given)| given);
        given.any(|arg| {
            self.whole_text(*arg)
                .is_some_and(|text| text.trim_start().to_lowercase().starts_with("select"))
        })
    }

    /// What the rows come from that a history is made of, one by one.
    fn rows_behind(&self, list: ExprRef) -> Option<Vec<Reached>> {
        let ExprKind::Comprehension { element, clauses, .. } = self.kind(list) else {
            return None;
        };
        let first = clauses.first()?;
        let near = self.histories().near(&self.graph, self.node(list));
        let of_history = near.confidence == Some(Confidence::High);
        let whole = self
            .construction(self.beside(list, *element))
            .is_some_and(|made| made.content.is_some() && made.role.is_none() && made.role_expr.is_some());
        if !(of_history || whole) {
            return None;
        }
        Some(reach(
            &self.graph,
            self.node(self.beside(list, first.iter)),
            Direction::Backward,
            |flow, _, held, _| {
                matches!(
                    flow,
                    Flow::Same
                        | Flow::Leave(_)
                        | Flow::Enter(_)
                        | Flow::Into
                        | Flow::Element
                        | Flow::Opaque
                        | Flow::Part(_)
                ) && held.len() <= 1
            },
        ))
    }

    fn is_reordered(&self, one: &Reached) -> bool {
        let by_flow = |node: Node| {
            self.graph
                .incoming(node)
                .iter()
                .any(|edge| matches!(edge.flow, Flow::Part(Part::Reverse | Part::Sort)))
        };
        by_flow(one.node) || self.graph.as_expr(one.node).is_some_and(|expr| self.reorders(expr))
    }

    /// The whole chain of calls of a query, and the order that it asks for. A row that is sought by its
    /// key, a count and the like are none.
    fn query(&self, call: ExprRef) -> Option<(ExprRef, Ordering)> {
        let links = self.chain(call)?;
        let builds = links.iter().any(|(name, _)| self.vocabulary.is_query_builder(name));
        let single = links.iter().any(|(name, _)| self.vocabulary.is_single_query(name));
        if !builds || single {
            return None;
        }
        let order = links.iter().find(|(name, _)| self.vocabulary.is_query_order(name));
        // `findMany({ orderBy: … })`
        let named = self.call(call).into_iter().flat_map(|(_, args)| args).find(|arg| {
            arg.name
                .as_ref()
                .is_some_and(|name| self.vocabulary.is_query_order(name))
        });
        let ordering = match order {
            None if let Some(named) = named => {
                if self.is_descending(self.beside(call, named.value)) {
                    Ordering::Descending
                } else {
                    Ordering::By(Vec::new())
                }
            }
            None if self.is_ordered_by_model(call) => return None,
            None => Ordering::None,
            Some((_, args)) if args.is_empty() => return None,
            Some((_, args)) if self.is_descending(args[0]) => Ordering::Descending,
            Some(_) => Ordering::By(Vec::new()),
        };
        Some((call, ordering))
    }

    /// The calls of a chain with their names and arguments, the last first: `a.filter(x).order_by(y)`.
    fn chain(&self, call: ExprRef) -> Option<Vec<(Name, Vec<ExprRef>)>> {
        let mut links = Vec::new();
        let mut at = call;
        loop {
            match self.kind(at) {
                ExprKind::Call { callee, args, .. } => {
                    let callee = self.beside(at, *callee);
                    let given = args.iter().map(|arg| self.beside(at, arg.value)).collect();
                    match self.kind(callee) {
                        ExprKind::Attribute { base, name } => {
                            links.push((name.clone(), given));
                            at = self.beside(callee, *base);
                        }
                        ExprKind::Name(name) => {
                            links.push((name.clone(), given));
                            break;
                        }
                        _ => break,
                    }
                }
                ExprKind::Attribute { base, name } => {
                    links.push((name.clone(), Vec::new()));
                    at = self.beside(at, *base);
                }
                ExprKind::Await(inner) => at = self.beside(at, *inner),
                ExprKind::Name(name) => {
                    links.push((name.clone(), Vec::new()));
                    break;
                }
                _ => break,
            }
        }
        (links.len() > 1).then_some(links)
    }

    /// `"-created_at"`, `Message.created.desc()`, `desc(Message.created)`, `{ created: "desc" }`.
    fn is_descending(&self, by: ExprRef) -> bool {
        if let Some(text) = self.project.constant(by) {
            let text = text.to_lowercase();
            return text.starts_with('-') || text == "desc" || text.ends_with(" desc");
        }
        match self.kind(by) {
            ExprKind::Dict(entries) => {
                let first = entries.first().map(|(_, value)| self.beside(by, *value));
                return first.is_some_and(|first| {
                    self.is_descending(first) || integer(self.module(by.module), first.expr) == Some(-1)
                });
            }
            ExprKind::List { items, .. } => {
                return items
                    .first()
                    .is_some_and(|item| self.is_descending(self.beside(by, item.value)));
            }
            ExprKind::Call { callee, .. } => {
                if let ExprKind::Name(name) = self.kind(self.beside(by, *callee)) {
                    return name.eq_ignore_ascii_case("desc");
                }
            }
            _ => {}
        }
        self.chain(by)
            .is_some_and(|links| links.iter().any(|(name, _)| name.eq_ignore_ascii_case("desc")))
    }

    /// Whether a class that the file declares says in which order its rows come.
    fn is_ordered_by_model(&self, near: ExprRef) -> bool {
        self.project.modules().any(|(_, module)| {
            let mut fields = module.classes.iter().flat_map(|class| &class.fields);
            module.path.extension() == self.module(near.module).path.extension()
                && fields.any(|field| matches!(&*field.name, "ordering" | "order_by"))
        }) || self.exprs().filter(|expr| expr.module == near.module).any(|expr| {
            let ExprKind::Call { args, .. } = self.kind(expr) else {
                return false;
            };
            args.iter().any(|arg| arg.name.as_deref() == Some("order_by"))
        })
    }

    // ---- writing ---------------------------------------------------------------------------------

    /// `gather(*(store.add(m) for m in messages))`
    fn racing(&self, run: ExprRef) -> Option<Replay> {
        let ExprKind::Comprehension { element, clauses, .. } = self.kind(run) else {
            return None;
        };
        let [clause] = &clauses[..] else { return None };
        let outer = self.graph.around(run)?;
        let runs_together = matches!(self.kind(outer), ExprKind::Call { callee, .. }
            if matches!(self.kind(self.beside(outer, *callee)), ExprKind::Attribute { name, .. } | ExprKind::Name(name) if self.vocabulary.runs_together(name)));
        let element = self.beside(run, *element);
        let (callee, args) = self.call(element)?;
        let stores = self
            .vocabulary
            .store(&self.path(callee)?, self.frameworks(run.module))
            .is_some();
        let item = args.iter().any(|arg| {
            matches!((self.kind(self.beside(run, arg.value)), self.kind(self.beside(run, clause.target))),
                (ExprKind::Name(given), ExprKind::Name(item)) if given == item)
        });
        let of_history = self
            .histories()
            .confidence(self.node(self.beside(run, clause.iter)))
            .is_some_and(|sure| sure >= Confidence::Medium);
        (runs_together && stores && item && args.len() == 1 && of_history).then_some(Replay {
            at: outer,
            because: element,
            disorder: Disorder::Racing,
        })
    }

    /// Rows that are written in one go and get their time from a default, where that time is all that
    /// orders them: `bulk_create(rows)` of a class with `ordering = ["created_at"]`.
    fn written_together(&self, call: ExprRef) -> Option<Replay> {
        let (callee, args) = self.call(call)?;
        let ExprKind::Attribute { name, .. } = self.kind(callee) else {
            return None;
        };
        if !self.vocabulary.writes_many(name) {
            return None;
        }
        let given = self.beside(call, args.first()?.value);
        let behind = reach(
            &self.graph,
            self.node(given),
            Direction::Backward,
            |flow, _, held, _| {
                matches!(flow, Flow::Same) && held.len() <= 1 || matches!(flow, Flow::Into) && held.is_empty()
            },
        );
        let made = behind.iter().find_map(|one| {
            let expr = self.graph.as_expr(one.node)?;
            matches!(self.kind(expr), ExprKind::Call { .. }).then_some(expr)
        })?;
        let (_, fields) = self.call(made)?;
        let class = self.project.class_of(made)?;
        let ir = self.module(class.module);
        let stamped = self.project.class(class).fields.iter().find(|field| {
            field.value.is_some_and(|value| {
                self.is_clock_default(ExprRef {
                    module: class.module,
                    expr: value,
                })
            })
        })?;
        let ordered = ir.classes.iter().any(|meta| {
            meta.outer == Some(class.class)
                && meta.fields.iter().any(|field| {
                    &*field.name == "ordering"
                        && field.value.is_some_and(|value| {
                            self.is_only(
                                ExprRef {
                                    module: class.module,
                                    expr: value,
                                },
                                &stamped.name,
                            )
                        })
                })
        });
        let given_time = fields
            .iter()
            .any(|arg| arg.name.as_ref() == Some(&stamped.name) || arg.spread);
        (ordered && !given_time).then_some(Replay {
            at: call,
            because: made,
            disorder: Disorder::SameTime,
        })
    }

    /// `DateTimeField(default=timezone.now)`, `DateTimeField(auto_now_add=True)`
    fn is_clock_default(&self, value: ExprRef) -> bool {
        let Some((_, args)) = self.call(value) else {
            return false;
        };
        args.iter().any(|arg| match arg.name.as_deref() {
            Some("auto_now_add" | "auto_now") => true,
            Some("default" | "server_default" | "default_factory") => {
                self.path(self.beside(value, arg.value)).is_some_and(|path| {
                    self.vocabulary.clock_name(&path).is_some()
                        || self.vocabulary.volatile(&path, self.frameworks(value.module)).is_some()
                })
            }
            _ => false,
        })
    }

    fn is_only(&self, list: ExprRef, name: &Name) -> bool {
        match self.kind(list) {
            ExprKind::List { items, .. } => {
                matches!(&items[..], [only] if self.text(self.beside(list, only.value)) == Some(name))
            }
            _ => false,
        }
    }
}
