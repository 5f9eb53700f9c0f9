// The select for the size of a chart that shows one size at a time. Until the user selects a size, defaultSize of
// sizes.js does.

import { arrange, freshId, h } from '../dom.js';
import { ALL_SIZES, defaultSize } from '../results/sizes.js';

/** A size in the address, such as "4096.4096.4096". */
const textOf = (key) =>
  key === ALL_SIZES
    ? ALL_SIZES
    : JSON.parse(key)
        .map(([, value]) => value)
        .join('.');

/** Returns {element, update(sizes, names, {complete, all})}; `update` returns the key of the size to show, ALL_SIZES if
 * `all` offers them and the user selects no other. `sizes` and `names` as returned by sizesOf and sizeTitle; `complete`
 * is true when the run has measured all points. The size that the user selects is the choice `size`; then `changed` is
 * called. */
export function sizePick(choices, changed) {
  const id = freshId('size');
  const select = h('select', { id, on: { change: choose } });
  const label = h('label', { for: id });
  const element = h('div', { class: 'size-pick' }, label, select);

  function choose() {
    choices.set({ size: textOf(select.value) });
    changed();
  }

  return {
    element,
    update(sizes, names, { complete, all }) {
      const chosen = choices.get('size');
      const listed = all ? [{ key: ALL_SIZES, text: 'all' }, ...sizes] : sizes;
      const key = listed.find((size) => textOf(size.key) === chosen)?.key ?? (all ? ALL_SIZES : defaultSize(sizes, complete));
      // Options that remain are not replaced, because the user may have opened the list.
      const known = new Map([...select.options].map((option) => [option.value, option]));
      arrange(
        select,
        listed.map((size) => known.get(size.key) ?? h('option', { value: size.key }, size.text)),
      );
      const labelText = /^\w( × \w)+$/.test(names) ? `Size ${names}` : names.charAt(0) + names.slice(1).toLowerCase();
      if (label.textContent !== labelText) label.textContent = labelText;
      if (select.value !== key) select.value = key;
      element.hidden = sizes.length < 1;
      return key;
    },
  };
}
