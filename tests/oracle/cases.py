#!/usr/bin/env python3
"""Fold the rows of a file with the real Python reducers, next to what is recorded.

    python cases.py FILE            compare, print `N passed, N failed`
    python cases.py FILE --record   print the rows with what the real reducers make of them

Rows are those of add_messages_oracle.py, with a `reducer` as `ctxlint fold` calls it, and with a
`format` where `add_messages` gets one. Rows of the `js` reducer are left as they are.
"""

from __future__ import annotations

import copy
import functools
import json
import operator
import sys
from typing import Any

import add_messages_oracle as oracle
from langchain_core.messages import AIMessageChunk, BaseMessage
from langgraph.channels.binop import BinaryOperatorAggregate
from langgraph.channels.delta import DeltaChannel
from langgraph.channels.last_value import LastValue
from langgraph.graph.message import _messages_delta_reducer, add_messages

TYPES = {**oracle.CLASS_OF_TYPE, "AIMessageChunk": AIMessageChunk}


def taken(value: Any) -> Any:
    """A state or an overwrite: canonical objects are messages, everything else is what it is."""
    if isinstance(value, list):
        return [taken(item) for item in value]
    if not isinstance(value, dict) or value.get("type") not in TYPES or "role" in value:
        return value
    if value["type"] == "remove":
        return TYPES["remove"](id=value["id"])
    return TYPES[value["type"]](**{key: field for key, field in value.items() if key != "type"})


def write(value: Any) -> Any:
    for key in ("__overwrite__", "value"):
        if isinstance(value, dict) and key in value:
            return {**value, key: taken(value[key])}
    return value


def written(value: Any) -> Any:
    if isinstance(value, list):
        return [oracle.canonical(item) if isinstance(item, BaseMessage) else item for item in value]
    if value is not None and not isinstance(value, (str, dict)):
        iter(value)
    return value


def fold(row: dict[str, Any]) -> tuple[list[Any], dict[str, Any] | None]:
    oracle.UUIDS.reset()
    reducer, left = row["reducer"], taken(copy.deepcopy(row["left"]))
    # A state of raw data stays raw where nothing looks into it.
    is_data = reducer in ("operator-add", "last-value")
    channel: Any = {
        "add-messages": lambda: BinaryOperatorAggregate(list, functools.partial(add_messages, format=row.get("format"))),
        "channel": lambda: BinaryOperatorAggregate(list, add_messages),
        "delta": lambda: DeltaChannel(_messages_delta_reducer, list),
        "operator-add": lambda: BinaryOperatorAggregate(list, operator.add),
        "last-value": lambda: LastValue(list),
    }[reducer]()
    channel.value = copy.deepcopy(row["left"]) if is_data else left
    states: list[Any] = []
    for at, update in enumerate(copy.deepcopy(row["updates"])):
        try:
            if reducer == "add-messages":
                channel.value = add_messages(channel.value, update, format=row.get("format"))
            elif is_data:
                channel.update([update])
            else:
                channel.update([write(value) for value in update])
            states.append(copy.deepcopy(written(channel.value)))
        except Exception as error:
            return states, {"at": at, "kind": type(error).__name__, "message": str(error)}
    return states, None


def main() -> None:
    record = "--record" in sys.argv
    passed = failed = 0
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        if row["reducer"] != "js":
            states, error = fold(row)
            same = (row.get("states"), row.get("error")) == (states, error)
            passed, failed = passed + same, failed + (not same)
            if not same and not record:
                print(f"case {row['case']}: {states} {error}", file=sys.stderr)
            row["states"], row["error"] = states, error
        if record:
            print(json.dumps(row, ensure_ascii=False))
    if not record:
        print(f"tabled cases: {passed} passed, {failed} failed")
        sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
