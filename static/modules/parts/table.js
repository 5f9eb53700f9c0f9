// Measurements as tables of exact values: under a heading for each series as the chart has them, or what was derived
// from them, a column for each figure.

import { h } from '../dom.js';
import { percent, plain, quantity } from '../format.js';
import { ALL_POINTS, places } from '../series.js';
import { axisWords, placeWords, STOP_REASONS } from '../displaynames.js';
import { swatch } from './seriesstyle.js';

const FIGURES = ['Median', 'Middle half', 'Noise', 'Samples', 'Verified'];

/** Rows under a heading for each series; `axis` is the first column. Swatches are for tables beside lines and bars. */
export function seriesTable({ series, axis, metric, caption, swatches = true }) {
  const sign = (one) => (swatches ? swatch(one) : null);
  const single = series.every(({ points }) => points.length === 1); // then a heading for each row would only repeat it
  const heads = h(
    'tr',
    {},
    h('th', { scope: 'col' }, single ? 'Series' : axis.title),
    FIGURES.map((head) => h('th', { scope: 'col', class: 'figure' }, head)),
  );
  if (single) {
    return frame(
      caption,
      heads,
      h(
        'tbody',
        {},
        series.map((one) => row([sign(one), singleWords(one, axis)], one.points[0].measurement, metric)),
      ),
    );
  }
  return frame(
    caption,
    heads,
    series.map((one) =>
      h(
        'tbody',
        {},
        h(
          'tr',
          { class: 'series-row' },
          h('th', { colspan: 1 + FIGURES.length, scope: 'rowgroup' }, sign(one), one.label),
        ),
        one.points.map(({ x, measurement }) => row(axisWords(axis, x) || 'value', measurement, metric)),
      ),
    ),
  );
}

/** A series of one point, with the point's place on the axis. */
function singleWords({ label, points: [{ x }] }, axis) {
  if (!axis.name) return label;
  return [label, placeWords(axis, x)].filter((words) => words !== ALL_POINTS).join(' · ');
}

/** A table that scrolls by itself; `bodies` are its tbody elements. */
export function frame(caption, heads, bodies) {
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    h('table', { class: 'figures' }, h('caption', { class: 'unseen' }, caption), h('thead', {}, heads), bodies),
  );
}

function row(place, measurement, { unit }) {
  const { median, q1, q3, noise, n, verified } = measurement;
  const sampled = n > 0;
  return h(
    'tr',
    { class: verified === false ? 'wrong' : null },
    h('th', { scope: 'row' }, place),
    h('td', { class: 'figure strong' }, quantity(median, unit)),
    h('td', { class: 'figure' }, sampled && typeof q1 === 'number' ? middle(q1, q3, unit) : '–'),
    h('td', { class: 'figure' }, percent(noise)),
    h('td', { class: 'figure' }, sampled ? samples(measurement) : '–'),
    h('td', { class: 'figure' }, verdict(measurement)),
  );
}

/** "12.1 … 12.3 GB/s": the unit once where both share it. */
function middle(q1, q3, unit) {
  const [low, high] = [quantity(q1, unit), quantity(q3, unit)];
  const [number, lowUnit] = low.split('\u00a0');
  return `${lowUnit === high.split('\u00a0')[1] ? number : low} … ${high}`;
}

function samples({ n, stop_reason: reason }) {
  const early = reason === 'timed-out' || reason === 'cancelled';
  return h(
    'span',
    { title: STOP_REASONS[reason] ?? reason ?? null },
    plain(n),
    early && h('span', { class: 'aside' }, ` ${reason.replace('-', ' ')}`),
  );
}

function verdict({ verified, wrong, conditions }) {
  const throttled = conditions?.throttle?.length
    ? h('span', { class: 'tag warn' }, `throttled: ${conditions.throttle.join(', ')}`)
    : null;
  if (verified === true)
    return [
      h('span', { class: 'yes' }, h('span', { 'aria-hidden': 'true' }, '✓'), h('span', { class: 'unseen' }, 'yes')),
      throttled,
    ];
  if (verified === false)
    return [
      h('strong', { class: 'no' }, '✗ ', wrong ? plain(wrong) : '', h('span', { class: 'unseen' }, ' wrong')),
      throttled,
    ];
  return [h('span', { class: 'aside' }, '–', h('span', { class: 'unseen' }, 'not checked')), throttled];
}

/** One row for each place on the `axes`, one column for each of `columns` ({metric, title, unit, holds}); a cell holds
 * the median and, where there is one, its noise. `holds(measurement)` says which are a column's own, else all of its
 * metric; `heading` stands over the columns. */
export function pivotTable({ measurements, axes, columns, caption, heading = null }) {
  const rows = new Map();
  for (const measurement of measurements) {
    const places = axes.map((axis) => axisWords(axis, measurement.axes?.[axis.name]));
    const key = places.join('\n');
    if (!rows.has(key)) rows.set(key, { places, cells: new Map() });
    for (const column of columns)
      if (column.metric === measurement.metric && (column.holds?.(measurement) ?? true))
        rows.get(key).cells.set(column, measurement);
  }
  const heads = h(
    'tr',
    {},
    axes.map((axis) => h('th', { scope: 'col' }, axis.title)),
    axes.length ? null : h('td', {}),
    columns.map((column) =>
      h('th', { scope: 'col', class: 'figure' }, heading && h('span', { class: 'over' }, heading), column.title),
    ),
  );
  const body = [...rows.values()].map(({ places, cells }) =>
    h(
      'tr',
      {},
      places.length
        ? places.map((place, index) => h(index ? 'td' : 'th', index ? {} : { scope: 'row' }, place))
        : h('th', { scope: 'row' }, 'all'),
      columns.map((column) => cell(cells.get(column), column)),
    ),
  );
  return frame(caption, heads, h('tbody', {}, body));
}

function cell(measurement, { unit }) {
  if (!measurement) return h('td', { class: 'figure' }, '');
  const { median, noise, verified } = measurement;
  return h(
    'td',
    { class: verified === false ? 'figure no' : 'figure' },
    h('span', { class: 'strong' }, quantity(median, unit)),
    noise > 0 ? h('span', { class: 'aside' }, ` noise ${percent(noise)}`) : null,
  );
}

/** Points that could not be measured, with their reasons; equal reasons are said once. */
export function skippedList(measurements, axes) {
  const reasons = new Map();
  for (const measurement of measurements)
    reasons.set(measurement.skipped, [...(reasons.get(measurement.skipped) ?? []), measurement]);
  return h(
    'ul',
    { class: 'skipped-list' },
    [...reasons].map(([reason, group]) =>
      h(
        'li',
        {},
        h('strong', {}, reason),
        h(
          'ul',
          { class: 'aside' },
          places(group, axes).map(({ words }) => h('li', {}, words)),
        ),
      ),
    ),
  );
}
