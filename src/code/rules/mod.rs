//! The code rules, one a file, over facts only.

mod cut_without_summary;
mod dedupe_keeps_oldest;
mod displaced_question;
mod dropped_system;
mod duplicate_message;
mod external_in_batch;
mod fixed_index_insert;
mod head_scan_attach;
mod head_window;
mod id_swap;
mod ignored_insert;
mod ignored_trim;
mod matrix;
mod merged_injection;
mod mid_turn_cut;
mod misplaced_breakpoint;
mod mutated_input;
mod persisted_state;
mod prompt_only_budget;
mod reminted_ids;
mod repeated_injection;
mod rewritten_prefix;
mod role_only_predicate;
mod shape_only_test;
mod silent_stop;
mod skipped_injection;
mod split_tool_pair;
mod stale_offset;
mod system_after_history;
mod unexpired_injection;
mod unguarded_hook;
mod unlatched_warning;
mod unmarked_degraded_state;
mod unmarked_injection;
mod unordered_prefix;
mod unordered_replay;
mod unreset_latch;
mod unstable_summary;
mod volatile_prefix;
mod wrong_queue;
mod wrong_recipient;

use std::path::Path;
use std::time::{Duration, Instant};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::facts::Facts;
use super::ir::Module;
use super::project::Project;
use super::vocabulary::Vocabulary;
use crate::finding::Finding;
use crate::interrupt::Stop;

/// One rule: adds what it finds.
type Check = fn(&Facts, &mut Vec<Finding>);

/// Rules with the names of their modules.
macro_rules! checks {
    ($($rule:ident),+ $(,)?) => { &[$((stringify!($rule), $rule::check)),+] };
}

/// The table of rules; their order is of no importance to the output.
const CHECKS: &[(&str, Check)] = checks![
    cut_without_summary,
    dedupe_keeps_oldest,
    displaced_question,
    dropped_system,
    duplicate_message,
    external_in_batch,
    fixed_index_insert,
    head_scan_attach,
    head_window,
    id_swap,
    ignored_insert,
    ignored_trim,
    merged_injection,
    mid_turn_cut,
    misplaced_breakpoint,
    mutated_input,
    persisted_state,
    prompt_only_budget,
    reminted_ids,
    repeated_injection,
    rewritten_prefix,
    role_only_predicate,
    silent_stop,
    skipped_injection,
    split_tool_pair,
    stale_offset,
    system_after_history,
    unexpired_injection,
    unguarded_hook,
    unlatched_warning,
    unmarked_degraded_state,
    unmarked_injection,
    unordered_prefix,
    unordered_replay,
    unreset_latch,
    unstable_summary,
    volatile_prefix,
    wrong_queue,
    wrong_recipient,
];

/// Rules that look at what the others found.
const AFTERWARDS: &[(&str, Check)] = checks![shape_only_test];

/// Runs every rule over a project, and notes what took how long.
pub(crate) fn run(
    project: &Project,
    vocabulary: &Vocabulary,
    stop: &Stop,
    timings: &mut Vec<(String, Duration)>,
) -> Vec<Finding> {
    let begin = Instant::now();
    let facts = Facts::of(project, vocabulary);
    timings.push(("building facts".to_owned(), begin.elapsed()));
    let timed = |(name, check): &(&str, Check), findings: &mut Vec<Finding>| {
        let begin = Instant::now();
        check(&facts, findings);
        (format!("rule {}", name.replace('_', "-")), begin.elapsed())
    };
    // A rule asks nothing of another; what each found is put together in the order of the table.
    let found = CHECKS.par_iter().filter(|_| !stop.told()).map(|check| {
        let mut findings = Vec::new();
        let took = timed(check, &mut findings);
        (findings, took)
    });
    let mut findings = Vec::new();
    for (found, took) in found.collect::<Vec<_>>() {
        findings.extend(found);
        timings.push(took);
    }
    // What a test does to its own lists reaches no model.
    let tests: FxHashMap<&Path, &Module> = project
        .modules()
        .filter(|(_, ir)| ir.is_test || !ir.test_parts.is_empty())
        .map(|(_, ir)| (ir.path.as_path(), ir))
        .collect();
    findings.retain(|finding| {
        let module = tests.get(finding.path());
        module.is_none_or(|module| !module.is_test_at(finding.span().start))
    });
    for check in AFTERWARDS {
        timings.push(timed(check, &mut findings));
    }
    findings
}
