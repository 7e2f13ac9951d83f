"""The helper folds as the real LangGraph does: in graphs that run, the state of a node and what it returns are
folded by both."""

from __future__ import annotations

import gzip
import json
import operator
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import pytest
from support import REPOSITORY

pytest.importorskip("langgraph")
import langchain_core
from langchain_core import messages as langchain
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.graph import START, StateGraph
from langgraph.graph.message import REMOVE_ALL_MESSAGES, add_messages
from typing_extensions import Annotated, TypedDict

from ctxlint import fold

CLASSES = {
    "human": langchain.HumanMessage,
    "ai": langchain.AIMessage,
    "system": langchain.SystemMessage,
    "tool": langchain.ToolMessage,
    "AIMessageChunk": langchain.AIMessageChunk,
}
IS_OLD = langchain_core.__version__ < "1"


class Merged(TypedDict):
    messages: Annotated[list, add_messages]


class Added(TypedDict):
    messages: Annotated[list, operator.add]


class Newest(TypedDict):
    messages: list


STATES = {"add_messages": Merged, "operator.add": Added, "last_value": Newest}


def run(state: Any, before: List[Any], updates: List[Any], see: Callable[[List[Any], Any], None]) -> List[Any]:
    """The messages at the end of a graph that starts with `before` and whose nodes return `updates`.

    `see` is told what each node sees and returns, before the graph does anything with it.
    """
    graph = StateGraph(state)

    def node(update: Any) -> Callable[[Dict[str, Any]], Dict[str, Any]]:
        def returns(state: Dict[str, Any]) -> Dict[str, Any]:
            see(state["messages"], update)
            return {"messages": update}

        return returns

    at = START
    for number, update in enumerate(updates):
        graph.add_node(f"node-{number}", node(update))
        graph.add_edge(at, f"node-{number}")
        at = f"node-{number}"
    messages: List[Any] = graph.compile().invoke({"messages": before})["messages"]
    return messages


def canonical(message: Any) -> Any:
    """A message as `ctxlint fold` writes it."""
    if not isinstance(message, BaseMessage):
        return message
    fields: Dict[str, Any] = {"type": message.type, "id": message.id, "content": message.content}
    for field in ("name", "tool_calls", "tool_call_id", "additional_kwargs"):
        if getattr(message, field, None) or field == "tool_call_id" and message.type == "tool":
            fields[field] = getattr(message, field)
    if "tool_calls" in fields:
        fields["tool_calls"] = [{key: call[key] for key in ("id", "name", "args")} for call in fields["tool_calls"]]
    if getattr(message, "status", "success") != "success":
        fields["status"] = message.status  # type: ignore[attr-defined]
    return fields


def named(messages: List[Any], given: str) -> List[Any]:
    """With ids that a reducer made up, which are random, told by their order."""
    made_up: Dict[str, str] = {}
    out = []
    for message in messages:
        if isinstance(message, dict) and isinstance(message.get("id"), str) and json.dumps(message["id"]) not in given:
            message = {**message, "id": made_up.setdefault(message["id"], f"made-up-{len(made_up)}")}
        out.append(message)
    return out


def same(before: List[Any], updates: List[Any], reducer: str = "add_messages", given: str = "") -> Optional[str]:
    """Folds with both, and compares after every update; the error, if both raise one."""
    folded: List[Any] = []
    seen: List[List[Any]] = []
    refused: List[str] = []

    def see(messages: List[Any], update: Any) -> None:
        seen.append([canonical(message) for message in messages])
        try:
            folded.append(fold(messages, {"messages": update}, reducer=reducer))
        except ValueError as error:
            refused.append(str(error))

    try:
        end = run(STATES[reducer], before, updates, see)
    except Exception as error:
        assert len(refused) == 1, f"only the graph raises {error!r}"
        kind, _, message = refused[0].partition(": ")
        # A graph adds where it happened, and the older library words it differently.
        assert type(error).__name__ == kind and (str(error).startswith(message) or IS_OLD)
        return kind
    assert refused == []
    states = [*seen[1:], [canonical(message) for message in end]]
    assert [named(state, given) for state in folded] == [named(state, given) for state in states]
    return None


