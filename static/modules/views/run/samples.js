// The samples of a point: a chart for each side, what they look like in words, and the sample at the pointer.

import { readout } from '../../charts/readout.js';
import { exportButtons } from '../../charts/export/buttons.js';
import { runLines } from '../../charts/export/run.js';
import { sampleChart } from '../../charts/samples/samplechart.js';
import * as api from '../../lab/api.js';
import { errorNotice, loading } from '../../parts/notice.js';
import { cautionTags } from '../../parts/cautiontags.js';
import { isAtPoint } from '../../results/headline.js';
import { isOutlier, positionsOfSides, sampleDrawing } from '../../results/samples.js';
import { describePoints } from '../../results/series.js';
import { percent, plain, plural, quantity } from '../../text/format.js';
import { shownUnit } from '../../text/units.js';
import { h, replace } from '../../dom.js';

const SIDES = { base: 'Base', head: 'Head' };

/** Returns {choose(run, measurement), update(run)}, which show the samples of a measurement and those of the choice `samples` in the
 * element `area`. */
export function samplesPanel({ experiment, devices, signal, choices, area }) {
  const title = h('h2', { tabindex: -1 });
  const body = h('div', { class: 'sample-sides' });
  const buttons = h('div', { class: 'result-tools' });
  const element = h(
    'section',
    { class: 'panel samples-panel', 'aria-label': 'Samples' },
    h('div', { class: 'result-head' }, title, h('div', { class: 'result-tools' }, buttons, h('button', { type: 'button', class: 'small', on: { click: close } }, 'Close'))),
    body,
  );
  let shown = null; // the request whose samples are shown, or awaited
  let listed = null; // {identity, list}: the measurements of the run, a promise

  /** All measurements of the run, which are fetched again while it has more. */
  function listOf(run) {
    const identity = `${run.id} ${run.measurement_count}`;
    if (listed?.identity !== identity) listed = { identity, list: api.measurements(run.id, signal) };
    return listed.list;
  }

  async function show(run, position) {
    const request = `${run.id} ${position}`;
    if (shown === request) return;
    shown = request;
    replace(buttons);
    replace(body, loading());
    try {
      const list = await listOf(run);
      const positions = positionsOfSides(list, position);
      const sides = await Promise.all(positions.map((at) => api.samples(run.id, at, signal)));
      if (shown === request && !signal.aborted) draw(run, sides, list[position]);
    } catch (error) {
      if (signal.aborted || shown !== request) return;
      shown = listed = null;
      replace(body, errorNotice(error, () => show(run, position)));
    }
  }

  function draw(run, measurements, point) {
    const metric = { title: point?.metric, ...experiment.metrics?.find(({ name }) => name === point?.metric) };
    title.textContent = point ? titleOf(point, metric, experiment) : 'Samples';
    if (!point) return replace(body, h('p', { class: 'aside' }, 'The run has no such measurement.'));
    if (measurements.some(({ samples }) => !samples.length))
      return replace(body, h('p', { class: 'aside' }, 'The samples of this point are not stored: they were removed, or left out of an export.'));
    const drawing = sampleDrawing(measurements);
    replace(buttons, exportButtons(() => picture(run, measurements)));
    return replace(body, drawing.sides.map((side) => sideElement(drawing, side, metric)));
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
      h('p', { class: 'sample-facts' }, factsOf(measurement, unit).map((text) => h('span', {}, text)), cautionTags(measurement)),
      reading.element,
      chart.element,
    );
  }

  function picture(run, measurements) {
    const facts = measurements.map((one) => [SIDES[one.side], ...factsOf(one, shownUnit(one.metric, one.unit))].filter(Boolean).join(' · '));
    return { root: body, title: `${experiment.title}: ${title.textContent}`, lines: [...facts, ...runLines(run, devices)], name: `${experiment.name}-samples-${run.id}` };
  }

  function close() {
    choices.set({ samples: '' });
    replace(area);
  }

  function update(run) {
    if (!/^\d+$/.test(choices.get('samples'))) return;
    if (element.parentNode !== area) replace(area, element);
    show(run, Number(choices.get('samples')));
  }

  return {
    update,
    async choose(run, measurement) {
      const position = (await listOf(run)).findIndex((one) => one.side !== 'base' && isAtPoint(one, measurement));
      if (position < 0) return;
      choices.set({ samples: String(position) });
      update(run);
      title.focus({ preventScroll: true });
      element.scrollIntoView({ block: 'nearest' });
    },
  };
}

function titleOf(point, { title }, { axes = [] }) {
  const [{ text }] = describePoints([point], axes.filter(({ name }) => name in point.axes));
  return [`Samples: ${title}`, text].filter(Boolean).join(' · ');
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
