// The source code of a step with its file name and a copy button. It is fetched when first shown.

import { h, replace } from '../dom.js';
import * as lab from '../lab.js';
import { tokenize } from '../tokenizer.js';
import { copyButton } from './copybutton.js';

/** Returns {element, show(source)}; `show` fetches and shows one of the experiment's `sources`. */
export function codePane({ experiment }) {
  const file = h('code', { class: 'code-file' });
  const body = h('div', { class: 'code-body' });
  let [shown, text] = [null, ''];
  const copy = copyButton('Copy', () => text, { disabled: true });
  const element = h('div', { class: 'code' }, h('div', { class: 'code-head' }, file, copy), body);

  async function show(source) {
    if (shown === source) return;
    shown = source;
    replace(
      file,
      source.file.split('/').map((part, at) => (at ? ['/', h('wbr'), part] : part)),
    );
    copy.disabled = true;
    const slow = setTimeout(() => {
      if (shown === source) replace(body, h('p', { class: 'code-state' }, 'Loading…'));
    }, 150);
    try {
      const answer = await lab.sourceText(experiment.name, source);
      if (shown !== source) return;
      text = answer;
      copy.disabled = false;
      replace(body, listing(source, answer));
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

/** The source text with syntax colours, in an element that scrolls. */
function listing({ file }, text) {
  return h(
    'pre',
    { class: 'code-text', tabindex: 0, role: 'region', 'aria-label': `Source ${file}` },
    h(
      'code',
      {},
      tokenize(text).map(({ kind, text: part }) => (kind ? h('span', { class: `code-${kind}` }, part) : part)),
    ),
  );
}

const errorMessage = (error, retry) =>
  h(
    'p',
    { class: 'code-state', role: 'alert' },
    `The source could not be loaded: ${error.message} `,
    h('button', { type: 'button', class: 'small', on: { click: retry } }, 'Try again'),
  );
