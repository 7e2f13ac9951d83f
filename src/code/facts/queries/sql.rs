//! What a query in SQL reads, and in which order.

use super::Ordering;

/// What matters of a query in SQL.
pub(super) struct Sql {
    pub(super) table: String,
    pub(super) columns: Vec<String>,
    pub(super) ordering: Ordering,
}

impl Sql {
    /// Reads a query of several rows; `None` for anything else.
    pub(super) fn of(text: &str) -> Option<Self> {
        let flat = outermost(&text.to_lowercase());
        let words: Vec<&str> = flat.split_whitespace().collect();
        if words.first() != Some(&"select") {
            return None;
        }
        let from = words.iter().position(|word| *word == "from")?;
        let table = words
            .get(from + 1)?
            .trim_matches(|sign: char| !sign.is_alphanumeric())
            .rsplit('.')
            .next()?
            .to_owned();
        let columns: Vec<String> = words[1..from]
            .iter()
            .flat_map(|word| word.split(','))
            .map(|column| column.rsplit('.').next().unwrap_or(column).trim_matches('"').to_owned())
            .filter(|column| !column.is_empty())
            .collect();
        let has = |word: &str| words.contains(&word);
        let one = words
            .windows(2)
            .any(|pair| pair == ["limit", "1"] || pair == ["limit", "1;"]);
        let by_key = words.iter().position(|word| *word == "where").is_some_and(|at| {
            let rest = words[at..].join("");
            // Rows that are looked up by a list of ids are put in order by whoever has the list.
            words[at..]
                .windows(2)
                .any(|pair| pair[1] == "in" && pair[0].rsplit('.').next() == Some("id"))
                || !has("or")
                    && (rest.starts_with("whereid=")
                        || rest.starts_with("wheremessage_id=")
                        || rest.starts_with("whereuuid="))
        });
        if has("group") || has("distinct") || one || by_key || words[1..from].iter().any(|word| word.contains('(')) {
            return None;
        }
        let order = words.windows(2).rposition(|pair| pair == ["order", "by"]);
        let ordering = match order {
            None => Ordering::None,
            Some(at) => {
                let by = words[at + 2..]
                    .iter()
                    .take_while(|word| !matches!(**word, "limit" | "offset"));
                let by: Vec<&str> = by.copied().collect();
                let clauses = by.join(" ");
                let descending = clauses.split(',').next().is_some_and(|first| {
                    first
                        .split_whitespace()
                        .any(|word| word.trim_end_matches(';') == "desc")
                });
                if descending {
                    Ordering::Descending
                } else {
                    let column = |clause: &str| {
                        clause
                            .split_whitespace()
                            .next()
                            .map(|word| word.trim_end_matches(';').to_owned())
                    };
                    Ordering::By(clauses.split(',').filter_map(column).collect())
                }
            }
        };
        Some(Self {
            table,
            columns,
            ordering,
        })
    }
}

/// A query without what stands in brackets, so that only its own clauses are left.
pub(super) fn outermost(text: &str) -> String {
    let mut depth = 0_usize;
    let mut flat = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '(' => {
                flat.push('(');
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 => flat.push(sign),
            _ => {}
        }
    }
    flat.replace('(', " ( ")
}

#[cfg(test)]
mod tests {
    use super::{Ordering, Sql};

    fn ordering(text: &str) -> Option<Ordering> {
        Sql::of(text).map(|query| query.ordering)
    }

    #[test]
    fn the_outer_order_counts() {
        let inner = "SELECT * FROM (SELECT role, content FROM messages ORDER BY id DESC LIMIT 5) ORDER BY id";
        assert_eq!(ordering(inner), Some(Ordering::By(vec!["id".to_owned()])));
        assert_eq!(
            ordering("select role, content from messages where chat = ?"),
            Some(Ordering::None)
        );
        assert_eq!(
            ordering("SELECT role FROM messages ORDER BY created_at DESC, id DESC LIMIT 10"),
            Some(Ordering::Descending)
        );
        assert_eq!(
            ordering("SELECT role FROM m ORDER BY turn, seq;"),
            Some(Ordering::By(vec!["turn".to_owned(), "seq".to_owned()]))
        );
    }

    #[test]
    fn counts_and_single_rows_are_no_lists() {
        assert!(Sql::of("SELECT COUNT(*) FROM messages").is_none());
        assert!(Sql::of("SELECT * FROM messages WHERE id = ?").is_none());
        assert!(Sql::of("SELECT role FROM messages LIMIT 1").is_none());
        assert!(Sql::of("select your seeds from the shelf").is_some_and(|query| query.columns == ["your", "seeds"]));
        assert!(Sql::of("INSERT INTO messages VALUES (1)").is_none());
    }
}
