//! Which defect a form can hold.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::plant::Defect;
use crate::write::WRITERS;

/// `table.toml`.
pub(crate) struct Table(BTreeMap<String, BTreeMap<String, Held>>);

#[derive(Debug, Deserialize, PartialEq, Eq)]
#[serde(untagged)]
enum Held {
    Yes(bool),
    /// Why not.
    No(String),
}

impl Table {
    /// Reads it; every form and every defect has to be in it.
    pub(crate) fn read() -> Self {
        let table: BTreeMap<String, BTreeMap<String, Held>> =
            toml::from_str(include_str!("table.toml")).expect("the table is TOML");
        let forms: Vec<&str> = WRITERS.iter().map(|writer| writer.name()).collect();
        for form in table.keys() {
            assert!(forms.contains(&form.as_str()), "nothing writes the form {form}");
        }
        for form in forms {
            let row = table
                .get(form)
                .unwrap_or_else(|| panic!("the table has no row for {form}"));
            let mut named: Vec<&str> = row.keys().map(String::as_str).collect();
            let mut all: Vec<&str> = Defect::ALL.iter().map(|defect| defect.name()).collect();
            named.sort_unstable();
            all.sort_unstable();
            assert_eq!(named, all, "the row of {form}");
            for (defect, held) in row {
                let has_reason = match held {
                    Held::Yes(yes) => *yes,
                    Held::No(why) => !why.trim().is_empty(),
                };
                assert!(has_reason, "{form}: why can it not hold {defect}?");
            }
        }
        Self(table)
    }

    /// The defects that a form can hold.
    pub(crate) fn held_by(&self, form: &str) -> Vec<Defect> {
        let row = &self.0[form];
        let held = |defect: &Defect| row[defect.name()] == Held::Yes(true);
        Defect::ALL.into_iter().filter(held).collect()
    }
}
