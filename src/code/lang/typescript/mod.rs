//! TypeScript and JavaScript.

mod annotations;
mod brackets;
mod callbacks;
mod calls;
mod classes;
mod expressions;
mod fixes;
mod functions;
mod gaps;
mod idioms;
mod imports;
mod loops;
mod manifests;
mod mutations;
mod operators;
mod paths;
mod patterns;
mod scopes;
mod statements;
mod switches;
mod testing;
#[cfg(test)]
mod tests;
mod text;

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use tree_sitter::{Node, Parser, Tree};

use super::Refusal;
use super::position::Positions;
use super::survey::{Grammar, survey};
use crate::code::ir::{
    Class, ClassId, Expr, ExprId, ExprKind, Function, FunctionId, Import, Literal, Module, Name, Place, Stmt, StmtKind,
};
use callbacks::Alias;
pub(super) use fixes::spell;
pub(super) use manifests::{manifests, package};
pub(super) use paths::{configs, mappings};
use scopes::Names;

/// The stem of a file that stands for its folder.
const FOLDER_STEM: &str = "index";

/// What the survey has to know.
const GRAMMAR: Grammar = Grammar {
    arms: &["switch_case"],
    is_statement,
    unparsable: "most of the file cannot be parsed as TypeScript or JavaScript",
    help: "check that the file is what its extension says",
};

/// Lowers one file.
pub(super) fn lower(path: &Path, text: &str, language: &'static str) -> Result<Module, Refusal> {
    if let Some(line) = brackets::too_deep(text) {
        return Err(super::survey::too_deep(line));
    }
    let Some(tree) = parse(path, text) else {
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
        effects: Vec::new(),
        aliases: Vec::new(),
        callbacks: 0,
        in_switch: false,
        types: FxHashMap::default(),
        scopes: Vec::new(),
        made_up: 0,
        gestures: Vec::new(),
    };
    lowering.type_aliases(root);
    lowering.module_body(root);
    lowering.take_from_around();
    Ok(Module {
        path: path.to_owned(),
        name: Name::from(""),
        language,
        folder_stems: &[FOLDER_STEM],
        package: None,
        mappings: Arc::default(),
        sets_keep_order: true,
        handed_on: None,
        gestures: lowering.gestures,
        is_test: false,
        test_parts: Vec::new(),
        functions: lowering.functions,
        classes: lowering.classes,
        exprs: lowering.exprs,
        owners: lowering.owners,
        imports: lowering.imports,
        comments: survey.comments,
        unparsed: survey.first_error,
    })
}

fn parse(path: &Path, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    // `<T>value` is a cast in one grammar and an element in the other, which reads plain JavaScript too.
    let grammar = match path.extension().and_then(|extension| extension.to_str()) {
        Some("ts" | "mts" | "cts") => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        _ => tree_sitter_typescript::LANGUAGE_TSX,
    };
    parser
        .set_language(&grammar.into())
        .expect("the grammar and the parser are versions that fit, which any test shows");
    parser.parse(gaps::filled(text).as_bytes(), None)
}

/// Whether the path is one that the usual runners collect tests from, or a helper beside such files.
pub(super) fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    matches!(stem.rsplit_once('.'), Some((_, "test" | "spec")))
        || path.parent().is_some_and(|folder| {
            folder
                .iter()
                .any(|part| matches!(part.to_str(), Some("__tests__" | "tests" | "test" | "e2e")))
        })
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
    /// What expressions of the present statement do besides having a value: a `splice` inside a call.
    effects: Vec<Stmt>,
    /// Names that a callback's parameters take from what it is given, innermost last.
    aliases: Vec<Alias>,
    /// How many callbacks around the present statement became loops, in which `return` goes on.
    callbacks: usize,
    /// Whether `break` leaves a `switch`.
    in_switch: bool,
    /// Names of types that stand for other types, with those as text.
    types: FxHashMap<&'s str, String>,
    /// The names of each function.
    scopes: Vec<Names>,
    /// How many names were made up so far.
    made_up: usize,
    /// The values of attributes like `onClick`.
    gestures: Vec<ExprId>,
}

impl<'s> Lowering<'s> {
    fn module_body(&mut self, root: Node<'_>) {
        let start = self.positions.start(root);
        self.scopes.push(Names::default());
        self.functions.push(Function {
            place: Place { start, end: start },
            ..blank(Name::from("<module>"))
        });
        let body = self.block(root);
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

    fn push_name(&mut self, name: &Name, place: Place) -> ExprId {
        self.push(ExprKind::Name(name.clone()), place)
    }

    fn push_int(&mut self, value: i64, place: Place) -> ExprId {
        self.push(ExprKind::Literal(Literal::Int(value)), place)
    }

    /// A name that no source can hold.
    fn new_name(&mut self) -> Name {
        self.made_up += 1;
        Name::from(format!("<{}>", self.made_up))
    }

    fn kind_of(&self, expr: ExprId) -> &ExprKind {
        &self.exprs[expr.0 as usize].kind
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

/// A function about which nothing is said yet.
fn blank(name: Name) -> Function {
    let nowhere = crate::finding::Position { line: 1, column: 1 };
    Function {
        name,
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
        place: Place {
            start: nowhere,
            end: nowhere,
        },
    }
}

/// The children that mean something.
fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !matches!(child.kind(), "comment" | "html_comment"))
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

/// What stands in parentheses, or behind an assertion about its type.
fn bare(mut node: Node<'_>) -> Node<'_> {
    while matches!(
        node.kind(),
        "parenthesized_expression" | "as_expression" | "satisfies_expression" | "non_null_expression"
    ) {
        match parts(node).first() {
            Some(&inner) => node = inner,
            None => break,
        }
    }
    node
}

/// Whether a node stands for a whole statement, which is lowered even inside an unparsable stretch.
fn is_statement(kind: &str) -> bool {
    kind.ends_with("_statement") || kind.ends_with("_declaration")
}

fn stmt(kind: StmtKind, place: Place) -> Stmt {
    Stmt { kind, place }
}

/// `target = value`.
fn assign(target: ExprId, value: ExprId, place: Place) -> Stmt {
    let kind = StmtKind::Assign {
        targets: vec![target],
        value,
        annotation: None,
    };
    stmt(kind, place)
}
