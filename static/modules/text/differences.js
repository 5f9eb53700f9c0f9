// The differences between two runs as rows of a table: parameters first, then the environment.

import { factText } from './devicefacts.js';
import { titleFromName } from './displaynames.js';
import { plain, UNKNOWN } from './format.js';

/** [{title, base, head}], texts. `environment` is that of GET /compare: [{path, base, head}], what usually explains a difference
 * first. */
export function differenceRows(environment, base, head) {
  return [...parameterRows(base.parameters ?? {}, head.parameters ?? {}), ...environment.map(environmentRow)];
}

/** A list of one value is the same as the value: a parameter may have become a list since an older run. */
const keyOf = (value) => JSON.stringify([value].flat());

function parameterRows(base, head) {
  const names = [...new Set([...Object.keys(head), ...Object.keys(base)])];
  return names
    .filter((name) => keyOf(base[name]) !== keyOf(head[name]))
    .map((name) => ({ title: titleFromName(name), base: valueText(base[name]), head: valueText(head[name]) }));
}

const valueText = (value) =>
  value === undefined || value === null ? UNKNOWN : [value].flat().map((one) => (typeof one === 'number' ? plain(one, 6) : String(one))).join(', ');

/** `path` is a JSON pointer such as /devices/0/properties/driver_release. */
function environmentRow({ path, base, head }) {
  const parts = path.split('/').slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const name = parts.at(-1);
  const text = (value) => (value === null ? UNKNOWN : factText(name, value));
  const device = parts[0] === 'devices' && Number(parts[1]) > 0 ? ` of device ${Number(parts[1]) + 1}` : '';
  return { title: `${/^[A-Z0-9_]+$/.test(name) ? name : titleFromName(name.replace(/_(bytes|hz|flops|s)$/, ''))}${device}`, base: text(base), head: text(head) };
}
