"""Verdicts and forms of messages, with nothing of LangChain installed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from support import ai, call, human, remove, result, seeds, system, texts

from ctxlint import WrongHistory, assert_history_ok, fold, judge_history

SWAP = [system("Open until six.", "q1"), human("Do you have chard seeds?", "q1__asked")]


@dataclass
class Overwrite:
    value: Any


@dataclass
class Command:
    update: Any
    goto: Any = ()


def test_an_answer_goes_to_the_tail():
    history = assert_history_ok(seeds(), {"messages": [ai("Done.", "a3")]})
    assert texts(history)[-2:] == ["Put one bag aside.", "Done."]


def test_a_swap_from_the_head_displaces_the_question_and_the_history_is_printed():
    with pytest.raises(WrongHistory) as failure:
        assert_history_ok(seeds(), {"messages": SWAP})
    lines = str(failure.value).splitlines()
    assert lines[0].startswith('error[id-swap] "Open until six." takes the id `q1`')
    assert lines[0].endswith("(also displaced-question)")
    assert lines[1:8] == [
        "what the model would read:",
        '   1  system     q1         "Open until six."           <- put here by the program',
        '   2  assistant  a1         "Yes, two kinds."',
        '   3  user       q2         "Which is red?"',
        '   4  assistant  a2         "Rhubarb chard."',
        '   5  user       q3         "Put one bag aside."        <- the current question',
        '   6  user       q1__asked  "Do you have chard seeds?"  <- the model takes this for the current question',
    ]
    assert failure.value.history.findings[0].rule == "id-swap"


@pytest.mark.parametrize("question", ["q3", "Put one bag aside.", "one bag", "message", {"role": "user", "content": "Put one bag aside."}])
def test_the_question_is_a_message_an_id_or_a_text(question):
    before = seeds()
    question = before[-1] if question == "message" else question
    assert not judge_history(before, SWAP, question=question)
    assert judge_history(before, [ai("Done.", "a3")], question=question)


def test_a_question_that_is_not_there_is_a_mistake_of_the_test():
    with pytest.raises(ValueError, match="is not in the history"):
        assert_history_ok(seeds(), SWAP, question="q9")
    with pytest.raises(ValueError, match="is not in the history"):
        assert_history_ok(seeds(), SWAP, question="Rhubarb")
    with pytest.raises(ValueError, match="not a message of the person"):
        assert_history_ok(seeds(), SWAP, question="a2")
    marked = [human("Count the bulbs.", "n1", additional_kwargs={"hidden": True})]
    with pytest.raises(ValueError, match="a program put it there"):
        assert_history_ok(marked, [], question="n1")


def test_what_a_program_put_behind_the_question_is_no_question():
    before = [*seeds(), human("The shop closes at six.", "n1")]
    assert judge_history(before, [ai("Done.", "a3")], question="q3")
    gone = judge_history(before, [remove("q3")], question="q3")
    assert gone.findings[0].rule == "displaced-question"
    assert "<- lost: the model does not read it" in gone.shown


def test_an_edit_in_place_of_the_question_keeps_it():
    assert_history_ok(seeds(), [human("Put one bag aside, please.", "q3")])


@pytest.mark.parametrize("question", [None, "q3"])
def test_a_history_may_end_with_an_answer(question):
    before = [*seeds(), ai("Done.", "a3")]
    assert_history_ok(before, [human("Sums up what was said.", "s1", name="memory")], question=question)
    again = judge_history(before, [system("Open until six.", "q3"), human("Put one bag aside.", "q3__asked")], question=question)
    assert again.findings[0].rule == "id-swap"
    assert again.shown.splitlines()[-1].endswith("<- the current question")
    assert judge_history(before, [remove("q3")], question=question).findings[0].rule == "mid-turn-cut"


def test_a_call_without_its_result_is_a_split_pair():
    before = [*seeds(), ai("", "a3", tool_calls=[call("c1")]), result("c1", "12 bags", "t1")]
    assert judge_history(before, [ai("There are twelve.", "a4")])
    split = judge_history(before, [remove("a3")])
    assert [finding.rule for finding in split.findings] == ["split-tool-pair"]
    assert judge_history(before, [remove("a3")], allow=["split-tool-pair"])
    assert not judge_history(before, [remove("a3")], allow=["id-swap"])
    assert judge_history(before, [remove("a3"), remove("t1")]), "both halves are gone"
    with pytest.raises(ValueError, match="persisted-state is not judged here"):
        judge_history(before, [], allow=["persisted-state"])


def test_a_call_in_flight_is_no_split_pair():
    before = [*seeds(), ai("", "a3", tool_calls=[call("c1"), call("c2")]), result("c1", "12 bags", "t1")]
    assert_history_ok(before, [result("c2", "none", "t2")])


def test_what_was_wrong_before_is_not_the_fault_of_the_update():
    before = [human("Hello?", "q1"), result("c9", "lost", "t1"), ai("Hello.", "a1"), human("Any bulbs?", "q2")]
    assert_history_ok(before, [ai("Yes.", "a2")])


def test_order_that_changes_is_found_in_a_list_that_is_written_anew():
    before = seeds()
    anew = [before[2], before[3], before[0], before[1], before[4]]
    judged = judge_history(before, [remove("__remove_all__"), *anew])
    assert [finding.rule for finding in judged.findings] == ["reordered-history"]
    assert judge_history(before, Overwrite(before))
    assert judge_history(before, {"messages": Overwrite(anew)}).findings[0].rule == "reordered-history"
    assert judge_history(before, {"messages": {"__overwrite__": list(reversed(before))}}).findings


def test_a_list_that_the_reducer_does_not_take_as_it_is_meant():
    before = seeds()
    assert judge_history(before, before[-3:]).findings[0].rule == "ignored-trim"
    tree = system("<shelf_tree>3 shelves</shelf_tree>", "s1")
    assert judge_history(before, [*before[:-1], tree, before[-1]]).findings[0].rule == "ignored-insert"
    assert judge_history(before, before[-3:], reducer="last_value").ok


def test_every_form_of_an_update():
    before, answer = seeds(), ai("Done.", "a3")
    expected = fold(before, [answer])
    as_dict = {"type": "ai", "content": "Done.", "id": "a3"}
    chat = {"role": "assistant", "content": "Done.", "id": "a3"}
    forms = [{"messages": [answer]}, answer, (answer,)[0], [as_dict], as_dict, [chat], {"messages": chat}]
    forms += [Command({"messages": [answer]}), Command([("messages", [answer]), ("jump", 1)]), {"messages": answer}]
    for form in forms:
        assert fold(before, form) == expected, form
        assert fold({"messages": before, "todo": []}, form) == expected, form
    for nothing in (None, {}, {"jump_to": "end"}, Command(None), Command({"todo": []}), []):
        assert texts(fold(before, nothing)) == texts(expected)[:-1], nothing
    assert texts(fold([], "Any bulbs?")) == ["Any bulbs?"]
    assert texts(fold([("user", "Any bulbs?")], [("assistant", "Yes.")])) == ["Any bulbs?", "Yes."]
    assert fold({"talk": before}, {"talk": [answer]}, key="talk") == expected


def test_calls_of_openai_are_calls():
    chat_call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
    before = [
        {"role": "user", "content": "Any bulbs?", "id": "q1"},
        {"role": "assistant", "content": "", "tool_calls": [chat_call], "id": "a1"},
        {"role": "tool", "content": "none", "tool_call_id": "c1", "id": "t1"},
    ]
    assert judge_history(before, [{"type": "remove", "id": "a1", "content": ""}]).findings[0].rule == "split-tool-pair"
    assert judge_history(before, [ai("None.", "a2")], reducer="operator.add")


def test_an_object_without_an_id_is_known_again_as_the_reducer_knows_it():
    question = human("Any bulbs?")
    assert texts(fold([question], [question, ai("Yes.")])) == ["Any bulbs?", "Yes."]
    assert texts(fold([question], [human("Any bulbs?")])) == ["Any bulbs?", "Any bulbs?"]
    assert texts(fold([question], [question], reducer="operator.add")) == ["Any bulbs?", "Any bulbs?"]
    assert question.id is None, "the messages of the test are left as they are"


def test_a_folded_history_is_folded_into_again():
    first = fold([], ["Any bulbs?", ai("Yes.")])
    second = fold(first, ["And chard?", ai("That too.")])
    assert [(message["id"], message["content"]) for message in second] == [
        ("unnamed-1", "Any bulbs?"),
        ("unnamed-2", "Yes."),
        ("unnamed-3", "And chard?"),
        ("unnamed-4", "That too."),
    ]
    assert_history_ok(first, second[2:3])


def test_what_the_reducer_refuses_fails_the_test():
    with pytest.raises(WrongHistory, match="the reducer refuses the update: ValueError: .*doesn't exist"):
        assert_history_ok(seeds(), [remove("q9")])
    with pytest.raises(ValueError, match="doesn't exist"):
        fold(seeds(), [remove("q9")])
    with pytest.raises(ValueError, match="Must specify non-null arguments"):
        fold(seeds(), {"messages": None})


def test_what_is_no_history_and_no_reducer_is_a_mistake_of_the_test():
    with pytest.raises(TypeError, match="a history is a list"):
        assert_history_ok(7, [])
    with pytest.raises(TypeError, match="no message"):
        assert_history_ok([object()], [])
    with pytest.raises(ValueError, match="known are add_messages, "):
        assert_history_ok([], [], reducer="merge")


def test_contents_that_json_does_not_have():
    before = [human([{"type": "text", "text": "Which is this?"}, {"type": "image", "data": b"\x00"}], "q1")]
    before[0].additional_kwargs["seen"] = object()
    history = assert_history_ok(before, [ai("Chard — “red”.\n", "a1")], question="Which is this?")
    assert history[-1]["content"] == "Chard — “red”.\n"


def test_a_history_shows_itself():
    history = judge_history(seeds(), [ai("Done,\nand paid. " + "x" * 80, "a3")])
    assert history.ok and bool(history) and not history.findings
    assert str(history).splitlines()[0] == "what the model would read:"
    last = str(history).splitlines()[-1]
    assert last.startswith('   6  assistant  a3  "Done, and paid. x') and last.endswith('…"')
    assert repr(history) == "<History ok>"
    assert repr(judge_history(seeds(), SWAP)).startswith("<History error[id-swap] ")
    assert str(judge_history([], [])) == "what the model would read:\n   (no messages)"
