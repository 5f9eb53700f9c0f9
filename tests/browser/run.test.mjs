// The page of a run: headline figures, tabs, levels of notices, edits, live updates, comparisons and large results.
// Runs of which the values matter are imported, so that no verdict depends on this machine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { endless, Lab, soon, withLab } from '../harness/lab.mjs';

const sizes = [4096, 65536, 1048576];
const axes = (direction, bytes) => ({ memory: 'pinned', engine: 'copy', pattern: 'contiguous', opposing: false, direction, bytes });
const bandwidths = (factor) => ['h2d', 'd2h'].flatMap((direction) =>
  sizes.map((bytes, at) => ({ axes: axes(direction, bytes), peak: { value: 63, what: 'PCIe gen5 x16' }, samples: [10, 20, 40].map((value) => value * factor).slice(at, at + 1).concat(factor * [10, 20, 40][at]) })));
const headline = (value) => [{ title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value, axes: axes('h2d', 1048576), lowest: false }];

/** Days before now, so that runs are in order. */
const daysAgo = (days) => new Date(Date.UTC(2026, 0, 31 - days));
const run = (days, fields, measurements) => linesOf({ at: daysAgo(days), n: days, ...fields }, measurements);

const earlier = [1, 2, 3, 4, 5, 6].map((day) => run(day + 1, { headline: headline(40 + day / 100) }, bandwidths(1 + day / 4000)));
const subject = run(1, {
  headline: headline(44), tags: ['nightly'], note: 'after the update', requested_by: 'ada',
  notes: ['NCCL 2.28.3', 'multicast off'], warnings: ['it was warm'],
  environment: { machine: { name: 'n1' }, variables: { CUDA_HOME: '/new', OMPI_MCA_btl_vader_single_copy_mechanism: 'none' } },
}, [
  ...bandwidths(1.1).map((one, at) => (at === 2 ? { ...one, samples: [40, 44, 48], conditions: { sm_clock_mhz: 1200, throttle: ['power'], temperature_c: 70, power_w: 600 } } : one)),
  { metric: 'time', unit: 's', axes: axes('h2d', 4096), samples: [1e-6] },
]);
const id = subject[0].id;

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  const answer = await importInto(lab, [...earlier.flat(), ...subject]);
  assert.equal(answer.json.imported, 7, answer.text);
  browser = await Browser.start({ viewport: { width: 1280, height: 720 } });
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const go = (path) => page.goto(lab.address + path);
const tab = (name) => page.getByRole('tab', { name: new RegExp(`^${name}`) });
const text = async (locator) => (await locator.innerText()).replaceAll('\u00a0', ' ');

/** Whether the whole element is on the first screen. */
const onFirstScreen = (locator) => locator.evaluate((element) => {
  const { top, bottom, right } = element.getBoundingClientRect();
  return scrollY === 0 && top >= 0 && bottom <= innerHeight && right <= innerWidth;
});

