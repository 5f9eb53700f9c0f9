// GET /api/v1/runs/{id}/chart.svg and /devices/{id}/card.svg: pictures of a run and of a device, opened by a browser.
// Texts from outside stay texts.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

const hostile = '</text><script>alert(1)</script>&amp;"\'<!-- ]]>';
const at = new Date(Date.UTC(2026, 2, 1));
const sizes = [4096, 16384, 65536, 262144];
const points = (direction) => sizes.map((bytes, i) => ({ axes: { direction, bytes }, samples: [10 * 2 ** i] }));
const on = (id) => ({ devices: [{ id, name: 'Card <&>', node: 'secret-node' }], host: 'secret-host', requested_by: 'secret-person', headline: [] });
const runs = {
  lines: linesOf({ at, n: 1 }, [...points('h2d'), ...points('d2h'), { axes: { direction: 'd2h', bytes: 1048576 }, samples: [9], verified: false, wrong: 3 }]),
  hostile: linesOf({ at, n: 2, experiment: 'elsewhere.thing', host: hostile, devices: [{ id: 'x', name: hostile, node: null }] },
    [{ axes: { kind: hostile, deep: true }, metric: hostile.slice(0, 60), unit: '<b>', samples: [3] }, { axes: { kind: 'plain', deep: true }, metric: hostile.slice(0, 60), unit: '<b>', samples: [6] }]),
  many: linesOf({ at, n: 3, experiment: 'elsewhere.thing' }, Array.from({ length: 100 }, (_, i) => ({ axes: { kind: `kind ${i}` }, metric: 'rate', unit: 'G/s', samples: [i + 1] }))),
  zero: linesOf({ at, n: 4, experiment: 'elsewhere.thing' }, [{ axes: {}, metric: 'errors', unit: '1', samples: [0] }]),
  wrong: linesOf({ at, n: 5, experiment: 'elsewhere.thing' }, [{ axes: {}, metric: 'rate', unit: 'G/s', samples: [1], verified: false, wrong: 1 }]),
  card: linesOf({ at, n: 7, ...on('GPU-a') }, [
    ...['h2d', 'd2h'].map((direction) => ({ axes: { direction, bytes: 1048576 }, peak: { value: 64, what: 'PCIe gen5 x16' }, samples: [48] })),
  ]),
  other: linesOf({ at, n: 8, ...on('GPU-b') }, [{ axes: { direction: 'h2d', bytes: 1048576 }, samples: [50] }]),
  stairs: linesOf({ at, n: 9, experiment: 'memory-hierarchy', ...on('GPU-a') }, [4096, 8192, 1048576, 2097152].flatMap((working_set, i) => [
    ['latency', 's', i < 2 ? 2e-8 : 3e-7], ['level', '1', i < 2 ? 1 : 2]].map(([metric, unit, value]) => ({ axes: { variant: 'chase', working_set, cache: 'warm' }, metric, unit, samples: [value] })))),
  checks: linesOf({ at, n: 10, experiment: 'health', devices: ['GPU-a', 'GPU-b'].map((id) => ({ id, name: 'Card <&>', node: 'secret-node' })) },
    ['GPU-a', 'GPU-b'].map((device, i) => ({ axes: { device, check: 'h2d' }, samples: [49 + i] }))),
  empty: linesOf({ at, n: 6, experiment: 'elsewhere.thing' }, []),
};

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  const answer = await importInto(lab, Object.values(runs).flat());
  assert.deepEqual([answer.json.imported, answer.json.errors], [10, []]);
  browser = await Browser.start({ viewport: { width: 900, height: 600 } });
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const path = ([{ id }], query = '') => `/api/v1/runs/${id}/chart.svg${query}`;
/** Opens a picture, which must be XML without scripts, and returns its texts and shapes. */
const opened = (run, query) => openedAt(path(run, query));

