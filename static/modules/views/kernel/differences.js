// The differences between any two texts of a kernel or a program: the first one, those of the attempts, and the one in the editor.

import { freshId, h, replace } from '../../dom.js';
import { comparisonAddress } from '../../parts/trendlink.js';
import { plural } from '../../text/format.js';
import { changeText, diffLines, withoutLongSame } from '../../text/linediff.js';

const MARKS = { same: ' ', removed: '−', added: '+' };

/** Returns {element, update(), choose(before, after)}. `texts()` returns the texts to choose from, in order: [{id, title, text}],
 * the last one the text of the editor; those of runs, whose results can be compared, also have `code`. `choose` shows the differences
 * between two of them. */
export function differences({ texts }) {
  const ids = { before: freshId('before'), after: freshId('after') };
  const chosen = { before: '', after: '' };
  const select = (name) =>
    h('select', {
      id: ids[name],
      on: {
        change: (event) => {
          chosen[name] = event.target.value;
          update();
        },
      },
    });
  const selects = { before: select('before'), after: select('after') };
  const count = h('span', { class: 'aside' });
  const results = h('a', {}, 'Compare their results');
  const listing = h('div', {});
  const element = h(
    'div',
    { class: 'differences' },
    h(
      'div',
      { class: 'difference-choice' },
      h('label', { for: ids.before }, 'From'),
      selects.before,
      h('label', { for: ids.after }, 'to'),
      selects.after,
      count,
      results,
    ),
    listing,
  );

  function update() {
    const list = texts();
    const find = (id, fallback) => list.find((one) => one.id === id) ?? fallback;
    const pair = { before: find(chosen.before, list[0]), after: find(chosen.after, list.at(-1)) };
    for (const name of ['before', 'after']) {
      replace(
        selects[name],
        list.map(({ id, title }) => h('option', { value: id }, title)),
      );
      selects[name].value = pair[name].id;
    }
    results.hidden = !pair.before.code || !pair.after.code || pair.before === pair.after;
    results.href = comparisonAddress({ base: pair.before.id, head: pair.after.id });
    count.textContent = changeText(pair.before.text, pair.after.text);
    replace(
      listing,
      pair.before.text === pair.after.text
        ? h('p', { class: 'aside' }, 'The texts are equal.')
        : table(withoutLongSame(diffLines(pair.before.text, pair.after.text))),
    );
  }

  return {
    element,
    update,
    choose(before, after) {
      Object.assign(chosen, { before, after });
      update();
    },
  };
}

function table(rows) {
  return h(
    'div',
    { class: 'code-text diff', role: 'region', tabindex: 0, 'aria-label': 'Differences' },
    h('table', {}, h('tbody', {}, rows.map(row))),
  );
}

function row({ kind, text, before, after, count }) {
  if (kind === 'skipped')
    return h('tr', { class: 'skipped' }, h('td', { colspan: 4 }, `${plural(count, 'line')} without a change`));
  const name = { removed: 'removed: ', added: 'added: ' }[kind];
  return h(
    'tr',
    { class: kind },
    h('td', { class: 'diff-number' }, before ?? ''),
    h('td', { class: 'diff-number' }, after ?? ''),
    h('td', { 'aria-hidden': 'true' }, MARKS[kind]),
    h('td', {}, name && h('span', { class: 'visually-hidden' }, name), h('code', {}, text)),
  );
}
