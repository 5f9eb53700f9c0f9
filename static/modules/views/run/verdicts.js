// The verdicts of a run that compares: how its own request did against the one that it was measured with.

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

/** Fills the panel `element` with the answer of GET /compare?run=ID. */
export function showVerdicts(element, { summary, points, warnings }, { run, measurements, experiment }) {
  const decided = decidedPoints(points);
  const { varying } = splitAxes(decided, experiment.axes, null);
  const reasons = reasonsOf(decided);
  const metricTitle = (name) => experiment.metrics?.find((metric) => metric.name === name)?.title ?? name;
  const baseText = ['the same request', changesOf(run, fieldsOf(experiment.parameters))].filter(Boolean).join(' with ');
  const heads = HEADS.map(([title, figure]) => h('th', { scope: 'col', class: figure ? 'figure' : null }, title));
  const rows = h('tbody', {});
  const showAll = h('button', { type: 'button', class: 'small', on: { click: () => showRows(decided.length) } }, `Show all ${plain(decided.length)} points`);

  function showRows(count) {
    replace(rows, decided.slice(0, count).map((point) => row(point, varying, cautionsFor(point, measurements, run), metricTitle, reasons)));
    showAll.hidden = count >= decided.length;
  }

  showRows(ROWS_MAX);
  replace(
    element,
    h('h2', {}, summaryText(summary, decided, metricTitle)),
    h('p', { class: 'formula' }, `This run against ${baseText}, measured alternately. Ratio: this run / the other, with its 95\u00a0% interval.`),
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
        rows,
      ),
    ),
    showAll,
  );
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
