// The page in a browser: from the form to the chart, and the same run after a restart. The console must stay empty, and
// with --thorough axe must find no violation.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { endless, Lab, soon, until } from '../harness/lab.mjs';

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

const noMessages = () => assert.deepEqual(browser.problems.splice(0), []);
const heading = (name) => page.getByRole('heading', { level: 1, name });
const status = (word) => page.locator('.run-title .status', { hasText: word });

async function noProblems() {
  noMessages();
  assert.deepEqual(await browser.inaccessible(), []);
}

async function go(path) {
  await page.goto(lab.address + path);
}

/** The number of lines in the chart. */
const drawnLines = () => page.locator('.line-chart .line').count();

let permalink;
test('a transfer from the form to the chart', async () => {
  await go('/');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Learn' }).click();
  await page.getByRole('link', { name: 'Host-device transfer' }).click();
  await page.getByRole('form').waitFor();
  await page.getByLabel('Smallest size', { exact: true }).fill('4 KiB');
  await page.getByLabel('Largest size', { exact: true }).fill('1 MiB');
  await page.getByText('Measurement settings').click();
  await page.getByLabel(/^Time budget/).fill('1');
  await page.getByText('Tags, note, priority, time limit').click();
  await page.getByLabel('Tags', { exact: true }).fill('browser');
  await noProblems();
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}$/);
  permalink = new URL(page.url()).pathname;
  await status('succeeded').waitFor();
  await page.getByRole('application', { name: /Bandwidth over size/ }).waitFor();
  await until(async () => (await drawnLines()) > 0, 'the chart has lines');
  await noProblems();
});

test('the table of the chart has the values of the API', async () => {
  const run = await lab.run(permalink.split('/').at(-1));
  assert.equal(run.parameters.max_bytes, 1048576);
  assert.deepEqual(run.tags, ['browser']);
  // On a busy machine the time budget can end before the last points, which are skipped then.
  const bandwidths = run.measurements.filter(({ metric, skipped }) => metric === 'bandwidth' && !skipped);
  await page.getByText('Values of this chart as a table').click();
  const table = page.getByRole('table', { name: /Bandwidth over size/ });
  await table.waitFor();
  const values = table.locator('tbody tr:not(.series-row) td.strong');
  await soon(async () => assert.equal(await values.count(), bandwidths.length)); // the page may still be reading the last ones
  const shown = await values.allTextContents();
  const rising = (a, b) => a - b;
  const medians = bandwidths.map(({ median }) => median).sort(rising);
  shown.map(parseFloat).sort(rising).forEach((value, i) => assert.ok(Math.abs(value / medians[i] - 1) < 0.01, `${value} for ${medians[i]}`));
});

test('the table names registers, memory and occupancy of measurements with a kernel', async () => {
  const kernel = { name: 'copy', registers: 32, local_bytes: 0, shared_bytes: 4096, blocks_per_multiprocessor: 8, occupancy: 1, block: 256 };
  const path = `**/api/v1${permalink}`;
  await page.route(path, async (route) => {
    const response = await route.fetch();
    const run = await response.json();
    await route.fulfill({ response, json: { ...run, measurements: run.measurements.map((measurement) => ({ ...measurement, kernel })) } });
  });
  await go(`${permalink}?values=1`);
  const table = page.getByRole('table', { name: /Bandwidth over size/ });
  await table.getByRole('columnheader', { name: 'Kernel' }).waitFor();
  assert.match(await table.locator('td', { hasText: 'registers' }).first().textContent(), /^32 registers, 0\sB local, 4\sKiB shared, occupancy\s100\s%$/);
  await noProblems();
  await page.unroute(path);
});

test('the run is listed and shown after a restart of the lab', async () => {
  await page.goto('about:blank'); // a page whose lab ends logs an error
  await lab.stop();
  await lab.start();
  await go('/runs');
  await heading('Runs').waitFor();
  const row = page.getByRole('row').filter({ hasText: 'browser' });
  await row.waitFor();
  await noProblems();
  await row.getByRole('link').first().click();
  await page.waitForURL(`**${permalink}`);
  await page.getByRole('application', { name: /Bandwidth over size/ }).waitFor();
  await until(async () => (await drawnLines()) > 0, 'the chart has lines');
  await noProblems();
});

test('a long run shows its progress and can be cancelled', async () => {
  const run = await lab.submit(endless);
  await go(`/runs/${run.id}`);
  await page.getByRole('progressbar', { name: 'Progress of the run' }).waitFor();
  await status('running').waitFor();
  await page.getByRole('application', { name: /Bandwidth over size/ }).waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await status('cancelled').waitFor();
  noMessages();
});

test('a run that ends before the event stream opens is shown with its final status', async () => {
  const run = await lab.submit(endless);
  await lab.reach(run.id, 'running');
  let open;
  const opened = new Promise((done) => { open = done; });
  await page.route('**/api/v1/events*', async (route) => {
    await opened;
    await route.continue();
  });
  await go(`/runs/${run.id}`);
  await status('running').waitFor();
  await lab.post(`/api/v1/runs/${run.id}/cancel`);
  await lab.reach(run.id, 'cancelled');
  open();
  await status('cancelled').waitFor();
  await page.unroute('**/api/v1/events*');
  noMessages();
});

