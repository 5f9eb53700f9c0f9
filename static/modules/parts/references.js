// Table of reference results (published ones, and ones that gpulab measured on named systems) next to those of this
// run, grouped by system, with the ratio where the two are comparable.

import { h, replace } from '../dom.js';
import { quantity, significant } from '../text/format.js';
import { shownUnit } from '../text/units.js';
import { compareWithReferences } from '../results/references.js';
import { labelOf, splitAxes } from '../results/series.js';
import { titleFromName } from '../text/displaynames.js';
import { scrollingTable } from '../charts/table.js';

/** Returns {element, update(references, measurements)}: the references of the experiment and the measurements of the
 * run. The element is empty if there are no references. */
export function referenceResults({ experiment }) {
  const element = h('section', { class: 'panel references', 'aria-label': 'Reference results' });
  return {
    element,
    update(references, measurements) {
      const systems = compareWithReferences(references, measurements, experiment);
      if (!systems.length) return replace(element);
      const rows = systems.flatMap((system) => system.rows);
      const bySpeedup = rows.some(({ speedup }) => speedup !== null);
      const otherSizes = experiment.axes.filter(({ name }) => rows.some((row) => row.otherSizes.includes(name)));
      return replace(
        element,
        h('h2', {}, 'Reference results'),
        h(
          'p',
          { class: 'lead-in' },
          'Published results, or results of gpulab on the named system, with the parameters given here. ',
          otherSizes.length > 0
            ? `Where a reference was measured at another ${otherSizes.map(({ title }) => title.toLowerCase()).join(' or ')}, ` +
              'its times cannot be compared with those of this run: compare the speedups, each relative to its own baseline. '
            : null,
          rows.some(({ own }) => own !== null)
            ? 'Ratio: value of this run divided by the reference.'
            : 'None of them can be compared with this run, which has no value at their sizes and parameters.',
        ),
        table(systems, bySpeedup, experiment),
      );
    },
  };
}

function table(systems, bySpeedup, experiment) {
  const columns = ['Reference', bySpeedup ? 'Reference speedup' : null, 'This run', 'Ratio'].filter(Boolean);
  const hasVariants = systems.some(({ rows }) => rows.some(({ where, count }) => where || count > 1));
  const heads = h(
    'tr',
    {},
    h('th', { scope: 'col' }, 'Result'),
    columns.map((head) => h('th', { scope: 'col', class: 'figure' }, head)),
    hasVariants && h('th', { scope: 'col' }, 'Variant in this run'),
  );
  const bodies = systems.map(({ system, source, remark, rows }) => {
    // Axes with the same value in all rows of a system are shown beside its name.
    const references = rows.map(({ reference }) => reference);
    const { varying, constant } = splitAxes(references, experiment.axes, null);
    const commonAxes = constant
      .map(({ axis }) => axis)
      .filter(({ name }) => references.every(({ axes }) => name in axes));
    return h(
      'tbody',
      {},
      h(
        'tr',
        { class: 'series-row' },
        h(
          'th',
          { colspan: columns.length + (hasVariants ? 2 : 1), scope: 'rowgroup' },
          [system, labelOf(references[0], commonAxes, '')].filter(Boolean).join(' · '),
          h('span', { class: 'aside source' }, [source, remark].filter(Boolean).join('. ')),
        ),
      ),
      rows.map((row) => referenceRow(row, varying, { bySpeedup, hasVariants }, experiment)),
    );
  });
  return scrollingTable('Reference results compared with this run', heads, bodies);
}

function referenceRow(
  { reference, base, speedup, ownSpeedup, own, where, count, ratio },
  axes,
  { bySpeedup, hasVariants },
  experiment,
) {
  const metric = (experiment.metrics ?? []).find(({ name }) => name === reference.metric);
  const unit = shownUnit(reference.metric, reference.unit);
  const metricTitle = (metric?.title ?? titleFromName(reference.metric)).toLowerCase();
  const axesText = labelOf(reference, axes, '');
  return h(
    'tr',
    {},
    h(
      'th',
      { scope: 'row', class: 'row-title' },
      axesText,
      h('span', { class: 'aside' }, axesText ? ` ${metricTitle}` : metricTitle),
    ),
    h('td', { class: 'figure' }, quantity(reference.value, unit)),
    bySpeedup && h('td', { class: 'figure' }, base ? 'baseline' : speedup === null ? '' : quantity(speedup, 'x')),
    h(
      'td',
      { class: 'figure strong' },
      own === null ? (base ? '' : '–') : quantity(own, ownSpeedup ? 'x' : unit),
    ),
    h('td', { class: 'figure' }, ratio === null ? '' : significant(ratio, 3)),
    hasVariants &&
      h(
        'td',
        { class: 'aside' },
        own === null ? '' : [where, count > 1 ? `best of ${count}` : ''].filter(Boolean).join(', '),
      ),
  );
}
