//! What the server can do, as it tells an editor.

use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions,
};
use serde_json::{Value, json};

use super::super::client::Client;

pub(super) fn of(client: &Client) -> ServerCapabilities {
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::FULL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                include_text: Some(false),
            })),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(true.into()),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        ..ServerCapabilities::default()
    }
}

/// The files that an editor is asked to watch: those that are read, and those that say how.
pub(super) fn watchers() -> Value {
    let globs = [
        "**/*.{py,rs,ts,tsx,mts,cts,js,jsx,mjs,cjs}",
        "**/{ctxlint,pyproject}.toml",
    ];
    let watchers = globs.map(|glob| json!({ "globPattern": glob }));
    json!({ "watchers": watchers })
}
