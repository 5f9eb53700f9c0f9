// A rung of the ladder: the step's name, its bar with the line at the reference's height, throughput and share.

import { h } from '../dom.js';
import { plain, quantity, significant } from '../format.js';
import { isReference } from '../stepgroups.js';
import { axisWords } from '../displaynames.js';
import { colourName } from './seriesstyle.js';

/** {source, element, mark(step), update(rung, group)}: rung and group are ladder.js's. Where there is a `source` it is
 * a button that calls `choose(step)`; `controls` is the id of what it changes, and `mark` says which step that shows.
 * */
export function rungRow({ step, source, axis, metric, controls, choose }) {
  const wordsOf = (value) => axisWords(axis, value);
  const title = source?.title ?? wordsOf(step);
  const value = h('span', { class: 'bar-value' });
  const share = h('span', { class: 'rung-share' });
  const fill = h('span', { class: 'bar-fill' });
  const spread = h('span', { class: 'bar-spread' });
  const line = h('span', { class: 'rung-line' });
  const parts = [
    h(
      'span',
      { class: 'bar-label' },
      title,
      title !== wordsOf(step) && h('span', { class: 'bar-where' }, wordsOf(step)),
    ),
    h('span', { class: 'rung-track', 'aria-hidden': 'true' }, h('span', { class: 'bar-track' }, fill, spread), line),
    h('span', { class: 'rung-figures' }, value, share),
  ];
  const row = source
    ? h(
        'button',
        { type: 'button', class: 'rung', 'aria-controls': controls, on: { click: () => choose(step) } },
        parts,
      )
    : h('div', { class: 'rung' }, parts);

  /** "0.93 of cuBLAS", or what there is to say instead. */
  function shareWords({ measurement: { verified, wrong }, share: of }, reference) {
    if (verified === false) return wrong ? `✗ ${plain(wrong)} wrong` : '✗ wrong result';
    if (isReference(step)) return 'the reference';
    if (of === null) return '';
    return `${significant(of, of < 0.995 ? 2 : 3)} of ${reference ? wordsOf(reference.step) : 'the reference'}`;
  }

  return {
    source,
    element: h('li', { class: isReference(step) ? 'reference' : null }, row),
    mark(shown) {
      if (source) row.setAttribute('aria-pressed', String(step === shown));
    },
    update(rung, { one, largest, reference }) {
      const { median, q1, q3, verified } = rung.measurement;
      const part = (number) => `${largest > 0 && number > 0 ? (100 * number) / largest : 0}%`;
      row.classList.toggle('wrong', verified === false);
      value.textContent = quantity(median, metric.unit);
      share.textContent = shareWords(rung, reference);
      Object.assign(fill.style, { width: part(median), background: `var(${colourName(one)})` });
      spread.hidden = !(typeof q1 === 'number' && typeof q3 === 'number');
      Object.assign(spread.style, { left: part(q1), width: part(q3 - q1) });
      line.hidden = !(reference?.measurement.median > 0);
      line.style.left = part(reference?.measurement.median);
    },
  };
}
