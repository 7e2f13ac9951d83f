//! Queries that read the oldest messages where the newest are meant.

use super::Ordering;
use super::sql::{Sql, outermost};
use crate::code::facts::Facts;
use crate::code::flow::iteration::integer;
use crate::code::ir::{ExprKind, Name};
use crate::code::project::ExprRef;
use crate::code::vocabulary::Purpose;

/// A bounded read of stored messages that starts at the oldest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldestRows {
    /// What orders the rows, or the query.
    pub(crate) at: ExprRef,
    /// The query.
    pub(crate) query: ExprRef,
    /// Where the rows become messages, if that is elsewhere.
    pub(crate) list: Option<ExprRef>,
}

impl Facts<'_> {
    /// All such reads of a project.
    pub(crate) fn oldest_rows(&self) -> Vec<OldestRows> {
        let exprs = self.exprs().filter(|expr| !self.module(expr.module).is_test);
        exprs
            .filter_map(|expr| {
                let listed = self.oldest_by_sql(expr).or_else(|| self.oldest_by_calls(expr));
                listed
                    .filter(|read| !self.is_part_of_listing(read.at))
                    .or_else(|| self.oldest_by_name(expr))
            })
            .collect()
    }

    /// `db.select().from(messages).orderBy(asc(messages.created)).limit(last)`: whoever gives so many of
    /// the last rows means the newest, whatever the rows are made into.
    fn oldest_by_name(&self, query: ExprRef) -> Option<OldestRows> {
        let inner = self
            .graph
            .around(query)
            .is_some_and(|outer| matches!(self.kind(outer), ExprKind::Attribute { .. }));
        if inner || !matches!(self.kind(query), ExprKind::Call { .. }) {
            return None;
        }
        let links = self.chain(query)?;
        let (_, limit) = links.iter().find(|(name, _)| matches!(&**name, "limit" | "take"))?;
        let [limit] = limit[..] else { return None };
        let ExprKind::Name(limit) = self.kind(limit) else {
            return None;
        };
        let (query, ordering) = self.query(query)?;
        let of_history = links.iter().flat_map(|(_, given)| given).any(
            |given| matches!(self.kind(*given), ExprKind::Name(name) if self.vocabulary.history_name(name).is_some()),
        );
        let newest = self.vocabulary.purposes(limit).contains(&Purpose::Current);
        let meant = matches!(ordering, Ordering::By(_)) && of_history && newest;
        (meant && !self.orders_afterwards(self.owner(query))).then_some(OldestRows {
            at: self.order_in(&links).unwrap_or(query),
            query,
            list: None,
        })
    }

    /// `SELECT role, content FROM messages ORDER BY id LIMIT ?`
    fn oldest_by_sql(&self, text: ExprRef) -> Option<OldestRows> {
        let outer = self.graph.around(text);
        if outer.is_some_and(|outer| matches!(self.kind(outer), ExprKind::Template(_) | ExprKind::Binary { .. })) {
            return None;
        }
        let whole = self.whole_text(text)?;
        let query = Sql::of(&whole)?;
        let ascending = matches!(query.ordering, Ordering::By(_));
        let limited = ascending && is_first_page(&whole) && self.selects_messages(&query);
        let function = self.owner(text);
        let elsewhere = function.function.0 == 0 && self.is_read_elsewhere(text);
        (limited && !elsewhere && !self.orders_afterwards(function)).then_some(OldestRows {
            at: text,
            query: text,
            list: None,
        })
    }

    /// `query.order_by("created_at")[:n]`, `query.order_by(Row.created_at).limit(n)`, made into messages.
    fn oldest_by_calls(&self, list: ExprRef) -> Option<OldestRows> {
        let behind = self.rows_behind(list)?;
        if behind.iter().any(|one| self.is_reordered(one)) || self.orders_afterwards(self.owner(list)) {
            return None;
        }
        let (at, (query, ordering)) = behind.iter().enumerate().find_map(|(at, one)| {
            let found = self.query(self.graph.as_expr(one.node)?)?;
            Some((at, found))
        })?;
        let links = self.chain(query)?;
        let by = |wanted: fn(&str) -> bool| links.iter().any(|(name, _)| wanted(name));
        // What limits other rows on the way to what is shared says nothing about these.
        let sliced = self
            .exprs_on(&behind, at)
            .into_iter()
            .any(|expr| match self.kind(expr) {
                ExprKind::Slice {
                    start: None,
                    end: Some(end),
                    step: None,
                    ..
                } => integer(self.module(expr.module), *end).is_none_or(|end| end > 0),
                _ => false,
            });
        let limited = sliced || by(|name| matches!(name, "limit" | "take"));
        let paged = by(|name| matches!(name, "offset" | "skip" | "after" | "cursor"));
        (matches!(ordering, Ordering::By(_)) && limited && !paged).then_some(OldestRows {
            at: self.order_in(&links).unwrap_or(query),
            query,
            list: Some(list),
        })
    }

    /// What the rows are ordered by: that is what is wrong, wherever the chain of calls begins.
    fn order_in(&self, links: &[(Name, Vec<ExprRef>)]) -> Option<ExprRef> {
        links.iter().find_map(|(name, given)| {
            let column = given.first().copied();
            column.filter(|_| self.vocabulary.is_query_order(name))
        })
    }

    /// Whether a function hands out one page of many, or what a person sees.
    pub(super) fn is_part_of_listing(&self, at: ExprRef) -> bool {
        let function = self.project.function(self.owner(at));
        let shown = self.vocabulary.purposes(&function.name);
        let for_people = [Purpose::Display, Purpose::Title, Purpose::Record, Purpose::Origin];
        for_people.iter().any(|purpose| shown.contains(purpose))
            || function
                .params
                .iter()
                .any(|param| self.vocabulary.is_page_name(&param.name))
    }
}

/// Whether a query has a limit, and nothing says that it goes on where another one ended.
fn is_first_page(text: &str) -> bool {
    let flat = outermost(&text.to_lowercase());
    let words: Vec<&str> = flat.split_whitespace().collect();
    words.contains(&"limit") && !words.iter().any(|word| *word == "offset" || word.contains('>'))
}
