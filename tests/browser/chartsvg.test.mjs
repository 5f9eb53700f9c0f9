// GET /api/v1/runs/{id}/chart.svg: pictures of a run, opened by a browser. Texts from outside stay texts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { Lab } from '../harness/lab.mjs';

const hostile = '</text><script>alert(1)</script>&amp;"\'<!-- ]]>';
const at = new Date(Date.UTC(2026, 2, 1));
const sizes = [4096, 16384, 65536, 262144];
const points = (direction) => sizes.map((bytes, i) => ({ axes: { direction, bytes }, samples: [10 * 2 ** i] }));
const runs = {
  lines: linesOf({ at, n: 1 }, [...points('h2d'), ...points('d2h'), { axes: { direction: 'd2h', bytes: 1048576 }, samples: [9], verified: false, wrong: 3 }]),
  hostile: linesOf({ at, n: 2, experiment: 'elsewhere.thing', host: hostile, devices: [{ id: 'x', name: hostile, node: null }] },
    [{ axes: { kind: hostile, deep: true }, metric: hostile.slice(0, 60), unit: '<b>', samples: [3] }, { axes: { kind: 'plain', deep: true }, metric: hostile.slice(0, 60), unit: '<b>', samples: [6] }]),
  many: linesOf({ at, n: 3, experiment: 'elsewhere.thing' }, Array.from({ length: 100 }, (_, i) => ({ axes: { kind: `kind ${i}` }, metric: 'rate', unit: 'G/s', samples: [i + 1] }))),
  zero: linesOf({ at, n: 4, experiment: 'elsewhere.thing' }, [{ axes: {}, metric: 'errors', unit: '1', samples: [0] }]),
  wrong: linesOf({ at, n: 5, experiment: 'elsewhere.thing' }, [{ axes: {}, metric: 'rate', unit: 'G/s', samples: [1], verified: false, wrong: 1 }]),
  empty: linesOf({ at, n: 6, experiment: 'elsewhere.thing' }, []),
};

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  const answer = await importInto(lab, Object.values(runs).flat());
  assert.deepEqual([answer.json.imported, answer.json.errors], [6, []]);
  browser = await Browser.start({ viewport: { width: 900, height: 600 } });
  page = browser.page;
});
after(async () => {
  await browser.close();
  await lab.close();
});

const path = ([{ id }], query = '') => `/api/v1/runs/${id}/chart.svg${query}`;
/** Opens a picture, which must be XML without scripts, and returns its texts and shapes. */
async function opened(run, query) {
  const answer = await lab.get(path(run, query));
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers['content-type'], /^image\/svg\+xml/);
  await page.goto(lab.address + path(run, query));
  const found = await page.evaluate(() => ({
    root: document.documentElement.tagName,
    texts: [...document.querySelectorAll('text')].map((each) => each.textContent),
    title: document.querySelector('title').textContent,
    scripts: document.querySelectorAll('script, foreignObject, image, a, style').length + [...document.querySelectorAll('*')].filter((each) => [...each.attributes].some(({ name }) => /^on|href/.test(name))).length,
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
