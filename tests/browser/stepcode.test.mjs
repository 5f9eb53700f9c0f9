// The code beside step bars: what is seen of it first, which step it is of, and the address that shows it again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

const START = new Date('2026-01-01T12:00:00Z');
const ENVIRONMENT = { devices: [{ id: 'GPU-1', ordinal: 0, backend: 'cuda', name: 'NVIDIA H200', properties: {}, peers: [] }] };
const point = (step, size, value) => ({
  metric: 'throughput', unit: 'GFLOP/s', axes: { m: size, n: size, k: size, type: 'fp32', layout: 'nn', step, load: 'sustained' }, samples: [value],
});
const STEPS = ['coalesced', 'vectorized', 'double-buffered', 'warp-tiled'];
const measurements = [point('naive', 256, 100), ...STEPS.map((step, at) => point(step, 1024, 1000 * (at + 1)))];

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  const answer = await importInto(lab, linesOf({ at: START, experiment: 'matmul', environment: ENVIRONMENT }, measurements));
  assert.ok(answer.status < 300, answer.text);
});
after(async () => {
  await browser.close();
  await lab.close();
});

const open = (query = '') => page.goto(`${lab.address}/runs/${idAt(START)}${query}`);
const heading = (name) => page.locator('.step-detail').getByRole('heading', { name }).waitFor();
const region = () => page.locator('.step-detail').getByRole('region', { name: /^Source of Double buffering/ });
const choose = (name) => page.locator('.step-bar', { hasText: name }).locator('.step-choice').click();

test('a step without a bar at the chosen size has no code beside the bars', async () => {
  await open();
  await heading('Global-memory coalescing');
  await page.getByRole('combobox', { name: /^Size/ }).selectOption({ label: '256 × 256 × 256' });
  await heading('Naive');
});

test('the step of the largest jump is chosen by its name', async () => {
  await open();
  await heading('Global-memory coalescing');
  await page.locator('.step-jump').getByRole('button', { name: 'Vectorised loads' }).click(); // 1000, 2000, 3000, 4000
  await heading('Vectorised loads');
  assert.equal(new URL(page.url()).searchParams.get('step'), 'vectorized');
});

for (const [width, height] of [[390, 800], [1024, 900], [1440, 900], [2560, 1200]])
  test(`${width} px: the first marked line is seen, and nothing is printed over the code`, async () => {
    await page.setViewportSize({ width, height });
    await open();
    await choose('Double buffering');
    await heading('Double buffering');
    await region().locator('mark').first().waitFor();
    const [head, note, code, mark] = await browser.boxes(...['.code-head', '.code-note', '.code-text', 'mark'].map((one) => `.step-detail ${one}`));
    const described = JSON.stringify({ head, note, code, mark });
    assert.ok(note.y >= head.y + head.height - 1 && code.y >= note.y + note.height - 1, described);
    assert.ok(mark.y >= code.y && mark.y + mark.height <= code.y + code.height, described);
    await browser.faultless();
  });

test('a file without marked lines is folded, and its text is there when it is opened', async () => {
  const same = region().locator('details');
  assert.equal(await same.count(), 1);
  assert.match(await same.locator('summary').textContent(), /^\/\/ kernels\/\S+\/copies\.cuh\s*$/);
  const [folded] = await browser.boxes(same);
  await same.locator('summary').click();
  const [opened] = await browser.boxes(same);
  assert.ok(opened.height > 10 * folded.height, `${folded.height} px, then ${opened.height} px`);
  const { text } = await lab.get('/api/v1/experiments/matmul/sources/double-buffered?backend=cuda');
  assert.equal(await region().textContent(), text);
  assert.deepEqual(await browser.inaccessible(), []);
});

test('the address shows the chosen step again', async () => {
  assert.equal(new URL(page.url()).searchParams.get('step'), 'double-buffered');
  await page.reload();
  await heading('Double buffering');
  await browser.faultless();
});
