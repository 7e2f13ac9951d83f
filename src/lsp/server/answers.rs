//! Requests about a text: answered when it was analysed as it is now.

use lsp_server::{ErrorCode, RequestId, Response};
use lsp_types::request::{self, Request as _};
use lsp_types::{
    CodeAction, CodeActionParams, Hover, HoverContents, HoverParams, MarkupContent, MarkupKind, NumberOrString, Range,
    Uri,
};
use serde_json::json;

use super::super::actions;
use super::super::diagnostics::Shown;
use super::Server;

impl Server {
    /// Answers what waits, if the texts are those that were analysed.
    pub(super) fn answer(&mut self) {
        if self.due.is_some() || self.running.is_some() {
            return;
        }
        for request in std::mem::take(&mut self.waiting) {
            let id = request.id.clone();
            let result = match request.method.as_str() {
                request::HoverRequest::METHOD => {
                    serde_json::from_value(request.params).map(|params| json!(self.hover(&params)))
                }
                _ => serde_json::from_value(request.params).map(|params| json!(self.actions(&params))),
            };
            self.send(match result {
                Ok(result) => Response::new_ok(id, result),
                Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
            });
        }
    }

    pub(super) fn cancel(&mut self, id: NumberOrString) {
        let id = match id {
            NumberOrString::Number(number) => RequestId::from(number),
            NumberOrString::String(text) => RequestId::from(text),
        };
        // What was answered already cannot be taken back.
        if let Some(at) = self.waiting.iter().position(|request| request.id == id) {
            let request = self.waiting.remove(at);
            self.send(canceled(request.id));
        }
    }

    fn shown(&self, uri: &Uri) -> &[Shown] {
        self.documents
            .get(uri)
            .and_then(|document| document.shown.as_deref())
            .unwrap_or_default()
    }

    fn hover(&self, params: &HoverParams) -> Option<Hover> {
        let at = &params.text_document_position_params;
        let here = |one: &&Shown| {
            let range = one.diagnostic.range;
            range.start <= at.position && at.position < range.end
        };
        let here: Vec<&Shown> = self.shown(&at.text_document.uri).iter().filter(here).collect();
        let range = here.first()?.diagnostic.range;
        let texts: Vec<&str> = here.iter().map(|one| &*one.hover).collect();
        let kind = if self.client.markdown {
            MarkupKind::Markdown
        } else {
            MarkupKind::PlainText
        };
        let value = texts.join("\n\n");
        Some(Hover {
            contents: HoverContents::Markup(MarkupContent { kind, value }),
            range: Some(range),
        })
    }

    fn actions(&self, params: &CodeActionParams) -> Vec<CodeAction> {
        let only = params.context.only.as_ref();
        // Kinds are paths: who asks for a part asks for what is under it.
        let is_wanted = only.is_none_or(|kinds| kinds.iter().any(|kind| matches!(kind.as_str(), "" | "quickfix")));
        let here = |one: &&Shown| meet(one.diagnostic.range, params.range);
        let shown = self
            .shown(&params.text_document.uri)
            .iter()
            .filter(|one| is_wanted && here(one));
        let versioned = self.client.versioned_edits;
        shown
            .flat_map(|one| {
                one.actions
                    .iter()
                    .map(move |action| actions::code_action(action, one, versioned))
            })
            .collect()
    }
}

/// Whether two ranges have a place in common; an empty one is a place.
fn meet(one: Range, other: Range) -> bool {
    one.start <= other.end && other.start <= one.end
}

pub(super) fn canceled(id: RequestId) -> Response {
    Response::new_err(id, ErrorCode::RequestCanceled as i32, "canceled".to_owned())
}
