"""Seeded corpora: the same bytes for the same seed, size and version of this file."""

import json
import os
import random

WORDS = (
    "river stone ledger copper window market garden signal harbour winter engine letter valley bridge candle meadow "
    "return import value index buffer result branch thread handle parser module record length offset config"
).split()


def text(rng, size):
    """About `size` bytes of prose with line breaks, as tools print it."""
    words, length = [], 0
    while length < size:
        word = rng.choice(WORDS)
        words.append(word + ("\n" if rng.random() < 0.12 else " "))
        length += len(words[-1])
    return "".join(words)


class Pool:
    """Texts that are cut out of one long one: making each anew would take longer than reading them."""

    def __init__(self, rng):
        self.rng = rng
        self.whole = text(rng, 4 << 20)

    def cut(self, size):
        start = self.rng.randrange(len(self.whole) - size)
        return self.whole[start : start + size]


def claude_session(out, pool, session, size, most=50_000):
    """One session of linked lines; returns how many messages it has."""
    rng, written, number, parent = pool.rng, 0, 0, None

    def line(kind, message):
        nonlocal written, number, parent
        number += 1
        own = f"{number:08x}-0000-4000-8000-{session:012d}"
        record = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/srv/app",
            "sessionId": f"5d0c0000-0000-4000-8000-{session:012d}",
            "version": "2.1.100",
            "type": kind,
            "message": message,
            "uuid": own,
            "timestamp": f"2026-04-01T09:{number // 60 % 60:02d}:{number % 60:02d}.000Z",
        }
        written += out.write(json.dumps(record) + "\n")
        parent = own

    usage = {"input_tokens": 4, "cache_read_input_tokens": 90000, "cache_creation_input_tokens": 9, "output_tokens": 90}
    while written < size:
        line("user", {"role": "user", "content": f"question {number}: " + pool.cut(120)})
        for _ in range(rng.randrange(4, 12)):
            call = f"toolu_{session}_{number}"
            line(
                "assistant",
                {
                    "id": f"msg_{session}_{number}",
                    "role": "assistant",
                    "model": "claude-opus-4-5",
                    "content": [{"type": "tool_use", "id": call, "name": "Read", "input": {"path": pool.cut(40)}}],
                    "usage": usage,
                },
            )
            # Most outputs are short, a few long.
            size_of_result = int(500 * (most / 500) ** rng.random())
            content = [{"type": "tool_result", "tool_use_id": call, "content": f"{number} " + pool.cut(size_of_result)}]
            line("user", {"role": "user", "content": content})
        answer = [{"type": "text", "text": f"answer {number}: " + pool.cut(400)}]
        line(
            "assistant",
            {
                "id": f"msg_{session}_{number}",
                "role": "assistant",
                "model": "claude-opus-4-5",
                "content": answer,
                "usage": usage,
            },
        )
    return number


def langgraph_updates(out, pool, thread, size, most=50_000):
    """A stream of updates of one thread; returns how many messages it has."""
    rng, written, number = pool.rng, 0, 0

    def update(node, message):
        nonlocal written, number
        number += 1
        message = {**message, "id": f"{thread}-{number}"}
        written += out.write(json.dumps(["updates", {node: {"messages": [message]}}]) + "\n")

    while written < size:
        update("input", {"type": "human", "content": f"question {number}: " + pool.cut(120)})
        for _ in range(rng.randrange(4, 12)):
            call = f"call_{thread}_{number}"
            args = {"path": pool.cut(40)}
            update("agent", {"type": "ai", "content": "", "tool_calls": [{"name": "read", "args": args, "id": call}]})
            size_of_result = int(500 * (most / 500) ** rng.random())
            update("tools", {"type": "tool", "tool_call_id": call, "content": f"{number} " + pool.cut(size_of_result)})
        update("agent", {"type": "ai", "content": f"answer {number}: " + pool.cut(400)})
    return number


def transcripts(folder, size, session=4_000_000, seed=7):
    """`size` bytes of sessions, half of each kind, in files of about `session` bytes."""
    os.makedirs(folder, exist_ok=True)
    pool = Pool(random.Random(seed))
    for number in range(max(1, size // session)):
        make = (claude_session, langgraph_updates)[number % 2]
        with open(os.path.join(folder, f"{number:05d}.jsonl"), "w", encoding="utf-8") as out:
            make(out, pool, number, min(size, session))


def dense(path, size, seed=7):
    """Lines of about 310 bytes, one message each."""
    pool = Pool(random.Random(seed))
    written = number = 0
    with open(path, "w", encoding="utf-8") as out:
        while written < size:
            number += 1
            node, role = (("agent", "ai"), ("input", "human"))[number % 2]
            message = {"type": role, "id": f"m-{number:08d}", "content": f"{number} " + pool.cut(220)}
            written += out.write(json.dumps(["updates", {node: {"messages": [message]}}]) + "\n")


AGENT = '''\
"""Module {number}."""

from typing import Any

from app.store_{other} import load


class Session{number}:
    def __init__(self, client: Any) -> None:
        self.client = client
        self.messages: list[dict[str, Any]] = []

    def ask(self, question: str) -> str:
        self.messages.append({{"role": "user", "content": question}})
        reply = self.client.chat.completions.create(model="m", messages=self.messages)
        self.messages.append({{"role": "assistant", "content": reply.text}})
        return reply.text
'''

PLAIN = '''\
"""Module {number}."""


def load(rows: list[int], limit: int) -> list[int]:
    kept = [row for row in rows if row % {prime}]
    kept.sort()
    return kept[:limit]
'''

FILLER = '''

def step_{at}(rows: list[int], limit: int) -> int:
    total = 0
    for row in rows:
        if row > limit:
            total += row * {at}
        else:
            total -= row
    return total
'''


def code(folder, files, seed=7):
    """A project of so many modules, of which every eighth speaks to a model."""
    rng = random.Random(seed)
    os.makedirs(os.path.join(folder, "app"), exist_ok=True)
    for number in range(files):
        shape, name = (AGENT, "agent") if number % 8 == 0 else (PLAIN, "store")
        body = shape.format(number=number, other=number + 1, prime=rng.choice((3, 5, 7, 11)))
        body += "".join(FILLER.format(at=at) for at in range(rng.randrange(2, 20)))
        with open(os.path.join(folder, "app", f"{name}_{number}.py"), "w", encoding="utf-8") as out:
            out.write(body)
