// Lines between rows: moves in the margin, tool pairs beside the lanes.

const SVG = 'http://www.w3.org/2000/svg';
// Lanes of the margin, each so many pixels.
const TRACKS = 4;
const TRACK = 9;

const draw = (name, attributes) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
};

// Draws over a list of rows: {row, item} each. Heights are asked of the rows only, so that long lists stay quick.
function drawLines(list, entries) {
  list.querySelector('svg')?.remove();
  const standing = new Map();
  for (const entry of entries) if (entry.row.at !== undefined) standing.set(entry.row.at, entry);
  const [first] = entries;
  if (!first) return;
  const box = list.getBoundingClientRect();
  const margin = first.item.querySelector('.margin').getBoundingClientRect();
  const lane = first.item.querySelector('.lane').getBoundingClientRect();
  const y = ({ item }) => item.offsetTop + margin.height / 2;
  const svg = draw('svg', { class: 'lines', width: box.width, height: list.scrollHeight, 'aria-hidden': 'true', focusable: 'false' });
  const end = margin.right - box.left - 3;
  entries.filter(({ row }) => row.state === 'left' && standing.has(row.to)).slice(0, 64).forEach((entry, number) => {
    const [from, to] = [y(entry), y(standing.get(entry.row.to))];
    const x = end - (1 + (number % TRACKS)) * TRACK;
    const turn = Math.sign(to - from) * Math.min(7, Math.abs(to - from) / 2);
    svg.append(
      draw('path', { class: 'move', 'data-from': entry.row.message.index, 'data-to': entry.row.to,
        d: `M${end} ${from}H${x + 7}Q${x} ${from} ${x} ${from + turn}V${to - turn}Q${x} ${to} ${x + 7} ${to}H${end - 3}` }),
      draw('path', { class: 'head', d: `M${end - 6} ${to - 4.5}L${end + 2} ${to}L${end - 6} ${to + 4.5}Z` }));
  });
  svg.append(draw('path', { class: 'pair', d: pairs(entries, y, lane.left - box.left, lane.width / 4) }));
  list.prepend(svg);
}

// The lines that join each call with its results, from lane to lane.
function pairs(entries, y, left, wide) {
  const lanes = ['program', 'user', 'assistant', 'tool'];
  const center = ({ row }) => left + wide * (lanes.indexOf(LOOKS[row.message.kind][0]) + 0.5);
  const open = new Map();
  const lines = [];
  for (const entry of entries) {
    if (entry.row.at === undefined) continue;
    for (const pair of entry.row.message.calls) open.set(pair, entry);
    for (const pair of entry.row.message.results) {
      const call = open.get(pair);
      if (!call) continue;
      // Calls of one message leave it side by side.
      const x = center(entry) + (lines.length % 3) * 2 - 2;
      lines.push(`M${center(call)} ${y(call)}H${x}V${y(entry)}`);
    }
  }
  return lines.join('');
}

// The whole history as a picture: a column a step, a line of pixels a place in the list.
function drawOverview(canvas, history, colors) {
  const count = history.steps.length;
  const width = Math.min(count, 900);
  const longest = history.lengths.reduce((most, length) => Math.max(most, length), 1);
  const height = Math.min(longest, 120);
  canvas.width = Math.max(width, 1);
  canvas.height = height;
  const context = canvas.getContext('2d');
  for (let x = 0; x < width; x += 1) {
    const index = Math.floor((x * count) / width);
    const list = history.list(index);
    let begun = 0;
    let color = null;
    for (let y = 0; y <= height; y += 1) {
      const at = Math.floor((y * longest) / height);
      const next = y < height && at < list.length ? colors[history.messages[list[at]].kind] : null;
      if (next === color) continue;
      if (color) {
        context.fillStyle = color;
        context.fillRect(x, begun, 1, y - begun);
      }
      begun = y;
      color = next;
    }
  }
}
