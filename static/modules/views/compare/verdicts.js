// The table of the compared points with their ratios and verdicts, filtered by verdict.

import { h, keepingFocus, replace } from '../../dom.js';
import { cautioned } from '../../charts/cautionmarks.js';
import { samplesButton } from '../../charts/samples/button.js';
import { announce } from '../../parts/announce.js';
import { certainty, reasonList, reasonMark } from '../../parts/certainty.js';
import { counterChanges } from '../../parts/counterchanges.js';
import { sorter } from '../../parts/sortheads.js';
import {
  axesOf,
  commonFacts,
  cutEnds,
  decided,
  intervalText,
  missingSamples,
  pointName,
  ratioRange,
  ratioText,
  reasonsOf,
  VERDICTS,
} from '../../results/comparison.js';
import { titledValue } from '../../text/displaynames.js';
import { plain, plural, quantity } from '../../text/format.js';
import { shownUnit } from '../../text/units.js';
import { intervalBar } from './intervalbar.js';

const ROWS_MAX = 200; // rows shown before the user asks for all

/** The columns; the verdict is beside the point, where a narrow screen shows it, too. */
const columnsOf = (certain, nameOf, titleOf) => [
  { title: 'Point', value: nameOf },
  { title: 'Verdict', value: ({ verdict }) => verdict },
  { title: 'Ratio', kind: 'figure', value: ({ ratio }) => ratio },
  { title: '95 % interval' },
  { title: 'Ratio as a mark, interval as a bar', kind: 'interval-head', hidden: true },
  ...certain.titles.map((title) => ({ title, kind: 'figure' })),
  { title: 'Metric', value: titleOf },
  { title: 'Base', kind: 'figure', value: ({ base }) => base.median },
  { title: 'Head', kind: 'figure', value: ({ head }) => head.median },
];

/** Returns the element. `choices` (choices.js) keep the verdict, the order, and whether all metrics are shown.
 * showSamples(point) shows the samples of a point. */
export function verdictsPanel({ comparison, experiment, choices, showSamples }) {
  const { points, summary } = comparison;
  const verdicts = h('div', { class: 'segments', role: 'group', 'aria-label': 'Verdict' });
  const others = h('input', { type: 'checkbox', checked: choices.get('metrics') === 'all', on: { change: showOthers } });
  const body = h('div', { class: 'verdicts-body stack start' });
  let all = false; // whether every row is shown

  const titleOf = ({ metric }) => experiment.metrics?.find(({ name }) => name === metric)?.title ?? metric;

  function showOthers() {
    choices.set({ metrics: others.checked ? 'all' : '' });
    draw();
  }

  function select(verdict) {
    choices.set({ verdict });
    all = false;
    draw();
  }

  function draw() {
    const chosen = choices.get('verdict');
    const counts = [['', 'all', decided(points).length], ...VERDICTS.map((word) => [word, word, summary[word]])];
    const focused = [...verdicts.children].indexOf(document.activeElement);
    const button = ([value, text, count]) =>
      h(
        'button',
        { type: 'button', 'aria-pressed': String(value === chosen), on: { click: () => select(value) } },
        `${text}\u00a0${plain(count)}`,
      );
    replace(verdicts, counts.map(button));
    if (focused >= 0) verdicts.children[focused].focus();
    const rows = points.filter(({ verdict }) => (verdict ? !chosen || verdict === chosen : others.checked && !chosen));
    if (focused >= 0) announce(`${plural(rows.length, 'point')} shown`);
    replace(body, rows.length ? tableOf(rows) : h('p', {}, chosen ? `No point is ${chosen}.` : 'No point to compare.'));
  }

  function tableOf(rows) {
    const { varying } = axesOf(points, experiment.axes);
    const certain = certainty(rows);
    const columns = columnsOf(certain, (point) => pointName(point, varying), titleOf);
    const heads = sorter(columns, () => keepingFocus(body, '.sort-head', draw), choices);
    const sorted = heads.sorted(rows);
    const shown = all ? sorted : sorted.slice(0, ROWS_MAX);
    const reasons = reasonsOf(rows);
    const missing = missingSamples(comparison);
    const told = missing?.count === reasons[0]?.count && reasons.length === 1; // by the notice above
    const range = ratioRange(shown);
    const same = commonFacts(comparison, experiment.axes).map(({ axis, value }) => titledValue(axis, value)).join(', ');
    return [
      same ? h('p', { class: 'aside' }, `Same for all: ${same}.`) : null,
      told ? null : reasonList(reasons),
      certain.notes,
      shown.some(hasArrow(range)) ? h('p', { class: 'aside no-export' }, 'An arrow at the end of a bar: the interval is longer than the line.') : null,
      h(
        'div',
        { class: 'table-scroll tall', tabindex: 0, role: 'region', 'aria-label': 'Compared points' },
        h(
          'table',
          { class: 'figures first-stays verdicts' },
          h('caption', { class: 'visually-hidden' }, 'Compared points with ratio and verdict'),
          h('thead', {}, h('tr', {}, heads.cells)),
          h('tbody', {}, shown.map((point) => rowOf(point, { varying, title: titleOf(point), range, reasons, certain, showSamples }))),
        ),
      ),
      shown.length < rows.length
        ? h('button', { type: 'button', on: { click: showAll } }, `Show all ${plain(rows.length)} points`)
        : null,
    ];
  }

  function showAll() {
    all = true;
    draw();
    body.querySelector('.table-scroll').focus();
  }

  draw();
  const undecided = points.some(({ verdict }) => !verdict);
  return h(
    'section',
    { class: 'panel', 'aria-label': 'Verdicts' },
    h('h2', {}, 'Point by point'),
    h(
      'div',
      { class: 'result-head row spread' },
      verdicts,
      undecided ? h('label', { class: 'check-line' }, others, ' Also metrics without a verdict') : null,
    ),
    body,
    counterChanges(points, experiment.axes, ['Base', 'Head']),
    onlyOneSide(comparison, experiment),
  );
}

