// Comparisons: the answer first, then what differs, curves and verdicts; choices in the address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { idAt, importInto, linesOf } from '../harness/exports.mjs';
import { around, environmentOf, historyLines } from '../harness/history.mjs';
import { Lab, small, soon } from '../harness/lab.mjs';

const EARLIER = 24; // runs that show how much runs vary, after one that was slower
/** The runs: a pinned one, one like it, a faster one and the slower one. The newest has another request. */
let lab, browser, page, ids;
before(async () => {
  lab = await Lab.start();
  const medians = [45, ...around(50, EARLIER), 50, 50, 55, 55], pinned = EARLIER + 1, newest = medians.length - 1;
  const lines = historyLines(medians, (index) => ({
    environment: environmentOf(index > pinned + 1 ? '580.2' : '570.1'), pinned: index === pinned, parameters: { seed: { 0: 2, [newest]: 3 }[index] ?? 1 }, contended: index === 0,
  }));
  const all = lines.filter(({ type }) => type === 'run').map(({ id }) => id);
  ids = [...all.slice(pinned, newest), all[0]];
  const imported = await importInto(lab, lines);
  assert.equal(imported.json.imported, medians.length, imported.text);
  browser = await Browser.start();
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const go = (path) => page.goto(lab.address + path);
const comparison = (base, head, more = '') => `/compare?base=${base}&head=${head}${more}`;
const answer = () => page.locator('.answer');
const verdictRows = () => page.locator('.verdicts tbody tr');

test('the sentence says which is faster; what differs comes before the values', async () => {
  await go(comparison(ids[1], ids[2]));
  await answer().waitFor();
  assert.equal(await answer().textContent(), 'Faster at all 3 points; median bandwidth 1.100×.');
  const differences = page.getByRole('region', { name: 'What differs' });
  assert.deepEqual(await differences.locator('tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent))), [['Driver release', '570.1', '580.2']]);
  const order = await page.locator('main section').evaluateAll((sections) => sections.map((one) => one.getAttribute('aria-label')));
  assert.deepEqual(order.filter(Boolean), ['What differs', 'Curves of both runs', 'Verdicts']);
  assert.equal(await page.title(), 'Compare: Host-device transfer · gpulab');
  await browser.faultless();
});

test('both runs are curves, and their ratio has intervals', async () => {
  const charts = page.locator('.curves-chart');
  assert.equal(await charts.nth(0).locator('.curves-line').count(), 2);
  const [base, head] = await charts.nth(0).locator('.curves-line').evaluateAll((lines) => lines.map((line) => line.getAttribute('stroke-dasharray')));
  assert.ok(base && !head, 'base is dashed');
  assert.equal((await charts.nth(1).locator('.curves-bars').getAttribute('d')).match(/M/g).length, 3);
  await charts.nth(0).scrollIntoViewIfNeeded();
  const [box] = await browser.boxes(charts.nth(0));
  await page.mouse.move(box.x + box.width - 20, box.y + box.height / 2);
  await soon(async () => assert.equal(await page.locator('.comparison-curves > p').textContent(), 'At 1\u00a0MiB: base → head, ratio'));
  assert.match(await page.locator('.legend-value').first().textContent(), /5\d\.\d+\u00a0GB\/s → 5\d\.\d+\u00a0GB\/s, 1\.100×/);
});

test('the table is filtered by verdict; the address keeps the choice', async () => {
  await soon(async () => assert.equal(await verdictRows().count(), 3));
  await page.getByRole('button', { name: 'faster 3' }).click();
  assert.equal(new URL(page.url()).searchParams.get('verdict'), 'faster');
  assert.deepEqual(await verdictRows().locator('.verdict').allTextContents(), ['faster', 'faster', 'faster']);
  await page.getByRole('button', { name: 'slower 0' }).click();
  await page.getByText('No point is slower.').waitFor();
  await page.reload();
  await page.getByText('No point is slower.').waitFor();
  await page.getByRole('button', { name: 'all 3' }).click();
  const values = await verdictRows().first().locator('td').allTextContents();
  const { points } = (await lab.get(`/api/v1/compare?base=${ids[1]}&head=${ids[2]}`)).json;
  assert.match(values[4], /^\d+(\.\d)?\u00a0%$/);
  assert.equal(values[6], `${points[0].base.median.toFixed(2)}\u00a0GB/s`);
});

test('the minimum effect is adjustable', async () => {
  await page.getByLabel('Differences below').selectOption('0.1');
  await page.waitForURL(/effect=0\.1/);
  await soon(async () => assert.equal(await answer().textContent(), 'Unclear at all 3 points; median bandwidth 1.100×.'));
  await browser.faultless();
});

test('other runs are chosen, and both are swapped', async () => {
  await go(comparison(ids[1], ids[2]));
  await page.getByLabel('Head', { exact: true }).selectOption(ids[3]);
  await page.waitForURL(`**${comparison(ids[1], ids[3])}`);
  await soon(async () => assert.equal(await answer().textContent(), 'Slower at all 3 points; median bandwidth 0.9000×.'));
  const caution = page.locator('.notice.warn');
  assert.match(await caution.textContent(), /Head was contended/);
  assert.match(await page.getByRole('region', { name: 'What differs' }).textContent(), /Seed12/);
  await browser.faultless();
  await page.getByRole('button', { name: 'Swap base and head' }).click();
  await page.waitForURL(`**${comparison(ids[3], ids[1])}`);
  await page.goBack();
  await page.waitForURL(`**${comparison(ids[1], ids[3])}`);
  await page.getByLabel('Base', { exact: true }).selectOption('pinned');
  await page.waitForURL('**/compare?base=pinned&head=*');
  await soon(async () => assert.match(await page.locator('.side').first().textContent(), new RegExp(ids[0].slice(-6))));
});

test('without a base it is the pinned run of the same devices', async () => {
  await go(`/compare?head=${ids[2]}`);
  await answer().waitFor();
  assert.equal(new URL(page.url()).searchParams.get('base'), ids[0]);
});

test('without runs in the address the last two of an experiment are compared', async () => {
  await go('/compare');
  await page.getByRole('heading', { name: 'The last two runs of an experiment' }).waitFor();
  await browser.faultless();
  await page.locator('main').getByRole('link', { name: 'Host-device transfer' }).click();
  await page.waitForURL(`**${comparison(ids[1], ids[2])}`); // the newest run has another seed
});

test('on a narrow screen the point, its verdict and its ratio are in sight, and stay so', async () => {
  await go(comparison(ids[1], ids[2]));
  await verdictRows().first().waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  const frame = page.getByRole('region', { name: 'Compared points' });
  const right = (await frame.evaluate((element) => element.getBoundingClientRect().left + element.clientWidth));
  const edges = () => verdictRows().first().evaluate((row) => [...row.children].slice(0, 3).map((cell) => cell.getBoundingClientRect().right));
  assert.equal(await verdictRows().first().locator('td').first().textContent(), 'faster');
  for (const edge of await edges()) assert.ok(edge <= right, `${await edges()} in a frame to ${right}`);
  await frame.evaluate((element) => element.scrollTo(element.scrollWidth, 0));
  const [point] = await edges();
  assert.ok(point > 0 && point < right, 'the point stays');
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('long names of points leave the values of both sides in sight, also on paper', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await verdictRows().first().locator('th').evaluate((cell) => {
    cell.textContent = 'pageable · opposite direction idle · host → device · copy engine · contiguous · size 256 KiB';
  });
  const frame = page.getByRole('region', { name: 'Compared points' });
  const beyond = () => frame.evaluate((element) => element.querySelector('table').getBoundingClientRect().right - element.getBoundingClientRect().right);
  assert.ok((await beyond()) <= 0);
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 718, height: 900 }); // an A4 page
  const [right, name] = [await beyond(), await verdictRows().first().locator('th').evaluate((cell) => cell.getBoundingClientRect())];
  await page.emulateMedia({ media: 'screen' });
  assert.ok(right <= 0 && name.width > 150, `${right}, ${name.width}`);
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('the compared points are sorted by a column, which the address and the focus keep', async () => {
  await go(`${comparison(ids[1], ids[2])}&sort=Ratio`);
  const head = page.getByRole('columnheader', { name: 'Ratio', exact: true });
  await head.and(page.locator('[aria-sort=ascending]')).waitFor();
  const ratios = async () => (await verdictRows().locator('td:nth-child(3)').allTextContents()).map(parseFloat);
  const rising = await ratios();
  assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
  await head.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await head.and(page.locator('[aria-sort=descending]')).waitFor();
  assert.deepEqual(await ratios(), [...rising].reverse());
  assert.equal(new URL(page.url()).searchParams.get('sort'), '-Ratio');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Ratio');
});

test('an interval that is longer than the axis of ratios ends in an arrow, which is explained', async () => {
  await page.route('**/api/v1/compare?*', async (route) => {
    const response = await route.fetch(), json = await response.json();
    Object.assign(json.points[0], { low: 0.001 });
    await route.fulfill({ response, json });
  });
  await go(comparison(ids[1], ids[2]));
  await verdictRows().first().waitFor();
  assert.deepEqual(await page.locator('.interval-cut').allTextContents(), ['◂']);
  await page.getByText('An arrow at the end of a bar').waitFor();
  await page.unroute('**/api/v1/compare?*');
  await browser.faultless();
});

test('the two sides of a run are compared', async () => {
  const run = await lab.submit({ ...small, min_samples: 16, max_samples: 16, settle_s: 0, time_budget_s: 60, memory: 'pinned' }, { compare_with: { parameters: { memory: 'pageable' } } });
  await lab.reach(run.id, 'succeeded');
  await go(`/compare?run=${run.id}`);
  await page.getByRole('heading', { name: /Both sides of one run/ }).waitFor();
  assert.match(await page.locator('.compared-facts').textContent(), /memory.*pageable.*pinned/i);
  assert.equal(await verdictRows().count(), 1);
  await browser.faultless();
});

test('runs of different experiments, and unknown ones, are an error with its reason', async () => {
  await importInto(lab, linesOf({ at: new Date(), n: 99, experiment: 'stream' }, []));
  await go(comparison(ids[0], idAt(new Date(0), 1)));
  await page.getByRole('heading', { level: 1, name: /not found/i }).waitFor();
  browser.ignore(/40[04]|422/);
});

test('a comparison needs no sideways scrolling on a narrow screen', async () => {
  await page.setViewportSize({ width: 360, height: 800 });
  await go(comparison(ids[1], ids[2]));
  await answer().waitFor();
  await browser.drawn();
  assert.deepEqual(await page.evaluate(() => [...document.querySelectorAll('main, main > * > *')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)), []);
  await page.setViewportSize({ width: 1280, height: 900 });
});

test('the header of what differs is over its columns', async () => {
  await go(comparison(ids[1], ids[2]));
  const differences = page.getByRole('region', { name: 'What differs' });
  await differences.waitFor();
  const cells = (row) => differences.locator(row).first().locator('> *').evaluateAll((list) => list.map((cell) => {
    const { left, width } = cell.getBoundingClientRect();
    return [Math.round(left), Math.round(width)];
  }));
  assert.deepEqual(await cells('thead tr'), await cells('tbody tr'));
});

test('missing samples are said once, at the top, and no verdict is made up', async () => {
  const reason = 'a side has no samples';
  await page.route('**/api/v1/compare*', async (route) => {
    const response = await route.fetch();
    const found = await response.json();
    const points = found.points.map((point) => (point.verdict ? { ...point, verdict: 'unclear', low: null, high: null, reason } : point));
    await route.fulfill({ response, json: { ...found, points, verdict: 'unclear', summary: { faster: 0, slower: 0, same: 0, unclear: 3 }, samples_missing: { base: 3, head: 0 } } });
  });
  await go(comparison(ids[1], ids[2]));
  await answer().waitFor();
  assert.equal(await answer().textContent(), 'Unclear at all 3 points; median bandwidth 1.100×.');
  const sentence = page.locator('.missing-samples');
  assert.match(await sentence.textContent(), new RegExp(`^3 points cannot be judged, because this lab does not have the samples of base \\(run ${ids[1].slice(-6)}\\)`));
  const [said, sides] = await browser.boxes(sentence, '.sides');
  assert.ok(said.y < sides.y);
  assert.equal(await page.locator('main').getByText(reason).count(), 0);
  await page.unroute('**/api/v1/compare*');
  await browser.faultless();
});

test('several reasons are listed once, with their numbers at the points, and with how much time would decide them', async () => {
  await page.route('**/api/v1/compare*', async (route) => {
    const response = await route.fetch();
    const found = await response.json();
    const points = found.points.map((point, at) => (point.verdict ? { ...point, verdict: 'unclear', reason: at === 0 ? 'too few values' : 'values drift', needed: [null, 2, 3.44][at] } : point));
    await route.fulfill({ response, json: { ...found, points, verdict: 'unclear', summary: { faster: 0, slower: 0, same: 0, unclear: 3 } } });
  });
  await go(comparison(ids[1], ids[2]));
  await soon(async () => assert.deepEqual(await page.locator('.reason-list li').allTextContents(), ['2 unclear: values drift; 3.4× the time budget would probably decide all.', '1 unclear: too few values.']));
  assert.deepEqual(await verdictRows().evaluateAll((rows) => rows.map((row) => row.children[6].textContent)), ['–', '2×', '3.4×']);
  await page.getByText('Would decide: so many times the time budget').waitFor();
  assert.deepEqual(await verdictRows().locator('sup').allTextContents(), [' reason 2', ' reason 1', ' reason 1']);
  for (const text of ['values drift', 'too few values']) assert.equal(await page.locator('main').getByText(text).count(), 1);
  await page.unroute('**/api/v1/compare*');
  await browser.faultless();
});

test('a run that is alone on its device is compared with those of other devices; nothing is offered that does not exist', async () => {
  const at = new Date(Date.UTC(2026, 0, 1));
  await importInto(lab, linesOf({ at, n: 90, devices: [{ id: 'GPU-9', name: 'NVIDIA A100', node: 'n9' }] }, [{ samples: [20] }]));
  await go(`/compare?head=${idAt(at, 90)}`);
  const panel = page.locator('section.panel', { has: page.getByRole('heading', { name: 'Runs of this experiment on other devices' }) });
  const links = panel.getByRole('link');
  await links.first().waitFor();
  assert.ok((await links.evaluateAll((list) => list.map((link) => new URL(link.href).searchParams.get('base')))).includes(ids[3]));
  await links.first().click();
  await page.getByRole('region', { name: 'Verdicts' }).waitFor();
  assert.equal(await page.getByRole('option', { name: 'the pinned baseline' }).count(), 1);
  const alone = new Date(Date.UTC(2026, 0, 2));
  await importInto(lab, linesOf({ at: alone, n: 91, experiment: 'launch', devices: [{ id: 'GPU-9', name: 'NVIDIA A100', node: 'n9' }] }, [{ samples: [20] }]));
  await go(`/compare?head=${idAt(alone, 91)}`);
  await page.getByText('The lab has no other run of this experiment that succeeded.').waitFor();
  assert.equal(await page.getByText('Nothing to compare yet').count(), 0);
  await browser.faultless();
});

test('any number of runs stand in one chart, with their figures against the first', async () => {
  await go(`/compare?runs=${ids[1]},${ids[2]},${ids[3]}`);
  const rows = page.getByRole('region', { name: 'Runs that are compared' }).locator('tbody tr');
  await rows.nth(2).waitFor();
  assert.equal(await page.title(), 'Compare: Host-device transfer · gpulab');
  const labels = () => page.locator('.legend .legend-label').allTextContents();
  await soon(async () => assert.equal((await labels()).length, 3));
  const names = await rows.locator('th a').allTextContents();
  assert.deepEqual((await labels()).map((text) => names.findIndex((name) => text.includes(name))), [0, 1, 2]);
  await browser.faultless();
  await browser.fits('three runs');
  await rows.nth(2).getByRole('button', { name: /^Make it the first/ }).click();
  await soon(async () => assert.equal((await rows.locator('th a').allTextContents())[0], names[2]));
  await rows.nth(1).getByRole('button', { name: /^Leave out/ }).click();
  await soon(async () => assert.deepEqual(await rows.locator('th a').allTextContents(), [names[2], names[1]]));
  const added = page.getByLabel('Add a run');
  await added.selectOption({ index: 1 });
  await soon(async () => assert.equal(await rows.count(), 3));
  await rows.nth(1).getByRole('link', { name: 'Verdicts' }).click();
  await answer().waitFor();
  await page.getByRole('link', { name: 'All views of both in one chart, and further runs' }).click();
  await soon(async () => assert.equal(await rows.count(), 2));
  await page.setViewportSize({ width: 320, height: 800 });
  await browser.fits('two runs on 320 px');
  await page.setViewportSize({ width: 1280, height: 720 });
  await go('/compare?experiment=transfer');
  await rows.first().waitFor();
  assert.match(new URL(page.url()).search, /^\?runs=/);
  await browser.faultless();
});
