// The legend of a chart: entries with a button that hides or shows their series, and the value at the pointer; below,
// how to read the chart.

import { h, replace } from '../dom.js';
import { isWorkingSet } from '../results/cachesizes.js';
import { legendEntries, repeatsBars } from '../results/legendentries.js';
import { isSeparate, pointAt } from '../results/lines.js';
import { isReference } from '../results/stepgroups.js';
import { plural, quantity } from '../text/format.js';
import { titledValue } from '../text/displaynames.js';
import { swatch } from './seriesstyle.js';

/** Returns {element, update(grouped, hidden, kind), point(x)}. `grouped` is the result of seriesOf, `hidden` a set of
 * keys of hidden series, `kind` the kind of chart. point(x) shows the values at x, or no values if x is null.
 * `toggle(keys, shown)` is called when the user hides or shows the series of an entry, `emphasise(key)` with the series
 * whose entry is pointed at, or null; `ideal` is the theoretical line that the view shows for comparison (ideal.js),
 * `slope` the sentence about its slope (slope.js), `prediction` the metric that predicts the values (predictions.js),
 * or null; `ownScales` says that each group of bars has a scale of its own, `alternated` that shares of a reference are
 * measured and not computed. */
export function legend({ axis, metric, ideal, slope, prediction, ownScales, alternated, toggle, emphasise }) {
  const items = h('ul', { class: 'legend-items' });
  const explanation = h('p', { class: 'legend-explanation aside' });
  const element = h('div', { class: 'legend' }, items, explanation);
  let entries = []; // of legendEntries, with `button`, and `value`, the element with the value at the pointer
  let shown = []; // the series
  let drawnItems = ''; // what the entries show, as JSON, to draw them only when it changes

  function drawItems(found, kind) {
    entries = found.map((entry) => {
      const { keys, label, one } = entry;
      const value = h('span', { class: 'legend-value', 'aria-hidden': 'true' });
      const [over, out] = [() => emphasise(one.key), () => emphasise(null)];
      const button = h(
        'button',
        {
          type: 'button',
          class: 'legend-item',
          on: { click: () => toggle(keys, button.getAttribute('aria-pressed') === 'false'), pointerenter: over, pointerleave: out, focus: over, blur: out },
        },
        swatch(one, { line: kind !== 'roofline' && !(kind === 'line' && isSeparate(axis)), bar: kind === 'bars' }), // in a roofline chart only the roofs are lines
        h('span', { class: 'legend-label' }, label),
        value,
      );
      return { ...entry, button, value };
    });
    replace(
      items,
      entries.map(({ button }) => h('li', {}, button)),
    );
  }

  return {
    element,
    update({ series, varying, constant, following, coloured, skipped, reference = null, cautioned = false, intensities = new Set() }, hidden, kind) {
      shown = series;
      const labelled = kind === 'bars' && series.every(({ points }) => points.length === 1);
      const found = legendEntries({ series, coloured }, kind);
      items.hidden = WITHOUT_ITEMS.has(kind) || (kind === 'bars' && repeatsBars(found, { series })) || (kind !== 'line' && found.length === 1);
      element.classList.toggle('compact', kind === 'roofline');
      const styleOf = ({ keys, label, one: { colour, dash, marker } }) => [keys, label, colour, dash, marker];
      const next = JSON.stringify([kind, ...found.map(styleOf)]);
      if (next !== drawnItems) {
        // Redrawing removes the button that has the focus.
        const focused = [...items.querySelectorAll('button')].indexOf(document.activeElement);
        drawItems(found, kind);
        if (focused >= 0) items.querySelectorAll('button')[focused]?.focus();
        drawnItems = next;
      }
      for (const { keys, button } of entries) button.setAttribute('aria-pressed', String(!keys.every((key) => hidden.has(key))));
      const common = [...(labelled ? commonX(series) : []), ...constant];
      const others = varying.filter((one) => one !== coloured);
      const ordered = series.some(({ points }) => points.some((one) => typeof one.x === 'number'));
      const library = series.some(({ points }) => points.some(({ x }) => isReference(x)));
      const several = series.length > 1;
      const shapes = series.some(({ points }) => points.some(({ shape }) => shape));
      const parts = { coloured, others, common, following, axis, ideal, slope, prediction, ordered, reference, library, several, shapes, cautioned, skipped, ownScales, alternated, intensities };
      replace(explanation, explanationText(parts, kind));
    },
    point(x) {
      const byKey = new Map(shown.map((one) => [one.key, one]));
      for (const { keys, value } of entries) {
        const found = x === null || keys.length > 1 ? null : pointAt(byKey.get(keys[0]).points, x);
        value.textContent = found ? pointText(found) : '';
      }
    },
  };

  /** The value of a point, and what was predicted. */
  function pointText({ measurement, predicted = null }) {
    const text = quantity(measurement.median, metric.unit);
    return predicted === null ? text : `${text}, predicted ${quantity(predicted, metric.unit)}`;
  }

  /** The value of the axis that all bars have in common. */
  function commonX(series) {
    const xs = new Set(series.map(({ points }) => points[0].x));
    return xs.size === 1 && axis.name ? [{ axis, value: [...xs][0] }] : [];
  }
}

const WITHOUT_ITEMS = new Set(['ladder', 'matrix', 'heat']); // kinds that label their series themselves
const SHOWS_SKIPPED = new Set(['matrix', 'heat']); // kinds that show skipped points, with the reason

