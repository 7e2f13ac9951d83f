"""Code of a small agent for a harbour, with faults and without."""

HEAD = """\
from langchain_core.messages import HumanMessage, SystemMessage


def berth(state, tides, model):
    question = next(m for m in state["messages"] if isinstance(m, HumanMessage))
    found = tides.invoke(question.content)
    return {"messages": [model.invoke([*state["messages"], SystemMessage(content=found)])]}
"""

TAIL = HEAD.replace('state["messages"] if', 'reversed(state["messages"]) if')

UNORDERED = """\
from openai import OpenAI


def ships(berths):
    return {berth["ship"] for berth in berths}


def ask(client: OpenAI, berths, messages):
    system = "You watch a harbour. Ships: " + ", ".join(ships(berths))
    return client.chat.completions.create(
        model="gpt-4o",
        messages=[{"role": "system", "content": system}, *messages],
    )
"""

# The search stands in one file, what is done with its result in another.
PILOT = """\
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage

from logbook import entry


class TideTable(AgentMiddleware):
    def __init__(self, tide):
        self.tide = tide

    def wrap_model_call(self, request, handler):
        asked = entry(request.messages)
        if asked is None:
            return handler(request)
        hint = HumanMessage(content=f"{asked.content} High water is at {self.tide}.", name="tide_note")
        return handler(request.override(messages=[*request.messages, hint]))
"""

LOGBOOK_HEAD = """\
from langchain_core.messages import HumanMessage


def entry(messages):
    return next((m for m in messages if isinstance(m, HumanMessage)), None)
"""

LOGBOOK_TAIL = LOGBOOK_HEAD.replace("in messages if", "in reversed(messages) if")

TYPESCRIPT = """\
import OpenAI from "openai";

type Message = OpenAI.ChatCompletionMessageParam;

export async function berth(client: OpenAI, messages: Message[], note: string) {
  const at = messages.findIndex((m) => m.role === "user");
  messages.splice(at, 0, { role: "system", content: note });
  return client.chat.completions.create({ model: "gpt-4o", messages });
}
"""
