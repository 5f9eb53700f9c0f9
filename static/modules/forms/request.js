// The body of the request that a form makes: of a run, of one that compares (A/B), or of a sweep. No DOM.

import { baseName, changed } from '../text/schema.js';
import { labelsOf } from './labels.js';

/** Modes of the form: what is started. */
export const MODES = { run: 'One run', compare: 'Comparison (A/B)', sweep: 'Sweep' };

/** Reads all controls ([[name, control]]): {values, wrong}, where `wrong` maps names to their errors. */
function readAll(controls, nameOf = (name) => name) {
  const values = {};
  const wrong = new Map();
  for (const [name, one] of controls) {
    const { value, error } = one.read();
    if (error) wrong.set(nameOf(name), [error]);
    else values[name] = value;
  }
  return { values, wrong };
}

/** Returns {sweep, body, wrong, values}. `preset` is the name of the preset with which the form was filled in, or ''.
 * `fixed` are the controls of the place (place.js), parameters and labels by name, `varied` those of what the mode
 * varies: the values of a sweep, or of the base of a comparison. A sweep has a run for each of its devices; a run on
 * each of several machines is a sweep. */
export function requestOf({ mode, experiment, fields, preset = '', fixed, varied }) {
  const main = readAll(mode === 'sweep' ? [...fixed].filter(([name]) => !varied.has(name)) : fixed);
  const other = readAll(varied, mode === 'compare' ? baseName : undefined);
  const { devices, ...others } = other.values;
  const parameters = changed(fields, main.values, experiment.presets?.[preset]);
  const { devices: own, nodes } = main.values;
  const place = { ...(own && { devices: own }), ...(nodes && { nodes }) };
  const body = { experiment: experiment.name, ...place, ...(preset && { preset }), parameters, ...labelsOf(main.values) };
  const sweep = mode === 'sweep' || nodes !== undefined;
  if (mode === 'compare') body.compare_with = { ...(devices && { devices }), ...withParameters(others) };
  if (sweep) body.parameters = { ...asOne(parameters), ...others };
  if (sweep && devices) body.devices = devices.map((id) => [id]);
  return { sweep, body, wrong: new Map([...main.wrong, ...other.wrong]), values: main.values };
}

const withParameters = (parameters) => (Object.keys(parameters).length ? { parameters } : {});

/** Lists wrapped in a list, because a sweep has a run for each item of a list. */
const asOne = (parameters) =>
  Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, Array.isArray(value) ? [value] : value]));
