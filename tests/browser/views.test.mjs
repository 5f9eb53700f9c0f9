// Kinds of views with made-up measurements: tables of cells over two axes, one metric over another, lines over the
// working set with predictions, and bars with a library. Every value on the page must be that of its measurement.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, soon, until } from '../harness/lab.mjs';

const KIB = 1024;
const device = {
  id: 'GPU-1', ordinal: 0, backend: 'cuda', name: 'Made-up GPU', peers: [], state: 'available',
  properties: { l2_bytes: 50 * KIB * KIB, shared_per_multiprocessor_bytes: 228 * KIB },
};
const steps = ['naive', 'tiled', 'library'];
const axis = (name, title, unit = null) => ({ name, title, unit });
const view = (name, kind, metric, x, more) => ({ name, title: `View ${name}`, kind, metric, x, y: null, log_x: false, log_y: false, ...more });
const experiment = {
  name: 'made-up', title: 'Made up', subject: 'memory', summary: 'Every kind of view.', explanation: 'Nothing is measured.',
  devices: { min: 1, max: 1, several_machines: false }, sources: [], presets: {},
  parameters: { type: 'object', properties: { step: { title: 'Step', type: 'array', anyOf: [{ type: 'string', enum: steps }], default: steps } } },
  axes: [axis('variant', 'Variant'), axis('step', 'Step'), axis('warps', 'Warps'), axis('ilp', 'ILP'), axis('n', 'Elements'),
    axis('block', 'Threads per block'), axis('working_set', 'Working set', 'B')],
  metrics: [
    { name: 'bandwidth', title: 'Bandwidth', unit: 'GB/s', formula: 'bytes / time' },
    { name: 'time', title: 'Time', unit: 's', formula: 'time' },
    { name: 'error', title: 'Largest error', unit: '1', formula: 'relative' },
    { name: 'latency', title: 'Latency', unit: 'cycles', formula: 'time x clock / steps' },
    { name: 'predicted_latency', title: 'Predicted latency', unit: 'cycles', formula: 'computed, not measured' },
    { name: 'throughput', title: 'Throughput', unit: 'GB/s', formula: 'bytes / time' },
  ],
  views: [
    view('heat', 'heat', 'bandwidth', 'warps', { y: 'ilp' }),
    view('scatter', 'scatter', 'error', 'time', { y: 'n', log_x: true, log_y: true }),
    view('line', 'line', 'latency', 'working_set', { log_x: true, log_y: true }),
    view('ladder', 'ladder', 'throughput', 'step'),
  ],
};
const measured = (metric, axes, median, more) => ({
  metric, axes, median, unit: experiment.metrics.find(({ name }) => name === metric).unit, q1: median * 0.99, q3: median * 1.01, n: 5,
  noise: 0.01, verified: true, wrong: 0, stop_reason: 'converged', kernel: null, skipped: null, ...more,
});
const warps = [1, 2, 4, 8, 16, 32, 64], ilps = [1, 2, 4, 8];
const sizes = Array.from({ length: 21 }, (_, at) => KIB * 2 ** at);
const elements = [1e3, 1e4, 1e5, 1e6];
const latency = (bytes) => (bytes <= 228 * KIB ? 34 : bytes <= 50 * KIB * KIB ? 286 : 665);
const measurements = [
  ...['copy', 'arithmetic'].flatMap((variant) => warps.flatMap((count) => ilps.map((ilp) =>
    measured('bandwidth', { variant, warps: count, ilp }, Math.min(4000, 70 * count * ilp * (variant === 'copy' ? 1 : 0.4)),
      count * ilp > 256 && { verified: false, wrong: 3 })))),
  ...elements.flatMap((n, at) => [
    measured('time', { variant: 'plain', n }, 1e-9 * n + 2e-6), measured('error', { variant: 'plain', n }, 1e-8 * 3 ** at),
    measured('time', { variant: 'kahan', n }, 4e-9 * n + 2e-6), measured('error', { variant: 'kahan', n }, at ? 4e-8 : 0),
  ]),
  ...sizes.flatMap((bytes) => [
    measured('latency', { variant: 'chase', working_set: bytes }, latency(bytes) * 1.1),
    measured('predicted_latency', { variant: 'chase', working_set: bytes }, latency(bytes)),
  ]),
  ...[128, 256].flatMap((block) => [
    measured('throughput', { step: 'naive', n: 4096, block }, block * 2), measured('throughput', { step: 'tiled', n: 4096, block }, block * 4),
  ]),
  measured('throughput', { step: 'library', n: 4096 }, 2048),
  measured('throughput', { step: 'swizzled', n: 4096, block: 256 }, null, { skipped: 'too few registers', verified: null }),
];
const run = {
  id: '00000000-0000-7000-8000-000000000000', revision: 1, experiment: 'made-up', status: 'succeeded', devices: [{ id: device.id, name: device.name, node: null }], parameters: {},
  tags: [], note: '', pinned: false, created_at: '2026-01-01T00:00:00Z', started_at: '2026-01-01T00:00:00Z', finished_at: '2026-01-01T00:00:01Z',
  warnings: [], notes: [], error: null, measurement_count: measurements.length, wrong_count: 0, environment: { devices: [device] }, measurements,
};

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.route('**/api/v1/experiments', (route) => route.fulfill({ json: { subjects: [{ name: 'memory', title: 'Memory' }], experiments: [experiment] } }));
  await page.route(`**/api/v1/runs/${run.id}/experiment`, (route) => route.fulfill({ json: experiment }));
  await page.route('**/api/v1/experiments/made-up/references', (route) => route.fulfill({ json: { references: [] } }));
  await page.route(`**/api/v1/runs/${run.id}`, (route) => route.fulfill({ json: run }));
  await page.goto(`${lab.address}/runs/${run.id}`);
  await page.getByRole('group', { name: 'View', exact: true }).waitFor();
  await page.getByText('Values of this chart as a table').click();
});
after(async () => {
  await browser.close();
  await lab.close();
});

