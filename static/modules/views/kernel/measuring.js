// Runs the kernel: the form with device, launch, parameters, what it is compared with and a note, and the result.

import { freshId, h, replace } from '../../dom.js';
import { devicePick } from '../../forms/devicepick.js';
import { planLine } from '../../forms/plan.js';
import { followRun } from '../../lab/followrun.js';
import { submission } from '../../lab/submission.js';
import { announce } from '../../parts/announce.js';
import { stepAxis } from '../../results/ownstep.js';
import { displayName, titleFromName } from '../../text/displaynames.js';
import { kernelOf } from '../../text/ownkernel.js';
import { launchForm } from './launch.js';
import { outcome } from './outcome.js';

const ORIGINAL = 'original';
const STEPS = 'steps'; // the original and the other steps, which the run measures too
const NOTHING = '';
const NO_DEVICE = 'No GPU here: you can compile and read PTX; running needs a CUDA device.';

/** Returns {bar, result, form, runnable, run(), update(), launch, device(), showAttempts(list)}; the first three are
 * elements, `bar` the one with the button that runs; `runnable`: whether the lab has a device for it and the person
 * may. `draft()` returns what is run, `ready()` a promise of whether it may be run. `changed()` is called when the
 * launch or the device has changed, and then calls update(), which asks the lab what the run would take. `allowed`:
 * whether the person may run anything. */
export function measuring({ subject, schema, devices, allowed, draft, ready, changed, signal }) {
  const { edits, experiment } = subject;
  const usable = devices.filter(({ backend }) => backend === 'cuda');
  const runnable = allowed && usable.length > 0;
  const picker = devicePick(usable, { min: 1, max: 1 }, changed);
  const steps = allSteps(experiment);
  const launch = launchForm({ edits, schema, changed });
  const preset = choice('Parameters', presetChoices(experiment), update);
  const counters = choice('Hardware counters', counterChoices(experiment), update);
  const base = choice('Compare with', baseChoices([]), update);
  const note = h('input', {
    type: 'text',
    maxlength: 4096,
    autocomplete: 'off',
    placeholder: 'What this attempt changes',
  });
  const refusal = h('div', { class: 'field-error', role: 'alert' });
  const plan = planLine(showErrors);
  const formId = freshId('run');
  const reason = usable.length ? null : h('p', { class: 'aside', id: freshId('reason') }, NO_DEVICE);
  const submit = h('button', {
    type: 'submit',
    class: 'primary',
    form: formId,
    disabled: !runnable,
    title: allowed ? null : 'Running needs the role operator',
    'aria-describedby': reason?.id ?? null,
  });
  const result = outcome({ experiment, signal });
  const start = submission();
  let attempts = [];
  if (edits) base.select.value = ORIGINAL;

  const settings = [
    launch.element,
    h(
      'div',
      { class: 'fields' },
      preset.element,
      counters.element,
      base.element,
      h('label', { class: 'field' }, h('span', { class: 'field-title' }, 'Note'), note),
    ),
  ];
  const form = h(
    'form',
    {
      class: 'panel run-form stack spaced',
      id: formId,
      novalidate: true,
      'aria-label': 'Launch',
      on: {
        submit: (event) => {
          event.preventDefault();
          run();
        },
      },
    },
    usable.length ? [h('h2', {}, 'Launch'), picker.element, settings] : h('details', {}, h('summary', {}, h('h2', {}, 'Launch, arguments and options of the compiler')), settings),
  );

  function baseChoices(list) {
    return [
      [NOTHING, 'Nothing'],
      ...(edits ? [[ORIGINAL, 'The original']] : []),
      ...(edits && steps ? [[STEPS, 'The original and the other steps']] : []),
      ...list.map(({ id, title }) => [id, title]),
    ];
  }

  /** The member `compare_with` of the request. */
  function comparison() {
    if (base.select.value === NOTHING) return {};
    const attempt = attempts.find(({ id }) => id === base.select.value);
    return { compare_with: { kernel: attempt?.code ?? null } };
  }

  function parameters() {
    const counted = counters.select.value && { counters: counters.select.value === 'true' };
    return { ...(base.select.value === STEPS && steps), ...counted };
  }

  function body() {
    const given = parameters();
    return {
      experiment: experiment.name,
      devices: picker.read().value ?? [],
      ...(preset.select.value && { preset: preset.select.value }),
      ...(Object.keys(given).length && { parameters: given }),
      kernel: kernelOf(draft(), edits),
      ...comparison(),
    };
  }

  function update() {
    submit.textContent =
      { [NOTHING]: 'Run', [ORIGINAL]: 'Run and compare with the original', [STEPS]: 'Run beside the other steps' }[base.select.value] ?? 'Run and compare';
    plan.update(submit.disabled ? null : { sweep: false, body: body() });
  }

  function showErrors(errors) {
    replace(
      refusal,
      launch.mark(errors).map(({ detail }) => h('p', {}, detail)),
    );
  }

  async function run() {
    if (submit.disabled) return;
    submit.disabled = true;
    try {
      if (!(await ready())) return;
      const id = await start({ ...body(), ...(note.value.trim() && { note: note.value.trim() }) });
      showErrors([]);
      announce('Run started');
      followRun(id, signal, result.show, result.showError);
      result.element.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      showErrors(error.errors?.length ? error.errors : [{ detail: error.message }]);
    } finally {
      submit.disabled = false;
    }
  }

  return {
    bar: h('div', { class: 'run-bar row loose' }, submit, reason ?? plan.element, refusal),
    result: result.element,
    form,
    runnable,
    run,
    update,
    launch,
    device: () => usable.find(({ id }) => id === picker.read().value?.[0]) ?? null,
    showAttempts(list) {
      attempts = list.filter(({ code }) => code.source);
      base.show(baseChoices(attempts));
    },
  };
}

/** The parameter that has all steps of the experiment measured; null where it has no chart of steps. */
function allSteps(experiment) {
  const axis = stepAxis(experiment);
  const all = experiment.parameters?.properties?.[axis]?.default;
  return all ? { [axis]: all } : null;
}

/** Whether the hardware counters are read: the default of the experiment first; one choice only where it has none. */
function counterChoices(experiment) {
  const counted = experiment.parameters?.properties?.counters?.default;
  const states = counted ? ['On', 'Off'] : ['Off', 'On'];
  return counted === undefined ? [['', 'Off']] : [['', states[0]], [String(!counted), states[1]]];
}

const presetChoices = ({ presets }) => [
  ['', 'Defaults'],
  ...Object.keys(presets ?? {}).map((name) => [name, displayName('preset', name) ?? titleFromName(name)]),
];

/** A list to choose from: {element, select, show(choices)}; choices are [[value, title]]. The chosen one is kept where
 * it is among the new ones. The element is hidden while there is one choice only. */
function choice(title, choices, changed) {
  const select = h('select', { on: { change: changed } });
  const element = h('label', { class: 'field' }, h('span', { class: 'field-title' }, title), select);
  const show = (list) => {
    element.hidden = list.length < 2;
    const { value } = select;
    replace(
      select,
      list.map(([name, text]) => h('option', { value: name }, text)),
    );
    select.value = list.some(([name]) => name === value) ? value : list[0][0];
  };
  show(choices);
  return { element, select, show };
}
