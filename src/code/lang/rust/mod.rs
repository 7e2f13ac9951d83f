//! Rust.
//!
//! Errors are exceptions in the IR: `?` and `.unwrap()` pass their value on, `Ok(x)` is `x`, `Err(e)`
//! that is returned is raised, and a `match` on what a call gives, with an `Err` arm, is a `try`.
//! An `Option` is its value or none. Borrowing and dereferencing are no operations at all.

mod blocks;
mod branches;
mod chain_ends;
mod closures;
mod expressions;
mod fixes;
mod items;
mod iterators;
mod loops;
mod macros;
mod manifests;
mod methods;
mod mutations;
mod paths;
mod patterns;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod types;
mod uses;

use std::ffi::OsStr;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Parser, Tree};

use super::Refusal;
use super::position::Positions;
use super::survey::{self, Grammar, survey};
use crate::code::ir::{
    Class, ClassId, Expr, ExprId, ExprKind, Function, FunctionId, Import, Module, Name, Place, Stmt, StmtKind,
};
use blocks::Dest;
pub(super) use fixes::spell;
pub(super) use manifests::{manifests, package};
use paths::Home;

/// The stems of files that stand for their folder.
const FOLDER_STEMS: &[&str] = &["mod", "lib", "main"];

/// What the survey has to know.
const GRAMMAR: Grammar = Grammar {
    arms: &["match_arm"],
    is_statement,
    unparsable: "most of the file cannot be parsed as Rust",
    help: "check that the file is Rust",
};

/// Whether a node stands for a whole item or statement.
fn is_statement(kind: &str) -> bool {
    kind.ends_with("_item") || matches!(kind, "expression_statement" | "let_declaration" | "use_declaration")
}

/// Lowers one file.
pub(super) fn lower(path: &Path, text: &str) -> Result<Module, Refusal> {
    let prepared = tokens::prepare(text, survey::MAX_DEPTH).map_err(survey::too_deep)?;
    let Some(tree) = parse(&prepared) else {
        return Err(Refusal {
            line: 1,
            message: "the parser gave up on this file".to_owned(),
            help: "report this file to the authors of ctxlint",
        });
    };
    let root = tree.root_node();
    let positions = Positions::of(text);
    let survey = survey(root, text, &positions, &GRAMMAR)?;

    let home = Home::of(path);
    let mut lowering = Lowering {
        text: Rc::from(prepared.as_str()),
        original: text,
        positions,
        at: None,
        names: FxHashSet::default(),
        functions: Vec::new(),
        classes: Vec::new(),
        exprs: Vec::new(),
        owners: Vec::new(),
        imports: Vec::new(),
        test_parts: Vec::new(),
        handed_on: Vec::new(),
        here: FunctionId(0),
        home,
        types: FxHashMap::default(),
        children: FxHashSet::default(),
        rooted: FxHashSet::default(),
        own_type: None,
        generics: Vec::new(),
        inline: 0,
        before: Vec::new(),
        stands_for: Vec::new(),
        loops: Vec::new(),
        result: Dest::Return,
        shows: false,
        formatter: None,
        fresh: 0,
        fragments: 0,
    };
    lowering.module_body(root);
    Ok(Module {
        path: path.to_owned(),
        name: Name::from(""),
        language: super::Language::Rust.name(),
        folder_stems: FOLDER_STEMS,
        package: None,
        mappings: Arc::default(),
        sets_keep_order: false,
        handed_on: Some(lowering.handed_on),
        gestures: Vec::new(),
        is_test: false,
        test_parts: lowering.test_parts,
        functions: lowering.functions,
        classes: lowering.classes,
        exprs: lowering.exprs,
        owners: lowering.owners,
        imports: lowering.imports,
        comments: survey.comments,
        unparsed: survey.first_error,
    })
}

/// Files and folders that hold tests, or what only tests use.
const TEST_MODULES: [&str; 6] = [
    "test",
    "tests",
    "test_helpers",
    "test_support",
    "test_util",
    "test_utils",
];

/// Whether the path is one of an integration test, a benchmark of it, or a module of tests.
pub(super) fn is_test(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let folders = path.parent().into_iter().flat_map(Path::iter).filter_map(OsStr::to_str);
    stem.ends_with("_tests")
        || stem.ends_with("_test")
        || std::iter::once(stem)
            .chain(folders)
            .any(|part| TEST_MODULES.contains(&part))
}

fn parse(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_rust::LANGUAGE.into())
        .expect("the grammar and the parser are versions that fit, which any test shows");
    parser.parse(text, None)
}