const show = (name) => page.getByRole('group', { name: 'View', exact: true }).getByRole('button', { name: `View ${name}`, exact: true }).click();
const number = (text) => parseFloat(text.replace('✗', '').replaceAll(',', ''));

async function noProblems(name) {
  assert.deepEqual(browser.problems.splice(0), []);
  assert.deepEqual(await browser.inaccessible(), []);
  const { width, height } = page.viewportSize();
  for (const narrow of [390, 320]) {
    await page.setViewportSize({ width: narrow, height: 844 });
    await browser.fits(`${name} at ${narrow} px`);
  }
  await page.setViewportSize({ width, height });
}

test('a heat table has the value of each pair of the two axes, for each value of the others', async () => {
  await show('heat');
  await page.locator('.matrix').first().waitFor();
  const tables = await page.locator('.matrix').evaluateAll((all) => all.map((one) => ({
    title: one.querySelector('.matrix-title').textContent,
    heads: [...one.querySelectorAll('thead th')].map((head) => head.textContent),
    rows: [...one.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent)),
  })));
  assert.deepEqual(tables.map(({ title }) => title), ['copy in TB/s', 'arithmetic in TB/s']);
  for (const [at, variant] of ['copy', 'arithmetic'].entries()) {
    assert.deepEqual(tables[at].heads, warps.map(String));
    const values = (ilp) => warps.map((count) =>
      measurements.find(({ metric, axes }) => metric === 'bandwidth' && axes.variant === variant && axes.warps === count && axes.ilp === ilp).median / 1000);
    assert.deepEqual(tables[at].rows.map(([head]) => head), ilps.map(String));
    tables[at].rows.forEach(([head, ...cells]) => assert.deepEqual(cells.map(number), values(Number(head))));
  }
  assert.equal(await page.locator('.matrix .wrong').count(), 2);
  await page.getByRole('button', { name: 'Copy table' }).click();
  await soon(async () => assert.match(await page.evaluate(() => navigator.clipboard.readText()), /ILP \\ Warps\t1\t2\t4\t8\t16\t32\t64\n1\t70\t140/));
  await noProblems('heat');
});

