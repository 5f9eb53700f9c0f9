// The form that starts a run, a comparison or a sweep, generated from the experiment's parameter schema: presets,
// machine and devices, parameters, advanced parameters (collapsed), and labels. While it is edited the lab says what
// the run would take, and the errors of its problem document are shown at the fields they point to.

import * as api from '../lab/api.js';
import { ONE_DEVICE, unmetRequirement } from '../lab/requirements.js';
import { submission } from '../lab/submission.js';
import { freshId, h } from '../dom.js';
import { baseName, changed, differing, errorsByField, fieldsOf, sameValue } from '../text/schema.js';
import { announce } from '../parts/announce.js';
import { copyButton } from '../parts/copybutton.js';
import { control } from './fields.js';
import { formErrors } from './formerrors.js';
import { LABEL_FIELDS, labelValues } from './labels.js';
import { placePick } from './place.js';
import { planLine } from './plan.js';
import { presetBar, presetOf } from './presets.js';
import { MODES, requestOf } from './request.js';
import { variations } from './variations.js';
import { placed } from '../place.js';

/** The text of the button that starts, by mode; `machines`: on each of several machines. */
const SUBMIT = {
  run: 'Start the run',
  compare: 'Start the comparison',
  sweep: 'Start the sweep',
  machines: 'Start on all machines',
};

/** Returns {element, devices(), fill(run), apply({mode, machine, devices, preset, parameters})}: devices() are the ids
 * of those that are chosen, `machine` is as in place.js. `started(address)` is called with the address of what was
 * started, `edited({mode, machine, devices, preset, parameters})` after each change by the user: the parameters are
 * those that differ from those of the preset, which is '' for the defaults. */
