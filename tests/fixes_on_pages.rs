//! The fixes of the examples on the rules' pages: each mends what it is for.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use ctxlint::code::{self, CheckOptions, Texts};
use ctxlint::finding::{Severity, Witness};
use ctxlint::fix::{Fixed, fix};
use ctxlint::mend::Applicability;
use ctxlint::outcome::Outcome;
use ctxlint::rule::RULES;
use ctxlint::select::Selection;
use support::page::{Project, projects};
use support::{folder, repository, write};

/// The projects of code of all pages.
fn examples() -> Vec<Project> {
    let pages = RULES
        .iter()
        .map(|rule| PathBuf::from("rules").join(rule.id()).with_extension("md"));
    let read = |page: PathBuf| {
        let text = std::fs::read_to_string(repository().join(&page)).expect("a page can be read");
        projects(&page, &text)
    };
    let all = pages.flat_map(read);
    all.filter(|project| project.witness == Witness::Code).collect()
}

/// A project before and after all its fixes.
fn fixed(project: &Project) -> (Outcome, Fixed) {
    let folder = folder();
    for file in &project.files {
        write(folder.path(), &file.name, &file.text);
    }
    let check = |texts: &Texts| {
        let mut outcome = code::check(&CheckOptions {
            paths: vec![folder.path().to_owned()],
            texts: texts.clone(),
            ..CheckOptions::default()
        });
        let all = Selection {
            pedantic: true,
            ..Selection::default()
        };
        all.apply(&mut outcome);
        outcome
    };
    (check(&Texts::new()), fix(true, check, code::parses))
}

fn grave(outcome: &Outcome) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for finding in outcome
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Info)
    {
        *counts.entry(finding.rule().id()).or_default() += 1;
    }
    counts
}

#[test]
fn every_fix_of_an_example_mends_it_and_pages_say_which_there_are() {
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<&str, BTreeSet<Applicability>> = BTreeMap::new();
    for project in examples() {
        let (before, fixed) = fixed(&project);
        let fixable: Vec<_> = before.findings.iter().filter(|finding| finding.fix.is_some()).collect();
        for finding in &fixable {
            let applicability = finding.fix.as_ref().map(|fix| fix.applicability);
            seen.entry(finding.rule().id()).or_default().extend(applicability);
        }
        let refused = fixed
            .refused
            .iter()
            .map(|one| format!("{}: the fix {}", one.rule, one.why));
        wrong.extend(refused.map(|why| format!("{}: {why}", project.place())));
        let (had, has) = (grave(&before), grave(&fixed.outcome));
        for (rule, number) in &has {
            if number > had.get(rule).unwrap_or(&0) {
                wrong.push(format!("{}: fixing brings {rule}", project.place()));
            }
        }
        for finding in fixable {
            let rule = finding.rule().id();
            let left = fixed
                .outcome
                .findings
                .iter()
                .filter(|left| left.rule().id() == rule && left.fix.is_some());
            if left.count() > 0 {
                wrong.push(format!("{}: {rule} is still there", project.place()));
            }
        }
        let unparsable = fixed.changed.iter().filter(|(path, (_, new))| !code::parses(path, new));
        wrong.extend(unparsable.map(|_| format!("{}: cannot be parsed", project.place())));
    }
    for rule in RULES {
        let said: BTreeSet<_> = rule.fixes().iter().copied().collect();
        let shown = seen.remove(rule.id()).unwrap_or_default();
        if said != shown {
            wrong.push(format!(
                "rules/{}.md says {said:?}, its and other examples show {shown:?}",
                rule.id()
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn fixes_of_examples_show_what_they_change() {
    let mut shown = String::new();
    for project in examples() {
        let (_, fixed) = fixed(&project);
        for (path, (old, new)) in &fixed.changed {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let page = project
                .page
                .file_stem()
                .and_then(|stem| stem.to_str())
                .unwrap_or_default();
            let (old, new): (&Arc<str>, &Arc<str>) = (old, new);
            shown.push_str(&ctxlint::fix::unified(&format!("{page}/{name}"), old, new, false));
        }
    }
    support::snapshot("fixes_of_examples", &shown);
}
