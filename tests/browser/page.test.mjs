// The page around the drawings: filters, other ways to read it, how it looks, and how it takes what is meant to hurt.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import { ROOT, SEED, audited, ctxlint, open, rows, start, stop, tells, transcript } from './support.mjs';

before(start);
after(stop);

test('filters leave what is asked for', async () => {
  const page = await open(audited('seed', SEED));
  const visible = () => page.locator('.finding:visible code:first-of-type').evaluateAll((codes) =>
    [...new Set(codes.map((code) => code.closest('.finding').dataset.rule))]);
  assert.deepEqual(await visible(), ['persisted-state', 'skipped-injection', 'id-swap']);
  await page.locator('input[value="warn"]').uncheck();
  assert.deepEqual(await visible(), ['id-swap']);
  assert.equal(await page.locator('#shown').textContent(), '1 of 3 findings shown');
  await page.locator('input[value="warn"]').check();
  await page.locator('select[name="rule"]').selectOption('skipped-injection');
  assert.deepEqual(await visible(), ['skipped-injection']);
  await page.locator('select[name="rule"]').selectOption('');
  await page.locator('input[name="text"]').fill('COMES BACK');
  assert.deepEqual(await visible(), ['id-swap']);
  await page.quiet();
});

test('without scripts the findings are there, and the drawings say what they need', async () => {
  const page = await open(audited('seed', SEED), { javaScriptEnabled: false });
  assert.equal(await page.locator('.finding').count(), 3);
  assert.equal(await page.locator('.model li').count(), 14);
  assert.equal(await page.locator('#filters').isVisible(), false);
  assert.match(await page.locator('noscript').textContent(), /need scripts/);
  await page.quiet();
});

test('in print there are no controls, and the paper is white', async () => {
  const page = await open(audited('seed', SEED), { colorScheme: 'dark' });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  assert.equal(await page.locator('.controls').isVisible(), false);
  assert.equal(await page.locator('#filters').isVisible(), false);
  assert.equal(await page.locator('.list .row').first().isVisible(), true);
  assert.equal(await page.locator('.finding').last().isVisible(), true);
  await page.quiet();
});

test('the policy of the page stops what is not its own', async () => {
  const page = await open(audited('seed', SEED));
  const tried = await page.evaluate(async () => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
    const fetched = await fetch('http://127.0.0.1:9/').then(() => true, () => false);
    return [window.ran === true, fetched];
  });
  assert.deepEqual(tried, [false, false]);
  await page.drop();
});

test('nothing that people with other eyes or hands would miss', async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  for (const colorScheme of ['light', 'dark']) {
    for (const width of [390, 1280]) {
      const page = await open(audited('seed', SEED), { colorScheme, viewport: { width, height: 900 } });
      await page.locator('.row .text').nth(1).click();
      await page.evaluate(axe);
      const { violations, passes } = await page.evaluate(() => window.axe.run());
      const found = violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
      assert.deepEqual(found, [], `${colorScheme}, ${width}`);
      assert.ok(passes.some(({ id }) => id === 'color-contrast'));
      await page.quiet();
    }
  }
});

const HOSTILE = [
  '<script>window.ran = 1</script>',
  '</script><script>window.ran = 2</script>',
  '<img src=x onerror="window.ran = 3">',
  '"><svg onload=window.ran=4>',
  '<!--<script>',
  '\u202egnp.exe\u2066',
  "';window.ran=5;//",
  '{{constructor.constructor("window.ran=6")()}}',
  '\u2028window.ran=7\u2029',
  '\u001b]8;;http://127.0.0.1:9\u0007link\u001b]8;;\u0007',
];

