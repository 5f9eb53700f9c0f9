// The instructions of a compiled text: PTX or, where the lab has nvdisasm, SASS.

import { h } from '../../dom.js';
import { copyButton } from '../../parts/copybutton.js';

const KINDS = {
  ptx: { title: 'PTX', about: 'Instructions of a virtual machine, which the driver translates for a GPU' },
  sass: { title: 'SASS', about: 'The machine code of a GPU of this architecture' },
};

/** Returns {element, options(), show(answer)}: options() are those of a request for the kind that is chosen; show() is called with
 * each answer of the compiler, and `chosen()` when the person has chosen SASS, which is not requested otherwise. */
export function instructionsPane({ chosen }) {
  let kind = 'ptx';
  let texts = {}; // by kind; a kind without a text is absent if it was not requested, and null if there is none

  const buttons = Object.entries(KINDS).map(([name, { title }]) =>
    h('button', { type: 'button', dataset: { kind: name }, on: { click: () => choose(name) } }, title),
  );
  const kinds = h('div', { class: 'segments', role: 'group', 'aria-label': 'Instructions', hidden: true }, buttons);
  const copy = copyButton('Copy', () => texts[kind]);
  const about = h('p', { class: 'code-note' });
  const state = h('p', { class: 'code-state' });
  const listing = h('code', {});
  const pre = h('pre', { class: 'code-text', tabindex: 0, role: 'region' }, listing);
  const head = h('div', { class: 'code-head' }, kinds, h('span', { class: 'code-actions' }, copy));
  const element = h('div', { class: 'code' }, head, about, state, pre);

  function choose(name) {
    kind = name;
    draw();
    if (kind === 'sass') chosen();
  }

  function draw() {
    const { title } = KINDS[kind];
    const text = texts[kind] ?? '';
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.kind === kind));
    about.textContent = KINDS[kind].about;
    state.textContent =
      texts[kind] === null
        ? `There is no ${title}; the messages of the compiler say why.`
        : `The ${title} is shown here when the text is compiled.`;
    pre.setAttribute('aria-label', title);
    state.hidden = Boolean(text);
    pre.hidden = copy.hidden = !text;
    head.hidden = kinds.hidden && copy.hidden;
    if (listing.textContent !== text) listing.textContent = text;
  }

  draw();
  return {
    element,
    options: () => ({ sass: kind === 'sass' }),
    show({ status, ptx, sass, compiler }) {
      kinds.hidden = !compiler.sass;
      if (kinds.hidden) kind = 'ptx';
      if (status === 'compiled') texts = { ptx, sass: sass ?? (kind === 'sass' ? null : undefined) };
      draw();
    },
  };
}
