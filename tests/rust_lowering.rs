//! Each construct of Rust, lowered.

use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rust").join(name)
}

fn assert_lowered(name: &str) {
    let text =
        ctxlint::code::program(&fixture(&format!("{name}.rs")), None).expect("the fixture can be read and lowered");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(format!("rust_lowers_{name}"), text));
}

#[test]
fn items() {
    assert_lowered("items");
}

#[test]
fn statements() {
    assert_lowered("statements");
}

#[test]
fn expressions() {
    assert_lowered("expressions");
}

#[test]
fn what_can_be_parsed_of_a_broken_file() {
    assert_lowered("broken");
}
