// The form field for the machine of a run.

import { freshId, h, replace } from '../dom.js';
import { isUsable, spanningDevices } from '../lab/requirements.js';
import { modelsText } from '../text/nodes.js';

export const ANY = ''; // the lab chooses the machine
export const ALL = '*'; // a run on each machine that has enough devices
export const TOGETHER = '+'; // one run on devices of several machines

const HELP = {
  [ANY]: 'The lab chooses the machine and its devices.',
  [ALL]: 'A run on each, with its first devices; the page of the sweep ranks the machines.',
  [TOGETHER]: 'One run, which occupies the machines of all its devices. NCCL connects them over the network.',
};

/** Returns {element, title, choice(), read(), write(choice), allow(mode), mark(errors), focus()}, like the controls of
 * fields.js. `machines` are {name, devices}, `range` is the {min, max, several_machines} of the experiment's devices.
 * choice() is the name of a machine, ANY, ALL or TOGETHER; read() returns as {value} the name, and the names of the
 * machines for ALL. A comparison, a `mode` of request.js, is of one machine. */
export function machineSelect(machines, range, changed) {
  const ids = { select: freshId('machine'), error: freshId('error'), help: freshId('help') };
  const able = machines.filter(({ devices }) => devices.filter(isUsable).length >= range.min).map(({ name }) => name);
  const all = h('option', { value: ALL, hidden: able.length < 2 }, `all ${able.length} machines`);
  const spans = spanningDevices(machines.flatMap(({ devices }) => devices), range).length > 0;
  const together = spans ? h('option', { value: TOGETHER }, 'several machines together') : null;
  const select = h(
    'select',
    { id: ids.select, 'aria-describedby': `${ids.help} ${ids.error}` },
    h('option', { value: ANY }, 'any machine'),
    machines.map((machine) => h('option', { value: machine.name, disabled: !able.includes(machine.name) }, optionText(machine, range))),
    all,
    together,
  );
  const error = h('p', { class: 'field-error', id: ids.error });
  const help = h('p', { class: 'field-help aside', id: ids.help });
  const title = 'Run on machine';
  const element = h('div', { class: 'field', dataset: { field: 'node' } }, h('label', { for: ids.select }, title), select, error, help);

  function mark(errors) {
    replace(error, errors.join(' '));
    element.classList.toggle('invalid', errors.length > 0);
  }

  /** Selects a choice that is offered, or else ANY. */
  function write(choice) {
    const isOffered = ({ value, disabled, hidden }) => value === choice && !disabled && !hidden;
    select.value = [...select.options].some(isOffered) ? choice : ANY;
    describe();
  }

  function describe() {
    mark([]);
    replace(help, HELP[select.value]);
  }

  select.addEventListener('input', () => {
    describe();
    changed();
  });
  write(ANY);
  return {
    element,
    title,
    choice: () => select.value,
    read: () => ({ value: select.value === ALL ? able : machines.find(({ name }) => name === select.value)?.name }),
    write,
    allow(mode) {
      for (const option of [all, together].filter(Boolean)) option.disabled = mode === 'compare';
      if (select.selectedOptions[0].disabled) write(ANY);
    },
    mark,
    focus: () => select.focus(),
  };
}

/** "gpu2: 8 × NVIDIA H200"; "gpu3: A6000, too few devices: 2 are needed" */
function optionText({ name, devices }, { min }) {
  const usable = devices.filter(isUsable);
  const models = modelsText(usable) || 'no device available';
  return `${name}: ${models}${usable.length < min && min > 1 ? `, too few: ${min} are needed` : ''}`;
}
