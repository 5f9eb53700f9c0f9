// Tables with a row per source and a column per target device; below them the links between the devices and their full
// names.

import { freshId, h } from '../../dom.js';
import { largestAsymmetry, rowTitleOf } from '../../results/matrix.js';
import { percent, quantity } from '../../text/format.js';
import { deviceGroupText, linkOf, linksOf } from '../../lab/rundevices.js';
import { drawCellTables, grid } from './celltables.js';

const isSameDevice = (source, target) => source === target;

/** Returns a chart (lines/linechart.js describes the interface); `update` also takes {matrices, live}, `matrices` as returned
 * by matricesOf. */
export function matrixTables({ view, axis, metric, experiment, devices }) {
  const axisOf = (name) => experiment.axes?.find((one) => one.name === name) ?? { title: 'From' };
  const rowTitle = rowTitleOf(view, axisOf);
  const element = h('div', { class: 'matrices' });
  return {
    element,
    close() {},
    update(series, hidden, { matrices: all, live, cautions }) {
      const side = sideFunction(devices);
      const sides = { rows: side(rowTitle, all.rows), columns: side(axis.title, all.columns) };
      const notes = [live ? null : oneWayNote(all.groups), linkTable(devices, sides), deviceNames(devices)];
      const lead = live ? null : symmetryText(largestAsymmetry(all), sides.rows, metric);
      drawCellTables(element, { all, sides, metric, lead, notes, isEmpty: isSameDevice, cautions });
    },
  };
}

/** Returns a function that makes the headings of devices, given their ids. */
function sideFunction(devices) {
  const named = new Map(devices.map((device) => [device.id, device]));
  return (title, ids) => ({
    title,
    values: ids.map((id) => {
      const { short = id, name = null } = named.get(id) ?? {};
      return { value: id, short, name, full: [name, id].filter(Boolean).join(', ') };
    }),
  });
}

const oneWayNote = (groups) =>
  groups.every(({ tables }) => tables.every(({ oneWay }) => oneWay))
    ? h('p', { class: 'aside' }, 'Each pair was measured once, because both orders are equivalent.')
    : null;

const ASYMMETRY = 0.05; // a larger difference of the two directions is not symmetric

/** Whether the two directions of each pair are equally fast; '' where that was not measured. */
function symmetryText(asymmetry, side, { unit }) {
  if (!asymmetry) return '';
  const { forward, backward, difference } = asymmetry;
  if (difference <= ASYMMETRY) return `Symmetric: the two directions of a pair differ by at most ${percent(difference)}.`;
  const short = (id) => side.values.find(({ value }) => value === id)?.short ?? id;
  const text = ({ axes, median }) => `${short(axes.source)} → ${short(axes.target)} ${quantity(median, unit)}`;
  return `Not symmetric: the two directions of a pair differ by up to ${percent(difference)}: ${text(forward)}, ${text(backward)}.`;
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
    grid({ sides, labelledBy: caption, cell, isEmpty: isSameDevice }),
  );
}

const deviceNames = (devices) =>
  devices.some(({ name }) => name) ? h('p', { class: 'aside' }, `Devices: ${deviceGroupText(devices)}.`) : null;
