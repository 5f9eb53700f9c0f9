// Tables of exact values: seriesTable with a heading for each series of a chart, skippedList for skipped points.

import { h } from '../dom.js';
import { commonUnit, kernelText, percent, plain } from '../text/format.js';
import { ALL_POINTS, describePoints } from '../results/series.js';
import { axisValueText, labelledValue, STOP_REASONS } from '../text/displaynames.js';
import { cautioned, cautionTags } from './cautionmarks.js';
import { samplesButton } from './samples/button.js';
import { swatch } from './seriesstyle.js';

const KERNEL_COLUMN = 'Kernel'; // only in tables of measurements with a kernel

/** A table with a heading for each series; `axis` is the first column. With `swatches`, the headings show the style of
 * their series in the chart. `cautions(measurement)` are those of a measurement; showSamples(measurement) shows its
 * samples. */
export function seriesTable({ series, axis, metric, caption, swatches = true, cautions = () => [], showSamples = null }) {
  const swatchOf = (one) => (swatches ? swatch(one) : null);
  const single = series.every(({ points }) => points.length === 1); // series of one point each need no headings
  const measurements = series.flatMap(({ points }) => points.map(({ measurement }) => measurement));
  const hasKernel = measurements.some(({ kernel }) => kernel);
  const unit = commonUnit(metric.unit, measurements.map(({ median }) => median));
  const suffix = unit.unit ? ` (${unit.unit})` : '';
  const columns = [`Median${suffix}`, `Quartiles${suffix}`, 'Noise', 'Samples', 'Verified', hasKernel && KERNEL_COLUMN].filter(Boolean);
  const rowOf = (heading, measurement) => row(heading, measurement, unit, { hasKernel, cautions: cautions(measurement), showSamples });
  const heads = h(
    'tr',
    {},
    h('th', { scope: 'col' }, single ? 'Series' : axis.title),
    columns.map((head) => h('th', { scope: 'col', class: 'figure' }, head)),
  );
  if (single) {
    const rows = series.map((one) => () => rowOf([swatchOf(one), singlePointLabel(one, axis)], one.points[0].measurement));
    return growingTable(caption, heads, [rows]);
  }
  const head = (one) =>
    h(
      'tr',
      { class: 'series-row' },
      h('th', { colspan: 1 + columns.length, scope: 'rowgroup' }, swatchOf(one), one.label),
    );
  const groups = series.map((one) => [
    () => head(one),
    ...one.points.map(({ x, measurement }) => () => rowOf(axisValueText(axis, x) || 'value', measurement)),
  ]);
  return growingTable(caption, heads, groups);
}

/** The label of a series of one point, with the point's value of the axis. */
function singlePointLabel({ label, points: [{ x }] }, axis) {
  if (!axis.name) return label;
  return [label, labelledValue(axis, x)].filter((text) => text !== ALL_POINTS).join(' · ');
}

/** A table in a scrolling frame; `bodies` are its tbody elements. */
export function scrollingTable(caption, heads, bodies) {
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    h(
      'table',
      { class: 'figures' },
      h('caption', { class: 'visually-hidden' }, caption),
      h('thead', {}, heads),
      bodies,
    ),
  );
}

const ROWS_AT_ONCE = 200;

/** A table in a scrolling frame whose rows are created while the user scrolls, because a run may have thousands.
 * `groups` are its tbody elements, each a list of functions that create a row. */
export function growingTable(caption, heads, groups) {
  const rows = groups.flatMap((list, group) => list.map((create) => ({ group, create })));
  const bodies = groups.map(() => h('tbody', {}));
  const frame = scrollingTable(caption, heads, bodies);
  let next = 0;
  function grow() {
    for (const { group, create } of rows.slice(next, next + ROWS_AT_ONCE)) bodies[group].append(create());
    next += ROWS_AT_ONCE;
  }
  grow();
  if (next < rows.length) {
    const end = h('div', { class: 'table-end', 'aria-hidden': 'true' });
    frame.append(end);
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.at(-1).isIntersecting) return;
        grow();
        observer.unobserve(end);
        if (next < rows.length) observer.observe(end); // reports again if the end is still in view
        else end.remove();
      },
      { root: frame, rootMargin: '600px' },
    );
    observer.observe(end);
  }
  return frame;
}

function row(heading, measurement, unit, { hasKernel, cautions, showSamples }) {
  const { median, q1, q3, noise, n, verified, kernel } = measurement;
  const sampled = n > 0;
  return h(
    'tr',
    { class: verified === false ? 'wrong' : null },
    h('th', { scope: 'row' }, heading),
    h('td', cautioned('figure strong', cautions), unit.write(median)),
    h('td', { class: 'figure' }, sampled && typeof q1 === 'number' ? quartilesText(q1, q3, unit) : '–'),
    h('td', { class: 'figure' }, percent(noise)),
    h('td', { class: 'figure' }, sampled ? sampleCount(measurement, showSamples) : '–'),
    h('td', { class: 'figure' }, verifiedCell(measurement, cautions)),
    hasKernel && h('td', { class: 'figure' }, h('span', { class: 'aside', title: kernel?.name }, kernelText(kernel))),
  );
}

/** "12.1 … 12.3", with the unit once if both have the same. */
function quartilesText(q1, q3, { write }) {
  const [low, high] = [write(q1), write(q3)];
  const [number, lowUnit] = low.split('\u00a0');
  return `${lowUnit === high.split('\u00a0')[1] ? number : low} … ${high}`;
}

/** The number of samples, which shows them; the tooltip says why sampling stopped, and a text if it stopped too
 * early. */
function sampleCount(measurement, showSamples) {
  const { stop_reason: reason } = measurement;
  const early = ['drifting', 'budget', 'cancelled'].includes(reason);
  return h(
    'span',
    { title: STOP_REASONS[reason] ?? reason ?? null },
    samplesButton(measurement, showSamples),
    early && h('span', { class: 'aside' }, ` ${reason}`),
  );
}

/** Whether the result was correct, or the number of wrong elements; and its cautions. */
export function verifiedCell({ verified, wrong }, cautions = []) {
  const tags = cautionTags(cautions);
  if (verified === true)
    return [
      h(
        'span',
        { class: 'yes' },
        h('span', { 'aria-hidden': 'true' }, '✓'),
        h('span', { class: 'visually-hidden' }, 'yes'),
      ),
      tags,
    ];
  if (verified === false)
    return [
      h('strong', { class: 'no' }, '✗ ', wrong ? plain(wrong) : '', h('span', { class: 'visually-hidden' }, ' wrong')),
      tags,
    ];
  return [h('span', { class: 'aside' }, '–', h('span', { class: 'visually-hidden' }, 'not checked')), tags];
}

/** Skipped points, grouped by reason. */
export function skippedList(measurements, axes) {
  const reasons = new Map();
  for (const measurement of measurements)
    reasons.set(measurement.skipped, [...(reasons.get(measurement.skipped) ?? []), measurement]);
  return h(
    'ul',
    { class: 'skipped-list stack' },
    [...reasons].map(([reason, group]) =>
      h(
        'li',
        {},
        h('strong', {}, reason),
        h(
          'ul',
          { class: 'aside' },
          describePoints(group, axes).map(({ text }) => h('li', {}, text)),
        ),
      ),
    ),
  );
}
