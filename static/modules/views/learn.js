// The first page: the experiments by subject, with the result of this lab beside each.

import * as api from '../lab/api.js';
import { choicesOf } from '../choices.js';
import { h, replace } from '../dom.js';
import * as events from '../lab/events.js';
import { focusedDevice, keepFocus } from '../lab/focus.js';
import * as lab from '../lab/lab.js';
import { unmetRequirement } from '../lab/requirements.js';
import { person } from '../lab/session.js';
import { cardLink } from '../parts/devicecard.js';
import { challengeRows } from '../parts/challengerows.js';
import { showHistories } from '../parts/figurehistory.js';
import { latestResult } from '../parts/latestresult.js';
import { notice } from '../parts/notice.js';
import { go } from '../router.js';
import { plural } from '../text/format.js';
import { afterPause, whenChanged } from '../throttle.js';

const PAUSE_MS = 200; // several runs may end together

/** Questions that the first page begins with, by the experiment that answers each. */
const QUESTIONS = {
  transfer: 'how fast is the link?',
  health: 'is the card sound?',
  matmul: 'what makes a matrix product fast?',
};

/** The results are those of the device in focus (lab/focus.js), which the address then names; it is passed on to the
 * experiments. */
export async function view(route, signal) {
  const [groups, known, challenges] = await Promise.all([lab.experimentsBySubject(), lab.knownDevices(signal), challengesFirst(signal)]);
  const devices = lab.listedDevices();
  const wanted = focusedDevice(route.query);
  const device = route.query.has('device') || known.some(({ id }) => id === wanted) ? wanted : '';
  const fetchResults = () => api.resultRuns({ device: device || null }, signal);
  const runs = await fetchResults();
  choicesOf(route).set({ device });
  const results = new Map(groups.flatMap(({ experiments }) => experiments).map(({ name }) => [name, h('div', {})]));
  const shows = new Map([...results].map(([name, element]) => [name, whenChanged((run) => showResult(element, run, signal))]));
  const show = (run) => shows.get(run.experiment)?.(run);
  for (const showOne of shows.values()) showOne(null);
  runs.forEach(show);
  const refetch = afterPause(() => fetchResults().then((list) => list.forEach(show), () => {}), PAUSE_MS);
  events.on('run.updated', (run) => run.status === 'succeeded' && refetch(), signal);
  events.on('missed', refetch, signal);

  const addressOf = ({ name }) => `/experiments/${name}${device ? `?device=${encodeURIComponent(device)}` : ''}`;
  const row = (one) => experimentRow(one, addressOf(one), devices, results.get(one.name));
  return {
    title: 'Learn',
    element: h(
      'div',
      { class: 'view stack spaced' },
      h(
        'header',
        { class: 'view-head stack tight start' },
        h('h1', {}, 'Learn'),
        lead(groups.flatMap(({ experiments }) => experiments), addressOf),
        deviceFocus(known, device),
        summaryOf(runs, device),
        h(
          'p',
          {},
          h('a', { href: '/program' }, 'Run a program of your own'),
          ', ',
          h('a', { href: '/kernels' }, 'write a kernel of your own'),
          ', solve a ',
          h('a', { href: '/challenges' }, 'challenge'),
          ', edit one that a lesson shows, or read the ',
          h('a', { href: '/guide' }, 'guide'),
          ' to memories, indices, errors and terms.',
        ),
      ),
      challenges.length ? h('section', { class: 'stack tight', 'aria-labelledby': 'challenges' }, h('h2', { id: 'challenges' }, 'Challenges'), challengeRows(challenges)) : null,
      groups.length
        ? h('div', { class: 'subject-groups' }, groups.map((group) => subject(group, row)))
        : notice({ title: 'No experiments', text: 'This lab was built without experiments.' }),
    ),
  };
}

/** The open challenges, for people who are in the lab to solve them: participants. */
async function challengesFirst(signal) {
  const { role } = await person();
  return role === 'participant' ? (await api.challenges(signal)).filter(({ open }) => open) : [];
}

/** The link to the picture of the device in focus, else of the one that the results are of. */
function summaryOf(runs, device) {
  const [shown] = runs.flatMap(({ devices }) => devices).filter(({ id }) => !device || id === device);
  return shown ? h('p', {}, cardLink(shown.id), ` of ${shown.name}, a picture to send`) : null;
}

/** Shows the result of a run, with the history of its first figure. */
function showResult(element, run, signal) {
  replace(element, latestResult(run));
  if (run) showHistories(element, run, { count: 1, signal });
}

/** The choice of the device whose results are shown. */
function deviceFocus(known, chosen) {
  const select = h(
    'select',
    {
      on: {
        change() {
          keepFocus(select.value);
          go(select.value ? `/?device=${encodeURIComponent(select.value)}` : '/');
        },
      },
    },
    h('option', { value: '' }, 'the best of each experiment'),
    known.map((one) => h('option', { value: one.id, selected: one.id === chosen }, focusText(one))),
    chosen && !known.some(({ id }) => id === chosen) ? h('option', { value: chosen, selected: true }, chosen) : null,
  );
  return h('label', { class: 'device-focus' }, 'Results of', select);
}

/** A device of the lab by its title, one that only runs have with the end of its id. */
const focusText = ({ id, name }) => (lab.device(id) ? lab.deviceTitle(id) : `${name ?? id} (${id.slice(-6)}), seen in runs`);

/** What the page is for, and where to begin. */
const lead = (experiments, addressOf) =>
  h(
    'p',
    { class: 'lead' },
    `Measure your GPU: ${plural(experiments.length, 'experiment')} with the physics, the code and the result. Start with: `,
    experiments
      .filter(({ name }) => name in QUESTIONS)
      .map((one, at) => [at ? ' · ' : '', h('a', { href: addressOf(one) }, QUESTIONS[one.name])]),
  );

/** A subject with its experiments; `row(experiment)` makes the row of one. */
function subject({ name, title, experiments }, row) {
  const id = `subject-${name ?? 'other'}`;
  return h(
    'section',
    { class: 'stack tight', 'aria-labelledby': id },
    h('h2', { id }, title),
    h('ul', { class: 'panel flush lesson-rows' }, experiments.map(row)),
  );
}

function experimentRow(experiment, address, devices, result) {
  const unmet = devices.length ? unmetRequirement(devices, experiment) : null;
  return h(
    'li',
    { class: 'lesson-row stack tight' },
    h(
      'div',
      { class: 'lesson-text' },
      h('h3', {}, h('a', { href: address }, experiment.title)),
      h('p', {}, experiment.summary),
      unmet && h('p', { class: 'aside' }, unmet),
    ),
    result,
  );
}