test('a hostile transcript runs nothing and shows everything', async () => {
  const long = `${'<b>word</b> '.repeat(90000)}the end`;
  const texts = [...HOSTILE, long];
  const messages = texts.flatMap((text, at) => [
    { type: 'human', id: `${HOSTILE[at % HOSTILE.length]}${at}`, content: text },
    { type: 'ai', id: `a${at}`, content: `answer ${at} ${text.slice(0, 60)}`, name: text.slice(0, 40) },
  ]);
  const lines = messages.map((message) => JSON.stringify(['updates', { [`node${HOSTILE[1]}`]: { messages: [message] } }]));
  const bytes = Buffer.concat([
    Buffer.from(`${lines.join('\n')}\n["updates", {"node": {"messages": [{"type": "human", "content": "`),
    Buffer.from([0xff, 0xfe, 0xc3, 0x28]),
    Buffer.from('"}]}}]\n'),
  ]);
  const page = await open(audited('hostile', transcript(`hostile "<img src=x onerror='window.ran=8'>.jsonl`, bytes)), { hash: '#s0' });
  await page.locator('#step').focus();
  await page.keyboard.press('End');
  await page.locator('#all').check();
  const shown = (await rows(page)).filter((row) => !['gone', 'was', 'left'].includes(row.state));
  assert.equal(shown.length, messages.length);
  assert.ok(shown.some((row) => row.text.startsWith('<script>window.ran = 1</script>')));
  assert.ok(shown.some((row) => row.text.startsWith('<b>word</b>')));
  assert.ok(await page.locator('.finding[data-rule="malformed-record"]').count() >= 1, 'the record that is no text is told');
  for (const button of await page.locator('.row .text').all()) await button.click();
  const seen = await page.evaluate(() => ({
    ran: window.ran,
    made: document.querySelectorAll('main img, main b, main script, main svg[onload]').length,
    bidi: /[\u202a-\u202e\u2066-\u2069\u200b\u001b\u2028\u2029]/.test(document.body.textContent),
  }));
  assert.deepEqual(seen, { ran: undefined, made: 0, bidi: false });
  await page.quiet();
});

test('the page of a check, and that of a replay', async () => {
  const file = join(process.env.FOLDER, 'check.html');
  assert.equal(ctxlint('check', '--isolated', '--no-cache', '--quiet', '--format', `html=${file}`, 'examples/defective'), 1);
  let page = await open(file);
  assert.equal(await page.locator('.finding[data-rule="head-scan-attach"]').count(), 1);
  assert.match(await page.locator('.finding pre').first().textContent(), /this search starts at the oldest message/);
  assert.equal(await page.locator('#sessions').count(), 0);
  await page.quiet();

  const { execFileSync } = await import('node:child_process');
  const replayed = execFileSync(process.env.CTXLINT, ['replay', '--isolated', '--format', 'html', '--turn', '3', SEED], { cwd: ROOT });
  page = await open(transcript('replay.html', replayed));
  await tells(page, /^Step \d+ \(\d+ of 15\) · turn 3 · input/);
  assert.equal(await page.locator('.finding').count(), 0);
  await page.quiet();
});

test('what became of an older run is told', async () => {
  const page = await open(audited('against', SEED, '--against', transcript('older.jsonl', readFileSync(join(ROOT, SEED)))));
  await page.locator('#files summary').click();
  assert.match(await page.locator('.compared li').textContent(), /\(session thread-idswap_head\) extends .*: 14 messages common, 0 added/);
  await page.quiet();
});

