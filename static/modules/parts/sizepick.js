// Which size a picture of one size shows: a choice among those that were measured, one of its own choice until one is
// chosen.

import { freshId, h, replace } from '../dom.js';
import { firstSize } from '../sizes.js';

/** {element, update(sizes, names, live) -> the key of the size to show}: `sizes` and `names` as sizes.js has them.
 * `changed` is called when another is chosen. */
export function sizePick(changed) {
  const id = freshId('size');
  const select = h('select', { id, on: { change: choose } });
  const label = h('label', { for: id });
  const element = h('div', { class: 'size-pick' }, label, select);
  let chosen = null;
  let drawn = '';

  function choose() {
    chosen = select.value;
    changed();
  }

  return {
    element,
    update(sizes, names, live) {
      const key = sizes.some((size) => size.key === chosen) ? chosen : firstSize(sizes, live);
      const next = JSON.stringify(sizes.map((size) => size.key));
      if (next !== drawn) {
        replace(
          select,
          sizes.map((size) => h('option', { value: size.key }, size.words)),
        );
        drawn = next;
      }
      label.textContent = names.includes('×') ? `Size ${names}` : names;
      select.value = key;
      element.hidden = sizes.length < 1;
      return key;
    },
  };
}
