// What is wrong with a run, or to be known before its figures are believed: why it failed, points that did not
// verify, warnings.

import { h } from '../dom.js';
import { plural } from '../format.js';
import { places, splitAxes } from '../series.js';
import { isLive } from '../displaynames.js';
import { notice } from './notice.js';

const ENDS = {
  failed: 'The run failed',
  interrupted: 'The lab stopped during this run',
  cancelled: 'The run was cancelled',
};

/** Notices for a run, the gravest first; [] when all is well. */
export function troubles(run, measurements, experiment) {
  const wrong = measurements.filter((measurement) => measurement.verified === false);
  const where = wrong.length ? places(wrong, splitAxes(measurements, experiment.axes, null).varying) : [];
  // The run's own error says in general what the list says point by point.
  const said = wrong.length && /wrong-result$/.test(run.error?.type ?? '');
  return [said ? null : ended(run), wrong.length ? unverified(where) : null, contended(run), warnings(run)].filter(
    Boolean,
  );
}

function ended({ status, error }) {
  if (isLive(status) || !ENDS[status]) return null;
  const title = error?.title ? `${ENDS[status]}: ${error.title.charAt(0).toLowerCase()}${error.title.slice(1)}` : null;
  return notice({
    title: title ?? ENDS[status],
    text: error?.detail ?? 'What was measured until then is kept.',
    tone: status === 'failed' ? 'bad' : 'warn',
    more: error?.log ? logOf(error.log) : null,
  });
}

function logOf(text) {
  return h(
    'details',
    { class: 'log' },
    h('summary', {}, 'Last lines of the worker’s log'),
    h('pre', { tabindex: 0 }, text),
  );
}

/** `where` as series.places has it; one point has a measurement for each metric, so points are counted
 * by their axes. */
function unverified(where) {
  const points = ({ measurements }) => new Set(measurements.map(({ axes }) => JSON.stringify(axes))).size;
  const total = where.reduce((sum, place) => sum + points(place), 0);
  return notice({
    title: `${plural(total, 'point')} did not verify`,
    text: 'The data that came out are not what should have come out. Their figures say nothing; look at the machine.',
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

function contended({ contended: busy }) {
  return busy
    ? notice({
        title: 'Somebody else was on the device',
        text: 'Other processes computed on it while this run measured; its figures may be too low.',
        tone: 'warn',
      })
    : null;
}

function warnings({ warnings: list }) {
  if (!list?.length) return null;
  const words = (warning) =>
    typeof warning === 'string' ? warning : (warning.detail ?? warning.text ?? JSON.stringify(warning));
  return notice({
    title: list.length > 1 ? 'Good to know' : null,
    tone: 'warn',
    ...(list.length > 1
      ? {
          more: h(
            'ul',
            {},
            list.map((warning) => h('li', {}, words(warning))),
          ),
        }
      : { text: words(list[0]) }),
  });
}
