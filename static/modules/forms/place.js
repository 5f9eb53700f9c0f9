// Where the form's runs are executed: the machine, where the lab has several, and its devices.

import { h, replace } from '../dom.js';
import { devicePick } from './devicepick.js';
import { spanningDevices } from '../lab/requirements.js';
import { ALL, ANY, TOGETHER, machineSelect } from './machineselect.js';

/** Returns {element, controls(), machine(), offered(), write({machine, devices}), restrict(mode)}. `range` is that of
 * the experiment's devices; `changed()` is called after each change by the user. controls() maps the names of the
 * members of the request to the controls in use: `devices` where devices can be chosen, `nodes` for a run on each
 * machine. machine() is the choice: the name of one, ANY, ALL or TOGETHER; offered() are the devices that can be
 * chosen. `write` ignores machines and devices that the lab does not have. restrict(mode) leaves the choices that a
 * mode of the form (request.js) allows. */
export function placePick(devices, range, changed) {
  const names = [...new Set(devices.map(({ node }) => node))];
  return names.length > 1 ? machineAndDevices(names, devices, range, changed) : devicesOnly(devices, range, changed);
}

function devicesOnly(devices, range, changed) {
  const picker = devicePick(devices, range, changed);
  return {
    element: picker.element,
    controls: () => new Map([['devices', picker]]),
    machine: () => ANY,
    offered: () => devices,
    write: ({ devices: ids = [] }) => ids.length && picker.write(ids),
    restrict() {},
  };
}

function machineAndDevices(names, devices, range, changed) {
  const machines = names.map((name) => ({ name, devices: devices.filter(({ node }) => node === name) }));
  const places = [...machines, { name: TOGETHER, devices: spanningDevices(devices, range) }];
  const pickers = new Map(places.map(({ name, devices: own }) => [name, devicePick(own, range, changed)]));
  const select = machineSelect(machines, range, () => {
    show();
    changed();
  });
  const chosen = h('div', {});
  const current = () => pickers.get(select.choice());
  /** Shows the devices of the chosen machine; an element that is shown already keeps the focus. */
  const show = () => chosen.firstChild !== (current()?.element ?? null) && replace(chosen, current()?.element);

  return {
    element: h('div', { class: 'place stack spaced' }, select.element, chosen),
    controls: () => new Map([[select.choice() === ALL ? 'nodes' : 'node', select], ...(current() ? [['devices', current()]] : [])]),
    machine: select.choice,
    offered: () => places.find(({ name }) => name === select.choice())?.devices ?? [],
    write({ machine = ANY, devices: ids = [] }) {
      const nodes = [...new Set(devices.filter(({ id }) => ids.includes(id)).map(({ node }) => node))];
      select.write(nodes.length > 1 ? TOGETHER : (nodes[0] ?? machine));
      if (ids.length) current()?.write(ids);
      show();
    },
    restrict(mode) {
      select.allow(mode);
      show();
    },
  };
}
