// Charts of many series: which are shown at first, that each colour is explained once, and that no line joins what has
// nothing between its points.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const START = new Date('2026-01-01T12:00:00Z');
const KERNELS = ['global', 'aggregated', 'shared', 'shared-per-warp', 'known-address'];
const atomics = KERNELS.flatMap((variant, one) => ['int32', 'fp32'].flatMap((type) => ['uniform', 'skewed'].flatMap((distribution) =>
  [1, 4, 32, 256].map((addresses, at) => ({
    metric: 'rate', unit: 'Gop/s', axes: { variant, type, addresses, distribution, elements: 2 ** 24, load: 'sustained' }, samples: [2 ** one * (at + 1)],
  })))));
const overlap = [['sequential', 1, 1], ['one-stream', 4, 1], ['one-stream', 16, 1], ['depth-first', 4, 4], ['depth-first', 16, 4]].map(([variant, chunks, streams], at) => ({
  metric: 'time', unit: 's', axes: { kernel: 'waves', bytes: 2 ** 24, memory: 'pinned', weight: 39, chunks, variant, streams, replay: 'stream' }, samples: [1e-3 * (at + 1)],
}));
const launch = [['synchronize', {}], ['launch-event', { argument_bytes: 8 }], ...[1, 4, 16].map((launches) => ['stream', { launches, argument_bytes: 8 }])].map(([variant, axes], at) => ({
  metric: 'operation_time', unit: 's', axes: { variant, ...axes }, samples: [1e-6 * (at + 1)],
}));
const banks = ['load', 'store'].flatMap((variant) => [0, 1, 2, 31, 32, 33].flatMap((stride) => {
  const axes = { variant, width: 4, stride, load: 'sustained' }, cycles = stride === 32 ? 32 : stride === 2 ? 2 : 1;
  return [
    { metric: 'cycles_per_request', unit: 'cycles', axes, samples: [cycles] },
    { metric: 'predicted_cycles_per_request', unit: 'cycles', axes, samples: [cycles] },
  ];
}));

let lab, browser, page;
const ids = {};
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start({ viewport: { width: 1440, height: 1200 } });
  page = browser.page;
  for (const [n, [experiment, measurements]] of Object.entries({ atomics, overlap, launch, 'bank-conflicts': banks }).entries()) {
    const lines = linesOf({ at: START, n, experiment }, measurements);
    const answer = await importInto(lab, lines);
    assert.ok(answer.status < 300, answer.text);
    ids[experiment] = lines[0].id;
  }
});
after(async () => {
  await browser.close();
  await lab.close();
});

const open = async (experiment, query = '') => {
  await page.goto(`${lab.address}/runs/${ids[experiment]}?tab=chart${query}`);
  await page.locator('.line-chart svg path, .bars .bar').first().waitFor();
  await browser.drawn();
};
/** The entries of the legend: their texts and the colours of their samples. */
const entries = () => page.locator('.legend-item').evaluateAll((all) => all.map((one) => [one.textContent, one.querySelector('.swatch').style.color]));
const barColours = () => page.locator('.bar-fill').evaluateAll((all) => [...new Set(all.map((one) => one.style.background))]);

test('a chart of many lines begins with few, and the selects say which', async () => {
  await open('atomics');
  assert.equal(await page.locator('.line-chart .line').count(), KERNELS.length);
  assert.equal((await entries()).length, KERNELS.length);
  const chosen = await page.locator('.series-filters select').evaluateAll((all) => all.map((one) => one.selectedOptions[0].textContent));
  assert.deepEqual(chosen, ['all', 'int32', 'uniform']);
  await page.getByLabel('Distribution').selectOption('all');
  await soon(async () => assert.equal(await page.locator('.line-chart .line').count(), 2 * KERNELS.length));
  await browser.faultless();
});

test('the line that is pointed at in the legend or in the chart is thick', async () => {
  await open('atomics');
  const widths = () => page.locator('.line-chart .line').evaluateAll((all) => all.map((one) => parseFloat(getComputedStyle(one).strokeWidth)));
  const usual = await widths();
  assert.equal(new Set(usual).size, 1);
  await page.locator('.legend-item').nth(2).hover();
  await soon(async () => assert.deepEqual(await widths(), usual.map((width, at) => (at === 2 ? 2 * width : width))));
  await page.mouse.move(0, 0);
  await soon(async () => assert.deepEqual(await widths(), usual));
  const [{ x, y, width }] = await browser.boxes('.line-chart svg:not(.line-plot)'); // the plot's box has the references out of sight too
  await page.mouse.move(x + width / 2, y + 30);
  await soon(async () => assert.equal((await widths()).filter((one) => one === 2 * usual[0]).length, 1));
});

for (const [experiment, texts] of [
  ['overlap', ['chunks 1', 'chunks 4', 'chunks 16']],
  ['launch', ['launches: not applicable', 'launches 1', 'launches 4', 'launches 16']],
])
  test(`${experiment}: each colour of the bars has one entry in the legend, and each entry a colour`, async () => {
    await open(experiment, experiment === 'overlap' ? '&view=time' : '');
    const found = await entries();
    assert.deepEqual(found.map(([text]) => text), texts);
    assert.deepEqual(found.map(([, colour]) => colour).sort(), (await barColours()).sort());
    assert.equal(new Set(found.map(([, colour]) => colour)).size, texts.length);
    const count = await page.locator('.bars .bar').count();
    const button = page.locator('.legend-item').nth(1);
    await button.click();
    await soon(async () => assert.ok((await page.locator('.bars .bar').count()) < count));
    assert.equal((await barColours()).length, texts.length - 1, 'all bars of the colour are hidden');
    await button.click();
    await soon(async () => assert.equal(await page.locator('.bars .bar').count(), count));
    await browser.faultless();
  });

test('points over a stride are not joined, and no tick is at a stride that cannot be', async () => {
  await open('bank-conflicts');
  assert.equal(await page.locator('.line-chart').locator('.line, .line-band').count(), 0);
  assert.equal(await page.locator('.line-chart .line-marker').count(), 12);
  assert.match(await page.locator('.legend-explanation').textContent(), /They are not joined: between two values of stride nothing is known\./);
  const predicted = await page.locator('.line-prediction').evaluateAll((all) => all.map((one) => one.getAttribute('d').match(/M/g).length));
  assert.deepEqual(predicted, [6, 6]);
  const ticks = await page.locator('.xy-grid text').allTextContents();
  assert.ok(!ticks.includes('-1') && !ticks.includes('34') && ticks.includes('0'), String(ticks));
  assert.deepEqual(await browser.inaccessible(), []);
});
