//! Where agents keep the sessions of the current user.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stores {
    store: Vec<Store>,
}

/// One place of one format.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Store {
    format: String,
    /// An environment variable that says where the store is instead of `home`.
    env: Option<String>,
    home: Vec<String>,
    inside: Vec<String>,
}

static STORES: LazyLock<Stores> =
    LazyLock::new(|| toml::from_str(include_str!("stores.toml")).expect("stores.toml ships with the crate"));

/// The formats whose stores have a documented place, in alphabetical order.
#[must_use]
pub fn discoverable() -> Vec<&'static str> {
    let mut names: Vec<&str> = STORES.store.iter().map(|store| store.format.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// What was found of the current user's stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Files and folders that are there.
    pub there: Vec<PathBuf>,
    /// Those that are not.
    pub missing: Vec<PathBuf>,
}

/// Looks for the current user's stores: of one format, or of all.
#[must_use]
pub fn discover(format: Option<&str>) -> Discovered {
    find(
        format,
        &|name| env::var_os(name).map(PathBuf::from),
        env::home_dir().as_deref(),
    )
}

fn find(format: Option<&str>, variable: &dyn Fn(&str) -> Option<PathBuf>, home: Option<&Path>) -> Discovered {
    let mut found = Discovered::default();
    let variable = |name: &str| variable(name).filter(|value| !value.as_os_str().is_empty());
    for store in STORES
        .store
        .iter()
        .filter(|store| format.is_none_or(|format| store.format == format))
    {
        let moved = store.env.as_deref().and_then(variable);
        let homes = match moved {
            Some(moved) => vec![moved],
            None => store
                .home
                .iter()
                .filter_map(|place| expand(place, &variable, home))
                .collect(),
        };
        for place in homes {
            for inside in &store.inside {
                let path = place.join(inside);
                let list = if path.exists() {
                    &mut found.there
                } else {
                    &mut found.missing
                };
                if !list.contains(&path) {
                    list.push(path);
                }
            }
        }
    }
    found
}

/// A place with `~` or a leading variable replaced; none where the variable is not set.
fn expand(place: &str, variable: &dyn Fn(&str) -> Option<PathBuf>, home: Option<&Path>) -> Option<PathBuf> {
    if let Some(rest) = place.strip_prefix("~/") {
        return Some(home?.join(rest));
    }
    let (name, rest) = place.strip_prefix('$')?.split_once('/')?;
    Some(variable(name)?.join(rest))
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{STORES, discoverable, find};
    use crate::transcript::input_formats;

    #[test]
    fn every_store_is_of_a_format_that_is_read() {
        assert!(
            STORES
                .store
                .iter()
                .all(|store| !store.inside.is_empty() && !store.home.is_empty())
        );
        let unread: Vec<_> = discoverable()
            .into_iter()
            .filter(|name| !input_formats().contains(name))
            .collect();
        assert_eq!(unread, Vec::<&str>::new());
    }

    #[test]
    fn a_variable_moves_a_store_and_an_empty_one_does_not() {
        let home = Path::new("/home/ada");
        let with = |value: &'static str| {
            find(
                Some("codex"),
                &|name| (name == "CODEX_HOME").then(|| value.into()),
                Some(home),
            )
            .missing
        };
        let places = |root: &str| ["sessions", "archived_sessions"].map(|inside| PathBuf::from(root).join(inside));
        assert_eq!(with("/data/codex"), places("/data/codex"));
        assert_eq!(with(""), places("/home/ada/.codex"));
        assert_eq!(find(Some("codex"), &|_| None, None).missing, Vec::<PathBuf>::new());
    }

    #[test]
    fn places_below_a_variable_are_left_out_where_it_is_not_set() {
        let data = |name: &str| (name == "XDG_DATA_HOME").then(|| PathBuf::from("/data"));
        let with = find(Some("goose"), &data, Some(Path::new("/home/ada"))).missing;
        let without = find(Some("goose"), &|_| None, Some(Path::new("/home/ada"))).missing;
        assert!(with.contains(&PathBuf::from("/data/goose/sessions")));
        assert_eq!(without.len() + 1, with.len());
    }

    /// The table of `docs/formats.md`.
    fn table() -> String {
        let mut text = "| format | places | variable |\n| --- | --- | --- |\n".to_owned();
        for store in &STORES.store {
            let places = store
                .home
                .iter()
                .flat_map(|home| store.inside.iter().map(move |inside| (home, inside)));
            let places: Vec<String> = places.map(|(home, inside)| format!("`{home}/{inside}`")).collect();
            let variable = store.env.as_ref().map_or(String::new(), |name| format!("`{name}`"));
            let row = [format!("`{}`", store.format), places.join(", "), variable];
            text = text + "| " + &row.join(" | ") + " |\n";
        }
        text
    }

    #[test]
    fn the_documentation_says_where_stores_are() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/formats.md");
        let page = std::fs::read_to_string(&path).expect("docs/formats.md is there");
        let (begin, end) = ("<!-- stores -->\n", "<!-- end of stores -->");
        let (before, rest) = page.split_once(begin).expect("the page marks where the stores begin");
        let (written, after) = rest.split_once(end).expect("the page marks where the stores end");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let page = format!("{before}{begin}{}{end}{after}", table());
            std::fs::write(&path, page).expect("the page can be written");
        } else {
            assert_eq!(written, table(), "UPDATE_DOCS=1 cargo test writes the table anew");
        }
    }
}
