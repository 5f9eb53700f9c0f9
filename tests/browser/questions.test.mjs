// Questions that a user has. Each is answered on the screen, without scrolling, after at most three clicks from the
// first page. Runs of which the values matter are imported, so that no answer depends on this machine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { around, environmentOf, historyLines } from '../harness/history.mjs';
import { endless, Lab, small, soon } from '../harness/lab.mjs';

const CLICKS_MAX = 3;
const HOUR_MS = 3_600_000;
const hoursAgo = (hours) => new Date(Date.now() - hours * HOUR_MS);
const headline = (title, { metric, unit, axes }, value) => [{ title, metric, unit, value, axes, lowest: false }];

/** A run with the first headline `title`, and measurements of which that is the first. */
const runOf = (hours, fields, title, measurements) =>
  linesOf({ at: hoursAgo(hours), ...fields, headline: headline(title, measurements[0], measurements[0].samples[0]) }, measurements);

const speedup = (variant, streams, value) => ({
  metric: 'speedup', unit: '1', samples: [value],
  axes: { kernel: 'waves', bytes: 1 << 24, memory: 'pinned', weight: 8, chunks: 4, variant, streams, replay: 'stream' },
});
const step = (name, value) => ({
  metric: 'throughput', unit: 'GFLOP/s', samples: [value], axes: { m: 4096, n: 4096, k: 4096, type: 'fp32', layout: 'nn', step: name, load: 'sustained' },
});
const pair = (source, target, value) => ({
  metric: 'bandwidth', unit: 'GB/s', samples: [value],
  axes: { peer_access: true, engine: 'copy', access: 'write', pattern: 'pair', bytes: 1 << 27, opposing: false, source, target },
});
const copy = (value) => ({ metric: 'bandwidth', unit: 'GB/s', axes: { kernel: 'copy', bytes: 1 << 26 }, samples: Array.from({ length: 30 }, (_, at) => value + 0.01 * (at % 5)) });
const gpus = (...ids) => ids.map((id, ordinal) => ({ id, ordinal, backend: 'cuda', name: 'NVIDIA H200', properties: {}, peers: [] }));

const BEFORE = 15, AFTER = 6; // nights before and after an update of the driver
const nights = historyLines([...around(50, BEFORE), ...around(47, AFTER)], (night) => ({
  tags: ['nightly'], environment: environmentOf(night < BEFORE ? '570.1' : '580.2'), parameters: { seed: 1, max_bytes: 1048576 },
}));
const nightIds = nights.filter(({ type }) => type === 'run').map(({ id }) => id);
const failed = linesOf({
  at: hoursAgo(2), n: 70, experiment: 'reduction', status: 'failed',
  error: { type: '/problems/device-lost', title: 'Device lost', status: 500, detail: 'The device fell off the bus.' },
}, []);
const LAST = 27, streams = [...around(4000, LAST - 1), 4000, 4400]; // bandwidths
const runs = [
  ...nights.map((line) => (line.type === 'measurement' ? { ...line, conditions: { sm_clock_mhz: 1755, throttle: [], temperature_c: 41, power_w: 120 } } : line)),
  ...runOf(5, { n: 50, experiment: 'overlap' }, 'Speedup', [speedup('breadth-first', 4, 2.26), speedup('one-stream', 1, 0.9)]),
  ...runOf(5, { n: 51, experiment: 'matmul' }, 'fp32', [step('warp-tiled', 50000), step('register-tiles', 30000), step('tiled-32', 8600), step('coalesced', 4700), step('cublas', 51000)]),
  ...runOf(5, { n: 52, experiment: 'peer', devices: gpus('GPU-1', 'GPU-2').map(({ id, name }) => ({ id, name, node: 'n1' })), environment: { devices: gpus('GPU-1', 'GPU-2') } },
    'One way', [pair('GPU-1', 'GPU-2', 390), pair('GPU-2', 'GPU-1', 240)]),
  ...streams.flatMap((value, n) => runOf(30 - n, { n: 100 + n, experiment: 'stream', environment: environmentOf(n === LAST ? '580.2' : '570.1') }, 'Copy', [copy(value)])),
  ...failed,
];

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  const imported = await importInto(lab, runs);
  assert.equal(imported.json?.imported, BEFORE + AFTER + LAST + 5, imported.text);
  browser = await Browser.start({ viewport: { width: 1280, height: 800 } });
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

let clicks = 0;
async function click(locator) {
  clicks += 1;
  await locator.click();
}

/** A choice from a list: it is opened, then clicked. */
async function choose(locator, option) {
  clicks += 2;
  await locator.selectOption(option);
}

/** Asserts that the element, or the first of several, has a text that matches, and is on the screen as it is. */
async function answered(locator, pattern) {
  await soon(async () => assert.match((await locator.first().innerText()).replaceAll('\u00a0', ' '), pattern), 30);
  const { scrolled, top, bottom, height } = await locator.first().evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return { scrolled: scrollY, top, bottom, height: innerHeight };
  });
  assert.ok(scrolled === 0 && top >= 0 && bottom <= height, `the answer is at ${top} to ${bottom} of ${height}, scrolled by ${scrolled}`);
}

