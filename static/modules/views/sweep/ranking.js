// The ranking of a sweep over machines: for each headline figure a bar for each machine, and the machines without
// figures.

import { h } from '../../dom.js';
import { statusText } from '../../parts/status.js';
import { sortedRows } from '../../results/rowfilter.js';
import { deviationText, rankingOf, unrankedText } from '../../results/ranking.js';
import { quantity } from '../../text/format.js';
import { modelsText } from '../../text/nodes.js';
import { shownUnit } from '../../text/units.js';

/** By kind of outlier: its tone, and the colour of its bar. */
const OUTLIERS = { better: ['good', '--good'], worse: ['bad', '--bad'] };

/** By order of the machines: its button. */
const ORDERS = { '': 'best first', machine: 'by name' };

/** A panel with the ranking of `places` (ranking.js). `title` says which runs these are, `order` is one of ORDERS;
 * choose(order) is called when the reader chooses another. */
export function rankingPanel(title, places, { order, choose }) {
  const { figures, unranked } = rankingOf(places);
  const models = new Set(places.filter(({ run }) => run).map(({ run }) => modelsText(run.devices)));
  return h(
    'section',
    { class: 'panel ranking stack loose', 'aria-label': title },
    h('div', { class: 'section-head' }, h('h2', {}, title), figures.length ? orderButtons(order, choose) : null),
    models.size > 1 ? h('p', { class: 'aside' }, 'The machines have different devices, so different figures are to be expected.') : null,
    figures.length ? h('div', { class: 'stack loose' }, figures.map((figure) => figureElement(inOrder(figure, order), models.size > 1))) : null,
    unranked.length ? unrankedList(unranked) : null,
  );
}

const orderButtons = (order, choose) =>
  h(
    'div',
    { class: 'segments', role: 'group', 'aria-label': 'Order of the machines' },
    Object.entries(ORDERS).map(([value, text]) => h('button', { type: 'button', 'aria-pressed': String(value === order), on: { click: () => choose(value) } }, text)),
  );

const byMachine = { column: { value: ({ machine }) => machine }, falling: false };
const inOrder = (figure, order) => (order === 'machine' ? { ...figure, entries: sortedRows(figure.entries, byMachine) } : figure);

/** A figure: its median, and a bar for each machine; `withModels`: the bars name the devices. */
function figureElement({ title, metric, unit, median, entries, missing }, withModels) {
  const text = (value) => quantity(value, shownUnit(metric, unit));
  const largest = Math.max(...entries.map(({ value }) => value));
  const longest = (texts) => `${Math.max(...texts.map((one) => one.length))}ch`;
  const labels = entries.flatMap(({ machine, run }) => [machine, withModels ? modelsText(run.devices) : '']);
  const widths = { '--label': longest(labels), '--value': longest(entries.map(({ value }) => text(value))) };
  const mark = h('span', { class: 'bar-level', 'aria-hidden': 'true' });
  return h(
    'figure',
    { class: 'ranking-figure stack tight', style: widths },
    h(
      'figcaption',
      {},
      h('h3', {}, title),
      entries.length > 1 ? h('p', { class: 'ranking-median fine' }, mark, `median of ${entries.length}: ${text(median)}`) : null,
    ),
    h(
      'ol',
      { class: 'bars' },
      entries.map((entry) => bar(entry, { text, count: entries.length, level: median / largest, withModels })),
    ),
    missing.length ? h('p', { class: 'aside' }, `Not measured on ${missing.join(', ')}.`) : null,
  );
}

function bar(entry, { text, count, level, withModels }) {
  const { machine, run, value, share, outlier } = entry;
  const [tone, colour] = OUTLIERS[outlier] ?? ['', '--series-1'];
  return h(
    'li',
    { class: 'bar' },
    h(
      'span',
      { class: 'bar-label' },
      h('a', { href: `/runs/${run.id}` }, machine),
      withModels ? h('span', { class: 'bar-position aside' }, modelsText(run.devices)) : null,
    ),
    h(
      'span',
      { class: 'bar-track', 'aria-hidden': 'true' },
      h('span', { class: 'bar-fill', style: { width: `${100 * share}%`, background: `var(${colour})` } }),
      count > 1 ? h('span', { class: 'bar-level', style: { left: `${100 * level}%` } }) : null,
    ),
    h('span', { class: 'bar-value' }, text(value)),
    h(
      'span',
      { class: 'bar-remark row tight' },
      outlier ? h('span', { class: `status ${tone}` }, deviationText(entry, count)) : null,
      run.wrong_count > 0 ? h('span', { class: 'tag bad' }, 'wrong results') : null,
      run.contended ? h('span', { class: 'tag warn' }, 'contended') : null,
    ),
  );
}

const unrankedList = (unranked) =>
  h(
    'div',
    {},
    h('h3', {}, 'Without figures'),
    h(
      'ul',
      { class: 'unranked stack dense' },
      unranked.map((place) =>
        h(
          'li',
          {},
          place.run ? h('a', { href: `/runs/${place.run.id}` }, place.machine) : place.machine,
          place.run ? [' ', statusText(place.run.status)] : null,
          h('span', {}, ` ${unrankedText(place)}`),
        ),
      ),
    ),
  );
