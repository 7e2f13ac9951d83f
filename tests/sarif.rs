//! `--format sarif`: valid by the standard's own schema, and what code scanning asks for beside it.

mod support;

use std::path::Path;

use serde_json::Value;
use support::{folder, repository, run, write};

fn validator() -> jsonschema::Validator {
    let schema = std::fs::read_to_string(repository().join("tests/data/sarif/sarif-schema-2.1.0.json"));
    let schema = serde_json::from_str(&schema.expect("the schema is committed")).expect("the schema is JSON");
    // The schema says that it is of draft 4, and has formats that came later.
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft7);
    let options = options.should_validate_formats(true);
    options.build(&schema).expect("the schema is a JSON Schema")
}

#[track_caller]
fn valid(text: &str) -> Value {
    let validator = validator();
    let log: Value = serde_json::from_str(text).expect("a log is JSON");
    let errors: Vec<_> = validator.iter_errors(&log).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    log["runs"][0].clone()
}

/// One run of a half as SARIF.
#[track_caller]
fn sarif(folder: &Path, arguments: &[&str], status: i32) -> Value {
    let run = run(folder, &[arguments, &["--format", "sarif"]].concat());
    assert_eq!(run.status, status, "{arguments:?}: {}", run.stderr);
    valid(&run.stdout)
}

fn results(run: &Value) -> &[Value] {
    run["results"].as_array().expect("results are a list, empty or not")
}

fn rules(run: &Value) -> &[Value] {
    let rules = &run["tool"]["driver"]["rules"];
    rules.as_array().expect("rules are a list")
}

/// What the documentation of code scanning calls required.
#[track_caller]
fn complete(run: &Value) {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    assert!(text(&run["tool"]["driver"]["name"]) && text(&run["automationDetails"]["id"]));
    for rule in rules(run) {
        for field in ["shortDescription", "fullDescription", "help"] {
            assert!(text(&rule[field]["text"]), "{field} of {rule}");
        }
        assert!(text(&rule["help"]["markdown"]), "{rule}");
        assert!(rule["properties"].get("security-severity").is_none(), "{rule}");
    }
    for result in results(run) {
        let index = result["ruleIndex"].as_u64().expect("a rule has an index") as usize;
        assert_eq!(rules(run)[index]["id"], result["ruleId"]);
        assert!(text(&result["message"]["text"]), "{result}");
        assert!(text(&result["partialFingerprints"]["ctxlintFinding/v1"]), "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        assert!(text(&place["artifactLocation"]["uri"]), "{result}");
        let number = |name: &str| place["region"][name].as_u64().expect("a region is whole");
        assert_eq!(number("startLine"), number("endLine"), "{result}");
        assert!(
            1 <= number("startColumn") && number("startColumn") < number("endColumn"),
            "{result}"
        );
        let ids = result["relatedLocations"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|place| &place["id"]);
        for id in ids {
            let link = format!("]({id})");
            assert!(
                result["message"]["text"]
                    .as_str()
                    .is_some_and(|text| text.contains(&link)),
                "{result}"
            );
        }
    }
}

#[test]
fn the_examples_are_valid_and_complete() {
    for half in ["check", "audit"] {
        let run = sarif(repository(), &[half, "examples"], 1);
        complete(&run);
        assert_eq!(run["automationDetails"]["id"], format!("ctxlint/{half}/"));
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
        assert!(!results(&run).is_empty(), "{half}");
        let uris = results(&run)
            .iter()
            .map(|result| &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]);
        for uri in uris {
            assert!(
                uri.as_str().is_some_and(|uri| repository().join(uri).is_file()),
                "{uri}"
            );
        }
    }
}

#[test]
fn the_schema_refuses_what_the_standard_excludes() {
    let good = run(repository(), &["check", "examples", "--format", "sarif"]).stdout;
    let good: Value = serde_json::from_str(&good).expect("a log is JSON");
    assert!(validator().is_valid(&good));
    for (place, value) in [
        ("/version", "2.0.0".into()),
        ("/runs/0/results/0/level", "fatal".into()),
        ("/runs/0/results/0/message", serde_json::json!({})),
        (
            "/runs/0/results/0/locations/0/physicalLocation/region/startLine",
            0.into(),
        ),
        (
            "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri",
            "a b[.py".into(),
        ),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).expect("the log has this") = value;
        assert!(!validator().is_valid(&bad), "{place}");
    }
}

