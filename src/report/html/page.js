// The page: filters over the findings, and the view of one history.

const view = document.getElementById('view');
const findings = [...document.querySelectorAll('.finding')];
const histories = new Map();
// What is shown: the history, the index of its step, the lines of the record that a finding names, and what was unfolded.
let shown = null;

function filter() {
  const form = document.getElementById('filters');
  if (!form) return;
  const apply = () => {
    const data = new FormData(form);
    const severities = new Set(data.getAll('severity'));
    const rule = data.get('rule');
    const words = data.get('text').trim().toLowerCase();
    let visible = 0;
    for (const finding of findings) {
      const fits = severities.has(finding.dataset.severity) && (!rule || finding.dataset.rule === rule)
        && (!words || finding.textContent.toLowerCase().includes(words));
      finding.hidden = !fits;
      visible += fits;
    }
    document.getElementById('shown').textContent = `${visible} of ${many(findings.length, 'finding')} shown`;
  };
  form.hidden = false;
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  apply();
}

function frame(history) {
  const range = make('input', { type: 'range', id: 'step', min: '0', max: String(history.steps.length - 1), value: '0' });
  const button = (label, id, act) => {
    const element = make('button', { type: 'button', id }, label);
    element.addEventListener('click', act);
    return element;
  };
  const notable = (way) => () => {
    for (let at = shown.index + way; at >= 0 && at < history.steps.length; at += way) {
      if (isNotable(history, at)) return go(at);
    }
    return undefined;
  };
  range.addEventListener('input', () => go(Number(range.value)));
  const all = make('input', { type: 'checkbox', id: 'all' });
  all.addEventListener('change', () => { shown.all = all.checked; show(); });
  const list = make('ol', { class: 'list', 'aria-label': 'The messages after this step' });
  list.addEventListener('layout', () => drawLines(list, shown.entries));
  const canvas = make('canvas', { class: 'overview', 'aria-hidden': 'true', title: 'Steps from left to right, messages from top to bottom' });
  canvas.addEventListener('click', (event) => {
    const box = canvas.getBoundingClientRect();
    go(Math.min(history.steps.length - 1, Math.floor(((event.clientX - box.left) / box.width) * history.steps.length)));
  });
  const session = document.querySelector(`a[href="#s${history.number}"]`);
  const parts = [
    make('h3', { id: 'view-title', tabindex: '-1' }, 'Session ', session?.textContent ?? ''),
    make('p', { class: 'file' }, session?.closest('tr').cells[1].textContent ?? ''),
    make('div', { class: 'strip' }, canvas, make('span', { class: 'cursor', 'aria-hidden': 'true' })),
    make('div', { class: 'controls', role: 'group', 'aria-label': 'Which step is shown' },
      button('◀ step', 'previous', () => go(shown.index - 1)),
      make('label', { for: 'step' }, 'Step'), range,
      button('step ▶', 'next', () => go(shown.index + 1)),
      button('◀ change', 'previous-change', notable(-1)),
      button('change ▶', 'next-change', notable(1)),
      make('label', { class: 'all' }, all, ' unfold all')),
    make('p', { id: 'told', 'aria-live': 'polite' }),
    make('ul', { class: 'legend lanes', 'aria-hidden': 'true' },
      ...['authored', 'injected', 'summary', 'system', 'assistant', 'reasoning', 'tool_call', 'tool_result'].map((kind) =>
        make('li', {}, make('i', { class: `block ${kind}` }, LOOKS[kind][1]), ` ${LOOKS[kind][2]}`))),
    list,
  ];
  if (history.calls.length) parts.push(chart(history, (step) => go(history.indexOf(step))));
  if (history.more) parts.push(make('p', { class: 'warning' }, `${many(history.more, 'step')} behind these are not drawn: the history is too long.`));
  view.replaceChildren(...parts);
  view.hidden = false;
  const style = getComputedStyle(view);
  const colors = Object.fromEntries(Object.keys(LOOKS).map((kind) => [kind, style.getPropertyValue(`--${kind.replace('_', '-')}`).trim()]));
  drawOverview(canvas, history, colors);
}

// Shows a step and says so in the address.
function go(index) {
  const { history } = shown;
  shown.index = Math.max(0, Math.min(history.steps.length - 1, index));
  shown.unfolded = new Set();
  window.history.replaceState(null, '', `#s${history.number}.${history.steps[shown.index].key}`);
  show();
}

function tell(history, step, index) {
  const told = [step.isCall ? `What a call sent after step ${step.number}` : `Step ${step.number}`];
  if (history.steps.length > 1) told[0] += ` (${index + 1} of ${history.steps.length})`;
  if (step.turn) told.push(`turn ${step.turn}`);
  const by = step.by.join(', ');
  if (!step.isCall) told.push(by ? (step.source === 'compaction' ? `${by} compaction` : `${step.source} by ${by}`) : step.source);
  told.push(`line ${step.line}`);
  const list = history.list(index);
  told.push(many(list.length, 'message'));
  const apart = step.taken >= 0 && (step.question >= 0 ? step.question !== step.taken : history.messages[list[step.taken]].turn < step.turn);
  return `${told.join(' · ')}.${apart ? ' The model takes another message for the question.' : ''}`;
}

// The button that unfolds messages that are not shown one by one.
function folder({ inner, name, at }) {
  const cut = shown.history.steps[shown.index].isCall ? 'not sent' : 'cut';
  const words = name === 'fold' ? `${many(inner.length, 'message')} as before` : `${cut}: ${many(inner.length, 'message')} ${cut === 'cut' ? 'gone' : 'of the history'}`;
  const button = make('button', { type: 'button', 'aria-expanded': String(shown.unfolded.has(at)) }, words);
  button.addEventListener('click', () => {
    if (!shown.unfolded.delete(at)) shown.unfolded.add(at);
    show();
    view.querySelector(`[data-fold="${at}"] button`)?.focus();
  });
  return make('li', { class: name, 'data-fold': String(at) }, button);
}

