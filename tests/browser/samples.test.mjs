// The samples of a point: reached from every kind of chart, the table and a comparison, read with the pointer and the
// keyboard.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const at = new Date(Date.UTC(2026, 0, 1));
const scattered = Array.from({ length: 90 }, (_, i) => (0.618034 * i) % 1);
/** Two levels and an outlier, sample 46. */
const levels = scattered.map((share, i) => (i === 45 ? 10 : (i % 3 ? 50 : 60) + share));
const point = (bytes, samples, more) => ({ axes: { direction: 'h2d', memory: 'pinned', bytes }, samples, min: Math.min(...samples), max: Math.max(...samples), ...more });

const blocks = (median) => Array.from({ length: 3 }, (_, i) => [median + i / 10, median + i / 10]);

let lab, browser, page;
const runs = [
  linesOf({ at, n: 0 }, [4096, 65536, 1048576, 16777216].map((bytes, i) => point(bytes, i === 3 ? levels : scattered.map((share) => 10 * (i + 1) + share)))),
  linesOf({ at: new Date(at.getTime() + 1), n: 1, compare_with: { experiment: 'transfer', devices: [], parameters: {}, kernel: null } },
    [point(4096, levels, { side: 'base', rounds: blocks(50) }), point(4096, levels.map((value) => value / 2), { side: 'head', min: 5, max: 31, rounds: blocks(25) })]),
  linesOf({ at: new Date(at.getTime() + 2), n: 2 }, [{ axes: { direction: 'h2d', bytes: 4096 } }]),
  linesOf({ at: new Date(at.getTime() + 3), n: 3 }, [4096, 65536, 1048576].map((bytes, i) => point(bytes, scattered.map((share) => 20 * (i + 1) + share)))),
];
/** A run of a point with hardware counters and a prediction. */
const counters = [['dram_utilization', 0.9, '1'], ['dram_read_bytes', 3e9, 'B'], ['dram_written_bytes', 0, 'B']].map(([name, value, unit]) => ({ name, value, unit, metric: 'm' }));
const blockPoint = { variant: 'even', blocks_per_multiprocessor: 1, blocks: 1, load: 'sustained' };
runs.push(linesOf({ at: new Date(at.getTime() + 4), n: 4, experiment: 'thread-map' }, [
  point(0, [1, 1, 1], { axes: blockPoint, metric: 'time', unit: 's', counters }),
  { axes: blockPoint, metric: 'predicted_time', unit: 's', n: 1, median: 2, stop_reason: null },
]));
const [plain, compared, bare, other, counted] = runs.map(([{ id }]) => id);

/** By kind of chart whose values are written, a run of an experiment that begins with it: its values, and the title of
 * the second. */
