// What others have published, beside what this run found: a table by system, with the ratio where both can be compared.

import { h, replace } from '../dom.js';
import { quantity, significant } from '../format.js';
import { besidePublished } from '../references.js';
import { labelOf, splitAxes } from '../series.js';
import { titleFromName } from '../displaynames.js';
import { frame } from './table.js';

/** {element, update(references, measurements)}. */
export function publishedResults({ experiment }) {
  const element = h('section', { class: 'panel published', 'aria-label': 'Published results' });
  return {
    element,
    update(references, measurements) {
      const systems = besidePublished(references, measurements, experiment);
      if (!systems.length) return replace(element);
      const bySpeedup = systems.some(({ rows }) => rows.some(({ speedup }) => speedup !== null));
      return replace(
        element,
        h('h2', {}, 'Published results'),
        h(
          'p',
          { class: 'lead-in' },
          bySpeedup
            ? 'Published times are of other sizes: what compares is the speedup, each over its own system’s base. '
            : 'Measured by others on their machines, at the axes that each row names. ',
          'Ratio: this run’s value over the published one.',
        ),
        table(systems, bySpeedup, experiment),
      );
    },
  };
}

function table(systems, bySpeedup, experiment) {
  const columns = ['Published', bySpeedup ? 'Published speedup' : null, 'This run', 'Ratio'].filter(Boolean);
  const telling = systems.some(({ rows }) => rows.some(({ where, count }) => where || count > 1));
  const heads = h(
    'tr',
    {},
    h('th', { scope: 'col' }, 'What'),
    columns.map((head) => h('th', { scope: 'col', class: 'figure' }, head)),
    telling && h('th', { scope: 'col' }, 'Which of this run'),
  );
  const bodies = systems.map(({ system, source, remark, rows }) => {
    // What all rows of a system share is said once, beside its name.
    const places = rows.map(({ reference }) => ({ axes: reference.axes }));
    const { varying, constant } = splitAxes(places, experiment.axes, null);
    const shared = labelOf(
      places[0],
      constant.map(({ axis }) => axis).filter(({ name }) => places.every(({ axes }) => name in axes)),
      '',
    );
    return h(
      'tbody',
      {},
      h(
        'tr',
        { class: 'series-row' },
        h(
          'th',
          { colspan: columns.length + (telling ? 2 : 1), scope: 'rowgroup' },
          [system, shared].filter(Boolean).join(' · '),
          h('span', { class: 'aside source' }, [source, remark].filter(Boolean).join('. ')),
        ),
      ),
      rows.map((row) => line(row, varying, { bySpeedup, telling }, experiment)),
    );
  });
  return frame('Published results beside this run', heads, bodies);
}

function line({ reference, base, speedup, own, where, count, ratio }, axes, { bySpeedup, telling }, experiment) {
  const metric = (experiment.metrics ?? []).find(({ name }) => name === reference.metric);
  const factor = (value) => `${significant(value, 3)}\u00a0×`;
  const what = (metric?.title ?? titleFromName(reference.metric)).toLowerCase();
  const place = labelOf(reference, axes, '');
  const compares = speedup !== null || reference.metric === 'speedup';
  return h(
    'tr',
    {},
    h('th', { scope: 'row', class: 'what' }, place, h('span', { class: 'aside' }, place ? ` ${what}` : what)),
    h('td', { class: 'figure' }, quantity(reference.value, reference.unit)),
    bySpeedup && h('td', { class: 'figure' }, base ? 'base' : speedup === null ? '' : factor(speedup)),
    h(
      'td',
      { class: 'figure strong' },
      own === null ? (base ? '' : '–') : compares ? factor(own) : quantity(own, reference.unit),
    ),
    h('td', { class: 'figure' }, ratio === null ? '' : significant(ratio, 3)),
    telling &&
      h(
        'td',
        { class: 'aside' },
        own === null ? '' : [where, count > 1 ? `best of ${count}` : ''].filter(Boolean).join(', '),
      ),
  );
}
