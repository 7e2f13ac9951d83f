// The drawing of a history: what is marked in it, how one steps through it, how one gets to it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ROOT, SEED, audited, open, rows, start, stop, tells, told, transcript } from './support.mjs';

before(start);
after(stop);

const FIRST = 'make me a product intro video';
const ASKED = 'remove the subtitles';

test('the seven turns: the move, the question and the one taken for it are drawn', async () => {
  const page = await open(audited('seed', SEED));
  await tells(page, /turn 7 .* 14 messages\. The model takes another message for the question\.$/);
  const shown = await rows(page);
  const marked = (words) => shown.filter((row) => row.marks.some((mark) => mark.includes(words))).map((row) => row.text);
  assert.deepEqual(marked('the question the person asked'), [ASKED]);
  assert.deepEqual(marked('the model takes this for the question'), [FIRST]);
  assert.deepEqual(marked('the current question'), []);
  assert.equal(shown[0].text, FIRST);
  assert.deepEqual(shown[0].marks, ['was here']);
  assert.equal(shown[1].who, 'injected');
  assert.deepEqual(shown[1].marks, ['took the id of the one above']);
  assert.equal(shown.at(-1).text, FIRST);

  // The arrow begins beside the place in turn one and ends beside the last row.
  const move = await page.locator('.lines .move').evaluateAll((paths) => paths.map((path) => {
    const at = (length) => {
      const point = path.getPointAtLength(length);
      return point.y + path.ownerSVGElement.getBoundingClientRect().top;
    };
    return [at(0), at(path.getTotalLength())];
  }));
  const boxes = await page.locator('.list .row').evaluateAll((items) => items.map((item) => {
    const box = item.getBoundingClientRect();
    return [box.top, box.bottom];
  }));
  assert.equal(move.length, 1);
  const within = (y, [top, bottom]) => assert.ok(y > top && y < bottom, `${y} is not between ${top} and ${bottom}`);
  within(move[0][0], boxes[0]);
  within(move[0][1], boxes.at(-1));
  await page.quiet();
});

