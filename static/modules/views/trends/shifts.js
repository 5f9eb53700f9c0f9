// The shifts of a trend: what changed where the level did, and the button that accepts the new level as the baseline.

import * as api from '../../lab/api.js';
import * as lab from '../../lab/lab.js';
import { h, replace } from '../../dom.js';
import { absoluteTime } from '../../parts/status.js';
import { comparisonAddress } from '../../parts/trendlink.js';
import { changeText, isBetter, valuesOf } from '../../results/trend.js';
import { differenceRows } from '../../text/differences.js';
import { fieldsOf } from '../../text/schema.js';
import { plural, quantity } from '../../text/format.js';

const SHIFTS_MAX = 10; // newest shifts, whose causes are looked for

/** Returns {element, update(series)}: the newest shift, and earlier ones on request. accepted() is called after a new
 * baseline was set. */
export function shiftsPanel({ accepted, signal }) {
  const newest = h('div', { class: 'shift' });
  const earlier = h('ul', { class: 'item-list stack tight' });
  const summary = h('summary', {});
  const fold = h('details', {}, summary, earlier);
  const element = h('section', { class: 'panel shifts', 'aria-label': 'Shifts', hidden: true }, newest, fold);
  return {
    element,
    update(series) {
      const values = valuesOf(series);
      const shifted = values.filter(({ shift }) => shift).reverse().slice(0, SHIFTS_MAX);
      element.hidden = !shifted.length;
      const [first, ...others] = shifted.map((value) => shiftItem({ value, values, series, accepted, signal }));
      replace(newest, first);
      fold.hidden = !others.length;
      summary.textContent = plural(others.length, 'earlier shift');
      replace(earlier, others.map((item) => h('li', {}, item)));
    },
  };
}

/** The elements of a shift: its size, what changed, and what can be done. */
function shiftItem({ value, values, series, accepted, signal }) {
  const { shift, run, at, index } = value;
  const { unit, better } = series.point;
  const tone = { true: 'good', false: 'bad' }[isBetter(shift.relative, better)] ?? 'quiet';
  const before = values[index - 1]?.run ?? null;
  const cause = h('span', {}, before ? 'Looking for what changed…' : 'The run before it is not loaded.');
  const errorText = h('span', { class: 'field-error', role: 'alert' });
  if (before) findCause(before, run, cause, signal);
  const isAccepted = series.baseline !== null && series.baseline.run >= run;
  const accept = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    replace(errorText);
    try {
      await api.change(run, { pinned: true }, '*');
      await accepted();
    } catch (error) {
      button.disabled = false;
      replace(errorText, error.message);
    }
  };
  return [
    h('p', {}, h('strong', { class: `status ${tone}` }, changeText(shift.relative)), ' since ', absoluteTime(at),
      `: ${quantity(shift.before, unit)} → ${quantity(shift.after, unit)}`),
    h('p', {}, cause),
    h(
      'div',
      { class: 'actions' },
      h('a', { class: 'button small', href: `/runs/${run}` }, 'Open the run'),
      before ? h('a', { class: 'button small', href: comparisonAddress({ base: before, head: run }) }, 'Compare with the run before') : null,
      isAccepted
        ? h('span', { class: 'aside' }, 'Accepted: the baseline is of this level.')
        : h('button', { type: 'button', class: 'small', on: { click: accept } }, 'Accept as the baseline'),
      errorText,
    ),
  ];
}

/** Shows what differs between the runs before and after a shift. */
async function findCause(base, head, element, signal) {
  try {
    const comparison = await api.compare({ base, head }, signal);
    const experiment = await lab.experiment(comparison.head.experiment);
    const rows = differenceRows(comparison.environment, comparison.base, comparison.head, fieldsOf(experiment?.parameters));
    const texts = rows.slice(0, 4).map(({ title, base: from, head: to }) => `${title} ${from} → ${to}`);
    const more = rows.length > texts.length ? `, and ${plural(rows.length - texts.length, 'more difference')}` : '';
    element.textContent = rows.length ? `What changed: ${texts.join('; ')}${more}.` : 'Nothing that the lab records changed there.';
  } catch (error) {
    if (!signal.aborted) element.textContent = `What changed is unknown: ${error.message}`;
  }
}
