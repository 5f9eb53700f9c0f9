// The page of imported runs that this lab cannot have measured: of an experiment that it does not have, or with other
// metrics than the experiment's.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

const at = new Date(Date.UTC(2026, 0, 31));
const samples = (value) => Array.from({ length: 9 }, (_, k) => value + k / 1000);
const rates = (factor) => [256, 1024, 4096, 16384].flatMap((bins, i) => ['u8', 'u32'].map((type, k) => (
  { axes: { bins, type, entropy: 'high' }, metric: 'rate', unit: 'Gop/s', samples: samples(factor * (10 + i + k)) })));
const kinds = ['atomic', 'sorted'].map((kind, i) => ({ axes: { kind }, metric: 'occupancy of the device', unit: 'warps', samples: samples(30 + i) }));
const headline = [{ title: 'Rate', metric: 'rate', unit: 'Gop/s', value: 13, axes: rates(1).at(-2).axes, lowest: false }];
const error = { type: '/problems/time-limit', title: 'Time limit exceeded', status: 500, detail: 'The run took too long.' };

const runs = {
  histogram: linesOf({ at, n: 1, experiment: 'nvbench.histogram', headline }, [...rates(1), ...kinds]),
  later: linesOf({ at, n: 2, experiment: 'nvbench.histogram', headline }, rates(1.5)),
  failed: linesOf({ at, n: 3, experiment: 'nvbench.histogram', status: 'failed', error }, rates(1)),
  pointless: linesOf({ at, n: 4, experiment: 'nvbench.constant' }, [{ axes: {}, metric: 'overhead', unit: 's', samples: samples(2) }]),
  foreign: linesOf({ at, n: 5, experiment: 'transfer' }, [{ axes: { path: 'north' }, metric: 'hops', unit: '1', samples: samples(3) }]),
  skipped: linesOf({ at, n: 6, experiment: 'transfer' }, [{ axes: { direction: 'h2d', bytes: 4096 }, skipped: 'no such engine', n: 0, median: null, q1: null, q3: null, min: null, max: null, mean: null, stdev: null, noise: null, verified: null, stop_reason: null }]),
};

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  const answer = await importInto(lab, Object.values(runs).flat());
  assert.deepEqual([answer.json.imported, answer.json.errors], [6, []], answer.text);
  browser = await Browser.start({ viewport: { width: 1280, height: 720 } });
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

/** Opens the page of a run, and forgets that the browser reports the answer 404 for an unknown experiment. */
async function open([{ id }], query = '') {
  await page.goto(`${lab.address}/runs/${id}${query}`);
  await page.getByRole('tab').first().waitFor();
  await browser.drawn();
}
async function faultless() {
  browser.ignore(/404 .*\/api\/v1\/(experiments\/(nvbench\.|hyperfine)|runs\/[^/]+\/experiment\b)/);
  await browser.faultless();
}
const chart = () => page.locator('.result-panel');
const view = (name) => page.getByRole('group', { name: 'View' }).getByRole('button', { name });

test('a run of an unknown experiment has lines over its numeric axis, and bars where there is none', async () => {
  for (const [width, height] of [[1280, 720], [360, 740]]) {
    await page.setViewportSize({ width, height });
    await open(runs.histogram);
    await chart().getByText('rate (Gop/s)').waitFor();
    assert.deepEqual(await chart().locator('.legend').getByRole('button').allInnerTexts(), ['u8', 'u32']);
    await view('occupancy of the device').click();
    await chart().getByText('sorted').waitFor();
    assert.equal(await chart().locator('.bars').count(), 1);
    await browser.fits(`at ${width} px`);
    await faultless();
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(runs.pointless);
  await chart().getByText('2.004 s').waitFor();
  await faultless();
});

test('a run of an unknown experiment offers nothing that needs the experiment', async () => {
  for (const run of [runs.histogram, runs.failed]) {
    await open(run);
    assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'nvbench.histogram');
    const main = page.getByRole('main');
    assert.equal(await main.getByRole('button', { name: 'Run again' }).count(), 0);
    assert.equal(await main.locator('a[href^="/experiments/"]').count(), 0);
  }
  await page.getByText('The run took too long.').waitFor();
  await open(runs.later);
  await page.locator('.figure-standing').first().waitFor();
  await faultless();
});

test('a result of an unknown experiment has a trend, whose fields offer what its runs have measured', async () => {
  await open(runs.later);
  await page.locator('.run-figure a[href^="/trends"]').first().click();
  await page.getByRole('heading', { level: 1, name: 'Trend: nvbench.histogram' }).waitFor();
  assert.equal(await page.getByLabel('Experiment', { exact: true }).inputValue(), 'nvbench.histogram');
  assert.deepEqual(await page.getByLabel('Metric').locator('option').allInnerTexts(), ['rate', 'occupancy of the device']);
  await page.getByLabel('Metric').selectOption('occupancy of the device');
  await page.getByText('occupancy of the device, ').waitFor();
  await faultless();
  await page.goto(`${lab.address}/trends?experiment=nowhere`);
  await page.getByText('This lab has no experiment nowhere, and no run of it.').waitFor();
  browser.ignore(/404 .*\/api\/v1\/experiments\/nowhere/);
  await faultless();
});

test('the page of an imported result file has a chart, its notes and no repetition', async () => {
  const file = { results: [1, 2, 4, 8].map((n) => ({ command: `sort ${n}`, parameters: { n: `${n}` }, mean: n, times: samples(n) })) };
  const answer = await lab.request('POST', '/api/v1/import?format=hyperfine', { body: JSON.stringify(file), headers: { 'content-type': 'application/x-ndjson' } });
  for (const [width, height] of [[1280, 720], [360, 740]]) {
    await page.setViewportSize({ width, height });
    await open([{ id: answer.json.runs[0] }]);
    await chart().getByText('time (s)').waitFor();
    await page.getByText('The file does not name the device.').first().waitFor();
    assert.equal(await page.getByRole('main').getByRole('button', { name: 'Run again' }).count(), 0);
    await browser.fits(`at ${width} px`);
    await faultless();
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('every tab and the comparison of runs of an unknown experiment work', async () => {
  for (const tab of ['table', 'method']) {
    await open(runs.histogram, `?tab=${tab}`);
    await page.getByRole('tabpanel').locator('> *').first().waitFor();
    await faultless();
  }
  await page.goto(`${lab.address}/compare?base=${runs.histogram[0].id}&head=${runs.later[0].id}`);
  await page.getByRole('heading', { level: 1, name: 'Compare: nvbench.histogram' }).waitFor();
  await faultless();
});

test('a run with metrics of its own has a chart, and one without values says so', async () => {
  await open(runs.foreign);
  await chart().getByText('3.004').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Run again', exact: true }).count(), 1, 'the lab has the experiment');
  await open(runs.skipped);
  await page.getByRole('heading', { name: 'All points were skipped' }).waitFor();
  await faultless();
});
