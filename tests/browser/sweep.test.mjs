// Sweeps on the page: from the form to the grid of their runs, live, and cancelled as a whole.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, runLine } from '../harness/exports.mjs';
import { endless, Lab, small, soon } from '../harness/lab.mjs';

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

const go = (path) => page.goto(lab.address + path);
const addParameter = () => page.locator('.variation:not([hidden])').getByLabel('Add a parameter');
const cells = () => page.locator('.sweep-cell');
const pause = (paused) => lab.request('PUT', '/api/v1/queue', { json: { paused } });

test('a sweep in which nothing varies cannot be started, and the form says why', async () => {
  await go('/experiments/transfer');
  await page.getByRole('button', { name: 'Sweep', exact: true }).click();
  const start = page.getByRole('button', { name: 'Start the sweep' });
  assert.equal(await start.isDisabled(), true);
  const why = page.locator(`#${await start.getAttribute('aria-describedby')}`);
  assert.equal(await why.textContent(), 'Choose several values of a parameter above: a sweep has a run for each.');
  await addParameter().selectOption('max_bytes');
  const sizes = page.getByRole('group', { name: 'Values of the sweep' }).getByLabel('Largest size', { exact: true });
  await sizes.fill('4 KiB');
  assert.equal(await start.isDisabled(), true);
  await sizes.fill('4 KiB, 8 KiB');
  assert.equal(await start.isDisabled(), false);
  assert.equal(await why.isVisible(), false);
  await page.getByRole('button', { name: 'One run', exact: true }).click();
  assert.equal(await page.getByRole('button', { name: 'Start the run' }).isDisabled(), false);
  await browser.faultless();
});

test('a sweep from the form: its plan, its grid, its runs', async () => {
  await pause(true);
  await go('/experiments/transfer');
  await page.getByRole('button', { name: 'Sweep', exact: true }).click();
  await addParameter().selectOption('direction');
  await addParameter().selectOption('max_bytes');
  const varied = page.getByRole('group', { name: 'Values of the sweep' });
  await varied.getByLabel('Largest size', { exact: true }).fill('4 KiB, 8 KiB, 16 KiB');
  await page.getByText('Measurement settings').click();
  await page.getByLabel(/^Time budget/).fill('1');
  await page.locator('.plan').filter({ hasText: /^6 runs, \d+ points, about/ }).waitFor();
  await browser.faultless();
  await page.getByRole('button', { name: 'Start the sweep' }).click();
  await page.waitForURL(/\/sweeps\/[0-9a-f-]{36}$/);
  await page.getByRole('heading', { level: 1, name: 'Sweep: Host-device transfer' }).waitFor();
  assert.equal(await cells().count(), 6);
  await page.getByText('6 queued').waitFor();
  const heads = (await page.getByRole('columnheader').allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));
  assert.deepEqual(heads, ['Direction', 'Largest size 4 KiB', 'Largest size 8 KiB', 'Largest size 16 KiB']);
  await pause(false);
  await page.getByText('6 succeeded').waitFor();
  assert.match(await cells().first().textContent(), /^succeededHost to device [\d.,]+\s[kMGT]?B\/s$/);
  assert.equal(await page.getByRole('button', { name: 'Cancel the sweep' }).isVisible(), false);
  await browser.faultless();
  const { id } = (await lab.get('/api/v1/runs?limit=500')).json.runs.find(({ parameters }) => parameters.direction[0] === 'h2d' && parameters.max_bytes === 8192);
  await cells().nth(1).getByRole('link').click();
  await page.waitForURL(`**/runs/${id}`);
});

test('a sweep is cancelled as a whole', async () => {
  const { json } = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...endless, direction: [['h2d'], ['d2h']], memory: ['pinned', 'pageable'] } });
  await go(`/sweeps/${json.id}`);
  await page.getByText('1 running').waitFor();
  await page.getByRole('button', { name: 'Cancel the sweep' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the sweep' }).click();
  await page.getByText('4 cancelled').waitFor();
  await browser.faultless();
});

test('a run that is deleted leaves its place in the grid', async () => {
  const { json } = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...small, seed: [1, 2] } });
  await go(`/sweeps/${json.id}`);
  await page.getByText('2 succeeded').waitFor();
  const [{ id }] = (await lab.get(`/api/v1/runs?sweep=${json.id}`)).json.runs;
  assert.equal((await lab.request('DELETE', `/api/v1/runs/${id}`)).status, 204);
  await soon(async () => assert.equal(await cells().filter({ hasText: 'deleted' }).count(), 1));
  await page.getByText('1 deleted').waitFor();
});

