// Explanations on the page: what their Markdown becomes, and that no text of theirs becomes markup or leads out of the
// lab.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab } from '../harness/lab.mjs';

const cases = JSON.parse(readFileSync(new URL('../prose.json', import.meta.url), 'utf8'));

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

/** Shows the lesson of stream with this explanation, and a step for each of `steps`, {title, explanation}. */
async function showLesson(explanation, steps) {
  const { json } = await lab.get('/api/v1/experiments/stream');
  const sources = steps.map((step, at) => ({ ...json.sources[0], step: `step-${at}`, ...step }));
  await page.route('**/api/v1/experiments/stream', (route) => route.fulfill({ json: { ...json, explanation, sources } }));
  await page.goto(`${lab.address}/experiments/stream`);
  await page.locator('#idea .prose').waitFor();
  await page.unroute('**/api/v1/experiments/stream');
}

test('each part of an explanation becomes its elements, and everything else stays text', async () => {
  await showLesson('An idea.', cases.map(({ what, text }) => ({ title: what, explanation: text })));
  const shown = await page.locator('.source > .prose').evaluateAll((all) => all.map((one) => one.innerHTML));
  for (const [at, { what, page: expected }] of cases.entries()) assert.equal(shown[at], expected, what);
  assert.deepEqual(browser.problems, []);
});