test('a scatter chart has a point for each value of its axis, readable by keyboard and as a table', async () => {
  await show('scatter');
  const chart = page.getByRole('group', { name: /^View scatter, a point for each elements/ });
  await chart.waitFor();
  await soon(async () => assert.equal(await chart.getByRole('img').count(), 2 * elements.length));
  await chart.getByRole('img').first().focus();
  await page.keyboard.press('End');
  const words = await page.evaluate(() => document.activeElement.getAttribute('aria-label').replaceAll('\u00a0', ' '));
  assert.equal(words, 'kahan · elements 1,000,000, time 4.002 ms, largest error 4.000e-8');
  const table = page.getByRole('table', { name: 'View scatter: exact values' });
  assert.equal(await table.locator('tbody tr:not(.series-row)').count(), 2 * elements.length);
  // The value of 0 is at the lower end of the logarithmic axis.
  assert.equal(await chart.locator('.xy-grid text').filter({ hasText: /^0$/ }).count(), 1);
  await noProblems('scatter');
});

test('a line over the working set has predictions in the legend and names the sizes of caches', async () => {
  await show('line');
  await page.getByRole('application', { name: /View line/ }).waitFor();
  await page.getByText('Thin dashed lines are predictions, computed and not measured. Vertical lines are the sizes of caches.').waitFor();
  const [box] = await browser.boxes('.line-chart .line-plot');
  await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2);
  await until(async () => /37\.40\scycles, predicted 34\.00\scycles/.test(await page.locator('.legend-value').first().textContent()), 'the value and its prediction');
  await page.mouse.move(0, 0);
  await noProblems('line');
});

test('a library is the reference of bars, also where it lacks one of their axes', async () => {
  await show('ladder');
  await page.locator('.step-bar').first().waitFor();
  const shares = () => page.locator('.step-bar').evaluateAll((bars) => bars.map((bar) => bar.querySelector('.step-bar-share').textContent.replaceAll('\u00a0', ' ')));
  assert.deepEqual(await shares(), ['25.0 % of library', '50.0 % of library', 'reference']);
  const skipped = page.getByText('1 point skipped: the table of the run says why.');
  await skipped.waitFor();
  await page.getByRole('combobox', { name: 'Elements × threads per block' }).selectOption({ label: '4,096 × 128' });
  await soon(async () => assert.deepEqual(await shares(), ['12.5 % of library', '25.0 % of library', 'reference']));
  assert.equal(await skipped.count(), 0, 'none of this size');
  assert.equal(await page.locator('.step-bar-reference:visible').count(), 3);
  await noProblems('ladder');
});

test('the label of a peak has a ground between it and the lines; references at other sizes are said not to compare', async () => {
  const peak = { value: 300, what: 'made-up limit' };
  const limited = measurements.map((one) => (one.metric === 'latency' ? { ...one, peak } : one));
  const reference = { system: 'Made-up GPU', metric: 'latency', unit: 'cycles', value: 1, parameters: {}, axes: { variant: 'chase', working_set: 3 }, source: 'nowhere' };
  await page.route(`**/api/v1/runs/${run.id}`, (route) => route.fulfill({ json: { ...run, measurements: limited } }));
  await page.route('**/api/v1/references?*', (route) => route.fulfill({ json: { references: [reference] } }));
  await page.goto(`${lab.address}/runs/${run.id}?view=line`);
  await page.getByText('peak: made-up limit').waitFor();
  const [ground, text] = await browser.boxes('.levels rect', '.levels text');
  assert.ok(ground.x <= text.x && ground.x + ground.width >= text.x + text.width, JSON.stringify([ground, text]));
  await page.getByRole('tab', { name: 'References', exact: true }).click();
  await page.getByText('None of them can be compared with this run').waitFor();
  await browser.faultless();
});
