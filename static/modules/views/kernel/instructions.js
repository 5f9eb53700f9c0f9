// The instructions of a compiled text, linked to the lines of the source: PTX or, where the lab has nvdisasm, SASS.

import { h, replace } from '../../dom.js';
import { copyButton } from '../../parts/copybutton.js';
import { linkClasses, ptxParts, sassParts } from '../../text/codelinks.js';
import { SOURCE_NAME } from '../../text/compilermessages.js';

const KINDS = {
  ptx: { title: 'PTX', about: 'PTX: the compiler’s portable assembly; the driver turns it into SASS.' },
  sass: { title: 'SASS', about: 'SASS: the machine code of a GPU of this architecture.' },
};

/** What is said of `what`, which is of an older text. */
export const oldText = (what) => `${what} of the last text that was compiled, not of the present one.`;

/** Returns {element, options(), show(answer), setOld(old), unlink(), point(line)}: options() are those of a request for
 * the kind that is chosen; show() is called with each answer of the compiler, setOld() with whether the present text
 * has no answer, or was rejected, and `chosen()` when the person has chosen SASS, which is not requested otherwise.
 * point() marks the instructions of a line of the source and scrolls to them; unlink() ends what links both until the
 * next answer, because lines have changed; pointed(line) is called when the pointer is at those of a line, 0: of none,
 * and linked(classes) with the classes of the lines that have instructions, a Map {line: class}, when they have
 * changed. */
export function instructionsPane({ chosen, pointed, linked }) {
  let kind = 'ptx';
  let isOld = false;
  let parts = {}; // by kind: its text by lines of the source; a kind is absent if it was not requested, and null if there is none
  let drawn = null; // what is in the listing
  let isLinked = false; // its lines are those of the present source

  const buttons = Object.entries(KINDS).map(([name, { title }]) =>
    h('button', { type: 'button', dataset: { kind: name }, on: { click: () => choose(name) } }, title),
  );
  const kinds = h('div', { class: 'segments', role: 'group', 'aria-label': 'Instructions', hidden: true }, buttons);
  const copy = copyButton('Copy', () => textOf(kind));
  const about = h('p', { class: 'code-note' });
  const state = h('p', { class: 'code-state' });
  const listing = h('code', {
    on: {
      pointerover: ({ target }) => pointed(isLinked ? Number(target.dataset.line ?? 0) : 0),
      pointerleave: () => pointed(0),
    },
  });
  const pre = h('pre', { class: 'code-text', tabindex: 0, role: 'region' }, listing);
  const head = h('div', { class: 'code-head row spread' }, kinds, h('span', { class: 'code-actions' }, copy));
  const element = h('div', { class: 'code' }, head, about, state, pre);

  const textOf = (name) => (parts[name] ?? []).map(({ text }) => text).join('');

  function choose(name) {
    kind = name;
    draw();
    if (kind === 'sass') chosen();
  }

  function draw() {
    const { title } = KINDS[kind];
    const text = textOf(kind);
    for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset.kind === kind));
    about.textContent = isOld && text ? oldText(title) : KINDS[kind].about;
    about.classList.toggle('of-older-text', isOld && text !== '');
    state.textContent =
      parts[kind] === null
        ? `There is no ${title}; the messages of the compiler say why.`
        : `The ${title} is shown here when the text is compiled.`;
    pre.setAttribute('aria-label', title);
    state.hidden = Boolean(text);
    pre.hidden = copy.hidden = !text;
    head.hidden = kinds.hidden && copy.hidden;
    drawListing(parts[kind] ?? []);
  }

  function drawListing(list) {
    const classes = linkClasses(list);
    linked(isLinked ? classes : new Map());
    const key = JSON.stringify(list);
    if (drawn === key) return;
    drawn = key;
    replace(
      listing,
      list.map(({ line, text }) =>
        line ? h('span', { class: `code-linked ${classes.get(line)}`, dataset: { line }, title: `Line ${line}` }, text) : text,
      ),
    );
  }

  function point(line) {
    const own = isLinked ? [...listing.children].filter((one) => Number(one.dataset.line) === line) : [];
    for (const one of listing.children) one.classList.toggle('pointed', own.includes(one));
    const [first] = own;
    if (!first || pre.hidden || pre.matches(':hover')) return;
    const [{ top, bottom }, frame] = [first, pre].map((one) => one.getBoundingClientRect());
    if (bottom < frame.top || top > frame.bottom) pre.scrollTop += top - frame.top - pre.clientHeight / 3;
  }

  function unlink() {
    isLinked = false;
    pointed(0);
    point(0);
    linked(new Map());
  }

  draw();
  return {
    element,
    options: () => ({ sass: kind === 'sass', line_info: true }),
    point,
    unlink,
    setOld(old) {
      isOld = old;
      if (old) unlink();
      draw();
    },
    show({ status, ptx, sass, compiler }) {
      kinds.hidden = !compiler.sass;
      if (kinds.hidden) kind = 'ptx';
      if (status === 'compiled') {
        isLinked = true;
        parts = { ptx: ptxParts(ptx, SOURCE_NAME) };
        if (kind === 'sass') parts.sass = sass === undefined ? null : sassParts(sass, SOURCE_NAME);
      }
      draw();
    },
  };
}
