//! What an editor tells.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lsp_server::{Notification, Request, RequestId};
use lsp_types::notification::{self, Notification as _};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CancelParams, DidChangeConfigurationParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, PublishDiagnosticsParams, Uri,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::super::analysis::Stale;
use super::super::client::{Client, Settings};
use super::super::{log, uri};
use super::{PAUSE, Server, capabilities};

impl Server {
    pub(super) fn notified(&mut self, message: Notification) {
        match message.method.as_str() {
            notification::Initialized::METHOD => self.watch(),
            notification::DidOpenTextDocument::METHOD => {
                if let Some(DidOpenTextDocumentParams { text_document: one }) = read(message) {
                    self.set(one.uri, one.version, &one.text, Duration::ZERO);
                }
            }
            notification::DidChangeTextDocument::METHOD => {
                let params = read::<DidChangeTextDocumentParams>(message);
                // Whole texts were agreed upon; the last one holds.
                let last =
                    params.and_then(|params| Some((params.text_document, params.content_changes.into_iter().last()?)));
                if let Some((document, change)) = last.filter(|(_, change)| change.range.is_none()) {
                    self.set(document.uri, document.version, &change.text, PAUSE);
                }
            }
            notification::DidSaveTextDocument::METHOD => {
                if let Some(DidSaveTextDocumentParams { text_document, .. }) = read(message) {
                    self.changed([text_document.uri]);
                }
            }
            notification::DidCloseTextDocument::METHOD => {
                if let Some(DidCloseTextDocumentParams { text_document }) = read(message) {
                    self.close(text_document.uri);
                }
            }
            notification::DidChangeWatchedFiles::METHOD => {
                if let Some(DidChangeWatchedFilesParams { changes }) = read(message) {
                    self.changed(changes.into_iter().map(|change| change.uri));
                }
            }
            notification::DidChangeConfiguration::METHOD => {
                if let Some(DidChangeConfigurationParams { settings }) = read(message) {
                    self.set_up(&settings);
                }
            }
            notification::Cancel::METHOD => {
                if let Some(CancelParams { id }) = read(message) {
                    self.cancel(id);
                }
            }
            // Notifications that are not known may be ignored.
            _ => {}
        }
    }

    /// Asks to be told when files change that nobody has open.
    fn watch(&self) {
        if !self.client.watches {
            return;
        }
        let registration = json!({
            "id": "files",
            "method": notification::DidChangeWatchedFiles::METHOD,
            "registerOptions": capabilities::watchers(),
        });
        let params = json!({ "registrations": [registration] });
        let id = RequestId::from("watch".to_owned());
        self.send(Request::new(id, request::RegisterCapability::METHOD.to_owned(), params));
    }

    fn set(&mut self, uri: Uri, version: i32, text: &str, pause: Duration) {
        if let Some(path) = self.documents.set(uri, version, text) {
            self.touch(Stale::Files(vec![path]), pause);
        }
    }

    fn close(&mut self, uri: Uri) {
        let Some(document) = self.documents.remove(&uri) else {
            return;
        };
        self.notify::<notification::PublishDiagnostics>(PublishDiagnosticsParams::new(uri, Vec::new(), None));
        // For the others the text on disk holds from here on.
        self.touch(Stale::Files(vec![document.path]), PAUSE);
    }

    /// Files have changed on disk. Of those that are open the text in the editor holds.
    fn changed(&mut self, uris: impl IntoIterator<Item = Uri>) {
        let others = uris.into_iter().filter(|uri| self.documents.get(uri).is_none());
        let paths: Vec<PathBuf> = others.filter_map(|uri| uri::path_of(&uri)).collect();
        // What a configuration says may be about files anywhere.
        if paths
            .iter()
            .any(|path| path.extension().is_some_and(|extension| extension == "toml"))
        {
            self.touch(Stale::Everything, PAUSE);
        } else if !paths.is_empty() {
            self.touch(Stale::Files(paths), PAUSE);
        }
    }

    /// Settings have changed. Some editors send those of others, or none, to say that there may be some.
    fn set_up(&mut self, settings: &Value) {
        let Some(own) = settings.get("ctxlint") else { return };
        let mut client = Client::clone(&self.client);
        client.settings = Settings::of(Some(own), &self.given, &client.folders);
        if client.settings != self.client.settings {
            self.client = Arc::new(client);
            self.touch(Stale::Everything, Duration::ZERO);
        }
    }
}

/// The parameters of a notification. One that makes no sense is told and left out.
fn read<T: DeserializeOwned>(message: Notification) -> Option<T> {
    let params = serde_json::from_value(message.params);
    params
        .map_err(|error| log(&format!("{} makes no sense: {error}", message.method)))
        .ok()
}
