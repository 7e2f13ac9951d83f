"""The pytest plugin: where the program is, and a fixture."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest

from . import _program
from ._history import assert_history_ok


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("ctxlint_bin", "the program ctxlint, if it is not installed with the package or on the path")


def pytest_configure(config: pytest.Config) -> None:
    named = config.getini("ctxlint_bin")
    # Beside the file that says it, as other paths of pytest.
    folder = config.inipath.parent if config.inipath else config.rootpath
    _program.configured = folder / Path(named) if named else None


def pytest_unconfigure() -> None:
    _program.configured = None


@pytest.fixture(scope="session")
def history_ok() -> Callable[..., object]:
    """`ctxlint.assert_history_ok`: folds an update and fails if the history is not in order any more."""
    return assert_history_ok