export function runForm({ experiment, devices, started, edited = () => {} }) {
  const fields = fieldsOf(experiment.parameters);
  const place = placePick(devices, experiment.devices ?? ONE_DEVICE, changedByUser);
  const controls = new Map(fields.map((field) => [field.name, control(field, changedByUser)]));
  const labels = new Map(LABEL_FIELDS.map((field) => [field.name, control(field, changedByUser, { resettable: false })]));
  const fixed = () => new Map([...place.controls(), ...controls, ...labels]);
  const byMode = variations({ experiment, fields, controls, place, changed: changedByUser });
  const state = { mode: 'run', preset: '', machine: place.machine() }; // `preset` is the one that filled in the form
  const startRun = submission();
  const errors = formErrors(allControls);
  const plan = planLine((found) => errors.mark(errorsByField(found, [...allControls().keys()]).fields));
  const presets = presetBar({
    experiment,
    fields,
    choose(name, label) {
      state.preset = name;
      write(presetParameters());
      announce(`${label} filled in`);
      changedByUser();
    },
    reset(name) {
      const one = controls.get(name);
      one.write(one.field.defaultValue);
      changedByUser();
    },
  });
  const unmet = devices.length ? unmetRequirement(devices, experiment) : null;
  const [unmetId, sweepId] = [freshId('why'), freshId('why')];
  const submit = h('button', {
    type: 'submit',
    class: 'primary',
    'aria-describedby': unmet ? unmetId : sweepId,
  });
  const canStart = devices.length > 0 && unmet === null;
  const nothingVaried = h('p', { class: 'aside', id: sweepId }, 'Choose several values of a parameter above: a sweep has a run for each.');
  const request = h('pre', { class: 'request', tabindex: 0, 'aria-label': 'Equivalent curl command' });
  const modes = modeSwitch((mode) => {
    state.mode = mode;
    changedByUser();
  });

  const elementsOf = (advanced) =>
    fields.filter((field) => field.advanced === advanced).map(({ name }) => controls.get(name).element);
  const advanced = elementsOf(true);
  const element = h(
    'form',
    { class: 'panel run-form stack spaced', novalidate: true, 'aria-label': `Set up ${experiment.title}`, on: { submit: send } },
    h('div', { class: 'row spread' }, presets.buttons, modes.element),
    presets.changes,
    errors.element,
    unmet && unmetNotice(unmet, unmetId),
    place.element,
    Object.values(byMode).map((one) => one.element),
    h('div', { class: 'fields' }, elementsOf(false)),
    advanced.length ? folded('Measurement settings', advanced) : null,
    folded(
      'Tags, note, priority, time limit',
      [...labels.values()].map((label) => label.element),
    ),
    h('div', { class: 'form-end row loose bottom-bar' }, submit, nothingVaried, plan.element),
    h(
      'details',
      { class: 'as-request' },
      h('summary', {}, 'Equivalent curl command'),
      request,
      copyButton('Copy command', () => request.textContent),
    ),
  );

  const varied = () => byMode[state.mode]?.controls ?? new Map();
  const presetParameters = () => experiment.presets[state.preset] ?? {};

  /** Whether a sweep has several runs: something that it varies has several values, or has an error, which is shown
   * instead. */
  function variesAnything() {
    return [...varied().values()].some((one) => {
      const { value, error } = one.read();
      return error !== undefined || [value].flat().length > 1;
    });
  }

  /** All controls in use, by the names that errorsByField gives them. */
  function allControls() {
    const named = state.mode === 'compare' ? [...varied()].map(([name, one]) => [baseName(name), one]) : varied();
    return new Map([...fixed(), ...named]);
  }

  const read = () => requestOf({ mode: state.mode, experiment, fields, preset: state.preset, fixed: fixed(), varied: varied() });

  function write(parameters = {}) {
    for (const [name, one] of controls) one.write(parameters[name] ?? one.field.defaultValue);
    errors.clear();
  }

  /** Offers the devices of the machine that is chosen now to what the mode varies. */
  function followMachine() {
    if (state.machine === place.machine()) return;
    state.machine = place.machine();
    Object.values(byMode).forEach((one) => one.renew('devices'));
  }

  /** Shows what depends on the values: the preset, the plan, the fields of the mode and the request. */
  function update() {
    place.restrict(state.mode);
    followMachine();
    const found = read();
    modes.show(state.mode);
    for (const [name, { element: shown }] of Object.entries(byMode)) shown.hidden = name !== state.mode;
    for (const [name, one] of fixed()) one.element.hidden = state.mode === 'sweep' && varied().has(name);
    submit.disabled = !canStart || (state.mode === 'sweep' && !variesAnything());
    nothingVaried.hidden = !canStart || !submit.disabled;
    submit.textContent = SUBMIT[found.body.nodes ? 'machines' : state.mode];
    presets.update(found.values);
    request.textContent = curl(found);
    plan.update(found.wrong.size || submit.disabled ? null : found);
    return found;
  }

  function changedByUser() {
    const { values } = update();
    const parameters = changed(fields, values, presetParameters());
    edited({ mode: state.mode, machine: place.machine(), devices: values.devices ?? [], preset: state.preset, parameters });
  }

  /** Starts what the form describes. */
  const start = async ({ sweep, body }) => (sweep ? `/sweeps/${(await api.startSweep(body)).id}` : `/runs/${await startRun(body)}`);

  async function send(event) {
    event.preventDefault();
    const found = read();
    errors.show(found.wrong, []);
    if (found.wrong.size) return;
    submit.disabled = true;
    try {
      started(await start(found));
    } catch (error) {
      const { fields: wrong, other } = errorsByField(error.errors, [...allControls().keys()]);
      errors.show(wrong, other.length || !wrong.size ? [error.message, ...other] : []);
    } finally {
      if (submit.isConnected) update();
    }
  }

  update();
  return {
    element,
    devices: () => place.controls().get('devices')?.read().value ?? [],
    fill(run) {
      place.write({ devices: run.devices.map(({ id }) => id) });
      state.preset = presetOf(experiment, fields, run.parameters);
      write(run.parameters);
      for (const [name, value] of Object.entries(labelValues(run))) labels.get(name).write(value);
      if (run.compare_with) {
        state.mode = 'compare';
        followMachine();
        byMode.compare.choose(differencesOfBase(run, fields));
      }
      update();
    },
    apply({ mode, machine, devices: ids, preset, parameters }) {
      if (mode in MODES) state.mode = mode;
      if (machine || ids?.length) place.write({ machine, devices: ids });
      if (preset in experiment.presets) state.preset = preset;
      if (parameters) write({ ...presetParameters(), ...parameters });
      update();
    },
  };
}

/** The devices and parameters in which the base of a run differs from it, by name. */
function differencesOfBase({ devices, parameters, compare_with: base }, fields) {
  const idsOf = (list) => list.map(({ id }) => id);
  const names = differing(fields, parameters, base.parameters);
  return {
    ...(!sameValue(idsOf(devices), idsOf(base.devices)) && { devices: idsOf(base.devices) }),
    ...Object.fromEntries(names.map((name) => [name, base.parameters[name]])),
  };
}

/** The buttons that choose the mode; returns {element, show(mode)}. */
function modeSwitch(choose) {
  const buttons = Object.entries(MODES).map(([name, title]) =>
    h('button', { type: 'button', dataset: { mode: name }, on: { click: () => choose(name) } }, title),
  );
  return {
    element: h('div', { class: 'segments', role: 'group', 'aria-label': 'What is started' }, buttons),
    show(mode) {
      for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.mode === mode));
    },
  };
}

const folded = (title, children) =>
  h('details', { class: 'folded' }, h('summary', {}, title), h('div', { class: 'fields' }, children));

const unmetNotice = (text, id) =>
  h(
    'div',
    { class: 'notice warn', id },
    h('h3', { class: 'notice-title' }, 'This experiment cannot run here'),
    h('p', {}, text),
  );

/** The command that sends the same request. */
function curl({ sweep, body }) {
  const text = JSON.stringify(body).replaceAll("'", "'\\''");
  const address = `${location.origin}${placed(api.address(sweep ? '/sweeps' : '/runs'))}`;
  return `curl -H 'Content-Type: application/json' ${address} \\\n  -d '${text}'`;
}
