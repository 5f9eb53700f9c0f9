// What a comparison and a sweep of the form vary: any parameter, and the devices where the lab has several.

import { sweptField } from '../text/schema.js';
import { isUsable, ONE_DEVICE } from '../lab/requirements.js';
import { devicePick } from './devicepick.js';
import { control } from './fields.js';
import { variation } from './variation.js';

const COMPARE_HELP =
  'Choose here what is different in the base; the rest of it is the form below, with which it is measured alternately. ' +
  'Without a difference, the comparison shows how much equal runs differ.';
const SWEEP_HELP = 'What is chosen here has several values. There is a run for each combination of them.';

/** Returns {compare, sweep}, as `variation` does. `controls` are those of the parameters `fields` by name, `place` is
 * where the runs are executed: of the devices, those of the chosen machine are varied. A sweep varies the devices only
 * of an experiment that takes one. */
export function variations({ experiment, fields, controls, place, changed }) {
  const range = experiment.devices ?? ONE_DEVICE;
  const usable = () => place.offered().filter(isUsable).map(({ id }) => id);
  const others = () => {
    const chosen = place.controls().get('devices')?.read().value ?? [];
    return usable().filter((id) => !chosen.includes(id)).slice(0, range.max);
  };
  const pick = (limits, initial) => {
    const one = devicePick(place.offered(), limits, changed, 'Devices');
    one.write(initial);
    return one;
  };

  /** The control of a parameter, whose value begins as that of the form. */
  function parameter(name, fieldOf) {
    const { field, read } = controls.get(name);
    const one = control(fieldOf(field), changed, { resettable: false });
    const { value } = read();
    if (value !== undefined) one.write(value);
    return one;
  }

  const subjects = (withDevices) => (withDevices ? [{ name: 'devices', title: 'Devices' }, ...fields] : fields);
  return {
    compare: variation({
      subjects: () => subjects(usable().length > range.min),
      title: 'Differences of the base',
      help: COMPARE_HELP,
      controlOf: (name) => (name === 'devices' ? pick(range, others()) : parameter(name, (field) => field)),
      changed,
    }),
    sweep: variation({
      subjects: () => subjects(usable().length > 1 && range.max === 1),
      title: 'Values of the sweep',
      help: SWEEP_HELP,
      controlOf: (name) => (name === 'devices' ? pick({ min: 1, max: usable().length }, usable()) : parameter(name, sweptField)),
      changed,
    }),
  };
}
