//! Cuts that a library makes: trims, inherited methods, bounded queues, limited reads.

use super::{Facts, Finder, Keeps, Means, Safety, Seen, bounds};
use crate::code::flow::graph::{Flow, Node};
use crate::code::ir::{Arg, ExprId, ExprKind, Literal};
use crate::code::project::{ClassRef, ExprRef};
use crate::code::vocabulary::Trim;

impl Finder<'_, '_> {
    pub(super) fn library(&mut self, expr: ExprRef, callee: ExprRef, args: &[Arg]) {
        let facts = self.facts;
        let Some(path) = facts.path(callee) else { return };
        let here = facts.frameworks(expr.module);
        let vocabulary = facts.vocabulary;
        if let Some(trim) = vocabulary.trim(&path, here)
            && let Some(list) = trim.messages.find(args)
            && !trim.filters
        {
            let list = facts.beside(expr, list);
            let safety = trim
                .start
                .find(args)
                .map_or(Safety::Nothing, |start| self.start_of(expr, start, trim));
            let bound = bounds::Bound {
                measured: true,
                safety,
                ..bounds::Bound::default()
            };
            if self.confidence(list).is_some() {
                self.add(&Seen {
                    site: expr,
                    list,
                    means: Means::Library,
                    keeps: Keeps::Newest,
                    bound,
                    kept: vec![facts.node(expr)],
                });
            }
            return;
        }
        if let Some(item) = self.inherited(expr, callee) {
            let bound = bounds::Bound {
                measured: true,
                safety: Safety::Pairs,
                ..bounds::Bound::default()
            };
            let list = args.first().map_or(expr, |list| facts.beside(expr, list.value));
            let kept = self.item(expr, item);
            self.add(&Seen {
                site: expr,
                list,
                means: Means::Library,
                keeps: Keeps::Newest,
                bound,
                kept,
            });
            return;
        }
        let length = args.iter().find(|arg| arg.name.as_deref() == Some("maxlen"));
        if let Some(length) = length
            && path.ends_with("deque")
            && !matches!(
                facts.kind(facts.beside(expr, length.value)),
                ExprKind::Literal(Literal::None)
            )
            && self.confidence(expr).is_some()
        {
            let bound = bounds::Bound {
                counted: true,
                ..bounds::Bound::default()
            };
            let kept = vec![facts.node(expr)];
            self.add(&Seen {
                site: expr,
                list: expr,
                means: Means::Window,
                keeps: Keeps::Newest,
                bound,
                kept,
            });
            return;
        }
        if vocabulary.is_limited_read(&path)
            && let Some(limit) = args
                .iter()
                .find(|arg| arg.name.as_deref().is_some_and(|name| vocabulary.is_count_name(name)))
            && !matches!(
                facts.kind(facts.beside(expr, limit.value)),
                ExprKind::Literal(Literal::None)
            )
            && facts.project.callees_of(expr).is_empty()
            && self.confidence(expr).is_some()
        {
            let bound = bounds::Bound {
                counted: true,
                ..bounds::Bound::default()
            };
            let kept = vec![facts.node(expr)];
            self.add(&Seen {
                site: expr,
                list: expr,
                means: Means::Limit,
                keeps: Keeps::Newest,
                bound,
                kept,
            });
        }
    }

    /// How safe the message is that a library's cut is told to start on.
    pub(super) fn start_of(&self, expr: ExprRef, start: ExprId, trim: &Trim) -> Safety {
        let facts = self.facts;
        let start = facts.beside(expr, start);
        let words: Vec<String> = match facts.kind(start) {
            ExprKind::List { items, .. } => items
                .iter()
                .filter_map(|item| self.word(facts.beside(start, item.value)))
                .collect(),
            _ => self.word(start).into_iter().collect(),
        };
        let is_boundary = |word: &String| trim.boundary_starts.contains(word);
        if words.is_empty() {
            Safety::Nothing
        } else if words.iter().all(is_boundary) {
            Safety::Turns
        } else {
            Safety::Pairs
        }
    }

    pub(super) fn word(&self, expr: ExprRef) -> Option<String> {
        let text = self.facts.project.constant(expr).map(|text| text.to_string());
        text.or_else(|| {
            self.facts
                .path(expr)
                .map(|path| path.rsplit('.').next().unwrap_or(&path).to_owned())
        })
    }

    /// The item of the result that holds what is kept, for a method that a class inherits from a
    /// library's class.
    pub(super) fn inherited(&self, expr: ExprRef, callee: ExprRef) -> Option<usize> {
        let facts = self.facts;
        let ExprKind::Attribute { base, name } = facts.kind(callee) else {
            return None;
        };
        if !facts.project.callees_of(expr).is_empty()
            || !matches!(facts.kind(facts.beside(callee, *base)), ExprKind::Name(_))
        {
            return None;
        }
        let function = facts.owner(expr);
        let class = facts.project.function(function).class?;
        let bases = facts.project.bases(ClassRef {
            module: function.module,
            class,
        });
        facts.vocabulary.inherited_cut(name, &bases)
    }

    /// The nodes of an item of a result that is taken apart.
    pub(super) fn item(&self, expr: ExprRef, item: usize) -> Vec<Node> {
        let graph = &self.facts.graph;
        let node = self.facts.node(expr);
        let Some(symbol) = graph.symbol(&format!("#{item}")) else {
            return vec![node];
        };
        let mut open = vec![node];
        let mut found = Vec::new();
        let mut seen = vec![node];
        while let Some(at) = open.pop() {
            for edge in graph.outgoing(at) {
                match edge.flow {
                    Flow::Load(field) if field == symbol => found.push(edge.node),
                    Flow::Same if !seen.contains(&edge.node) && seen.len() < 32 => {
                        seen.push(edge.node);
                        open.push(edge.node);
                    }
                    _ => {}
                }
            }
        }
        if found.is_empty() { vec![node] } else { found }
    }
}

impl Facts<'_> {
    /// The argument, and its value, that makes a library's cut start where a turn begins, if it is not
    /// told where to start.
    pub(crate) fn trim_start(&self, call: ExprRef) -> Option<(String, String)> {
        let (callee, args) = self.call(call)?;
        let trim = self
            .vocabulary
            .trim(&self.path(callee)?, self.frameworks(call.module))?;
        if trim.filters || trim.start.find(args).is_some() {
            return None;
        }
        Some((
            trim.start.keywords.first()?.clone(),
            trim.boundary_starts.first()?.clone(),
        ))
    }
}