test('the list of runs is filtered; the address contains the filters and a reload keeps them', async () => {
  const launch = await importInto(lab, linesOf({ at: new Date(Date.UTC(2026, 0, 1)), experiment: 'launch' }, [{ samples: [1] }]));
  assert.equal(launch.json.imported, 1, launch.text);
  const { runs } = (await lab.get('/api/v1/runs')).json;
  const transfers = runs.filter(({ experiment }) => experiment === 'transfer');
  const cancelled = transfers.filter(({ status: word }) => word === 'cancelled');
  assert.ok(cancelled.length > 0 && cancelled.length < transfers.length && transfers.length < runs.length);
  const shows = (expected) => soon(async () => {
    const ids = await page.locator('tr[data-run]').evaluateAll((rows) => rows.map((row) => row.dataset.run));
    assert.deepEqual(ids, expected.map(({ id }) => id));
  });
  const filter = (name) => page.getByRole('search', { name: 'Filter runs' }).getByLabel(name, { exact: true });
  await go('/runs');
  await shows(runs);
  await filter('Experiment').selectOption('transfer');
  await shows(transfers);
  await filter('Status').selectOption('cancelled');
  await shows(cancelled);
  assert.equal(new URL(page.url()).search, '?experiment=transfer&status=cancelled');
  await page.reload();
  await shows(cancelled);
  assert.equal(await filter('Experiment').inputValue(), 'transfer');
  assert.equal(await filter('Status').inputValue(), 'cancelled');
  await filter('Experiment').selectOption('thread-map');
  await page.getByText('No run matches all of these filters.').waitFor();
  await noProblems();
  await page.getByRole('button', { name: 'Clear' }).click();
  await shows(runs);
  assert.equal(new URL(page.url()).search, '');
});

test('an error of the lab is shown at its field', async () => {
  await go('/experiments/transfer');
  await page.getByLabel('Smallest size', { exact: true }).fill('1 MiB');
  await page.getByLabel('Largest size', { exact: true }).fill('4 KiB');
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.getByText('Nothing was started').waitFor();
  await page.getByLabel('Smallest size', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
  browser.ignore(/422/); // Chromium logs every 4xx response
  await noProblems();
});

test('the short id that the page shows leads to the run', async () => {
  const { runs: [run] } = (await lab.get('/api/v1/runs?limit=1')).json;
  for (const part of [run.id.slice(-6), run.id.slice(-6).toUpperCase(), run.id.slice(0, 30)]) {
    await go(`/runs/${part}?tab=method`);
    await page.waitForURL(`**/runs/${run.id}?tab=method`);
    await page.locator('[role=tab][data-tab=method][aria-selected=true]').waitFor();
  }
  await noProblems();
});

test('an unknown run has an error page, which leads to the list of runs', async () => {
  await go('/runs/ffffff');
  await page.getByText('No run of this lab has an id that is, begins or ends with “ffffff”.').waitFor();
  await go('/runs/00000000-0000-7000-8000-000000000000');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'All runs' }).click();
  await heading('Runs').waitFor();
  browser.ignore(/404/);
  await noProblems();
});

test('no page needs horizontal scrolling on a narrow screen', async () => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const path of ['/', '/devices', '/experiments/transfer', '/runs', permalink]) {
    await go(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await browser.fits(path);
  }
  noMessages();
});

test('a theme that is chosen wins over that of the system, and stays', async () => {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const [dark, light] = ['rgb(16, 19, 22)', 'rgb(245, 245, 241)'];
  await page.emulateMedia({ colorScheme: 'light' });
  await page.goto(lab.address);
  assert.equal(await background(), light);
  await page.getByLabel('Theme').selectOption('dark');
  assert.equal(await background(), dark);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme), 'dark');
  await page.emulateMedia({ colorScheme: 'light', media: 'print' });
  assert.notEqual(await background(), dark, 'paper is light');
  await page.emulateMedia({ colorScheme: 'dark', media: 'screen' });
  await page.reload();
  await page.getByLabel('Theme').selectOption('light');
  assert.equal(await background(), light);
  await page.getByLabel('Theme').selectOption('');
  assert.equal(await background(), dark);
  await page.emulateMedia({ colorScheme: 'light' });
  assert.equal(await background(), light);
});

test('the key "?" lists the keys, but not in a field', async () => {
  await page.goto(lab.address);
  await page.getByLabel('Theme').waitFor();
  await page.keyboard.press('?');
  const list = page.getByRole('dialog', { name: 'Keys' });
  await list.getByText('this list').waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Search' }).press('?');
  assert.equal(await page.getByRole('combobox', { name: 'Search' }).inputValue(), '?');
  assert.equal(await list.count(), 0);
  await page.getByRole('button', { name: 'Keys', exact: true }).click();
  await list.waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
});