const written = {
  bars: ['launch', 8, { metric: 'operation_time', unit: 's' }, (i) => ({ variant: 'launch-synchronize', argument_bytes: 8 << i })],
  ladder: ['matmul', 4, { metric: 'throughput', unit: 'GFLOP/s' }, (i) => ({ m: 512, n: 512, k: 512, type: 'fp32', layout: 'nn', step: ['naive', 'coalesced', 'tiled-8', 'cublas'][i], load: 'sustained' })],
  heat: ['occupancy-ilp', 4, { metric: 'bandwidth', unit: 'GB/s' }, (i) => ({ variant: 'copy', warps: i < 2 ? 1 : 8, independent: i % 2 ? 4 : 1, bytes: 134217728, load: 'sustained' })],
  matrix: ['peer', 4, { metric: 'bandwidth', unit: 'GB/s' }, (i) => ({ peer_access: true, engine: 'copy', access: i < 2 ? 'read' : 'write', pattern: 'pair', bytes: 134217728, opposing: false, source: i % 2 ? 'b' : 'a', target: i % 2 ? 'a' : 'b' })],
};
const writtenRuns = Object.fromEntries(Object.entries(written).map(([kind, [experiment, count, metric, axes]], at_) => {
  const points = Array.from({ length: count }, (_, i) => point(0, scattered.map((share) => 10 * (i + 1) + share), { axes: axes(i), ...metric }));
  return [kind, linesOf({ at: new Date(at.getTime() + 10 + at_), n: 10 + at_, experiment, devices: ['a', 'b'].map((id) => ({ id, name: 'NVIDIA H200', node: 'n1' })) }, points)];
}));
before(async () => {
  lab = await Lab.start();
  const answer = await importInto(lab, [...runs, ...Object.values(writtenRuns)].flat());
  assert.deepEqual(answer.json.errors, [], answer.text);
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const panel = () => page.getByRole('region', { name: 'Samples', exact: true });
const charts = () => panel().getByRole('application');
const words = async (locator) => (await locator.textContent()).replaceAll('\u00a0', ' ');
const chosen = () => new URL(page.url()).searchParams.get('samples');
async function open(path) {
  await page.goto(`${lab.address}/runs/${path}`);
  await charts().first().locator('svg path').first().waitFor();
}

test('the number of samples in the table shows them, with what they look like in words', async () => {
  await page.goto(`${lab.address}/runs/${plain}?tab=table`);
  await page.getByRole('row').filter({ hasText: '16 MiB' }).getByRole('button', { name: 'Show the 90 samples' }).click();
  await charts().locator('svg path').first().waitFor();
  assert.equal(chosen(), '3');
  assert.match(await words(panel().getByRole('heading')), /^Samples: Bandwidth · pinned · host → device · 16 MiB$/);
  const facts = await words(panel().locator('.sample-facts'));
  for (const part of ['90 samples', 'median 50.', 'levels 50.', '1 outlier, the farthest 10', 'bimodal']) assert.ok(facts.includes(part), `${part}: ${facts}`);
  assert.equal(await panel().locator('.sample-outliers').getAttribute('d').then((d) => d.split('z').length - 1), 1);
  assert.equal(await panel().locator('.sample-dots').getAttribute('d').then((d) => d.split('M').length - 1), 89);
  assert.deepEqual([...new Set((await panel().locator('.sample-marks text').allTextContents()).flatMap((text) => text.split(' · ')))].sort(), ['level', 'median', 'quartile']);
  assert.ok(await panel().locator('.sample-bars').getAttribute('d'));
  await browser.faultless();
});

test('the point is explained: what limits it above the samples, and what is known of it below', async () => {
  await open(`${plain}?samples=0`);
  assert.match(await words(panel().locator('.limit-line')), /^What limits it is not known\.$/);
  const details = panel().getByRole('region', { name: 'Explanation' });
  assert.match(await words(details), /^No other process used the device when the run began or ended\./);
  await open(`${counted}?samples=0`);
  assert.match(await words(panel().locator('.limit-line')), /^The limit is device memory, which moves 2\.794 GiB in /);
  const cells = async (name) => (await details.getByRole('region', { name }).getByRole('row').allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));
  assert.deepEqual(await cells('Hardware counters of one repetition'), ['CounterValueName of the device', 'DRAM utilisation0.9000m', 'DRAM bytes read2.794 GiBm', 'DRAM bytes written0 Bm']);
  assert.deepEqual(await cells('Predicted and counted'), ['FigurePredictedCountedMeasuredDifference', 'Predicted time2.000 s–1.000 sWhat was measured is 0.5000 times what was predicted.']);
  await browser.faultless();
});

test('they are read with the arrow keys and the pointer', async () => {
  await open(`${plain}?samples=3`);
  await charts().focus();
  await page.keyboard.press('ArrowRight');
  await soon(async () => assert.match(await words(panel().locator('.readout')), /^Sample 1 of 90\s*60\.00 GB\/s$/));
  await page.keyboard.press('End');
  await soon(async () => assert.match(await words(panel().locator('.readout')), /^Sample 90 of 90/));
  await page.keyboard.press('Home');
  for (let i = 0; i < 45; i++) await page.keyboard.press('ArrowRight');
  await soon(async () => assert.match(await words(panel().locator('.readout')), /^Sample 46 of 90\s*10\.00 GB\/s\s*outlier$/));
  const { x, y, width, height } = await charts().boundingBox();
  await page.mouse.move(x + width / 3, y + height / 2);
  await soon(async () => assert.match(await words(panel().locator('.readout')), /^Sample (?!46 )\d+ of 90/));
});

test('a point of the chart is chosen with Enter or a click', async () => {
  await page.goto(`${lab.address}/runs/${plain}`);
  const chart = page.locator('.line-chart');
  await chart.locator('.line').first().waitFor();
  await chart.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await charts().locator('svg path').first().waitFor();
  assert.equal(chosen(), '0');
  await panel().getByRole('button', { name: 'Close' }).click();
  assert.deepEqual([chosen(), await panel().count()], [null, 0]);
  const { x, y, width, height } = await chart.boundingBox();
  await page.mouse.move(x + width - 20, y + height / 3);
  await page.mouse.click(x + width - 20, y + height / 3);
  await soon(() => assert.equal(chosen(), '3'));
  await panel().getByRole('button', { name: 'Close' }).click();
  const box = await chart.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2, { steps: 4 });
  await page.mouse.up();
  await soon(() => assert.ok(new URL(page.url()).searchParams.get('zoom'), 'a drag zooms'));
  assert.equal(chosen(), null, 'and shows no samples');
  await browser.faultless();
});