/** A question: the page begins at the first one, and the answer takes CLICKS_MAX clicks at most. */
const question = (text, find) =>
  test(text, async () => {
    clicks = 0;
    await page.goto(lab.address);
    await page.getByRole('heading', { level: 1, name: 'Learn' }).waitFor();
    await find();
    assert.ok(clicks <= CLICKS_MAX, `${clicks} clicks`);
    assert.deepEqual(browser.problems.splice(0), []);
  });

const nav = (name) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true });
/** The result beside an experiment of the first page. */
const latest = (title) => page.locator('.lesson-row').filter({ has: page.getByRole('heading', { name: title, exact: true }) }).locator('.latest-run');
const tab = (name) => page.getByRole('tab', { name });
const trend = (title) => page.locator('.trend-list tbody tr').filter({ hasText: title });

question('How fast are copies to the device, against last week?', async () => {
  await click(nav('Trends'));
  await answered(trend('Host-device transfer'), /Host to device\s+4[67]\.\d\d GB\/s.*\s+[56]\.\d % lower/s);
});

question('Did streams help, and by how much?', async () => {
  await click(latest('Copy/compute overlap'));
  await answered(page.locator('.run-figure'), /^Speedup\s+breadth first · streams 4\s+2\.26x/);
});

question('Which step of the matrix multiply made the largest jump?', async () => {
  await click(latest('Matrix multiply (GEMM)'));
  await answered(page.locator('.step-jump'), /^Largest jump: 2D block tiling, 3\.49x the step before$/);
});

question('Is my card as fast as it usually is?', async () => {
  await click(latest('Host-device transfer'));
  await answered(page.locator('.figure-standing'), /(as usual|worse than usual) for NVIDIA H200, \d+(st|nd|rd|th) of 21/);
});

question('What failed, and why?', async () => {
  await click(nav('Runs'));
  await choose(page.getByRole('search', { name: 'Filter runs' }).getByLabel('Status', { exact: true }), 'failed');
  await soon(async () => assert.equal(await page.locator('tr[data-run]').count(), 1));
  await answered(page.locator(`tr[data-run="${failed[0].id}"]`), /Parallel reduction.*The device fell off the bus\./s);
});

question('Which of the last two runs is faster, and what differed between them?', async () => {
  await click(nav('Compare'));
  await page.getByRole('heading', { level: 1, name: 'Compare' }).waitFor(); // Learn has a link of the same name
  await click(page.locator('main').getByRole('link', { name: 'Memory bandwidth (STREAM)' }));
  await answered(page.locator('.answer'), /^Faster: bandwidth 1\.100×\.$/);
  await answered(page.getByRole('region', { name: 'What differs' }), /Driver release\s+570\.1\s+580\.2/);
});

question('Is the link between two devices symmetric?', async () => {
  await click(latest('Peer-to-peer (P2P)'));
  await answered(page.locator('.matrix-verdict'), /^Not symmetric: up to 63 % between the directions: #0 → #1 390\.0 GB\/s, #1 → #0 240\.0 GB\/s\.$/);
});

question('What has changed in the nightly runs, and since when?', async () => {
  await click(nav('Trends'));
  await click(trend('Host-device transfer').getByRole('link'));
  const { created_at: since } = await lab.run(nightIds[BEFORE]);
  const day = new Date(since).toLocaleDateString('sv'); // YYYY-MM-DD in local time, as the page has it
  await answered(page.locator('.answer'), new RegExp(`The level has been [56]\\.\\d % lower since ${day}, a regression\\.$`));
  await answered(page.getByRole('region', { name: 'Shifts' }), /What changed: Driver release 570\.1 → 580\.2\./);
});

question('With what settings, driver and clocks was this measured?', async () => {
  await click(latest('Host-device transfer'));
  await click(tab('Method'));
  const method = page.getByRole('region', { name: 'Method' });
  await answered(method.getByText('SM clock').locator('..'), /1,755 MHz/);
  await answered(method.getByText('Largest size').locator('..'), /1 MiB/);
  await click(tab('Environment'));
  await answered(page.getByRole('region', { name: 'Environment' }).getByText('Driver', { exact: true }).locator('..'), /580\.2/);
});

question('What is being measured, and when is it my run’s turn?', async () => {
  const [running, mine] = [await lab.submit(endless), await lab.submit(small, { note: 'mine' })];
  await lab.reach(running.id, 'running');
  await click(page.locator('#queue').getByRole('link', { name: '1 run waiting' }));
  await answered(page.locator(`.queue tr[data-run="${running.id}"]`), /running.*started/s);
  await answered(page.locator(`.queue tr[data-run="${mine.id}"]`), /queued.*about \d+/s);
  await lab.post(`/api/v1/runs/${running.id}/cancel`);
  await lab.reach(mine.id, 'succeeded');
});

question('How do I repeat exactly this run?', async () => {
  const [first] = (await lab.get('/api/v1/runs?experiment=transfer&limit=1&status=succeeded')).json.runs;
  await click(nav('Runs'));
  await click(page.locator(`tr[data-run="${first.id}"] .row-link`));
  await click(page.getByRole('button', { name: 'Run again' }));
  await page.waitForURL((url) => /^\/runs\//.test(url.pathname) && !url.pathname.endsWith(first.id));
  await answered(page.locator('.run-head .status'), /succeeded/);
  const again = await lab.run(page.url().split('/').at(-1));
  for (const name of ['experiment', 'parameters', 'devices']) assert.deepEqual(again[name], first[name], name);
});
