// What the text is compiled for: the device on which it would run or, where that is none of CUDA, a chosen
// architecture.

import { freshId, h, replace } from '../../dom.js';

const USUAL = 'sm_90'; // the architecture to begin with

/** Returns {element, read(), update(), offer(architectures)}: read() returns {device} or {architecture}, the member of
 * a request to compile. `device()` returns the chosen device; update() shows the choice where the device does not
 * decide and there are several; offer() is called with the architectures that the compiler knows. */
export function compileTarget({ device, changed }) {
  const id = freshId('architecture');
  const select = h('select', { id, on: { change: changed } }, h('option', {}, USUAL));
  const element = h('div', { class: 'compile-target row' }, h('label', { for: id }, 'Compile for'), select);
  const isCuda = () => device()?.backend === 'cuda';
  const update = () => {
    element.hidden = isCuda() || select.length < 2;
  };
  return {
    element,
    read: () => (isCuda() ? { device: device().id } : { architecture: select.value }),
    update,
    offer(architectures) {
      const { value } = select;
      if (select.length === architectures.length) return;
      replace(
        select,
        architectures.map((name) => h('option', { selected: name === value }, name)),
      );
      update();
    },
  };
}
