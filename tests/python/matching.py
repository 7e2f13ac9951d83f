match message:
    case HumanMessage(content=text, name="ann") | UserMessage(content=text):
        a(text)
    case {"role": "user", "content": body, **rest}:
        b(body)
    case [first, *others, last] if first:
        c(first, others, last)
    case ("stop" | None | -1) as end:
        d(end)
    case kinds.QUIET:
        e()
    case Point(1, y):
        f(y)
    case other:
        g(other)

match read(), mode:
    case (line, "fast"):
        h(line)
    case _:
        i()

match next_event():
    case Event():
        j()
