// The exact values of a roofline: what each step reached and how much of the roof over it, and the roofs themselves.

import { h } from '../dom.js';
import { percent, quantity, significant } from '../format.js';
import { pointsOf, roofsOf, shareOfRoof } from '../roofline.js';
import { valueWords } from '../displaynames.js';
import { swatch } from './seriesstyle.js';

/** Both tables in one frame that scrolls; `series` are those that are shown. */
export function rooflineTable({ series, measurements, metric, caption }) {
  const roofs = roofsOf(series, measurements);
  const points = pointsOf(series, measurements);
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': caption },
    stepTable({ series, points, roofs, metric, caption }),
    roofTable(roofs, metric),
  );
}

const heads = (first, rest) =>
  h(
    'thead',
    {},
    h(
      'tr',
      {},
      h('th', { scope: 'col' }, first),
      rest.map((words) => h('th', { scope: 'col', class: 'figure' }, words)),
    ),
  );

function stepTable({ series, points, roofs, metric, caption }) {
  const columns = [withUnit(metric.title, metric.unit), withUnit('Intensity', 'FLOP/B'), 'Of the roof', 'Verified'];
  return h(
    'table',
    { class: 'figures' },
    h('caption', { class: 'unseen' }, caption),
    heads('Step', columns),
    series.map((one) =>
      h(
        'tbody',
        {},
        series.length > 1 &&
          h(
            'tr',
            { class: 'series-row' },
            h('th', { colspan: 1 + columns.length, scope: 'rowgroup' }, swatch(one, { line: false }), one.label),
          ),
        points.filter((point) => point.one === one).map((point) => stepRow(point, roofs)),
      ),
    ),
  );
}

/** A unit said once, in the head: beside each of a device's large figures the table would be too wide for its place. */
const withUnit = (title, unit) => [`${title} `, h('span', { class: 'over' }, unit)];

function stepRow(point, roofs) {
  const { verified } = point.measurement;
  const verdict =
    verified === null || verified === undefined ? ['–', 'not checked'] : verified ? ['✓', 'yes'] : ['✗', 'wrong'];
  return h(
    'tr',
    { class: verified === false ? 'wrong' : null },
    h('th', { scope: 'row' }, valueWords('step', point.step)),
    h('td', { class: 'figure strong' }, significant(point.throughput)),
    h('td', { class: 'figure' }, significant(point.intensity)),
    h('td', { class: 'figure' }, percent(shareOfRoof(point, roofs), 3)),
    h(
      'td',
      { class: verified ? 'figure yes' : 'figure no' },
      h('span', { 'aria-hidden': 'true' }, verdict[0]),
      h('span', { class: 'unseen' }, verdict[1]),
    ),
  );
}

function roofTable({ memory, compute }, { unit }) {
  const row = (name, roof, unitOf) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, name, roof.what && h('span', { class: 'aside over' }, roof.what)),
      roof.wrong
        ? h('td', { class: 'figure no strong' }, h('span', { 'aria-hidden': 'true' }, '✗ '), 'wrong result')
        : h('td', { class: 'figure strong' }, quantity(roof.measured, unitOf)),
      h('td', { class: 'figure' }, quantity(roof.theoretical, unitOf)),
    );
  if (!memory && !compute.length) return null;
  return h(
    'table',
    { class: 'figures roofs' },
    h('caption', { class: 'unseen' }, 'The roofs'),
    heads('Roof', ['Measured', 'Theoretical']),
    h(
      'tbody',
      {},
      memory && row('Memory', memory, 'GB/s'),
      compute.map((roof) => row(`Arithmetic, ${valueWords('type', roof.type)}`, roof, unit)),
    ),
  );
}