test('the headline is on the first screen, with its standing and its cautions', async () => {
  for (const [width, height] of [[1280, 720], [360, 740]]) {
    await page.setViewportSize({ width, height });
    await go(`/runs/${id}`);
    const figure = page.locator('.run-figure').first();
    await figure.getByText('better than usual').waitFor();
    assert.match(await text(figure), /Host to device\s*size 1 MiB\s*44\.00\s+GB\/s\s*throttled\s*noisy\s*69\.8\s% of PCIe gen5 x16\s*better than usual for NVIDIA H200, 1st of 7/);
    assert.ok(await onFirstScreen(figure), `at ${width} x ${height}`);
    await browser.fits(`at ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  assert.equal(await page.title(), '✓ Host-device transfer: 44.00 GB/s · gpulab'.replace('44.00 GB', '44.00\u00a0GB'));
  await browser.faultless();
});

test('headline, chart and its horizontal axis are on the first screen of a laptop', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await go(`/runs/${id}`);
  const chart = page.locator('.xy-chart');
  await chart.locator('text', { hasText: /^Size$/ }).waitFor();
  await page.locator('.run-figure').first().getByText('better than usual').waitFor(); // what is drawn after the chart moves it
  assert.ok(await onFirstScreen(page.locator('.headlines')));
  assert.ok(await onFirstScreen(chart));
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('a run says where it belongs: the lesson that explains it, and all lessons', async () => {
  await go(`/runs/${id}`);
  const path = page.getByRole('navigation', { name: 'Path' });
  assert.equal(await path.getByRole('listitem').last().textContent(), `run ${id.slice(-6)}`);
  await path.getByRole('link', { name: 'Host-device transfer' }).click();
  await page.getByRole('heading', { level: 1, name: 'Host-device transfer' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/experiments/transfer');
  await browser.faultless();
});

test('a notice says that a run has ended, also while another page is shown', () => withLab({}, async (own) => {
  const { id: running } = (await own.post('/api/v1/runs', { experiment: 'transfer', parameters: endless })).json;
  await own.reach(running, 'running');
  await page.goto(`${own.address}/runs/${running}`);
  await page.evaluate(() => {
    globalThis.told = [];
    globalThis.Notification = class {
      static requestPermission = async () => 'granted';
      constructor(title) {
        globalThis.told.push(title);
      }
    };
  });
  await page.getByRole('button', { name: 'Tell me when it ends' }).click();
  await page.getByRole('button', { name: 'You will be told' }).waitFor();
  await browser.faultless();
  await page.getByRole('link', { name: 'Trends', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Trends' }).waitFor();
  await own.post(`/api/v1/runs/${running}/cancel`, {});
  await own.reach(running, 'cancelled');
  await soon(async () => assert.deepEqual(await page.evaluate(() => globalThis.told), ['Host-device transfer, cancelled']));
  const title = 'Host-device transfer, cancelled';
  assert.equal(await page.title(), `${title} · Trends · gpulab`);
  const told = page.locator('#ended');
  await told.getByText('A run has ended').waitFor();
  await browser.faultless();
  await told.getByRole('link', { name: title }).click();
  await page.waitForURL(`**/runs/${running}`);
  await soon(async () => assert.equal(await page.title(), `${title} · gpulab`));
  assert.equal(await told.textContent(), '');
  await page.goto('about:blank');
}));

test('the tab is in the address, and arrow keys move between tabs', async () => {
  await go(`/runs/${id}`);
  await tab('Chart').focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('table', { name: 'Bandwidth: exact values' }).waitFor();
  assert.equal(new URL(page.url()).search, '?tab=table');
  assert.equal(await tab('Table').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('End');
  const last = page.getByRole('tabpanel', { name: 'Comments' });
  await last.waitFor();
  await page.reload();
  await last.waitFor();
  assert.equal(await tab('Log').count(), 0, 'a tab without content is not there');
  await browser.faultless();
});

test('every tab is accessible and fits on narrow and wide screens', async () => {
  for (const name of ['chart', 'table', 'references', 'method', 'environment', 'comments']) {
    for (const width of [320, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await go(`/runs/${id}?tab=${name}`);
      await page.getByRole('tabpanel').locator('> *').first().waitFor();
      await browser.fits(`${name} at ${width} px`);
    }
    await browser.faultless();
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('the table shows every column at 1280 px, with the cautions of each value', async () => {
  await go(`/runs/${id}?tab=table`);
  const table = page.getByRole('table', { name: 'Bandwidth: exact values' });
  await table.waitFor();
  const heads = await table.getByRole('columnheader').allTextContents();
  assert.deepEqual(heads, ['Direction', 'Size', 'Median', 'Quartiles', 'Noise', 'Samples', 'Verified', 'Cautions']);
  assert.ok(await table.evaluate((element) => element.scrollWidth <= element.parentElement.clientWidth), 'no column is cut off');
  const row = table.getByRole('row').filter({ hasText: 'throttled' });
  assert.match(await text(row), /host → device\s+1 MiB\s+44\.00 GB\/s.*9\.1 %.*throttled noisy/s);
  await page.getByLabel('Metric').selectOption('time');
  await page.getByRole('table', { name: 'Time: exact values' }).waitFor();
  assert.equal(new URL(page.url()).search, '?tab=table&metric=time');
  await page.reload();
  await page.getByRole('table', { name: 'Time: exact values' }).waitFor();
  await browser.faultless();
});

test('remarks are neutral, cautions amber', async () => {
  await go(`/runs/${id}`);
  const remarks = page.getByRole('list', { name: 'Remarks' }).getByRole('listitem');
  await remarks.first().waitFor();
  assert.deepEqual(await remarks.allTextContents(), ['NCCL 2.28.3', 'Multicast off']);
  const cautions = page.getByRole('region', { name: 'Cautions' });
  await cautions.waitFor();
  assert.equal(await cautions.getAttribute('class'), 'notice warn cautions');
  const summary = cautions.locator('summary');
  assert.equal(await text(summary), 'Throttled (1 value), noisy (1 value), 1 warning');
  assert.equal(await cautions.getByRole('listitem').count(), 0, 'they are folded');
  const isShown = () => cautions.locator('li').first().evaluate((item) => item.checkVisibility());
  assert.equal(await isShown(), false);
  await page.emulateMedia({ media: 'print' }); // at once: the styles of paper are not among the later ones
  const printed = await isShown();
  await page.emulateMedia({ media: 'screen' });
  assert.ok(printed, 'they are printed');
  await summary.click();
  const items = (await cautions.getByRole('listitem').allTextContents()).map((item) => item.replaceAll('\u00a0', ' '));
  assert.deepEqual(items.map((item) => item.split(' ')[0]), ['Throttled', 'Noisy', 'It']);
  assert.match(items[1], /1 of 7 values/);
  assert.equal(await page.locator('.notice.bad').count(), 0);
});

test('cautions are neutral while no headline is in doubt, and the power limit is a fact', async () => {
  const of = await lab.run(id);
  const limited = { sm_clock_mhz: 1200, throttle: ['power-cap'], throttled_by: [], temperature_c: 60, power_w: 700 };
  const measurements = of.measurements.map((one) => (one.axes.bytes === 4096 ? { ...one, conditions: limited } : one));
  const other = { ...of.headline[0], axes: axes('h2d', 4096) };
  await page.route(`**/api/v1/runs/${id}`, (route) => route.fulfill({ json: { ...of, measurements, headline: [other] } }));
  await page.reload();
  const cautions = page.getByRole('region', { name: 'Cautions' });
  await cautions.locator('summary', { hasText: 'power-limited' }).click();
  await cautions.getByText('Power-limited', { exact: true }).waitFor();
  assert.equal(await cautions.getAttribute('class'), 'notice cautions');
  assert.match(await cautions.textContent(), /Noisy – 1 of 7 values/);
  assert.equal(await page.locator('.run-figure .tag.warn').count(), 0);
  await page.unroute(`**/api/v1/runs/${id}`);
});

test('the environment starts with what differs from the previous run', async () => {
  await go(`/runs/${id}?tab=environment`);
  const differences = page.getByRole('region', { name: 'Differences', exact: true });
  await differences.getByRole('row').filter({ hasText: 'CUDA_HOME' }).getByText('/new').waitFor();
  assert.ok(await page.getByRole('link', { name: /^the run of/ }).getAttribute('href').then((href) => href.endsWith(earlier[0][0].id)));
});

test('tags and note are edited in place, and a baseline cannot be deleted', async () => {
  await go(`/runs/${id}`);
  const more = (name) => page.locator('.run-head .menu summary').click().then(() => page.getByRole('button', { name }).click());
  await more('Edit tags and note');
  const form = page.getByRole('form', { name: 'Tags and note' });
  await form.getByLabel('Tags').fill('nightly, checked');
  await form.getByLabel('Note').fill('as expected');
  await browser.faultless();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('link', { name: 'checked' }).waitFor();
  await page.getByText('as expected').waitFor();
  const saved = await lab.run(id);
  assert.deepEqual([saved.tags, saved.note], [['nightly', 'checked'], 'as expected']);
  await more('Pin as baseline');
  await page.locator('.run-badges').getByText('baseline').waitFor();
  assert.equal((await lab.run(id)).pinned, true);
  await more('Delete');
  await page.getByText('stop using the run as baseline before you delete it').waitFor();
});

test('an edit after a change by someone else is not saved, and says so', async () => {
  await go(`/runs/${id}`);
  await page.locator('.run-head .menu summary').click();
  await page.getByRole('button', { name: 'Edit tags and note' }).click();
  const form = page.getByRole('form', { name: 'Tags and note' });
  await form.getByLabel('Note').fill('mine');
  await page.route(`**/api/v1/runs/${id}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue();
    return route.continue({ headers: { ...route.request().headers(), 'if-match': '"1"' } });
  });
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('alert').getByText('The run was changed meanwhile').waitFor();
  assert.equal(await form.getByLabel('Note').inputValue(), 'mine', 'what was typed is kept');
  await page.unroute(`**/api/v1/runs/${id}`);
  await form.getByRole('button', { name: 'Save' }).click();
  await form.waitFor({ state: 'detached' });
  assert.equal((await lab.run(id)).note, 'mine');
  browser.problems.splice(0, Infinity, ...browser.problems.filter((problem) => !/412/.test(problem))); // Chromium logs every 4xx response
  await browser.faultless();
});

