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

const RUNS = [
  ['occupancy-ilp', occupancy, DEVICES.slice(0, 1)],
  ['matmul', shapes, DEVICES.slice(0, 1)],
];

let lab, browser, page;
const ids = {};
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  for (const [n, [experiment, measurements, devices]] of RUNS.entries()) {
    const lines = linesOf({ at: START, n, experiment, devices }, measurements);
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
      const [heading, cell] = ['th', 'td'].map((name) => page.locator(`.matrix-table tbody tr:first-child ${name}`).first());
      const [head, value, box] = [await heading.boundingBox(), await cell.boundingBox(), await page.locator('.matrix .table-scroll').first().boundingBox()];
      assert.ok(value.x >= head.x + head.width - 1 && value.x + value.width <= box.x + box.width + 1, `${view}: ${JSON.stringify([head, value, box])}`);
    }
    await browser.faultless();
  });
