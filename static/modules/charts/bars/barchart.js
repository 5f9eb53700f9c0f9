// Bar chart: one bar for each point of each series, grouped where there are many. A thin mark on the bar shows the
// quartiles, lines show what its value is compared with.

import { h, keepingFocus, replaceKeepingScroll } from '../../dom.js';
import { quantity } from '../../text/format.js';
import { barGroups, barScales } from '../../results/bargroups.js';
import { idealOf } from '../../results/ideal.js';
import { ALL_POINTS } from '../../results/series.js';
import { labelledValue } from '../../text/displaynames.js';
import { cautioned } from '../cautionmarks.js';
import { samplesButton } from '../samples/button.js';
import { colourVariable } from '../seriesstyle.js';

/** Returns a chart; lines/linechart.js describes the interface. The groups that the user has opened are the choice
 * `open`. */
export function barChart({ axis, metric, choices, showSamples }) {
  const element = h('div', { class: 'bars' });
  const opened = new Set(choices.get('open').split(' ').filter(Boolean));
  const slug = (key) => key.replace(/\s+/g, '-');

  function remember(key, open) {
    if (open) opened.add(slug(key));
    else opened.delete(slug(key));
    choices.set({ open: [...opened].join(' ') });
  }

  /** A group; if it is collapsed, its heading is its best bar, whose samples are not shown because it opens the
   * group. */
  function groupElement({ key, title, bars, best }, collapsed, draw) {
    if (title === null) return bars.map((bar) => draw(bar));
    if (!collapsed || bars.length < 2)
      return h('div', { class: 'bar-group' }, h('p', { class: 'bar-head' }, title), bars.map((bar) => draw(bar)));
    const details = h('details', { class: 'bar-group', open: opened.has(slug(key)) });
    const head = { ...best, label: title, note: `best of ${bars.length}: ${best.label}` };
    details.append(h('summary', {}, draw(head, null)), ...bars.map((bar) => draw(bar)));
    details.addEventListener('toggle', () => remember(key, details.open));
    return details;
  }

  return {
    element,
    close() {},
    update(series, hidden, { view, grouped, levels, references, cautions }) {
      const shown = series.filter(({ key }) => !hidden.has(key));
      const { groups, collapsed } = barGroups(shown, { axis, metric, ...grouped });
      const bars = groups.flatMap((group) => group.bars);
      const longest = Math.max(0, ...bars.map(({ measurement }) => quantity(measurement.median, metric.unit).length));
      // The column of the values has the same width in all bars, so that the lengths of the bars can be compared.
      element.style.setProperty('--value', `${longest}ch`);
      const isGrouped = groups[0]?.title !== null;
      const comparison = { ideal: idealOf(view), levels, references };
      const scales = barScales(groups, comparison, view.own_scales);
      const elements = groups.map((group) => {
        const { maximum, levelsOf } = scales.get(group);
        const draw = (one, show = showSamples) =>
          barElement(one, { maximum, axis, metric, levels: levelsOf.get(one.measurement), cautions, grouped: isGrouped, showSamples: show });
        return groupElement(group, collapsed, draw);
      });
      const drawnLevels = [...new Set(scales.values())].flatMap(({ levelsOf }) => [...levelsOf.values()].flat());
      element.setAttribute('aria-label', describe(view, bars.length));
      element.setAttribute('role', collapsed || showSamples ? 'group' : 'img');
      element.classList.toggle('grouped', isGrouped);
      element.classList.toggle('collapsed', collapsed);
      keepingFocus(element, 'button', () => replaceKeepingScroll(element, elements, levelNotes(drawnLevels, metric)));
    },
  };
}

function describe(view, count) {
  const ideal = idealOf(view) ? ` Compared with the ideal: ${idealOf(view).text}.` : '';
  return `${view.title}: ${count} bars.${ideal} The exact values are in the table.`;
}

/** Says what the lines on the bars are. */
function levelNotes(levels, metric) {
  const texts = new Map();
  for (const { kind, text, value } of levels)
    texts.set(kind === 'ideal' ? text : `${text}${text.endsWith(quantity(value, metric.unit)) ? '' : `, ${quantity(value, metric.unit)}`}`, kind);
  return (
    texts.size > 0 &&
    h(
      'ul',
      { class: 'bar-levels row loose fine' },
      [...texts].map(([text, kind]) => h('li', {}, h('span', { class: `bar-level ${kind}`, 'aria-hidden': 'true' }), text)),
    )
  );
}

function barElement({ one, x, measurement, label, note = null }, { maximum, axis, metric, levels, cautions, grouped, showSamples }) {
  const share = (value) => `${maximum > 0 && value > 0 ? (100 * value) / maximum : 0}%`;
  const { median, q1, q3, verified } = measurement;
  const spread = typeof q1 === 'number' && typeof q3 === 'number' && maximum > 0;
  // A series of one point needs no position, unless it has no other name.
  const named = one.points.length === 1 && label !== ALL_POINTS;
  const position = grouped || x === '' || named ? null : labelledValue(axis, x);
  // The label of an only series says nothing where a heading or a position is shown.
  const name = label === ALL_POINTS && (grouped || position) ? null : label;
  const second = note ?? position;
  return h(
    'div',
    { class: verified === false ? 'bar wrong' : 'bar' },
    h('span', { class: 'bar-label' }, name, second && (name ? h('span', { class: 'bar-position aside' }, second) : second)),
    h(
      'span',
      { class: 'bar-track' },
      h('span', { class: 'bar-fill', style: { width: share(median), background: `var(${colourVariable(one)})` } }),
      spread && h('span', { class: 'bar-spread', style: { left: share(q1), width: share(q3 - q1) } }),
      levels.map(({ value, kind, text }) =>
        h('span', { class: `bar-level ${kind}`, title: text, style: { left: share(value) } }),
      ),
    ),
    h('span', cautioned('bar-value', cautions(measurement)), samplesButton(measurement, showSamples, quantity(median, metric.unit))),
  );
}