test('the slider and the arrow keys step through the history', async () => {
  const page = await open(audited('seed', SEED));
  await page.locator('#step').focus();
  await page.keyboard.press('Home');
  await tells(page, /^Step 2 \(1 of 15\) · turn 1 · input · line \d+ · 1 message\.$/);
  await page.keyboard.press('ArrowRight');
  await tells(page, /^Step \d+ \(2 of 15\)/);
  await page.keyboard.press('End');
  await tells(page, /\(15 of 15\) · turn 7 .* 15 messages/);
  assert.equal(await page.locator('#next').isDisabled(), true);
  assert.equal(await page.locator('#step').getAttribute('aria-valuetext'), await told(page));
  // Outside the slider too, and the address follows.
  await page.locator('#view-title').focus();
  await page.keyboard.press('ArrowLeft');
  await tells(page, /\(14 of 15\)/);
  assert.match(page.url(), /#s0\.15$/);
  await page.locator('#previous-change').click();
  await tells(page, /\(14 of 15\)/, 'nothing before it did more than to add at the end');
  await page.reload();
  await tells(page, /\(14 of 15\)/);
  await page.quiet();
});

test('a finding leads to its place', async () => {
  const page = await open(audited('seed', SEED), { hash: '#s0.1' });
  const link = page.locator('.finding.error a.draw');
  await link.focus();
  await page.keyboard.press('Enter');
  await tells(page, /\(14 of 15\) · turn 7/);
  const texts = await page.locator('.row.marked .says').allTextContents();
  assert.ok(texts.includes(FIRST), texts.join());
  assert.equal(await page.locator('.row.marked').first().evaluate((row) => {
    const box = row.getBoundingClientRect();
    return box.top >= 0 && box.bottom <= window.innerHeight;
  }), true);
  await page.quiet();
});

test('a message shows its excerpt and what is known of it', async () => {
  const page = await open(audited('seed', SEED));
  const button = page.locator('.row.replaced .text');
  await button.focus();
  await page.keyboard.press('Enter');
  assert.equal(await button.getAttribute('aria-expanded'), 'true');
  const more = await page.locator('.row.replaced .more').textContent();
  assert.match(more, /<system-reminder>.*system message, \d+ bytes, line 27, came in turn 7, id u1$/);
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.more').count(), 0);
  await page.quiet();
});

// A run in the form of requests: enough to tell what came, what was cut and what was called.
const chat = (...requests) => requests.map((messages) => JSON.stringify({ model: 'some-model', messages })).join('\n');
const user = (content) => ({ role: 'user', content });
const assistant = (content) => ({ role: 'assistant', content });

test('tool pairs are joined, a cut is a line that unfolds', async () => {
  const call = { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tides', arguments: '{}' } }] };
  const result = { role: 'tool', tool_call_id: 'c1', content: 'high water at nine' };
  const early = Array.from({ length: 6 }, (_, at) => [user(`question ${at}`), assistant(`answer ${at}`)]).flat();
  const late = [user('when is high water?'), call, result, assistant('at nine')];
  const file = transcript('cut.jsonl', chat([...early, ...late], [...late, user('and low water?')]));
  const page = await open(audited('cut', file), { hash: '#s0' });
  await page.locator('#step').focus();
  await page.keyboard.press('End');
  while (!(await page.locator('.cut').count()) && !(await page.locator('#previous').isDisabled())) await page.locator('#previous').click();
  assert.equal(await page.locator('.cut button').textContent(), 'cut: 12 messages gone');
  assert.notEqual(await page.locator('.lines .pair').getAttribute('d'), '');
  await page.locator('.cut button').focus();
  await page.keyboard.press('Enter');
  const gone = (await rows(page)).filter((row) => row.state === 'gone').map((row) => row.text);
  assert.equal(gone.length, 12);
  assert.equal(gone[0], 'question 0');
  assert.equal(await page.locator('.cut button').getAttribute('aria-expanded'), 'true');
  await page.quiet();
});

test('a long history is folded, and unfolds whole', async () => {
  const messages = Array.from({ length: 1000 }, (_, at) => [user(`question ${at}`), assistant(`answer ${at}`)]).flat();
  const file = transcript('long.jsonl', chat(messages, [...messages, user('the last one')]));
  const page = await open(audited('long', file), { hash: '#s0' });
  await page.locator('#step').focus();
  await page.keyboard.press('End');
  await tells(page, /2,001 messages/);
  assert.ok(await page.locator('.row').count() < 50);
  assert.match(await page.locator('.fold button').first().textContent(), /^1,\d+ messages as before$/);
  await page.locator('#all').check();
  assert.equal(await page.locator('.row').count(), 2001);
  await page.keyboard.press('Tab');
  await page.quiet();
});

test('what a call sent beside the history is a step of its own, which the history does not go on from', async () => {
  const runs = readFileSync(join(ROOT, 'tests/fixtures/transcripts/langsmith/runs.export.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  for (const run of runs.filter((run) => run.run_type === 'llm')) {
    run.inputs.messages[0].push({ lc: 1, type: 'constructor', id: ['langchain', 'schema', 'messages', 'SystemMessage'],
      kwargs: { content: '<open_files>intro.mp4</open_files>', type: 'system' } });
  }
  const file = transcript('runs.jsonl', runs.map((run) => JSON.stringify(run)).join('\n'));
  const page = await open(audited('runs', file), { hash: '#s0.1' });
  await page.locator('#step').focus();
  await page.keyboard.press('Home');
  for (let at = 0; at < 4 && !(await told(page)).startsWith('What'); at += 1) await page.keyboard.press('ArrowRight');
  await tells(page, /^What a call sent after step \d+ .* 2 messages\.$/);
  assert.deepEqual((await rows(page)).map(({ text, who, marks }) => [text, who, marks]), [
    [FIRST, 'user', ['◀ the current question']],
    ['<open_files>intro.mp4</open_files>', 'injected', ['for this call only']],
  ]);
  const address = page.url();
  await page.keyboard.press('ArrowRight');
  assert.deepEqual((await rows(page)).map(({ text }) => text), [FIRST, `answer to: ${FIRST}`]);
  await page.goto(address);
  await tells(page, /^What a call sent after step/);
  await page.quiet();
});

test('what calls cost is drawn, and a break leads to its step', async () => {
  const usage = (read, written) => ({ input_tokens: 5, cache_read_input_tokens: read, cache_creation_input_tokens: written, output_tokens: 20 });
  let parent = null;
  const line = (number, type, message) => {
    const uuid = `0000000${number}-0000-4000-8000-000000000000`;
    const record = { parentUuid: parent, isSidechain: false, sessionId: 'harbour', version: '2.1.100', type, message, uuid,
      timestamp: `2026-04-01T09:00:0${number}.000Z` };
    parent = uuid;
    return JSON.stringify(record);
  };
  const answer = (number, read, written) => line(number, 'assistant', { role: 'assistant', id: `m${number}`, model: 'claude-sonnet-4-5',
    content: [{ type: 'text', text: `answer ${number}` }], usage: usage(read, written) });
  const ask = (number) => line(number, 'user', user(`question ${number}`));
  const file = transcript('cost.jsonl', [ask(1), answer(2, 0, 40000), ask(3), answer(4, 40000, 500), ask(5), answer(6, 9000, 31700)].join('\n'));
  const page = await open(audited('cost', file), { hash: '#s0.1' });
  const label = await page.locator('.chart').getAttribute('aria-label');
  assert.match(label, /^3 calls: 40 % of 121,215 tokens sent read from the cache, 31,500 tokens paid again in 1 break$/);
  await page.locator('.calls summary').click();
  await page.locator('.calls tbody button').click();
  await tells(page, /^Step 6 /);
  assert.match(await page.locator('#cost table').textContent(), /unexplained1/);
  await page.quiet();
});
