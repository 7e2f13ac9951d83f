"""The desk of a bicycle workshop, as an agent. It is meant to know when the workshop closes today."""

from datetime import date

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage, SystemMessage

PROMPT = "You keep the desk of a bicycle workshop. Be brief."


class OpeningHours(AgentMiddleware):
    """Tells the model once when the workshop closes, right before the customer's question."""

    def __init__(self, closing_time):
        super().__init__()
        self.closing_time = closing_time

    def before_agent(self, state, runtime):
        messages = list(state["messages"])
        if any(is_note(message) for message in messages):
            return None
        try:
            closes = self.closing_time()
        except TimeoutError:
            # The desk can work without knowing. The next turn tries again.
            return None
        # No note so far: this must be the first question of the conversation.
        index = next((i for i, message in enumerate(messages) if is_question(message)), None)
        if index is None:
            return None
        note = f"Today is {date.today()}. The workshop closes at {closes}."
        return {"messages": with_note(messages[index], note)}


def is_note(message):
    return bool(message.additional_kwargs.get("opening_hours"))


def is_question(message):
    return isinstance(message, HumanMessage) and not is_note(message)


def with_note(question, note):
    """The note takes the question's place, and the question follows it."""
    return [
        SystemMessage(content=note, id=question.id, additional_kwargs={"opening_hours": True}),
        HumanMessage(content=question.content, id=f"{question.id}__question"),
    ]


def desk(model, closing_time, checkpointer=None):
    return create_agent(
        model,
        system_prompt=PROMPT,
        middleware=[OpeningHours(closing_time)],
        checkpointer=checkpointer,
    )
