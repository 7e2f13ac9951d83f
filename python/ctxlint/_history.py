"""Folds an update, lets ctxlint judge what came of it, and shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Sequence, Tuple

from . import _messages, _rows
from ._program import ask

Message = Dict[str, Any]

#: What a test fails for: what the fold made of the history, not what the update says.
RULES = (
    "displaced-question",
    "reordered-history",
    "id-swap",
    "reminted-ids",
    "mid-turn-cut",
    "split-tool-pair",
    "ignored-insert",
    "ignored-trim",
)
#: How updates are folded, by the names that people write, and what `ctxlint fold` calls them.
REDUCERS = {
    "add_messages": "add-messages",
    "channel": "channel",
    "delta": "delta",
    "js": "js",
    "operator.add": "operator-add",
    "operator_add": "operator-add",
    "last_value": "last-value",
}
#: Reducers that give every message an id, and so know a message object again.
NAMING = ("add-messages", "channel", "delta", "js")
#: Reducers that take the writes of a superstep.
OF_SUPERSTEPS = ("channel", "delta")


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with the history behind an update."""

    rule: str
    severity: str
    message: str
    #: Other rules that describe the same event.
    also: Tuple[str, ...]
    help: Optional[str]

    def __str__(self) -> str:
        also = f" (also {', '.join(self.also)})" if self.also else ""
        return f"{self.severity}[{self.rule}] {self.message}{also}"


@dataclass(frozen=True, repr=False)
class History:
    """What the model would read behind an update; true if nothing is wrong with it."""

    #: The folded messages, as JSON has them.
    messages: List[Message]
    findings: List[Finding]
    #: What the reducer raises for the update, if it refuses it.
    error: Optional[str]
    #: The list, a line a message, with marks.
    shown: str

    @property
    def ok(self) -> bool:
        return self.error is None and not self.findings

    def __bool__(self) -> bool:
        return self.ok

    def __repr__(self) -> str:
        # In one line, as it stands in the report of a bare `assert`.
        said = "ok" if self.ok else self.error or "; ".join(str(finding) for finding in self.findings)
        return f"<History {said}>"

    def __str__(self) -> str:
        if self.error is not None:
            said = [f"the reducer refuses the update: {self.error}", "the history before it:"]
        elif self.findings:
            said = [str(finding) for finding in self.findings] + ["what the model would read:"]
        else:
            said = ["what the model would read:"]
        helps = dict.fromkeys(finding.help for finding in self.findings if finding.help)
        return "\n".join([*said, self.shown, *(f"help: {text}" for text in helps)])


class WrongHistory(AssertionError):
    """An update spoils the history that it is folded into."""

    def __init__(self, history: History) -> None:
        super().__init__(str(history))
        self.history = history


def assert_history_ok(
    before: Any,
    update: Any,
    *,
    question: Any = None,
    reducer: str = "add_messages",
    key: str = "messages",
    allow: Collection[str] = (),
) -> List[Message]:
    """Folds `update` into `before` and fails if the history is not in order any more; the folded messages.

    `before` is a list of messages, or a state with one under `key`. `update` is what a node or a hook
    returned: a state with such a list, the list, one message, `Overwrite`, `Command`, or None. Messages are
    objects of LangChain, or dicts of LangChain or OpenAI.

    `question` is what the person asked last, if it is not simply the newest message of a person in `before`:
    the message, its id, or its text. `allow` names rules whose findings are meant to be.
    """
    __tracebackhide__ = True
    history = judge_history(before, update, question=question, reducer=reducer, key=key, allow=allow)
    if not history.ok:
        raise WrongHistory(history)
    return history.messages


def fold(before: Any, update: Any, *, reducer: str = "add_messages", key: str = "messages") -> List[Message]:
    """The messages that the reducer makes of `before` and `update`.

    A ValueError tells what the reducer raises for an update that it refuses.
    """
    folded = _fold(_messages.history_of(before, key), _messages.written(update, key), reducer)
    if folded.error is not None:
        raise ValueError(folded.error)
    return folded.after


def judge_history(
    before: Any,
    update: Any,
    *,
    question: Any = None,
    reducer: str = "add_messages",
    key: str = "messages",
    allow: Collection[str] = (),
) -> History:
    """What `assert_history_ok` knows of the history, without failing."""
    unknown = sorted(set(allow) - set(RULES))
    if unknown:
        raise ValueError(f"allow: {', '.join(unknown)} is not judged here; the rules are {', '.join(RULES)}")
    known = _messages.history_of(before, key)
    folded = _fold(known, _messages.written(update, key), reducer)
    asked = None if question is None else _place(question, known, folded.before)
    if folded.error is not None:
        shown = _rows.plain_rows(folded.before)
        return History(folded.before, [], folded.error, shown)
    record, line = _record(folded, asked)
    replayed = _replay(record)
    if asked is not None and not _rows.asks(replayed, line):
        raise ValueError("question: its marks say that a program put it there, so it counts for no question")
    shown = _rows.rows(replayed, line)
    findings = _findings(record, line)
    wrong = [finding for finding in findings if not {finding.rule, *finding.also} <= set(allow)]
    return History(folded.after, wrong, None, shown)


