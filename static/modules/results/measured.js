// References beside what this lab has measured at their axes, from the answer of GET /references/measured.

import { newestFirst } from './published.js';
import { splitAxes } from './series.js';

/** Whether a reference was measured with gpulab. */
const isOwn = ({ source }) => source.startsWith('gpulab ');

/** The figures [{reference, measured}] grouped by the system, the source and the parameters of their references, those of gpulab first, then
 * the newest: [{system, source, parameters, remarks, common, varying, rows}]. `common` are the axes that have one value in all of them, `varying` the others. A
 * row is a reference with `measured` and `ratio`, which is measured / documented, null without a measured value. */
export function measuredGroups(figures, axes) {
  const groups = new Map();
  for (const row of newestFirst(figures.map(({ reference, measured }) => ({ ...reference, measured })))) {
    const key = JSON.stringify([row.system, row.source, row.parameters]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const all = [...groups.values()].map((rows) => {
    const { varying, constant } = splitAxes(rows, axes, null);
    const common = constant.map(({ axis }) => axis).filter(({ name }) => rows.every((row) => name in row.axes));
    return {
      system: rows[0].system,
      source: rows[0].source,
      parameters: rows[0].parameters,
      remarks: [...new Set(rows.map(({ remark }) => remark).filter(Boolean))],
      common,
      varying,
      rows: rows.map((row) => ({ ...row, ratio: row.measured && row.value > 0 ? row.measured.value / row.value : null })),
    };
  });
  return [...all.filter(isOwn), ...all.filter((group) => !isOwn(group))];
}
