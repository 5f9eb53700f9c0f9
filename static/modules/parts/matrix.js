// Tables with a row per source and a column per target device, whose cells are coloured by value; one table for each
// combination of the other axes. Below them: the colour scale, the links between the devices and their full names.

import { freshId, h, replace } from '../dom.js';
import { plain, quantity } from '../format.js';
import { ROW_AXIS, scalePosition } from '../matrix.js';
import { deviceGroupText, linkOf, linksOf } from '../rundevices.js';

const NAME_LENGTH_MAX = 17; // longer device names are not shown in row headings
const REASONS_MAX = 2; // more reasons are given only in the tooltips of the cells and in the list of skipped points

/** Returns a chart (linechart.js describes the interface); `update` also takes {matrices, live}, `matrices` as returned
 * by matricesOf. */
export function matrixTables({ axis, metric, experiment, devices }) {
  const rowTitle = experiment.axes?.find(({ name }) => name === ROW_AXIS)?.title ?? 'From';
  const element = h('div', { class: 'matrices' });
  return {
    element,
    close() {},
    update(series, hidden, { matrices: all, live }) {
      const sides = sidesOf(all, devices, [rowTitle, axis.title]);
      const scrollPositions = [...element.querySelectorAll('.table-scroll')].map((box) => box.scrollLeft);
      const focused = [...element.querySelectorAll('.table-scroll')].indexOf(document.activeElement);
      element.style.setProperty('--columns', all.targets.length);
      replace(
        element,
        all.groups.map((group) => groupOf(group, all, sides, metric)),
        h(
          'div',
          { class: 'matrix-notes' },
          scaleKey(all, metric),
          live ? null : oneWayNote(all.groups),
          linkTable(devices, sides),
          deviceNames(devices),
        ),
      );
      [...element.querySelectorAll('.table-scroll')].forEach((box, index) => {
        box.scrollLeft = scrollPositions[index] ?? 0;
        if (index === focused) box.focus({ preventScroll: true });
      });
    },
  };
}

/** The headings of rows and columns: {from, to, sources, targets}. `from` and `to` are the titles of the two axes,
 * `sources` and `targets` the devices: [{id, short, name, full}]. */
function sidesOf({ sources, targets }, devices, [from, to]) {
  const named = new Map(devices.map((device) => [device.id, device]));
  const side = (id) => {
    const { short = id, name = null } = named.get(id) ?? {};
    return { id, short, name, full: [name, id].filter(Boolean).join(', ') };
  };
  return { from, to, sources: sources.map(side), targets: targets.map(side) };
}

/** The tables of a group; below them a line for each reason why tables were skipped completely. */
function groupOf({ label, tables, skipped }, all, sides, metric) {
  return h(
    'div',
    { class: 'matrix-group' },
    label ? h('h3', {}, label) : null,
    h(
      'div',
      { class: 'matrix-grid' },
      tables.map((table) => matrix(table, all, sides, { group: label, metric })),
    ),
    skipped.map(({ labels, reason }) =>
      h('p', { class: 'aside' }, labels.length ? `${labels.join('; ')}: ` : '', `skipped: ${reason}.`),
    ),
  );
}

/** One table with its title. `group` is the label of its group, `all` as returned by matricesOf. */
function matrix({ label, cells }, all, sides, { group, metric }) {
  const caption = freshId('matrix');
  const unit = all.unit ? h('span', { class: 'unit' }, ` in ${all.unit}`) : null;
  const hiddenGroup = group && label ? h('span', { class: 'visually-hidden' }, `${group}, `) : null;
  const reasons = [...new Set([...cells.values()].flatMap((row) => [...row.values()]).map(({ skipped }) => skipped))];
  return h(
    'div',
    { class: 'matrix' },
    h('p', { class: 'matrix-title', id: caption }, hiddenGroup, label || group || metric.title, unit),
    grid({
      sides,
      labelledBy: caption,
      cell: (source, target) => cellOf(cells.get(source)?.get(target), all, metric),
    }),
    skippedNote(reasons.filter(Boolean)),
  );
}

const oneWayNote = (groups) =>
  groups.every(({ tables }) => tables.every(({ oneWay }) => oneWay))
    ? h('p', { class: 'aside' }, 'Each pair was measured once, because both orders are equivalent.')
    : null;

/** Explains skipped cells; with many different reasons, refers to the tooltips. */
function skippedNote(reasons) {
  if (!reasons.length) return null;
  const text = reasons.length > REASONS_MAX ? 'see the tooltip of the cell or the list below' : reasons.join('; ');
  return h('p', { class: 'aside' }, `– skipped: ${text}.`);
}

