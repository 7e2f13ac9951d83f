//! What can be done about a finding: mend it, or say that it is wanted.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit,
    TextEdit, Uri, WorkspaceEdit,
};

use super::diagnostics::{Shown, Texts};
use super::documents::Document;
use super::position::Lines;
use crate::code;
use crate::finding::Finding;
use crate::fix;
use crate::mend::{Applicability, Edit};

/// Edits of one open file.
#[derive(Clone, Debug)]
pub(super) struct Action {
    title: String,
    is_preferred: bool,
    uri: Uri,
    version: i32,
    edits: Vec<TextEdit>,
}

/// What can be done about a finding in a document, best first.
pub(super) fn of(finding: &Finding, document: &Document, texts: &Texts<'_>, lines: &Lines<'_>) -> Vec<Action> {
    let mut actions = Vec::new();
    actions.extend(mend(finding, texts));
    actions.extend(ignore(finding, document, lines));
    actions
}

/// The edits that mend it, where the file that they are for is open: what is not open has no version that an editor could
/// hold them against.
fn mend(finding: &Finding, texts: &Texts<'_>) -> Option<Action> {
    let fix = finding.fix.as_ref()?;
    let document = texts.document(&fix.path)?;
    // As `--fix` does, a fix that breaks the code is not offered.
    if !code::parses(&document.path, &fix::applied(&document.text, &fix.edits)) {
        return None;
    }
    let lines = Lines::of(&document.text, document.marked, texts.client().encoding);
    let is_safe = fix.applicability == Applicability::Safe;
    let warning = if is_safe {
        ""
    } else {
        " (changes what the program does)"
    };
    Some(Action {
        title: format!("{}{warning}", capitalised(fix.title)),
        is_preferred: is_safe,
        uri: document.uri.clone(),
        version: document.version,
        edits: fix.edits.iter().map(|edit| text_edit(edit, &lines)).collect(),
    })
}

/// An ignore comment above it. The reason is for the person to write.
fn ignore(finding: &Finding, document: &Document, lines: &Lines<'_>) -> Option<Action> {
    if finding.rule().is_housekeeping() {
        return None;
    }
    let marker = code::comment_marker(&document.path)?;
    let id = finding.rule().id();
    let edit = fix::ignore(&document.text, finding.span().start.line, marker, id, "")?;
    Some(Action {
        title: format!("Ignore {id} here"),
        is_preferred: false,
        uri: document.uri.clone(),
        version: document.version,
        edits: vec![text_edit(&edit, lines)],
    })
}

fn text_edit(edit: &Edit, lines: &Lines<'_>) -> TextEdit {
    TextEdit::new(lines.range(edit.start, edit.end), edit.replacement.clone())
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// As the protocol has it.
pub(super) fn code_action(action: &Action, about: &Shown, versioned: bool) -> CodeAction {
    CodeAction {
        title: action.title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![about.diagnostic.clone()]),
        edit: Some(workspace_edit(action, versioned)),
        is_preferred: action.is_preferred.then_some(true),
        ..CodeAction::default()
    }
}

fn workspace_edit(action: &Action, versioned: bool) -> WorkspaceEdit {
    if !versioned {
        // The protocol's type has such a map, keyed by a name that nobody changes.
        #[allow(clippy::mutable_key_type)]
        let changes = HashMap::from([(action.uri.clone(), action.edits.clone())]);
        return WorkspaceEdit::new(changes);
    }
    let edit = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: action.uri.clone(),
            version: Some(action.version),
        },
        edits: action.edits.iter().cloned().map(OneOf::Left).collect(),
    };
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(vec![edit])),
        ..WorkspaceEdit::default()
    }
}
