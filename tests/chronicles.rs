//! What is written down for drawing a history leads to that history: folded step by step, it is what `replay` tells
//! of every fixture.

mod support;

use std::path::{Path, PathBuf};

use ctxlint::chronicle::{CALL, Chronicle, ShownStep};
use ctxlint::transcript::{AuditOptions, audit};
use serde_json::Value;
use support::{repository, run};

/// Every recording of the product: files, and folders that are read as one.
fn fixtures() -> Vec<PathBuf> {
    let mut fixtures = Vec::new();
    for top in ["tests/fixtures/formats", "tests/fixtures/transcripts"] {
        for folder in entries(&repository().join(top))
            .into_iter()
            .filter(|path| path.is_dir())
        {
            let recordings = entries(&folder).into_iter().filter(|path| {
                let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                !matches!(ending, "expected" | "toml")
            });
            fixtures.extend(recordings);
        }
    }
    fixtures
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = std::fs::read_dir(folder).expect("the folder of fixtures can be read");
    let mut paths: Vec<PathBuf> = listed
        .map(|entry| entry.expect("an entry can be read").path())
        .collect();
    paths.sort();
    paths
}

/// Folds a step as the scripts of the page do.
fn fold(list: &mut Vec<u32>, step: &ShownStep) {
    if let Some(before) = &step.before {
        list.clone_from(before);
    }
    let gone = |was: usize| {
        step.removed.iter().any(|placed| placed.at as usize == was)
            || step.moved.iter().any(|shift| shift.was as usize == was)
    };
    let kept: Vec<u32> = (0..list.len()).filter(|&was| !gone(was)).map(|was| list[was]).collect();
    let mut kept = kept.into_iter();
    let mut placed: Vec<(u32, u32)> = step.inserted.iter().map(|placed| (placed.at, placed.message)).collect();
    placed.extend(step.moved.iter().map(|shift| (shift.at, list[shift.was as usize])));
    let length = list.len() - step.removed.len() + step.inserted.len();
    let mut folded: Vec<u32> = Vec::with_capacity(length);
    for at in 0..u32::try_from(length).expect("fixtures are short") {
        let new = placed.iter().find(|(place, _)| *place == at);
        let message = new.map(|(_, message)| *message).or_else(|| kept.next());
        folded.push(message.expect("every place is filled"));
    }
    assert_eq!(kept.next(), None, "every message that stays has a place");
    for swap in &step.replaced {
        assert_eq!(folded[swap.at as usize], swap.old, "what is replaced stood there");
        folded[swap.at as usize] = swap.new;
    }
    *list = folded;
}

#[test]
fn every_chronicle_leads_to_the_history_that_replay_tells() {
    let mut compared = 0;
    for path in fixtures() {
        let outcome = audit(&AuditOptions {
            paths: vec![path.clone()],
            chronicles: true,
            ..AuditOptions::default()
        });
        let name = path.to_str().expect("fixtures have plain names");
        let replayed = run(repository(), &["replay", "--isolated", "--format", "json", name]);
        // What cannot be replayed as one, such as a folder of several runs, is not compared.
        let Ok(document) = serde_json::from_str::<Value>(&replayed.stdout) else {
            continue;
        };
        let sessions = document["sessions"].as_array().expect("a document has sessions");
        for chronicle in outcome
            .chronicles
            .iter()
            .filter(|chronicle| !chronicle.steps.is_empty())
        {
            let called = |id: &str| sessions.iter().find(|session| session["id"] == id);
            // A session without an id is called after its file.
            let told = called(&chronicle.session).or_else(|| called(""));
            let told = told.expect("replay tells of it too");
            compare(chronicle, told, name);
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} histories were compared");
}

fn compare(chronicle: &Chronicle, told: &Value, name: &str) {
    let steps = told["steps"].as_array().expect("a session has steps");
    let (calls, told_steps): (Vec<&ShownStep>, Vec<&ShownStep>) =
        chronicle.steps.iter().partition(|step| step.source == CALL);
    assert_eq!(told_steps.len(), steps.len(), "{name}");
    for call in calls {
        // What a call sends beside the history takes nothing's id and changes nothing.
        assert!(call.replaced.is_empty() && call.moved.is_empty(), "{name}");
    }
    let one_based = |place: Option<u32>| place.map_or(Value::Null, |place| (place + 1).into());
    let mut list: Vec<u32> = Vec::new();
    for (step, told) in told_steps.into_iter().zip(steps) {
        fold(&mut list, step);
        let at = format!("{name}, step {}", step.number);
        assert_eq!(Value::from(step.number), told["step"], "{at}");
        assert_eq!(Value::from(list.len()), told["length"], "{at}");
        assert_eq!(one_based(step.question), told["current"], "{at}");
        assert_eq!(one_based(step.taken), told["taken_for_current"], "{at}");
        for inserted in told["inserted"].as_array().into_iter().flatten() {
            let place = inserted["at"].as_u64().expect("a place is a number");
            let message = list[usize::try_from(place).expect("a place is small") - 1];
            let message = &chronicle.messages[message as usize];
            assert_eq!(inserted["kind"], message.kind, "{at}");
            assert_eq!(inserted["role"], message.role, "{at}");
        }
    }
    let messages = told["messages"].as_array().expect("a session has messages");
    // What happens beside steps, such as going back at the end, is no part of the last step.
    if messages.len() == list.len() {
        for (message, told) in list.iter().zip(messages) {
            let message = &chronicle.messages[*message as usize];
            assert_eq!(told["role"], message.role, "{name}");
            assert_eq!(told["kind"], message.kind, "{name}");
        }
    }
}
