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

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::facts::Facts;
use super::ir::Module;
use super::project::Project;
use super::vocabulary::Vocabulary;
use crate::finding::Finding;

/// One rule: adds what it finds.
type Check = fn(&Facts, &mut Vec<Finding>);

/// The table of rules; their order is of no importance to the output.
const CHECKS: &[Check] = &[
    cut_without_summary::check,
    dedupe_keeps_oldest::check,
    displaced_question::check,
    dropped_system::check,
    duplicate_message::check,
    external_in_batch::check,
    fixed_index_insert::check,
    head_scan_attach::check,
    head_window::check,
    id_swap::check,
    ignored_insert::check,
    ignored_trim::check,
    merged_injection::check,
    mid_turn_cut::check,
    misplaced_breakpoint::check,
    mutated_input::check,
    persisted_state::check,
    prompt_only_budget::check,
    reminted_ids::check,
    repeated_injection::check,
    rewritten_prefix::check,
    role_only_predicate::check,
    silent_stop::check,
    skipped_injection::check,
    split_tool_pair::check,
    stale_offset::check,
    system_after_history::check,
    unexpired_injection::check,
    unguarded_hook::check,
    unlatched_warning::check,
    unmarked_degraded_state::check,
    unmarked_injection::check,
    unordered_prefix::check,
    unordered_replay::check,
    unreset_latch::check,
    unstable_summary::check,
    volatile_prefix::check,
    wrong_queue::check,
    wrong_recipient::check,
];

/// Rules that look at what the others found.
const AFTERWARDS: &[Check] = &[shape_only_test::check];

/// Runs every rule over a project.
pub(crate) fn run(project: &Project, vocabulary: &Vocabulary) -> Vec<Finding> {
    let facts = Facts::of(project, vocabulary);
    // A rule asks nothing of another; what each found is put together in the order of the table.
    let found = CHECKS.par_iter().map(|check| {
        let mut findings = Vec::new();
        check(&facts, &mut findings);
        findings
    });
    let mut findings: Vec<Finding> = found.collect::<Vec<_>>().into_iter().flatten().collect();
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
        check(&facts, &mut findings);
    }
    findings
}
