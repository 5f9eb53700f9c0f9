// One bar of a step: name, bar with the reference line, throughput and share of the reference.

import { h, keepingFocus, replace } from '../../dom.js';
import { percent, plain, quantity } from '../../text/format.js';
import { isReference } from '../../results/stepgroups.js';
import { axisValueText } from '../../text/displaynames.js';
import { cautioned } from '../cautionmarks.js';
import { samplesButton } from '../samples/button.js';
import { colourVariable } from '../seriesstyle.js';

/** Whether the words of a step's display name occur in its title; they may differ in case, commas and "x" for "×". */
function saysTheSame(title, name) {
  const simplified = (text) => text.toLowerCase().replaceAll('×', 'x').replaceAll('\u00a0', ' ').replaceAll(',', '');
  return simplified(title).includes(simplified(name));
}

/** Returns {source, element, mark(step), update(bar, group, cautions)}; `bar` and `group` as returned by stepGroupsOf.
 * If `source` (an entry of the experiment's `sources`, or null) is given, the name is a button that calls
 * `choose(step)`, and so is all of the bar but the value, which shows its samples; `controls` is the id of the element
 * that shows the chosen step. mark(step) shows the button as pressed if its step is the chosen one. */
export function stepBar({ step, source, axis, metric, controls, choose, showSamples }) {
  const stepName = (value) => axisValueText(axis, value);
  const heading = source?.title ?? stepName(step);
  const value = h('span', { class: 'bar-value' });
  const share = h('span', { class: 'step-bar-share' });
  const fill = h('span', { class: 'bar-fill' });
  const spread = h('span', { class: 'bar-spread' });
  const referenceLine = h('span', { class: 'step-bar-reference' });
  const named = [heading, !saysTheSame(heading, stepName(step)) && h('span', { class: 'bar-position aside' }, stepName(step))];
  const name = source
    ? h('button', { type: 'button', class: 'bar-label step-choice', 'aria-controls': controls, on: { click: () => choose(step) } }, named)
    : h('span', { class: 'bar-label' }, named);
  const track = h('span', { class: 'bar-track' }, fill, spread);
  const row = h(
    'div',
    { class: 'step-bar' },
    name,
    h('span', { class: 'step-bar-track', 'aria-hidden': 'true' }, track, referenceLine),
    h('span', { class: 'step-bar-values' }, value, share),
  );

  /** "93.0 % of cuBLAS", or a text for wrong results and for the reference itself. */
  function shareText({ measurement: { verified, wrong }, share: fraction }, reference) {
    if (verified === false) return wrong ? `✗ ${plain(wrong)} wrong` : '✗ wrong result';
    if (isReference(step)) return 'reference';
    if (fraction === null) return '';
    return `${percent(fraction, 3)} of ${reference ? stepName(reference.step) : 'the reference'}`;
  }

  return {
    source,
    element: h('li', { class: isReference(step) ? 'reference' : null }, row),
    mark(shown) {
      if (source) name.setAttribute('aria-pressed', String(step === shown));
    },
    update(bar, { series, maximum, reference }, cautions) {
      const { median, q1, q3, verified } = bar.measurement;
      const lengthOf = (number) => `${maximum > 0 && number > 0 ? (100 * number) / maximum : 0}%`;
      row.classList.toggle('wrong', verified === false);
      const { class: className, title = '' } = cautioned('bar-value', cautions);
      Object.assign(value, { className, title });
      keepingFocus(value, 'button', () => replace(value, samplesButton(bar.measurement, showSamples, quantity(median, metric.unit))));
      share.textContent = shareText(bar, reference);
      Object.assign(fill.style, { width: lengthOf(median), background: `var(${colourVariable(series)})` });
      spread.hidden = !(typeof q1 === 'number' && typeof q3 === 'number');
      Object.assign(spread.style, { left: lengthOf(q1), width: lengthOf(q3 - q1) });
      referenceLine.hidden = !(reference?.measurement.median > 0);
      referenceLine.style.left = lengthOf(reference?.measurement.median);
    },
  };
}
