// What to know before reading a run's results: why it ended early and wrong results (errors), what casts doubt on its
// values (cautions), and its notes (remarks): facts such as versions of libraries.

import * as api from '../../lab/api.js';
import { parametersLink } from './links.js';
import { notice } from '../../parts/notice.js';
import { cautionCounts, hasCautions, isWrong, limitsOf, wrongCount, wrongText } from '../../results/cautions.js';
import { shownIn } from '../../results/headline.js';
import { describePoints, splitAxes } from '../../results/series.js';
import { percent, plain, plural } from '../../text/format.js';
import { isLive, valueText } from '../../text/displaynames.js';
import { h } from '../../dom.js';

const ENDS = {
  failed: 'The run failed',
  interrupted: 'The lab stopped during this run',
  cancelled: 'The run was cancelled',
};

const GROUPS_MAX = 8; // groups of points with wrong results that are listed

/** The notices for a run, most severe first; [] when there are none. */
export function runNotices(run, measurements, experiment) {
  const wrong = measurements.filter(isWrong);
  // With wrong results, their list replaces the run's own error, which only says that there are some.
  const listed = wrong.length && /wrong-result$/.test(run.error?.type ?? '');
  return [
    listed ? null : endNotice(run, experiment),
    wrong.length ? wrongResultsNotice(wrong, measurements, experiment) : null,
    cautionNotice(run, measurements, experiment),
    remarks(run),
    wrong.length ? null : savedOutputs(run),
  ].filter(Boolean);
}

/** The outputs of a kernel of one's own that the run has saved, as files; null without any. */
function savedOutputs({ id, status, kernel }) {
  const names = (kernel?.arguments ?? []).filter(({ save }) => save).map(({ name }) => name);
  if (status !== 'succeeded' || !names.length) return null;
  const links = names.flatMap((name) => [' ', h('a', { href: api.links(id).field(name), download: `${name}.npy` }, `${name}.npy`)]);
  return h('p', { class: 'aside' }, 'Saved outputs, to which edits of the kernel can be held:', links);
}

const workerAdvice = ({ error }) => [
  'The measurements up to then are kept. ',
  error.log ? 'The tab Log has the last lines of the worker. ' : '',
  'If it happens again with the same parameters, report it with the parameters and the environment.',
];

/** What the user can do after an error, by its type; other errors say it themselves. */
const ADVICE = {
  'time-limit': (run) => ['Start it with a higher time limit or fewer points: ', parametersLink(run), '.'],
  'insufficient-memory': (run) => ['Choose smaller sizes: ', parametersLink(run), '.'],
  'out-of-memory': (run) => ['Choose smaller sizes: ', parametersLink(run), '.'],
  'worker-died': workerAdvice,
  'worker-silent': workerAdvice,
};

function endNotice(run, { unknown }) {
  const { status, error } = run;
  if (isLive(status) || !ENDS[status]) return null;
  const title = error?.title ? `${ENDS[status]}: ${error.title.charAt(0).toLowerCase()}${error.title.slice(1)}` : null;
  const advice = unknown ? null : ADVICE[error?.type?.split('/').at(-1)];
  return notice({
    title: title ?? ENDS[status],
    text: error?.detail ?? (run.measurement_count ? 'All measurements up to that point are kept.' : 'Nothing had been measured.'),
    tone: status === 'failed' ? 'bad' : 'warn',
    more: advice ? h('p', {}, advice(run)) : null,
  });
}