class _Folded(NamedTuple):
    """A history before and after an update, and the update, as JSON."""

    before: List[Any]
    update: Optional[List[Any]]
    #: Whether the update takes the place of the history.
    overwrites: bool
    after: List[Any]
    error: Optional[str]


def _fold(before: Sequence[Any], update: Optional[_messages.Written], reducer: str) -> _Folded:
    kind = REDUCERS.get(reducer) or (reducer if reducer in REDUCERS.values() else None)
    if kind is None:
        raise ValueError(f"no reducer is called {reducer!r}; known are {', '.join(REDUCERS)}")
    messages = [] if update is None else update.messages
    listed = messages if isinstance(messages, list) else [messages]
    names = _messages.Names(list(before), listed)
    ids = names.shared(list(before), listed) if kind in NAMING else {}
    left = [_messages.plain(message, ids) for message in before]
    right = [_messages.plain(message, ids) for message in listed if messages is not None]
    overwrites = update is not None and update.overwrites
    if kind == "last-value":
        # Nothing but the newest value counts; of a list that is handed on there is one write only.
        return _Folded(left, None if update is None else right, True, left if update is None else right, None)
    if overwrites and kind == "add-messages":
        kind = "channel"
    # What a reducer makes of nothing at all is its own affair.
    write: Any = None if update is not None and messages is None else right
    if overwrites:
        write = {"__overwrite__": write}
    writes: List[Any] = [[]] if update is None else [[], write]
    if kind in OF_SUPERSTEPS:
        writes = [[one] for one in writes]
    row = json.dumps({"left": left, "updates": writes})
    told = json.loads(ask(["fold", "--reducer", kind, "-"], row))
    states, error = told["states"], told["error"]
    if not states:
        raise ValueError(f"`before` is no history: {error['kind']}: {error['message']}")
    names.rename(states)
    said = None if error is None else f"{error['kind']}: {error['message']}"
    return _Folded(states[0], None if update is None else right, overwrites, states[-1], said)


def _place(question: Any, known: Sequence[Any], before: Sequence[Any]) -> int:
    """Where the question stands in the history before the update; the newest place, if it is there twice."""
    forms = [_messages.chat_form(message) or {} for message in before]
    places = range(len(before) - 1, -1, -1)
    persons = [at for at in places if forms[at].get("type", forms[at].get("role")) in ("human", "user")]
    texts = {at: _messages.text_of(before[at]) for at in persons}

    def first(among: Sequence[int], fits: Callable[[int], bool]) -> Optional[int]:
        return next((at for at in among if fits(at)), None)

    found: Optional[int] = None
    if isinstance(question, str):
        text, name = question, question
    else:
        asked = _messages.chat_form(_messages.plain(question, {})) or {}
        text, name = _messages.text_of(asked), asked.get("id") or ""
        found = first(places, lambda at: known[at] is question)
    if found is None and name:
        found = first(places, lambda at: forms[at].get("id") == name)
    if found is None and text:
        found = first(persons, lambda at: texts[at] == text)
    if found is None and isinstance(question, str) and text:
        found = first(persons, lambda at: text in texts[at])
    if found is None:
        raise ValueError(f"question: {question!r:.80} is not in the history before the update")
    if found not in persons:
        raise ValueError(f"question: {question!r:.80} is not a message of the person")
    return found


def _record(folded: _Folded, asked: Optional[int]) -> Tuple[str, int]:
    """The recorded run that the update would be a part of, and the line of the update.

    Where the question is known, what came before it, the question, and what came behind it are told one by
    one, as a stream of a graph tells them.
    """
    lines: List[Any] = []

    def state(messages: Sequence[Any]) -> None:
        lines.append(["values", {"messages": _chat(messages)}])

    def update(node: str, messages: Any) -> None:
        lines.append(["updates", {node: {"messages": messages}}])

    before = folded.before
    if asked is not None:
        state(before[:asked])
        update("__input__", _chat(before[asked : asked + 1]))
        if asked + 1 < len(before):
            update("earlier", _chat(before[asked + 1 :]))
    state(before)
    if asked is None:
        # Inputs are recorded, so an update behind an answer begins no turn.
        update("__input__", [])
    line = len(lines) + 1
    if folded.update is not None:
        written = _chat(folded.update)
        update("update", {"__overwrite__": written} if folded.overwrites else written)
    state(folded.after)
    return "".join(json.dumps(record) + "\n" for record in lines), line


def _chat(messages: Sequence[Any]) -> List[Message]:
    forms = (_messages.chat_form(message) for message in messages)
    return [form for form in forms if form is not None]


def _findings(record: str, line: int) -> List[Finding]:
    """What the audit says of the update; what was wrong before it is not its fault."""
    document = json.loads(
        ask(
            ["audit", "-", "--input-format", "langgraph", "--format", "json", "--select", ",".join(RULES)],
            record,
        )
    )
    return [
        Finding(found["rule"], found["severity"], found["message"], tuple(found["also"]), found["help"])
        for found in document["findings"]
        if found["rule"] in RULES and found["severity"] != "info" and found["start"]["line"] >= line
    ]


def _replay(record: str) -> Dict[str, Any]:
    sessions = json.loads(ask(["replay", "-", "--input-format", "langgraph", "--format", "json"], record))["sessions"]
    told: Dict[str, Any] = sessions[0] if sessions else {"messages": [], "steps": []}
    return told
