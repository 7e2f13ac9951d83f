// Lists, in place.
xs.push(x);
xs.push(x, y);
xs.push(...ys);
xs.unshift(x);
xs.unshift(...ys);
xs.splice(i, 1);
xs.splice(i, 2);
xs.splice(i, 0, x);
xs.splice(i, 0, x, y);
xs.splice(i, 1, x);
xs.splice(0, xs.length, ...ys);
xs.splice(0, xs.length - keep);
xs.splice(-2);
xs.length = 0;
xs.length = n;
xs.reverse();
xs.sort((a, b) => a.at - b.at);
const gone = xs.splice(1, n);
const newest = xs.pop(), oldest = xs.shift();

// New lists.
xs.slice();
xs.slice(1, 3);
xs.slice(-n);
xs.slice(0, i);
xs.slice(xs.length - 4);
xs.slice(xs.length - keep);
xs.concat(ys);
[...xs].reverse();
xs.toReversed();
xs.toSorted();
xs.with(i, x);
xs.flat();
Array.from(xs);
Array.from(xs, (x) => x.id);
structuredClone(xs);
JSON.parse(JSON.stringify(xs));

// Searches.
xs.find((x) => x.role === "user");
xs.findLast(({ role }) => role === "user");
xs.findIndex((x) => { return x.done; });
xs.findLastIndex((x, i) => i > 3 && x.done);
xs.find(isUser);
xs.filter((x) => x.done).map((x) => x.text);
xs.filter(Boolean);
xs.map((x, i) => ({ ...x, i }));
xs.map(async (x) => await load(x));
xs.flatMap((x) => x.parts);
xs.some((x) => x.done);
xs.every(isDone);
xs.find((x) => { log(x); return x.done; });
store.find(id());
xs.indexOf(x);
xs.includes(x);
xs.at(-1);

// Texts, maps, the library.
xs.join("\n");
text.trim().toLowerCase();
text.replace("a", "b");
map.get("k");
map.has("k");
new Map();
new Set(xs);
Object.keys(box), Object.values(box), Object.entries(box);
Object.assign({}, a, { b });
Object.assign(a, b);
JSON.stringify(x, null, 2);
String(x);
Math.max(0, xs.length - n);
Promise.all([a(), b()]);
load().then((x) => x.id).catch(() => null);
Date.now();
