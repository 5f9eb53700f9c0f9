// Tables with a row per source and a column per target device; below them the links between the devices and their full
// names.

import { freshId, h } from '../../dom.js';
import { largestAsymmetry, rowTitleOf, symmetryText } from '../../results/matrix.js';
import { quantity } from '../../text/format.js';
import { deviceGroupText, linkOf, linkPeakOf, linksOf } from '../../lab/rundevices.js';
import { drawCellTables, grid } from './celltables.js';

const isSameDevice = (source, target) => source === target;

/** Returns a chart (lines/linechart.js describes the interface); `update` also takes {matrices, live}, `matrices` as
 * returned by matricesOf. */
export function matrixTables({ view, axis, metric, experiment, devices, showSamples }) {
  const axisOf = (name) => experiment.axes?.find((one) => one.name === name) ?? { title: 'From' };
  const rowTitle = rowTitleOf(view, axisOf);
  const element = h('div', { class: 'matrices stack spaced' });
  return {
    element,
    close() {},
    update(series, hidden, { matrices: all, live, cautions }) {
      const side = sideFunction(devices);
      const sides = { rows: side(rowTitle, all.rows), columns: side(axis.title, all.columns) };
      const notes = [live ? null : oneWayNote(all.groups), linkTable(devices, sides), deviceNames(devices)];
      const doubtful = (measurement) => cautions(measurement).length > 0;
      const nameOf = (id) => sides.rows.values.find(({ value }) => value === id)?.short ?? id;
      const verdict = (table) => (live ? '' : symmetryText(largestAsymmetry(table, all.rows, doubtful), nameOf, metric.unit));
      drawCellTables(element, { all, sides, metric, verdict, notes, isEmpty: isSameDevice, cautions, showSamples });
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

/** The links between the devices: one sentence where all are the same, otherwise a table. */
function linkTable(devices, sides) {
  const links = devices.length > 1 ? linksOf(devices) : null;
  if (!links) return null;
  if (links.all)
    return h(
      'p',
      { class: 'fine' },
      `Link between ${devices.length > 2 ? 'all devices' : 'the devices'}: `,
      h('strong', {}, links.all),
      peakText(linkPeakOf(devices[0], devices[1].id)),
    );
  const caption = freshId('links');
  const named = new Map(devices.map((device) => [device.id, device]));
  const cell = (source, target) => {
    const from = named.get(source);
    return h('td', {}, (from && linkOf(from, target)) ?? '–', from && peakText(linkPeakOf(from, target)));
  };
  return h(
    'div',
    { class: 'matrix' },
    h('p', { class: 'matrix-title', id: caption }, 'Links reported by the devices'),
    grid({ sides, labelledBy: caption, cell, isEmpty: isSameDevice }),
  );
}

const peakText = (peak) => peak && `, at most ${quantity(peak, 'GB/s')} in one direction`;

const deviceNames = (devices) =>
  devices.some(({ name }) => name) ? h('p', { class: 'aside' }, `Devices: ${deviceGroupText(devices)}.`) : null;
