// What a key does to the text of an editor: a replacement {from, to, text, start, end}: `text` replaces the characters
// from `from` up to `to`, and those from `start` up to `end` are selected afterwards.

const INDENT = '    ';

/** Tab: four more spaces before each selected line, or up to the next multiple of four where nothing is selected. */
export function indented(text, start, end) {
  if (start === end) {
    const column = start - lineStart(text, start);
    const added = INDENT.slice(column % INDENT.length);
    return { from: start, to: start, text: added, start: start + added.length, end: start + added.length };
  }
  return replaceLines(text, start, end, (lines) => lines.map((line) => (line ? INDENT + line : line)));
}

/** Shift and Tab: up to four spaces fewer before each line of the selection. */
export const outdented = (text, start, end) =>
  replaceLines(text, start, end, (lines) => lines.map((line) => line.replace(/^(?: {1,4}|\t)/, '')));

/** Enter: the next line is indented like the one that is left, and further after an opening brace. */
export function lineBroken(text, start, end) {
  const line = text.slice(lineStart(text, start), start);
  const added = `\n${/^[ \t]*/.exec(line)[0]}${/\{\s*$/.test(line) ? INDENT : ''}`;
  return { from: start, to: end, text: added, start: start + added.length, end: start + added.length };
}

/** A closing brace: up to four spaces fewer before it, where nothing else is; null where it is inserted as it is. */
export function braceClosed(text, start, end) {
  const [, indent] = /^[ \t]*?( {1,4}|\t)$/.exec(text.slice(lineStart(text, start), start)) ?? [];
  if (!indent) return null;
  const from = start - indent.length;
  return { from, to: end, text: '}', start: from + 1, end: from + 1 };
}

/** The selected lines as comments, all at the column of the least indented; without the marks where all are
 * comments. */
export const commentToggled = (text, start, end) =>
  replaceLines(text, start, end, (lines) => {
    const written = lines.filter((line) => line.trim());
    if (written.length && written.every((line) => /^\s*\/\//.test(line)))
      return lines.map((line) => line.replace(/^(\s*)\/\/ ?/, '$1'));
    const column = Math.min(...(written.length ? written : lines).map((line) => line.search(/\S|$/)));
    return lines.map((line) =>
      line.trim() || !written.length ? `${line.slice(0, column)}// ${line.slice(column)}` : line,
    );
  });

const lineStart = (text, at) => text.lastIndexOf('\n', at - 1) + 1;

/** Replaces the lines that the selection touches. A selection that ends where a line begins does not touch this
 * line. */
function replaceLines(text, start, end, change) {
  const from = lineStart(text, start);
  const last = end > start && text[end - 1] === '\n' ? end - 1 : end;
  const next = text.indexOf('\n', last);
  const to = next < 0 ? text.length : next;
  const lines = text.slice(from, to).split('\n');
  const changed = change(lines);
  const added = changed.join('\n');
  const ofFirst = changed[0].length - lines[0].length;
  return {
    from,
    to,
    text: added,
    start: Math.max(from, start + ofFirst),
    end: Math.max(from, end + added.length - (to - from)),
  };
}

/** The position in the text of a line and a column, both from 1; of the end of the line where it is shorter. */
export function positionOf(text, line, column) {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1);
  const inLine = Math.min((column || 1) - 1, (lines[line - 1] ?? '').length);
  return Math.min(text.length, before.reduce((sum, one) => sum + one.length + 1, 0) + inLine);
}

/** The line of a position, from 1. */
export const lineAt = (text, position) => text.slice(0, position).split('\n').length;