/** Whether the bar of a point has an arrow. */
const hasArrow = (range) => (point) => point.ratio > 0 && Object.values(cutEnds(point, range)).includes(true);

/** `reasons` are those of all rows; a row has the number of its own if there are several. `certain` is what
 * certainty.js returns. */
function rowOf(point, { varying, title, range, reasons, certain, showSamples }) {
  const { metric, base, head, ratio, verdict, reason } = point;
  const unit = shownUnit(metric, point.unit);
  const show = verdict ? () => showSamples(point) : null; // a value without a verdict may be computed from others
  const value = (side) =>
    h(
      'td',
      cautioned(side.verified === false ? 'figure no' : 'figure', side.cautions),
      samplesButton(side, show, quantity(side.median, unit)),
      side.verified === false ? ' wrong' : '',
    );
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, pointName(point, varying)),
    h(
      'td',
      {},
      verdict ? h('span', { class: `verdict ${verdict}` }, verdict) : '–',
      reason ? reasonMark(reason, reasons) : null,
    ),
    h('td', { class: 'figure strong' }, ratioText(ratio)),
    h('td', {}, verdict ? intervalText(point) : '–'),
    h('td', { class: 'interval-cell' }, intervalBar(point, range)),
    certain.cells(point),
    h('td', {}, title),
    value(base),
    value(head),
  );
}

/** The points that only one side has. */
function onlyOneSide({ only_base: base, only_head: head }, experiment) {
  const lists = [
    ['base', base],
    ['head', head],
  ].filter(([, { count }]) => count > 0);
  return lists.map(([side, { count, axes }]) => {
    const points = axes.map((one) => ({ axes: one }));
    const { varying } = axesOf(points, experiment.axes);
    return h(
      'details',
      { class: 'only-side' },
      h('summary', {}, `${plural(count, 'point')} only in ${side}`),
      h('ul', {}, points.map((point) => h('li', {}, pointName(point, varying)))),
      count > axes.length ? h('p', { class: 'aside' }, `and ${plural(count - axes.length, 'more point')}`) : null,
    );
  });
}