let longRun;
test('10,000 measurements: only the rows in sight are in the document', async () => {
  const count = 10_000;
  const lines = run(0, { headline: headline(count) }, Array.from({ length: count }, (_, at) => ({ axes: axes('h2d', 1024 + at), median: at + 1 })));
  const answer = await importInto(lab, lines);
  assert.equal(answer.json.imported, 1, answer.text);
  longRun = lines[0].id;
  await go(`/runs/${longRun}?tab=table`);
  const table = page.getByRole('table', { name: 'Bandwidth: exact values' });
  await table.locator('tbody th').first().waitFor();
  assert.equal(await table.getAttribute('aria-rowcount'), String(count + 1));
  const rows = table.locator('tbody:not([aria-hidden]) tr');
  assert.ok((await rows.count()) < 80, `${await rows.count()} rows`);
  const heights = await rows.evaluateAll((all) => [...new Set(all.map((row) => row.getBoundingClientRect().height))]);
  assert.deepEqual(heights, [28], 'rows have the height that the frame is made for');
  const frame = page.getByRole('region', { name: 'Bandwidth: exact values' });
  await frame.focus();
  await page.keyboard.press('End');
  await soon(async () => assert.equal(await rows.last().getAttribute('aria-rowindex'), String(count + 1)));
  assert.match(await text(rows.last()), /10\.76 KiB\s+10\.00 TB\/s/);
  assert.ok((await rows.count()) < 80);
  await browser.faultless();
});

