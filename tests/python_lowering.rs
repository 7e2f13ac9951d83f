//! Each construct of Python, lowered.

use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(name)
}

fn assert_lowered(name: &str) {
    let text =
        ctxlint::code::program(&fixture(&format!("{name}.py")), None).expect("the fixture can be read and lowered");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("python_lowers_{name}"), text));
}

#[test]
fn statements() {
    assert_lowered("statements");
}

#[test]
fn functions_and_classes() {
    assert_lowered("definitions");
}

#[test]
fn expressions() {
    assert_lowered("expressions");
}

#[test]
fn strings_and_templates() {
    assert_lowered("text");
}

#[test]
fn match_statements() {
    assert_lowered("matching");
}

#[test]
fn idioms_by_name_arity_and_import() {
    assert_lowered("idioms");
}

#[test]
fn what_can_be_parsed_of_a_broken_file() {
    assert_lowered("broken");
    assert_lowered("unclosed");
}

#[test]
fn a_line_shows_only_the_innermost_function_around_it() {
    let text =
        ctxlint::code::program(&fixture("statements.py"), Some(72)).expect("the fixture can be read and lowered");
    assert_eq!(
        text.trim_start().lines().next(),
        Some("function 3 step() in 2  70:9"),
        "{text}"
    );
}
