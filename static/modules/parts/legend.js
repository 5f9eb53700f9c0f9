// The legend: each line in words, switched on and off by its button, with its value under the pointer; below it, how
// to read the picture.

import { h, replace } from '../dom.js';
import { quantity } from '../format.js';
import { axisWords, factWords } from '../displaynames.js';
import { swatch } from './seriesstyle.js';

/** {element, update(grouped, hidden, kind), point(x | null)}. `toggle(key)` is called when a line is switched; `ideal`
 * is that of the view (ideal.js), or null. */
export function legend({ axis, metric, ideal, toggle }) {
  const items = h('ul', { class: 'legend-items' });
  const where = h('p', { class: 'legend-where', 'aria-hidden': 'true' });
  const reading = h('p', { class: 'legend-reading' });
  const element = h('div', { class: 'legend' }, where, items, reading);
  const values = new Map(); // key -> the element that shows its value under the pointer
  let shown = [];
  let drawn = '';

  function draw(series, hidden, kind) {
    values.clear();
    replace(
      items,
      series.map((one) => {
        const value = h('span', { class: 'legend-value', 'aria-hidden': 'true' });
        values.set(one.key, value);
        return h(
          'li',
          {},
          h(
            'button',
            {
              type: 'button',
              class: 'legend-item',
              'aria-pressed': String(!hidden.has(one.key)),
              on: { click: () => toggle(one.key) },
            },
            swatch(one, { line: kind !== 'roofline' }), // there, lines are the roofs
            h('span', { class: 'legend-label' }, one.label),
            value,
          ),
        );
      }),
    );
  }

  return {
    element,
    update({ series, varying, constant, following, coloured }, hidden, kind) {
      shown = series;
      // Bars carry their names; a legend that repeats them would only add to what has to be read.
      const named = kind === 'bars' && series.every(({ points }) => points.length === 1);
      items.hidden =
        named ||
        (kind === 'bars' && series.length > MANY_BARS) ||
        kind === 'ladder' ||
        kind === 'matrix' ||
        (kind === 'roofline' && series.length === 1);
      element.classList.toggle('compact', kind === 'roofline');
      const look = ({ key, label, colour, dash, marker }) => [key, label, colour, dash, marker];
      const next = JSON.stringify([series.map(look), [...hidden]]);
      if (next !== drawn) {
        // Drawing again would take the focus from the button that was pressed.
        const at = [...items.querySelectorAll('button')].indexOf(document.activeElement);
        draw(series, hidden, kind);
        if (at >= 0) items.querySelectorAll('button')[at]?.focus();
        drawn = next;
      }
      const same = [...(named ? commonPlace(series) : []), ...constant];
      const others = varying.filter((one) => one !== coloured);
      replace(reading, readingWords({ coloured, others, same, following, axis, ideal }, kind));
    },
    point(x) {
      where.textContent = x === null ? '' : `at ${axisWords(axis, x)}`;
      for (const { key, points } of shown) {
        const found = x === null ? null : pointAt(points, x)?.measurement;
        values.get(key).textContent = found ? quantity(found.median, metric.unit) : '';
      }
    },
  };

  /** The one place on the axis where all bars stand. */
  function commonPlace(series) {
    const xs = new Set(series.map(({ points }) => points[0].x));
    return xs.size === 1 && axis.name ? [{ axis, value: [...xs][0] }] : [];
  }
}

const MANY_BARS = 12;
const NEAR = 0.05; // sizes that differ by rounding alone, as parts of several devices do

/** The point of a line at `x`, or right beside it. */
const pointAt = (points, x) =>
  points.find((point) => point.x === x) ?? points.find((point) => Math.abs(point.x / x - 1) < NEAR);

const READING = {
  line: 'A line joins medians; its band holds the middle half of the samples.',
  bars: 'A bar is a median; the mark on it holds the middle half of the samples.',
  ladder:
    'A bar is a median; the mark on it holds the middle half of the samples, the dashed line is at the height of the ' +
    'reference. Each group has a scale of its own.',
  matrix:
    'A row is where the bytes come from, a column where they go. The stronger the colour, the larger the figure; a ' +
    'red one did not verify.',
  roofline:
    'The slope is the memory’s roof, bandwidth times intensity; a flat one is that of a type’s arithmetic. Full ' +
    'lines were measured, dashed ones are what the device’s attributes promise; a ring is the reference.',
};
const BY = { line: 'Dash and marker', roofline: 'Marker' };

/** "Colour: direction. Dash and marker: host memory. n and k vary with m. The same for all: engine: copy engine. …" */
function readingWords({ coloured, others, same, following, axis, ideal }, kind) {
  const nameOf = ({ title }) => title.toLowerCase();
  const sentences = [];
  if (coloured && others.length && kind !== 'ladder')
    sentences.push(`Colour: ${nameOf(coloured)}. ${BY[kind] ?? 'Label'}: ${others.map(nameOf).join(', ')}.`);
  if (following.length) {
    const names = following.map(nameOf).join(' and ');
    sentences.push(`Along with ${nameOf(axis)}: ${names}.`);
  }
  if (same.length) {
    const words = same.map(
      ({ axis: one, value, partly }) => factWords(one, value) + (partly ? ' (where there is one)' : ''),
    );
    sentences.push(`The same for all: ${words.join(', ')}.`);
  }
  sentences.push(READING[kind]);
  if (ideal && kind === 'line') sentences.push(`The thin dashed line is the ideal: ${ideal.words}.`);
  if (ideal && kind === 'bars') sentences.push('Over one count there is no line: how it scales takes several.');
  return sentences.join(' ');
}
