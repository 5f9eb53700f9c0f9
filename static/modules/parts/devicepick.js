// Choosing the devices of a run: one of them, or several where the experiment takes several.

import { isUsable, ONE } from '../requirements.js';
import { freshId, h, replace } from '../dom.js';
import { bytes } from '../format.js';
import { deviceName } from '../lab.js';

/** {element, title, read(), write(ids), mark(errors), focus()}, as the controls of fields.js are. `range` is the experiment's
 * {min, max}. At the start all devices that can be used are chosen, as many as it takes. */
export function devicePick(devices, range, changed) {
  const { min, max } = range ?? ONE;
  const many = max > 1;
  const title = many ? 'On which devices' : 'On which device';
  const name = freshId('device');
  const ids = { error: freshId('error'), help: freshId('help') };
  const error = h('p', { class: 'field-error', id: ids.error });
  const inputs = devices.map((device) =>
    h('input', {
      type: many ? 'checkbox' : 'radio',
      name,
      value: device.id,
      disabled: !isUsable(device),
      'aria-describedby': `${ids.help} ${ids.error}`,
    }),
  );
  const usable = inputs.filter((input) => !input.disabled);
  const choose = (chosen) =>
    inputs.forEach((input) => {
      input.checked = chosen.includes(input);
    });
  choose(usable.slice(0, max));
  const element = h(
    'fieldset',
    { class: 'field devices', dataset: { field: 'devices' } },
    h('legend', {}, title),
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
    error,
    h('p', { class: 'field-help', id: ids.help }, helpWords()),
  );

  function helpWords() {
    if (!devices.length) return 'The lab has no device now, so nothing can be started.';
    if (!many) return '';
    if (min === max) return `Exactly ${min} are needed.`;
    const most = Math.min(max, usable.length);
    return most > min ? `From ${min} to ${most}.` : min > 1 ? `At least ${min} are needed.` : '';
  }

  const self = {
    element,
    title,
    read() {
      const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
      if (!devices.length) return { error: 'The lab has no device.' };
      if (chosen.length < min) return { error: min === 1 ? 'Choose a device.' : `Choose at least ${min} devices.` };
      return chosen.length > max ? { error: `Choose at most ${max}.` } : { value: chosen };
    },
    /** Those of `ids` that can be used, and others beside them where the experiment needs more. */
    write(wanted) {
      const present = usable.filter((input) => wanted.includes(input.value));
      const others = usable.filter((input) => !present.includes(input));
      if (present.length) choose([...present, ...others.slice(0, Math.max(0, min - present.length))]);
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
  if (!isUsable(device)) return 'unavailable';
  return bytes(device.properties?.total_memory_bytes);
}
