// The samples of a point in a panel: what limits it, a chart for each side, what they look like in words, the sample at
// the pointer, and the explanation of the point.

import { readout } from '../charts/readout.js';
import { exportButtons } from '../charts/export/buttons.js';
import { sampleChart } from '../charts/samples/samplechart.js';
import { errorNotice, loading } from './notice.js';
import { cautionTags } from './cautiontags.js';
import { explanationDetails, limitLine } from './explanation.js';
import { isOutlier, sampleDrawing } from '../results/samples.js';
import { describePoints } from '../results/series.js';
import { percent, plain, plural, quantity } from '../text/format.js';
import { shownUnit } from '../text/units.js';
import { h, replace } from '../dom.js';

const SIDES = { base: 'Base', head: 'Head' };

/** Returns {open(key, load), reveal()}. open() shows what load() promises in the element `area`, unless that of the
 * same `key` is shown: {point, measurements, explanation, lines, id}, the point (a measurement; undefined if there is
 * none), its measurements with samples, of both sides where it is compared, its explanation (parts/explanation.js;
 * undefined for none), and for pictures lines of text about their runs and an id for the name of the file. reveal()
 * moves the focus to the panel. `closed()` is called when the user closes it. */
export function samplesPanel({ experiment, area, closed, signal }) {
  const title = h('h2', { tabindex: -1 });
  const body = h('div', { class: 'sample-sides' });
  const buttons = h('div', { class: 'result-tools row loose' });
  const element = h(
    'section',
    { class: 'panel samples-panel', 'aria-label': 'Samples' },
    h('div', { class: 'result-head row spread' }, title, h('div', { class: 'result-tools row loose' }, buttons, h('button', { type: 'button', class: 'small', on: { click: close } }, 'Close'))),
    body,
  );
  let shown = null; // the key of what is shown, or awaited

  async function open(key, load) {
    if (element.parentNode !== area) replace(area, element);
    if (shown === key) return;
    shown = key;
    replace(buttons);
    replace(body, loading());
    try {
      const found = await load();
      if (shown === key && !signal.aborted) draw(found);
    } catch (error) {
      if (signal.aborted || shown !== key) return;
      shown = null;
      replace(body, errorNotice(error, () => open(key, load)));
    }
  }

  function draw({ point, measurements, explanation, lines, id }) {
    const metric = { title: point?.metric, ...experiment.metrics?.find(({ name }) => name === point?.metric) };
    title.textContent = point ? titleOf(point, metric, experiment) : 'Samples';
    if (!point) return replace(body, h('p', { class: 'aside' }, 'The run has no such measurement.'));
    return replace(body, explanation ? limitLine(explanation) : null, samplesOf({ measurements, lines, id }, metric), explanation ? explanationDetails(explanation) : null);
  }

  function samplesOf({ measurements, lines, id }, metric) {
    if (measurements.some(({ stop_reason: reason }) => reason === null)) return h('p', { class: 'aside' }, 'This is a single value, without samples.');
    if (measurements.some(({ samples }) => !samples.length))
      return h('p', { class: 'aside' }, 'The samples of this point are not stored: they were removed, or left out of an export.');
    const drawing = sampleDrawing(measurements);
    replace(buttons, exportButtons(() => picture(measurements, lines, id), { signal }));
    return drawing.sides.map((side) => sideElement(drawing, side, metric));
  }

  function sideElement(drawing, side, { title: name }) {
    const { measurement } = side;
    const unit = shownUnit(measurement.metric, measurement.unit);
    const reading = readout();
    reading.setHint('Point at the strip, or focus it and use the arrow keys, to read samples.');
    const label = [SIDES[measurement.side], name].filter(Boolean).join(': ');
    const chart = sampleChart({ metric: { title: name, unit }, label, signal, read: (index, spoken) => reading.show(index === null ? null : readingOf(measurement, index, unit), spoken) });
    chart.update(drawing, side);
    return h(
      'div',
      { class: 'sample-side' },
      measurement.side ? h('h3', {}, SIDES[measurement.side]) : null,
      h('p', { class: 'sample-facts row' }, factsOf(measurement, unit).map((text) => h('span', {}, text)), cautionTags(measurement)),
      reading.element,
      chart.element,
    );
  }

  function picture(measurements, lines, id) {
    const facts = measurements.map((one) => [SIDES[one.side], ...factsOf(one, shownUnit(one.metric, one.unit))].filter(Boolean).join(' · '));
    return { root: body, title: `${experiment.title}: ${title.textContent}`, lines: [...facts, ...lines], name: `${experiment.name}-samples-${id}` };
  }

  function close() {
    closed();
    replace(area);
  }

  return {
    open,
    reveal() {
      title.focus({ preventScroll: true });
      element.scrollIntoView({ block: 'nearest' });
    },
  };
}

function titleOf(point, { title }, { axes = [] }) {
  const [{ text }] = describePoints([point], axes.filter(({ name }) => name in point.axes));
  return [`Samples: ${title}`, text].filter(Boolean).join(' · ').replaceAll(' · ', '\u00a0· ');
}

const readingOf = (measurement, index, unit) => ({
  series: null,
  name: `Sample ${plain(index + 1)} of ${plain(measurement.samples.length)}`,
  facts: [quantity(measurement.samples[index], unit), isOutlier(measurement, measurement.samples[index]) ? 'outlier' : null].filter(Boolean),
});

/** What the samples look like, in words. */
function factsOf({ samples, median, q1, q3, noise, shape }, unit) {
  const write = (value) => quantity(value, unit);
  return [
    plural(samples.length, 'sample'),
    `median ${write(median)}`,
    `quartiles ${write(q1)} to ${write(q3)}`,
    Number.isFinite(noise) ? `noise ${percent(noise)}` : null,
    Number.isFinite(shape?.drift) ? `drift ${percent(shape.drift)} (${percent(shape.drift_low)} to ${percent(shape.drift_high)})` : null,
    shape?.modes ? `levels ${shape.modes.map((value, at) => `${write(value)} (${percent(shape.mode_shares[at])})`).join(' and ')}` : null,
    shape?.outliers ? `${plural(shape.outliers, 'outlier')}, the farthest ${write(shape.farthest_outlier)}` : null,
  ].filter(Boolean);
}
