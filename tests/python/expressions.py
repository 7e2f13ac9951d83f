numbers = 1, 0x1F, 1_000, 99999999999999999999, 1.5, 2j, -7, -limit, +1.0, ~mask
values = True, False, None, ...
calls = f(), f(a, *rest, key=1, **more), f(x for x in xs), (lambda: 1)()
access = a.b.c, a[0], a[-1], a[i, j], a["role"]["name"]
slices = a[:], a[1:], a[:-n], a[::-1], a[1:2:3], a[i:, 0]
displays = [1, *xs], (1,), (), {1, 2}, {"k": 1, **d}, {}
comprehensions = (
    [m for m in ms if m.ok if m.role == "user"],
    {k: v for k, v in d.items()},
    {m.id for row in table for m in row},
    sum(1 for m in ms),
)
arithmetic = a + b * c, a - 1, a / 2, a // 2, a % 2, a | b, a**2, a @ b
logic = a and b and not c or d
compared = a < b <= c, a is None, a is not b, x in xs, x not in xs, a != b
choice = a if ok else b
named = [y := f(x), y**2]


async def waiting():
    result = await call()
    sent = yield result
    return (await gather(*[one(), two()]))[0]


types = (
    isinstance(m, HumanMessage),
    not isinstance(m, (HumanMessage, messages.AIMessage)),
    isinstance(m, HumanMessage | AIMessage),
    type(m) is HumanMessage,
    type(m) != HumanMessage,
    m.__class__ in (A, B),
    type(m).__name__ == "HumanMessage",
)