/// The state of one file's lowering.
struct Lowering<'s> {
    /// What the present tree was parsed from: the prepared file, or a fragment of it.
    text: Rc<str>,
    /// The file as it is.
    original: &'s str,
    positions: Positions<'s>,
    /// The place of everything in a fragment.
    at: Option<Place>,
    /// One allocation a spelling.
    names: FxHashSet<Name>,
    functions: Vec<Function>,
    classes: Vec<Class>,
    exprs: Vec<Expr>,
    owners: Vec<FunctionId>,
    imports: Vec<Import>,
    test_parts: Vec<Place>,
    /// What `?` stands behind.
    handed_on: Vec<Place>,
    /// The function whose body is being lowered.
    here: FunctionId,
    /// Where the file stands in its crate.
    home: Home,
    /// The types that the file defines, by name, in the module or inline module at hand.
    types: FxHashMap<Name, ClassId>,
    /// The modules that the file declares.
    children: FxHashSet<Name>,
    /// Paths from the root of the crate that already have an import.
    rooted: FxHashSet<Name>,
    /// What `Self` stands for.
    own_type: Option<Name>,
    /// Type parameters in scope, with their first bound.
    generics: Vec<(Name, Name)>,
    /// How many inline modules are around.
    inline: usize,
    /// What must run before the statement that is being lowered.
    before: Vec<Stmt>,
    /// Names that stand for an expression; none for a name that hides an outer one.
    stands_for: Vec<(Name, Option<ExprId>)>,
    /// Where the value of a `break` goes, for each loop around.
    loops: Vec<Dest>,
    /// Where a returned value goes.
    result: Dest,
    /// Whether the members at hand say how the type is shown as text.
    shows: bool,
    /// What the text of an object is written to in the function at hand.
    formatter: Option<Name>,
    /// How many variables were made up.
    fresh: u32,
    /// How many fragments are inside each other.
    fragments: u32,
}

impl Lowering<'_> {
    fn module_body(&mut self, root: Node<'_>) {
        let start = self.positions.start(root);
        self.functions.push(items::function(
            Name::from("<module>"),
            None,
            Place { start, end: start },
        ));
        self.functions[0].parent = None;
        let body = self.items(root);
        self.functions[0].body = body;
    }

    fn text_of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    fn name(&mut self, node: Node<'_>) -> Name {
        let text = Rc::clone(&self.text);
        let written = &text[node.byte_range()];
        self.intern(written.strip_prefix("r#").unwrap_or(written))
    }

    fn intern(&mut self, text: &str) -> Name {
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name = Name::from(text);
        self.names.insert(name.clone());
        name
    }

    /// A variable that the source does not have.
    fn made_up(&mut self) -> Name {
        self.fresh += 1;
        Name::from(format!("<{}>", self.fresh))
    }

    fn push(&mut self, kind: ExprKind, place: Place) -> ExprId {
        let id = ExprId(self.exprs.len() as u32);
        self.exprs.push(Expr { kind, place });
        self.owners.push(self.here);
        id
    }

    fn kind_of(&self, expr: ExprId) -> &ExprKind {
        &self.exprs[expr.0 as usize].kind
    }

    fn place_of(&self, expr: ExprId) -> Place {
        self.exprs[expr.0 as usize].place
    }

    fn named(&mut self, name: &Name, place: Place) -> ExprId {
        self.push(ExprKind::Name(name.clone()), place)
    }

    fn int(&mut self, number: i64, place: Place) -> ExprId {
        self.push(ExprKind::Literal(crate::code::ir::Literal::Int(number)), place)
    }

    fn none(&mut self, place: Place) -> ExprId {
        self.push(ExprKind::Literal(crate::code::ir::Literal::None), place)
    }

    fn unknown(&mut self, inside: Vec<ExprId>, place: Place) -> ExprId {
        self.push(ExprKind::Other(inside), place)
    }

    fn place(&self, node: Node<'_>) -> Place {
        self.at.unwrap_or_else(|| self.positions.place(node))
    }

    /// From the start of one node to the end of another.
    fn across(&self, first: Node<'_>, last: Node<'_>) -> Place {
        Place {
            start: self.place(first).start,
            end: self.place(last).end,
        }
    }

    fn function_mut(&mut self, id: FunctionId) -> &mut Function {
        &mut self.functions[id.0 as usize]
    }

    fn class_mut(&mut self, id: ClassId) -> &mut Class {
        &mut self.classes[id.0 as usize]
    }

    /// Lowers what may need statements before it, and puts those in front.
    fn hoisting<T>(&mut self, out: &mut Vec<Stmt>, lower: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::take(&mut self.before);
        let lowered = lower(self);
        out.append(&mut self.before);
        self.before = outer;
        lowered
    }
}

/// The children that mean something.
fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| {
            !matches!(
                child.kind(),
                "line_comment"
                    | "block_comment"
                    | "attribute_item"
                    | "inner_attribute_item"
                    | "label"
                    | "mutable_specifier"
            )
        })
        .collect()
}

/// The arguments of a call.
fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    call.child_by_field_name("arguments").map(parts).unwrap_or_default()
}

/// Whether an unnamed child (a keyword or an operator) is there.
fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == token)
}

/// A statement.
fn stmt(kind: StmtKind, place: Place) -> Stmt {
    Stmt { kind, place }
}

/// `target = value`.
fn assign(target: ExprId, value: ExprId, place: Place) -> Stmt {
    stmt(
        StmtKind::Assign {
            targets: vec![target],
            value,
            annotation: None,
        },
        place,
    )
}
