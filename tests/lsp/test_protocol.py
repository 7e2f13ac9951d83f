"""What the server does with an editor that is not at its best."""

import asyncio
import json
import os
import subprocess

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from agents import HEAD

PROGRAM = [os.environ["CTXLINT_BIN"], "lsp"]


def framed(message) -> bytes:
    body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def request(id_, method, params=None) -> bytes:
    return framed({"id": id_, "method": method, "params": params})


INITIALIZE = request(1, "initialize", {"capabilities": {}}) + framed({"method": "initialized", "params": {}})
END = request(9, "shutdown") + framed({"method": "exit"})


def spoken(said: bytes) -> tuple:
    """Says something to a new server, and nothing more. Returns its answers by their ids, and its exit status."""
    done = subprocess.run(PROGRAM, input=said, capture_output=True, timeout=60)
    assert b"panicked" not in done.stderr, done.stderr
    answers, rest = {}, done.stdout
    while rest:
        head, rest = rest.split(b"\r\n\r\n", 1)
        length = int(head.split(b": ")[1])
        message = json.loads(rest[:length])
        answers[message.get("id")] = message
        rest = rest[length:]
    return answers, done.returncode


def test_a_session_that_ends_in_order():
    answers, status = spoken(INITIALIZE + END)
    assert answers[1]["result"]["serverInfo"]["name"] == "ctxlint"
    assert answers[1]["result"]["capabilities"]["positionEncoding"] == "utf-16"
    assert answers[9]["result"] is None
    assert status == 0


@pytest.mark.parametrize("end", [b"", framed({"method": "exit"})])
def test_an_editor_that_leaves_without_a_word(end):
    assert spoken(INITIALIZE + end)[1] == 1
    assert spoken(end)[1] == 1


def test_requests_before_the_beginning_and_after_the_end():
    answers, status = spoken(request(2, "textDocument/hover") + INITIALIZE + request(3, "initialize") + request(8, "shutdown") + request(4, "textDocument/hover") + framed({"method": "exit"}))
    assert (answers[2]["error"]["code"], answers[3]["error"]["code"], answers[4]["error"]["code"]) == (-32002, -32600, -32600)
    assert status == 0


@pytest.mark.parametrize(
    "broken",
    [
        framed(b"{"),
        framed(b"\xff\xfe"),
        framed(b"[]"),
        framed({"method": "textDocument/didOpen", "params": {"textDocument": 3}}),
        framed({"method": "textDocument/didChange", "params": {"textDocument": {"uri": "::", "version": 1}, "contentChanges": []}}),
        framed({"method": "$/cancelRequest", "params": {"id": 5}}),
        framed({"method": "nobody/knows", "params": None}),
        b"Content-Length: x\r\n\r\n",
        b"\r\nGET / HTTP/1.1\r\n\r\n",
    ],
)
def test_what_makes_no_sense_is_survived(broken):
    answers, status = spoken(INITIALIZE + broken + request(5, "nobody/knows") + request(6, "textDocument/hover", []) + END)
    assert (answers[5]["error"]["code"], answers[6]["error"]["code"]) == (-32601, -32602)
    assert status == 0


def test_a_broken_request_is_answered():
    answers, _ = spoken(INITIALIZE + framed(b'{"jsonrpc": "2.0", "id": 5, "method": 7}') + END)
    assert answers[5]["error"]["code"] == -32600


async def test_files_that_are_not_read_and_files_that_are_not_there(editor):
    await editor.begin()
    editor.open("notes.md", "# Notes", "markdown")
    editor.open("untitled:Untitled-1", HEAD)
    editor.on_disk("gone.py", HEAD)
    editor.open("gone.py", HEAD)
    (editor.folder / "gone.py").unlink()
    editor.open("folder/of/nobody.py", HEAD)
    assert len(await editor.shown("gone.py")) == 1
    assert len(await editor.shown("folder/of/nobody.py")) == 1
    editor.type("gone.py", "\n" + HEAD)
    assert len(await editor.shown("gone.py")) == 1
    assert {one.uri for one in editor.client.published} == {editor.uri("gone.py"), editor.uri("folder/of/nobody.py")}


async def test_a_file_outside_of_any_project(editor, tmp_path_factory):
    await editor.begin()
    editor.folder = tmp_path_factory.mktemp("elsewhere")
    editor.open("agent.py", HEAD)
    assert len(await editor.shown("agent.py")) == 1


async def test_texts_that_are_no_code(editor):
    await editor.begin()
    editor.open("agent.py", HEAD)
    for text in ["", "\0", "def (:\n" * 50, "(" * 20_000, "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "x = '" + "y" * 5_000_000 + "'"]:
        editor.type("agent.py", text)
        await editor.shown("agent.py")
    editor.type("agent.py", HEAD)
    assert len(await editor.shown("agent.py")) == 1


async def test_a_request_that_is_canceled_is_answered(editor):
    await editor.begin()
    editor.open("agent.py", HEAD)
    document = types.TextDocumentIdentifier(uri=editor.uri("agent.py"))
    params = types.HoverParams(text_document=document, position=types.Position(line=4, character=15))
    # It waits for the text that has just changed, and is canceled while it does.
    editor.type("agent.py", "\n" + HEAD)
    waiting = editor.client.protocol.send_request("textDocument/hover", params, msg_id="wanted")
    editor.client.protocol.notify("$/cancelRequest", types.CancelParams(id="wanted"))
    with pytest.raises(JsonRpcException) as error:
        await asyncio.wrap_future(waiting)
    assert error.value.code == -32800
