// The lesson of an experiment: the idea with the latest result beside, the form, what to expect on the device of the
// result, documented and measured figures, the code of its steps and earlier runs, with the other lessons of its
// subject beside.

import * as api from '../../lab/api.js';
import { choicesOf } from '../../choices.js';
import { h, replace } from '../../dom.js';
import { runForm } from '../../forms/runform.js';
import { focusedDevice } from '../../lab/focus.js';
import * as lab from '../../lab/lab.js';
import { deviceGroupText } from '../../lab/rundevices.js';
import { prose } from '../../parts/prose.js';
import { sourcePanel } from '../../parts/sourcepanel.js';
import { relativeTime } from '../../parts/status.js';
import { go } from '../../router.js';
import { shortId } from '../../text/runtitle.js';
import { expectations } from './expectations.js';
import { fetchResults, lessonResults } from './lessonresults.js';
import { measuredTable } from './measured.js';
import { subjectList } from './subjectlist.js';

const PROGRAMS = 'program'; // the experiment whose runs have programs, which its page gives them

/** The query of the address can fill in the form: ?from=RUN (the values of an earlier run), ?machine=, ?device=ID,… ,
 * ?mode=, ?preset=, and ?parameters= (a JSON object). They follow what the user chooses. */
export async function view(route, signal) {
  const { name } = route.parts;
  const choices = choicesOf(route, { mode: 'run', parameters: '{}' });
  const refetch = () => fetchResults(name, focusedDevice(new URLSearchParams(location.search)), signal);
  const [experiment, groups, devices, known, first, documented] = await Promise.all([
    lab.experiment(name),
    lab.experimentsBySubject(),
    lab.devices(signal),
    lab.knownDevices(signal),
    refetch(),
    api.measuredReferences({ experiment: name }, signal).catch(() => ({ figures: [] })),
  ]);
  if (!experiment)
    throw new api.Problem(404, { title: 'Experiment not found', detail: `This lab has no experiment “${name}”.` });
  const idea = section('idea', 'The idea', explanation(experiment));
  const measured = documented.figures.length
    ? section('measured', 'Measured', measuredTable({ experiment, first: documented, signal }))
    : null;
  const expected = expectations({ experiment, figures: documented.figures });
  const results = lessonResults({ experiment, first, refetch, hasSeveral: known.length > 1, shown: expected.show, signal });
  const form = await filledForm({ experiment, devices, choices, changed: results.reload, signal });
  const setUp = name === PROGRAMS ? h('p', {}, h('a', { class: 'button primary', href: '/program' }, 'Write or choose a program')) : form.elements;
  const [id] = form.devices();
  const chosen = devices.find((one) => one.id === id) ?? devices[0] ?? null;
  const latest = section('result', 'Result of this lab', results.latest);
  const code = sourcePanel({ experiment, prefer: chosen?.backend });
  const earlier = section('runs', 'Earlier runs', results.list);
  if (code) code.id = 'code';
  if (!first.result) expected.show(chosen);

  return {
    title: experiment.title,
    element: h(
      'div',
      { class: 'lesson stack' },
      h(
        'div',
        { class: 'view stack spaced' },
        h(
          'header',
          { class: 'view-head stack tight start' },
          h('h1', {}, experiment.title),
          h('p', { class: 'lead' }, experiment.summary),
          contents({ code, measured }),
        ),
        h('div', { class: 'lesson-intro stack spaced' }, idea, latest),
        section('run', 'Set up a run', setUp),
        programsOf(name),
        section('expect', 'What to expect', expected.element),
        measured,
        code,
        earlier,
      ),
      subjectList({ groups, chosen: experiment, devices, device: choices.get('device') }),
    ),
  };
}

/** The explanation; from its first heading on it is folded, named by its headings, so that the result is beside its
 * beginning. */
function explanation({ explanation: text }) {
  const blocks = prose(text, 3);
  const headings = blocks.filter(({ localName }) => localName === 'h3');
  const shown = headings.length ? blocks.indexOf(headings[0]) : blocks.length;
  const folded = h('details', {}, h('summary', {}, headings.map(({ textContent }) => textContent).join(' · ')), h('div', { class: 'prose stack' }, blocks.slice(shown)));
  return h('div', { class: 'prose stack' }, blocks.slice(0, shown), headings.length ? folded : null);
}

