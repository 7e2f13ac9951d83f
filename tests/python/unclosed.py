class Agent:
    """The first method is whole, the second lacks a bracket."""

    def run(self, messages):
        for message in messages:
            if message.role == "user":
                self.ask(message)
        return [message for message in messages if message.role == "assistant"]

    def ask(self, message):
        return (message

def after(messages):
    return messages[-1]


def last(messages):
    return after(messages)