test('an unknown sweep has an error page, and a grid fits narrow screens', async () => {
  await go('/sweeps/nowhere');
  await page.getByRole('heading', { level: 1 }).waitFor();
  browser.problems.splice(0, Infinity, ...browser.problems.filter((text) => !/404/.test(text)));
  await page.setViewportSize({ width: 360, height: 740 });
  const { sweep } = (await lab.get('/api/v1/runs?limit=500')).json.runs.find((run) => run.sweep);
  await go(`/sweeps/${sweep}`);
  await cells().first().waitFor();
  await browser.fits('sweep');
  await browser.faultless();
});

/** Imports runs and makes the page see them as those of a sweep over `nodes`; returns the path of its page. */
async function importedSweep(nodes, lines) {
  const imported = await importInto(lab, lines);
  assert.equal(imported.json.imported, lines.length, imported.text);
  const sweep = { id: 'fleet', experiment: 'transfer', parameters: {}, devices: null, nodes, created_at: lines[0].created_at, cancelled_at: null, requested_by: 'ada', total: nodes.length };
  await page.route('**/api/v1/sweeps/fleet', (route) => route.fulfill({ json: sweep }));
  await page.route('**/api/v1/runs?sweep=fleet*', async (route) => {
    const { runs } = (await lab.get('/api/v1/runs?tag=fleet&limit=500')).json;
    await route.fulfill({ json: { runs: runs.map((run) => ({ ...run, sweep: 'fleet' })), next: null } });
  });
  return '/sweeps/fleet';
}

test('a sweep over machines ranks them, marks the outlier, and says why others have no figures', async () => {
  const nodes = Array.from({ length: 10 }, (_, at) => `n${at + 1}`);
  const bandwidth = [55.1, 55.4, 46, 55.2, 55.3, 55, 55.5, 55.2];
  const headline = (value) => [
    { title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value, axes: { direction: 'h2d' }, lowest: false },
    ...(value > 55.3 ? [{ title: 'Device to host', metric: 'bandwidth', unit: 'GB/s', value: 50, axes: { direction: 'd2h' }, lowest: false }] : []),
  ];
  const line = (at, fields) => runLine({
    at: new Date(Date.UTC(2026, 0, 1, at)), n: at, tags: ['fleet'], host: nodes[at], devices: [{ id: `GPU-${at}`, name: 'NVIDIA H200', node: nodes[at] }], ...fields,
  });
  const crashed = { type: '/problems/worker-crashed', title: 'The worker crashed', detail: 'It was killed by signal 11.', log: '' };
  await go(await importedSweep(nodes, [
    ...bandwidth.map((value, at) => line(at, { headline: headline(value) })), line(8, { status: 'failed', error: crashed }),
  ]));
  const ranking = page.getByRole('region', { name: 'Machines' });
  await page.getByText('10 runs on 10 machines').waitFor();
  const bars = ranking.getByRole('figure').filter({ hasText: 'Host to device' }).getByRole('listitem');
  const text = (all) => all.map((one) => one.textContent.replaceAll('\u00a0', ' '));
  const names = () => bars.evaluateAll((all) => all.map((one) => one.querySelector('a').textContent).join(' '));
  await ranking.getByRole('button', { name: 'by name' }).click();
  assert.equal(await names(), 'n1 n2 n3 n4 n5 n6 n7 n8');
  assert.equal(new URL(page.url()).search, '?order=machine');
  await ranking.getByRole('button', { name: 'best first' }).click();
  assert.equal(await names(), 'n7 n2 n5 n4 n8 n1 n6 n3');
  assert.deepEqual(await bars.last().locator('> *').evaluateAll(text), ['n3', '', '46.00 GB/s', '17 % below the median of 8']);
  assert.equal(await ranking.locator('.status.bad').filter({ hasText: 'median' }).count(), 1);
  await ranking.getByText('median of 8: 55.20\u00a0GB/s').waitFor();
  await ranking.getByText('Not measured on n1, n3, n4, n5, n6, n8.').waitFor();
  assert.deepEqual(await ranking.locator('.unranked li').evaluateAll(text), ['n9 failed It was killed by signal 11.', 'n10 its run was deleted']);
  assert.equal(await page.getByRole('table').count(), 0, 'the grid would say the same');
  for (const width of [360, 1280, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await browser.fits(`the ranking at ${width}`);
  }
  assert.deepEqual(await browser.inaccessible(), []);
  await browser.faultless();
  await bars.first().getByRole('link').click();
  await page.waitForURL(/\/runs\//);
});