/** A table with one row per source and one column per target; `cell(source id, target id)` creates a cell. */
function grid({ sides: { from, to, sources, targets }, labelledBy, cell }) {
  const arrow = (sign) => h('span', { 'aria-hidden': 'true' }, ` ${sign} `);
  const heads = targets.map(({ short, full }) =>
    h('th', { scope: 'col', class: 'figure', title: full }, short, hiddenText(full)),
  );
  const rows = sources.map((source) =>
    h(
      'tr',
      {},
      rowHead(source),
      targets.map(({ id }) => (id === source.id ? h('td', { class: 'diagonal' }) : cell(source.id, id))),
    ),
  );
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-labelledby': labelledBy },
    h(
      'table',
      { class: 'figures matrix-table', 'aria-labelledby': labelledBy },
      h('thead', {}, h('tr', {}, h('td', { class: 'corner' }, from, arrow('↓'), to, arrow('→')), heads)),
      h('tbody', {}, rows),
    ),
  );
}

/** The heading of a row: the short name, then the name if it is short enough; screen readers get both and the id. */
function rowHead({ id, short, name, full }) {
  const showName = name && name.length <= NAME_LENGTH_MAX;
  return h(
    'th',
    { scope: 'row', title: full },
    short,
    showName ? h('span', { class: 'aside' }, ` ${name}`) : null,
    hiddenText(showName ? id : full),
  );
}

const hiddenText = (text) => h('span', { class: 'visually-hidden' }, `, ${text}`);

/** The cell of a measurement: its median on a background of the colour scale, or that it was skipped or wrong. */
function cellOf(measurement, { scale, write }, metric) {
  if (!measurement) return h('td', { class: 'missing' });
  if (measurement.skipped)
    return h(
      'td',
      { class: 'figure skipped', title: measurement.skipped },
      '–',
      h('span', { class: 'visually-hidden' }, ` skipped: ${measurement.skipped}`),
    );
  const { median, verified, wrong } = measurement;
  const title = cellTooltip(measurement, metric);
  if (verified === false)
    return h(
      'td',
      { class: 'figure wrong', title },
      '✗ ',
      write(median),
      h('span', { class: 'visually-hidden' }, ` ${wrong ? `${plain(wrong)} elements wrong` : 'wrong'}`),
    );
  const share = scalePosition(median, scale);
  return h(
    'td',
    { class: 'figure heat', title, style: share === null ? {} : { '--share': `${Math.round(100 * share)}%` } },
    write(median),
  );
}

/** The tooltip of a cell: quartiles and how it was measured. */
function cellTooltip({ median, q1, q3, n, verified, wrong }, { unit }) {
  return [
    `median ${quantity(median, unit, 6)}`,
    typeof q1 === 'number' && n > 1 ? `quartiles ${quantity(q1, unit, 6)} … ${quantity(q3, unit, 6)}` : null,
    n > 0 ? `${plain(n)} samples` : null,
    verified === false ? `${plain(wrong)} elements wrong` : null,
  ]
    .filter(Boolean)
    .join(', ');
}

/** The legend of the colour scale: its smallest and largest value. */
function scaleKey({ scale, unit, write }, metric) {
  if (!scale) return null;
  const text = (value) => [write(value), unit].filter(Boolean).join('\u00a0');
  return h(
    'p',
    { class: 'matrix-scale' },
    h('span', {}, `${metric.title}: `),
    h('span', {}, text(scale.low)),
    h('span', { class: 'matrix-ramp', role: 'img', 'aria-label': 'colour scale from pale to strong' }),
    h('span', {}, text(scale.high)),
    h('span', { class: 'aside' }, 'logarithmic, same scale for all tables'),
  );
}

/** The links between the devices: one sentence where all are the same, otherwise a table. */
function linkTable(devices, sides) {
  const links = devices.length > 1 ? linksOf(devices) : null;
  if (!links) return null;
  if (links.all)
    return h(
      'p',
      { class: 'matrix-link' },
      `Link between ${devices.length > 2 ? 'all devices' : 'the devices'}: `,
      h('strong', {}, links.all),
    );
  const caption = freshId('links');
  const named = new Map(devices.map((device) => [device.id, device]));
  const cell = (source, target) => h('td', {}, (named.has(source) && linkOf(named.get(source), target)) ?? '–');
  return h(
    'div',
    { class: 'matrix' },
    h('p', { class: 'matrix-title', id: caption }, 'Links reported by the devices'),
    grid({ sides, labelledBy: caption, cell }),
  );
}

const deviceNames = (devices) =>
  devices.some(({ name }) => name) ? h('p', { class: 'aside' }, `Devices: ${deviceGroupText(devices)}.`) : null;
