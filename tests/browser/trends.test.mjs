// Trends: a point over time, its shifts named by what changed, the baseline, and the list of all trends.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { around, environmentOf, historyLines } from '../harness/history.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const BEFORE = 15, AFTER = 10;
const axes = { direction: 'h2d', bytes: 1048576 };
let lab, browser, page, ids;
before(async () => {
  lab = await Lab.start();
  const lines = historyLines([...around(50, BEFORE), ...around(47, AFTER)], (index) => ({
    environment: environmentOf(index < BEFORE ? '570.1' : '580.2'), pinned: index === 2, contended: index === 20,
  }));
  ids = lines.filter(({ type }) => type === 'run').map(({ id }) => id);
  const imported = await importInto(lab, lines);
  assert.equal(imported.json.imported, BEFORE + AFTER, imported.text);
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const go = (path) => page.goto(lab.address + path);
const answer = () => page.locator('.answer');
const shifts = () => page.getByRole('region', { name: 'Shifts' });

test('all trends: those that shifted recently first, each leads to its point', async () => {
  await go('/trends');
  const row = page.locator('.trend-list tbody tr').first();
  await row.waitFor();
  assert.match(await row.textContent(), /Host-device transfer Host to device/);
  assert.match(await row.textContent(), /6\.\d\u00a0% lower 10 runs ago25NVIDIA H200/);
  await browser.faultless();
  await row.getByRole('link').click();
  await page.waitForURL(/\/trends\?experiment=transfer&metric=bandwidth/);
  assert.deepEqual(JSON.parse(new URL(page.url()).searchParams.get('axes')), axes);
});

test('no field cuts the choices that it has while there is room', async () => {
  for (const width of [1280, 1000, 390]) {
    await page.setViewportSize({ width, height: 900 });
    const selects = page.locator('.trend-fields select');
    await selects.first().waitFor();
    const cut = await selects.evaluateAll((all) => all.filter((select) => {
      const { font } = getComputedStyle(select), context = document.createElement('canvas').getContext('2d');
      context.font = font;
      const longest = Math.max(...[...select.options].map(({ text }) => context.measureText(text).width));
      return select.clientWidth < Math.min(longest + 32, document.querySelector('.trend-fields').clientWidth - 8);
    }).map(({ labels: [{ textContent }] }) => textContent));
    assert.deepEqual(cut, [], `at ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('the answer names the newest value, the baseline and the shift', async () => {
  await answer().waitFor();
  const text = await answer().textContent();
  assert.match(text, /^4[67]\.\d+\u00a0GB\/s in the newest of 25 runs\./);
  assert.match(text, /lower than the baseline of 50\.\d+\u00a0GB\/s/);
  assert.match(text, /The level has been 6\.\d\u00a0% lower since \d{4}-\d{2}-\d{2}, a regression\.$/);
  await browser.faultless();
});

test('the chart has a point for each run that leads there, also from the keyboard', async () => {
  const points = page.locator('.curves-link');
  assert.deepEqual(await points.evaluateAll((list) => list.map((link) => link.getAttribute('href'))), ids.map((id) => `/runs/${id}`));
  assert.equal(await page.locator('.curves-rule.shift').count(), 1);
  assert.match(await page.locator('.curves-rule').last().textContent(), /^baseline 50\./);
  assert.equal(await page.locator('.curves-marker.caution').count(), 1);
  await points.last().focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Home');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('href')), `/runs/${ids[0]}`);
  assert.match(await page.locator('.trend-readout').textContent(), /49\.\d+\u00a0GB\/s|50\.\d+\u00a0GB\/s/);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/runs/${ids[0]}`);
  await page.goBack();
  await answer().waitFor();
});

test('a shift is named by what changed, and can be accepted as the baseline', async () => {
  await soon(async () => assert.match(await shifts().textContent(), /What changed: Driver release 570\.1 → 580\.2\./));
  const shifted = ids[BEFORE];
  assert.equal(await shifts().getByRole('link', { name: 'Compare with the run before' }).getAttribute('href'), `/compare?base=${ids[BEFORE - 1]}&head=${shifted}`);
  await shifts().getByRole('button', { name: 'Accept as the baseline' }).click();
  await shifts().getByText('Accepted: the baseline is of this level.').waitFor();
  assert.equal((await lab.run(shifted)).pinned, true);
  assert.match(await page.locator('.curves-rule').last().textContent(), /^baseline 4[67]\./);
  await browser.faultless();
});

test('the table has all values, newest first, with remarks', async () => {
  await page.getByText('Values as a table').click();
  const rows = page.locator('.trend-values tbody tr');
  assert.equal(await rows.count(), BEFORE + AFTER);
  assert.equal(await rows.first().getByRole('link').getAttribute('href'), `/runs/${ids.at(-1)}`);
  assert.match(await rows.nth(AFTER + BEFORE - 1 - 20).textContent(), /contended/);
  const medians = async () => (await rows.locator('td:nth-child(3)').allTextContents()).map(parseFloat);
  const [newest, rising] = [await medians(), (await medians()).sort((a, b) => a - b)];
  const head = page.getByRole('columnheader', { name: 'Median' });
  const orders = [];
  for (let press = 0; press < 3; press++) {
    await head.getByRole('button').click();
    orders.push([await head.getAttribute('aria-sort'), await medians()]);
  }
  assert.deepEqual(orders, [['ascending', rising], ['descending', [...rising].reverse()], [null, newest]]);
  assert.match(await rows.nth(AFTER - 1).textContent(), /environment changed.*level 6\.\d\u00a0% lower from here on/);
  await browser.faultless();
});

test('a mark is added, drawn among the values, and deleted', async () => {
  const marks = page.getByRole('region', { name: 'Marks' }), rule = page.locator('.curves-rule.mark');
  await marks.getByText('No mark yet.').waitFor();
  assert.equal(await rule.count(), 0);
  const { created_at: at } = (await lab.get(`/api/v1/runs/${ids[BEFORE]}`)).json;
  const local = await page.evaluate((text) => { const time = new Date(text); return new Date(time - time.getTimezoneOffset() * 60e3).toISOString().slice(0, 19); }, at);
  const text = 'the <b>fan</b> was replaced, and the driver with it, after work';
  await marks.getByLabel('What happened?').fill(text);
  await marks.getByLabel('When, if not now').fill(local);
  await marks.getByLabel('On which machine, if not on all').fill('node-1');
  await marks.getByRole('button', { name: 'Add the mark' }).click();
  await marks.getByText(text).waitFor();
  assert.deepEqual((await lab.get('/api/v1/marks')).json.marks.map(({ text: said, node }) => [said, node]), [[text, 'node-1']]);
  await rule.waitFor();
  assert.equal(await rule.textContent(), `${text.slice(0, 23)}…`);
  assert.equal(await marks.getByLabel('What happened?').inputValue(), '');
  const [line, shift] = await Promise.all(['.mark', '.shift'].map((kind) => page.locator(`.curves-rule${kind} path`).evaluate((path) => path.getBBox().x)));
  assert.equal(line, shift, 'before the first value of the new level');
  const [words, curve] = await browser.boxes('.curves-rule.mark text', '.curves-line');
  assert.ok(words.bottom <= curve.top, 'the text is above the values');
  await page.setViewportSize({ width: 320, height: 844 });
  await page.locator('.curves-rule.mark text').waitFor({ state: 'hidden' });
  const [panel, when] = await browser.boxes(marks, marks.getByLabel('When, if not now'));
  assert.ok(when.right <= panel.right, 'the field of the time stays in its panel');
  await page.setViewportSize({ width: 1280, height: 900 });
  assert.deepEqual(await browser.inaccessible(), []);
  await marks.getByRole('button', { name: /^Delete the mark/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await marks.getByText('No mark yet.').waitFor();
  await rule.waitFor({ state: 'detached' });
  await browser.faultless();
});

test('another point is chosen; the back button returns', async () => {
  const points = page.getByLabel('Point', { exact: true });
  const value = await points.locator('option', { hasText: /\b4\sKiB/ }).first().getAttribute('value');
  assert.equal(JSON.parse(value).axes.bytes, 4096);
  await points.selectOption(value);
  await page.waitForURL((url) => JSON.parse(url.searchParams.get('axes')).bytes === 4096);
  await soon(async () => assert.match(await answer().textContent(), /^42\./));
  await page.goBack();
  await soon(async () => assert.match(await answer().textContent(), /^4[67]\./));
});

test('an experiment alone leads to its headline; one without runs says so; an unknown point is an error', async () => {
  await go('/trends?experiment=transfer');
  await answer().waitFor();
  assert.equal(new URL(page.url()).searchParams.get('metric'), 'bandwidth');
  await go('/trends?experiment=stream');
  await page.getByRole('heading', { name: 'No runs with a result' }).waitFor();
  await browser.faultless();
  await go('/trends?experiment=transfer&metric=bandwidth&axes=%7B%22bytes%22%3A1%7D&device=NVIDIA+H200');
  await page.getByRole('heading', { level: 1, name: /not found/i }).waitFor();
  await go('/trends?experiment=transfer&metric=bandwidth&axes=nonsense');
  await page.getByText('"axes" in the address must be a JSON object.').waitFor();
  browser.ignore(/404/);
});

test('a trend needs no sideways scrolling on a narrow screen', async () => {
  await page.setViewportSize({ width: 360, height: 800 });
  for (const path of ['/trends', '/trends?experiment=transfer']) {
    await go(path);
    await page.locator('.answer, .trend-list').first().waitFor();
    await browser.drawn();
    assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('main, main > * > *')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)), []);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('the list of trends is sorted by a column, which the address keeps', async () => {
  const other = linesOf({ at: new Date(Date.now() - 3_600_000), n: 900, experiment: 'stream', headline: [] }, [{ axes: { variant: 'read', bytes: 4096 }, samples: [7] }]);
  assert.equal((await importInto(lab, other)).json.imported, 1);
  const names = () => page.locator('.trend-list tbody th a').allTextContents();
  await go('/trends');
  await page.getByRole('button', { name: 'Runs' }).click();
  await soon(async () => assert.deepEqual(await names(), ['Memory bandwidth (STREAM)', 'Host-device transfer']));
  await page.getByRole('button', { name: 'Runs' }).click();
  await soon(async () => assert.deepEqual(await names(), ['Host-device transfer', 'Memory bandwidth (STREAM)']));
  assert.equal(new URL(page.url()).searchParams.get('sort'), '-Runs');
  await page.reload();
  await page.getByRole('columnheader', { name: 'Runs' }).and(page.locator('[aria-sort="descending"]')).waitFor();
});

test('an experiment alone leads to the result that stands for it, not to a newer one of the CPU', async () => {
  const host = { id: 'host-9', ordinal: 0, backend: 'host', name: 'A CPU', properties: {}, peers: [] };
  const lines = linesOf(
    { at: new Date(), n: 901, devices: [{ id: host.id, name: host.name, node: 'n2' }], environment: { ...environmentOf('1'), devices: [host] }, headline: [{ title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value: 9, axes, lowest: false }] },
    [{ axes, samples: [9] }],
  );
  assert.equal((await importInto(lab, lines)).json.imported, 1);
  await go('/trends?experiment=transfer');
  await answer().waitFor();
  assert.equal(new URL(page.url()).searchParams.get('device'), 'NVIDIA H200');
});
