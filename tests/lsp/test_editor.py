"""What somebody sees and does in an editor that runs `ctxlint lsp`."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

from lsprotocol import types

from agents import HEAD, LOGBOOK_HEAD, LOGBOOK_TAIL, PILOT, TAIL, TYPESCRIPT, UNORDERED


def rules(diagnostics) -> list:
    return [one.code for one in diagnostics]


async def test_a_finding_is_shown_when_a_file_is_opened(editor):
    await editor.begin()
    editor.open("agent.py", HEAD)
    (found,) = await editor.shown("agent.py")
    assert (found.code, found.source, found.severity) == ("head-scan-attach", "ctxlint", types.DiagnosticSeverity.Error)
    first, summary = found.message.split("\n")
    assert "first" in summary and first != summary
    assert editor.at("agent.py", found.range).startswith("next(m for m in")
    assert found.data["confidence"] == "high"
    assert [row["mark"] for row in found.data["counterexample"]].count("taken-for-current") == 1


async def test_a_fault_that_is_typed_is_shown_and_gone_when_it_is_mended(editor):
    await editor.begin()
    editor.on_disk("agent.py", TAIL)
    editor.open("agent.py", TAIL)
    assert await editor.shown("agent.py") == []
    editor.type("agent.py", HEAD)
    assert rules(await editor.shown("agent.py")) == ["head-scan-attach"]
    editor.type("agent.py", TAIL)
    assert await editor.shown("agent.py") == []


async def test_other_places_are_named_in_their_files(editor):
    await editor.begin()
    editor.on_disk("logbook.py", LOGBOOK_HEAD)
    editor.on_disk("pilot.py", PILOT)
    editor.open("logbook.py", LOGBOOK_HEAD)
    editor.open("pilot.py", PILOT)
    (found,) = await editor.shown("logbook.py")
    places = {(one.location.uri, one.message) for one in found.related_information}
    assert editor.uri("pilot.py") in {uri for uri, _ in places}
    assert all(message for _, message in places)


async def test_what_is_typed_in_one_file_changes_what_is_said_about_another(editor):
    await editor.begin()
    # On disk is something else: what is open goes before it.
    editor.on_disk("logbook.py", "")
    editor.on_disk("pilot.py", "")
    editor.open("logbook.py", LOGBOOK_HEAD)
    editor.open("pilot.py", PILOT.replace("entry(request.messages)", "None"))
    await editor.shown("pilot.py")
    assert await editor.shown("logbook.py") == []
    before = len(editor.client.published)
    editor.type("pilot.py", PILOT)
    await editor.shown("pilot.py")
    await editor.until(lambda: any(one.uri == editor.uri("logbook.py") for one in editor.client.published[before:]))
    assert rules(editor.last("logbook.py").diagnostics) == ["head-scan-attach"]
    editor.type("logbook.py", LOGBOOK_TAIL)
    assert await editor.shown("logbook.py") == []


async def test_who_uses_a_file_counts_though_it_is_not_open(editor):
    await editor.begin()
    editor.on_disk("logbook.py", LOGBOOK_HEAD)
    editor.open("logbook.py", LOGBOOK_HEAD)
    assert await editor.shown("logbook.py") == []
    editor.on_disk("deck/pilot.py", PILOT)
    event = types.FileEvent(uri=editor.uri("deck/pilot.py"), type=types.FileChangeType.Created)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[event]))
    await editor.until(lambda: rules(editor.last("logbook.py").diagnostics) == ["head-scan-attach"])
    (place,) = {one.location.uri for one in editor.last("logbook.py").diagnostics[0].related_information} - {editor.uri("logbook.py")}
    assert place == editor.uri("deck/pilot.py")
    (editor.folder / "deck/pilot.py").unlink()
    event = types.FileEvent(uri=editor.uri("deck/pilot.py"), type=types.FileChangeType.Deleted)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[event]))
    await editor.until(lambda: not editor.last("logbook.py").diagnostics)


async def test_a_file_that_is_saved_elsewhere_counts(editor):
    await editor.begin()
    editor.on_disk("ctxlint.toml", "")
    editor.open("agent.py", HEAD)
    assert rules(await editor.shown("agent.py")) == ["head-scan-attach"]
    (watched,) = [one.register_options for one in editor.client.registered if one.method == "workspace/didChangeWatchedFiles"]
    assert any("ctxlint" in watcher["globPattern"] for watcher in watched["watchers"])
    editor.on_disk("ctxlint.toml", 'ignore = ["head-scan-attach"]\n')
    event = types.FileEvent(uri=editor.uri("ctxlint.toml"), type=types.FileChangeType.Changed)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams(changes=[event]))
    await editor.until(lambda: not editor.last("agent.py").diagnostics)


async def test_hover_shows_what_the_model_reads_above_the_page(editor):
    await editor.begin()
    editor.open("agent.py", HEAD)
    (found,) = await editor.shown("agent.py")
    hover = await editor.hover("agent.py", found.range.start)
    assert hover.contents.kind == types.MarkupKind.Markdown
    text = hover.contents.value
    assert text.index("**head-scan-attach**") < text.index("the model takes this for the question") < text.index("A search that starts at the oldest message")
    assert "title=" not in text and "error: [" not in text
    assert await editor.hover("agent.py", types.Position(line=0, character=0)) is None


async def test_hover_is_plain_where_the_editor_shows_no_markdown(editor):
    await editor.begin(markdown=False)
    editor.open("agent.py", HEAD)
    (found,) = await editor.shown("agent.py")
    hover = await editor.hover("agent.py", found.range.start)
    assert hover.contents.kind == types.MarkupKind.PlainText
    assert hover.contents.value.startswith("head-scan-attach: ")


async def test_a_safe_fix_is_preferred_and_mends(editor):
    await editor.begin()
    editor.open("agent.py", UNORDERED)
    (found,) = await editor.shown("agent.py")
    assert found.code == "unordered-prefix"
    fix, *others = await editor.actions("agent.py", found.range)
    assert fix.title == "Sort the items" and fix.is_preferred and fix.kind == types.CodeActionKind.QuickFix
    assert not any(other.is_preferred for other in others)
    editor.apply("agent.py", fix)
    assert editor.texts["agent.py"] == UNORDERED.replace("ships(berths))", "sorted(ships(berths)))")
    assert await editor.shown("agent.py") == []


async def test_a_fix_that_changes_what_the_program_does_says_so(editor):
    await editor.begin(versioned=False)
    editor.open("agent.py", HEAD)
    (found,) = await editor.shown("agent.py")
    fix, _ = await editor.actions("agent.py", found.range)
    assert fix.title == "Search from the newest message (changes what the program does)" and not fix.is_preferred
    assert fix.edit.document_changes is None
    editor.apply("agent.py", fix)
    assert editor.texts["agent.py"] == TAIL
    assert await editor.shown("agent.py") == []


async def test_ignore_here_silences_one_rule_at_one_place(editor):
    await editor.begin()
    editor.open("agent.py", HEAD.replace("\n", "\r\n"))
    (found,) = await editor.shown("agent.py")
    (ignore,) = [one for one in await editor.actions("agent.py", found.range) if one.title.startswith("Ignore")]
    editor.apply("agent.py", ignore)
    assert "\r\n    # ctxlint: ignore[head-scan-attach]\r\n    question = " in editor.texts["agent.py"]
    assert await editor.shown("agent.py") == []


async def test_other_kinds_of_actions_are_not_offered(editor):
    await editor.begin()
    editor.open("agent.py", HEAD)
    (found,) = await editor.shown("agent.py")
    assert await editor.actions("agent.py", found.range, only=[types.CodeActionKind.Refactor]) == []
    assert len(await editor.actions("agent.py", found.range, only=[types.CodeActionKind.QuickFix])) == 2
    elsewhere = types.Range(start=types.Position(line=0, character=0), end=types.Position(line=0, character=3))
    assert await editor.actions("agent.py", elsewhere) == []


async def test_of_many_fast_edits_the_last_one_counts(editor):
    await editor.begin()
    editor.open("agent.py", TAIL)
    for number in range(60):
        editor.type("agent.py", (HEAD if number % 2 else TAIL) + f"\n# {number}\n")
        await asyncio.sleep(0.01 * (number % 4))
    last = editor.type("agent.py", "\n" + HEAD)
    (found,) = await editor.shown("agent.py")
    assert found.range.start.line == 5
    # Requests are answered for the text as it is, so nothing is under way behind this answer.
    assert await editor.hover("agent.py", found.range.start) is not None
    versions = [one.version for one in editor.client.published if one.uri == editor.uri("agent.py")]
    assert versions == sorted(versions) and versions[-1] == last
    assert rules(editor.last("agent.py").diagnostics) == ["head-scan-attach"]


async def test_columns_behind_an_emoji_count_units_of_utf_16(editor):
    await editor.begin()
    text = HEAD.replace("    question = next(", '    "⚓🌊"; question = next(')
    editor.open("agent.py", text)
    (found,) = await editor.shown("agent.py")
    assert found.range.start == types.Position(line=4, character=len('    "⚓🌊"; question = ') + 1)
    fix, *_ = await editor.actions("agent.py", found.range)
    editor.apply("agent.py", fix)
    assert editor.texts["agent.py"] == text.replace(HEAD[HEAD.index("next("):HEAD.index("found")], TAIL[TAIL.index("next("):TAIL.index("found")])
    assert await editor.shown("agent.py") == []


async def test_columns_count_bytes_where_both_sides_can(editor):
    result = await editor.begin(encodings=["utf-8", "utf-16"])
    assert result.capabilities.position_encoding == "utf-8"
    editor.open("agent.py", HEAD.replace("    question = next(", '    "⚓🌊"; question = next('))
    (found,) = await editor.shown("agent.py")
    assert found.range.start.character == len('    "⚓🌊"; question = '.encode())


async def test_lines_that_end_as_on_windows(editor):
    await editor.begin()
    editor.open("agent.py", UNORDERED.replace("\n", "\r\n"))
    (found,) = await editor.shown("agent.py")
    fix, *_ = await editor.actions("agent.py", found.range)
    editor.apply("agent.py", fix)
    assert editor.texts["agent.py"] == UNORDERED.replace("ships(berths))", "sorted(ships(berths)))").replace("\n", "\r\n")
    assert await editor.shown("agent.py") == []


async def test_a_byte_order_mark_moves_nothing(editor):
    await editor.begin()
    editor.open("agent.py", "\ufeff" + HEAD)
    (found,) = await editor.shown("agent.py")
    assert editor.at("agent.py", found.range).startswith("next(m for m in")


async def test_other_languages(editor):
    await editor.begin()
    editor.open("agent.ts", TYPESCRIPT, "typescript")
    assert rules(await editor.shown("agent.ts")) == ["head-scan-attach"]


async def test_settings_of_the_project_hold(editor):
    await editor.begin()
    editor.on_disk("ctxlint.toml", 'exclude = ["old/"]\n[rules.head-scan-attach]\nseverity = "warn"\n')
    editor.open("agent.py", HEAD)
    (found,) = await editor.shown("agent.py")
    assert found.severity == types.DiagnosticSeverity.Warning
    editor.open("old/agent.py", HEAD)
    assert await editor.shown("old/agent.py") == []


async def test_settings_of_the_editor_hold(editor):
    editor.on_disk("quiet.toml", 'ignore = ["head-scan-attach"]\n')
    await editor.begin(options={"config": "quiet.toml", "colour": "red"})
    editor.open("agent.py", HEAD)
    assert await editor.shown("agent.py") == []
    # Editors send the settings of others too, or none: those from the beginning hold.
    for settings in [{}, {"python": {"config": ""}}, None]:
        editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=settings))
    editor.type("agent.py", "\n" + HEAD)
    assert await editor.shown("agent.py") == []
    settings = {"ctxlint": {"config": "", "minConfidence": "high"}}
    editor.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings=settings))
    await editor.until(lambda: rules(editor.last("agent.py").diagnostics) == ["head-scan-attach"])


async def test_a_configuration_that_cannot_be_read_is_told_once(editor):
    await editor.begin()
    editor.on_disk("ctxlint.toml", "ignore = 3\n")
    editor.open("agent.py", HEAD)
    assert await editor.shown("agent.py") == []
    editor.type("agent.py", "\n" + HEAD)
    assert await editor.shown("agent.py") == []
    (message,) = editor.client.messages
    assert "ctxlint.toml" in message.message and message.type == types.MessageType.Error


async def test_a_baseline_hides_what_is_known(editor):
    await editor.begin()
    editor.on_disk("agent.py", HEAD)
    editor.open("agent.py", HEAD)
    (found,) = await editor.shown("agent.py")
    known = {"rule": found.code, "path": "agent.py", "fingerprint": found.data["fingerprint"]}
    editor.on_disk("known.json", json.dumps({"version": 1, "findings": [known]}))
    editor.on_disk("ctxlint.toml", 'baseline = "known.json"\n')
    editor.type("agent.py", "\n" + HEAD)
    assert await editor.shown("agent.py") == []


async def test_what_is_closed_is_said_nothing_about(editor):
    await editor.begin()
    editor.open("agent.py", HEAD)
    assert await editor.shown("agent.py")
    editor.close("agent.py")
    await editor.until(lambda: not editor.last("agent.py").diagnostics)


async def test_an_editor_shows_what_check_finds(editor):
    await editor.begin()
    examples = Path(__file__).parents[2] / "examples"
    for path in examples.rglob("*.py"):
        editor.on_disk(str(path.relative_to(examples)), path.read_text())
    editor.on_disk("deck/pilot.py", PILOT)
    editor.on_disk("deck/logbook.py", LOGBOOK_HEAD)
    command = [os.environ["CTXLINT_BIN"], "check", "--no-cache", "--format", "json", "."]
    done = subprocess.run(command, cwd=editor.folder, capture_output=True, text=True)
    checked: dict[str, list] = {}
    for one in json.loads(done.stdout)["findings"]:
        place = (one["start"]["line"] - 1, one["start"]["column"] - 1)
        checked.setdefault(one["path"], []).append((one["rule"], one["message"], one["fingerprint"], *place))
    assert len(checked) > 1
    for path in editor.folder.rglob("*.py"):
        name = str(path.relative_to(editor.folder))
        editor.open(name, path.read_text())
        shown = await editor.shown(name)
        # One file is open at a time, so that its finding does not hang on another that is open.
        editor.close(name)
        said = [(one.code, one.message.split("\n")[0], one.data["fingerprint"], one.range.start.line, one.range.start.character) for one in shown]
        assert sorted(said) == sorted(checked.get(name, [])), name
