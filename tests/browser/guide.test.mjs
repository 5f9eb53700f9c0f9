// The guide: its pages with the facts of a device, its terms, and what the search finds of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const gpu = { id: 'GPU-7', ordinal: 0, backend: 'cuda', name: 'NVIDIA Test GPU', properties: { l2_bytes: 52428800, warp_size: 32, max_block_dim: [1024, 1024, 64] }, peers: [] };

let lab, browser, page, guide;
before(async () => {
  lab = await Lab.start();
  guide = (await lab.get('/api/v1/guide')).json;
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const go = (path) => page.goto(lab.address + path);
const text = () => page.locator('.guide-text').innerText();

test('a lab that has had no GPU says so, and shows dashes', async () => {
  await go('/guide/memory');
  await page.getByText('This lab has had no GPU yet').waitFor();
  assert.match(await text(), /an L2 of –/);
  assert.doesNotMatch(await text(), /\{\{/);
  await browser.faultless();
});

test('the pages are listed, and each is filled with what a run has recorded of a GPU', async () => {
  const lines = linesOf({ at: new Date('2026-01-02T10:00:00Z'), n: 1, devices: [{ id: gpu.id, name: gpu.name, node: 'n1' }], environment: { devices: [gpu] } }, [{ samples: [1] }]);
  assert.equal((await importInto(lab, lines)).status, 200);
  await go('/');
  await page.getByRole('main').getByRole('link', { name: 'guide', exact: true }).click();
  const links = page.locator('.lesson-rows a');
  await soon(async () => assert.deepEqual(await links.allTextContents(), [...guide.pages.map(({ title }) => title), 'Published devices', 'Terms']));
  await browser.faultless();
  for (const { name, title } of guide.pages) {
    await go(`/guide/${name}`);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await page.locator('.guide-text').waitFor();
    assert.doesNotMatch(await text(), /\{\{/, name);
    await browser.faultless(name);
  }
  await go('/guide/memory');
  await soon(async () => assert.match(await text(), /size on NVIDIA Test GPU[^]*an L2 of 50\s*MiB/));
  await go('/guide/indices');
  await soon(async () => assert.match(await text(), /at most 1,024 × 1,024 × 64 in x/));
  await page.getByText('Next: ').getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: guide.pages[1].title }).waitFor();
});

test('a page that does not exist says so', async () => {
  await go('/guide/nothing');
  await page.getByText('The guide has no page “nothing”.').waitFor();
  await page.getByRole('link', { name: 'All pages' }).click();
  await page.getByRole('heading', { level: 1, name: 'Guide' }).waitFor();
});

test('the terms have their names in the languages of the texts', async () => {
  await go('/guide/terms');
  const { term, ru, sk, zh } = guide.terms.find((one) => one.term === 'Warp');
  const element = page.locator('.term').filter({ has: page.getByText(term, { exact: true }) });
  for (const name of [ru, sk, zh]) await element.getByText(name, { exact: true }).first().waitFor();
  assert.equal(await page.locator('.term').count(), guide.terms.length);
  assert.equal(new Set(await page.locator('.term').evaluateAll((all) => all.map(({ id }) => id))).size, guide.terms.length);
  const wide = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 800 });
  await browser.fits('terms at 320 px');
  await page.setViewportSize(wide);
  await browser.faultless();
});

test('the search finds terms by obsolete and foreign names, programs by what they call, and pages of the guide', async () => {
  const search = page.getByRole('combobox', { name: 'Search experiments, devices and runs' });
  for (const [typed, found] of [['cudaThreadSynchronize', 'Synchronisation (cudaThreadSynchronize)'], ['deviceoverlap', 'Copy engine (deviceOverlap)'],
    ['разделяемая', 'Shared memory (разделяемая память)'], ['线程束', 'Warp (线程束)'], ['prúd', 'Stream (prúd)'], ['warp', 'Warp']]) {
    await search.fill(typed);
    await page.getByRole('group', { name: 'Terms' }).getByText(found, { exact: true }).waitFor();
  }
  await search.fill('cudaThreadSynchronize');
  await page.getByRole('group', { name: 'Terms' }).getByRole('option').first().click();
  await page.locator('#synchronisation').waitFor();
  assert.equal(new URL(page.url()).hash, '#synchronisation');
  const plans = '**/api/v1/runs?dry_run=true';
  await page.route(plans, (route) => route.fulfill({ json: { points: 1, seconds: 1, device_bytes: 0, host_bytes: 0 } })); // the lab has no GPU for the program
  await search.fill('cudaEventQuery');
  await page.getByRole('group', { name: 'Programs' }).getByRole('option').filter({ hasText: 'Polling' }).click();
  await page.waitForURL('**/program?sample=polling');
  await search.fill('memories of a device');
  await page.getByRole('option').filter({ hasText: guide.pages.find(({ name }) => name === 'memory').title }).click();
  await page.getByRole('heading', { level: 1, name: 'The memories of a device' }).waitFor();
  await page.unroute(plans);
  await browser.faultless();
});

test('published devices stand beside one of the lab', async () => {
  await go('/guide/cards');
  const table = page.getByRole('table');
  await table.waitFor();
  assert.deepEqual(await table.locator('thead th').allTextContents(), ['Property', gpu.name, ...guide.cards.map(({ name }) => name)]);
  const row = (title) => table.getByRole('row').filter({ has: page.getByRole('rowheader', { name: title, exact: true }) }).getByRole('cell');
  assert.equal((await row('CUDA cores').allTextContents()).at(-1), '2,496');
  assert.match((await row('L2 cache').first().textContent()), /^50\sMiB$/);
  assert.equal((await row('L2 cache').nth(1).textContent()), '–', 'the first device with CUDA had none');
  await browser.faultless();
});
