"""What the tests share: a shop's history, and stand-ins for messages of libraries that are not installed."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Optional

REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass
class Likeness:
    """Has what a message of LangChain has, and is none."""

    type: str
    content: Any
    id: Optional[str] = None
    name: Optional[str] = None
    tool_calls: List[Dict[str, Any]] = field(default_factory=list)
    additional_kwargs: Dict[str, Any] = field(default_factory=dict)


def human(text: Any, id: Optional[str] = None, **more: Any) -> Likeness:
    return Likeness("human", text, id, **more)


def ai(text: Any, id: Optional[str] = None, **more: Any) -> Likeness:
    return Likeness("ai", text, id, **more)


def system(text: Any, id: Optional[str] = None, **more: Any) -> Likeness:
    return Likeness("system", text, id, **more)


def remove(id: str) -> Likeness:
    return Likeness("remove", "", id)


def call(id: str, tool: str = "look_up") -> Dict[str, Any]:
    return {"id": id, "name": tool, "args": {"shelf": 3}}


@dataclass
class ToolLikeness(Likeness):
    tool_call_id: str = ""


def result(of: str, text: str, id: Optional[str] = None) -> ToolLikeness:
    return ToolLikeness("tool", text, id, tool_call_id=of)


def seeds() -> List[Any]:
    """Three turns at the counter of a garden shop."""
    return [
        human("Do you have chard seeds?", "q1"),
        ai("Yes, two kinds.", "a1"),
        human("Which is red?", "q2"),
        ai("Rhubarb chard.", "a2"),
        human("Put one bag aside.", "q3"),
    ]


def texts(messages: List[Dict[str, Any]]) -> List[Any]:
    return [message["content"] for message in messages]
