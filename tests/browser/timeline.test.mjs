// The timeline of an imported run: the first and the fastest variant are open until the user chooses, time scales,
// pieces of staged copies; all in the address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importTimeline } from '../bench/timeline.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const PROPERTIES = { pcie_peak_bytes_per_s: 63e9, memory_peak_bytes_per_s: 4.8e12 };
const axes = (peer_access) => ({ device_count: 2, chunks: 1, n: 64, variant: 'overlapped', peer_access });
const span = (run, peer_access, lane, kind, label, start_ns, end_ns) => ({ type: 'span', run, lane, kind, label, axes: axes(peer_access), start_ns, end_ns });

let lab, browser, page, id;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  const device = { id: 'GPU-1', name: 'NVIDIA H200', backend: 'cuda', ordinal: 0, properties: PROPERTIES, peers: [] };
  const measurements = [true, false].map((peer_access) => ({ metric: 'time', unit: 's', axes: axes(peer_access), samples: [1e-4] }));
  const lines = linesOf({ at: new Date('2026-01-01T00:00:00Z'), experiment: 'peer-transpose', environment: { devices: [device] } }, measurements);
  id = lines[0].id;
  lines.push(
    span(id, true, 'device 1', 'compute', 'transpose', 0, 40_000),
    span(id, true, 'device 1 copies 1', 'copy-peer', 'to device 2 · chunk 1 · 16 MiB', 40_000, 86_300),
    span(id, false, 'device 1', 'compute', 'transpose', 0, 40_000),
    span(id, false, 'device 1 copies 1', 'copy-peer', 'to device 2 · chunk 1 · 64 MiB', 300_000, 324_800),
  );
  const answer = await importInto(lab, lines);
  assert.ok(answer.status < 300, answer.text);
});
after(async () => {
  await browser.close();
  await lab.close();
});

const open = async (query = '') => {
  await page.goto(`${lab.address}/runs/${id}?tab=timeline${query}`);
  await page.locator('.timeline-toggle').first().waitFor();
};
const choice = (name) => new URL(page.url()).searchParams.get(name);
const charts = () => page.locator('.timeline-figure:visible').count();
const toggle = (name) => page.getByRole('button', { name });
const readout = () => page.locator('.timeline .readout').textContent().then((text) => text.replaceAll('\u00a0', ' '));

test('the first and the fastest variant are open until the user chooses, and the address keeps what is open', async () => {
  await open();
  await soon(async () => assert.equal(await charts(), 1, 'the first one is the fastest'));
  assert.equal(choice('variants'), null);
  assert.deepEqual((await page.locator('.timeline-time').allTextContents()).map((text) => text.replaceAll('\u00a0', ' ')), ['traced 86.30 µs', 'traced 324.8 µs']);
  await toggle(/^(?!.*no peer access).*peer access/).click();
  await soon(async () => assert.equal(await charts(), 0));
  assert.equal(choice('variants'), 'none');
  await page.reload();
  await page.locator('.timeline-toggle').first().waitFor();
  assert.equal(await charts(), 0);
  await toggle(/no peer access/).click();
  await soon(async () => assert.equal(await charts(), 1));
  assert.match(choice('variants'), /false/);
  await page.reload();
  await soon(async () => assert.equal(await charts(), 1));
  await page.getByRole('button', { name: 'Open all' }).click();
  await soon(async () => assert.equal(await charts(), 2));
  assert.equal(choice('variants'), 'all');
  await page.reload();
  await soon(async () => assert.equal(await charts(), 2));
  await toggle(/no peer access/).click();
  await soon(async () => assert.equal(await charts(), 1));
  assert.doesNotMatch(choice('variants'), /all/);
  assert.deepEqual(browser.problems.splice(0), []);
  assert.deepEqual(await browser.inaccessible(), []);
});

test('a copy that is shorter than its link allows is shown as a piece', async () => {
  await open();
  await page.getByRole('button', { name: 'Open all' }).click();
  await page.getByText('Hatched: part of a staged copy: the trace holds one piece').waitFor();
  assert.equal(await page.locator('.timeline-chart path.partial').count(), 1);
  await page.locator('.timeline-figure').nth(1).focus();
  await page.keyboard.press('ArrowDown');
  await soon(async () => assert.match(await readout(), /part of a staged copy: the trace holds one piece$/));
  assert.doesNotMatch(await readout(), /GB\/s|TB\/s/);
  await page.locator('.timeline-figure').first().focus();
  await page.keyboard.press('ArrowDown');
  await soon(async () => assert.match(await readout(), /362\.4 GB\/s$/));
});

test('each variant can have its own time scale', async () => {
  await open();
  await page.getByRole('button', { name: 'Open all' }).click();
  const widths = () => page.locator('.timeline-chart .span-compute').evaluateAll((all) => all.filter((one) => one.localName === 'path').map((one) => one.getBBox().width));
  await soon(async () => {
    const [first, second] = await widths();
    assert.ok(Math.abs(first / second - 1) < 0.05, `${first} ${second}`);
  });
  await page.getByRole('button', { name: 'Own time scales' }).click();
  await soon(async () => {
    const [first, second] = await widths();
    assert.ok(first > 3 * second, `${first} ${second}`);
  });
  assert.equal(choice('scale'), 'own');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await soon(() => assert.match(choice('window') ?? '', /^0\.\d+\.\.0\.\d+$/));
  await page.reload();
  await soon(async () => assert.equal(await page.getByRole('button', { name: 'Own time scales' }).getAttribute('aria-pressed'), 'true'));
  assert.match(choice('window'), /\.\./);
  await page.setViewportSize({ width: 360, height: 800 });
  await browser.fits('a timeline');
});

test('of a hundred thousand spans as much is drawn as pixels can show, and each is found by pointer and keys', async () => {
  const many = await importTimeline(lab, 100_000);
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${lab.address}/runs/${many}?tab=timeline`);
  const figure = page.locator('.timeline-figure');
  await page.getByRole('application', { name: 'Timeline of What the program did: 100,000 operations' }).waitFor();
  const outlines = () => page.locator('.timeline-plot path[class^=span]').evaluateAll((all) => all.reduce((sum, one) => sum + one.getAttribute('d').split('M').length - 1, 0));
  await soon(async () => {
    const count = await outlines();
    assert.ok(count > 1000 && count < 20_000, `${count} outlines`);
  });
  const [box] = await browser.boxes('.timeline-plot');
  await page.mouse.move(box.x + box.width / 3, box.y + 20);
  await soon(async () => assert.match(await readout(), /stream 13.*duration/));
  await figure.focus();
  await page.keyboard.press('End');
  await soon(async () => assert.match(await readout(), /stream 13/));
  await page.keyboard.press('ArrowDown');
  await soon(async () => assert.match(await readout(), /saxpy.*stream 14.*249\.\d+ ms to/));
  for (let at = 0; at < 12; at += 1) await page.keyboard.press('+');
  await soon(async () => assert.ok((await outlines()) < 1500));
  await page.keyboard.press('Enter');
  await page.getByRole('group', { name: 'Marks' }).getByText(/saxpy.*correlation 49,\d+ · call cudaLaunchKernel/).waitFor();
  await page.getByText('Table of 100,000 operations').click();
  await soon(async () => assert.ok((await page.locator('.timeline-details tr').count()) > 100));
  assert.ok((await page.locator('.timeline-details tr').count()) < 10_000);
  assert.deepEqual(browser.problems.splice(0), []);
});