/** By kind of chart: how to read it. */
const EXPLANATIONS = {
  line: 'Lines connect medians; bands show the interquartile range of the samples.',
  bars: 'Bars show medians; the thin mark shows the interquartile range of the samples.',
  ladder: 'Bars show medians; the thin mark shows the interquartile range of the samples.',
  matrix: 'Rows are sources, columns are targets. Stronger colours are larger values; red cells have wrong results.',
  heat: 'Stronger colours are larger values; red cells have wrong results.',
  scatter: 'Points show medians. A value of 0 on a logarithmic axis is drawn at its lower end.',
  roofline:
    'Sloped line: memory roof (bandwidth × intensity). Flat lines: compute roof of each type. Solid lines are ' +
    'measured, dashed lines are theoretical peaks.',
};

/** By kind of chart: what distinguishes series of the same colour; in other kinds their labels do. */
const STYLE_NAMES = { line: 'Dash and marker', scatter: 'Dash and marker', roofline: 'Marker' };

const ASSUMED = 'Markers are at the assumed arithmetic intensity, that of a perfect cache: each byte is moved once.';

/** How a roofline shows counted intensities, by whether it has assumed ones too. */
const COUNTED = {
  true:
    `${ASSUMED} The dot at the end of a thin line is at that by ` +
    'the bytes of device memory that the hardware counted: to the left if more were moved, to the right if the cache had some; without a dot it is beyond the chart.',
  false: 'Markers are at the arithmetic intensity by the bytes of device memory that the hardware counted.',
};

const OWN_SCALES = 'Each group has its own scale.';
const OF_ALTERNATED =
  'A share of the reference is of samples taken alternately with those of the reference, at the same clocks: it can differ from the lengths of the bars.';

/** Groups that differ in their load only are compared with each other (stepgroups.js). */
function scaleSentence(varying) {
  const loads = varying.some((axis) => axis?.name === 'load');
  if (!loads) return OWN_SCALES;
  return varying.length > 1 ? 'Groups that differ only in their load share a scale.' : 'The groups share a scale.';
}

/** The text below the legend, such as "Colour: direction. Dash and marker: host memory. Varies with m: n and k. Same
 * for all: engine: copy engine. Lines connect medians; …" */
function explanationText({ coloured, others, common, following, axis, ideal, slope, prediction, ordered, reference, library, several, shapes, cautioned, skipped, ownScales, alternated, intensities }, kind) {
  const nameOf = ({ title }) => title.toLowerCase();
  const sentences = [];
  const separate = kind === 'line' && isSeparate(axis);
  if (coloured && others.length && kind !== 'ladder')
    sentences.push(`Colour: ${nameOf(coloured)}. ${separate ? 'Marker' : (STYLE_NAMES[kind] ?? 'Label')}: ${others.map(nameOf).join(', ')}.`);
  if (following.length) {
    const names = following.map(nameOf).join(' and ');
    sentences.push(`Varies with ${nameOf(axis)}: ${names}.`);
  }
  if (common.length) {
    const facts = common.map(
      ({ axis: one, value, partly }) => titledValue(one, value) + (partly ? ' (where applicable)' : ''),
    );
    sentences.push(`Same for all: ${facts.join(', ')}.`);
  }
  sentences.push(separate ? `Points are medians, thin marks the interquartile range of the samples. They are not joined: between two values of ${nameOf(axis)} nothing is known.` : EXPLANATIONS[kind]);
  if (kind === 'ladder' && library) sentences.push('The dashed line is the reference.');
  if (kind === 'ladder' && library && alternated) sentences.push(OF_ALTERNATED);
  if (kind === 'ladder' && several) sentences.push(scaleSentence([coloured, ...others]));
  if (kind === 'bars' && ownScales) sentences.push(OWN_SCALES);
  if (kind === 'roofline' && library) sentences.push('The hollow marker is the reference.');
  if (intensities.has('counted_intensity')) sentences.push(COUNTED[intensities.has('intensity')]);
  else if (intensities.has('intensity')) sentences.push(ASSUMED);
  if (shapes) sentences.push('The fastest point of each shape is labelled with its sizes.');
  if (kind === 'scatter' && ordered) sentences.push(`Lines join the points of a series in the order of: ${nameOf(axis)}.`);
  if (prediction && kind === 'line') sentences.push(`${separate ? 'Short' : 'Thin dashed'} lines are predictions, computed and not measured.`);
  if (kind === 'line' && isWorkingSet(axis.name)) sentences.push('Vertical lines are the sizes of caches.');
  if (skipped.length && !SHOWS_SKIPPED.has(kind)) sentences.push(`${plural(skipped.length, 'point')} skipped: the table of the run says why.`);
  if (cautioned) sentences.push('Amber triangles mark values to rely on with caution.');
  if (reference && kind === 'line') sentences.push(`Hollow diamonds are reference results of ${reference}.`);
  if (ideal && kind === 'line') sentences.push(`The thin dashed line is the ideal: ${ideal.text}.`);
  if (slope && kind === 'line') sentences.push(slope);
  if (ideal && kind === 'bars') sentences.push('A scaling curve needs at least three device counts.');
  return [sentences.join(' '), cautioned && h('span', { class: 'no-export' }, ' Point at a triangle for the reason.')];
}
