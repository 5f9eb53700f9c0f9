// The instructions of a compiled text: PTX or, where the lab has nvdisasm, SASS.

import { h } from '../../dom.js';
import { copyButton } from '../../parts/copybutton.js';

const KINDS = {
  ptx: { title: 'PTX', about: 'PTX: the compiler’s portable assembly; the driver turns it into SASS.' },
  sass: { title: 'SASS', about: 'SASS: the machine code of a GPU of this architecture.' },
};

/** What is said of `what`, which is of an older text. */
export const oldText = (what) => `${what} of the last text that was compiled, not of the present one.`;

/** Returns {element, options(), show(answer), setOld(old)}: options() are those of a request for the kind that is chosen; show() is
 * called with each answer of the compiler, setOld() with whether the present text has no answer, or was rejected, and `chosen()` when the person has chosen SASS, which is not requested otherwise. */
export function instructionsPane({ chosen }) {
  let kind = 'ptx';
  let isOld = false;
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
    about.textContent = isOld && text ? oldText(title) : KINDS[kind].about;
    about.classList.toggle('of-older-text', isOld && text !== '');
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
    setOld(old) {
      isOld = old;
      draw();
    },
    show({ status, ptx, sass, compiler }) {
      kinds.hidden = !compiler.sass;
      if (kinds.hidden) kind = 'ptx';
      if (status === 'compiled') texts = { ptx, sass: sass ?? (kind === 'sass' ? null : undefined) };
      draw();
    },
  };
}
