// The lesson of an experiment: the idea, what to expect on this device, the form, the latest result, the code of its steps and
// earlier runs, with the other lessons of its subject beside.

import * as api from '../../lab/api.js';
import { choicesOf } from '../../choices.js';
import { h } from '../../dom.js';
import { runForm } from '../../forms/runform.js';
import * as lab from '../../lab/lab.js';
import { latestResult } from '../../parts/latestresult.js';
import { paragraphs } from '../../parts/prose.js';
import { sourcePanel } from '../../parts/sourcepanel.js';
import { go } from '../../router.js';
import { expectations } from './expectations.js';
import { LESSON_RUNS, lessonResults } from './lessonresults.js';
import { subjectList } from './subjectlist.js';

/** The query of the address can fill in the form: ?from=RUN (the values of an earlier run), ?machine=, ?device=ID,… , ?mode=,
 * and ?parameters= (a JSON object). They follow what the user chooses. */
export async function view(route, signal) {
  const { name } = route.parts;
  const choices = choicesOf(route, { mode: 'run', parameters: '{}' });
  const [experiment, groups, devices, { runs }, references] = await Promise.all([
    lab.experiment(name),
    lab.experimentsBySubject(),
    lab.devices(signal),
    api.runs({ experiment: name, limit: LESSON_RUNS }, signal),
    lab.references(name).catch(() => []),
  ]);
  if (!experiment)
    throw new api.Problem(404, { title: 'Experiment not found', detail: `This lab has no experiment “${name}”.` });
  const results = lessonResults({ experiment, runs, signal });
  const idea = section('idea', 'The idea', h('div', { class: 'prose' }, paragraphs(experiment.explanation)));
  const expected = expectations({ experiment, references });
  const deviceOf = ([id]) => devices.find((one) => one.id === id) ?? devices[0] ?? null;
  const form = await filledForm({ experiment, devices, choices, expect: (ids) => expected.show(deviceOf(ids)), signal });
  const chosen = deviceOf(form.devices());
  const latest = section('result', 'Latest result', results.latest);
  const code = sourcePanel({ experiment, prefer: chosen?.backend });
  const earlier = section('runs', 'Earlier runs', results.list);
  if (code) code.id = 'code';
  expected.show(chosen);

  return {
    title: experiment.title,
    element: h(
      'div',
      { class: 'lesson' },
      h(
        'div',
        { class: 'view' },
        h(
          'header',
          { class: 'view-head' },
          h('h1', {}, experiment.title),
          h('p', { class: 'lead' }, experiment.summary),
          latestResult(runs.find(({ status }) => status === 'succeeded')),
          contents(code !== null),
        ),
        h('div', { class: 'lesson-intro' }, idea, section('expect', 'What to expect', expected.element)),
        section('run', 'Set up a run', form.elements),
        latest,
        code,
        earlier,
      ),
      subjectList({ groups, chosen: experiment, devices, device: choices.get('device') }),
    ),
  };
}

/** A part of the lesson that links lead to. */
function section(id, title, content) {
  const heading = `${id}-heading`;
  return h('section', { id, class: 'lesson-part', 'aria-labelledby': heading }, h('h2', { id: heading }, title), content);
}

/** Links to the parts of the lesson. */
function contents(withCode) {
  const parts = { idea: 'Idea', expect: 'What to expect', run: 'Set up a run', result: 'Latest result', code: 'Code', runs: 'Earlier runs' };
  return h(
    'nav',
    { class: 'contents', 'aria-label': 'On this page' },
    Object.entries(parts)
      .filter(([id]) => withCode || id !== 'code')
      .map(([id, title]) => h('a', { href: `#${id}` }, title)),
  );
}

/** The form with the values that the address names: {elements, devices()}. expect(ids) is called after each change with the
 * devices that are chosen. */
async function filledForm({ experiment, devices, choices, expect, signal }) {
  const form = runForm({
    experiment,
    devices,
    started: go,
    edited({ mode, machine, devices: ids, parameters }) {
      choices.set({ mode, machine, device: ids.join(), parameters: JSON.stringify(parameters), from: '' });
      expect(ids);
    },
  });
  const from = choices.get('from');
  if (from) form.fill(await api.run(from, signal));
  const parameters = objectOf(choices.get('parameters'));
  form.apply({
    mode: from ? undefined : choices.get('mode'),
    machine: choices.get('machine'),
    devices: choices.get('device').split(',').filter(Boolean),
    parameters: from ? undefined : parameters,
  });
  const source = h(
    'p',
    { class: 'prefilled' },
    'Parameters of ',
    h('a', { href: `/runs/${from}` }, 'an earlier run'),
    '; change them as needed.',
  );
  return { elements: [from && source, form.element], devices: form.devices };
}

/** The object that a text of JSON stands for; {} for another text. */
function objectOf(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
