import asyncio
import collections
import copy
import functools
import itertools
import json
import typing as t
from asyncio import to_thread
from copy import deepcopy as clone
from itertools import chain

# Lists.
xs.append(x), xs.extend(ys), xs.insert(0, x), xs.appendleft(x)
xs.pop(), xs.pop(0), xs.pop("k", None), xs.popleft()
xs.remove(x), xs.clear(), xs.reverse(), xs.sort(key=f), xs.copy(), xs.index(x)

# Dictionaries.
d.get("k"), d.get("k", 1), d.setdefault("k", []), d.update(e), d.update(k=1), d.values(), d.items()

# Text.
", ".join(xs), "{}".format(x), s.replace("a", "b"), s.strip().lower(), s.splitlines()
str(x), repr(x), json.dumps(x, indent=2), now.isoformat(), now.strftime("%H")

# Built-in functions.
list(xs), tuple(xs), dict(d), set(xs), set(), frozenset(xs), list(), dict(a=1)
reversed(xs), sorted(xs, key=f), enumerate(xs), enumerate(xs, 1), range(3), range(0, 9, 2)
len(xs), next(it), next(it, None), any(xs), all(xs), min(a, b), max(xs, key=f), sum(xs)
filter(f, xs), map(f, xs), zip(xs, ys), iter(xs), getattr(m, "id", None), setattr(m, "id", x)

# The library.
copy.copy(xs), copy.deepcopy(xs), clone(xs), collections.deque(xs, maxlen=5), chain(xs, ys)
itertools.islice(xs, 3), itertools.islice(xs, 0, 3), itertools.islice(xs, 1, 3)
functools.partial(f, a, b), t.cast(T, x)
asyncio.run(main()), asyncio.wait_for(call(), timeout=3), asyncio.gather(a(), b())


async def elsewhere(loop):
    await asyncio.to_thread(f, a, key=b)
    await to_thread(f)
    await loop.run_in_executor(None, f, a)
    asyncio.create_task(work(), name="w")


try:
    import fastjson as js
except ImportError:
    import json as js

js.dumps(x)

# Not the language's own.
import requests

requests.get(url), store.get(a, b, c), xs.append(a, b)


def shadowed(filter, len):
    from project import sorted

    def next(it): ...

    return filter(f, xs), len(xs), sorted(xs), next(it)
