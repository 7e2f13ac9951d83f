"""The same desk. What changes is rebuilt for every call, and the history is left alone."""

from datetime import date

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage

PROMPT = "You keep the desk of a bicycle workshop. Be brief."


class OpeningHours(AgentMiddleware):
    """Tells the model with every call when the workshop closes."""

    def __init__(self, closing_time):
        super().__init__()
        self.closing_time = closing_time

    def wrap_model_call(self, request, handler):
        try:
            closes = self.closing_time()
        except TimeoutError:
            # This call goes without the note; the next one asks again.
            return handler(request)
        note = HumanMessage(
            content=f"<opening-hours>Today is {date.today()}. The workshop closes at {closes}.</opening-hours>",
            name="opening_hours_note",
        )
        # Behind the history, so that everything before it is what the last call already sent.
        return handler(request.override(messages=[*request.messages, note]))


def desk(model, closing_time, checkpointer=None):
    return create_agent(
        model,
        system_prompt=PROMPT,
        middleware=[OpeningHours(closing_time)],
        checkpointer=checkpointer,
    )
