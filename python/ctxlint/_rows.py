"""The list of messages that a model would read, a line a message, as `ctxlint check` shows it."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence, Tuple

from . import _messages

#: The longest text that is shown of a message.
WIDTH = 60
ROLES = {"human": "user", "ai": "assistant"}

CURRENT = "<- the current question"
TAKEN = "<- the model takes this for the current question"
INJECTED = "<- put here by the program"
MOVED = "<- moved here"
LOST = "<- lost: the model does not read it"

Row = Tuple[str, str, str, str]


def asks(replayed: Dict[str, Any], line: int) -> bool:
    """Whether there is a question before the update that is told from `line` on."""
    return any(step["current"] for step in replayed["steps"] if step["line"] < line)


def rows(replayed: Dict[str, Any], line: int) -> str:
    """The history at the end of a replay whose last update is told from `line` on."""
    steps: List[Dict[str, Any]] = replayed["steps"]
    messages: List[Dict[str, Any]] = replayed["messages"]
    last = steps[-1] if steps else {}
    own = last if last.get("line", 0) >= line else {}
    moved = {message["at"] for message in own.get("moved", [])}
    shown: List[Row] = []
    for at, message in enumerate(messages, start=1):
        mark = ""
        if at == last.get("current"):
            mark = CURRENT
        elif at == last.get("taken_for_current"):
            # What came first is taken for the question rightly.
            mark = TAKEN if asks(replayed, line) else CURRENT
        elif at in moved:
            mark = MOVED
        elif message["kind"] in ("injected", "summary"):
            mark = INJECTED
        shown.append((message["role"], message["id"], message["text"], mark))
    # In order, so that each finds those that stood before it.
    for message in own.get("removed", []):
        if message["kind"] not in ("injected", "summary", "system", "other"):
            lost = (message["role"], message["id"], message["text"], LOST)
            shown.insert(min(message["was_at"] - 1, len(shown)), lost)
    return _aligned(shown)


def plain_rows(messages: Sequence[Any]) -> str:
    """A list of which nothing is known but what it holds."""
    shown: List[Row] = []
    for message in messages:
        fields = _messages.chat_form(message) or {}
        role = fields.get("type") or fields.get("role") or ""
        shown.append((ROLES.get(role, role), fields.get("id") or "", _messages.text_of(message), ""))
    return _aligned(shown)


def _aligned(shown: Sequence[Tuple[str, Optional[str], str, str]]) -> str:
    if not shown:
        return "   (no messages)"
    cells = [(role, name or "", f'"{_clipped(text)}"', mark) for role, name, text, mark in shown]
    wide = [max(len(row[column]) for row in cells) for column in range(3)]
    lines = (
        f"{number:>4}  {role:{wide[0]}}  {name:{wide[1]}}  {text:{wide[2]}}  {mark}".rstrip()
        for number, (role, name, text, mark) in enumerate(cells, start=1)
    )
    return "\n".join(lines)


def _clipped(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"
