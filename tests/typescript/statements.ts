const one = 1, two = one;
let later: number;
let nothing;
var { a, b: renamed = 2, ...others } = source;
const [first, , third = 3] = list;
const [head, ...tail] = list;
[xs[i], xs[j]] = [xs[j], xs[i]];
({ left, right } = pair());
({ deep: { deeper } } = source);
total += 1;
count++;
--count;
cache ??= load();
flag ||= other;
x = y = z;
delete box.lid;
ready && start();
ready || wait();
ready ? start() : wait();
(first, second());

if (a) b();
else if (c) {
  d();
} else e();

for (let i = 0; i < xs.length; i++) use(xs[i]);
for (let i = xs.length - 1; i >= 0 && !done; i--) {
  if (skip(i)) continue;
  break;
}
for (let i = 1; i <= limit; i += 1) use(i);
for (const x of xs) use(x);
for (const [key, value] of Object.entries(box)) use(key, value);
for (const { role, content } of xs) use(role, content);
for (const key in box) use(key);
for (let at = start(); at; at = next(at)) use(at);
for (;;) break;
while (more()) step();
do {
  step();
} while (more());
outer: for (const row of rows) {
  for (const cell of row) {
    if (cell) continue outer;
    if (!row) break outer;
  }
}

try {
  risky();
} catch (error) {
  throw new Failure(error);
} finally {
  close();
}

switch (kind) {
  case "a":
  case "b":
    both();
    break;
  case "c":
    falls();
  case "d": {
    ends();
    break;
  }
  default:
    none();
}
switch (typeof value) {
  case "string":
    text();
    break;
}
switch (true) {
  case value > 3:
    large();
}

xs.forEach((x, at) => {
  if (!x) return;
  use(x, at);
});
xs.forEach(use);

enum Role {
  User = "user",
  Model = "model",
  Other,
}

namespace Store {
  export const limit = 3;
  export function load(id: string): Item[] {
    return items(id, limit);
  }
  export interface Item {
    id: string;
  }
}
