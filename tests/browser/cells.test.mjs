// Tables of coloured cells at every width: what is in them is seen.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const START = new Date('2026-01-01T12:00:00Z');
const DEVICES = [0, 1, 2, 3].map((n) => ({ id: `GPU-${n}`, name: 'NVIDIA H100 80GB HBM3', node: 'n1' }));

/** Bandwidth by warps and independent operations, the rate of multiply-adds by the same. */
const occupancy = [1, 2, 4, 8, 16, 32, 48, 64].flatMap((warps) =>
  [1, 2, 4, 8].flatMap((independent) => [
    { metric: 'bandwidth', axes: { variant: 'copy', warps, independent, bytes: 2 ** 27, load: 'sustained' }, samples: [40 * warps * independent] },
    { metric: 'throughput', unit: 'GFLOP/s', axes: { variant: 'fma', warps, independent, load: 'sustained' }, samples: [900 * warps * independent] },
  ]));
/** Shares of the reference of many steps for shapes of four digits. */
const STEPS = ['naive', 'coalesced', 'tiled-8', 'tiled-16', 'tiled-32', 'register-tiles', 'vectorized', 'double-buffered', 'warp-tiled'];
const shapes = [1, 16, 4096].flatMap((m) => [1024, 4096].flatMap((n) => STEPS.map((step, at) => ({
  metric: 'share_of_reference', unit: '1', axes: { m, n, k: n, type: 'fp32', layout: 'nn', step, load: 'sustained' }, samples: [0.1 * (at + 1)],
}))));
/** Copies between devices: fast and equal with peer access; without it, one direction of a pair slow and noisy. */
const pairs = [true, false].flatMap((peer_access) => DEVICES.flatMap(({ id: source }, from) => DEVICES.filter(({ id }) => id !== source).map(({ id: target }) => {
  const slow = !peer_access && from === 2 && target === 'GPU-0';
  const axes = { peer_access, engine: 'copy', access: 'read', pattern: 'pair', bytes: 2 ** 27, opposing: false, source, target };
  return { axes, samples: slow ? [15, 21, 27] : [peer_access ? 390 + from : 37] };
})));
const uneven = [[0, 1, 390], [1, 0, 240]].map(([from, to, value]) => ({
  axes: { peer_access: true, engine: 'copy', access: 'write', pattern: 'pair', bytes: 2 ** 27, opposing: false, source: `GPU-${from}`, target: `GPU-${to}` }, samples: [value],
}));
const linked = { machine: { name: 'n1' }, devices: DEVICES.map(({ id, name }, ordinal) => ({
  id, ordinal, backend: 'cuda', name, properties: { compute_capability: '9.0' },
  peers: DEVICES.filter((other) => other.id !== id).map((other) => ({ id: other.id, access: true, link: 'NVLink x18', peak_bytes_per_s: 450e9 })),
})) };

const RUNS = [
  ['peer', [...pairs, ...uneven], DEVICES, linked],
  ['occupancy-ilp', occupancy, DEVICES.slice(0, 1)],
  ['matmul', shapes, DEVICES.slice(0, 1)],
];

let lab, browser, page;
const ids = {};
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  for (const [n, [experiment, measurements, devices, environment = null]] of RUNS.entries()) {
    const lines = linesOf({ at: START, n, experiment, devices, environment }, measurements);
    const answer = await importInto(lab, lines);
    assert.ok(answer.status < 300, answer.text);
    ids[experiment] = lines[0].id;
  }
});
after(async () => {
  await browser.close();
  await lab.close();
});

async function open(experiment, view) {
  await page.goto(`${lab.address}/runs/${ids[experiment]}?view=${view}`);
  await page.locator('.matrix-table .heat').first().waitFor();
}

test('each matrix has a verdict of its own, to which doubtful values do not count, and the peak of the links is named', async () => {
  await open('peer', 'pairs');
  const verdicts = await page.locator('.matrix').evaluateAll((all) => all.map((one) =>
    ['.matrix-title', '.matrix-verdict'].map((name) => one.querySelector(name)?.textContent.replaceAll('\u00a0', ' '))));
  assert.deepEqual(verdicts, [
    ['peer access, reads in GB/s', 'Symmetric: both directions within 0.77 %.'],
    ['peer access, writes in GB/s', 'Not symmetric: up to 63 % between the directions: #0 → #1 390.0 GB/s, #1 → #0 240.0 GB/s.'],
    ['no peer access, reads in GB/s', 'Judged: the 5 of 6 pairs without a caution. Symmetric: both directions within 0 %.'],
  ]);
  await page.getByText('NVLink x18, at most 450').waitFor();
  await browser.faultless();
});

/** The tables that are wider than their boxes: [width of the table, of its box, of what is beside it]. */
const cutOff = () =>
  page.locator('.matrix .table-scroll').evaluateAll((boxes) => boxes
    .map((box) => [box.scrollWidth, box.clientWidth, box.closest('.chart-area').clientWidth])
    .filter(([inside, width]) => inside > width));

for (const width of [390, 1024, 1440, 2560])
  test(`${width} px: a table is cut off by its box only if it is wider than the page`, async () => {
    await page.setViewportSize({ width, height: 900 });
    for (const [experiment, view] of [['occupancy-ilp', 'bandwidth'], ['occupancy-ilp', 'throughput'], ['matmul', 'shapes']]) {
      await open(experiment, view);
      await browser.fits(view);
      for (const [inside, box, room] of await cutOff()) {
        assert.ok(Math.abs(box - room) <= 2, `${view}: a table of ${inside} px in a box of ${box} px, with room for ${room} px`);
      }
      // The numbers of the first column are seen beside the headings of the rows.
      const [heading, cell] = ['th', 'td'].map((name) => page.locator(`.matrix-table tbody tr:first-child ${name}`));
      const [head, value, box] = await browser.boxes(heading, cell, '.matrix .table-scroll');
      assert.ok(value.x >= head.x + head.width - 1 && value.x + value.width <= box.x + box.width + 1, `${view}: ${JSON.stringify([head, value, box])}`);
    }
    await browser.faultless();
  });

/** What is beside the buttons that save the chart: the controls of the head whose height they share. */
const besideExport = () =>
  page.locator('.result-panel > .result-head').evaluate((head) => {
    const box = (element) => element.getBoundingClientRect();
    const { top, bottom, left } = box(head.querySelector('.export-buttons'));
    return [...head.querySelectorAll('button, select')].filter((one) => !one.closest('.export-buttons') && box(one).width > 0)
      .filter((one) => box(one).top < bottom && box(one).bottom > top && box(one).right <= left).length;
  });

for (const width of [1024, 1440, 2560])
  test(`${width} px: the buttons that save a chart are on a line with other controls in every view`, async () => {
    await page.setViewportSize({ width, height: 900 });
    for (const experiment of Object.keys(ids)) {
      await open(experiment, '');
      for (const button of await page.getByRole('group', { name: 'View', exact: true }).getByRole('button').all()) {
        await button.click();
        await browser.drawn();
        assert.ok(await besideExport() > 0, `${experiment}: ${await button.textContent()}`);
      }
    }
    await browser.faultless();
  });

test('a view over an axis with one value is not offered', async () => {
  await open('peer', 'pairs');
  assert.equal(await page.getByRole('group', { name: 'View', exact: true }).getByRole('button', { name: 'Bandwidth over size' }).count(), 0);
  assert.equal(await page.getByRole('heading', { name: 'Bandwidth by pair' }).isVisible(), true, 'the only view has a title instead of a button');
});
