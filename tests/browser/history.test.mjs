// The list of runs: results and reasons beside the runs, filters and groups in the address, selecting, endless
// scrolling.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { around, historyLines } from '../harness/history.mjs';
import { Lab, small, soon } from '../harness/lab.mjs';

const COUNT = 70; // more than a page
let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  const lines = historyLines(around(50, COUNT), (index) => ({ tags: index % 2 ? ['odd'] : [], note: index === 3 ? 'the fourth' : '', pinned: index === 5, requested_by: 'nightly' }));
  const failed = linesOf({ at: new Date(), status: 'failed', experiment: 'stream', host: 'other',
    error: { type: '/problems/device-lost', title: 'Device lost', detail: 'The device fell off the bus.' } }, []);
  const imported = await importInto(lab, [...lines, ...failed]);
  assert.equal(imported.json.imported, COUNT + 1, imported.text);
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const go = async (path) => { await page.goto(lab.address + path); await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor(); };
const ids = () => page.locator('tr[data-run]').evaluateAll((list) => list.map((row) => row.dataset.run));
const row = (index) => page.locator('tr[data-run]').nth(index);
const selected = () => page.getByRole('region', { name: 'Selected runs' });
const filter = (name) => page.getByRole('search', { name: 'Filter runs' }).getByLabel(name, { exact: true });
const shows = (count) => soon(async () => assert.equal((await ids()).length, count));

test('a row has the result of its run, its devices, who asked for it and when; a failed one its reason', async () => {
  await go('/runs');
  assert.match(await row(0).textContent(), /The device fell off the bus\./);
  assert.match(await row(0).textContent(), /failed/);
  const text = await row(1).textContent();
  assert.match(text, /(49|50)\.\d+\u00a0GB\/s Host to device/);
  assert.match(text, /NVIDIA H200/);
  assert.match(text, /nightly/);
  assert.match(await row(1).locator('time').getAttribute('title'), /UTC$/);
  await browser.faultless();
});

test('older runs are loaded when the end of the list comes into view, and on request', async () => {
  await go('/runs?experiment=transfer');
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await shows(COUNT);
  const all = await ids();
  assert.deepEqual([...new Set(all)].sort().reverse(), all);
});

test('the text of a title leads to the runs of the experiment', async () => {
  await go('/runs?q=no+such+title&pinned=false');
  await page.getByText('No run matches all of these filters.').waitFor();
  assert.equal(await page.getByRole('link', { name: /^Runs of/ }).count(), 0);
  await filter('Search').fill('nccl');
  await page.getByRole('link', { name: 'Runs of ' }).first().click();
  await soon(() => assert.match(new URL(page.url()).search, /^\?pinned=false&experiment=\w/));
});

test('devices of runs that are not in sight can be chosen', async () => {
  const text = 'NVIDIA H200, GPU-1';
  await go('/runs?status=cancelled');
  await page.getByText('No run matches all of these filters.').waitFor();
  assert.ok((await filter('Device').getByRole('option').allTextContents()).includes(text));
});

test('a device that the lab no longer has can be chosen and searched', async () => {
  await go('/runs');
  await filter('Device').selectOption('NVIDIA H200');
  await soon(() => assert.equal(new URL(page.url()).search, '?device=NVIDIA+H200'));
  await page.reload();
  assert.equal(await filter('Device').inputValue(), 'NVIDIA H200');
  await filter('Device').selectOption({ label: 'NVIDIA H200, GPU-1' });
  await soon(() => assert.equal(new URL(page.url()).search, '?device=GPU-1'));
  await page.getByRole('button', { name: 'Clear' }).click();
  await filter('Search').fill('the fourth');
  await shows(1);
  assert.equal(new URL(page.url()).searchParams.get('q'), 'the fourth');
  await browser.faultless();
});

test('pinned runs are filtered', async () => {
  await go('/runs');
  await filter('Pinned').selectOption('pinned');
  await shows(1);
  assert.equal(new URL(page.url()).search, '?pinned=true');
  assert.match(await row(0).textContent(), /pinned/);
  await page.reload();
  await shows(1);
});

test('runs are grouped by machine; the grouping is in the address', async () => {
  await go('/runs');
  await filter('Group by').selectOption('machine');
  const groups = page.locator('.group-head');
  await soon(async () => assert.deepEqual((await groups.allTextContents()).map((text) => text.split(' ')[0]), ['other', 'elsewhere']));
  assert.equal(new URL(page.url()).search, '?group=machine');
  await page.reload();
  await groups.first().waitFor();
  await browser.faultless();
  await filter('Group by').selectOption('');
  await soon(async () => assert.equal(await groups.count(), 0));
});

test('runs are sorted by a column, all of them; the address keeps the order', async () => {
  await go('/runs');
  await shows(50);
  const head = (name) => page.getByRole('columnheader', { name });
  assert.equal(await head('Result').getByRole('button').count(), 0, 'results of different experiments have no order');
  await head('Run').getByRole('button').focus();
  await page.keyboard.press('Enter');
  await shows(COUNT + 1);
  assert.equal(await head('Run').getAttribute('aria-sort'), 'ascending');
  assert.match(await row(COUNT).textContent(), /STREAM/);
  assert.equal(await filter('Sort by').inputValue(), 'Run');
  await filter('Sort by').selectOption('-Run');
  await soon(async () => assert.match(await row(0).textContent(), /STREAM/));
  assert.equal(await head('Run').getAttribute('aria-sort'), 'descending');
  await go('/runs?experiment=transfer&sort=-Result');
  await shows(COUNT);
  const figures = await page.locator('.run-figures li:first-child strong').allTextContents();
  assert.deepEqual(figures, [...figures].sort((a, b) => parseFloat(b) - parseFloat(a)));
  await head('Result').getByRole('button').click();
  await soon(async () => assert.equal(new URL(page.url()).search, '?experiment=transfer'));
  await browser.faultless();
});

