// The verdicts of a run that compares: how its own request did against the one that it was measured with.

import * as api from '../../lab/api.js';
import { cautionTags } from '../../parts/cautiontags.js';
import { reasonList, reasonMark } from '../../parts/reasons.js';
import { reasonsOf } from '../../results/comparison.js';
import { changesOf, decidedPoints, ratioText, summaryText } from '../../results/verdicts.js';
import { labelOf, splitAxes } from '../../results/series.js';
import { plain, quantity } from '../../text/format.js';
import { shownUnit } from '../../text/units.js';
import { fieldsOf } from '../../text/schema.js';
import { h, replace } from '../../dom.js';

const HEADS = [['Point'], ['Other', true], ['This run', true], ['Ratio', true], ['Verdict']];
const TONES = { faster: 'good', slower: 'bad' };
const ROWS_MAX = 12; // rows shown before all are asked for

/** Returns {element, update(run, measurements)}; the element is empty for a run that compares nothing. The comparison is fetched
 * when the run has ended. */
export function verdicts({ experiment, signal }) {
  const element = h('section', { class: 'panel verdicts', 'aria-label': 'Comparison' });
  let all = false; // whether all rows are shown

  const metricTitle = (name) => experiment.metrics?.find((metric) => metric.name === name)?.title ?? name;

  const baseText = (run) => ['the same request', changesOf(run, fieldsOf(experiment.parameters))].filter(Boolean).join(' with ');

  function draw(run, measurements, comparisonDocument) {
    const { summary, points, warnings } = comparisonDocument;
    const decided = decidedPoints(points);
    const { varying } = splitAxes(decided, experiment.axes, null);
    const heads = HEADS.map(([title, figure]) => h('th', { scope: 'col', class: figure ? 'figure' : null }, title));
    const reasons = reasonsOf(decided);
    const shown = all ? decided : decided.slice(0, ROWS_MAX);
    const showAll = () => {
      all = true;
      draw(run, measurements, comparisonDocument);
    };
    replace(
      element,
      h('h2', {}, summaryText(summary, decided, metricTitle)),
      h('p', { class: 'formula' }, `This run against ${baseText(run)}, measured alternately. Ratio: this run / the other, with its 95\u00a0% interval.`),
      warnings.length ? h('ul', { class: 'plain-list caution-list' }, warnings.map((text) => h('li', {}, text))) : null,
      reasonList(reasons),
      h(
        'div',
        { class: 'table-frame', role: 'region', tabindex: 0, 'aria-label': 'Verdicts' },
        h(
          'table',
          { class: 'figures' },
          h('caption', { class: 'visually-hidden' }, 'Verdict at each point'),
          h('thead', {}, h('tr', {}, heads)),
          h('tbody', {}, shown.map((point) => row(point, varying, cautionsFor(point, measurements, run), metricTitle, reasons))),
        ),
      ),
      shown.length < decided.length
        ? h('button', { type: 'button', class: 'small', on: { click: showAll } }, `Show all ${plain(decided.length)} points`)
        : null,
    );
  }

  return {
    element,
    async update(run, measurements) {
      if (!run.compare_with) return;
      try {
        draw(run, measurements, await api.compare({ run: run.id }, signal));
      } catch (error) {
        if (!signal.aborted) replace(element, h('h2', {}, 'Comparison'), h('p', { class: 'aside' }, `The verdicts could not be computed: ${error.message}`));
      }
    },
  };
}

function cautionsFor({ axes, metric }, measurements, run) {
  const key = JSON.stringify(axes);
  const own = measurements.find((one) => one.metric === metric && JSON.stringify(one.axes) === key);
  return own ? cautionTags(own, run) : [];
}

/** `reasons` are those of all points, as reasonsOf returns them. */
function row(point, varying, cautions, metricTitle, reasons) {
  const { metric, base, head, verdict, reason } = point;
  const unit = shownUnit(metric, point.unit);
  const title = metricTitle(metric);
  const label = labelOf(point, varying, '');
  return h(
    'tr',
    {},
    h('th', { scope: 'row', class: 'row-title' }, label || title, label ? h('span', { class: 'aside' }, ` ${title.toLowerCase()}`) : null),
    h('td', { class: 'figure' }, quantity(base.median, unit)),
    h('td', { class: 'figure strong' }, quantity(head.median, unit)),
    h('td', { class: 'figure' }, ratioText(point)),
    h('td', {}, h('span', { class: `status ${TONES[verdict] ?? 'quiet'}` }, verdict), reason ? reasonMark(reason, reasons) : null, ' ', cautions),
  );
}
