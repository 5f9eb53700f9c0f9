// What each kernel of the text needs: registers and memory, and how that differs from the original.

import { h, replace } from '../../dom.js';
import { plain } from '../../text/format.js';
import { oldText } from './instructions.js';

const COLUMNS = [
  ['registers', 'Registers', 'of a thread'],
  ['shared_bytes', 'Shared', 'static bytes of a block'],
  ['spill_bytes', 'Spilled', 'bytes of a thread: registers that did not fit'],
  ['local_bytes', 'Local', 'bytes of a thread, in device memory: what is spilled, and arrays'],
];
const OCCUPANCY = {
  title: 'Occupancy',
  help: 'resident warps of a multiprocessor in percent of the most that it holds, by threads of a block, and what is exhausted first',
};

/** Returns {element, show(kernels, original), setOld(old)}; both are lists of the compiler, `original` [] while it is
 * not known; setOld() as of instructions.js. */
export function resourceTable() {
  const empty = 'The registers and bytes of the kernels are shown here when the text is compiled.';
  const note = h('p', { class: 'aside of-older-text', hidden: true }, oldText('Resources'));
  const body = h('div', { class: 'stack' }, h('p', { class: 'aside' }, empty));
  let shown = false;
  return {
    element: h('div', { class: 'stack' }, note, body),
    setOld(old) {
      note.hidden = !(old && shown);
    },
    show(kernels, original = []) {
      shown = true;
      const before = (name) => original.find((one) => one.name === name);
      const differs = kernels.some((kernel) => COLUMNS.some(([name]) => changeOf(kernel, before(kernel.name), name)));
      replace(
        body,
        table(kernels.map((kernel) => row(kernel, before(kernel.name)))),
        h(
          'dl',
          { class: 'resource-terms' },
          [...COLUMNS.map(([, title, help]) => ({ title, help })), OCCUPANCY].map(({ title, help }) =>
            h('div', {}, h('dt', {}, title), h('dd', {}, help)),
          ),
        ),
        differs ? h('p', { class: 'aside' }, 'In parentheses: the change from the original.') : null,
      );
    },
  };
}

/** By how much a kernel needs more than the original one, which may be undefined. */
const changeOf = (kernel, original, name) => (original ? kernel[name] - original[name] : 0);

function row(kernel, original) {
  const change = (difference) =>
    difference ? h('span', { class: 'aside' }, ` (${difference > 0 ? '+' : '−'}${plain(Math.abs(difference))})`) : null;
  const cell = ([name]) => h('td', { class: 'figure' }, plain(kernel[name]), change(changeOf(kernel, original, name)));
  const occupancy = h('td', {}, h('ul', { class: 'occupancy row' }, (kernel.occupancy ?? []).map(occupancyItem)));
  return h('tr', {}, h('th', { scope: 'row' }, h('code', {}, kernel.signature)), COLUMNS.map(cell), occupancy);
}

const occupancyItem = ({ threads, share, limit }) =>
  h('li', {}, `${threads}: ${plain(Math.round(100 * share))} %`, h('span', { class: 'aside' }, ` ${limit}`));

function table(rows) {
  const heads = COLUMNS.map(([, title]) => h('th', { scope: 'col', class: 'figure' }, title));
  return h(
    'div',
    { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': 'Resources of the kernels' },
    h(
      'table',
      { class: 'figures' },
      h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Kernel'), heads, h('th', { scope: 'col' }, OCCUPANCY.title))),
      h('tbody', {}, rows),
    ),
  );
}