test('a point can be chosen before the page has loaded what shows its samples', async () => {
  const fresh = await browser.chromium.newContext();
  const early = await fresh.newPage();
  let answer;
  const pressed = new Promise((resolve) => (answer = resolve));
  await early.route(/\/rest[-.\w]*js$/, async (route) => {
    await pressed;
    await route.continue();
  });
  await early.goto(`${lab.address}/runs/${plain}`);
  const chart = early.locator('.line-chart');
  await chart.locator('.line').first().waitFor();
  await chart.focus();
  await early.keyboard.press('ArrowRight');
  await early.keyboard.press('Enter');
  answer();
  await early.getByRole('region', { name: 'Samples', exact: true }).locator('svg path').first().waitFor();
  await fresh.close();
});

test('a double click that shows the whole range again shows no samples; a click in a part of the range does', async () => {
  await page.goto(`${lab.address}/runs/${plain}?zoom=4096..2000000`);
  const chart = page.locator('.line-chart');
  await chart.locator('.line').first().waitFor();
  const zoom = () => new URL(page.url()).searchParams.get('zoom');
  const place = async () => {
    const { x, y, width, height } = await chart.boundingBox();
    await page.mouse.move(x + width - 20, y + height / 3);
    return [x + width - 20, y + height / 3];
  };
  await page.mouse.click(...(await place()));
  await soon(() => assert.equal(chosen(), '2'));
  assert.ok(zoom());
  await panel().getByRole('button', { name: 'Close' }).click();
  await page.mouse.dblclick(...(await place()));
  await soon(() => assert.equal(zoom(), null));
  assert.deepEqual([chosen(), await panel().count()], [null, 0]);
  await browser.faultless();
});

for (const kind of Object.keys(written))
  test(`the values of a chart of kind ${kind} show their samples`, async () => {
    await page.goto(`${lab.address}/runs/${writtenRuns[kind][0].id}`);
    const values = page.locator('.chart-area .samples-button');
    await soon(async () => assert.equal(await values.count(), written[kind][1]));
    await page.getByText('Press a value to see its samples.').waitFor();
    await values.nth(1).click();
    await charts().locator('svg path').first().waitFor();
    const { metric, axes } = writtenRuns[kind][3];
    assert.equal(chosen(), '1');
    await soon(async () => assert.match(await words(panel().locator('.sample-facts')), /^90 samples\s*median 20\.\d+/), JSON.stringify([metric, axes]));
    await values.first().focus();
    await page.keyboard.press('Enter');
    await soon(() => assert.equal(chosen(), '0'));
    await browser.faultless();
  });

