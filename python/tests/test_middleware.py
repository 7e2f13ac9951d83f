"""Hooks as people write them for LangGraph, each with the verdict that its update deserves.

Every update is folded by a real graph, too.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

import pytest

pytest.importorskip("langgraph")
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, SystemMessage, ToolMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from test_langgraph import same

from ctxlint import judge_history

State = Dict[str, List[Any]]


def talk() -> List[Any]:
    """Three turns at the office of a ferry."""
    return [
        HumanMessage("When does the first ferry leave?", id="q1"),
        AIMessage("At six.", id="a1"),
        HumanMessage("Is there room for a van?", id="q2"),
        AIMessage("Yes.", id="a2"),
        HumanMessage("Book it for Sunday.", id="q3"),
    ]


def loop() -> List[Any]:
    """A turn in the middle of its tool calls."""
    calls = [{"id": f"c{number}", "name": "seats", "args": {"deck": number}} for number in (1, 2)]
    return [
        *talk(),
        AIMessage("", id="a3", tool_calls=calls),
        ToolMessage("4 left", id="t1", tool_call_id="c1"),
        ToolMessage("none left", id="t2", tool_call_id="c2"),
    ]


def pair(target: Any) -> List[Any]:
    """A note takes the place of a question, and the question follows it."""
    return [
        SystemMessage("<system-reminder>High water at nine.</system-reminder>", id=target.id),
        HumanMessage(target.content, id=f"{target.id}__user"),
    ]


def head_swap(state: State) -> State:
    return {"messages": pair(next(m for m in state["messages"] if m.type == "human"))}


def tail_swap(state: State) -> State:
    return {"messages": pair(next(m for m in reversed(state["messages"]) if m.type == "human"))}


def swap_of_what_was_swapped(state: State) -> State:
    return {"messages": pair(next(m for m in state["messages"] if str(m.id).endswith("__user")))}


def stored_plan(state: State) -> State:
    return {"messages": [HumanMessage("<!-- plan -->\nStep 2 of 3.", name="plan_reminder")]}


def plan_for_the_call(state: State) -> None:
    return None


def timetable_before_the_last(state: State) -> State:
    messages = list(state["messages"])
    messages.insert(len(messages) - 1, SystemMessage("<timetable>6, 9, 12</timetable>"))
    return {"messages": messages}


def trim_without_removing(state: State) -> State:
    return {"messages": state["messages"][-3:]}


def blind_cut(state: State) -> State:
    summary = SystemMessage("Summary: a van wants to cross.", id="summary-1")
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), summary, *state["messages"][-1:]]}


def cut_at_the_turn(state: State) -> State:
    messages = state["messages"]
    start = max(at for at, m in enumerate(messages) if m.type == "human")
    summary = HumanMessage("Here is a summary of the conversation to date: a van.", additional_kwargs={"lc_source": "summarization"})
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), summary, *messages[start:]]}


def cut_that_rescues_the_wrong_one(state: State) -> State:
    messages = state["messages"]
    kept = [m for m in messages if m.id in ("q1", "a1")] + messages[5:]
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *kept]}


def answer(state: State) -> State:
    return {"messages": [AIMessage("Booked.", id="a4")]}


def new_ids(state: State) -> State:
    again = [m.model_copy(update={"id": f"copy-{m.id}"}) for m in state["messages"]]
    return {"messages": [RemoveMessage(id=REMOVE_ALL_MESSAGES), *again]}


def removes_a_result(state: State) -> State:
    return {"messages": [RemoveMessage(id="t1")]}


SHAPES: List[Any] = [
    (head_swap, talk, ["id-swap", "displaced-question"]),
    (tail_swap, talk, []),
    # The question stands behind its own results.
    (tail_swap, loop, ["id-swap"]),
    (swap_of_what_was_swapped, lambda: [*pair(talk()[0]), *talk()[1:]], ["id-swap", "displaced-question"]),
    (stored_plan, loop, []),
    (plan_for_the_call, loop, []),
    (timetable_before_the_last, talk, ["ignored-insert"]),
    (trim_without_removing, talk, ["ignored-trim"]),
    (blind_cut, loop, ["mid-turn-cut", "split-tool-pair", "displaced-question"]),
    (cut_at_the_turn, loop, []),
    (cut_that_rescues_the_wrong_one, loop, ["mid-turn-cut", "displaced-question"]),
    (answer, loop, []),
    (new_ids, talk, ["reminted-ids"]),
    (removes_a_result, lambda: [*loop(), AIMessage("Four.", id="a4")], ["split-tool-pair"]),
]


def test_what_is_lost_stands_where_it_stood() -> None:
    shown = judge_history(loop(), cut_that_rescues_the_wrong_one({"messages": loop()})).shown
    rows = [(line.split()[2], "lost" in line) for line in shown.splitlines()]
    assert rows == [
        ("q1", False),
        ("a1", False),
        ("q2", True),
        ("a2", True),
        ("q3", True),
        ("a3", False),
        ("t1", False),
        ("t2", False),
    ]


@pytest.mark.parametrize("hook, before, rules", SHAPES)
def test_the_verdict_of_a_hook(hook: Callable[[State], Optional[State]], before: Any, rules: Sequence[str]) -> None:
    messages = before()
    update = hook({"messages": messages})
    for question in (None, "Book it for Sunday."):
        history = judge_history(messages, update, question=question)
        told = {rule for finding in history.findings for rule in (finding.rule, *finding.also)}
        assert told == set(rules), str(history)
        assert bool(history) == (not rules)
    if update is not None:
        assert same(messages, [update["messages"]]) is None
