// The form that starts a run, generated from the experiment's parameter schema: devices, parameters, advanced
// parameters (collapsed), and tags, note and time limit. It validates what it can and shows the errors of the server's
// problem document at the fields they point to.

import * as api from '../lab/api.js';
import { unmetRequirement } from '../lab/requirements.js';
import { displayName, titleFromName } from '../text/displaynames.js';
import { freshId, h, replace } from '../dom.js';
import { changed, errorsByField, fieldsOf } from '../text/schema.js';
import { announce } from '../parts/announce.js';
import { copyButton } from '../parts/copybutton.js';
import { devicePick } from './devicepick.js';
import { control } from './fields.js';

/** The fields that do not affect what is measured, as in a parameter schema. */
const LABEL_FIELDS = fieldsOf({
  properties: {
    tags: {
      title: 'Tags',
      description: 'Separated by commas. The list of runs can be filtered by tag.',
      type: 'string',
      default: '',
    },
    note: { title: 'Note', description: 'The purpose of this run.', type: 'string', default: '' },
    time_limit_s: {
      title: 'Time limit',
      description: 'The run is stopped after this time. Empty: no limit for this run.',
      type: 'number',
      unit: 's',
      minimum: 1,
      default: '',
    },
  },
});

/** Returns {element, fill({devices, parameters, tags, note, time_limit_s})}. `started(run)` is called with the accepted
 * run. */
