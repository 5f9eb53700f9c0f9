// The values of the point at the pointer or with the keyboard focus, in a line above the chart. Charts call `read` with
// a reading {series, name, facts, cautions, measurement}: the series or null, the name of the point, its values as
// texts, its cautions (cautions.js) and what they are of; or with null when no point is selected.

import { h, replace } from '../dom.js';
import { percent, plural, quantity } from '../text/format.js';
import { axisValueText, labelledValue } from '../text/displaynames.js';
import { ALL_POINTS } from '../results/series.js';
import { announce } from '../parts/announce.js';
import { swatch } from './seriesstyle.js';

/** Returns {element, show(reading, spoken), setHint(text, fills)}; `spoken`: the reading is announced, because it was
 * selected with the keyboard. The hint is shown while there is no reading; without a hint the element is hidden. Where
 * readings come, `fills`, it is as high as they are. */
export function readout() {
  const line = h('p', {});
  const element = h('div', { class: 'readout no-export', hidden: true }, line);
  let hint = '';
  return {
    element,
    show(reading, spoken = false) {
      if (!reading) return replace(line, h('span', { class: 'aside' }, hint));
      const { series, name, facts, cautions = [] } = reading;
      replace(
        line,
        series && swatch(series),
        h('strong', {}, name),
        facts.map((text) => h('span', {}, text)),
        cautions.map((caution) => h('span', { class: 'tag warn', title: caution.text }, caution.name)),
      );
      if (spoken) announce([name, ...facts, ...cautions.map(({ name: word }) => word)].join(', '));
      return undefined;
    },
    setHint(text, fills = true) {
      hint = text;
      element.classList.toggle('fills', fills);
      element.hidden = !text;
      replace(line, h('span', { class: 'aside' }, text));
    },
  };
}

/** The reading of a point of a series over `axis`. */
export function pointReading({ label, ...series }, { x, measurement, predicted = null }, { axis, metric, cautionsOf }) {
  const { median, q1, q3, n, noise, verified } = measurement;
  const write = (value) => quantity(value, metric.unit);
  const where = axis.unit ? axisValueText(axis, x) : labelledValue(axis, x);
  return {
    series,
    name: [where, label].filter((text) => text && text !== ALL_POINTS).join(' · '),
    facts: [
      write(median),
      n > 1 && typeof q1 === 'number' ? `quartiles ${write(q1)} to ${write(q3)}` : null,
      noise > 0 ? `noise ${percent(noise)}` : null,
      n > 0 ? plural(n, 'sample') : null,
      predicted === null ? null : `predicted ${write(predicted)}`,
      verified === false ? 'wrong result' : null,
    ].filter(Boolean),
    cautions: cautionsOf(measurement),
    measurement,
  };
}
