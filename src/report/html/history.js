// A history: the data of one session, and the list of its messages after any step.

// About so many lists are kept on the way, so that no step is far from one.
const KEPT = 64;

class History {
  constructor(number) {
    const data = JSON.parse(document.getElementById(`session-${number}`).textContent);
    this.number = number;
    this.more = data.more;
    this.messages = data.messages.map(([kind, role, text, turn, line, length, id, calls = [], results = []], index) =>
      ({ index, kind, role, text, turn, line, length, id, calls, results }));
    this.steps = data.steps.map(([number, turn, line, source, by, question, taken, inserted, removed = [], moved = [],
      replaced = [], back = [], before = null]) => ({ number, turn, line, source, isCall: source === 'call', by, question, taken,
      inserted: spread(inserted), removed: spread(removed), moved, replaced, back, before }));
    this.calls = data.calls.map(([step, line, model, input, read, written, output, again = 0, cause = '', estimated = false]) =>
      ({ step, line, model, input, read, written, output, again, cause, estimated }));
    this.every = Math.max(16, Math.ceil(this.steps.length / KEPT));
    this.kept = new Map([[-1, []]]);
    this.last = { index: -1, list: [] };
    let length = 0;
    this.lengths = this.steps.map((step) => {
      const result = (step.before?.length ?? length) + step.inserted.length - step.removed.length;
      if (!step.isCall) length = result;
      return result;
    });
    // What steps are called in addresses: calls by the step before them and their number behind it.
    let calls = 0;
    for (const step of this.steps) {
      calls = step.isCall ? calls + 1 : 0;
      step.key = step.isCall ? `${step.number}c${calls}` : String(step.number);
    }
  }

  // The numbers of the messages after a step, by its index, or of what a call sent. Not to be changed.
  list(index) {
    const stands = this.standing(index);
    return this.steps[index].isCall ? fold(stands.slice(), this.steps[index]) : stands;
  }

  // The history after a step; before the first it is empty.
  standing(index) {
    let from = index - ((index + 1) % this.every);
    while (!this.kept.has(from)) from -= this.every;
    if (this.last.index >= from && this.last.index <= index) from = this.last.index;
    if (from === index) return this.last.index === index ? this.last.list : this.kept.get(index);
    let list = (from === this.last.index ? this.last.list : this.kept.get(from)).slice();
    for (let at = from + 1; at <= index; at += 1) {
      if (!this.steps[at].isCall) list = fold(list, this.steps[at]);
      if ((at + 1) % this.every === 0) this.kept.set(at, list.slice());
    }
    this.last = { index, list };
    return list;
  }

  // The list that a step found.
  before(index) {
    return this.steps[index].before ?? this.standing(index - 1);
  }

  // The index of the step with a key; without one, that of the number it begins with, or what comes next.
  indexOf(key) {
    const exact = this.steps.findIndex((step) => step.key === String(key));
    if (exact >= 0) return exact;
    const found = this.steps.findIndex((step) => step.number >= parseInt(key, 10));
    return found < 0 ? this.steps.length - 1 : found;
  }
}

// Runs of messages, one by one.
function spread(runs) {
  return runs.flatMap(([at, message, many]) =>
    Array.from({ length: many }, (_, offset) => ({ at: at + offset, message: message + offset })));
}

// Folds a step into the list before it, which may be changed by that.
function fold(found, step) {
  const list = step.before?.slice() ?? found;
  if (!step.removed.length && !step.moved.length && !step.replaced.length
    && (!step.inserted.length || step.inserted[0].at >= list.length)) {
    for (const placed of step.inserted) list.push(placed.message);
    return list;
  }
  const gone = new Set(step.removed.map((placed) => placed.at).concat(step.moved.map(([was]) => was)));
  const placed = new Map(step.inserted.map(({ at, message }) => [at, message]));
  for (const [was, at] of step.moved) placed.set(at, list[was]);
  const folded = [];
  const put = () => { while (placed.has(folded.length)) folded.push(placed.get(folded.length)); };
  list.forEach((message, at) => {
    put();
    if (!gone.has(at)) folded.push(message);
  });
  put();
  for (const [at, , message] of step.replaced) folded[at] = message;
  return folded;
}

// Whether a step did more than to add at the end.
function isNotable(history, index) {
  const step = history.steps[index];
  const { inserted, removed, moved, replaced, question, taken, source } = step;
  const before = history.lengths[index] - inserted.length + removed.length;
  const inside = inserted.length && inserted[0].at < before - removed.length;
  return Boolean(source === 'compaction' || removed.length || moved.length || replaced.length || inside
    || (question >= 0 && taken >= 0 && question !== taken));
}
