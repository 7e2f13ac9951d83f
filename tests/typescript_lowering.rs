//! Each construct of TypeScript and JavaScript, lowered.

use std::path::Path;

fn assert_lowered(file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/typescript")
        .join(file);
    let text = ctxlint::code::program(&path, None).expect("the fixture can be read and lowered");
    let name = file.split('.').next().unwrap_or(file);
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("typescript_lowers_{name}"), text));
}

#[test]
fn statements() {
    assert_lowered("statements.ts");
}

#[test]
fn functions_classes_and_imports() {
    assert_lowered("definitions.tsx");
}

#[test]
fn expressions() {
    assert_lowered("expressions.ts");
}

#[test]
fn idioms_by_name_and_arity() {
    assert_lowered("idioms.ts");
}

#[test]
fn tests_and_assertions() {
    assert_lowered("testing.test.ts");
}

#[test]
fn what_can_be_parsed_of_a_broken_file() {
    assert_lowered("broken.js");
}
