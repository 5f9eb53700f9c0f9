// The form of an experiment, made from its parameter schema: devices, parameters, folded away what few need, and the
// label of the run. Checks what it can itself and puts the server's problem document at the fields it points to.

import * as api from '../api.js';
import { whyNot } from '../requirements.js';
import { freshId, h, replace } from '../dom.js';
import { changed, errorsByField, fieldsOf } from '../schema.js';
import { announce } from './announce.js';
import { copyButton } from './copybutton.js';
import { devicePick } from './devicepick.js';
import { control } from './fields.js';

const LABEL_FIELDS = fieldsOf({
  properties: {
    tags: { title: 'Tags', description: 'Parted by commas; runs can be found by them.', type: 'string', default: '' },
    note: { title: 'Note', description: 'What this run is for.', type: 'string', default: '' },
    time_limit_s: {
      title: 'Time limit',
      description: 'The run is stopped after this. Empty: no limit of its own.',
      type: 'number',
      unit: 's',
      minimum: 1,
      default: '',
    },
  },
});

/** {element, fill({devices, parameters, tags, note, time_limit_s})}. `started(run)` is called with the accepted run. */
export function runForm({ experiment, devices, started }) {
  const update = () => {
    request.textContent = curl();
  };
  const fields = fieldsOf(experiment.parameters);
  const picker = devicePick(devices, experiment.devices, update);
  const controls = new Map(fields.map((field) => [field.name, control(field, update)]));
  const labels = new Map(LABEL_FIELDS.map((field) => [field.name, control(field, update)]));
  const everything = new Map([['devices', picker], ...controls, ...labels]);
  const summary = h('div', { class: 'form-errors', role: 'alert' });
  const impossible = devices.length ? whyNot(devices, experiment.devices) : null;
  const why = freshId('why');
  const submit = h(
    'button',
    {
      type: 'submit',
      class: 'primary',
      disabled: !devices.length || impossible !== null,
      'aria-describedby': impossible && why,
    },
    'Start the run',
  );
  const request = h('pre', { class: 'request', tabindex: 0, 'aria-label': 'The same as a command' });
  let attempt = { body: '', key: '' };

  const of = (advanced) =>
    fields.filter((field) => field.advanced === advanced).map((field) => controls.get(field.name).element);
  const advanced = of(true);
  const preset = (words, parameters) =>
    h('button', { type: 'button', class: 'small', on: { click: () => fill({ parameters }, words) } }, words);
  const element = h(
    'form',
    { class: 'panel run-form', novalidate: true, 'aria-label': `Set up ${experiment.title}`, on: { submit: send } },
    h(
      'div',
      { class: 'form-head' },
      h('h2', {}, 'Set up a run'),
      h(
        'div',
        { class: 'actions', role: 'group', 'aria-label': 'Fill in' },
        preset('Defaults', {}),
        experiment.quick && preset('Quick', experiment.quick),
      ),
    ),
    summary,
    impossible &&
      h(
        'div',
        { class: 'notice warn', id: why },
        h('h3', { class: 'notice-title' }, 'It cannot run here'),
        h('p', {}, impossible),
      ),
    picker.element,
    h('div', { class: 'fields' }, of(false)),
    advanced.length ? folded('How it is measured', advanced) : null,
    folded(
      'Tags, note, time limit',
      [...labels.values()].map((label) => label.element),
    ),
    h('div', { class: 'form-end' }, submit),
    h(
      'details',
      { class: 'as-request' },
      h('summary', {}, 'The same from a script'),
      request,
      copyButton('Copy command', curl),
    ),
  );

  function folded(title, children) {
    return h('details', { class: 'folded' }, h('summary', {}, title), h('div', { class: 'fields' }, children));
  }

  /** Puts values in; parameters that are not given get their defaults. */
  function fill(values, words) {
    if (values.devices) picker.write(values.devices);
    for (const [name, one] of controls) one.write(values.parameters?.[name] ?? one.field.fallback);
    if (values.tags) labels.get('tags').write(values.tags.join(', '));
    if (values.note !== undefined) labels.get('note').write(values.note);
    if (values.time_limit_s) labels.get('time_limit_s').write(values.time_limit_s);
    replace(summary);
    update();
    if (words) announce(`${words} filled in`);
  }

  /** The request body and what is wrong with the fields. */
  function read() {
    const values = {};
    const wrong = [];
    for (const [name, one] of everything) {
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

  function curl() {
    const body = JSON.stringify(read().body).replaceAll("'", "'\\''");
    return `curl -H 'Content-Type: application/json' ${location.origin}${api.address('/runs')} \\\n  -d '${body}'`;
  }

  async function send(event) {
    event.preventDefault();
    const { body, wrong } = read();
    show(new Map(wrong), []);
    if (wrong.length) return;
    const text = JSON.stringify(body);
    // Sent again after an answer that was lost, the same body stays one run.
    if (attempt.body !== text) attempt = { body: text, key: api.freshKey() };
    submit.disabled = true;
    try {
      const run = await api.start(body, attempt.key);
      attempt = { body: '', key: '' };
      started(run);
    } catch (error) {
      const { fields: found, other } = errorsByField(error.errors, [...everything.keys()]);
      show(found, other.length || !found.size ? [error.message, ...other] : []);
    } finally {
      submit.disabled = false;
    }
  }

  /** Shows errors at their fields, and above the form what belongs to none; goes to the first. */
  function show(found, other) {
    for (const [name, one] of everything) one.mark(found.get(name) ?? []);
    replace(summary);
    if (!found.size && !other.length) return;
    const links = [...found].map(([name, details]) => {
      const one = everything.get(name);
      const words = `${one.field?.title ?? one.title}: ${details.join(' ')}`;
      return h('li', {}, h('button', { type: 'button', class: 'link', on: { click: () => reveal(one) } }, words));
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
          other.map((text) => h('li', {}, text)),
          links,
        ),
      ),
    );
    if (found.size) reveal(everything.get([...found.keys()][0]));
    else summary.firstElementChild.focus();
  }

  function reveal(one) {
    for (let fold = one.element.closest('details'); fold; fold = fold.parentElement.closest('details'))
      fold.open = true;
    one.focus();
    one.element.scrollIntoView({ block: 'center' });
  }

  update();
  return { element, fill };
}