test('the table is sorted and filtered; the address keeps both, and no row is cut', async () => {
  await go(`/runs/${id}?tab=table`);
  const table = page.getByRole('table', { name: 'Bandwidth: exact values' });
  await table.waitFor();
  const medians = () => table.locator('tbody:not([aria-hidden]) tr td.figure .strong').allTextContents().then((list) => list.map(parseFloat));
  const own = await medians();
  const rising = [...own].sort((a, b) => a - b);
  assert.notDeepEqual(own, rising);
  const head = table.getByRole('button', { name: 'Median' });
  await head.click();
  assert.deepEqual(await medians(), rising);
  assert.equal(await table.getByRole('columnheader', { name: 'Median' }).getAttribute('aria-sort'), 'ascending');
  await head.click();
  assert.deepEqual(await medians(), [...rising].reverse());
  assert.equal(new URL(page.url()).searchParams.get('sort'), '-Median');
  await page.getByLabel('Filter the rows').fill('throttled');
  assert.deepEqual(await medians(), [44]);
  await page.getByText(`1 of ${own.length} measurements.`).waitFor();
  await browser.faultless();
  await page.reload();
  await soon(async () => assert.deepEqual(await medians(), [44]));
  await page.getByLabel('Filter the rows').fill('no such row');
  assert.deepEqual(await medians(), []);
  await page.getByLabel('Filter the rows').fill('');
  await head.click();
  assert.deepEqual(await medians(), own);
  assert.equal(new URL(page.url()).search, '?tab=table');
});

