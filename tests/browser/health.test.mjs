// The page of a run that checks the health of devices: the verdict and what is not as it should be, above the results.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const at = new Date(Date.UTC(2026, 0, 1));
const devices = ['GPU-a', 'GPU-b'].map((id) => ({ id, name: 'NVIDIA H200', node: null }));
const environment = { devices: devices.map((device, ordinal) => ({ ...device, ordinal, backend: 'cuda', peers: [], properties: {} })) };
const rate = (device, check, median, peak) => ({ axes: { device, check }, samples: [median], peak: { value: peak, what: `peak of ${check}` } });
const errors = (device, median) => ({ axes: { device, check: 'remapped-rows' }, metric: 'reading', unit: '1', samples: [median], verified: null });

let lab, browser, page;
before(async () => {
  lab = await Lab.start({ args: ['--host-devices', '2'] });
  const measurements = [rate('GPU-a', 'h2d', 55, 63), errors('GPU-a', 1), rate('GPU-b', 'h2d', 25, 63), errors('GPU-b', 0)];
  const answer = await importInto(lab, linesOf({ at, experiment: 'health', devices, environment }, measurements));
  assert.equal(answer.json.imported, 1, answer.text);
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const panel = () => page.getByRole('region', { name: 'Health' });

test('findings are listed above the results, the worst first, with the names of the devices', async () => {
  await page.goto(`${lab.address}/runs/${idAt(at)}`);
  await panel().getByRole('heading', { name: 'Unhealthy' }).waitFor();
  const lines = await panel().locator(':scope > ul > li').allTextContents();
  assert.equal(lines.length, 3);
  assert.match(lines[0], /^failure NVIDIA H200 #1: host → device is 25\.00 GB\/s, 40 % of 63\.00 GB\/s \(peak of h2d\)/);
  assert.match(lines[1], /^failure NVIDIA H200 #1: host → device is 25\.00 GB\/s, 45 % of 55\.00 GB\/s \(median of 1 other device\)/);
  assert.match(lines[2], /^warning NVIDIA H200 #0: remapped rows is 1; expected 0$/);
  const [health, tabs] = await browser.boxes(panel(), page.getByRole('tablist'));
  assert.ok(health.y + health.height <= tabs.y);
  await browser.faultless();
});

test('the lesson begins with the verdict of the run that it shows', async () => {
  await page.goto(`${lab.address}/experiments/health`);
  const verdict = page.locator('#result p', { hasText: 'Unhealthy: 2 checks failed, 1 gave a warning, 5 passed on 2 devices.' });
  await verdict.waitFor();
  const [said, chart] = await browser.boxes(verdict, page.locator('#result .bars').first());
  assert.ok(said.y + said.height <= chart.y);
});

test('a grid of checks by devices has value, share, limit and verdict, the worst first, each bar against its own peak', async () => {
  await page.goto(`${lab.address}/runs/${idAt(at)}`);
  const grid = panel().getByRole('table');
  await grid.waitFor();
  const texts = await grid.locator('tr').evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent.replaceAll('\u00a0', ' '))));
  assert.deepEqual(texts, [
    ['Check', 'NVIDIA H200 #1', 'NVIDIA H200 #0'],
    ['Host → device', '25.00 GB/s failure40 % of the peak, at least 75 %', '55.00 GB/s ✓ok87 % of the peak, at least 75 %'],
    ['Remapped rows', '0 ✓okat most 0', '1 warningat most 0'],
  ]);
  const checks = () => grid.locator('tbody th').allTextContents();
  await grid.getByRole('button', { name: 'Sort by NVIDIA H200 #1' }).click();
  assert.deepEqual(await checks(), ['Host → device', 'Remapped rows'], 'a number without a share comes last');
  await grid.getByRole('button', { name: 'Check' }).click();
  await grid.getByRole('button', { name: 'Check' }).click();
  assert.deepEqual(await checks(), ['Remapped rows', 'Host → device']);
  await grid.getByRole('button', { name: 'Check' }).click();
  const shares = await grid.locator('.health-bar').evaluateAll((bars) => bars.map((bar) => {
    const width = (one) => one.getBoundingClientRect().width;
    return width(bar.querySelector('.health-fill')) / width(bar);
  }));
  shares.forEach((share, index) => assert.ok(Math.abs(share - [25 / 63, 55 / 63][index]) < 0.01, `${shares}`));
  assert.equal(shares.length, 2);
  assert.equal(await panel().locator(':scope > p').textContent(), '2 checks failed, 1 gave a warning, 5 passed on 2 devices. With enough earlier runs (so far 0) they are also compared with their own past.');
  await browser.faultless();
});

test('on a narrow screen the names of the checks stay in sight, and a shadow shows that the grid continues', async () => {
  await page.setViewportSize({ width: 320, height: 800 });
  await page.goto(`${lab.address}/runs/${idAt(at)}`);
  const frame = page.getByRole('region', { name: 'Checks by device' });
  await frame.waitFor();
  assert.ok(await frame.evaluate((element) => element.scrollWidth > element.clientWidth), 'the grid is wider than its frame');
  await frame.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
  const lefts = await frame.evaluate((element) => [...element.querySelectorAll('tr > :first-child')].map((cell) => cell.getBoundingClientRect().left - element.getBoundingClientRect().left));
  assert.deepEqual(lefts.map(Math.round), lefts.map(() => 1)); // the border of the frame
  assert.equal(await frame.evaluate((element) => getComputedStyle(element).backgroundAttachment), 'local, scroll');
  await page.setViewportSize({ width: 1280, height: 900 });
  await browser.faultless();
});

test('on paper there are light colours, no controls, and the whole grid', async () => {
  await page.setViewportSize({ width: 720, height: 900 });
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.goto(`${lab.address}/runs/${idAt(at)}`);
  const frame = page.getByRole('region', { name: 'Checks by device' });
  await frame.waitFor();
  const shown = async (selector) => (await page.locator(selector).evaluateAll((all) => all.filter((one) => one.checkVisibility()))).length;
  for (const selector of ['.site-header', '.site-footer', '[role=tablist]', '.export-buttons', '.actions']) assert.equal(await shown(selector), 0, selector);
  assert.deepEqual(await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]), ['rgb(255, 255, 255)', 'rgb(25, 28, 31)']);
  assert.deepEqual(await frame.evaluate((element) => [getComputedStyle(element).overflow, element.scrollWidth <= element.clientWidth]), ['visible', true]);
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
  await browser.faultless();
});

test('a run of this machine gets its verdict when it ends; its charts name checks and devices', async () => {
  const parameters = { min_samples: 1, max_samples: 2, min_time_s: 0, settle_s: 0, time_budget_s: 120 };
  const { id } = await lab.complete(parameters, { experiment: 'health' });
  const { findings } = (await lab.get(`/api/v1/runs/${id}/health`)).json;
  const passed = findings.filter(({ level }) => level === 'ok').length;
  await page.goto(`${lab.address}/runs/${id}`);
  await soon(async () => assert.ok((await panel().locator(':scope > p').textContent()).includes(`${passed} `)));
  await panel().getByText(`All ${findings.length} findings`).click();
  assert.equal(await panel().locator('details li').count(), findings.length);
  await soon(async () => assert.match(await page.locator('main').textContent(), /host → device[^]*matrix product|device → device/));
  await browser.faultless();
});

test('runs of other experiments have no such panel', async () => {
  const { id } = await lab.complete();
  await page.goto(`${lab.address}/runs/${id}`);
  await page.getByRole('group', { name: 'View', exact: true }).waitFor();
  assert.equal(await page.locator('.health').isVisible(), false);
  await browser.faultless();
});
