"""The plugin: the fixture, and how the program is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ctxlint
from ctxlint import _program

FAILS = """
    def test_the_question_stays(history_ok):
        before = [
            {"role": "user", "content": "Any bulbs?", "id": "q1"},
            {"role": "assistant", "content": "Yes.", "id": "a1"},
            {"role": "user", "content": "And chard?", "id": "q2"},
        ]
        history_ok(before, before)
        history_ok(before, [{"type": "remove", "id": "q2", "content": ""}])
"""


def test_the_fixture_fails_with_the_history(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(FAILS)
    done = pytester.runpytest_subprocess("-p", "ctxlint.pytest_plugin")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(
        [
            '>       history_ok(before, *"remove"*',
            "E       ctxlint.WrongHistory: error[[]displaced-question[]] the current question *",
            "E       what the model would read:",
            'E          1  user       q1  "Any bulbs?"  <- the model takes this for the current question',
            'E          3  user       q2  "And chard?"  <- lost: the model does not read it',
        ]
    )
    done.stdout.no_fnmatch_line("ctxlint*_history.py:*")


def test_the_option_names_the_program(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    program = ctxlint.find_program()
    monkeypatch.delenv("CTXLINT_BIN")
    monkeypatch.setenv("PATH", "")
    pytester.makepyfile(FAILS)
    pytester.makeini(f"[pytest]\nctxlint_bin = {os.path.relpath(program, pytester.path)}\n")
    done = pytester.runpytest_subprocess("-p", "ctxlint.pytest_plugin")
    done.stdout.fnmatch_lines(["E       *WrongHistory: *"])


def test_a_program_that_is_missing_is_named(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytester.makepyfile(FAILS)
    monkeypatch.setenv("CTXLINT_BIN", "/nowhere/ctxlint")
    done = pytester.runpytest_subprocess("-p", "ctxlint.pytest_plugin")
    done.stdout.fnmatch_lines(["*ProgramMissing: the environment variable CTXLINT_BIN names */nowhere/ctxlint, and *"])


def test_the_program_is_looked_for_beside_python_and_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ctxlint.find_program()
    monkeypatch.delenv("CTXLINT_BIN")
    monkeypatch.setattr(_program, "configured", None)
    monkeypatch.setattr(_program, "_beside", lambda: iter([tmp_path / "beside"]))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ctxlint.ProgramMissing, match="pip install ctxlint"):
        ctxlint.find_program()
    shutil.copy(program, tmp_path / _program.NAME)
    assert ctxlint.find_program() == tmp_path / _program.NAME
    (tmp_path / "beside").mkdir()
    shutil.copy(program, tmp_path / "beside" / _program.NAME)
    assert ctxlint.find_program() == tmp_path / "beside" / _program.NAME


def test_a_program_that_fails_is_no_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ctxlint.toml").write_text("nonsense = 1\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ctxlint.CtxlintError, match="nonsense"):
        ctxlint.judge_history([{"role": "user", "content": "Any bulbs?"}], [])


def test_marks_of_the_project_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = [
        {"role": "user", "content": "Any bulbs?", "id": "q1"},
        {"role": "user", "content": "Stock: 12", "name": "stocktaker", "id": "n1"},
    ]
    assert not ctxlint.judge_history(before, [{"type": "remove", "id": "n1", "content": ""}])
    (tmp_path / "ctxlint.toml").write_text('[transcripts.markers.injected]\nnames = ["stocktaker"]\n')
    monkeypatch.chdir(tmp_path)
    assert ctxlint.judge_history(before, [{"type": "remove", "id": "n1", "content": ""}])


def test_the_package_needs_no_pytest() -> None:
    code = "import sys; sys.modules['pytest'] = None; import ctxlint; print(ctxlint.fold([], 'Hello')[0]['content'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("Hello\n", "")
