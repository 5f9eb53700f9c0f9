// Tables of source by target with coloured cells: one for each combination of the other axes, side by side where there
// is room, all on one scale of colour; below them what joins the devices, and what they are called in full.

import { freshId, h, replace } from '../dom.js';
import { plain, quantity } from '../format.js';
import { ROWS, shareOf } from '../matrix.js';
import { groupWords, linkOf, linksOf } from '../rundevices.js';

const NAME_ROOM = 17; // letters of a device's name that have room beside its number
const REASONS = 2; // as many are told below a table

/** {element, update(series, hidden, {matrices}), close()}, as parts/chart.js has it; `matrices` are matrix.js's. */
export function matrixTables({ axis, metric, experiment, devices }) {
  const from = experiment.axes?.find(({ name }) => name === ROWS)?.title ?? 'From';
  const element = h('div', { class: 'matrices' });
  return {
    element,
    close() {},
    update(series, hidden, { matrices: all, live }) {
      const sides = sidesOf(all, devices, [from, axis.title]);
      const places = [...element.querySelectorAll('.table-scroll')].map((box) => box.scrollLeft);
      const at = [...element.querySelectorAll('.table-scroll')].indexOf(document.activeElement);
      element.style.setProperty('--columns', all.targets.length);
      replace(
        element,
        all.groups.map((group) => groupOf(group, all, sides, metric)),
        h(
          'div',
          { class: 'matrix-notes' },
          scaleKey(all, metric),
          live ? null : onceNote(all.groups),
          linkTable(devices, sides),
          key(devices),
        ),
      );
      [...element.querySelectorAll('.table-scroll')].forEach((box, index) => {
        box.scrollLeft = places[index] ?? 0;
        if (index === at) box.focus({ preventScroll: true });
      });
    },
  };
}

/** What stands along the sides: {from, to, sources, targets}, the latter lists of {id, short, name, full}. */
function sidesOf({ sources, targets }, devices, [from, to]) {
  const named = new Map(devices.map((device) => [device.id, device]));
  const side = (id) => {
    const { short = id, name = null } = named.get(id) ?? {};
    return { id, short, name, full: [name, id].filter(Boolean).join(', ') };
  };
  return { from, to, sources: sources.map(side), targets: targets.map(side) };
}

/** The tables of a group, and in words those that were skipped as a whole. */
function groupOf({ label, tables, refused }, all, sides, metric) {
  return h(
    'div',
    { class: 'matrix-group' },
    label ? h('h3', {}, label) : null,
    h(
      'div',
      { class: 'matrix-grid' },
      tables.map((table) => matrix(table, all, sides, { group: label, metric })),
    ),
    refused.map(({ labels, reason }) =>
      h('p', { class: 'aside' }, labels.length ? `${labels.join('; ')}: ` : '', `skipped, ${reason}.`),
    ),
  );
}

function matrix({ label, cells }, all, sides, { group, metric }) {
  const caption = freshId('matrix');
  const unit = all.unit ? h('span', { class: 'unit' }, ` in ${all.unit}`) : null;
  const before = group && label ? h('span', { class: 'unseen' }, `${group}, `) : null;
  const reasons = [...new Set([...cells.values()].flatMap((row) => [...row.values()]).map(({ skipped }) => skipped))];
  return h(
    'div',
    { class: 'matrix' },
    h('p', { class: 'matrix-title', id: caption }, before, label || group || metric.title, unit),
    grid({
      sides,
      labelledBy: caption,
      cell: (source, target) => cellOf(cells.get(source)?.get(target), all, metric),
    }),
    skippedNote(reasons.filter(Boolean)),
  );
}

const onceNote = (groups) =>
  groups.every(({ tables }) => tables.every(({ once }) => once))
    ? h('p', { class: 'aside' }, 'Each pair was measured once: it is the same from either end.')
    : null;