function wrongResultsNotice(wrong, measurements, experiment) {
  const groups = describePoints(wrong, splitAxes(measurements, experiment.axes, null).varying);
  const most = (group) => Math.max(...group.map(({ wrong: count }) => count ?? 0));
  return notice({
    title: sentence(wrongText(wrongCount(measurements))),
    text: 'These measurements are invalid: they count neither as a headline nor in comparisons. Check the hardware and the driver.',
    tone: 'bad',
    more: h(
      'ul',
      {},
      groups
        .slice(0, GROUPS_MAX)
        .map(({ text, measurements: group }) =>
          h('li', {}, `${text}: `, h('strong', {}, `up to ${plain(most(group))} wrong ${most(group) === 1 ? 'element' : 'elements'}`)),
        ),
      groups.length > GROUPS_MAX ? h('li', {}, `and ${plain(groups.length - GROUPS_MAX)} more groups of points`) : null,
    ),
  });
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

const CAUTION_TEXTS = {
  throttled: (count, of) => `${count} of ${of} values: the device was throttled and may have been slower`,
  contended: () => 'another process used the device during the run, so the values may be too low',
  drifting: (count, of, drift) => `${count} of ${of} values: the samples fell or rose within the point${drift ? `, by up to ${percent(drift)}` : ''}`,
  bimodal: (count, of) => `${count} of ${of} values: the samples have two levels, and their quartiles are more than 5\u00a0% apart`,
  noisy: (count, of) => `${count} of ${of} values: the quartiles of the samples are more than 5\u00a0% apart`,
};

/** Whether a headline of the run, or the share beside it, is to be doubted; without headlines, whether any value is. */
function isInDoubt(run, measurements, experiment) {
  if (!run.headline?.length) return measurements.some((one) => hasCautions(one, run));
  const shown = run.headline.flatMap((headline) => Object.values(shownIn(headline, measurements, experiment)));
  return shown.some((one) => one && hasCautions(one, run));
}

/** How many values had the clock lowered for a reason that is no caution. */
const limitText = (count, of) =>
  `${plain(count)} of ${plain(of)} values: the clock was lowered, as is normal for a kernel that keeps the device busy`;

/** The largest drift among the measurements that have the caution; 0 where none is known. */
const largestDrift = (measurements) =>
  Math.max(
    0,
    ...measurements
      .filter(({ cautions }) => cautions.some(({ name }) => name === 'drifting'))
      .map(({ shape }) => Math.abs(shape?.drift ?? 0)),
  );

/** One panel for what is to be known about the values; amber where it casts doubt on what the run is summed up with.
 * Several items are folded below a line that names them, so that the chart is on the first screen. */
function cautionNotice(run, measurements, experiment) {
  const measured = measurements.filter(({ skipped }) => !skipped);
  const limits = measured.map(({ conditions }) => limitsOf(conditions));
  const named = [
    ...cautionCounts(measurements, run).map(({ name, count }) => ({
      name,
      count,
      text: CAUTION_TEXTS[name](plain(count), plain(measured.length), largestDrift(measured)),
    })),
    ...[...new Set(limits.flat())].map((reason) => {
      const count = limits.filter((reasons) => reasons.includes(reason)).length;
      return { name: valueText('throttle', reason), count, text: limitText(count, limits.length) };
    }),
  ];
  const warnings = run.warnings ?? [];
  if (!named.length && run.contended) named.push({ name: 'contended', text: CAUTION_TEXTS.contended() });
  if (!named.length && !warnings.length) return null;
  const list = h(
    'ul',
    {},
    named.map(({ name, text }) => h('li', {}, h('strong', {}, sentence(name)), ` – ${text}.`)),
    warnings.map((text) => h('li', {}, sentence(/[.!]$/.test(text) ? text : `${text}.`))),
  );
  const tone = run.contended || isInDoubt(run, measurements, experiment) ? ' warn' : '';
  return h('section', { class: `notice${tone} cautions`, 'aria-label': 'Cautions' }, folded(list, named, warnings));
}

/** The list of cautions and warnings, folded where it has several. */
function folded(list, named, warnings) {
  if (named.length + warnings.length < 2) return list;
  const names = named.map(({ name, count }) => (count ? `${name} (${plural(count, 'value')})` : name));
  if (warnings.length) names.push(plural(warnings.length, 'warning'));
  return h('details', { id: 'cautions' }, h('summary', {}, sentence(names.join(', '))), list);
}

const remarks = ({ notes }) =>
  notes?.length
    ? h('ul', { class: 'stack dense aside remarks', 'aria-label': 'Remarks' }, notes.map((text) => h('li', {}, sentence(text))))
    : null;