export function runForm({ experiment, devices, started }) {
  const updateRequest = () => {
    request.textContent = curl();
  };
  const fields = fieldsOf(experiment.parameters);
  const picker = devicePick(devices, experiment.devices, updateRequest);
  const controls = new Map(fields.map((field) => [field.name, control(field, updateRequest)]));
  const labels = new Map(LABEL_FIELDS.map((field) => [field.name, control(field, updateRequest)]));
  const allControls = new Map([['devices', picker], ...controls, ...labels]);
  const summary = h('div', { class: 'form-errors', role: 'alert' });
  const unmet = devices.length ? unmetRequirement(devices, experiment) : null;
  const unmetId = freshId('why');
  const submit = h(
    'button',
    {
      type: 'submit',
      class: 'primary',
      disabled: !devices.length || unmet !== null,
      'aria-describedby': unmet && unmetId,
    },
    'Start the run',
  );
  const request = h('pre', { class: 'request', tabindex: 0, 'aria-label': 'Equivalent curl command' });
  let submission = { body: '', key: '' }; // the last request body sent, and its idempotency key

  const elementsOf = (advanced) =>
    fields.filter((field) => field.advanced === advanced).map((field) => controls.get(field.name).element);
  const advanced = elementsOf(true);
  const preset = (label, parameters) =>
    h('button', { type: 'button', class: 'small', on: { click: () => fill({ parameters }, label) } }, label);
  const element = h(
    'form',
    { class: 'panel run-form', novalidate: true, 'aria-label': `Set up ${experiment.title}`, on: { submit: send } },
    h(
      'div',
      { class: 'form-head' },
      h('h2', {}, 'Set up a run'),
      h(
        'div',
        { class: 'actions', role: 'group', 'aria-label': 'Presets' },
        preset('Defaults', {}),
        Object.entries(experiment.presets).map(([name, parameters]) => preset(displayName('preset', name) ?? titleFromName(name), parameters)),
      ),
    ),
    summary,
    unmet &&
      h(
        'div',
        { class: 'notice warn', id: unmetId },
        h('h3', { class: 'notice-title' }, 'This experiment cannot run here'),
        h('p', {}, unmet),
      ),
    picker.element,
    h('div', { class: 'fields' }, elementsOf(false)),
    advanced.length ? folded('Measurement settings', advanced) : null,
    folded(
      'Tags, note, time limit',
      [...labels.values()].map((label) => label.element),
    ),
    h('div', { class: 'form-end' }, submit),
    h(
      'details',
      { class: 'as-request' },
      h('summary', {}, 'Equivalent curl command'),
      request,
      copyButton('Copy command', curl),
    ),
  );

  function folded(title, children) {
    return h('details', { class: 'folded' }, h('summary', {}, title), h('div', { class: 'fields' }, children));
  }

  /** Fills in the form; parameters that `values` lacks get their defaults. `label` is the name of the preset, if any.
   */
  function fill(values, label) {
    if (values.devices) picker.write(values.devices);
    for (const [name, one] of controls) one.write(values.parameters?.[name] ?? one.field.defaultValue);
    if (values.tags) labels.get('tags').write(values.tags.join(', '));
    if (values.note !== undefined) labels.get('note').write(values.note);
    if (values.time_limit_s) labels.get('time_limit_s').write(values.time_limit_s);
    replace(summary);
    updateRequest();
    if (label) announce(`${label} filled in`);
  }

  /** Returns {body, wrong}: the request body, and the errors of fields, [[name, [text]]]. */
  function read() {
    const values = {};
    const wrong = [];
    for (const [name, one] of allControls) {
      const { value, error } = one.read();
      if (error) wrong.push([name, [error]]);
      else values[name] = value;
    }
    const body = { experiment: experiment.name, devices: values.devices, parameters: changed(fields, values) };
    const tags = (values.tags ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean);
    if (tags.length) body.tags = tags;
    if (values.note) body.note = values.note;
    if (typeof values.time_limit_s === 'number') body.time_limit_s = values.time_limit_s;
    return { body, wrong };
  }

  /** The command that starts the same run. */
  function curl() {
    const body = JSON.stringify(read().body).replaceAll("'", "'\\''");
    return `curl -H 'Content-Type: application/json' ${location.origin}${api.address('/runs')} \\\n  -d '${body}'`;
  }

  async function send(event) {
    event.preventDefault();
    const { body, wrong } = read();
    showErrors(new Map(wrong), []);
    if (wrong.length) return;
    const text = JSON.stringify(body);
    // Sending the same body again after a lost answer starts no second run, because the key is the same.
    if (submission.body !== text) submission = { body: text, key: api.freshKey() };
    submit.disabled = true;
    try {
      const run = await api.start(body, submission.key);
      submission = { body: '', key: '' };
      started(run);
    } catch (error) {
      const { fields: found, other } = errorsByField(error.errors, [...allControls.keys()]);
      showErrors(found, other.length || !found.size ? [error.message, ...other] : []);
    } finally {
      submit.disabled = false;
    }
  }

  /** Shows all errors above the form, and those of a field also at the field. `found` maps names of fields to their
   * errors, `other` are the errors of no field. Moves the focus to the first field with an error, otherwise to the list
   * of errors. */
  function showErrors(found, other) {
    for (const [name, one] of allControls) one.mark(found.get(name) ?? []);
    replace(summary);
    if (!found.size && !other.length) return;
    const links = [...found].map(([name, details]) => {
      const one = allControls.get(name);
      const text = `${one.field?.title ?? one.title}: ${details.join(' ')}`;
      return h('li', {}, h('button', { type: 'button', class: 'link', on: { click: () => reveal(one) } }, text));
    });
    const heading = freshId('errors');
    replace(
      summary,
      h(
        'div',
        { class: 'notice bad', role: 'group', tabindex: -1, 'aria-labelledby': heading },
        h('h3', { class: 'notice-title', id: heading }, 'The run was not started'),
        h(
          'ul',
          {},
          other.map((detail) => h('li', {}, detail)),
          links,
        ),
      ),
    );
    if (found.size) reveal(allControls.get([...found.keys()][0]));
    else summary.firstElementChild.focus();
  }

  /** Opens the collapsed sections around a field, scrolls to it and focuses it. */
  function reveal(one) {
    for (let fold = one.element.closest('details'); fold; fold = fold.parentElement.closest('details'))
      fold.open = true;
    one.focus();
    one.element.scrollIntoView({ block: 'center' });
  }

  updateRequest();
  return { element, fill };
}
