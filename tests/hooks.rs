//! The hooks choose the files that `check` reads: a file that it refuses would block a commit.

mod support;

use std::collections::BTreeSet;

use support::{folder, repository, run, write};

/// Every file extension that could be one of a language.
const EXTENSIONS: [&str; 16] = [
    "py", "pyi", "pyw", "ipynb", "rs", "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "vue", "toml",
];

#[test]
fn the_hooks_choose_the_files_that_check_reads() {
    let folder = folder();
    let read: BTreeSet<_> = EXTENSIONS
        .into_iter()
        .filter(|extension| {
            let name = format!("file.{extension}");
            write(folder.path(), &name, "");
            let run = run(folder.path(), &["check", "--isolated", &name]);
            assert!([0, 3].contains(&run.status), "{name}: {}", run.stderr);
            run.status == 0
        })
        .collect();

    let manifest = std::fs::read_to_string(repository().join(".pre-commit-hooks.yaml")).expect("it is committed");
    let lists: Vec<BTreeSet<_>> = manifest
        .lines()
        .filter_map(|line| line.strip_prefix("  files: "))
        .filter_map(|pattern| pattern.split_once(r"\.(")?.1.split(')').next())
        .map(|list| list.split('|').collect())
        .collect();
    let audit = BTreeSet::from(["jsonl", "ndjson"]);
    assert_eq!(lists, [read.clone(), read, audit]);
}