/** A part of the lesson that links lead to. */
function section(id, title, content) {
  const heading = `${id}-heading`;
  return h('section', { id, class: 'lesson-part stack', 'aria-labelledby': heading }, h('h2', { id: heading }, title), content);
}

/** Links to the parts of the lesson; those that the experiment does not have are null in `optional`. */
function contents(optional) {
  const parts = { idea: 'Idea', result: 'Result of this lab', run: 'Set up a run', expect: 'What to expect', measured: 'Measured', code: 'Code', runs: 'Earlier runs' };
  return h(
    'nav',
    { class: 'contents row loose', 'aria-label': 'On this page' },
    Object.entries(parts)
      .filter(([id]) => optional[id] !== null)
      .map(([id, title]) => h('a', { href: `#${id}` }, title)),
  );
}

/** Links to the programs of the lab that show what the lesson is about; empty where there is none. */
function programsOf(lesson) {
  const element = h('div', { class: 'lesson-programs', hidden: true });
  lab.programs().then(
    (programs) => {
      const own = programs.filter(({ lessons }) => lessons.includes(lesson));
      element.hidden = !own.length;
      const link = ({ name, title }) => h('li', {}, h('a', { href: `/program?sample=${encodeURIComponent(name)}` }, title));
      replace(element, 'Programs to open, run and change:', h('ul', {}, own.map(link)));
    },
    () => {}, // the lesson is complete without them
  );
  return element;
}

/** The form with the values that the address names: {elements, devices()}. changed() is called after each change of the
 * devices that are chosen. */
async function filledForm({ experiment, devices, choices, changed, signal }) {
  const form = runForm({
    experiment,
    devices,
    started: go,
    edited({ mode, machine, devices: ids, preset, parameters }) {
      const before = choices.get('device');
      choices.set({ mode, machine, device: ids.join(), preset, parameters: JSON.stringify(parameters), from: '' });
      if (choices.get('device') !== before) changed();
    },
  });
  const from = choices.get('from');
  const source = from && (await existingRun(from, signal));
  if (source) form.fill(source);
  const parameters = objectOf(choices.get('parameters'));
  form.apply({
    mode: source ? undefined : choices.get('mode'),
    machine: choices.get('machine'),
    devices: choices.get('device').split(',').filter(Boolean),
    preset: source ? undefined : choices.get('preset'),
    parameters: source ? undefined : parameters,
  });
  const origin = source ? filledFrom(source, form.devices()) : from && goneRun(from);
  return { elements: [origin, form.element], devices: form.devices };
}

/** A run; null if the lab does not have it. */
async function existingRun(id, signal) {
  try {
    return await api.run(id, signal);
  } catch (error) {
    if (error instanceof api.Problem && error.status === 404) return null;
    throw error;
  }
}

/** Says that the run to fill the form in from does not exist. */
const goneRun = (id) =>
  h('p', { class: 'prefilled', role: 'status' }, `This lab does not have run ${shortId(id)}, from which the form was to be filled in; it may have been deleted.`);

/** Says which run the form was filled in from, and which of its devices could not be chosen. */
function filledFrom(run, chosen) {
  const missing = run.devices.filter(({ id }) => !lab.device(id));
  const names = (list) => deviceGroupText(list.map((one) => ({ ordinal: null, ...one })));
  const instead = chosen.map((id) => lab.device(id)).filter(Boolean);
  return h(
    'p',
    { class: 'prefilled', role: 'status' },
    'Filled in from ',
    h('a', { href: `/runs/${run.id}` }, `run ${shortId(run.id)}`),
    ' on ',
    names(run.devices),
    ', ',
    relativeTime(run.started_at ?? run.created_at),
    missing.length ? `. The lab does not have ${names(missing)}` : '; change the values as needed',
    missing.length && instead.length ? `: ${names(instead)} is chosen instead.` : '.',
  );
}

/** The object that a text of JSON stands for; {} for another text. */
function objectOf(text) {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
