// What the text is compiled for: the device on which it would run or, where that is none of CUDA, a chosen architecture.

import { freshId, h, replace } from '../../dom.js';

const USUAL = 'sm_90'; // the architecture to begin with, where the compiler has it

/** Returns {element, read(), update()}: read() returns {device} or {architecture}, the member of a request to compile. `device()`
 * returns the chosen device; update() shows the choice where the device does not decide. */
export function compileTarget({ architectures, device, changed }) {
  const id = freshId('architecture');
  const select = h('select', { id, on: { change: changed } });
  const element = h('div', { class: 'compile-target' }, h('label', { for: id }, 'Compile for'), select);
  replace(
    select,
    architectures.map((name) => h('option', { value: name, selected: name === USUAL }, name)),
  );
  const isCuda = () => device()?.backend === 'cuda';
  return {
    element,
    read: () => (isCuda() ? { device: device().id } : { architecture: select.value || USUAL }),
    update() {
      element.hidden = isCuda();
    },
  };
}
