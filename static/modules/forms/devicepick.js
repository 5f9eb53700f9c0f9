// The form field for the devices of a run: radio buttons, or check boxes where the experiment takes several.

import { isUsable } from '../lab/requirements.js';
import { freshId, h, replace } from '../dom.js';
import { bytes } from '../text/format.js';
import { deviceName, deviceTitle } from '../lab/lab.js';

/** Returns {element, title, read(), write(ids), mark(errors), focus()}, like the controls of fields.js. `range` is the
 * {min, max} number of devices to choose; `changed()` is called when the user changes the selection. Initially the
 * first usable devices are selected: `usual` ones, by default as many as may be. */
export function devicePick(devices, { min, max, usual = max }, changed, title = max > 1 ? 'Run on devices' : 'Run on device') {
  const several = max > 1;
  const name = freshId('device');
  const ids = { error: freshId('error'), help: freshId('help') };
  const error = h('p', { class: 'field-error', id: ids.error });
  const nameOf = new Set(devices.map(({ node }) => node)).size > 1 ? deviceTitle : deviceName;
  const inputs = devices.map((device) =>
    h('input', {
      type: several ? 'checkbox' : 'radio',
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
  choose(usable.slice(0, usual));
  const element = h(
    'fieldset',
    { class: 'field devices', dataset: { field: 'devices' } },
    h('legend', {}, title),
    h(
      'div',
      { class: 'boxes row tight' },
      devices.map((device, index) =>
        h(
          'label',
          { class: 'box' },
          inputs[index],
          h('span', {}, nameOf(device.id), h('span', { class: 'aside' }, ` ${remark(device)}`)),
        ),
      ),
    ),
    error,
    h('p', { class: 'field-help aside', id: ids.help }, helpText()),
  );

  function helpText() {
    if (!devices.length) return 'The lab has no device, so no run can be started.';
    if (!several) return '';
    if (min === max) return `Choose exactly ${min}.`;
    const most = Math.min(max, usable.length);
    return most > min ? `Choose ${min} to ${most}.` : min > 1 ? `Choose at least ${min}.` : '';
  }

  const field = {
    element,
    title,
    read() {
      const chosen = inputs.filter((input) => input.checked).map((input) => input.value);
      if (!devices.length) return { error: 'The lab has no device.' };
      if (chosen.length < min) return { error: min === 1 ? 'Choose a device.' : `Choose at least ${min} devices.` };
      return chosen.length > max ? { error: `Choose at most ${max}.` } : { value: chosen };
    },
    /** Selects the usable devices among `wanted`, and further ones if the experiment needs more. */
    write(wanted) {
      const present = usable.filter((input) => wanted.includes(input.value));
      const others = usable.filter((input) => !present.includes(input));
      if (present.length) choose([...present, ...others.slice(0, Math.max(0, min - present.length))]);
      field.mark([]);
    },
    mark(errors) {
      replace(error, errors.join(' '));
      element.classList.toggle('invalid', errors.length > 0);
    },
    focus: () => (usable[0] ?? inputs[0])?.focus(),
  };
  element.addEventListener('input', () => {
    field.mark([]);
    changed();
  });
  return field;
}

/** The text after the name of a device: its memory, or that it is unavailable. */
function remark(device) {
  if (!isUsable(device)) return 'unavailable';
  return bytes(device.properties?.total_memory_bytes);
}