test('on paper a table has all its rows and columns', async () => {
  await go(`/runs/${longRun}?tab=table`);
  const table = page.getByRole('table', { name: 'Bandwidth: exact values' });
  await table.waitFor();
  await page.getByLabel('Filter the rows').fill('10.6');
  const label = page.getByText(/\d+ of 10,000 measurements\./);
  await label.waitFor();
  const [, count] = /(\d+) of/.exec(await label.textContent()).map(Number);
  const rows = table.locator('tbody:not([aria-hidden]) tr');
  assert.ok(count > 80 && (await rows.count()) < 80, `${count}`);
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 718, height: 900 }); // an A4 page
  const [printed, beyond, filter] = [await rows.count(), await table.evaluate((element) => element.getBoundingClientRect().right - element.closest('.panel').getBoundingClientRect().right), await page.getByLabel('Filter the rows').isVisible()];
  await page.emulateMedia({ media: 'screen' });
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
  assert.equal(printed, count);
  assert.ok(beyond <= 0 && !filter, `${beyond}`);
  await soon(async () => assert.ok((await rows.count()) < 80));
});

test('a long table ends with a whole row at every height of the window', async () => {
  for (const height of [720, 801, 1000]) {
    await page.setViewportSize({ width: 1280, height });
    await go(`/runs/${longRun}?tab=table`);
    const frame = page.getByRole('region', { name: 'Bandwidth: exact values' });
    await frame.locator('tbody th').first().waitFor();
    const rest = await frame.evaluate((element) => (element.getBoundingClientRect().height - 33) % 28);
    assert.ok(Math.min(rest, 28 - rest) < 0.1, `${rest} px of a row at ${height}`);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('a queued run says why it waits, then shows progress and figures; the title of the tab follows', async () => {
  const pause = (paused) => lab.request('PUT', '/api/v1/queue', { body: JSON.stringify({ paused }), headers: { 'content-type': 'application/json' } });
  await pause(true);
  const live = await lab.submit(endless);
  await go(`/runs/${live.id}`);
  const panel = page.getByRole('region', { name: 'Progress' });
  await panel.getByText('Next in the queue').waitFor();
  await panel.getByText('The queue is paused').waitFor();
  assert.equal(await page.title(), 'Host-device transfer, queued · gpulab');
  await page.locator('.facts-line').getByText('requested just now').waitFor();
  await panel.getByRole('button', { name: 'Resume the queue' }).click();
  await page.getByRole('progressbar', { name: 'Progress of the run' }).waitFor();
  await page.locator('.run-figure').getByText('GB/s').first().waitFor();
  await soon(async () => assert.match(await page.title(), /^\d+\s% Host-device transfer · gpulab$/));
  await panel.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('The run was cancelled').waitFor();
  await soon(async () => assert.equal(await page.title(), 'Host-device transfer, cancelled · gpulab'));
  assert.equal(await panel.count(), 0);
  await browser.faultless();
});

test('a run that is deleted while it is shown says so', async () => {
  const lines = run(20, {}, bandwidths(1));
  await importInto(lab, lines);
  const stream = page.waitForResponse('**/api/v1/events');
  await go(`/runs/${lines[0].id}`);
  await tab('Chart').waitFor();
  await stream;
  assert.equal((await lab.request('DELETE', `/api/v1/runs/${lines[0].id}`)).status, 204);
  await page.getByRole('heading', { level: 1, name: 'This run was deleted' }).waitFor();
  await browser.faultless();
});

test('a run that compares shows its verdicts before the tabs', async () => {
  const base = { experiment: 'transfer', devices: [{ id: 'GPU-1', name: 'NVIDIA H200', node: 'n1' }], parameters: { seed: 1, memory: 'pageable' } };
  const blocks = (value, turn) => Array.from({ length: 8 }, (_, at) => [1, 2].map((round) => value * (1 + ((at * 3 + turn) % 8) / 10000 + round / 10000)));
  const sidesOf = (bytes, low, high) => [
    { axes: { ...axes('h2d', bytes), memory: 'pageable' }, side: 'base', rounds: low, samples: low.flat() },
    { axes: axes('h2d', bytes), side: 'head', rounds: high, samples: high.flat() },
  ];
  const pair = (bytes, low, high, more = {}) => sidesOf(bytes, blocks(low, 0), blocks(high, 4)).map((each) => ({ ...each, ...more }));
  const few = sidesOf(1 << 20, blocks(40, 0).slice(0, 2), blocks(40, 4).slice(0, 2)), older = sidesOf(1 << 21, blocks(40, 0).flat(), blocks(40, 4).flat());
  const derived = pair(4096, 1, 1, { metric: 'share_of_peak', unit: '1', rounds: null });
  const lines = run(30, { compare_with: base, parameters: { seed: 1, memory: 'pinned' } }, [...pair(4096, 10, 20), ...derived, ...pair(65536, 30, 30), ...few, ...older]);
  const answer = await importInto(lab, lines);
  assert.equal(answer.json.imported, 1, answer.text);
  await go(`/runs/${lines[0].id}`);
  const verdicts = page.getByRole('region', { name: 'Comparison' });
  await verdicts.getByRole('heading', { name: /^Faster at 1 of 4 points, unclear at 2; median bandwidth 1\.000×$/ }).waitFor();
  await verdicts.getByText('against the same request with host memory: pageable').waitFor();
  const rows = verdicts.locator('tbody tr');
  assert.equal(await rows.count(), 4, 'values without a verdict are not listed');
  assert.match(await text(rows.nth(0)), /size 4 KiB bandwidth\s+faster\s+10\.\d+ GB\/s\s+20\.\d+ GB\/s\s+[12]\.\d{3}×\s+[12]\.\d{3}× to 2\.\d{3}×\s+1\.\d %\s+–$/);
  assert.match(await text(rows.nth(1)), /\s+same\s[^]*×\s+1\.\d %\s+–$/);
  assert.match(await text(rows.nth(2)), /\sunclear\s[^]*no interval\s+–\s+4×$/);
  assert.match(await text(rows.nth(3)), /\sunclear\s[^]*no interval\s+–\s+–$/);
  await verdicts.getByText('Would have found: the smallest difference').waitFor();
  const reasons = await verdicts.locator('.reason-list li').allTextContents();
  assert.match(reasons[0], /^1 unclear: the time was enough for fewer than 3 blocks.*; 4× the time budget would probably decide it\.$/);
  assert.match(reasons[1], /^1 unclear: an older version measured it .*: measure it again\.$/);
  assert.ok(await onFirstScreen(rows.first()));
  await browser.faultless();
});

test('a failed run has its reason first, and the log of the worker in a tab', async () => {
  const error = { type: '/problems/worker-died', title: 'Worker died', detail: 'The worker process was killed by signal 11.', log: 'line 1\nline 2' };
  const lines = run(40, { status: 'failed', error }, []);
  await importInto(lab, lines);
  await go(`/runs/${lines[0].id}`);
  const reason = page.locator('.notice.bad');
  await reason.getByRole('heading', { name: 'The run failed: worker died' }).waitFor();
  await reason.getByText('killed by signal 11').waitFor();
  assert.ok(await onFirstScreen(reason));
  await tab('Log').click();
  await page.getByRole('tabpanel', { name: 'Log' }).getByText('line 2').waitFor();
  assert.equal(await tab('Chart').count(), 0);
  await browser.faultless();
});

test('a crash of the worker is shown when it happens', () => withLab({ env: { GPULAB_HOST_FAULT: 'crash@40' } }, async (other) => {
  const answer = await other.post('/api/v1/runs', { experiment: 'transfer', parameters: { ...endless, max_bytes: 4096 } });
  await other.reach(answer.json.id, 'failed');
  await page.goto(`${other.address}/runs/${answer.json.id}`);
  const error = page.locator('.notice.bad');
  await error.getByRole('heading', { name: /^The run failed: / }).waitFor();
  assert.ok(await onFirstScreen(error));
  assert.equal(await page.title(), '✗ Host-device transfer failed · gpulab');
  await browser.faultless();
  await page.goto('about:blank'); // a page whose lab ends logs an error
}));

test('wrong results are counted alike in the notice, the method and the list', () => withLab({ env: { GPULAB_HOST_FAULT: 'wrong-result@10' } }, async (other) => {
  const answer = await other.post('/api/v1/runs', { experiment: 'transfer', parameters: { direction: 'h2d', memory: 'pinned', min_bytes: 4096, max_bytes: 16384, factor: 2, min_samples: 8, max_samples: 8 } });
  const failed = await other.reach(answer.json.id, 'failed');
  const wrong = failed.measurements.filter(({ verified }) => verified === false).length;
  assert.ok(wrong > 0 && wrong === failed.wrong_count);
  await page.goto(`${other.address}/runs/${failed.id}?tab=method`);
  const counted = new RegExp(`^${wrong} wrong results?$`);
  await page.getByRole('heading', { name: counted }).waitFor();
  await page.getByRole('tabpanel').getByText(counted).waitFor();
  await page.goto(`${other.address}/runs`);
  await page.getByText(`${wrong} wrong`).waitFor();
  await page.goto('about:blank'); // a page whose lab ends logs an error
}));

test('a restart of the lab during a run: the page shows that it was interrupted', () => withLab({}, async (other) => {
  const live = await other.submit(endless);
  await page.goto(`${other.address}/runs/${live.id}`);
  await page.getByRole('progressbar', { name: 'Progress of the run' }).waitFor();
  await other.reach(live.id, 'running');
  await other.stop();
  await page.getByText('No connection to the lab.').waitFor();
  await other.start();
  if (new URL(page.url()).origin !== other.address) await page.goto(`${other.address}/runs/${live.id}`);
  await page.locator('.run-title .status', { hasText: 'interrupted' }).waitFor();
  browser.problems.splice(0); // Chromium logs each failed request
  await page.goto('about:blank');
}));

test('the share beside a headline has its cautions, and is in doubt as the headline is', async () => {
  const axes_ = { m: 8192, n: 8192, step: 'vectorized', load: 'sustained' };
  const wide = Array.from({ length: 20 }, (_, i) => (i % 2 ? 0.8 : 0.9) + i / 1000);
  const lines = linesOf({ at: daysAgo(41), n: 41, experiment: 'transpose', headline: [] }, [
    { metric: 'bandwidth', unit: 'GB/s', axes: axes_, samples: Array(20).fill(2800) },
    { metric: 'share_of_reference', unit: '1', axes: axes_, samples: wide, noise: 0.1 },
  ]);
  const answer = await importInto(lab, lines);
  assert.equal(answer.json.imported, 1, answer.text);
  await go(`/runs/${lines[0].id}`);
  const figure = page.locator('.run-figure').first();
  await figure.waitFor();
  assert.match(await text(figure), /Transpose\s*2\.800\s*TB\/s\s*\d\d\.\d % of the copy (noisy|bimodal)/);
  assert.equal(await page.getByRole('region', { name: 'Cautions' }).getAttribute('class'), 'notice warn cautions');
});
