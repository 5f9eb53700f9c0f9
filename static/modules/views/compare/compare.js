// The comparison of two runs, /compare?base=ID&head=ID, or of the two sides of a run, /compare?run=ID: the answer in a
// sentence, what differs between the environments, the curves of both, and the verdict of each point.

import * as api from '../../lab/api.js';
import { choicesOf } from '../../choices.js';
import { freshId, h } from '../../dom.js';
import * as lab from '../../lab/lab.js';
import { notice } from '../../parts/notice.js';
import { severalAddress } from '../../parts/trendlink.js';
import { effectText, missingSamples, summaryText } from '../../results/comparison.js';
import { defaultBase } from '../../results/runpairs.js';
import { RUN_AXIS } from '../../results/severalruns.js';
import { go } from '../../router.js';
import { differenceRows } from '../../text/differences.js';
import { plural } from '../../text/format.js';
import { fieldsOf } from '../../text/schema.js';
import { basesPanel, choosePanel, pairsPanel } from './choose.js';
import { curvesPanel } from './curves.js';
import { comparedSamples } from './samples.js';
import { namedRuns, severalRuns } from './several.js';
import { sideCards } from './sides.js';
import { verdictsPanel } from './verdicts.js';
import { pathInLab } from '../../place.js';
import { shortId } from '../../text/runtitle.js';

const CHOICES_MAX = 100; // runs that each side can be chosen from

/** The minimum effects to choose from, as shares. */
const EFFECTS = ['0.002', '0.005', '0.01', '0.02', '0.05', '0.1'];
const EFFECT = '0.01';

export async function view(route, signal) {
  const choices = choicesOf(route, { effect: EFFECT, colour: RUN_AXIS });
  const [experiments] = await Promise.all([lab.experiments(), lab.devices(signal)]);
  const several = await namedRuns(choices, signal);
  if (several.length) return severalRuns(several, choices, signal);
  const [run, head] = [choices.get('run'), choices.get('head')];
  if (!run && !head) return page('Compare', await choosePanel(experiments, signal));
  const base = run || choices.get('base') || (await baseFor(head, signal));
  if (!base) return page('Compare', await otherBases(await api.run(head, signal), experiments, signal));
  if (!run && !choices.get('base')) choices.set({ base });
  const sides = run ? { run } : { base, head };
  const comparison = await api.compare({ ...sides, minimum_effect: choices.get('effect') }, signal);
  const name = comparison.head.experiment;
  const experiment = (await lab.experiment(name)) ?? { name, title: name };
  const listed = async (query) => (run ? [] : (await api.runs({ experiment: name, ...query }, signal)).runs);
  const [runs, pinned] = await Promise.all([listed({ limit: CHOICES_MAX }), listed({ pinned: true, limit: 1 })]);
  return {
    title: `Compare: ${experiment.title}`,
    element: comparisonPage({ comparison, experiment, experiments, runs, hasPinned: pinned.length > 0, choices, signal }),
  };
}

/** The id of the base if the address has none: see runpairs.js. Undefined if there is none. */
async function baseFor(id, signal) {
  const head = await api.run(id, signal);
  const { runs } = await api.runs({ experiment: head.experiment, status: 'succeeded', limit: CHOICES_MAX }, signal);
  return defaultBase(runs, head)?.id;
}

const page = (title, ...content) => ({
  title,
  element: h('div', { class: 'view stack spaced' }, h('header', { class: 'view-head stack tight start' }, h('h1', {}, title), lead()), content),
});

const lead = () => h('p', { class: 'lead' }, 'Two runs of an experiment, point by point: which is faster, and what differs.');

/** What is shown for a run that no other of its device model can be compared with: those of other devices, and other
 * pairs. */
async function otherBases(head, experiments, signal) {
  const { runs } = await api.runs({ experiment: head.experiment, status: 'succeeded', limit: CHOICES_MAX }, signal);
  const others = runs.filter((run) => run.id !== head.id && !run.compare_with);
  const text = others.length
    ? 'No other run of this experiment on the same device model succeeded. It can be compared with those of other devices.'
    : 'The lab has no other run of this experiment that succeeded. Run the experiment again, or import a run of it.';
  const actions = [
    h('a', { class: 'button', href: `/runs/${head.id}` }, 'Back to the run'),
    h('a', { class: 'button', href: `/experiments/${encodeURIComponent(head.experiment)}` }, 'Open the experiment'),
  ];
  return [
    notice({ title: others.length ? 'Choose what to compare with' : 'No run to compare with', text, actions }),
    others.length ? basesPanel(others, head) : null,
    await pairsPanel(experiments, signal),
  ];
}

