// The source code of a step with the names of its files, a link that edits it, and a copy button. It is fetched when
// first shown.

import { h, replace } from '../dom.js';
import * as lab from '../lab/lab.js';
import { editAddress, filesOf, previousOf } from '../lab/sources.js';
import { loadRest } from '../later.js';
import { copyButton } from './copybutton.js';
import { placed } from '../place.js';

/** Returns {element, show(source)}; `show` fetches and shows one of the experiment's `sources`. */
export function codePane({ experiment }) {
  const file = h('code', { class: 'code-file' });
  const note = h('p', { class: 'code-note', hidden: true });
  const body = h('div', { class: 'code-body' });
  let [shown, text] = [null, ''];
  const copy = copyButton('Copy', () => text);
  const edit = h('a', { class: 'button small', hidden: true }, 'Edit this kernel');
  const head = h('div', { class: 'code-head row spread' }, file, h('span', { class: 'code-actions' }, edit, copy));
  const element = h('div', { class: 'code' }, head, note, body);

  function allowCopy(allowed) {
    copy.disabled = !allowed;
    copy.title = allowed ? '' : 'The source is not here yet';
  }
  allowCopy(false);

  async function show(source) {
    if (shown === source) return;
    shown = source;
    edit.hidden = !source.editable;
    edit.href = placed(editAddress(experiment, source));
    replace(
      file,
      filesOf(source)
        .split('/')
        .map((part, at) => (at ? ['/', h('wbr'), part] : part)),
    );
    note.hidden = true;
    allowCopy(false);
    const slow = setTimeout(() => {
      if (shown === source) replace(body, h('p', { class: 'code-state' }, 'Loading…'));
    }, 150);
    try {
      const before = previousOf(experiment, source);
      const texts = [source, before].map((one) => one && lab.sourceText(experiment.name, one));
      const [answer, old, { codeListing }] = await Promise.all([...texts, loadRest()]);
      if (shown !== source) return;
      text = answer;
      allowCopy(true);
      const { element: code, changed } = codeListing(source, answer, old);
      note.hidden = !changed;
      if (changed)
        note.textContent = changed.includes(true)
          ? `Marked lines differ from “${before.title}”.`
          : `The same code as “${before.title}”.`;
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
