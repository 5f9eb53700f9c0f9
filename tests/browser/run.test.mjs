// The page of a run: headline figures, tabs, levels of notices, edits, live updates, comparisons and large results. Runs of which
// the values matter are imported, so that no verdict depends on this machine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const sizes = [4096, 65536, 1048576];
const axes = (direction, bytes) => ({ memory: 'pinned', engine: 'copy', pattern: 'contiguous', opposing: false, direction, bytes });
const bandwidths = (factor) => ['h2d', 'd2h'].flatMap((direction) =>
  sizes.map((bytes, at) => ({ axes: axes(direction, bytes), samples: [10, 20, 40].map((value) => value * factor).slice(at, at + 1).concat(factor * [10, 20, 40][at]) })));
const headline = (value) => [{ title: 'Host to device', metric: 'bandwidth', unit: 'GB/s', value, axes: axes('h2d', 1048576), lowest: false }];

/** Days before now, so that runs are in order. */
const daysAgo = (days) => new Date(Date.UTC(2026, 0, 31 - days));
const run = (days, fields, measurements) => linesOf({ at: daysAgo(days), n: days, ...fields }, measurements);

const earlier = [1, 2, 3, 4, 5, 6].map((day) => run(day + 1, { headline: headline(40 + day / 100) }, bandwidths(1 + day / 4000)));
const subject = run(1, {
  headline: headline(44), tags: ['nightly'], note: 'after the update', requested_by: 'ada',
  notes: ['NCCL 2.28.3', 'multicast off'], warnings: ['it was warm'],
  environment: { machine: { name: 'n1' }, variables: { CUDA_HOME: '/new' } },
}, [
  ...bandwidths(1.1).map((one, at) => (at === 2 ? { ...one, noise: 0.2, conditions: { sm_clock_mhz: 1200, throttle: ['power'], temperature_c: 70, power_w: 600 } } : one)),
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

async function noProblems() {
  assert.deepEqual(browser.problems.splice(0), []);
  assert.deepEqual(await browser.inaccessible(), []);
}

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
    assert.match(await text(figure), /Host to device\s*44\.00\s+GB\/s\s*throttled\s*noisy\s*host → device · size 1 MiB\s*better than usual for NVIDIA H200, 1st of 7/);
    assert.ok(await onFirstScreen(figure), `at ${width} x ${height}`);
    await browser.fits(`at ${width} px`);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  assert.equal(await page.title(), '✓ Host-device transfer: 44.00 GB/s · gpulab'.replace('44.00 GB', '44.00\u00a0GB'));
  await noProblems();
});

test('the tab is in the address, and arrow keys move between tabs', async () => {
  await go(`/runs/${id}`);
  await tab('Chart').focus();
  await page.keyboard.press('ArrowRight');
  await page.getByRole('table', { name: 'Bandwidth: exact values' }).waitFor();
  assert.equal(new URL(page.url()).search, '?tab=table');
  assert.equal(await tab('Table').getAttribute('aria-selected'), 'true');
  await page.keyboard.press('End');
  await page.getByRole('tabpanel', { name: /^Notes/ }).getByText('NCCL 2.28.3').waitFor();
  await page.reload();
  await page.getByRole('tabpanel', { name: /^Notes/ }).getByText('NCCL 2.28.3').waitFor();
  assert.equal(await text(tab('Notes')), 'Notes 2');
  assert.equal(await tab('Log').count(), 0, 'a tab without content is not there');
  await noProblems();
});

test('every tab is accessible and fits on narrow and wide screens', async () => {
  for (const name of ['chart', 'table', 'references', 'method', 'environment', 'notes']) {
    for (const width of [360, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 });
      await go(`/runs/${id}?tab=${name}`);
      await page.getByRole('tabpanel').locator('> *').first().waitFor();
      await browser.fits(`${name} at ${width} px`);
    }
    await noProblems();
  }
  await page.setViewportSize({ width: 1280, height: 720 });
});

test('the table shows every column at 1280 px, with the cautions of each value', async () => {
  await go(`/runs/${id}?tab=table`);
  const table = page.getByRole('table', { name: 'Bandwidth: exact values' });
  const heads = await table.getByRole('columnheader').allTextContents();
  assert.deepEqual(heads, ['Direction', 'Size', 'Median', 'Quartiles', 'Noise', 'Samples', 'Verified', 'Cautions']);
  assert.ok(await table.evaluate((element) => element.scrollWidth <= element.parentElement.clientWidth), 'no column is cut off');
  const row = table.getByRole('row').filter({ hasText: 'throttled' });
  assert.match(await text(row), /host → device\s+1 MiB\s+44\.00 GB\/s.*20 %.*throttled noisy/s);
  await page.getByLabel('Metric').selectOption('time');
  await page.getByRole('table', { name: 'Time: exact values' }).waitFor();
  assert.equal(new URL(page.url()).search, '?tab=table&metric=time');
  await page.reload();
  await page.getByRole('table', { name: 'Time: exact values' }).waitFor();
  await noProblems();
});

test('notes are neutral, cautions amber', async () => {
  await go(`/runs/${id}`);
  const cautions = page.getByRole('region', { name: 'Cautions' });
  await cautions.waitFor();
  assert.equal(await cautions.getAttribute('class'), 'notice warn cautions');
  const items = (await cautions.getByRole('listitem').allTextContents()).map((item) => item.replaceAll('\u00a0', ' '));
  assert.deepEqual(items.map((item) => item.split(' ')[0]), ['Throttled', 'Noisy', 'It']);
  assert.match(items[1], /1 of 7 values/);
  assert.equal(await page.locator('.notice.bad').count(), 0);
});

test('the environment starts with what differs from the previous run', async () => {
  await go(`/runs/${id}?tab=environment`);
  const differences = page.getByRole('region', { name: 'Differences', exact: true });
  await differences.getByRole('row').filter({ hasText: 'CUDA_HOME' }).getByText('/new').waitFor();
  assert.ok(await page.getByRole('link', { name: /^the run of/ }).getAttribute('href').then((href) => href.endsWith(earlier[0][0].id)));
});

test('tags and note are edited in place, and a baseline cannot be deleted', async () => {
  await go(`/runs/${id}`);
  const more = (name) => page.locator('.menu summary').click().then(() => page.getByRole('button', { name }).click());
  await more('Edit tags and note');
  const form = page.getByRole('form', { name: 'Tags and note' });
  await form.getByLabel('Tags').fill('nightly, checked');
  await form.getByLabel('Note').fill('as expected');
  await noProblems();
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
  await page.locator('.menu summary').click();
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
  await soon(async () => {
    await form.getByRole('button', { name: 'Save' }).click();
    assert.equal((await lab.run(id)).note, 'mine');
  });
  browser.problems.splice(0, Infinity, ...browser.problems.filter((problem) => !/412/.test(problem))); // Chromium logs every 4xx response
  await noProblems();
});