def taken(value: Any) -> Any:
    """Recorded messages as objects; what is none, and what no class takes, as it is."""
    if isinstance(value, list):
        return [item if isinstance(item, list) else taken(item) for item in value]
    if not isinstance(value, dict) or "role" in value or "data" in value:
        return value
    if value.get("type") == "remove":
        return RemoveMessage(id=value["id"])
    known = CLASSES.get(value.get("type", ""))
    return known(**{key: field for key, field in value.items() if key != "type"}) if known else value


def cases() -> Iterator[Tuple[str, Dict[str, Any]]]:
    """The tabled cases of the repository, and a handful of its random sequences."""
    data = REPOSITORY / "tests/data"
    for line in (data / "reducer_cases.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["reducer"] == "add-messages" and not row.get("format"):
            yield row["shows"], row
    with gzip.open(data / "reducer_add_messages.jsonl.gz", "rt", encoding="utf-8") as rows:
        for number, line in zip(range(40), rows):
            # An id that is given like one that is made up cannot be told from it.
            if '"auto-' not in line.split('"states"')[0]:
                yield f"random-{number}", json.loads(line)


@pytest.mark.parametrize("row", [pytest.param(row, id=name) for name, row in cases()])
def test_recorded_cases(row: Dict[str, Any]) -> None:
    before = taken(row["left"])
    if not isinstance(before, list):
        pytest.skip("no list, so no input of a graph")
    if '"constructor"' in json.dumps(row) and IS_OLD:
        pytest.skip("the older library does not read constructors")
    try:
        run(Merged, taken(row["left"]), [[]], lambda *_: None)
    except Exception:
        pytest.skip("no state that a graph can be in")
    same(before, [taken(update) for update in row["updates"]], given=json.dumps([row["left"], row["updates"]]))


def history() -> List[Any]:
    call = {"id": "c1", "name": "look_up", "args": {"shelf": 3}}
    return [
        HumanMessage("Is there chard?", id="q1"),
        AIMessage("", id="a1", tool_calls=[call]),
        ToolMessage("12 bags", id="t1", tool_call_id="c1"),
        AIMessage("Twelve bags.", id="a2"),
        HumanMessage("Put one aside.", id="q2"),
    ]


def test_a_graph_takes_objects_for_what_they_are() -> None:
    # The reducer puts an id on what has none, and knows it again.
    nameless = HumanMessage("Is there chard?")
    assert same([nameless], [[nameless, AIMessage("Yes.")]]) is None
    assert same(history(), [[HumanMessage("Put two aside.", id="q2")], AIMessage("Done.")]) is None
    assert same(history(), [[RemoveMessage(id="a1"), RemoveMessage(id="t1")], "Thank you."]) is None
    assert same(history(), [[RemoveMessage(id=REMOVE_ALL_MESSAGES), *history()[-1:]]]) is None
    assert same(history(), [[RemoveMessage(id="q9")]]) == "ValueError"
    assert same(history(), [None]) == "ValueError"


def test_an_overwrite_goes_around_the_reducer() -> None:
    overwrite = pytest.importorskip("langgraph.types")
    if not hasattr(overwrite, "Overwrite"):
        pytest.skip("this LangGraph has no Overwrite")
    assert same(history(), [overwrite.Overwrite(history()[-1:]), [AIMessage("Done.", id="a3")]]) is None
    assert same(history(), [overwrite.Overwrite(history()[-1:])], "operator.add") is None


@pytest.mark.parametrize("reducer", ["operator.add", "last_value"])
def test_other_reducers(reducer: str) -> None:
    swap = [HumanMessage("The date is known.", id="q1"), HumanMessage("Is there chard?", id="q1__user")]
    assert same(history(), [swap, [AIMessage("Done.", id="a3")], history()[2:]], reducer) is None
