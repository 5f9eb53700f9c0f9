// The source code of a step with the names of its files, a link that edits it, and a copy button. Lines that differ from the step
// before are marked, and files without such lines are folded. It is fetched when first shown.

import { h, replace } from '../dom.js';
import * as lab from '../lab/lab.js';
import { changedLines } from '../text/linediff.js';
import { editAddress, previousOf } from '../lab/sources.js';
import { codeLines } from './codelines.js';
import { copyButton } from './copybutton.js';

/** Returns {element, show(source)}; `show` fetches and shows one of the experiment's `sources`. */
export function codePane({ experiment }) {
  const file = h('code', { class: 'code-file' });
  const note = h('p', { class: 'code-note', hidden: true });
  const body = h('div', { class: 'code-body' });
  let [shown, text] = [null, ''];
  const copy = copyButton('Copy', () => text, { disabled: true });
  const edit = h('a', { class: 'button small', hidden: true }, 'Edit this kernel');
  const head = h('div', { class: 'code-head' }, file, h('span', { class: 'code-actions' }, edit, copy));
  const element = h('div', { class: 'code' }, head, note, body);

  async function show(source) {
    if (shown === source) return;
    shown = source;
    edit.hidden = !source.editable;
    edit.href = editAddress(experiment, source);
    replace(
      file,
      filesOf(source)
        .split('/')
        .map((part, at) => (at ? ['/', h('wbr'), part] : part)),
    );
    note.hidden = true;
    copy.disabled = true;
    const slow = setTimeout(() => {
      if (shown === source) replace(body, h('p', { class: 'code-state' }, 'Loading…'));
    }, 150);
    try {
      const before = previousOf(experiment, source);
      const [answer, old] = await Promise.all(
        [source, before].map((one) => one && lab.sourceText(experiment.name, one)),
      );
      if (shown !== source) return;
      text = answer;
      copy.disabled = false;
      const changed = before && comparable(changedLines(old, answer));
      note.hidden = !changed;
      if (changed)
        note.textContent = changed.includes(true)
          ? `Marked lines differ from “${before.title}”.`
          : `The same code as “${before.title}”.`;
      const code = listing(source, answer, changed);
      replace(body, code);
      showFirstMark(code);
    } catch (error) {
      if (shown === source)
        replace(
          body,
          errorMessage(error, () => reload(source)),
        );
    } finally {
      clearTimeout(slow);
    }
  }

  function reload(source) {
    shown = null;
    return show(source);
  }

  return { element, show };
}

const filesOf = ({ files }) => files.join(', ');

/** The changed lines, or null if most lines have changed, so that marking them would not help. The first line, the path
 * of a file, does not count. */
function comparable([, ...lines]) {
  const share = lines.filter(Boolean).length / lines.length;
  return share <= 0.6 ? [false, ...lines] : null;
}

/** The source text with syntax colours, in an element that scrolls; `changed` tells which lines are marked, or is null. */
function listing(source, text, changed) {
  const lines = codeLines(text).map((line, at, { length }) => {
    const whole = at < length - 1 ? [line, '\n'] : line;
    return changed?.[at] ? h('mark', { class: 'code-changed' }, whole) : whole;
  });
  const marked = changed?.includes(true);
  const parts = partsOf(text, source.files).map(([from, to]) => {
    const own = lines.slice(from, to);
    return marked && !changed.slice(from, to).includes(true) ? folded(own) : own;
  });
  return h(
    'pre',
    { class: 'code-text', tabindex: 0, role: 'region', 'aria-label': `Source of ${source.title}: ${filesOf(source)}` },
    h('code', {}, parts),
  );
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

const CONTEXT = 3; // lines that are shown above the first marked one

/** Scrolls to the first marked line. */
function showFirstMark(code) {
  const mark = code.querySelector('mark');
  if (!mark) return;
  const { top, height } = mark.getBoundingClientRect();
  code.scrollTop += top - code.getBoundingClientRect().top - (CONTEXT + 1) * height;
}

const errorMessage = (error, retry) =>
  h(
    'p',
    { class: 'code-state', role: 'alert' },
    `The source could not be loaded: ${error.message} `,
    h('button', { type: 'button', class: 'small', on: { click: retry } }, 'Try again'),
  );
