// How long the page of a run with 10,000 measurements blocks the browser: its longest task, and the time from a press
// in the legend to the next frame. In one chart many points in few series, in the other many series.
//
//   GPULAB_BUILD=build/release node tests/bench/drawing.mjs
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { withLab } from '../harness/lab.mjs';
import { firstMatch } from '../harness/loading.mjs';
import { figure, main, median } from './figure.mjs';

const TASK_MS_MAX = 100, PRESS_MS_MAX = 50;
const PRESSES = 8;
const START = new Date('2026-01-01T00:00:00Z');

/** The fields of measurements of `sizes` sizes for each of `series` series. */
function measurements(series, sizes) {
  const directions = ['h2d', 'd2h'];
  return Array.from({ length: series * sizes }, (_, at) => {
    const [one, size] = [Math.floor(at / sizes), at % sizes];
    const axes = { direction: directions[one % 2], memory: 'pinned', devices: 1 + Math.floor(one / 2), bytes: 4096 + 1024 * size };
    return { axes, samples: [10 + one + Math.sin(size / 40), 10.2 + one + Math.sin(size / 40)] };
  });
}

/** The run's id, after its import. */
async function imported(lab, n, series, sizes) {
  const lines = linesOf({ at: START, n }, measurements(series, sizes));
  const answer = await importInto(lab, lines);
  if (answer.status >= 300) throw new Error(answer.text);
  return lines[0].id;
}

/** Opens a chart in a new page: {page, longest task in ms}. */
async function opened(browser, address) {
  const page = await browser.context.newPage();
  await page.addInitScript(() => {
    globalThis.tasks = [];
    new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
  });
  const firstLine = await firstMatch(page, '.line-chart .line');
  await page.goto(address);
  await firstLine();
  await page.waitForTimeout(1000);
  return page;
}

const longestTask = (page) => page.evaluate(() => Math.max(0, ...globalThis.tasks.splice(0)));

/** ms from a press of an entry of the legend to the frame that shows it. */
const press = (page, at) =>
  page.evaluate((index) => new Promise((done) => {
    const button = document.querySelectorAll('.legend-item')[index];
    const began = performance.now();
    button.click();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  }), at);

export async function drawing({ points = 10_000, rounds = 3 } = {}) {
  const figures = [];
  await withLab({}, async (lab) => {
    const browser = await Browser.start();
    for (const [n, series] of [[1, 4], [2, 40]]) {
      const id = await imported(lab, n, series, Math.floor(points / series));
      const tasks = [], presses = [];
      for (let round = 0; round < rounds; round += 1) {
        const page = await opened(browser, `${lab.address}/runs/${id}?tab=chart`);
        tasks.push(await longestTask(page));
        for (let at = 0; at < PRESSES; at += 1) {
          presses.push(await press(page, at % series));
          await page.waitForTimeout(300);
        }
        tasks.push(await longestTask(page));
        await page.close();
      }
      const what = `${points} measurements in ${series} series`;
      figures.push(figure(`longest task, ${what}`, median(tasks.filter((_, at) => at % 2 === 0)), 'ms', TASK_MS_MAX));
      figures.push(figure(`longest task after a press in the legend, ${what}`, median(tasks.filter((_, at) => at % 2)), 'ms', TASK_MS_MAX));
      figures.push(figure(`press in the legend to the next frame, ${what}`, median(presses), 'ms', PRESS_MS_MAX));
    }
    await browser.close();
  });
  return figures;
}

await main(import.meta.url, drawing);
