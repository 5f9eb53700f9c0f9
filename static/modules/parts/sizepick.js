// Which size a picture of one size shows: a choice among those that were measured, one of its own choice until one is
// chosen.

import { arrange, freshId, h } from '../dom.js';
import { firstSize } from '../sizes.js';

/** {element, update(sizes, names, complete) -> the key of the size to show}: `sizes` and `names` as sizes.js has them,
 * `complete` tells that the run measured all it should. `changed` is called when another is chosen. */
export function sizePick(changed) {
  const id = freshId('size');
  const select = h('select', { id, on: { change: choose } });
  const label = h('label', { for: id });
  const element = h('div', { class: 'size-pick' }, label, select);
  let chosen = null;

  function choose() {
    chosen = select.value;
    changed();
  }

  return {
    element,
    update(sizes, names, complete) {
      const key = sizes.some((size) => size.key === chosen) ? chosen : firstSize(sizes, complete);
      // Nothing that is right already is touched: the list may be open.
      const known = new Map([...select.options].map((option) => [option.value, option]));
      arrange(
        select,
        sizes.map((size) => known.get(size.key) ?? h('option', { value: size.key }, size.words)),
      );
      const words = names.includes('×') ? `Size ${names}` : names;
      if (label.textContent !== words) label.textContent = words;
      if (select.value !== key) select.value = key;
      element.hidden = sizes.length < 1;
      return key;
    },
  };
}
