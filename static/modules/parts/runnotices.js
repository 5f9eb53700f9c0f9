// Notices about a run: why it failed, wrong results, other processes on the device, warnings and notes.

import { h } from '../dom.js';
import { plural } from '../format.js';
import { describePoints, splitAxes } from '../series.js';
import { isLive } from '../displaynames.js';
import { notice } from './notice.js';

const ENDS = {
  failed: 'The run failed',
  interrupted: 'The lab stopped during this run',
  cancelled: 'The run was cancelled',
};

/** The notices for a run, most severe first; [] when there are none. */
export function runNotices(run, measurements, experiment) {
  const wrong = measurements.filter((measurement) => measurement.verified === false);
  const where = wrong.length ? describePoints(wrong, splitAxes(measurements, experiment.axes, null).varying) : [];
  // With wrong results, the list of points replaces the run's own error, which only says that there are some.
  const listed = wrong.length && /wrong-result$/.test(run.error?.type ?? '');
  return [
    listed ? null : endNotice(run),
    wrong.length ? wrongResultsNotice(where) : null,
    contentionNotice(run),
    warningsNotice(run),
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

function logDetails(text) {
  return h(
    'details',
    { class: 'log' },
    h('summary', {}, 'Last lines of the worker log'),
    h('pre', { tabindex: 0 }, text),
  );
}

/** `where` is the result of describePoints. A point has one measurement per metric, so points are counted by their
 * axes. */
function wrongResultsNotice(where) {
  const points = ({ measurements }) => new Set(measurements.map(({ axes }) => JSON.stringify(axes))).size;
  const total = where.reduce((sum, place) => sum + points(place), 0);
  return notice({
    title: `Wrong results at ${plural(total, 'point')}`,
    text: 'The results are wrong, so these measurements are invalid. Check the hardware and the driver.',
    tone: 'bad',
    more: h(
      'ul',
      {},
      where.map((place) =>
        h(
          'li',
          {},
          place.words,
          ': ',
          h(
            'strong',
            {},
            `up to ${plural(Math.max(...place.measurements.map(({ wrong }) => wrong ?? 0)), 'wrong element')}`,
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

function warningsNotice({ warnings: list }) {
  if (!list?.length) return null;
  const warningText = (warning) =>
    typeof warning === 'string' ? warning : (warning.detail ?? warning.text ?? JSON.stringify(warning));
  return notice({
    title: list.length > 1 ? 'Notes' : null,
    tone: 'warn',
    ...(list.length > 1
      ? {
          more: h(
            'ul',
            {},
            list.map((warning) => h('li', {}, warningText(warning))),
          ),
        }
      : { text: warningText(list[0]) }),
  });
}
