//! `ctxlint fold`, from the outside.

mod support;

use support::{folder, repository, run, run_with_input, write};

const ROW: &str = r#"{"left": [{"type": "human", "content": "Sow", "id": "1"}], "updates": [[{"type": "ai", "content": "Sown", "id": "2"}]]}"#;

#[test]
fn rows_come_from_standard_input_or_a_file() {
    let folder = folder();
    write(folder.path(), "rows.jsonl", ROW);
    let file = run(folder.path(), &["fold", "rows.jsonl"]);
    let stdin = run_with_input(
        folder.path(),
        &["fold", "--reducer", "add-messages", "-"],
        ROW.as_bytes(),
    );
    assert_eq!((file.status, file.stderr.as_str()), (0, ""));
    assert_eq!((file.stdout.as_str(), stdin.status), (stdin.stdout.as_str(), 0));
    let line: serde_json::Value = serde_json::from_str(&file.stdout).expect("a line is JSON");
    assert_eq!(line["error"], serde_json::Value::Null);
    let ids: Vec<_> = line["states"][0]
        .as_array()
        .expect("a state is a list")
        .iter()
        .map(|m| &m["id"])
        .collect();
    assert_eq!(ids, ["1", "2"]);
}

#[test]
fn a_row_becomes_the_line_that_the_documentation_shows() {
    let page = std::fs::read_to_string(repository().join("docs/json.md")).expect("the page is committed");
    let block = |name: &str| {
        let (_, rest) = page
            .split_once(&format!("<!-- {name} -->\n```jsonl\n"))
            .expect("the page has the block");
        rest.split_once("```").expect("a block ends").0
    };
    let run = run_with_input(repository(), &["fold"], block("a row").as_bytes());
    assert_eq!((run.stdout.as_str(), run.status), (block("its line"), 0));
}

#[test]
fn an_error_of_the_reducer_is_data() {
    let row = r#"{"left": [], "updates": [[{"type": "remove", "content": "", "id": "9"}]]}"#;
    let run = run_with_input(repository(), &["fold"], row.as_bytes());
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(
        run.stdout.starts_with(r#"{"states":[],"error":{"at":0,"kind":"#),
        "{}",
        run.stdout
    );
}

#[test]
fn a_line_that_is_no_row_is_named_and_the_rest_is_folded() {
    let input = format!("{ROW}\n{{\"left\": \n\n{ROW}\n");
    let run = run_with_input(repository(), &["fold"], input.as_bytes());
    assert_eq!((run.status, run.stdout.lines().count()), (2, 2));
    assert!(run.stderr.starts_with("ctxlint: -:2:"), "{}", run.stderr);
}

#[test]
fn no_rows_and_no_file_are_told_apart() {
    let empty = run_with_input(repository(), &["fold"], b"");
    assert_eq!(
        (empty.status, empty.stderr.as_str()),
        (3, "ctxlint: -: no rows to fold\n")
    );
    let missing = run(repository(), &["fold", "no-such-file"]);
    assert_eq!(missing.status, 2);
    assert!(
        missing.stderr.starts_with("ctxlint: no-such-file: "),
        "{}",
        missing.stderr
    );
}
