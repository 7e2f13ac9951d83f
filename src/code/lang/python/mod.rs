//! Python.

mod brackets;
mod classes;
mod expressions;
mod fixes;
mod functions;
mod idioms;
mod imports;
mod operators;
mod patterns;
mod statements;
#[cfg(test)]
mod tests;
mod text;

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tree_sitter::{Node, Parser, Tree};

use super::Refusal;
use super::position::Positions;
use super::survey::{self, Grammar, survey};
use crate::code::ir::{
    Class, ClassId, Expr, ExprId, ExprKind, Function, FunctionId, Import, Module, Name, Place, Stmt,
};
use crate::code::scope::Scopes;
pub(super) use fixes::spell;

/// What the survey has to know.
const GRAMMAR: Grammar = Grammar {
    arms: &["elif_clause", "case_clause"],
    is_statement,
    unparsable: "most of the file cannot be parsed as Python",
    help: "check that the file is Python 3",
};

/// Lowers one file.
pub(super) fn lower(path: &Path, text: &str) -> Result<Module, Refusal> {
    if let Some(line) = brackets::too_deep(text, survey::MAX_DEPTH) {
        return Err(survey::too_deep(line));
    }
    let Some(tree) = parse(text) else {
        return Err(Refusal {
            line: 1,
            message: "the parser gave up on this file".to_owned(),
            help: "report this file to the authors of ctxlint",
        });
    };
    let root = tree.root_node();
    let positions = Positions::of(text);
    let survey = survey(root, text, &positions, &GRAMMAR)?;

    let mut lowering = Lowering {
        text,
        positions,
        names: FxHashMap::default(),
        functions: Vec::new(),
        classes: Vec::new(),
        exprs: Vec::new(),
        owners: Vec::new(),
        imports: Vec::new(),
        here: FunctionId(0),
    };
    lowering.module_body(root);
    let mut module = Module {
        path: path.to_owned(),
        name: Name::from(""),
        language: super::Language::Python.name(),
        folder_stems: &["__init__"],
        package: None,
        mappings: Arc::default(),
        sets_keep_order: false,
        handed_on: None,
        gestures: Vec::new(),
        is_test: false,
        test_parts: Vec::new(),
        functions: lowering.functions,
        classes: lowering.classes,
        exprs: lowering.exprs,
        owners: lowering.owners,
        imports: lowering.imports,
        comments: survey.comments,
        unparsed: survey.first_error,
    };
    let scopes = Scopes::of(&module);
    idioms::mark(&mut module, &scopes);
    Ok(module)
}

fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_python::LANGUAGE.into())
        .expect("the grammar and the parser are versions that fit, which any test shows");
    parser.parse(text, None)
}

/// Whether the path is one that pytest or unittest would collect from, or a helper beside such files.
pub(super) fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(".py").unwrap_or(name);
    stem.starts_with("test_")
        || stem.ends_with("_test")
        || matches!(stem, "conftest" | "tests")
        || path
            .parent()
            .is_some_and(|folder| folder.iter().any(|part| part == "tests" || part == "test"))
}

/// The state of one file's lowering.
struct Lowering<'s> {
    text: &'s str,
    positions: Positions<'s>,
    /// One allocation a spelling.
    names: FxHashMap<&'s str, Name>,
    functions: Vec<Function>,
    classes: Vec<Class>,
    exprs: Vec<Expr>,
    owners: Vec<FunctionId>,
    imports: Vec<Import>,
    /// The function whose body is being lowered.
    here: FunctionId,
}

impl<'s> Lowering<'s> {
    fn module_body(&mut self, root: Node<'_>) {
        let start = self.positions.start(root);
        self.functions.push(Function {
            name: Name::from("<module>"),
            class: None,
            parent: None,
            params: Vec::new(),
            returns: None,
            decorators: Vec::new(),
            is_async: false,
            is_generator: false,
            has_receiver: false,
            special: None,
            outer_names: Vec::new(),
            doc: None,
            body: Vec::new(),
            place: Place { start, end: start },
        });
        let (doc, body) = self.documented_block(root);
        self.functions[0].doc = doc;
        self.functions[0].body = body;
    }

    fn text_of(&self, node: Node<'_>) -> &'s str {
        &self.text[node.byte_range()]
    }

    fn name(&mut self, node: Node<'_>) -> Name {
        let text = self.text_of(node);
        self.names.entry(text).or_insert_with(|| Name::from(text)).clone()
    }

    fn push(&mut self, kind: ExprKind, place: Place) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(Expr { kind, place });
        self.owners.push(self.here);
        id
    }

    fn place(&self, node: Node<'_>) -> Place {
        self.positions.place(node)
    }

    /// From the start of one node to the end of another.
    fn across(&self, first: Node<'_>, last: Node<'_>) -> Place {
        Place {
            start: self.positions.start(first),
            end: self.positions.end(last),
        }
    }

    fn function_mut(&mut self, id: FunctionId) -> &mut Function {
        &mut self.functions[id.0 as usize]
    }

    fn class_mut(&mut self, id: ClassId) -> &mut Class {
        &mut self.classes[id.0 as usize]
    }
}

/// The children that mean something.
fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !matches!(child.kind(), "comment" | "line_continuation"))
        .collect()
}

/// The children of a field, which may be repeated.
fn field_parts<'t>(node: Node<'t>, field: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(field, &mut cursor)
        .filter(Node::is_named)
        .collect()
}

/// Whether an unnamed child (a keyword or an operator) is there.
fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == token)
}

/// Whether a node stands for a whole statement, which is lowered even inside an unparsable stretch.
fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement") || kind.ends_with("_definition")
}

/// A statement.
fn stmt(kind: crate::code::ir::StmtKind, place: Place) -> Stmt {
    Stmt { kind, place }
}
