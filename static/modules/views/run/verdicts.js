// The verdicts of a run that compares: its own request against the request that was measured alternately with it.

import { samplesButton } from '../../charts/samples/button.js';
import { cautionTags } from '../../parts/cautiontags.js';
import { certainty, reasonList, reasonMark } from '../../parts/certainty.js';
import { counterChanges } from '../../parts/counterchanges.js';
import { axesOf, decided as decidedOf, intervalText, ratioText, reasonsOf, summaryText } from '../../results/comparison.js';
import { labelOf } from '../../results/series.js';
import { changesOf } from '../../text/differences.js';
import { plain, quantity } from '../../text/format.js';
import { shownUnit } from '../../text/units.js';
import { fieldsOf } from '../../text/schema.js';
import { h, replace } from '../../dom.js';

const TONES = { faster: 'good', slower: 'bad' };
const ROWS_MAX = 12; // rows shown before all are asked for

/** Fills the panel `element` with `comparison`, the answer of GET /compare?run=ID. */
export function showVerdicts(element, comparison, { run, measurements, experiment, showSamples }) {
  const { points, warnings } = comparison;
  const decided = decidedOf(points);
  const { varying } = axesOf(decided, experiment.axes);
  const reasons = reasonsOf(decided);
  const certain = certainty(decided);
  const metricTitle = (name) => experiment.metrics?.find((metric) => metric.name === name)?.title ?? name;
  const baseText = ['the same request', changesOf(run, fieldsOf(experiment.parameters))].filter(Boolean).join(' with ');
  const titles = [['Point'], ['Verdict'], ['Other', true], ['This run', true], ['Ratio', true], ['95 % interval'], ...certain.titles.map((title) => [title, true])];
  const heads = titles.map(([title, figure]) => h('th', { scope: 'col', class: figure ? 'figure' : null }, title));
  const rows = h('tbody', {});
  const showAll = h('button', { type: 'button', class: 'small', on: { click: () => showRows(decided.length) } }, `Show all ${plain(decided.length)} points`);

  const table = h(
    'div',
    { class: 'table-frame', role: 'region', tabindex: 0, 'aria-label': 'Verdicts' },
    h('table', { class: 'figures' }, h('caption', { class: 'visually-hidden' }, 'Verdict at each point'), h('thead', {}, h('tr', {}, heads)), rows),
  );

  function showRows(count) {
    replace(rows, decided.slice(0, count).map((point) => row(point, varying, cautionsFor(point, measurements, run), { metricTitle, reasons, certain, showSamples })));
    showAll.hidden = count >= decided.length;
  }

  showRows(ROWS_MAX);
  replace(
    element,
    h('h2', {}, summaryText(comparison, metricTitle)),
    h('p', { class: 'formula' }, `This run against ${baseText}, measured alternately. Ratio: this run / the other.`),
    warnings.length ? h('ul', { class: 'stack dense caution-list' }, warnings.map((text) => h('li', {}, text))) : null,
    reasonList(reasons),
    certain.notes,
    decided.length ? table : null,
    showAll,
    counterChanges(points, experiment.axes, ['Other', 'This run']),
  );
}

function cautionsFor({ axes, metric }, measurements, run) {
  const key = JSON.stringify(axes);
  const own = measurements.find((one) => one.metric === metric && JSON.stringify(one.axes) === key);
  return own ? cautionTags(own, run) : [];
}

/** `reasons` are those of all points, as reasonsOf returns them, `certain` is what certainty.js returns. */
function row(point, varying, cautions, { metricTitle, reasons, certain, showSamples }) {
  const { metric, base, head, verdict, reason } = point;
  const unit = shownUnit(metric, point.unit);
  const title = metricTitle(metric);
  const label = labelOf(point, varying, '');
  const value = (side) => samplesButton(side, showSamples && (() => showSamples(point)), quantity(side.median, unit));
  return h(
    'tr',
    {},
    h('th', { scope: 'row', class: 'row-title' }, label || title, label ? h('span', { class: 'aside' }, ` ${title.toLowerCase()}`) : null),
    h('td', {}, h('span', { class: `status ${TONES[verdict] ?? 'quiet'}` }, verdict), reason ? reasonMark(reason, reasons) : null, ' ', cautions),
    h('td', { class: 'figure' }, value(base)),
    h('td', { class: 'figure strong' }, value(head)),
    h('td', { class: 'figure' }, ratioText(point.ratio)),
    h('td', {}, intervalText(point)),
    certain.cells(point),
  );
}