// Puts the elements of the entries into the list. Those at its ends that say what they said stay: from one step to the
// next most do.
function place(list, entries, create, keyOf) {
  const old = [...list.children].filter((item) => item.matches('li'));
  const keys = entries.map(keyOf);
  const same = (item, key) => item?.key === key && !item.querySelector('.more');
  let head = 0;
  while (head < keys.length && head < old.length && same(old[head], keys[head])) head += 1;
  let tail = 0;
  while (tail < keys.length - head && tail < old.length - head && same(old.at(-1 - tail), keys.at(-1 - tail))) tail += 1;
  old.slice(head, old.length - tail).forEach((item) => item.remove());
  const behind = tail ? old[old.length - tail] : null;
  entries.forEach((entry, at) => {
    if (at < head || at >= entries.length - tail) {
      entry.item = at < head ? old[at] : old[old.length - (entries.length - at)];
      const number = entry.row?.at === undefined ? '' : String(entry.row.at + 1);
      const shownAt = entry.row && entry.item.querySelector('.at');
      if (shownAt && shownAt.textContent !== number) shownAt.textContent = number;
    } else {
      entry.item = create(entry);
      entry.item.key = keys[at];
      list.insertBefore(entry.item, behind);
    }
  });
}

function show() {
  const { history, index, lines } = shown;
  const step = history.steps[index];
  const isMarked = (message) => lines.has(message.line);
  const list = view.querySelector('.list');
  const rows = shown.all ? rowsOf(history, index) : folded(rowsOf(history, index), step, isMarked);
  const wanted = rows.flatMap((row, at) => {
    const inner = row.fold ?? row.cut;
    if (!inner) return [{ row }];
    return [{ inner, name: row.fold ? 'fold' : 'cut', at }, ...(shown.unfolded.has(at) ? inner.map((one) => ({ row: one })) : [])];
  });
  place(list, wanted, (entry) => (entry.row ? element(entry.row, step, isMarked) : folder(entry)), (entry) => (entry.row
    ? JSON.stringify([entry.row.message.index, entry.row.state, entry.row.to, marks(entry.row, step), isMarked(entry.row.message)])
    : JSON.stringify([entry.name, entry.at, entry.inner.length, shown.unfolded.has(entry.at)])));
  shown.entries = wanted.filter((entry) => entry.row);
  drawLines(list, shown.entries);
  const range = document.getElementById('step');
  range.value = String(index);
  const told = tell(history, step, index);
  range.setAttribute('aria-valuetext', told);
  document.getElementById('told').textContent = told;
  document.getElementById('previous').disabled = index === 0;
  document.getElementById('next').disabled = index === history.steps.length - 1;
  view.querySelector('.cursor').style.left = `${(100 * (index + 0.5)) / history.steps.length}%`;
}

// Opens what the address names: `#s3`, `#s3.8` for its step 8, `#s3.8.14` for what line 14 of the record tells there.
function open(isStart) {
  const [, number, step, line] = /^#s(\d+)(?:\.(\d+(?:c\d+)?))?(?:\.(\d+))?$/.exec(window.location.hash) ?? [];
  if (number === undefined || !document.getElementById(`session-${number}`)) return;
  if (!histories.has(number)) histories.set(number, new History(Number(number)));
  const history = histories.get(number);
  if (!history.steps.length) {
    shown = null;
    view.replaceChildren(make('p', {}, 'No step of this history is recorded.'));
    view.hidden = false;
    return;
  }
  const first = history.steps.findIndex((_, index) => isNotable(history, index));
  const index = step === undefined ? Math.max(first, 0) : history.indexOf(step);
  const isOther = shown?.history !== history;
  shown = { history, index, lines: new Set(line ? [Number(line)] : []), unfolded: new Set(), all: shown?.all ?? false, entries: [] };
  if (isOther) frame(history);
  document.getElementById('all').checked = shown.all;
  show();
  document.querySelectorAll('.sessions tr').forEach((row) => row.classList.toggle('open', Boolean(row.querySelector(`a[href="#s${number}"]`))));
  if (isStart) return;
  const place = view.querySelector('.row.marked') ?? document.getElementById('view-title');
  document.getElementById('view-title').focus({ preventScroll: true });
  place.scrollIntoView({ block: place.matches('.row') ? 'center' : 'start' });
}

// Left and right step through the history, wherever no field takes the keys.
document.addEventListener('keydown', (event) => {
  if (!shown || event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const ways = { ArrowLeft: -1, ArrowRight: 1 };
  if (!view.contains(event.target) && event.target !== document.body) return;
  if (event.key in ways) {
    event.preventDefault();
    go(shown.index + ways[event.key]);
  }
});
window.addEventListener('hashchange', () => open(false));
let resized = 0;
window.addEventListener('resize', () => {
  cancelAnimationFrame(resized);
  resized = requestAnimationFrame(() => shown && drawLines(view.querySelector('.list'), shown.entries));
});
window.addEventListener('beforeprint', () => shown && drawLines(view.querySelector('.list'), shown.entries));

filter();
if (window.location.hash) {
  open(false);
} else {
  // What a reader came for: the history of the gravest finding, or else the first one.
  const wanted = document.body.dataset.open;
  const first = ['.finding.error a.draw', '.finding.warn a.draw', '.finding a.draw', '.sessions a.draw']
    .map((selector) => document.querySelector(selector)).find(Boolean);
  if (wanted || first) {
    window.history.replaceState(null, '', wanted ?? first.getAttribute('href'));
    open(true);
  }
}
