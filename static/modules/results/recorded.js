// What was recorded with the measurements of a run, summed up: verification, caches, conditions of the devices, times.

import { plain, plural } from '../text/format.js';
import { isWrong, wrongCount, wrongText } from './cautions.js';

/** How many measurements stopped sampling for each reason, most frequent first: [{reason, count}]. */
export function stopCounts(measurements) {
  const counts = new Map();
  for (const { stop_reason: reason, skipped } of measurements)
    if (reason && !skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count);
}

/** Groups of facts, as factGroup takes them. Facts that nothing was recorded of are left out. */
export function recordedGroups(run, measurements) {
  const measured = measurements.filter(({ skipped }) => !skipped);
  return [
    { title: 'Verification', facts: verification(measured, measurements.length - measured.length) },
    { title: 'Conditions', facts: conditions(measured) },
  ].filter(({ facts }) => facts.length);
}

function verification(measured, skipped) {
  const checked = measured.filter(({ verified }) => typeof verified === 'boolean');
  const right = checked.filter((one) => !isWrong(one)).length;
  return [
    right ? fact('Right', plural(right, 'measurement')) : null,
    wrongCount(measured) ? fact('Wrong', wrongText(wrongCount(measured))) : null,
    measured.length > checked.length ? fact('Not checked', plural(measured.length - checked.length, 'measurement')) : null,
    skipped ? fact('Skipped', plural(skipped, 'measurement')) : null,
  ].filter(Boolean);
}

const RANGES = [
  ['SM clock', 'sm_clock_mhz', 'MHz'],
  ['Temperature', 'temperature_c', '°C'],
  ['Power', 'power_w', 'W'],
];

function conditions(measured) {
  const recorded = measured.map((one) => one.conditions).filter(Boolean);
  const caches = [...new Set(measured.map(({ cache }) => cache).filter(Boolean))];
  const nodes = [...new Set(measured.map(({ numa_node: node }) => node).filter((node) => typeof node === 'number'))];
  const reasons = [...new Set(recorded.flatMap(({ throttle }) => throttle ?? []))];
  return [
    ...RANGES.map(([title, name, unit]) => rangeFact(title, recorded.map((one) => one[name]), unit)),
    recorded.length ? fact('Clock lowered by', reasons.join(', ') || 'nothing') : null,
    caches.length ? fact('Last-level cache', caches.join(', ')) : null,
    nodes.length ? fact('NUMA node of host memory', nodes.join(', ')) : null,
  ].filter(Boolean);
}

function rangeFact(title, values, unit) {
  const known = values.filter((value) => typeof value === 'number');
  if (!known.length) return null;
  const [low, high] = known.reduce(([least, most], value) => [Math.min(least, value), Math.max(most, value)], [Infinity, -Infinity]);
  const text = low === high ? plain(low, 0) : `${plain(low, 0)} to ${plain(high, 0)}`;
  return fact(title, `${text}\u00a0${unit}`);
}

const fact = (title, text) => ({ title, text });
