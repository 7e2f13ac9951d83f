"""Where the program is, and how it is asked."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Iterator, Optional, Sequence

VARIABLE = "CTXLINT_BIN"
NAME = "ctxlint.exe" if os.name == "nt" else "ctxlint"

#: What the option `ctxlint_bin` of pytest says.
configured: Optional[Path] = None


class CtxlintError(RuntimeError):
    """The program could not do its work; not a verdict about a history."""


class ProgramMissing(CtxlintError):
    """The program is nowhere to be found."""


def find_program() -> Path:
    """The program: what `CTXLINT_BIN` names, then the option `ctxlint_bin` of pytest, then what was
    installed with this package, then what is on the path."""
    named = os.environ.get(VARIABLE)
    if named:
        return _named(Path(named), f"the environment variable {VARIABLE}")
    if configured is not None:
        return _named(configured, "the option ctxlint_bin")
    for folder in _beside():
        if (folder / NAME).is_file():
            return folder / NAME
    found = shutil.which("ctxlint")
    if found:
        return Path(found)
    raise ProgramMissing(
        "the program `ctxlint` is missing: it is neither beside this Python nor on the path. Install it with "
        f"`pip install ctxlint`, or name it in the environment variable {VARIABLE} or in pytest's option ctxlint_bin"
    )


def _named(path: Path, where: str) -> Path:
    if path.is_file():
        return path
    raise ProgramMissing(f"{where} names {path}, and there is no such program")


def _beside() -> Iterator[Path]:
    """Where an installation of this package puts programs."""
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sys.executable).parent
    # `pip install --user` and `pip install --target`.
    user = f"{os.name}_user"
    if user in sysconfig.get_scheme_names():
        yield Path(sysconfig.get_path("scripts", scheme=user))
    yield Path(__file__).resolve().parent.parent / "bin"


def ask(arguments: Sequence[str], text: str) -> str:
    """What the program prints for a text on its standard input; its findings are no failure."""
    program = find_program()
    try:
        done = subprocess.run(
            [str(program), *arguments],
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
    except OSError as error:
        raise CtxlintError(f"{program} cannot be run: {error}") from error
    if done.returncode not in (0, 1):
        said = done.stderr.strip() or f"it ended with {done.returncode}"
        raise CtxlintError(f"{program} {arguments[0]}: {said}")
    return done.stdout
