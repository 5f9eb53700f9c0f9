// The grid of a sweep: which parameters make its rows and columns, and the run of each cell.

import { machinesOf } from '../text/nodes.js';
import { sameValue } from '../text/schema.js';

/** Parameters and devices or machines that a sweep varies: [{name, values}]; the one called "devices" has lists of ids,
 * "nodes" names of machines. */
export function variedOf({ parameters, devices, nodes }) {
  const lists = Object.entries(parameters).filter(([, value]) => Array.isArray(value) && value.length > 1);
  const varied = lists.map(([name, values]) => ({ name, values }));
  if (nodes?.length > 1) return [...varied, { name: 'nodes', values: nodes }];
  return Array.isArray(devices?.[0]) && devices.length > 1 ? [...varied, { name: 'devices', values: devices }] : varied;
}

/** All combinations of the values of `varied`, the last one fastest: [[value, …]]. */
const combinations = (varied) =>
  varied.reduce((all, { values }) => all.flatMap((one) => values.map((value) => [...one, value])), [[]]);

const VALUES = { devices: ({ devices }) => devices.map(({ id }) => id), nodes: machinesOf };
const valueOf = (run, name) => (VALUES[name] ? VALUES[name](run) : run.parameters[name]);

/** {across, down, columns, rows}: the columns are the values of `across`, the last varied parameter; a row is {values,
 * cells}: the values of the parameters `down`, and for each column its run, null where there is none, as after a
 * deletion. */
export function sweepGrid(sweep, runs) {
  const varied = variedOf(sweep);
  const across = varied.at(-1) ?? { name: '', values: [null] };
  const down = varied.slice(0, -1);
  const matches = (run, names, values) => names.every(({ name }, at) => sameValue(valueOf(run, name), values[at]));
  const rows = combinations(down).map((values) => {
    const own = runs.filter((run) => matches(run, down, values));
    const cells = across.values.map(
      (value) => own.find((run) => across.name === '' || matches(run, [across], [value])) ?? null,
    );
    return { values, cells };
  });
  return { across, down, columns: across.values, rows };
}