#[test]
fn every_rule_that_took_part_is_listed_and_a_clean_run_has_a_list() {
    let folder = folder();
    write(folder.path(), "agent.py", "messages = []\n");
    let run = sarif(folder.path(), &["check"], 0);
    complete(&run);
    assert_eq!(results(&run).len(), 0);
    let ids = |run: &Value| rules(run).iter().map(|rule| rule["id"].clone()).collect::<Vec<_>>();
    let code = ctxlint::rule::RULES.iter().filter(|rule| {
        let sees_code = rule.witness().contains(&ctxlint::finding::Witness::Code);
        sees_code && !rule.is_opt_in()
    });
    assert_eq!(ids(&run), code.map(|rule| rule.id()).collect::<Vec<_>>());
    let few = sarif(folder.path(), &["check", "--select", "id-swap"], 0);
    let few = ids(&few);
    assert_eq!(few[0], "id-swap");
    assert!(
        few[1..]
            .iter()
            .all(|id| id.as_str().is_some_and(|id| id.contains("ignore"))),
        "{few:?}"
    );
}

#[test]
fn what_could_not_be_read_is_told() {
    let folder = folder();
    write(folder.path(), "agent.py", "messages = []\n");
    let run = sarif(folder.path(), &["check", "agent.py", "no such file.py"], 2);
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let [told] = &invocation["toolExecutionNotifications"].as_array().expect("a list")[..] else {
        panic!("one notification: {invocation}");
    };
    assert_eq!(told["level"], "error");
    let uri = &told["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "no%20such%20file.py");

    let empty = sarif(support::folder().path(), &["check"], 3);
    assert_eq!(results(&empty).len(), 0);
    let told = &empty["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"];
    assert_eq!(told, "No file here can be checked.");
}

const HEAD_SCAN: &str = "\
from langgraph.graph import MessagesState


def answer(state: MessagesState, model):
    asked = next(m for m in state[\"messages\"] if m.type == \"human\")
    return {\"messages\": [model.invoke(asked.content)]}
";

#[test]
fn suppressed_findings_stay_with_their_reason() {
    let folder = folder();
    let ignored = HEAD_SCAN.replace(
        "\"human\")",
        "\"human\")  # ctxlint: ignore[head-scan-attach] one question",
    );
    write(folder.path(), "agent.py", ignored);
    let run = sarif(folder.path(), &["check"], 0);
    complete(&run);
    let [result] = results(&run) else {
        panic!("one result: {run}");
    };
    let expected = serde_json::json!([{"kind": "inSource", "justification": "one question"}]);
    assert_eq!(result["suppressions"], expected);
}

#[test]
fn what_a_baseline_knows_is_suppressed_from_outside() {
    let folder = folder();
    write(folder.path(), "agent.py", HEAD_SCAN);
    let known = ["check", "--baseline", "known.json"];
    let written = run(folder.path(), &[&known[..], &["--write-baseline"]].concat());
    assert_eq!(written.status, 0, "{}", written.stderr);
    let log = sarif(folder.path(), &known, 0);
    complete(&log);
    let [result] = results(&log) else {
        panic!("one result: {log}");
    };
    assert_eq!(result["suppressions"], serde_json::json!([{"kind": "external"}]));
    let report = run(folder.path(), &[&known[..], &["--format", "json"]].concat()).stdout;
    let report: Value = serde_json::from_str(&report).expect("a report is JSON");
    assert_eq!(report["findings"], Value::Array(vec![]));
    assert_eq!(report["suppressed"][0]["by"], "baseline");
    let print = &result["partialFingerprints"]["ctxlintFinding/v1"];
    assert_eq!(&report["suppressed"][0]["fingerprint"], print);
}

/// `primaryLocationLineHash` and the own fingerprint of the only result, and its place.
fn prints(folder: &Path, name: &str, content: &[u8]) -> (Value, Value, Value) {
    write(folder, name, content);
    let run = sarif(folder, &["check"], 1);
    let [result] = results(&run) else {
        panic!("one result: {run}");
    };
    let prints = &result["partialFingerprints"];
    (
        prints["primaryLocationLineHash"].clone(),
        prints["ctxlintFinding/v1"].clone(),
        result["locations"][0]["physicalLocation"].clone(),
    )
}

#[test]
fn a_run_has_the_line_hash_of_github_and_a_fingerprint_that_survives_moves() {
    let folder = folder();
    let name = "odd names/ü #1.py";
    let (hash, print, place) = prints(folder.path(), name, HEAD_SCAN.as_bytes());
    // What the upload step of code scanning computes for line 5 of this file.
    assert_eq!(hash, "e0e0b08a609541e0:1");
    assert_eq!(place["artifactLocation"]["uri"], "odd%20names/%C3%BC%20%231.py");
    assert_eq!(place["region"]["startLine"], 5);

    let windows = HEAD_SCAN.replace('\n', "\r\n");
    let same = prints(folder.path(), name, windows.as_bytes());
    assert_eq!((&same.0, &same.1), (&hash, &print));

    let moved = format!("\u{feff}{}{HEAD_SCAN}", "X = 1\n".repeat(40));
    let (moved_hash, moved_print, place) = prints(folder.path(), name, moved.as_bytes());
    assert_eq!(place["region"]["startLine"], 45);
    assert_eq!((&moved_hash, &moved_print), (&hash, &print));

    let changed = HEAD_SCAN
        .replace("asked = next", "first = next")
        .replace("asked.", "first.");
    let (changed_hash, changed_print, _) = prints(folder.path(), name, changed.as_bytes());
    assert_ne!(changed_hash, hash);
    assert_ne!(changed_print, print);
}

#[test]
fn a_recorded_run_is_read_again_for_its_line_hashes_and_standard_input_has_none() {
    let name = "examples/defective/session.jsonl";
    let hashes = |run: &Value| -> Vec<Value> {
        let prints = results(run).iter().map(|result| &result["partialFingerprints"]);
        prints.map(|prints| prints["primaryLocationLineHash"].clone()).collect()
    };
    let run = sarif(repository(), &["audit", name], 1);
    assert!(
        hashes(&run)
            .iter()
            .all(|hash| hash.as_str().is_some_and(|hash| hash.ends_with(":1")))
    );
    let record = std::fs::read(repository().join(name)).expect("the example is committed");
    let piped = support::run_with_input(repository(), &["audit", "-", "--format", "sarif"], &record);
    let piped = valid(&piped.stdout);
    complete(&piped);
    assert!(hashes(&piped).iter().all(Value::is_null));
    assert_eq!(results(&piped).len(), results(&run).len());
}

#[test]
fn a_run_with_six_thousand_findings_is_cut_and_says_so() {
    let folder = folder();
    let code = "x = 1  # ctxlint: ignore[]\n".repeat(6_000);
    write(folder.path(), "agent.py", code);
    let cut = run(
        folder.path(),
        &["check", "agent.py", "--format", "sarif", "--format", "json=all.json"],
    );
    assert_eq!(cut.status, 1, "{}", cut.stderr);
    let said = "the SARIF report holds 5000 of 6000 findings, the gravest first, because code scanning takes no more; \
                1000 are left out";
    assert_eq!(cut.stderr, format!("ctxlint: {said}\n"));
    let log = valid(&cut.stdout);
    complete(&log);
    assert_eq!(results(&log).len(), 5_000);
    assert_eq!(
        log["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"],
        said
    );
    let hash = &results(&log)[4_000]["partialFingerprints"]["primaryLocationLineHash"];
    assert!(hash.as_str().is_some_and(|hash| hash.ends_with(":4001")), "{hash}");
    let all = std::fs::read_to_string(folder.path().join("all.json")).expect("the other report was written");
    let all: Value = serde_json::from_str(&all).expect("a report is JSON");
    assert_eq!(
        all["findings"].as_array().map(Vec::len),
        Some(6_000),
        "other forms tell everything"
    );
}
