// The code behind a step: fetched when it is to be shown, with the file's name and a button that copies it.

import { h, replace } from '../dom.js';
import * as lab from '../lab.js';
import { tokens } from '../tokenizer.js';
import { copyButton } from './copybutton.js';

/** {element, show(source)}: `show` fetches and shows the code of one of the experiment's `sources`. */
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
    const waiting = setTimeout(() => {
      if (shown === source) replace(body, h('p', { class: 'code-state' }, 'Loading …'));
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
          failed(error, () => again(source)),
        );
    } finally {
      clearTimeout(waiting);
    }
  }

  function again(source) {
    shown = null;
    return show(source);
  }

  return { element, show };
}

/** The text as it is, coloured; it scrolls by itself. */
function listing({ file }, text) {
  return h(
    'pre',
    { class: 'code-text', tabindex: 0, role: 'region', 'aria-label': `Source ${file}` },
    h(
      'code',
      {},
      tokens(text).map(({ kind, text: words }) => (kind ? h('span', { class: `code-${kind}` }, words) : words)),
    ),
  );
}

const failed = (error, retry) =>
  h(
    'p',
    { class: 'code-state', role: 'alert' },
    `The code could not be fetched: ${error.message} `,
    h('button', { type: 'button', class: 'small', on: { click: retry } }, 'Try again'),
  );
