// The lines of an editor in colours, their numbers, and what is marked in them.

import { h, replace } from '../../dom.js';
import { tokenLines } from '../../text/tokenizer.js';
import { codeLine } from '../codelines.js';

/** Returns {show(text), lines(), mark(lines), link(classes), setCurrent(line), point(line), lineUnder(event),
 * range(from, to)}. lines() are the tokens of each line (tokenizer.js), link() gives lines a class, a Map {line:
 * class}, point() marks a line, 0: none, lineUnder() is the line at the pointer, 0 below the last one, and range() a
 * Range of characters of one line. Only lines that have changed are drawn. */
export function codeLayer(gutter, layer) {
  const drawn = []; // {key, number, code, message} of each line
  let shown = []; // tokens of each line
  let starts = []; // position of each line in the text
  let marks = new Map();
  let links = new Map();
  let [current, pointed] = [0, 0];

  function lineElements(at) {
    const number = h('div', { class: 'editor-number' }, at + 1);
    const [code, message] = [h('span', {}), h('span', { class: 'editor-message' })];
    gutter.append(number);
    layer.append(h('div', { class: 'editor-line' }, code, message));
    return { key: '', number, code, message };
  }

  function drawLines() {
    while (drawn.length > shown.length) {
      const { number, code } = drawn.pop();
      number.remove();
      code.parentElement.remove();
    }
    shown.forEach((tokens, at) => {
      const line = (drawn[at] ??= lineElements(at));
      const key = tokens.map(({ kind, text: part }) => `${kind}:${part}`).join('\n');
      if (line.key === key) return;
      line.key = key;
      replace(line.code, codeLine(tokens));
    });
  }

  const classOf = (at) =>
    [marks.get(at + 1)?.severity, at + 1 === current && 'current', at + 1 === pointed && 'pointed', links.get(at + 1)]
      .filter(Boolean)
      .join(' ');

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
      shown = tokenLines(text);
      let next = 0;
      starts = text.split('\n').map(({ length }) => {
        const start = next;
        next += length + 1;
        return start;
      });
      drawLines();
      drawState();
    },
    lines: () => shown,
    mark(next) {
      marks = next;
      drawState();
    },
    link(next) {
      links = next;
      drawState();
    },
    setCurrent(line) {
      if (current === line) return;
      current = line;
      drawState();
    },
    point(line) {
      if (pointed === line) return;
      pointed = line;
      drawState();
    },
    lineUnder({ clientY }) {
      const { top, height } = drawn[0].number.getBoundingClientRect();
      const line = Math.floor((clientY - top) / height) + 1;
      return drawn[line - 1] ? line : 0;
    },
    range(from, to) {
      const at = starts.findLastIndex((start) => start <= from);
      const range = new Range();
      const { code } = drawn[at];
      range.setStart(...placeIn(code, from - starts[at]));
      range.setEnd(...placeIn(code, to - starts[at]));
      return range;
    },
  };
}

/** The node and the offset of the character at `column` of a line. */
function placeIn(code, column) {
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
  let left = column;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (left <= node.length) return [node, left];
    left -= node.length;
  }
  return [code, code.childNodes.length];
}

/** Returns a function that marks ranges with ::highlight(name) instead of those before. It marks nothing where the
 * browser cannot, and none from when `signal` is aborted. */
export function highlighter(name, signal) {
  const registry = globalThis.CSS?.highlights;
  if (!registry) return () => {};
  if (!registry.has(name)) registry.set(name, new Highlight());
  const highlight = registry.get(name); // of all editors
  let own = [];
  const show = (ranges) => {
    own.forEach((range) => highlight.delete(range));
    own = ranges;
    own.forEach((range) => highlight.add(range));
  };
  signal.addEventListener('abort', () => show([]));
  return show;
}

/** Scrolls `box` so that a range of it is in view, clear of its first `left` pixels. */
export function reveal(box, range, left) {
  const [{ top, bottom, left: start, right: end }, frame] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
  const least = (low, high) => (low < 0 ? low : Math.max(0, Math.min(high, low)));
  box.scrollTop += least(top - frame.top, bottom - frame.top - box.clientHeight);
  box.scrollLeft += least(start - frame.left - left, end - frame.left - box.clientWidth);
}
