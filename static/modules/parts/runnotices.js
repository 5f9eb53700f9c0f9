// Notices about a run: why it failed, wrong results, other processes on the device, warnings, notes.

import { h } from '../dom.js';
import { plural } from '../text/format.js';
import { describePoints, splitAxes } from '../results/series.js';
import { isLive } from '../text/displaynames.js';
import { notice } from './notice.js';

const ENDS = {
  failed: 'The run failed',
  interrupted: 'The lab stopped during this run',
  cancelled: 'The run was cancelled',
};

/** The notices for a run, most severe first; [] when there are none. */
export function runNotices(run, measurements, experiment) {
  const wrong = measurements.filter((measurement) => measurement.verified === false);
  const groups = wrong.length ? describePoints(wrong, splitAxes(measurements, experiment.axes, null).varying) : [];
  // With wrong results, the list of points replaces the run's own error, which only says that there are some.
  const listed = wrong.length && /wrong-result$/.test(run.error?.type ?? '');
  return [
    listed ? null : endNotice(run),
    wrong.length ? wrongResultsNotice(groups) : null,
    contentionNotice(run),
    comparisonNotice(run),
    sentencesNotice('Warning', run.warnings, 'warn'),
    sentencesNotice('Note', run.notes, ''),
  ].filter(Boolean);
}

function endNotice({ status, error }) {
  if (isLive(status) || !ENDS[status]) return null;
  const title = error?.title ? `${ENDS[status]}: ${error.title.charAt(0).toLowerCase()}${error.title.slice(1)}` : null;
  return notice({
    title: title ?? ENDS[status],
    text: error?.detail ?? 'All measurements up to that point are kept.',
    tone: status === 'failed' ? 'bad' : 'warn',
    more: error?.log ? logDetails(error.log) : null,
  });
}

function comparisonNotice({ id, compare_with: base }) {
  if (!base) return null;
  return notice({
    title: 'A comparison',
    text: `Each point was measured alternately with that of another request. The charts show this run's own request; JSON and CSV have both sides, and "gpulab compare ${id}" prints ratios and verdicts.`,
    tone: '',
  });
}

function logDetails(text) {
  return h(
    'details',
    { class: 'log' },
    h('summary', {}, 'Last lines of the worker log'),
    h('pre', { tabindex: 0 }, text),
  );
}

/** Lists the points with wrong results; `groups` as returned by describePoints. A point has one measurement for each
 * metric, so points are counted by their axes. */
function wrongResultsNotice(groups) {
  const points = ({ measurements }) => new Set(measurements.map(({ axes }) => JSON.stringify(axes))).size;
  const total = groups.reduce((sum, group) => sum + points(group), 0);
  return notice({
    title: `Wrong results at ${plural(total, 'point')}`,
    text: 'The results are wrong, so these measurements are invalid. Check the hardware and the driver.',
    tone: 'bad',
    more: h(
      'ul',
      {},
      groups.map((group) =>
        h(
          'li',
          {},
          group.text,
          ': ',
          h(
            'strong',
            {},
            `up to ${plural(Math.max(...group.measurements.map(({ wrong }) => wrong ?? 0)), 'wrong element')}`,
          ),
        ),
      ),
    ),
  });
}

function contentionNotice({ contended }) {
  return contended
    ? notice({
        title: 'Other processes used the device',
        text: 'They ran on the device during this run, so the measured performance may be too low.',
        tone: 'warn',
      })
    : null;
}

/** A notice with sentences, as a list if there are several. */
function sentencesNotice(title, sentences, tone) {
  if (!sentences?.length) return null;
  if (sentences.length === 1) return notice({ title, text: sentences[0], tone });
  return notice({
    title: `${title}s`,
    tone,
    more: h(
      'ul',
      {},
      sentences.map((sentence) => h('li', {}, sentence)),
    ),
  });
}
