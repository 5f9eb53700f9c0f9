// The tab with the solution of a run as a heat map: its scale, and the values under the pointer and the arrow keys.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../harness/browser.mjs';
import { Lab, soon } from '../harness/lab.mjs';

const solved = { n: 64, variant: ['copy', 'rows'], bound: 1e-4, min_samples: 1, max_samples: 1, min_time_s: 0, settle_s: 0, time_budget_s: 600 };

let lab, browser, page;
before(async () => {
  lab = await Lab.start();
  browser = await Browser.start();
  page = browser.page;
  const run = await lab.complete(solved, { experiment: 'laplace' });
  await page.goto(`${lab.address}/runs/${run.id}`);
  await page.getByRole('tab', { name: 'Field' }).click();
  await page.locator('.field-map canvas').first().waitFor();
});
after(async () => {
  await browser.close();
  await lab.close();
});

const map = () => page.locator('.field-frame');
const reading = () => page.locator('.field-reading').textContent().then((text) => text.replaceAll('\u00a0', ' '));
const valueOf = (text) => Number(/: (-?[\d.]+(?:e-?\d+)?)$/.exec(text)[1].replace('−', '-'));

/** The brightness of the pixels in the middle column of the map, from the bottom. */
const brightness = () =>
  page.locator('.field-frame canvas').evaluate((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(canvas.width / 2, 0, 1, canvas.height);
    return Array.from({ length: canvas.height }, (_, row) => data[4 * row] + data[4 * row + 1] + data[4 * row + 2]).reverse();
  });

test('the plate is hot at the bottom and cold at the top', async () => {
  assert.equal(await page.locator('.field-map').count(), 1);
  assert.match(await page.locator('.field-map h2').textContent(), /Temperature.*64/);
  const rows = await brightness();
  assert.ok(rows.at(0) > rows.at(32) && rows.at(32) > rows.at(-1));
  const ticks = (await page.locator('.field-values span').allTextContents()).map(Number);
  assert.deepEqual(ticks, [0.2, 0.4, 0.6, 0.8]);
  const [least, greatest] = /^Values without a unit, from (\S+) to (\S+)\.$/.exec(await page.locator('.field-map > .aside').textContent()).slice(1).map(Number);
  assert.ok(greatest > 0.9 && greatest < 1.2 && least < 0.1 && least >= 0);
  for (const name of ['x', 'y']) assert.deepEqual(await page.locator(`.field-axis.${name} span`).allTextContents(), ['0', `${name} / side`, '1']);
  assert.deepEqual(await browser.inaccessible(), []);
});

test('the value under the pointer is read, and the arrow keys move the place', async () => {
  const [{ width, height }] = await browser.boxes(map());
  await map().hover({ position: { x: width / 2, y: height - 3 } });
  await soon(async () => assert.match(await reading(), /^x 0\.5\d* · y 0\.0/));
  const hot = valueOf(await reading());
  await map().hover({ position: { x: width / 2, y: 3 } });
  await soon(async () => assert.ok(valueOf(await reading()) < 0.1));
  assert.ok(hot > 0.9);
  await page.mouse.move(0, 0);
  await soon(async () => assert.match(await reading(), /^Point at the map/));
  await map().focus();
  await page.keyboard.press('ArrowDown');
  await soon(async () => assert.match(await reading(), /y 0\.\d+ of the side/));
  const before = valueOf(await reading());
  for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowDown');
  await soon(async () => assert.ok(valueOf(await reading()) > before, 'nearer to the hot side'));
  assert.deepEqual(browser.problems.splice(0), []);
});

test('the map is as large as the window allows, and each value of the scale is at its colour', async () => {
  for (const [width, height] of [[390, 844], [1440, 900], [2560, 1400]]) {
    await page.setViewportSize({ width, height });
    const value = page.locator('.field-values span', { hasText: '0.4' });
    const [canvas, panel, ramp, text] = await browser.boxes('.field-frame canvas', '.field-map', '.field-ramp', value);
    assert.ok(canvas.width >= Math.min(0.6 * panel.width, height - 200, 1024), `${width}: ${canvas.width} of ${panel.width}`);
    assert.ok(canvas.height <= height, `${width}: ${canvas.height}`);
    const [least, greatest] = /from (\S+) to (\S+)\.$/.exec(await page.locator('.field-map > .aside').textContent()).slice(1).map(Number);
    const place = ramp.y + ramp.height * (1 - (0.4 - least) / (greatest - least));
    assert.ok(Math.abs(text.y + text.height / 2 - place) <= 2, `${width}: ${JSON.stringify(text)}, ${place}`);
    await browser.fits(`${width} px`);
  }
});

test('the scale is as high as the map at every width', async () => {
  const heightOf = (selector) => page.locator(selector).evaluate((element) => element.getBoundingClientRect().height);
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await soon(async () => assert.ok(Math.abs((await heightOf('.field-ramp')) - (await heightOf('.field-frame canvas'))) < 1));
  }
});
