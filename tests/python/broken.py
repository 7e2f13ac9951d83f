# ctxlint: not a directive, but a comment

def fine(messages):  # beside code
    text = "# no comment"
    return messages[0]

def broken(:
    return 1 +

class Fine:
    def method(self):
        return fine([self])
