//! What an editor can do, and what it wants.
//!
//! Read leniently: an editor that says something strange about one thing is still served.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use serde_json::Value;

use super::position::Encoding;
use super::{Given, uri};
use crate::finding::Confidence;

/// An editor.
#[derive(Clone, Debug, Default)]
pub(super) struct Client {
    pub(super) encoding: Encoding,
    /// Whether it shows Markdown where the pointer stands.
    pub(super) markdown: bool,
    /// Whether its edits name the version of a document that they are for.
    pub(super) versioned_edits: bool,
    /// Whether it shows other places beside a diagnostic.
    pub(super) related: bool,
    /// Whether it may be asked to watch files.
    pub(super) watches: bool,
    /// The folders that are open in it.
    pub(super) folders: Vec<PathBuf>,
    pub(super) settings: Settings,
}

/// What somebody has set for ctxlint in an editor, over the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// The configuration of every project.
    pub(super) config: Option<PathBuf>,
    /// Whether no configuration is read.
    pub(super) isolated: bool,
    /// Findings under it are hidden, whatever the configuration says.
    pub(super) min_confidence: Option<Confidence>,
}

impl Client {
    /// The editor that these parameters of `initialize` come from.
    pub(super) fn of(params: &Value, given: &Given) -> Self {
        let capability = |at: &str| params.pointer(&format!("/capabilities/{at}"));
        let can = |at: &str| capability(at).and_then(Value::as_bool).unwrap_or_default();
        let texts = |value: Option<&Value>| -> Vec<String> {
            let all = value.and_then(Value::as_array).into_iter().flatten();
            all.filter_map(|one| one.as_str().map(str::to_owned)).collect()
        };
        let encodings = texts(capability("general/positionEncodings"));
        let formats = texts(capability("textDocument/hover/contentFormat"));
        let folders = params.get("workspaceFolders").and_then(Value::as_array);
        let mut folders: Vec<PathBuf> = folders
            .into_iter()
            .flatten()
            .filter_map(|folder| path(folder.get("uri")?))
            .collect();
        if folders.is_empty() {
            folders.extend(params.get("rootUri").and_then(path));
        }
        let settings = Settings::of(params.get("initializationOptions"), given, &folders);
        Self {
            // Bytes are counted fastest; who offers them prefers them.
            encoding: if encodings.iter().any(|one| one == "utf-8") {
                Encoding::Utf8
            } else {
                encodings
                    .iter()
                    .find_map(|one| Encoding::named(one))
                    .unwrap_or_default()
            },
            markdown: formats.iter().any(|format| format == "markdown"),
            versioned_edits: can("workspace/workspaceEdit/documentChanges"),
            related: can("textDocument/publishDiagnostics/relatedInformation"),
            watches: can("workspace/didChangeWatchedFiles/dynamicRegistration"),
            folders,
            settings,
        }
    }
}

impl Settings {
    /// The settings in a value, which may stand under the name of the program; what is not known is told and left out.
    pub(super) fn of(value: Option<&Value>, given: &Given, folders: &[PathBuf]) -> Self {
        let mut settings = Self {
            config: given.config.clone(),
            isolated: given.isolated,
            min_confidence: None,
        };
        let value = value.map(|value| value.get("ctxlint").unwrap_or(value));
        let Some(Value::Object(fields)) = value else {
            return settings;
        };
        for (name, value) in fields {
            match (name.as_str(), value) {
                (_, Value::Null) => {}
                ("config", Value::String(path)) if path.is_empty() => {}
                ("config", Value::String(path)) => {
                    let folder = folders.first().map_or(Path::new(""), PathBuf::as_path);
                    settings.config = Some(folder.join(path));
                    settings.isolated = false;
                }
                ("minConfidence", Value::String(word)) if Confidence::parse(word).is_some() => {
                    settings.min_confidence = Confidence::parse(word);
                }
                ("config" | "minConfidence", value) => super::log(&format!(
                    "the setting {name} cannot be {value}; config is the path of a file, minConfidence is high, medium or low"
                )),
                _ => super::log(&format!(
                    "there is no setting {name}; config and minConfidence are known"
                )),
            }
        }
        settings
    }
}

fn path(uri: &Value) -> Option<PathBuf> {
    uri::path_of(&Uri::from_str(uri.as_str()?).ok()?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_editor_that_says_nothing_is_served_as_the_protocol_has_it() {
        for params in [
            json!({}),
            json!(null),
            json!({"capabilities": [], "workspaceFolders": 3, "initializationOptions": []}),
        ] {
            let client = Client::of(&params, &Given::default());
            assert_eq!(client.encoding, Encoding::Utf16);
            assert!(!client.markdown && !client.versioned_edits && !client.watches);
            assert_eq!(client.settings, Settings::default());
        }
    }

    #[test]
    fn of_the_encodings_on_offer_bytes_are_taken() {
        let taken = |offer: Value| {
            let params = json!({"capabilities": {"general": {"positionEncodings": offer}}});
            Client::of(&params, &Given::default()).encoding
        };
        assert_eq!(taken(json!(["utf-16", "utf-8"])), Encoding::Utf8);
        assert_eq!(taken(json!(["utf-32", "utf-16"])), Encoding::Utf32);
        assert_eq!(taken(json!(["utf-7"])), Encoding::Utf16);
    }

    #[test]
    fn settings_of_an_editor_go_before_the_command_line() {
        let given = Given {
            config: Some(PathBuf::from("/given.toml")),
            isolated: false,
        };
        let folders = [PathBuf::from("/work")];
        let of = |value: Value| Settings::of(Some(&value), &given, &folders);
        assert_eq!(of(json!({})).config, Some(PathBuf::from("/given.toml")));
        let set = of(json!({"ctxlint": {"config": "strict.toml", "minConfidence": "low", "colour": "red"}}));
        assert_eq!(set.config, Some(folders[0].join("strict.toml")));
        assert_eq!(set.min_confidence, Some(Confidence::Low));
        let wrong = of(json!({"config": 3, "minConfidence": "sure"}));
        assert_eq!(wrong.config, Some(PathBuf::from("/given.toml")));
        assert_eq!(wrong.min_confidence, None);
    }
}
