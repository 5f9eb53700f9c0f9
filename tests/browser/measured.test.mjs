// The documented figures of a lesson beside what the lab has measured: values, ratios, links to runs, and the form
// where there is none.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

const axes = { memory: 'pinned', engine: 'copy', pattern: 'contiguous', opposing: false, direction: 'h2d', bytes: 2 ** 28 };

let lab, browser, page, runs;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  const on = (n, name) => linesOf({ at: new Date(Date.UTC(2026, 0, n)), n, devices: [{ id: `GPU-${n}`, name, node: 'n1' }] }, [{ axes, median: 11.1 * n }]);
  const lines = [...on(1, 'NVIDIA A100'), ...on(2, 'NVIDIA H100')];
  assert.deepEqual((await importInto(lab, lines)).json.errors, []);
  runs = lines.filter(({ type }) => type === 'run').map(({ id }) => id);
});
after(async () => {
  await browser.close();
  await lab.close();
});

const table = () => page.getByRole('region', { name: 'Documented and measured figures' });
const row = (name) => table().locator('tbody').first().getByRole('row').filter({ hasText: name });

test('each documented figure has the value of this lab beside it, its ratio and its run', async () => {
  await page.goto(`${lab.address}/experiments/transfer`);
  await table().waitFor();
  const [first] = await table().getByRole('rowgroup').nth(1).getByRole('row').allTextContents();
  assert.match(first, /^NVIDIA H200 SXM · .*size 256\u00a0MiBgpulab on H200 SXM, driver [\d.]+, 2026-11$/);
  const pinned = row('pinned · host → device');
  const { references } = (await lab.get('/api/v1/references?experiment=transfer')).json;
  const { value } = references.find((one) => one.source.startsWith('gpulab') && Object.entries(axes).every(([name, is]) => one.axes[name] === is));
  const cells = await pinned.getByRole('cell').allTextContents();
  assert.deepEqual(cells.map((text) => text.replaceAll('\u00a0', ' ')), [`${value.toFixed(2)} GB/s`, `22.20 GB/s ${(22.2 / value).toPrecision(3)}×`]);
  assert.equal(await pinned.getByRole('link').getAttribute('href'), `/runs/${runs[1]}`);
  await table().getByLabel('Measured on').selectOption('NVIDIA A100');
  await pinned.getByRole('link', { name: /^11\.10/ }).waitFor();
  assert.equal(await pinned.getByRole('link').getAttribute('href'), `/runs/${runs[0]}`);
  await browser.faultless();
});

test('where the lab has no value, a link fills in the form', async () => {
  await page.goto(`${lab.address}/experiments/transfer`);
  await row('pageable · device → host').getByRole('link', { name: 'not measured here yet' }).click();
  const largest = page.getByLabel('Largest size', { exact: true });
  await largest.waitFor();
  const { searchParams, hash } = new URL(page.url());
  assert.equal(hash, '#run');
  assert.equal(await largest.inputValue(), '256 MiB');
  assert.equal(await page.getByLabel('Smallest size', { exact: true }).inputValue(), '256 MiB');
  const { memory, direction } = JSON.parse(searchParams.get('parameters'));
  assert.deepEqual([memory, direction], [['pageable'], ['d2h']]);
  await page.locator('.plan').filter({ hasText: /^1 point,/ }).waitFor();
  await browser.faultless();
});

test('parameters of a reference that are not axes are beside its system, and in the form', async () => {
  await page.goto(`${lab.address}/experiments/default-stream`);
  await table().waitFor();
  assert.match((await table().getByRole('rowgroup').nth(1).getByRole('row').allTextContents())[0], /^NVIDIA H100 80GB HBM3 · .*time of a kernel 0\.001.sgpulab on H100 SXM,/);
  const address = new URL(await table().getByRole('link', { name: 'not measured here yet' }).first().getAttribute('href'), lab.address);
  assert.equal(JSON.parse(address.searchParams.get('parameters')).kernel_s, 1e-3);
});

test('the table fits a narrow window', async () => {
  await page.setViewportSize({ width: 360, height: 800 });
  const { references } = (await lab.get('/api/v1/references')).json;
  for (const name of new Set(references.map(({ experiment }) => experiment))) {
    await page.goto(`${lab.address}/experiments/${name}`);
    await table().waitFor();
    await browser.drawn();
    assert.ok(await table().evaluate((frame) => frame.scrollWidth <= frame.clientWidth), name);
    await browser.fits(name);
  }
  await browser.faultless();
});

test('a lesson of which nothing is documented has no table', async () => {
  await page.route('**/api/v1/references/measured?*', (route) => route.fulfill({ json: { models: [], model: null, figures: [] } }));
  await page.goto(`${lab.address}/experiments/transfer`);
  await page.getByRole('region', { name: 'The idea', exact: true }).waitFor();
  assert.equal(await table().count(), 0);
  assert.equal(await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Measured' }).count(), 0);
  await page.unroute('**/api/v1/references/measured?*');
  await browser.faultless();
});
