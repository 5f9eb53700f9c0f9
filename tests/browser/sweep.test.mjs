// Sweeps on the page: from the form to the grid of their runs, live, and cancelled as a whole.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
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
