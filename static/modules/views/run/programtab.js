// The tab with the program of a run: how it was called and compiled, and its files.

import { h, replace } from '../../dom.js';
import { codeLines } from '../../parts/codelines.js';
import { copyButton } from '../../parts/copybutton.js';
import { factGroup } from '../../parts/factlist.js';
import { joinArguments } from '../../text/commandline.js';
import { plural } from '../../text/format.js';

/** Returns {element, update({run})}; the program of a run does not change. */
export function programTab() {
  const element = h('section', { class: 'panel', 'aria-label': 'Program' });
  return {
    element,
    update({ run }) {
      if (element.hasChildNodes()) return;
      const { files = {}, stdin, options = {} } = run.program;
      replace(
        element,
        h('h2', {}, 'Program'),
        h(
          'div',
          { class: 'fact-columns' },
          facts('How it was called', callOf(run.program)),
          facts('How it was compiled', Object.entries(options).map(([name, value]) => [name, [value].flat().join(', ')])),
        ),
        stdin && fileElement('Standard input', stdin),
        Object.entries(files).map(([name, text]) => fileElement(name, text)),
      );
    },
  };
}

function callOf({ name, command, arguments: list = [] }) {
  return [
    ['Command', command],
    ['Name', name],
    ['Arguments', joinArguments(list)],
  ].filter(([, value]) => value);
}

const facts = (title, entries) =>
  entries.length ? factGroup({ title, facts: entries.map(([name, text]) => ({ name: null, title: name, text })) }) : null;

/** A text that is shown, and made, when it is opened. */
function fileElement(name, text) {
  const body = h('div', { class: 'code-body' });
  const count = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const open = ({ target }) => {
    if (!target.open || body.hasChildNodes()) return;
    const label = `Text of ${name}`;
    const lines = codeLines(text).map((line, at) => [at ? '\n' : null, line]);
    body.append(h('pre', { class: 'code-text', tabindex: 0, role: 'region', 'aria-label': label }, h('code', {}, lines)));
  };
  return h(
    'details',
    { class: 'program-file', on: { toggle: open } },
    h('summary', {}, h('code', {}, name), h('span', { class: 'aside' }, ` ${plural(count, 'line')}`)),
    copyButton('Copy', () => text),
    body,
  );
}
