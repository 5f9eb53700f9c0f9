// An editor for source code: a text area, so that undo, selection, input methods and screen readers work as everywhere,
// over a layer that shows the same text in colours. Both have the size of the text and scroll together.

import { freshId, h } from '../../dom.js';
import { bracketPairs, pairBeside } from '../../text/brackets.js';
import { lineAt, positionOf } from '../../text/editing.js';
import { findBar } from './findbar.js';
import { handleKeys, insertText } from './keys.js';
import { codeLayer, highlighter, reveal } from './layer.js';

const HELP = 'Tab indents; Escape, then Tab leaves the editor. Ctrl+F finds and replaces, Ctrl+/ comments lines out, Ctrl+B goes to the other bracket.';

/** Returns {element, text(), setText(text), replaceText(text), mark(lines), link(classes), point(line), goTo(line,
 * column), focus()}. `changed()` is called after each change by the user, `commands` are further ones of handleKeys,
 * which `help` describes. setText begins a new text; replaceText can be undone by the user. mark shows messages beside
 * their lines, a Map {line: {severity, text}}; link and point are those of layer.js. `pointed(line)` is called with the
 * line at the pointer or else the caret, 0: none, when that is another one. */
export function codeEditor({ label, help, changed, commands, pointed = () => {}, signal }) {
  const hint = freshId('editor-hint');
  const gutter = h('div', { class: 'editor-gutter', 'aria-hidden': 'true' });
  const layer = h('div', { class: 'editor-layer', 'aria-hidden': 'true' });
  const area = h('textarea', {
    class: 'editor-area',
    'aria-label': label,
    'aria-describedby': hint,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    wrap: 'off',
    on: { input: edited },
  });
  const box = h('div', { class: 'editor' }, gutter, h('div', { class: 'editor-text' }, layer, area));
  const lines = codeLayer(gutter, layer);
  const tellCurrent = tellLine({ area, lines, pointed });
  const find = findBar({ area, reach, range: lines.range, signal });
  const brackets = bracketMarks({ area, lines, signal });
  const openFind = h('button', { type: 'button', class: 'small', on: { click: find.open } }, 'Find and replace');
  const element = h(
    'div',
    { class: 'editor-frame stack tight' },
    find.element,
    box,
    h('div', { class: 'editor-foot row spread' }, h('p', { class: 'aside', id: hint }, `${HELP} ${help}`), openFind),
  );
  handleKeys(area, { commands: { ...commands, f: find.open, b: () => brackets.other(reach) } });
  document.addEventListener('selectionchange', showCurrent, { signal });
  area.addEventListener('blur', showCurrent);

  function showCurrent() {
    const focused = document.activeElement === area;
    const current = focused ? lineAt(area.value, area.selectionEnd) : 0;
    lines.setCurrent(current);
    tellCurrent(current);
    brackets.show(focused);
  }

  function show() {
    lines.show(area.value);
    brackets.renew();
    find.renew();
  }

  function edited() {
    show();
    showCurrent();
    changed();
  }

  /** Selects a part of the text and scrolls to it. */
  function reach(from, to) {
    area.setSelectionRange(from, to);
    reveal(box, lines.range(from, to), gutter.offsetWidth);
  }

  return {
    element,
    text: () => area.value,
    setText(text) {
      area.value = text;
      area.setSelectionRange(0, 0);
      show();
    },
    replaceText(text) {
      area.focus();
      area.select();
      insertText(area, text);
      area.setSelectionRange(0, 0);
      box.scrollTo(0, 0);
    },
    mark: lines.mark,
    link: lines.link,
    point: lines.point,
    goTo(line, column) {
      const position = positionOf(area.value, line, column);
      area.focus({ preventScroll: true });
      reach(position, position);
    },
    focus: () => area.focus(),
  };
}

/** Calls pointed(line) with the line at the pointer, or else the one of the caret, when that is another one. Returns a
 * function to be called with the line of the caret. */
function tellLine({ area, lines, pointed }) {
  let [current, under, told] = [0, 0, 0];
  const tell = () => {
    const line = under || current;
    if (line !== told) pointed(line);
    told = line;
  };
  const setUnder = (line) => {
    under = line;
    tell();
  };
  area.addEventListener('pointermove', (event) => setUnder(lines.lineUnder(event)));
  area.addEventListener('pointerleave', () => setUnder(0));
  return (line) => {
    current = line;
    tell();
  };
}

/** Marks the bracket at the caret and its partner: {renew(), show(focused), other(reach)}, to be called when the text,
 * and when the selection has changed; other() calls reach(from, to) with the place behind the partner. */
function bracketMarks({ area, lines, signal }) {
  const mark = highlighter('editor-bracket', signal);
  let pairs = null; // of the present text, once they are needed
  const beside = () => {
    pairs ??= bracketPairs(lines.lines());
    return area.selectionStart === area.selectionEnd ? pairBeside(pairs, area.selectionEnd) : null;
  };
  return {
    renew() {
      pairs = null;
    },
    show: (focused) => mark(((focused && beside()) || []).map((at) => lines.range(at, at + 1))),
    other(reach) {
      const [, at] = beside() ?? [];
      if (at !== undefined) reach(at + 1, at + 1);
    },
  };
}