test('the arrow keys move between the cells of a table, and Tab leaves it', async () => {
  await page.goto(`${lab.address}/runs/${writtenRuns.heat[0].id}`);
  const values = page.locator('.chart-area .samples-button');
  await values.first().waitFor();
  const focused = () => page.evaluate(() => [...document.querySelectorAll('.chart-area .samples-button')].indexOf(document.activeElement));
  await values.first().focus();
  for (const [key, at_] of [['ArrowRight', 1], ['ArrowRight', 1], ['ArrowDown', 3], ['ArrowLeft', 2], ['ArrowUp', 0], ['Tab', -1]]) {
    await page.keyboard.press(key);
    assert.equal(await focused(), at_, key);
  }
});

test('the samples of two runs are compared on one scale', async () => {
  await page.goto(`${lab.address}/compare?base=${plain}&head=${other}`);
  await page.getByRole('row').filter({ hasText: '64 KiB' }).getByRole('button').first().click();
  await soon(async () => assert.equal(await charts().count(), 2));
  assert.deepEqual(await panel().getByRole('heading', { level: 3 }).allTextContents(), ['Base', 'Head']);
  const facts = await panel().locator('.sample-facts').allTextContents();
  assert.deepEqual(facts.map((text) => /median (\d+)/.exec(text)[1]), ['20', '40']);
  assert.equal(chosen(), '1');
  await browser.faultless();
  await page.reload();
  await soon(async () => assert.equal(await charts().count(), 2));
  await panel().getByRole('button', { name: 'Close' }).click();
  assert.deepEqual([chosen(), await panel().count()], [null, 0]);
  const chart = page.locator('.curves-chart').first();
  await chart.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await chart.boundingBox();
  await page.mouse.move(x + width - 20, y + height / 2);
  await page.mouse.click(x + width - 20, y + height / 2);
  await soon(() => assert.equal(chosen(), '2'));
  await page.goto(`${lab.address}/compare?run=${compared}&samples=0`);
  await soon(async () => assert.equal(await charts().count(), 2));
  await page.goto(`${lab.address}/runs/${compared}`);
  await page.getByRole('region', { name: 'Verdicts', exact: true }).getByRole('button').first().click();
  await soon(async () => assert.equal(await charts().count(), 2));
});

test('both sides of a comparison are shown on one scale', async () => {
  await open(`${compared}?samples=1`);
  await soon(async () => assert.equal(await charts().count(), 2));
  assert.deepEqual(await panel().getByRole('heading', { level: 3 }).allTextContents(), ['Base', 'Head']);
  const ticks = await charts().evaluateAll((all) => all.map((one) => [...one.querySelectorAll('.xy-grid text')].map(({ textContent }) => textContent).join()));
  assert.equal(ticks[0], ticks[1]);
  assert.ok((await panel().locator('.sample-dots').evaluateAll((all) => all.map((one) => getComputedStyle(one).stroke))).every((colour, i, all) => all.indexOf(colour) === i));
});

test('they are saved as a picture, and the page fits a phone and axe finds nothing', async () => {
  await open(`${plain}?samples=3`);
  const [file] = await Promise.all([page.waitForEvent('download'), panel().getByRole('button', { name: 'SVG', exact: true }).click()]);
  const picture = readFileSync(await file.path(), 'utf8').replaceAll('\u00a0', ' ');
  assert.match(picture, /Samples: Bandwidth · pinned · host → device · 16 MiB/);
  assert.match(picture, /1 outlier, the farthest 10/);
  assert.match(file.suggestedFilename(), /^transfer-samples-/);
  const { width, height } = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 800 });
  await browser.fits('samples at 360 px');
  assert.deepEqual(await browser.inaccessible(), []);
  await page.setViewportSize({ width, height });
});

test('what is not stored, and a position that the run does not have, say so', async () => {
  await page.goto(`${lab.address}/runs/${bare}?samples=0`);
  await soon(async () => assert.match(await words(panel()), /The samples of this point are not stored: they were removed, or left out of an export\./));
  await page.goto(`${lab.address}/runs/${bare}?samples=7`);
  await soon(async () => assert.match(await words(panel()), /The run has no such measurement\./));
  await page.goto(`${lab.address}/runs/${bare}?samples=x`);
  await page.getByRole('tab', { name: 'Table' }).waitFor();
  assert.equal(await panel().count(), 0);
});
