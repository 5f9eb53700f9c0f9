// An editor for source code: a text area, so that undo, selection, input methods and screen readers work as everywhere, over a
// layer that shows the same text in colours. Both have the size of the text and scroll together.

import { h, replace } from '../../dom.js';
import { lineAt, positionOf } from '../../text/editing.js';
import { tokenLines } from '../../text/tokenizer.js';
import { codeLine } from '../codelines.js';
import { handleKeys, insertText } from './keys.js';

/** Returns {element, text(), setText(text), replaceText(text), mark(lines), goTo(line, column), focus()}. `changed()` is called
 * after each change by the user, `commands` are those of handleKeys. setText begins a new text; replaceText can be undone by the
 * user. mark shows messages beside their lines, a Map {line: {severity, text}}. */
export function codeEditor({ label, describedBy, changed, commands, signal }) {
  const gutter = h('div', { class: 'editor-gutter', 'aria-hidden': 'true' });
  const layer = h('div', { class: 'editor-layer', 'aria-hidden': 'true' });
  const area = h('textarea', {
    class: 'editor-area',
    'aria-label': label,
    'aria-describedby': describedBy,
    spellcheck: 'false',
    autocapitalize: 'off',
    autocomplete: 'off',
    wrap: 'off',
    on: { input: edited },
  });
  const element = h('div', { class: 'editor' }, gutter, h('div', { class: 'editor-text' }, layer, area));
  const lines = codeLayer(gutter, layer);
  handleKeys(area, { commands });
  const showCurrent = () =>
    lines.setCurrent(document.activeElement === area ? lineAt(area.value, area.selectionEnd) : 0);
  document.addEventListener('selectionchange', showCurrent, { signal });
  area.addEventListener('blur', showCurrent);

  function edited() {
    lines.show(area.value);
    showCurrent();
    changed();
  }

  return {
    element,
    text: () => area.value,
    setText(text) {
      area.value = text;
      area.setSelectionRange(0, 0);
      lines.show(text);
    },
    replaceText(text) {
      area.focus();
      area.select();
      insertText(area, text);
      area.setSelectionRange(0, 0);
      element.scrollTo(0, 0);
    },
    mark: lines.mark,
    goTo(line, column) {
      const position = positionOf(area.value, line, column);
      area.focus({ preventScroll: true });
      area.setSelectionRange(position, position);
      lines.reveal(lineAt(area.value, position));
    },
    focus: () => area.focus(),
  };
}

/** The lines of the layer and their numbers: {show(text), mark(lines), setCurrent(line), reveal(line)}. Only lines that have
 * changed are drawn. */
function codeLayer(gutter, layer) {
  const drawn = []; // {key, number, code, message} of each line
  let marks = new Map();
  let current = 0;

  function lineElements(at) {
    const number = h('div', { class: 'editor-number' }, at + 1);
    const [code, message] = [h('span', {}), h('span', { class: 'editor-message' })];
    gutter.append(number);
    layer.append(h('div', { class: 'editor-line' }, code, message));
    return { key: '', number, code, message };
  }

  function show(text) {
    const lines = tokenLines(text);
    while (drawn.length > lines.length) {
      const { number, code } = drawn.pop();
      number.remove();
      code.parentElement.remove();
    }
    lines.forEach((tokens, at) => {
      const line = (drawn[at] ??= lineElements(at));
      const key = tokens.map(({ kind, text: part }) => `${kind}:${part}`).join('\n');
      if (line.key === key) return;
      line.key = key;
      replace(line.code, codeLine(tokens));
    });
  }

  const classOf = (at) => [marks.get(at + 1)?.severity, at + 1 === current && 'current'].filter(Boolean).join(' ');

  function drawState() {
    drawn.forEach(({ number, code, message }, at) => {
      const { text = '' } = marks.get(at + 1) ?? {};
      if (message.textContent !== text) message.textContent = text;
      for (const [one, stem] of [
        [number, 'editor-number'],
        [code.parentElement, 'editor-line'],
      ])
        one.className = `${stem} ${classOf(at)}`.trim();
    });
  }

  return {
    show(text) {
      show(text);
      drawState();
    },
    mark(next) {
      marks = next;
      drawState();
    },
    setCurrent(line) {
      if (current === line) return;
      current = line;
      drawState();
    },
    reveal: (line) => drawn[line - 1]?.number.scrollIntoView({ block: 'nearest' }),
  };
}
