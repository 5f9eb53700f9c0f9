// How long the page of a finished run takes to its first chart, with how many requests and bytes, at two round-trip
// times: the first visit, and one with the browser's cache.
//
//   GPULAB_BUILD=build/release node tests/bench/loading.mjs
import { Browser } from '../harness/browser.mjs';
import { withLab } from '../harness/lab.mjs';
import { delayingProxy, sampledOnce, visit } from '../harness/loading.mjs';
import { figure, main, median } from './figure.mjs';

const REQUESTS_MAX = 13, KILOBYTES_MAX = 96;
/** Seconds to the first chart by round-trip time, on a machine that does nothing else; undefined: no limit. */
const SECONDS_MAX = { 50: { cold: 0.4, warm: 0.4 } };

/** The visits of one kind, cold or warm, in figures: the most requests and bytes of any, and the median of the
 * times. */
function figuresOf(visits, when, roundTrip_ms) {
  const most = (name) => Math.max(...visits.map((each) => each[name]));
  const what = (name) => `${name} to the first chart, ${when}, round trip of ${roundTrip_ms} ms`;
  return [
    figure(what('requests'), most('requests'), '', REQUESTS_MAX),
    figure(what('received'), most('bytes') / 1000, 'kB', KILOBYTES_MAX),
    figure(what('time'), median(visits.map(({ ms }) => ms)) / 1000, 's', SECONDS_MAX[roundTrip_ms]?.[when]),
  ];
}

async function measure(browser, lab, path, roundTrip_ms, rounds) {
  const proxy = await delayingProxy(lab.port, roundTrip_ms);
  const cold = [], warm = [];
  for (let round = 0; round < rounds; round += 1) {
    const context = await browser.chromium.newContext();
    cold.push(await visit(context, proxy, path));
    warm.push(await visit(context, proxy, path));
    await context.close();
  }
  proxy.close();
  if (process.env.GPULAB_BENCH_VERBOSE) console.log([cold, warm].map(([first]) => first.paths.join('\n')).join('\n\n'));
  return [...figuresOf(cold, 'cold', roundTrip_ms), ...figuresOf(warm, 'warm', roundTrip_ms)];
}

export async function loading({ roundTrips_ms = [0, 50], rounds = 7 } = {}) {
  const figures = [];
  await withLab({}, async (lab) => {
    const run = await lab.complete(sampledOnce);
    const browser = await Browser.start();
    for (const roundTrip_ms of roundTrips_ms) figures.push(...(await measure(browser, lab, `/runs/${run.id}`, roundTrip_ms, rounds)));
    await browser.close();
  });
  return figures;
}

await main(import.meta.url, loading);
