// The chart of a trend: the median of each run with its quartiles, shifts and the baseline. A point leads to its run.

import { curves } from '../../charts/curves.js';
import { h } from '../../dom.js';
import { axisUnit } from '../../results/axisunit.js';
import { countTicks } from '../../results/ticks.js';
import { marksOf, placedMarks, tightRange, valuesOf } from '../../results/trend.js';
import { go } from '../../router.js';
import { dateTime, percent, plural, quantity } from '../../text/format.js';

const HEIGHT = 420;
const DATE_SPACING = 96; // px between dates
const MARK_LENGTH = 24; // characters of a mark beside its line; the list has all of it
const MARK_ROWS = 3; // below the texts of shifts, so that texts of neighbours do not meet
const MARK_ROOM = 0.25; // of the range of the values, above them
const MARK_TEXTS = 12; // newest marks that have their text

/** Returns {element, update(series, marks)}. `metric` is that of the experiment's document. */
export function trendChart({ metric, signal }) {
  const readout = h('p', { class: 'trend-readout', 'aria-hidden': 'true' });
  let values = [];
  let unit = null;
  const hover = (index) => {
    const value = values[index ?? values.length - 1];
    readout.textContent = value ? valueText(value, unit) : '';
  };
  const chart = curves({ height: HEIGHT, hover, open: ({ href }) => go(href), signal });
  return {
    element: h('div', { class: 'trend-chart' }, readout, chart.element),
    update(series, marks) {
      values = valuesOf(series);
      unit = series.point.unit;
      chart.update(drawingOf(series, values, metric, marks));
      hover(null);
    },
  };
}

/** A value in words: "2026-01-31 14:05:09: 54.57 GB/s, quartiles 54.5 to 54.6, 17 samples, pinned". */
export function valueText({ at, median, q1, q3, n, shift, ...value }, unit) {
  const quartiles = Number.isFinite(q1) && Number.isFinite(q3) ? `quartiles ${quantity(q1, unit)} to ${quantity(q3, unit)}` : '';
  const marks = marksOf(value).map(({ word }) => word);
  const level = shift ? `a new level begins, ${percent(Math.abs(shift.relative))} ${shift.relative < 0 ? 'lower' : 'higher'}` : '';
  return `${dateTime(at)}: ${[quantity(median, unit), quartiles, plural(n, 'sample'), ...marks, level].filter(Boolean).join(', ')}`;
}

function drawingOf({ point, baseline }, values, metric, marks) {
  const placed = placedMarks(values, marks);
  const range = withRoom(tightRange(values), placed.length > 0);
  const { unit } = point;
  const days = new Set(values.map(({ at }) => dateTime(at).slice(0, 10)));
  const dateOf = (index) => dateTime(values[index]?.at).slice(...(days.size > 1 ? [0, 10] : [11, 19]));
  return {
    label: `${metric.title} of ${plural(values.length, 'run')}, oldest first. Arrow keys move between runs; the values are in the table.`,
    x: {
      range: [-0.5, Math.max(0.5, values.length - 0.5)],
      log: false,
      title: days.size > 1 ? 'Run, oldest first' : `Run of ${[...days][0]}, oldest first`,
      ticks: (count) => countTicks(0, values.length - 1, count),
      write: dateOf,
      spacing: DATE_SPACING,
    },
    y: {
      range,
      log: false,
      ...axisUnit({ title: metric.title, unit }, range),
    },
    series: [
      {
        key: 'trend',
        colour: 0,
        dash: 0,
        marker: 0,
        intervals: 'band',
        points: values.map((value) => ({
          x: value.index,
          y: value.median,
          low: value.q1,
          high: value.q3,
          kind: kindOf(value),
          href: `/runs/${value.run}`,
          name: valueText(value, unit),
        })),
      },
    ],
    rules: [
      ...values.filter(({ shift }) => shift).map(({ index, shift }) => shiftRule(index, shift)),
      ...placed.map(markRule),
      ...(baseline && baseline.median >= range[0] && baseline.median <= range[1]
        ? [{ y: baseline.median, text: `baseline ${quantity(baseline.median, unit)}` }]
        : []),
    ],
    zone: null,
  };
}

/** The range with room above the values for the texts of marks. */
const withRoom = ([low, high], hasMarks) => [low, hasMarks ? high + MARK_ROOM * (high - low) : high];

const kindOf = ({ verified, contended, cautions, pinned }) =>
  verified === false ? 'wrong' : contended || cautions.length ? 'caution' : pinned ? 'pinned' : '';

const markRule = ({ index, texts }, number, { length }) => {
  const text = number < length - MARK_TEXTS ? '' : texts.join('; ');
  return { x: index - 0.5, text: text.length > MARK_LENGTH ? `${text.slice(0, MARK_LENGTH - 1)}…` : text, row: 1 + (number % MARK_ROWS), kind: 'mark' };
};

const shiftRule = (index, { relative }) => ({
  x: index - 0.5,
  text: `${relative < 0 ? '−' : '+'}${percent(Math.abs(relative))}`,
  kind: 'shift',
});