/** Why cells are empty; of many reasons each says its own. */
function skippedNote(reasons) {
  if (!reasons.length) return null;
  const words =
    reasons.length > REASONS ? '; each cell says why, and so does the list below' : `: ${reasons.join('; ')}`;
  return h('p', { class: 'aside' }, `– skipped${words}.`);
}

/** A table with a row for each source and a column for each target; `cell(source id, target id)` makes what is inside.
 * */
function grid({ sides: { from, to, sources, targets }, labelledBy, cell }) {
  const arrow = (sign) => h('span', { 'aria-hidden': 'true' }, ` ${sign} `);
  const heads = targets.map(({ short, full }) =>
    h('th', { scope: 'col', class: 'figure', title: full }, short, unseen(full)),
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

function rowHead({ id, short, name, full }) {
  const fits = name && name.length <= NAME_ROOM;
  return h(
    'th',
    { scope: 'row', title: full },
    short,
    fits ? h('span', { class: 'aside' }, ` ${name}`) : null,
    unseen(fits ? id : full),
  );
}

const unseen = (words) => h('span', { class: 'unseen' }, `, ${words}`);

function cellOf(measurement, { scale, write }, metric) {
  if (!measurement) return h('td', { class: 'missing' });
  if (measurement.skipped)
    return h(
      'td',
      { class: 'figure skipped', title: measurement.skipped },
      '–',
      h('span', { class: 'unseen' }, ` skipped: ${measurement.skipped}`),
    );
  const { median, verified, wrong } = measurement;
  const title = detail(measurement, metric);
  if (verified === false)
    return h(
      'td',
      { class: 'figure wrong', title },
      '✗ ',
      write(median),
      h('span', { class: 'unseen' }, ` ${wrong ? `${plain(wrong)} elements wrong` : 'wrong'}`),
    );
  const share = shareOf(median, scale);
  return h(
    'td',
    { class: 'figure heat', title, style: share === null ? {} : { '--share': `${Math.round(100 * share)}%` } },
    write(median),
  );
}

/** What stands at the pointer: the middle half and how it was measured. */
function detail({ median, q1, q3, n, verified, wrong }, { unit }) {
  return [
    `median ${quantity(median, unit, 6)}`,
    typeof q1 === 'number' && n > 1 ? `middle half ${quantity(q1, unit, 6)} … ${quantity(q3, unit, 6)}` : null,
    n > 0 ? `${plain(n)} samples` : null,
    verified === false ? `${plain(wrong)} elements wrong` : null,
  ]
    .filter(Boolean)
    .join(', ');
}

/** What the colours mean. */
function scaleKey({ scale, unit, write }, metric) {
  if (!scale) return null;
  const words = (value) => [write(value), unit].filter(Boolean).join('\u00a0');
  return h(
    'p',
    { class: 'matrix-scale' },
    h('span', {}, `${metric.title}: `),
    h('span', {}, words(scale.low)),
    h('span', { class: 'matrix-ramp', role: 'img', 'aria-label': 'from pale to strong' }),
    h('span', {}, words(scale.high)),
    h('span', { class: 'aside' }, 'by its logarithm, the same for all tables'),
  );
}

/** The kinds of links, in a sentence where they are all the same. */
function linkTable(devices, sides) {
  const links = devices.length > 1 ? linksOf(devices) : null;
  if (!links) return null;
  if (links.all)
    return h(
      'p',
      { class: 'matrix-link' },
      `Link between ${devices.length > 2 ? 'all of them' : 'them'}: `,
      h('strong', {}, links.all),
    );
  const caption = freshId('links');
  const named = new Map(devices.map((device) => [device.id, device]));
  const cell = (source, target) => h('td', {}, (named.has(source) && linkOf(named.get(source), target)) ?? '–');
  return h(
    'div',
    { class: 'matrix' },
    h('p', { class: 'matrix-title', id: caption }, 'Links, as the devices tell them'),
    grid({ sides, labelledBy: caption, cell }),
  );
}

const key = (devices) =>
  devices.some(({ name }) => name) ? h('p', { class: 'aside' }, `Devices: ${groupWords(devices)}.`) : null;