test('300 sessions with 60,000 messages are one page of under 20 MB', async () => {
  const words = 'river stone ledger copper window market garden signal harbour winter engine letter valley bridge candle meadow'.split(' ');
  // The same texts on every run.
  let seed = 7;
  const next = (most) => { seed = (seed * 1103515245 + 12345) % 2147483648; return seed % most; };
  const text = () => Array.from({ length: 42 }, () => words[next(words.length)]).join(' ');
  const records = [];
  for (let session = 0; session < 300; session += 1) {
    let parent = null;
    for (let number = 0; number < 200; number += 1) {
      const uuid = `${String(number).padStart(8, '0')}-0000-4000-8000-${String(session).padStart(12, '0')}`;
      const role = number % 2 ? 'assistant' : 'user';
      const usage = { input_tokens: 5, cache_read_input_tokens: 9000 + number * 90, cache_creation_input_tokens: 90, output_tokens: 40 };
      const message = number % 2
        ? { role, id: `m${session}-${number}`, model: 'claude-sonnet-4-5', content: [{ type: 'text', text: text() }], usage }
        : { role, content: text() };
      records.push(JSON.stringify({ parentUuid: parent, isSidechain: false, sessionId: `session-${session}`, version: '2.1.100', type: role,
        message, uuid, timestamp: `2026-04-01T09:${String(Math.floor(number / 60)).padStart(2, '0')}:${String(number % 60).padStart(2, '0')}.000Z` }));
      parent = uuid;
    }
  }
  const folder = join(process.env.FOLDER, 'many');
  const { mkdirSync } = await import('node:fs');
  mkdirSync(folder, { recursive: true });
  for (let session = 0; session < 300; session += 1) {
    writeFileSync(join(folder, `${session}.jsonl`), records.slice(session * 200, (session + 1) * 200).join('\n'));
  }
  const file = audited('many', folder);
  const begin = performance.now();
  const page = await open(file, { hash: '#s299' });
  console.log(`${(statSync(file).size / 1e6).toFixed(1)} MB, open after ${Math.round(performance.now() - begin)} ms`);
  assert.ok(statSync(file).size < 20e6, `${statSync(file).size} bytes`);
  assert.equal(await page.locator('.sessions tbody tr').count(), 300);
  await page.locator('#step').focus();
  await page.keyboard.press('End');
  await tells(page, /200 messages/);
  await page.quiet();
});

// At most so many of a thousand pixels may differ: fonts are drawn a little otherwise from one build of a browser to the next.
const TOLERANCE = 10;

// A picture of a whole page or of a part of it. Findings out of sight are painted when they come near, a frame or two later, and a
// picture may be taken before: everything is painted first.
async function painted(page, what, options) {
  await page.evaluate(async () => {
    for (const card of document.querySelectorAll('.finding')) card.style.contentVisibility = 'visible';
    await document.fonts.ready;
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
  });
  return what.screenshot(options);
}

// Holds what is seen to a stored picture, or stores it.
function looksLike(taken, name, stored) {
  if (process.env.UPDATE_SCREENSHOTS) {
    writeFileSync(stored, taken);
    return;
  }
  assert.ok(existsSync(stored), `${stored} is missing; UPDATE_SCREENSHOTS=1 .ci/browser takes it`);
  const [is, was] = [PNG.sync.read(taken), PNG.sync.read(readFileSync(stored))];
  assert.deepEqual([is.width, is.height], [was.width, was.height]);
  const difference = new PNG({ width: is.width, height: is.height });
  const apart = pixelmatch(is.data, was.data, difference.data, is.width, is.height, { threshold: 0.2 });
  const place = join(process.env.FOLDER, `difference-${name}.png`);
  writeFileSync(place, PNG.sync.write(difference));
  assert.ok((apart * 1000) / (is.width * is.height) <= TOLERANCE, `${apart} pixels differ: ${place}`);
}

for (const [width, colorScheme] of [[390, 'light'], [820, 'dark'], [1280, 'light']]) {
  test(`the page looks as it did, ${width} pixels wide`, async () => {
    const page = await open(audited('seed', SEED), { viewport: { width, height: 900 }, colorScheme });
    const taken = await painted(page, page, { fullPage: true });
    await page.quiet();
    looksLike(taken, width, new URL(`screenshots/seed-${width}.png`, import.meta.url).pathname);
  });
}

test('the picture in the docs is what the page draws of the seven turns', async () => {
  const page = await open(audited('seed', SEED), { viewport: { width: 900, height: 900 }, deviceScaleFactor: 1.5 });
  const taken = await painted(page, page.locator('#view'));
  await page.quiet();
  looksLike(taken, 'docs', join(ROOT, 'docs/pictures/history.png'));
});