function comparisonPage({ comparison, experiment, experiments, runs, hasPinned, choices, signal }) {
  const { base, head } = comparison;
  const metricTitle = (name) => experiment.metrics?.find((one) => one.name === name)?.title ?? name;
  const effect = Number(choices.get('effect'));
  const samples = comparedSamples({ comparison, experiment, signal, choices });
  return h(
    'div',
    { class: 'view stack spaced' },
    h(
      'header',
      { class: 'view-head stack tight start' },
      h('h1', {}, `Compare: ${experiment.title}`),
      h('p', { class: 'answer' }, `${summaryText(comparison, metricTitle)}.`),
      missingNotice(comparison),
      effectSelect(choices),
      base.id !== head.id && h('p', {}, h('a', { href: severalAddress([base.id, head.id]) }, 'All views of both in one chart, and further runs')),
    ),
    choices.get('run')
      ? ownSides(comparison, experiment, experiments)
      : sideCards({ base, head, runs: runs.filter((run) => !run.compare_with), isPinned: choices.get('base') === 'pinned', hasPinned }),
    cautions(comparison),
    differences(comparison, experiment),
    curvesPanel({ comparison, experiment, effect, choices, showSamples: samples.show, signal }),
    verdictsPanel({ comparison, experiment, choices, showSamples: samples.show }),
    samples.element,
  );
}

/** Says whose samples the lab does not have: without them nothing can be judged. */
function missingNotice(comparison) {
  const missing = missingSamples(comparison);
  if (!missing) return null;
  const runs = missing.sides.map((side) => [side, ' (', h('a', { href: `/runs/${comparison[side].id}` }, `run ${shortId(comparison[side].id)}`), ')']);
  return h(
    'p',
    { class: 'missing-samples' },
    `${plural(missing.count, 'point')} cannot be judged, because this lab does not have the samples of `,
    runs.map((run, at) => [at ? ' and of ' : '', run]),
    ': they were left out of the export that was imported, or removed because of their age.',
  );
}

/** The field for the minimum effect: a smaller difference counts as the same. */
function effectSelect(choices) {
  const id = freshId('effect');
  const values = EFFECTS.includes(choices.get('effect')) ? EFFECTS : [choices.get('effect'), ...EFFECTS];
  const changed = (event) => {
    choices.set({ effect: event.currentTarget.value });
    go(pathInLab() + location.search, { replaceState: true });
  };
  return h(
    'p',
    { class: 'effect' },
    'Head against base. ',
    h('label', { for: id }, 'Differences below '),
    h(
      'select',
      { id, on: { change: changed } },
      values.map((value) => h('option', { value, selected: value === choices.get('effect') }, effectText(Number(value)))),
    ),
    ' count as the same.',
  );
}

/** The sides of a run that compares: what its base differs in. */
function ownSides({ head }, { parameters: schema }, experiments) {
  const { experiment, parameters, devices } = head.compare_with ?? {};
  const title = experiments.find((one) => one.name === experiment)?.title ?? experiment;
  const otherDevices = JSON.stringify(devices?.map(({ id }) => id)) !== JSON.stringify(head.devices?.map(({ id }) => id));
  const rows = [
    ...(experiment && experiment !== head.experiment ? [{ title: 'Experiment', base: title, head: head.experiment }] : []),
    ...differenceRows([], { parameters }, head, fieldsOf(schema)),
  ];
  return h(
    'section',
    { class: 'panel' },
    h('h2', {}, 'Both sides of ', h('a', { href: `/runs/${head.id}` }, 'one run'), ', measured alternately'),
    rows.length
      ? differenceTable(rows)
      : h('p', {}, otherDevices && devices ? 'Base ran on another device.' : 'Both sides are the same request.'),
  );
}

function cautions({ warnings }) {
  const texts = warnings.filter((text) => !text.startsWith('the parameters differ'));
  if (!texts.length) return null;
  const sentences = texts.map((text) => h('li', {}, `${text.charAt(0).toUpperCase()}${text.slice(1)}.`));
  return notice({ title: 'Compare with caution', tone: 'warn', more: h('ul', {}, sentences) });
}

/** What differs between the runs; it usually explains a difference of their results. */
function differences({ environment, base, head }, experiment) {
  if (base.id === head.id) return null;
  const rows = differenceRows(environment, base, head, fieldsOf(experiment.parameters));
  return h(
    'section',
    { class: 'panel', 'aria-label': 'What differs' },
    h('h2', {}, rows.length ? 'What differs' : 'Same parameters and environment'),
    rows.length ? differenceTable(rows) : h('p', {}, 'Both runs had the same parameters and, as far as it is recorded, the same environment. The results are compared below.'),
  );
}

function differenceTable(rows) {
  return h(
    'div',
    { class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': 'Differences' },
    h(
      'table',
      { class: 'figures compared-facts' },
      h('thead', {}, h('tr', {}, ['Fact', 'Base', 'Head'].map((text) => h('th', { scope: 'col' }, text)))),
      h(
        'tbody',
        {},
        rows.map(({ title, base, head }) => h('tr', {}, h('th', { scope: 'row' }, title), h('td', {}, base), h('td', {}, head))),
      ),
    ),
  );
}
