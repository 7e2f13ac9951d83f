"""An editor in a few lines, around pytest-lsp's client: it keeps texts, counts versions and applies edits."""

import asyncio
import os
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features
from pygls.protocol import default_converter

# How long the server may take, in seconds, before a test fails: long, since this is no test of speed.
PATIENCE = 60


class Recorder(LanguageClient):
    """Keeps everything that is published, and what the server wants to be told of."""

    def __init__(self, *args, **options) -> None:
        super().__init__(*args, **options)
        self.published: list[types.PublishDiagnosticsParams] = []
        self.registered: list[types.Registration] = []
        self.news = asyncio.Event()


def recorder() -> Recorder:
    def publish(client: Recorder, params: types.PublishDiagnosticsParams) -> None:
        client.published.append(params)
        client.news.set()

    def register(client: Recorder, params: types.RegistrationParams) -> None:
        client.registered.extend(params.registrations)

    client = Recorder(converter_factory=default_converter)
    features = {types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish, types.CLIENT_REGISTER_CAPABILITY: register}
    register_lsp_features(client, {**DEFAULT_CLIENT_FEATURES, **features})
    return client


def capabilities(encodings=None, markdown=True, versioned=True) -> types.ClientCapabilities:
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=encodings),
        workspace=types.WorkspaceClientCapabilities(
            workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=versioned),
            did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
        ),
        text_document=types.TextDocumentClientCapabilities(
            hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.Markdown] if markdown else None),
            code_action=types.CodeActionClientCapabilities(
                is_preferred_support=True,
                code_action_literal_support=types.ClientCodeActionLiteralOptions(
                    code_action_kind=types.ClientCodeActionKindOptions(value_set=[types.CodeActionKind.QuickFix])
                ),
            ),
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True, version_support=True),
        ),
    )


class Editor:
    """What a person sees and does."""

    def __init__(self, client: Recorder, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.encoding = "utf-16"

    async def begin(self, options=None, **can) -> types.InitializeResult:
        params = types.InitializeParams(
            capabilities=capabilities(**can),
            root_uri=self.folder.as_uri(),
            workspace_folders=[types.WorkspaceFolder(uri=self.folder.as_uri(), name="work")],
            initialization_options=options,
        )
        result = await self.client.initialize_session(params)
        self.encoding = result.capabilities.position_encoding
        return result

    def uri(self, name: str) -> str:
        return name if ":" in name else (self.folder / name).as_uri()

    def on_disk(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def open(self, name: str, text: str, language: str = "python") -> None:
        self.texts[name], self.versions[name] = text, 1
        item = types.TextDocumentItem(uri=self.uri(name), language_id=language, version=1, text=text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))

    def type(self, name: str, text: str) -> int:
        """The whole text, as agreed upon. Returns its version."""
        self.texts[name] = text
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(uri=self.uri(name), version=self.versions[name])
        change = types.TextDocumentContentChangeWholeDocument(text=text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(text_document=document, content_changes=[change]))
        return self.versions[name]

    def close(self, name: str) -> None:
        document = types.TextDocumentIdentifier(uri=self.uri(name))
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(text_document=document))

    def last(self, name: str):
        about = [one for one in self.client.published if one.uri == self.uri(name)]
        return about[-1] if about else None

    async def until(self, holds):
        """Waits until something holds of what was published."""

        async def wait():
            while not holds():
                self.client.news.clear()
                await self.client.news.wait()

        await asyncio.wait_for(wait(), PATIENCE)

    async def shown(self, name: str) -> list[types.Diagnostic]:
        """What is said about the text as it is now."""

        def is_new() -> bool:
            last = self.last(name)
            return last is not None and last.version == self.versions[name]

        await self.until(is_new)
        return list(self.last(name).diagnostics)

    async def hover(self, name: str, position: types.Position):
        document = types.TextDocumentIdentifier(uri=self.uri(name))
        return await self.client.text_document_hover_async(types.HoverParams(text_document=document, position=position))

    async def actions(self, name: str, range_: types.Range, only=None) -> list[types.CodeAction]:
        params = types.CodeActionParams(
            text_document=types.TextDocumentIdentifier(uri=self.uri(name)),
            range=range_,
            context=types.CodeActionContext(diagnostics=[], only=only),
        )
        return list(await self.client.text_document_code_action_async(params) or [])

    def apply(self, name: str, action: types.CodeAction) -> None:
        """Does what an action says, in one open file, and tells the server."""
        if action.edit.document_changes:
            (change,) = action.edit.document_changes
            assert change.text_document.version == self.versions[name]
            uri, edits = change.text_document.uri, change.edits
        else:
            ((uri, edits),) = action.edit.changes.items()
        assert uri == self.uri(name)
        text = self.texts[name]
        for edit in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
            start, end = self.offset(text, edit.range.start), self.offset(text, edit.range.end)
            text = text[:start] + edit.new_text + text[end:]
        self.type(name, text)

    def offset(self, text: str, position: types.Position) -> int:
        lines = text.splitlines(keepends=True) + [""]
        before = sum(map(len, lines[: position.line]))
        units = lines[position.line].encode("utf-16-le" if self.encoding == "utf-16" else self.encoding)
        width = 2 if self.encoding == "utf-16" else 1
        return before + len(units[: position.character * width].decode("utf-16-le" if width == 2 else "utf-8"))

    def at(self, name: str, range_: types.Range) -> str:
        text = self.texts[name]
        return text[self.offset(text, range_.start) : self.offset(text, range_.end)]


@pytest_lsp.fixture(config=ClientServerConfig(server_command=[os.environ["CTXLINT_BIN"], "lsp", "--stdio"], client_factory=recorder))
async def client(lsp_client: Recorder):
    yield
    await lsp_client.shutdown_session()


@pytest.fixture
def editor(client: Recorder, tmp_path: Path) -> Editor:
    (tmp_path / ".git").mkdir()
    return Editor(client, tmp_path)
