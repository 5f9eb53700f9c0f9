// Any number of runs of an experiment in one chart, /compare?runs=ID,ID,…, or the result of each device that the lab
// knows, /compare?experiment=NAME: their headline figures against those of the first, and every view of the experiment
// with the runs by colour.

import * as api from '../../lab/api.js';
import { results } from '../../charts/results.js';
import { h } from '../../dom.js';
import * as lab from '../../lab/lab.js';
import { devicesOf, withDeviceNames } from '../../lab/rundevices.js';
import { notice } from '../../parts/notice.js';
import { relativeTime } from '../../parts/status.js';
import { comparisonAddress, severalAddress } from '../../parts/trendlink.js';
import { ratioText } from '../../results/comparison.js';
import { figureTable, joinedMeasurements, runNames, withRunAxis } from '../../results/severalruns.js';
import { plural } from '../../text/format.js';
import { go } from '../../router.js';
import { shortId } from '../../text/runtitle.js';

const RUNS_MAX = 16; // more cannot be told apart in a chart
const CHOICES_MAX = 100; // runs that can be added

/** The ids of the runs that the address names: those of `runs`, or of the result of each known device, the best
 * first. */
export async function namedRuns(choices, signal) {
  const listed = choices.get('runs').split(',').filter(Boolean);
  if (listed.length || !choices.get('experiment')) return [...new Set(listed)];
  const resultOf = (query) => api.resultRuns({ experiment: choices.get('experiment'), ...query }, signal);
  const devices = await lab.knownDevices(signal);
  const answers = await Promise.all([resultOf({}), ...devices.map(({ id }) => resultOf({ device: id }))]);
  const ids = [...new Set(answers.flat().map(({ id }) => id))];
  choices.set({ experiment: '', runs: ids.slice(0, RUNS_MAX).join() });
  return ids;
}

/** Returns {title, element} for the runs with these ids. */
export async function severalRuns(all, choices, signal) {
  const ids = all.slice(0, RUNS_MAX);
  const runs = await Promise.all(ids.map((id) => api.run(id, signal)));
  const [{ experiment: name }] = runs;
  const title = (await lab.experiment(name))?.title ?? name;
  const others = runs.filter(({ experiment }) => experiment !== name);
  if (others.length) throw new api.Problem(400, { title: 'Runs of several experiments', detail: `Only runs of the same experiment can be compared; ${shortId(others[0].id)} is one of “${others[0].experiment}”.` });
  const [experiment, candidates, ...measurements] = await Promise.all([
    lab.experiment(name),
    api.runs({ experiment: name, status: 'succeeded', limit: CHOICES_MAX }, signal),
    ...runs.map((run) => run.measurements ?? api.measurements(run.id, signal)),
  ]);
  const names = runNames(runs, (run) => lab.runDevicesText(run), shortId);
  return {
    title: `Compare: ${title}`,
    element: h(
      'div',
      { class: 'view stack spaced' },
      h(
        'header',
        { class: 'view-head stack tight start' },
        h('h1', {}, `Compare: ${title}`),
        h('p', { class: 'lead' }, runs.length > 1 ? `${plural(runs.length, 'run')} in one chart. Ratios are to the first.` : 'One run so far. Add others of the experiment.'),
      ),
      all.length > RUNS_MAX ? notice({ title: `${plural(all.length - RUNS_MAX, 'run')} left out`, text: `A chart shows at most ${RUNS_MAX} runs.` }) : null,
      runsPanel({ runs, names, candidates: candidates.runs }),
      chartOf({ experiment: experiment ?? { name, title }, runs, names, measurements, choices, signal }),
    ),
  };
}

function chartOf({ experiment, runs, names, measurements, choices, signal }) {
  const groups = runs.map((run) => devicesOf(run, lab.device));
  const devices = [...new Map(groups.flat().map((one) => [one.id, one])).values()];
  const areSame = groups.every((group) => group.map(({ id }) => id).join() === groups[0].map(({ id }) => id).join());
  const chart = results({ experiment: withRunAxis(areSame ? withDeviceNames(experiment, devices) : experiment), devices, signal, choices });
  const sides = runs.map((run, at) => ({ run, name: names[at], measurements: measurements[at] }));
  chart.update(joinedMeasurements(sides), { ...runs[0], contended: false, status: 'succeeded' });
  return chart.element;
}

/** The runs with their headline figures; each but the first can be compared with it point by point. */
function runsPanel({ runs, names, candidates }) {
  const ids = runs.map(({ id }) => id);
  const { titles, rows } = figureTable(runs);
  const show = (list) => go(severalAddress(list), { replaceState: true });
  const button = (text, name, next) => h('button', { type: 'button', class: 'small', 'aria-label': `${text}: ${name}`, on: { click: () => show(next) } }, text);
  const without = (id) => ids.filter((one) => one !== id);
  const row = ({ run, cells }, at) =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, h('a', { href: `/runs/${run.id}` }, names[at]), h('div', { class: 'aside' }, relativeTime(run.created_at))),
      cells.map((cell) => h('td', { class: 'figure' }, cell?.text ?? '–', cell?.ratio ? h('div', { class: 'aside' }, ratioText(cell.ratio)) : null)),
      h(
        'td',
        {},
        h(
          'div',
          { class: 'actions' },
          at > 0 && h('a', { class: 'button small', href: comparisonAddress({ base: ids[0], head: run.id }) }, 'Verdicts'),
          at > 0 && button('Make it the first', names[at], [run.id, ...without(run.id)]),
          runs.length > 1 && button('Leave out', names[at], without(run.id)),
        ),
      ),
    );
  return h(
    'section',
    { class: 'panel', 'aria-label': 'Runs that are compared' },
    h(
      'div',
      { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': 'Headline figures' },
      h(
        'table',
        { class: 'figures' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Run'), titles.map((text) => h('th', { scope: 'col', class: 'figure' }, text)), h('th', { scope: 'col' }, h('span', { class: 'visually-hidden' }, 'Actions')))),
        h('tbody', {}, rows.map(row)),
      ),
    ),
    adding({ ids, candidates: candidates.filter(({ id }) => !ids.includes(id)), show }),
  );
}

/** A list of the other runs, of which one is added when it is chosen; null without others. */
function adding({ ids, candidates, show }) {
  if (!candidates.length || ids.length >= RUNS_MAX) return null;
  const select = h(
    'select',
    { on: { change: () => select.value && show([...ids, select.value]) } },
    h('option', { value: '' }, 'choose one'),
    candidates.map((run) => h('option', { value: run.id }, [lab.runPlaceText(run), shortId(run.id), ...run.tags].join(' · '))),
  );
  return h('label', { class: 'add-run row' }, 'Add a run ', select);
}
