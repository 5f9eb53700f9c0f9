// The grid of a sweep as a table: a cell for each run with its status, coloured and in words, and its headline.

import { h } from '../../dom.js';
import { deviceTitle } from '../../lab/lab.js';
import { headlineFigures } from '../../results/headline.js';
import { STATUSES, valueText } from '../../text/displaynames.js';
import { progressText } from '../../text/format.js';
import { fieldValueText } from '../../text/schema.js';

const FIGURES_MAX = 3;

/** The table of a grid (sweepgrid.js); `fields` are those of the experiment's parameters (schema.js). */
export function gridTable({ across, down, columns, rows }, fields) {
  const name = (varied) => titleOf(varied, fields);
  const text = (varied, value) => valueTextOf(varied, value, fields);
  return h(
    'div',
    { class: 'panel flush sweep-scroll', role: 'region', tabindex: 0, 'aria-label': 'Runs of the sweep' },
    h(
      'table',
      { class: 'sweep-grid' },
      h('caption', { class: 'visually-hidden' }, 'Runs of the sweep by parameters'),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          down.map((one) => h('th', { scope: 'col' }, name(one))),
          columns.map((value) =>
            h('th', { scope: 'col' }, across.name ? [h('span', { class: 'aside' }, `${name(across)} `), text(across, value)] : 'Run'),
          ),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map(({ values, cells }) =>
          h('tr', {}, values.map((value, at) => h('th', { scope: 'row' }, text(down[at], value))), cells.map(cell)),
        ),
      ),
    ),
  );
}

/** What a row of the grid has in common: "Direction: host → device, Largest size: 4 KiB". */
export const rowTitle = ({ down }, { values }, fields) =>
  values.map((value, at) => `${titleOf(down[at], fields)}: ${valueTextOf(down[at], value, fields)}`).join(', ');

const TITLES = { devices: 'Devices', nodes: 'Machine' };

const titleOf = ({ name }, fields) => TITLES[name] ?? fields.find((field) => field.name === name)?.title ?? name;

function valueTextOf({ name }, value, fields) {
  if (name === 'nodes') return value;
  if (name === 'devices') return value.map(deviceTitle).join(', ');
  const field = fields.find((one) => one.name === name);
  const items = [value].flat();
  return field && !field.choices && field.type !== 'boolean'
    ? fieldValueText(field, value)
    : items.map((item) => valueText(name, item, field?.unit)).join(', ');
}

function cell(run) {
  if (!run) return h('td', { class: 'sweep-cell' }, h('span', { class: 'aside' }, 'deleted'));
  const { word, tone } = STATUSES[run.status] ?? { word: run.status, tone: 'quiet' };
  const figures = headlineFigures(run).slice(0, FIGURES_MAX);
  const progress = run.status === 'running' ? progressText(run.progress) : '';
  return h(
    'td',
    { class: `sweep-cell ${tone}` },
    h(
      'a',
      { href: `/runs/${run.id}` },
      h('span', { class: `status ${tone}` }, `${word} ${progress}`.trim()),
      figures.map(({ title, text }) => h('span', { class: 'sweep-figure fine' }, `${title} `, h('strong', {}, text))),
    ),
  );
}