test('the runs of a sweep are one group that leads to the sweep', async () => {
  const { json: sweep } = await lab.post('/api/v1/sweeps', { experiment: 'transfer', parameters: { ...small, max_bytes: [4096, 8192], factor: 2 } });
  const { runs } = (await lab.get(`/api/v1/runs?sweep=${sweep.id}`)).json;
  for (const { id } of runs) await lab.reach(id, 'succeeded');
  await go('/runs?group=sweep');
  const group = page.locator('.group-head').first();
  assert.match(await group.textContent(), /Sweep: Host-device transfer 2 runs/);
  assert.equal(await group.getByRole('link').getAttribute('href'), `/sweeps/${sweep.id}`);
  for (const { id } of runs) await lab.request('DELETE', `/api/v1/runs/${id}`);
  await soon(async () => assert.ok((await ids()).every((id) => runs.every((run) => run.id !== id))));
});

test('two runs are compared, the older one as base', async () => {
  await go('/runs?experiment=transfer');
  const [newer, , older] = await ids();
  await row(0).getByRole('checkbox').check();
  await selected().getByText('Select two or more runs to compare them.').waitFor();
  assert.ok(await selected().getByRole('button', { name: 'Compare' }).isDisabled());
  await row(2).getByRole('checkbox').check();
  await browser.faultless();
  await selected().getByRole('button', { name: 'Compare' }).click();
  await page.waitForURL(`**/compare?base=${older}&head=${newer}`);
});

test('a range is selected with the shift key, from the keyboard alone, and tagged', async () => {
  await go('/runs?tag=odd');
  await row(0).getByRole('checkbox').focus();
  await page.keyboard.press('Space');
  await row(3).getByRole('checkbox').focus();
  await page.keyboard.press('Shift+Space');
  await selected().getByText('4 runs selected').waitFor();
  await selected().getByRole('button', { name: 'Add a tag…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Tag', { exact: true }).fill(' checked ');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await soon(async () => assert.equal((await lab.get('/api/v1/runs?tag=checked')).json.runs.length, 4));
  await soon(async () => assert.equal(await page.locator('.run-tags', { hasText: 'checked' }).count(), 4));
  await browser.faultless();
});

test('a run that cannot be deleted is named with the reason; the others are deleted', async () => {
  const pinned = (await lab.get('/api/v1/runs?limit=500')).json.runs.find((run) => run.pinned);
  await go(`/runs?until=${encodeURIComponent(new Date(Date.parse(pinned.created_at) + 90_000_000).toISOString())}`);
  const before = await ids();
  const at = before.indexOf(pinned.id);
  await row(at).getByRole('checkbox').check();
  await row(at + 1).getByRole('checkbox').check();
  await selected().getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal((await ids()).length, before.length);
  await selected().getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('button', { name: 'Delete 2 runs' }).click();
  await soon(async () => assert.match(await selected().getByRole('alert').textContent(), /Host-device transfer 000005: .*pinned/));
  await soon(async () => assert.deepEqual(await ids(), before.filter((id) => id !== before[at + 1])));
  browser.ignore(/409/);
  await browser.faultless();
  await selected().getByRole('button', { name: 'Unpin' }).click();
  await soon(async () => assert.equal((await lab.run(pinned.id)).pinned, false));
});

test('a run that begins appears at the top while the page is open; one that is deleted disappears', async () => {
  await go('/runs');
  const count = (await ids()).length;
  const run = await lab.submit(small);
  await lab.reach(run.id, 'succeeded');
  await soon(async () => assert.equal((await ids())[0], run.id));
  await soon(async () => assert.match(await row(0).textContent(), /succeeded/));
  assert.ok((await ids()).length >= count);
  await lab.request('DELETE', `/api/v1/runs/${run.id}`);
  await soon(async () => assert.ok(!(await ids()).includes(run.id)));
});

test('cards on a narrow screen need no sideways scrolling', async () => {
  await page.setViewportSize({ width: 320, height: 800 });
  await go('/runs?group=machine');
  await row(0).getByRole('checkbox').check();
  assert.equal(await page.locator('main').evaluate((main) => main.scrollWidth > main.clientWidth), false);
  await page.getByText('Filter and group').click();
  await filter('Status').selectOption('failed');
  await shows(1);
  await browser.faultless();
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('without runs, and with filters that match none, the list says so', async () => {
  await page.route('**/api/v1/runs?*', (route) => route.fulfill({ json: { runs: [], next: null } }));
  await go('/runs');
  await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
  await go('/runs?status=failed');
  await page.getByRole('heading', { name: 'No matching runs' }).waitFor();
  await page.unroute('**/api/v1/runs?*');
  await go('/runs?since=yesterday');
  await soon(async () => assert.equal(new URL(page.url()).pathname, '/runs'));
  browser.ignore(/422/);
  await browser.faultless();
});
