// A source text with syntax colours. Lines that differ from the step before are marked, and files without such lines
// are folded.

import { h } from '../dom.js';
import { filesOf } from '../lab/sources.js';
import { changedLines } from '../text/linediff.js';
import { codeLines } from './codelines.js';

/** {element, changed} of a source: `text` with syntax colours in an element that scrolls, and which of its lines differ
 * from `before`, the text of the step before. `changed` is null without one, and where marking would not help. */
export function codeListing(source, text, before) {
  const changed = before === null ? null : comparable(changedLines(before, text));
  const lines = codeLines(text).map((line, at, { length }) => {
    const whole = at < length - 1 ? [line, '\n'] : line;
    return changed?.[at] ? h('mark', { class: 'code-changed' }, whole) : whole;
  });
  const marked = changed?.includes(true);
  const parts = partsOf(text, source.files).map(([from, to]) => {
    const own = lines.slice(from, to);
    return marked && !changed.slice(from, to).includes(true) ? folded(own) : own;
  });
  const element = h(
    'pre',
    { class: 'code-text', tabindex: 0, role: 'region', 'aria-label': `Source of ${source.title}: ${filesOf(source)}` },
    h('code', {}, parts),
  );
  return { element, changed };
}

/** The changed lines, or null if most lines have changed, so that marking them would not help. The first line, the path
 * of a file, does not count. */
function comparable([, ...lines]) {
  const share = lines.filter(Boolean).length / lines.length;
  return share <= 0.6 ? [false, ...lines] : null;
}

/** The lines [from, to) of each file; the text has all, each below a comment with its path. */
function partsOf(text, files) {
  const lines = text.split('\n');
  const starts = lines.flatMap((line, at) => (at && files.some((file) => line === `// ${file}`) ? [at] : []));
  return [0, ...starts].map((from, at) => [from, starts[at] ?? lines.length]);
}

/** A file without marked lines: its path, which opens it. */
const folded = ([path, ...lines]) =>
  h('details', { class: 'code-fold' }, h('summary', {}, path), lines);
