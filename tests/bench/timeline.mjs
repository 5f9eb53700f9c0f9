// The timeline of a run with 100,000 spans: the bytes of its document, the time to its chart, and from a turn of the
// wheel to the next frame, with all spans in view and zoomed in.
//
//   GPULAB_BUILD=build/release node tests/bench/timeline.mjs
import { Browser } from '../harness/browser.mjs';
import { importInto, linesOf } from '../harness/exports.mjs';
import { withLab } from '../harness/lab.mjs';
import { firstMatch } from '../harness/loading.mjs';
import { figure, main, median } from './figure.mjs';

const SECONDS_MAX = 1.5, TURN_MS_MAX = 50, SHARE_MAX = 1 / 3;
const TURNS = 8;
const STREAMS = 4;

/** The spans of a program that launches kernels and copies in several streams: of each, the call and the work. */
function spansOf(run, count) {
  return Array.from({ length: count }, (_, at) => {
    const n = Math.floor(at / 2), begun = n * 5000, correlation = n + 1;
    if (at % 2 === 0) return { type: 'span', run, lane: 'thread 1', kind: 'call', label: 'cudaLaunchKernel', axes: {}, start_ns: begun, end_ns: begun + 2500, details: { correlation } };
    const stream = n % STREAMS, isCopy = n % 10 === 0, start = begun + 4000;
    return {
      type: 'span', run, lane: `stream ${13 + stream}`, kind: isCopy ? 'copy-up' : 'compute', label: isCopy ? 'H2D 16 KiB · pinned' : 'saxpy', axes: {},
      start_ns: start, end_ns: start + 3000 + ((n * 7919) % 9000), details: { device: 0, stream, correlation, call: 'cudaLaunchKernel', called_ns: begun },
    };
  });
}

/** The run's id, after its import. */
export async function importTimeline(lab, count) {
  const lines = linesOf({ at: new Date('2026-01-02T00:00:00Z'), experiment: 'program' }, [{ metric: 'elapsed', unit: 's', axes: {}, median: 1 }]);
  const answer = await importInto(lab, [...lines, ...spansOf(lines[0].id, count)]);
  if (answer.status >= 300) throw new Error(answer.text);
  return lines[0].id;
}

/** ms from a turn of the wheel over the chart to the frame that shows it; `turn` is in px, negative zooms in. */
const turned = (page, turn) =>
  page.evaluate((deltaY) => new Promise((done) => {
    const chart = document.querySelector('.timeline-figure');
    const { left, top, width, height } = chart.getBoundingClientRect();
    const began = performance.now();
    chart.dispatchEvent(new WheelEvent('wheel', { deltaY, ctrlKey: true, bubbles: true, cancelable: true, clientX: left + width / 2, clientY: top + height / 2 }));
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - began)));
  }), turn);

async function turns(page, turn) {
  const times = [];
  for (let at = 0; at < TURNS; at += 1) times.push(await turned(page, turn * (at % 2 ? -1 : 1)));
  return median(times);
}

export async function timeline({ spans = 100_000, rounds = 3 } = {}) {
  const seconds = [], whole = [], inside = [];
  const bytes = {};
  await withLab({}, async (lab) => {
    const browser = await Browser.start();
    const id = await importTimeline(lab, spans);
    for (const name of ['timeline', 'timeline/columns']) bytes[name] = Buffer.byteLength((await lab.get(`/api/v1/runs/${id}/${name}`)).text);
    for (let round = 0; round < rounds; round += 1) {
      const page = await browser.context.newPage();
      const chart = await firstMatch(page, '.timeline-plot path[class^=span]');
      await page.goto(`${lab.address}/runs/${id}?tab=timeline`);
      seconds.push((await chart()) / 1000);
      await page.waitForTimeout(500);
      whole.push(await turns(page, -60));
      for (let at = 0; at < 12; at += 1) await turned(page, -120);
      inside.push(await turns(page, -60));
      await page.close();
    }
    await browser.close();
  });
  const of = `of ${spans} spans`;
  return [
    figure(`document ${of}`, bytes['timeline/columns'] / 1e6, 'MB', (SHARE_MAX * bytes.timeline) / 1e6),
    figure(`time to the chart ${of}`, median(seconds), 's', SECONDS_MAX),
    figure(`turn of the wheel to the next frame, all ${of}`, median(whole), 'ms', TURN_MS_MAX),
    figure(`turn of the wheel to the next frame, zoomed in, ${of}`, median(inside), 'ms', TURN_MS_MAX),
  ];
}

await main(import.meta.url, timeline);
