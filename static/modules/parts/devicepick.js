// Choosing the devices of a run: one of them, or several where the experiment takes several.

import { freshId, h, replace } from '../dom.js';
import { bytes } from '../format.js';
import { deviceName } from '../lab.js';

const NONE = { min: 1, max: 1 };

/** {element, read(), write(ids), mark(errors), focus()}, as the controls of fields.js are. `range` is the experiment's
 * {min, max}. The first devices that can be used are chosen at the start. */
export function devicePick(devices, range, changed) {
  const { min, max } = range ?? NONE;
  const many = max > 1;
  const name = freshId('device');
  const error = h('p', { class: 'field-error', id: freshId('error') });
  const inputs = devices.map((device) =>
    h('input', {
      type: many ? 'checkbox' : 'radio',
      name,
      value: device.id,
      disabled: device.state === 'unavailable',
      'aria-describedby': error.id,
    }),
  );
  const usable = inputs.filter((input) => !input.disabled);
  usable.slice(0, Math.max(1, min)).forEach((input) => {
    input.checked = true;
  });
  const element = h(
    'fieldset',
    { class: 'field devices', dataset: { field: 'devices' } },
    h('legend', {}, many ? 'Devices' : 'Device'),
    h(
      'div',
      { class: 'boxes' },
      devices.map((device, index) =>
        h(
          'label',
          { class: 'box' },
          inputs[index],
          h('span', {}, deviceName(device.id), h('span', { class: 'aside' }, ` ${remark(device)}`)),
        ),
      ),
    ),
    devices.length ? null : h('p', { class: 'field-help' }, 'The lab has no device now, so nothing can be started.'),
    error,
    many
      ? h(
          'p',
          { class: 'field-help' },
          min === max ? `Exactly ${min} are needed.` : `From ${min} to ${Math.min(max, devices.length)}.`,
        )
      : null,
  );

  const self = {
    element,
    read() {
      const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
      if (!devices.length) return { error: 'The lab has no device.' };
      if (chosen.length < min) return { error: min === 1 ? 'Choose a device.' : `Choose at least ${min} devices.` };
      return chosen.length > max ? { error: `Choose at most ${max}.` } : { value: chosen };
    },
    write(ids) {
      const present = inputs.filter((input) => ids.includes(input.value) && !input.disabled);
      if (present.length)
        inputs.forEach((input) => {
          input.checked = present.includes(input);
        });
      self.mark([]);
    },
    mark(errors) {
      replace(error, errors.join(' '));
      element.classList.toggle('invalid', errors.length > 0);
    },
    focus: () => (usable[0] ?? inputs[0])?.focus(),
  };
  element.addEventListener('input', () => {
    self.mark([]);
    changed();
  });
  return self;
}

function remark(device) {
  if (device.state === 'unavailable') return 'unavailable';
  return bytes(device.properties?.total_memory_bytes);
}
