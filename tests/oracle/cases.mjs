// Fold the rows of the `js` reducer in a file with the real JavaScript reducer.
//
//     npm install @langchain/langgraph@1.7.3 @langchain/core@1.4.0
//     node cases.mjs FILE             compare, print `N passed, N failed`
//     node cases.mjs FILE --record    print all rows, these with what the real reducer makes of them
//
// Random ids are renamed to auto-1, auto-2, ... in the order in which the state shows them.

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { messagesStateReducer } from "@langchain/langgraph";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function written(message, names) {
  if (UUID.test(message.id) && !names.has(message.id)) names.set(message.id, `auto-${names.size + 1}`);
  const out = { type: message.getType(), id: names.get(message.id) ?? message.id, content: message.content };
  if (message.name) out.name = message.name;
  if (Array.isArray(message.tool_calls) && message.tool_calls.length) {
    out.tool_calls = message.tool_calls.map(({ id, name, args }) => ({ id, name, args }));
  }
  if (out.type === "tool") {
    out.tool_call_id = message.tool_call_id;
    if (message.status && message.status !== "success") out.status = message.status;
  }
  if (Object.keys(message.additional_kwargs).length) out.additional_kwargs = message.additional_kwargs;
  return out;
}

function fold(row) {
  const names = new Map();
  const states = [];
  let state = structuredClone(row.left);
  for (const [at, update] of row.updates.entries()) {
    try {
      state = messagesStateReducer(state, structuredClone(update));
    } catch (error) {
      return { states, error: { at, kind: error.name, message: error.message } };
    }
    states.push(JSON.parse(JSON.stringify(state.map((message) => written(message, names)))));
  }
  return { states, error: null };
}

const [file, flag] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const line of readFileSync(file, "utf8").trim().split("\n")) {
  const row = JSON.parse(line);
  if (row.reducer === "js") {
    const { states, error } = fold(row);
    const same = isDeepStrictEqual([row.states, row.error], [states, error]);
    same ? passed++ : failed++;
    if (!same && flag !== "--record") console.error(`case ${row.case}:`, JSON.stringify({ states, error }));
    Object.assign(row, { states, error });
  }
  if (flag === "--record") console.log(JSON.stringify(row));
}
if (flag !== "--record") {
  console.log(`tabled JavaScript cases: ${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}
