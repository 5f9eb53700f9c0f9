// The label of a point in the progress of a run, such as "pinned, Other direction busy: no, h2d, 16 MiB", in display
// names. The lab writes the values of a point in the order of the experiment's axes (lab_point_label in
// kernels/descriptor/points.c).

import { axisValueText, displayName, labelledValue } from './displaynames.js';
import { orderOf } from './valueorder.js';

const FLAGS = { yes: true, no: false };

/** The text of a label: each value by the name that charts show for it. */
export function pointLabel(label, experiment) {
  return label
    .split('; base: ')
    .map((side) => sideText(side, experiment))
    .join(', compared with ');
}

function sideText(text, experiment) {
  const [, prefix, rest] = /^(tracing )?(.*)$/s.exec(text);
  let from = 0; // the axes before it have their values
  const parts = rest.split(', ').map((part) => {
    const index = (experiment.axes ?? []).findIndex((axis, at) => at >= from && valueOf(axis, part, experiment) !== undefined);
    if (index < 0) return part;
    from = index + 1;
    const axis = experiment.axes[index];
    const value = valueOf(axis, part, experiment);
    return typeof value === 'number' ? labelledValue(axis, value) : axisValueText(axis, value);
  });
  return `${prefix ?? ''}${parts.join(' · ')}`;
}

/** The value of an axis that a part of a label stands for; undefined if it is that of another one. */
function valueOf(axis, part, experiment) {
  const [, title, flag] = /^(.*): (yes|no)$/.exec(part) ?? [];
  if (flag) return title === axis.title ? FLAGS[flag] : undefined;
  const [, name, number] = /^(\S+) (-?\d+)$/.exec(part) ?? [];
  if (name === axis.name) return Number(number);
  return orderOf(experiment, axis.name).includes(part) || displayName(axis.name, part) ? part : undefined;
}
