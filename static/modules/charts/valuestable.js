// The table of exact values of a view, by its kind.

import { rooflineTable } from './points/rooflinetable.js';
import { scatterTable } from './points/scattertable.js';
import { seriesTable } from './table.js';

const tableWithoutSwatches = (options) => seriesTable({ ...options, swatches: false });

/** By kind of view, the function that creates its table; seriesTable creates that of other kinds. */
const TABLES = {
  roofline: rooflineTable,
  matrix: tableWithoutSwatches,
  heat: tableWithoutSwatches,
  scatter: scatterTable,
};

/** The element, with `options` as table.js describes them. */
export const valuesTable = (kind, options) => (TABLES[kind] ?? seriesTable)(options);
