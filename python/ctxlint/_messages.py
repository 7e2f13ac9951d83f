"""Messages in whatever form a test has them, as JSON.

Messages of LangChain are known by what they have, not by their class: nothing is imported.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Dict, List, Optional, Tuple

#: What is kept of a message object, where it is set.
FIELDS = ("name", "tool_calls", "tool_call_id", "additional_kwargs")

CHUNKS = {
    "AIMessageChunk": "ai",
    "ChatMessageChunk": "chat",
    "FunctionMessageChunk": "function",
    "HumanMessageChunk": "human",
    "SystemMessageChunk": "system",
    "ToolMessageChunk": "tool",
}


class Written:
    """What an update writes to a history."""

    def __init__(self, messages: Any, overwrites: bool) -> None:
        self.messages = messages
        self.overwrites = overwrites


def history_of(value: Any, key: str) -> List[Any]:
    """The messages of a history: a list, a state with the list under `key`, or an object with such a field."""
    if value is None:
        return []
    if isinstance(value, Mapping) and key in value:
        value = value[key]
    elif not isinstance(value, (list, tuple)) and not is_message(value) and hasattr(value, key):
        value = getattr(value, key)
    if isinstance(value, (list, tuple)):
        return list(value)
    raise TypeError(f"a history is a list of messages, or a state with one under {key!r}; this is {value!r:.80}")


def written(update: Any, key: str) -> Optional[Written]:
    """What a node or a hook returned writes to the history; none where it does not write to it."""
    if type(update).__name__ == "Command" and hasattr(update, "goto"):
        update = _of_command(update.update, key)
    if update is None:
        return None
    if isinstance(update, Mapping) and key in update:
        update = update[key]
    elif isinstance(update, Mapping) and not is_message(update) and not _overwrite(update):
        return None
    overwrite = _overwrite(update)
    if overwrite:
        return Written(overwrite[0], True)
    return Written(update, False)


def _of_command(update: Any, key: str) -> Any:
    """A command's update is a state, or pairs of names and values."""
    if isinstance(update, (list, tuple)) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in update):
        return dict(update)
    return update


def _overwrite(value: Any) -> Tuple[Any, ...]:
    """What goes around the reducer, in a tuple of its own: LangGraph's `Overwrite`, or its form as data."""
    if type(value).__name__ == "Overwrite" and hasattr(value, "value"):
        return (value.value,)
    if isinstance(value, Mapping):
        if set(value) == {"__overwrite__"}:
            return (value["__overwrite__"],)
        if value.get("type") == "__overwrite__" and "value" in value:
            return (value["value"],)
    return ()


def is_message(value: Any) -> bool:
    """Whether a value is one message, and neither a list of them nor a state."""
    if isinstance(value, Mapping):
        return "role" in value or "type" in value or "lc" in value
    has_role = hasattr(value, "type") or hasattr(value, "role")
    return isinstance(value, str) or (has_role and hasattr(value, "content"))


def _id_of(value: Any) -> Optional[str]:
    """The id that a message has, as text."""
    if isinstance(value, Mapping):
        fields = value.get("kwargs") if "lc" in value else value.get("data", value)
        found = fields.get("id") if isinstance(fields, Mapping) else None
    else:
        found = getattr(value, "id", None)
    return None if found is None else str(found)


class Names:
    """Ids for messages that have none; `unnamed-1` and so on, whatever ids there are already."""

    def __init__(self, *lists: List[Any]) -> None:
        items = [item for items in lists for item in items]
        self._known = {_id_of(item) for item in items}
        self._numbers = itertools.count(1)

    def new(self) -> str:
        return next(name for name in (f"unnamed-{number}" for number in self._numbers) if name not in self._known)

    def shared(self, *lists: List[Any]) -> Dict[int, str]:
        """By `id()`, ids for message objects that have none and are met more than once.

        The real reducer gives such an object an id when it meets it first, and so knows it again.
        """
        nameless = [
            id(item)
            for items in lists
            for item in items
            if not isinstance(item, (str, list, tuple, Mapping)) and getattr(item, "id", "") is None
        ]
        return {item: self.new() for item, times in Counter(nameless).items() if times > 1}

    def rename(self, states: List[Any]) -> None:
        """Gives new ids to the messages that the program made up ids for: it counts from one each time, and a
        folded history may be folded into again."""
        new: Dict[str, str] = {}
        for message in (message for state in states for message in state if isinstance(message, dict)):
            name = message.get("id")
            if isinstance(name, str) and name.startswith("auto-") and name not in self._known:
                message["id"] = new.get(name) or new.setdefault(name, self.new())


def plain(value: Any, ids: Dict[int, str]) -> Any:
    """A message-like as JSON; a text and a pair of role and text stay what they are."""
    if value is None or isinstance(value, (str, int, float, tuple, list)):
        # What is no message is for the reducer to refuse.
        return _json(value)
    if isinstance(value, Mapping):
        return _json(dict(value))
    if not is_message(value):
        raise TypeError(f"no message: {value!r:.80}")
    if not hasattr(value, "type"):
        return _json(_fields_of_role(value))
    # What a stream is put together from becomes a message in the history.
    kind = CHUNKS.get(value.type, value.type)
    message: Dict[str, Any] = {"type": kind, "id": ids.get(id(value), getattr(value, "id", None))}
    message["content"] = value.content
    for field in FIELDS:
        held = getattr(value, field, None)
        if held:
            message[field] = held
    if "tool_calls" in message:
        message["tool_calls"] = [{key: call[key] for key in ("id", "name", "args")} for call in message["tool_calls"]]
    if getattr(value, "status", "success") != "success":
        message["status"] = value.status
    if kind == "chat":
        message["role"] = value.role
        del message["type"]
    return _json(message)


def _fields_of_role(value: Any) -> Dict[str, Any]:
    """A message object of a chat API."""
    if hasattr(value, "model_dump"):
        fields: Dict[str, Any] = value.model_dump(exclude_none=True)
    else:
        fields = dict(vars(value))
    fields.setdefault("content", "")
    return fields


def _json(value: Any) -> Any:
    """What JSON has no form for is told by how it is written."""
    return json.loads(json.dumps(value, default=repr))


def chat_form(message: Any) -> Optional[Dict[str, Any]]:
    """A message-like as an object, which recorded runs consist of; none where it is no message."""
    if isinstance(message, str):
        return {"role": "user", "content": message}
    if isinstance(message, list) and len(message) == 2:
        return {"role": message[0], "content": message[1]}
    return message if isinstance(message, dict) and is_message(message) else None


def text_of(message: Any) -> str:
    """What a message says, without what is no text."""
    content = (chat_form(message) or {}).get("content")
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else part.get("text", "") for part in content]
        return "\n".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""
