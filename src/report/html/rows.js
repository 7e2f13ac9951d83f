// The rows of a step: what stands in the list, what left it, and what is folded away.

// Unchanged messages that are shown beside what changed.
const CONTEXT = 2;
// Lists up to this length are shown whole.
const SHORT = 40;
// More messages than this that leave together are one line.
const CUT = 3;

// How a message is drawn: its lane, the letter on its block, and what it is in words.
const LOOKS = {
  authored: ['user', 'U', 'user'],
  injected: ['program', 'I', 'injected'],
  assistant: ['assistant', 'A', 'assistant'],
  reasoning: ['assistant', 'R', 'reasoning'],
  tool_call: ['assistant', 'C', 'tool call'],
  tool_result: ['tool', 'T', 'tool result'],
  summary: ['program', 'Σ', 'summary'],
  system: ['program', 'S', 'system prompt'],
  other: ['program', '?', 'other'],
};

// Rows in order: {message, at, state} with state one of '', 'new', 'replaced', 'moved', 'gone', 'was', 'left'.
function rowsOf(history, index) {
  const step = history.steps[index];
  const before = history.before(index);
  const list = history.list(index);
  const states = new Map();
  for (const { at } of step.inserted) states.set(at, 'new');
  for (const [, at] of step.moved) states.set(at, 'moved');
  const replaced = new Map(step.replaced.map(([at, old]) => [at, old]));
  const back = new Map(step.back.map(([was, at]) => [was, at]));
  // What left, by where it was; with where it stands now, if it does.
  const left = step.removed.map(({ at, message }) => ({ was: at, message, state: 'gone' }))
    .concat(step.moved.map(([was, to]) => ({ was, message: before[was], state: 'left', to })));
  left.sort((a, b) => a.was - b.was);
  const lost = new Set(left.map(({ was }) => was));
  const rows = [];
  let was = 0;
  let next = 0;
  const leave = (up) => {
    while (next < left.length && left[next].was < up) {
      const { message, state, to } = left[next];
      rows.push({ message: history.messages[message], state, to });
      next += 1;
    }
  };
  list.forEach((message, at) => {
    const state = states.get(at) ?? (replaced.has(at) ? 'replaced' : '');
    // What left a place is told before what stands there now.
    while (lost.has(was)) was += 1;
    leave(was);
    if (state !== 'new' && state !== 'moved') was += 1;
    if (replaced.has(at)) {
      rows.push({ message: history.messages[replaced.get(at)], state: back.has(at) ? 'left' : 'was', to: back.get(at) });
    }
    rows.push({ message: history.messages[message], at, state });
  });
  leave(Infinity);
  return rows;
}

// The rows with stretches of unchanged ones and cuts folded: {fold: rows} and {cut: rows}.
function folded(rows, step, isMarked) {
  const shown = rows.map((row) => Boolean(row.state) || row.at === step.question || row.at === step.taken
    || isMarked(row.message));
  const near = rows.length <= SHORT ? rows.map(() => true) : rows.map((_, at) =>
    shown.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(Boolean));
  const result = [];
  rows.forEach((row, at) => {
    const last = result.at(-1);
    if (row.state === 'gone') {
      if (last?.cut) last.cut.push(row);
      else result.push({ cut: [row] });
    } else if (near[at] || at === 0 || at === rows.length - 1) {
      result.push(row);
    } else if (last?.fold) {
      last.fold.push(row);
    } else {
      result.push({ fold: [row] });
    }
  });
  return result.flatMap((row) => (row.cut && row.cut.length <= CUT ? row.cut : row.fold?.length === 1 ? row.fold : [row]));
}

const make = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};

const many = (number, word) => `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`;

// What is special about a row, in words.
function marks(row, step) {
  const said = [];
  if (row.at !== undefined && row.at === step.question) {
    said.push(['current', row.at === step.taken ? '◀ the current question' : '◀ the question the person asked']);
  } else if (row.at !== undefined && row.at === step.taken) {
    said.push(['taken', step.question >= 0 || row.message.turn < step.turn
      ? '◀ the model takes this for the question' : '◀ the newest question in the list']);
  }
  const states = { new: 'new', replaced: 'took the id of the one above', moved: 'moved here', gone: 'gone', was: 'was here before',
    left: 'was here' };
  if (step.isCall) Object.assign(states, { new: 'for this call only', gone: 'not sent' });
  if (states[row.state]) said.push([row.state, states[row.state]]);
  return said;
}

// One message as an element of the list.
function element(row, step, isMarked) {
  const { message } = row;
  const [lane, letter, words] = LOOKS[message.kind];
  const button = make('button', { type: 'button', class: 'text', 'aria-expanded': 'false' },
    make('span', { class: 'who' }, words), ' ', make('span', { class: 'says' }, message.text));
  const item = make('li', { class: `row ${row.state} ${isMarked(message) ? 'marked' : ''}`, 'data-message': message.index },
    make('span', { class: 'at' }, row.at === undefined ? '' : String(row.at + 1)),
    make('span', { class: 'margin' }),
    make('span', { class: `lane ${lane}`, 'aria-hidden': 'true' }, make('i', { class: `block ${message.kind}` }, letter)),
    button,
    make('span', { class: 'marks' }, ...marks(row, step).map(([name, text]) => make('span', { class: `mark ${name}` }, text))));
  button.addEventListener('click', () => expand(item, button, message));
  return item;
}

// Shows the excerpt of a message and what is known of it, or hides it.
function expand(item, button, message) {
  const open = item.querySelector('.more');
  button.setAttribute('aria-expanded', String(!open));
  if (open) {
    open.remove();
  } else {
    const facts = [`${message.role} message`, many(message.length, 'byte'), `line ${message.line}`];
    if (message.turn) facts.push(`came in turn ${message.turn}`);
    if (message.id) facts.push(`id ${message.id}`);
    if (message.calls.length) facts.push(many(message.calls.length, 'tool call'));
    if (message.results.length) facts.push(`answers ${many(message.results.length, 'tool call')}`);
    item.append(make('div', { class: 'more' }, make('p', {}, message.text), make('p', { class: 'facts' }, facts.join(', '))));
  }
  item.dispatchEvent(new CustomEvent('layout', { bubbles: true }));
}
