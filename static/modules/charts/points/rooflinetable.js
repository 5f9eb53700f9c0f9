// The tables of a roofline chart: throughput of each step and its share of the roof, and the values of the roofs.

import { h } from '../../dom.js';
import { commonUnit, percent, quantity, significant } from '../../text/format.js';
import { pointsOf, roofsOf, shareOfRoof } from '../../results/roofline.js';
import { valueText } from '../../text/displaynames.js';
import { cautioned } from '../cautionmarks.js';
import { swatch } from '../seriesstyle.js';

/** The tables of roofs and of points in one scrolling frame; `series` are the visible ones. */
export function rooflineTable({ series, measurements, axis, metric, devices, caption, cautions = () => [] }) {
  const roofs = roofsOf(series, measurements, devices);
  const points = pointsOf(series, measurements);
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    stepTable({ series, points, roofs, axis, metric, caption, cautions }),
    roofTable(roofs, metric),
  );
}

/** The head of a table: `first` is the heading of the rows, `rest` the headings of columns of numbers. */
const heads = (first, rest) =>
  h(
    'thead',
    {},
    h(
      'tr',
      {},
      h('th', { scope: 'col' }, first),
      rest.map((head) => h('th', { scope: 'col', class: 'figure' }, head)),
    ),
  );

function stepTable({ series, points, roofs, axis, metric, caption, cautions }) {
  const unit = commonUnit(metric.unit, points.map(({ throughput }) => throughput));
  const columns = columnsOf(points, roofs).map(({ title }) => title);
  const heading = [withUnit(metric.title, unit.unit), ...columns, 'Verified'];
  return h(
    'table',
    { class: 'figures' },
    h('caption', { class: 'visually-hidden' }, caption),
    heads(axis.title || 'Point', heading),
    series.map((one) =>
      h(
        'tbody',
        {},
        series.length > 1 &&
          h(
            'tr',
            { class: 'series-row' },
            h('th', { colspan: 1 + heading.length, scope: 'rowgroup' }, swatch(one, { line: false }), one.label),
          ),
        points.filter((point) => point.series === one).map((point) => stepRow(point, { points, roofs, axis, unit, cautions })),
      ),
    ),
  );
}

/** A heading with the unit, because a unit in each cell would make the table too wide. */
const withUnit = (title, unit) => [`${title} `, h('span', { class: 'heading-line' }, unit)];

/** The columns [{title, text(point)}] between throughput and verification: those that any of the points has. */
function columnsOf(points, roofs) {
  const share = (point) => shareOfRoof(point, roofs);
  return [
    { of: ({ intensity }) => intensity, title: withUnit('Intensity', 'FLOP/B'), write: significant },
    { of: ({ counted }) => counted, title: withUnit('Counted intensity', 'FLOP/B'), write: significant },
    { of: share, title: 'Share of roof', write: (value) => percent(value, 3) },
  ]
    .filter(({ of }) => points.some((point) => of(point) !== null))
    .map(({ of, title, write }) => ({ title, text: (point) => write(of(point)) }));
}

function stepRow(point, { points, roofs, axis, unit, cautions }) {
  const { verified } = point.measurement;
  const [symbol, word] =
    verified === null || verified === undefined ? ['–', 'not checked'] : verified ? ['✓', 'yes'] : ['✗', 'wrong'];
  return h(
    'tr',
    { class: verified === false ? 'wrong' : null },
    h('th', { scope: 'row' }, valueText(axis.name, point.step), point.shape && h('span', { class: 'aside heading-line' }, point.shape)),
    h('td', cautioned('figure strong', cautions(point.measurement)), unit.write(point.throughput)),
    columnsOf(points, roofs).map(({ text }) => h('td', { class: 'figure' }, text(point))),
    h(
      'td',
      { class: verified ? 'figure yes' : 'figure no' },
      h('span', { 'aria-hidden': 'true' }, symbol),
      h('span', { class: 'visually-hidden' }, word),
    ),
  );
}

function roofTable({ memory, compute }, { unit }) {
  const row = (name, roof, unitOf) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name, roof.what && h('span', { class: 'aside heading-line' }, roof.what)),
      roof.wrong
        ? h('td', { class: 'figure no strong' }, h('span', { 'aria-hidden': 'true' }, '✗ '), 'wrong result')
        : h('td', { class: 'figure strong' }, quantity(roof.measured, unitOf)),
      h('td', { class: 'figure' }, quantity(roof.theoretical, unitOf)),
    );
  if (!memory && !compute.length) return null;
  return h(
    'table',
    { class: 'figures roofs' },
    h('caption', { class: 'visually-hidden' }, 'Roofs'),
    heads('Roof', ['Measured', 'Theoretical']),
    h(
      'tbody',
      {},
      memory && row('Memory', memory, 'GB/s'),
      compute.map((roof) => row(`Compute, ${valueText('type', roof.name)}`, roof, unit)),
    ),
  );
}
