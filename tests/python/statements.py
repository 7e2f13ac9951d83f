"""Every kind of statement.

A second paragraph is no part of the short documentation.
"""

import os
import os.path as paths, sys
from ..agents.state import State as AgentState, reduce
from . import hooks
from .words import *

count: int
limit: "int" = 10
first = second = []
head, (*middle, tail) = load()
first += [1]
history[0].content |= extra
del first[:2], second, history[-1]
assert limit > 0, "a positive limit"

if limit > 3:
    a()
elif limit > 2:
    b()
elif limit > 1:
    c()
else:
    d()

for index, item in enumerate(first, start=1):
    if item:
        continue
    break
else:
    done()

while (line := read()) is not None:
    pass
else:
    closed()

try:
    risky()
except (KeyError, errors.Missing) as error:
    raise Failure(str(error)) from error
except OSError:
    raise
except:
    log()
else:
    fine()
finally:
    close()

with open("a") as source, lock:
    copy(source)


async def stream(queue):
    global count
    async with queue.reader() as reader:
        async for part in reader:
            yield part
    return head, tail


def counter():
    total = 0

    def step():
        nonlocal total
        total += 1
        return total

    return step
