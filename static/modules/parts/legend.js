// The legend: each line in words, switched on and off by its button, with its value under the pointer; below it, how
// to read the picture.

import { h, replace } from '../dom.js';
import { quantity } from '../format.js';
import { valueWords } from '../words.js';
import { swatch } from './stroke.js';

/** {element, update(grouped, hidden), point(x | null)}. `toggle(key)` is called when a line is switched. */
export function legend({ axis, metric, toggle }) {
  const items = h('ul', { class: 'legend-items' });
  const where = h('p', { class: 'legend-where', 'aria-hidden': 'true' });
  const reading = h('p', { class: 'legend-reading' });
  const element = h('div', { class: 'legend' }, where, items, reading);
  const values = new Map(); // key -> the element that shows its value under the pointer
  let shown = [];
  let drawn = '';

  function draw(series, hidden) {
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
            swatch(one),
            h('span', { class: 'legend-label' }, one.label),
            value,
          ),
        );
      }),
    );
  }

  return {
    element,
    update({ series, varying, constant }, hidden, kind) {
      shown = series;
      // Bars carry their names; a legend that repeats them would only add to what has to be read.
      const named = kind === 'bars' && series.every(({ points }) => points.length === 1);
      items.hidden = named;
      const next = JSON.stringify([series.map(({ key, colour, dash }) => [key, colour, dash]), [...hidden]]);
      if (next !== drawn) {
        // Drawing again would take the focus from the button that was pressed.
        const at = [...items.querySelectorAll('button')].indexOf(document.activeElement);
        draw(series, hidden);
        if (at >= 0) items.querySelectorAll('button')[at]?.focus();
        drawn = next;
      }
      replace(reading, readingWords(varying, [...(named ? commonPlace(series) : []), ...constant], kind));
    },
    point(x) {
      where.textContent = x === null ? '' : `at ${valueWords(axis.name, x, axis.unit)}`;
      for (const { key, points } of shown) {
        const found = x === null ? null : points.find((point) => point.x === x)?.measurement;
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

/** "Colour: direction. Dash and marker: host memory. The same for all: engine: copy engine. A line joins …" */
function readingWords(varying, constant, kind) {
  const names = varying.map((axis) => axis.title.toLowerCase());
  const sentences = [];
  if (names.length > 1) {
    sentences.push(
      `Colour: ${names[0]}. ${kind === 'line' ? 'Dash and marker' : 'Label'}: ${names.slice(1).join(', ')}.`,
    );
  }
  if (constant.length) {
    const same = constant.map(
      ({ axis, value }) => `${axis.title.toLowerCase()}: ${valueWords(axis.name, value, axis.unit)}`,
    );
    sentences.push(`The same for all: ${same.join(', ')}.`);
  }
  sentences.push(
    kind === 'line'
      ? 'A line joins medians; its band holds the middle half of the samples.'
      : 'A bar is a median; the mark on it holds the middle half of the samples.',
  );
  return sentences.join(' ');
}
