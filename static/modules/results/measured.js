// References beside what this lab has measured at their axes, from the answer of GET /references/measured.

import { newestFirst } from './published.js';
import { splitAxes } from './series.js';

/** Whether a reference was measured with gpulab. */
const isOwn = ({ source }) => source.startsWith('gpulab ');

/** The figures [{reference, measured}] grouped by the system, the source and the parameters of their references, those
 * of gpulab first, then the newest: [{system, source, parameters, remarks, common, varying, rows}]. `common` are the
 * axes that have one value in all of them, `varying` the others. A row is a reference with `measured` and `ratio`,
 * which is measured / documented, null without a measured value. */
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

/** Whether a reference is at the point of a headline, as far as the experiment declares it. */
const isAt = ({ metric, axes }, headline) =>
  metric === headline.metric &&
  Object.entries(headline.at).every(([name, value]) => String(axes[name]) === value) &&
  Object.entries(headline.except).every(([name, value]) => String(axes[name]) !== value);

/** Whether a system is of a device model: "4 x NVIDIA H200 SXM, NVLink" of "NVIDIA H200". */
const isOf = (model, system) => [' ', ',', ''].includes(system.replace(/^\d+ x /, '').replace(model, '\n').match(/^\n(.?)/)?.[1]);

/** What to expect of each headline of an experiment: [{title, reference}], the reference that is at its point, of the
 * device model where there is one, else of another system, those of gpulab first, then the newest; of several the one
 * at the largest size, then the best. */
export function expectedFigures(figures, headlines, model) {
  const all = newestFirst(figures.map(({ reference }) => reference));
  const ordered = [...all.filter(isOwn), ...all.filter((one) => !isOwn(one))];
  return headlines.flatMap((headline) => {
    const found = ordered.filter((one) => isAt(one, headline));
    const { system } = found.find((one) => model && isOf(model, one.system)) ?? found[0] ?? {};
    const [size] = headline.largest;
    const sign = headline.best === 'lowest' ? -1 : 1;
    const [reference] = found
      .filter((one) => one.system === system)
      .sort((a, b) => (b.axes[size] ?? 0) - (a.axes[size] ?? 0) || sign * (b.value - a.value));
    return reference ? [{ title: headline.title, reference }] : [];
  });
}
