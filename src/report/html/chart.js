// What each call read from the provider's cache, wrote to it, and paid again.

const CHART = { width: 720, height: 130 };

function chart(history, choose) {
  const { calls } = history;
  const most = calls.reduce((top, call) => Math.max(top, call.read + call.written + call.input), 1);
  const wide = CHART.width / calls.length;
  const tall = CHART.height - 14;
  const bar = Math.max(wide * 0.8, 0.4);
  const paths = { read: '', written: '', input: '' };
  const breaks = [];
  calls.forEach((call, at) => {
    let top = CHART.height;
    for (const part of ['read', 'written', 'input']) {
      const height = (call[part] / most) * tall;
      top -= height;
      if (height > 0) paths[part] += `M${(at * wide).toFixed(2)} ${top.toFixed(2)}h${bar.toFixed(2)}v${height.toFixed(2)}h${(-bar).toFixed(2)}z`;
    }
    if (call.again) breaks.push([call, at]);
  });
  const read = calls.reduce((sum, call) => sum + call.read, 0);
  const sent = calls.reduce((sum, call) => sum + call.read + call.written + call.input, 0);
  const again = calls.reduce((sum, call) => sum + call.again, 0);
  const label = `${many(calls.length, 'call')}: ${Math.round((100 * read) / Math.max(sent, 1))} % of ${many(sent, 'token')} sent `
    + `read from the cache, ${many(again, 'token')} paid again in ${many(breaks.length, 'break')}`;
  const svg = draw('svg', { class: 'chart', viewBox: `0 0 ${CHART.width} ${CHART.height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label });
  for (const [part, d] of Object.entries(paths)) svg.append(draw('path', { class: part, d }));
  svg.append(draw('path', { class: 'again', d: breaks.map(([, at]) => `M${(at * wide + bar / 2).toFixed(2)} 0v10`).join('') }));
  svg.addEventListener('click', (event) => {
    const box = svg.getBoundingClientRect();
    const call = calls[Math.floor(((event.clientX - box.left) / box.width) * calls.length)];
    if (call) choose(call.step);
  });
  const legend = make('ul', { class: 'legend', 'aria-hidden': 'true' },
    ...[['read', 'read from the cache'], ['written', 'written to it'], ['input', 'neither'], ['again', 'paid again']]
      .map(([name, text]) => make('li', { class: name }, text)));
  const figure = make('figure', { class: 'calls' }, make('figcaption', {}, `Calls and the cache. ${label}.`), svg, legend);
  if (breaks.length) figure.append(breakTable(breaks, choose));
  return figure;
}

function breakTable(breaks, choose) {
  const body = make('tbody');
  for (const [call, at] of breaks) {
    const link = make('button', { type: 'button', class: 'link' }, `call ${at + 1}`);
    link.addEventListener('click', () => choose(call.step));
    body.append(make('tr', {}, make('th', { scope: 'row' }, link), make('td', { class: 'number' }, String(call.line)),
      make('td', { class: 'number' }, call.read.toLocaleString('en')),
      make('td', { class: 'number' }, `${call.estimated ? 'about ' : ''}${call.again.toLocaleString('en')}`),
      make('td', {}, call.cause)));
  }
  const heads = ['call', 'line', 'tokens read', 'tokens paid again', 'cause'];
  return make('details', {}, make('summary', {}, many(breaks.length, 'break')),
    make('div', { class: 'wide', tabindex: '0' }, make('table', {},
      make('thead', {}, make('tr', {}, ...heads.map((head, at) => make('th', { scope: 'col', class: at > 0 && at < 4 ? 'number' : '' }, head)))),
      body)));
}
