"""Records `session.jsonl` of both agents: one line for each input, one for each update of a node.

    pip install langgraph==1.2.24 langchain==1.5.2 langchain-core==1.8.3
    python examples/record.py

The model is a stand-in that answers what it takes for the newest question.
"""

import importlib.util
import json
from pathlib import Path

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

HERE = Path(__file__).parent
QUESTIONS = [
    "Order brake pads for the blue tandem",
    "When is the red cargo bike ready?",
    "Book a wheel truing for Friday",
    "Cancel the wheel truing",
]


class StandIn(BaseChatModel):
    """Answers the last message that a person wrote."""

    @property
    def _llm_type(self):
        return "stand-in"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        asked = [message for message in messages if isinstance(message, HumanMessage) and message.name is None]
        answer = AIMessage(content=f"Done: {asked[-1].content}", id=f"a{self._answered(messages) + 1}")
        return ChatResult(generations=[ChatGeneration(message=answer)])

    @staticmethod
    def _answered(messages):
        return sum(isinstance(message, AIMessage) for message in messages)


def closing_times():
    """A calendar that cannot be reached until the last question."""
    answers = [TimeoutError(), TimeoutError(), TimeoutError(), "18:00"]

    def closing_time():
        answer = answers.pop(0)
        if isinstance(answer, TimeoutError):
            raise answer
        return answer

    return closing_time


def load(path):
    spec = importlib.util.spec_from_file_location("agent", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain(value):
    """Messages as dicts, everything else as it is."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.model_dump() if hasattr(value, "model_dump") else value


def record(folder):
    agent = load(folder / "agent.py").desk(StandIn(), closing_times(), InMemorySaver())
    thread = {"configurable": {"thread_id": "desk"}}
    with open(folder / "session.jsonl", "w", encoding="utf-8") as session:
        for number, question in enumerate(QUESTIONS, start=1):
            asked = {"messages": [HumanMessage(content=question, id=f"q{number}")]}
            session.write(json.dumps({"__input__": plain(asked)}) + "\n")
            for update in agent.stream(asked, thread, stream_mode="updates"):
                session.write(json.dumps(plain(update)) + "\n")


for name in ["defective", "mended"]:
    record(HERE / name)
