// The files that the source of a kernel from nothing can include: a name and a text for each.

import { h, replace } from '../../dom.js';
import { freeName } from '../../text/ownprogram.js';

/** Returns {element, read(), write(list)}: the member `files` of a draft (text/ownkernel.js), which is written and read
 * as a whole. */
export function includeList({ changed }) {
  const rows = h('ol', { class: 'arguments stack' });
  let list = [];
  const add = h('button', { type: 'button', class: 'small', on: { click: append } }, 'Add a file');
  const element = h(
    'fieldset',
    { class: 'field' },
    h('legend', {}, 'Files that the source includes'),
    rows,
    add,
  );

  const draw = () => replace(rows, list.map(row));

  function row(file, at) {
    const edited = (name) => (event) => {
      file[name] = event.target.value;
      changed();
    };
    return h(
      'li',
      {},
      h('label', {}, h('span', {}, 'Name'), h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', value: file.name, on: { input: edited('name') } })),
      h('label', {}, h('span', {}, 'Text'), h('textarea', { rows: 6, spellcheck: 'false', value: file.text, on: { input: edited('text') } })),
      h('button', { type: 'button', class: 'small', 'aria-label': `Remove ${file.name}`, on: { click: () => remove(at) } }, 'Remove'),
    );
  }

  function append() {
    list.push({ name: freeName('mine.cuh', list), text: '' });
    draw();
    rows.lastElementChild.querySelector('input').focus();
    changed();
  }

  function remove(at) {
    list.splice(at, 1);
    draw();
    add.focus();
    changed();
  }

  return {
    element,
    read: () => structuredClone(list),
    write(next) {
      list = structuredClone(next);
      draw();
    },
  };
}