async function openedAt(address) {
  const answer = await lab.get(address);
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers['content-type'], /^image\/svg\+xml/);
  await page.goto(lab.address + address);
  const found = await page.evaluate(() => ({
    root: document.documentElement.tagName,
    texts: [...document.querySelectorAll('text')].map((each) => each.textContent),
    title: document.querySelector('title').textContent,
    scripts: document.querySelectorAll('script, foreignObject, image, a, style').length + [...document.querySelectorAll('*')].filter((each) => [...each.attributes].some(({ name }) => /^on|href/.test(name))).length,
    description: document.querySelector('desc')?.textContent,
    circles: document.querySelectorAll('circle').length,
    bars: [...document.querySelectorAll('rect')].slice(1).map((each) => Number(each.getAttribute('width'))),
    outside: [...document.querySelectorAll('text, circle, path')].filter((each) => {
      const box = each.getBoundingClientRect(), all = document.documentElement.getBoundingClientRect();
      return box.left < all.left - 1 || box.right > all.right + 1 || box.bottom > all.bottom + 1 || box.top < all.top - 1;
    }).map((each) => each.outerHTML),
  }));
  assert.deepEqual([found.root, found.scripts, found.outside], ['svg', 0, []]);
  assert.equal(/NaN|inf/i.test(answer.text), false, answer.text);
  return found;
}

test('a view of lines: a circle for each point, names of the series, sizes on the axis', async () => {
  for (const query of ['', '?view=bandwidth']) {
    const { circles, texts, title } = await opened(runs.lines, query);
    assert.equal(circles, 8);
    for (const text of ['h2d', 'd2h', '4 KiB', '256 KiB', 'Left out as wrong: 1.']) assert.ok(texts.includes(text), `${text}: ${texts.join('|')}`);
    assert.match(title, /transfer on NVIDIA H200/);
  }
});

test('a metric of an experiment that the lab does not have has bars, and no text becomes markup', async () => {
  const { bars, texts } = await opened(runs.hostile);
  assert.equal(bars.length, 2);
  assert.ok(Math.abs(bars[0] / bars[1] - 0.5) < 0.01, bars.join());
  assert.ok(texts.some((text) => text.startsWith('</text><script>alert(1)')), texts.join('|'));
});

test('what does not fit is counted, and pictures without values can be drawn', async () => {
  const { bars, texts } = await opened(runs.many, '?view=rate');
  assert.equal(bars.length, 60);
  assert.ok(texts.includes('Not drawn: 40 results.'), texts.join('|'));
  assert.deepEqual((await opened(runs.zero)).bars, [0]);
  assert.ok((await opened(runs.wrong)).texts.includes('Left out as wrong: 1.'));
});

test('a run without the results has no picture', async () => {
  for (const [run, query] of [[runs.empty, ''], [runs.lines, '?view=nothing'], [[{ id: '01900000-0000-7000-8000-000000000000' }], '']])
    assert.equal((await lab.get(path(run, query))).status, 404, query);
  assert.equal((await lab.get(path(runs.lines, '?view='))).status, 422);
});

test('the card of a device has its figures, places, latencies and verdict, and no id, machine or person', async () => {
  const { texts, title, description } = await openedAt('/api/v1/devices/GPU-a/card.svg');
  assert.equal(title, 'Card <&>');
  for (const text of ['48.00 GB/s', '75.0 %', 'of PCIe gen5 x16', '2nd of 2', '20.00 ns', '300.0 ns', 'not measured'])
    assert.ok(texts.includes(text), `${text}: ${texts.join('|')}`);
  assert.match(description, /^Healthy: \d+ checks? passed\. Copy from the host: 48\.00 GB\/s, 75\.0 % of PCIe gen5 x16\. Copy to the host: /);
  assert.doesNotMatch((await lab.get('/api/v1/devices/GPU-a/card.svg')).text, /secret|GPU-a|GPU-b/);
  const host = (await lab.get('/api/v1/devices')).json.devices[0].id;
  assert.match((await openedAt(`/api/v1/devices/${host}/card.svg`)).description, /^Not checked yet/);
  assert.equal((await lab.get('/api/v1/devices/GPU-none/card.svg')).status, 404);
});

test('the page of the card saves it as a PNG of twice its size', async () => {
  await page.goto(`${lab.address}/devices/GPU-a/card`);
  await page.getByRole('img', { name: /^Card <&>\. Healthy/ }).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save PNG' }).click()]);
  const png = await readFile(await download.path());
  assert.deepEqual([download.suggestedFilename(), png.readUInt32BE(16), png.readUInt32BE(20)], ['card.png', 2400, 1260]);
});
