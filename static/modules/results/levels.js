// What a chart compares its values with: theoretical peaks and reference results, as horizontal lines or as marks at
// their x.

import { commonLinkPeak } from '../lab/rundevices.js';
import { quantity } from '../text/format.js';
import { peaksOf } from './series.js';

const LINES_MAX = 3; // more lines of references would hide the chart; the largest are drawn

/** The lines [{value, text, kind}] of the peaks of some series, and of the links between the devices for a metric that
 * they limit. */
export const peakLevels = (series, metric, devices) =>
  [...peaksOf(series), ['link', 'links'].includes(metric.peak) && commonLinkPeak(devices, metric.peak === 'links')].filter(Boolean).map(({ value, what }) => ({
    value,
    text: `peak: ${what}, ${quantity(value, metric.unit)}`,
    kind: 'peak',
  }));

const words = (name) => name.toLowerCase().split(/\W+/).filter((word) => word && word !== 'nvidia');

/** Whether a system, such as "NVIDIA H200 SXM", has one of the devices by name, such as "NVIDIA H200". */
const hasDevice = (system, devices) =>
  devices.some(({ name }) => name && words(name).every((word) => words(system).includes(word)));

/** The references of an experiment that are of systems with one of the devices: values of other devices would suggest
 * that something is wrong with these. */
export const ofDevices = (references, devices) => references.filter(({ system }) => hasDevice(system, devices));

/** The references that are of a view's metric and match points of `series` (series.js): {levels, marks}. A reference at
 * one x is a mark {one: series, x, value, system}, every other one a line {value, text, kind}. It matches a point that
 * has the same values of all its axes. */
export function referencesOf(references, series, { metric, x }, { unit }) {
  const [levels, marks] = [[], []];
  for (const { metric: name, axes = {}, value, system } of references) {
    if (name !== metric) continue;
    const entries = Object.entries(axes ?? {});
    const matches = ({ measurement }) => entries.every(([axis, own]) => measurement.axes[axis] === own);
    const one = series.find(({ points }) => points.some(matches));
    if (!one) continue;
    if (axes && x in axes) marks.push({ one, x: axes[x], value, system });
    else levels.push({ value, text: `${system}: ${quantity(value, unit)}`, kind: 'reference' });
  }
  levels.sort((a, b) => b.value - a.value);
  return { levels: levels.slice(0, LINES_MAX), marks };
}
