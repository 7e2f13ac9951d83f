"""Tests that fold: what an update makes of a history, judged by ctxlint.

    from ctxlint import assert_history_ok

    assert_history_ok(before, update)

folds `update` into `before` through the reducer of the graph and fails, with the history that the model
would read, when the current question is not the last one any more, when messages changed their order, or
when a tool call stands without its result. The program `ctxlint` does the work; this package calls it.
"""

from ._history import Finding, History, WrongHistory, assert_history_ok, fold, judge_history
from ._program import CtxlintError, ProgramMissing, find_program

__all__ = [
    "CtxlintError",
    "Finding",
    "History",
    "ProgramMissing",
    "WrongHistory",
    "assert_history_ok",
    "find_program",
    "fold",
    "judge_history",
]

# What is raised is told by the name that tests import it by.
for _raised in (CtxlintError, ProgramMissing, WrongHistory):
    _raised.__module__ = __name__
