// What the tests share: pages made by the program, and a browser that tells everything that it does.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const { CTXLINT, CHROMIUM, FOLDER } = process.env;
export const ROOT = new URL('../..', import.meta.url).pathname;
export const SEED = 'tests/fixtures/transcripts/idswap_head/stream.checkpoints.jsonl';

mkdirSync(FOLDER, { recursive: true });

// Runs ctxlint in the repository; its exit status is returned.
export function ctxlint(...args) {
  try {
    execFileSync(CTXLINT, args, { cwd: ROOT, stdio: 'pipe', maxBuffer: 1 << 30 });
    return 0;
  } catch (error) {
    if (typeof error.status !== 'number') throw error;
    assert.ok(error.status <= 1, `${args.join(' ')}\n${error.stderr}`);
    return error.status;
  }
}

// The page that `audit` writes of these paths.
export function audited(name, ...paths) {
  const file = join(FOLDER, `${name}.html`);
  ctxlint('audit', '--isolated', '--quiet', '--format', `html=${file}`, ...paths);
  return file;
}

// Writes a transcript for a test.
export function transcript(name, text) {
  const file = join(FOLDER, name);
  writeFileSync(file, text);
  return file;
}

let browser;

export async function start() {
  // As root, which CI is, there is no sandbox; the pages are our own.
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--font-render-hinting=none'] });
}

export async function stop() {
  await browser.close();
}

// Opens a page; at its end `quiet` holds it to having asked for nothing and complained of nothing.
export async function open(file, { hash = '', ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options });
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  const heard = [];
  page.on('console', (message) => heard.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => heard.push(`error: ${error.stack}`));
  page.on('dialog', (dialog) => { heard.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
  page.on('request', (request) => { if (request.url().split('#')[0] !== url) heard.push(`request: ${request.url()}`); });
  page.on('popup', () => heard.push('popup'));
  await page.goto(url + hash);
  page.quiet = async () => {
    assert.deepEqual(heard, []);
    await context.close();
  };
  page.drop = () => context.close();
  return page;
}

// What the line above the list says.
export const told = (page) => page.locator('#told').textContent();

// Waits until that line says something: an address that changed is looked at a moment later.
export async function tells(page, words, why) {
  await page.waitForFunction(([source]) => new RegExp(source, 'u').test(document.getElementById('told')?.textContent ?? ''),
    [words.source], { timeout: 5000 }).catch(() => {});
  assert.match(await told(page), words, why);
}

// The rows that stand in the list: their texts and marks.
export const rows = (page) => page.locator('.list .row').evaluateAll((items) => items.map((item) => ({
  state: item.className.replace('row', '').trim(),
  text: item.querySelector('.says').textContent,
  who: item.querySelector('.who').textContent,
  marks: [...item.querySelectorAll('.mark')].map((mark) => mark.textContent),
})));
