// The differences between two runs as rows of a table, parameters first, then the environment; and those of the sides
// of one run as text.

import { factText } from './devicefacts.js';
import { memberTitle, parameterGroup } from './environment.js';
import { UNKNOWN } from './format.js';

/** [{title, base, head}], texts. `environment` is that of GET /compare: [{path, base, head}], what usually explains a
 * difference first; `fields` are those of the experiment's form, from which parameters have their names. */
export function differenceRows(environment, base, head, fields) {
  const several = [base, head].some(({ devices }) => devices?.length > 1);
  const shown = environment.filter((one) => !isShownAsUuid(one, environment));
  return [...parameterRows(base.parameters ?? {}, head.parameters ?? {}, fields), ...shown.map((one) => environmentRow(one, several))];
}

/** Whether a difference is that of a device's id, which is the UUID that another row shows. */
function isShownAsUuid({ path, base, head }, environment) {
  if (!/^\/devices\/\d+\/id$/.test(path)) return false;
  const uuid = path.replace(/id$/, 'properties/uuid');
  return environment.some((other) => other.path === uuid && other.base === base && other.head === head);
}

/** A list of one value is the same as the value: a parameter may have become a list since an older run. */
const keyOf = (value) => JSON.stringify([value].flat());

function parameterRows(base, head, fields) {
  const factsOf = (parameters) => parameterGroup(parameters, fields).facts;
  const all = factsOf({ ...base, ...head });
  const textIn = (facts, name) => facts.find((one) => one.name === name)?.text ?? UNKNOWN;
  const [before, after] = [factsOf(base), factsOf(head)];
  return all
    .filter(({ name }) => keyOf(base[name]) !== keyOf(head[name]))
    .map(({ name, title }) => ({ title, base: textIn(before, name), head: textIn(after, name) }));
}

/** `path` is a JSON pointer such as /devices/0/properties/driver_release or /devices/0/peers/1/link; `several`: whether
 * a run has several devices. */
function environmentRow({ path, base, head }, several) {
  const parts = path.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const name = parts.at(-1);
  const text = (value) => (value === null ? UNKNOWN : factText(name, value));
  const [list, index, inner, peerIndex] = parts;
  const peer = inner === 'peers' ? ` of peer ${Number(peerIndex) + 1}` : '';
  const device = list === 'devices' && (several || Number(index) > 0) ? ` of device ${Number(index) + 1}` : '';
  return { title: `${memberTitle(parts)}${peer}${device}`, base: text(base), head: text(head) };
}

/** What the base of a run with `compare_with` changes: "host memory: pageable", "experiment stream"; '' if nothing.
 * `fields` are those of the experiment's form. */
export function changesOf({ experiment, devices, parameters, kernel, compare_with: base }, fields) {
  const different = Object.entries(base.parameters ?? {}).filter(
    ([name, value]) => JSON.stringify(parameters[name]) !== JSON.stringify(value),
  );
  const { facts } = parameterGroup(Object.fromEntries(different), fields);
  const changed = facts.map(({ title, text }) => `${title.toLowerCase()}: ${text}`);
  const ids = (list) => (list ?? []).map(({ id }) => id).join();
  const parts = [
    JSON.stringify(base.kernel ?? null) !== JSON.stringify(kernel ?? null) ? kernelText(base.kernel) : null,
    base.experiment !== experiment ? `experiment ${base.experiment}` : null,
    ids(base.devices) !== ids(devices) ? (base.devices ?? []).map(({ id, name }) => name ?? id).join(', ') : null,
    ...(base.experiment === experiment ? changed : []),
  ].filter(Boolean);
  return parts.join(', ');
}

const kernelText = (kernel) => (kernel ? 'another text of the kernel' : 'the original kernel');
