// The tab with what a program and its compiler print, as it comes.

import { h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as events from '../../lab/events.js';
import { copyButton } from '../../parts/copybutton.js';
import { printed } from '../../results/printed.js';
import { isLive } from '../../text/displaynames.js';
import { throttled } from '../../throttle.js';

const NEAR_END = 24; // px: an output that is scrolled to its end stays there

/** Why there is no output; that of a run which has printed something is '' when the lab has removed it. */
const whyNone = ({ status, output }) =>
  isLive(status) ? 'Nothing has been printed yet.' : output === '' ? 'What the program printed was removed, as of older runs.' : 'The program printed nothing.';

/** Returns {element, update({run})}. */
export function outputTab({ run: { id }, signal }) {
  const output = printed();
  const messages = listing('Messages of the compiler');
  const text = listing('Output of the program');
  const none = h('p', { class: 'aside' });
  const element = h('section', { class: 'panel stack loose', 'aria-label': 'Output' }, messages.element, none, text.element);
  let nothing = ''; // what is said where there is no output
  let failed = false; // the compiler has rejected the program, so all that was printed is of it

  function draw() {
    const isCompiler = ({ stream }) => stream === 'compiler' || (failed && stream === null);
    const parts = output.parts();
    messages.show(parts.filter(isCompiler));
    text.show(parts.filter((part) => !isCompiler(part)));
    none.hidden = parts.length > 0;
    none.textContent = nothing;
  }

  const drawSoon = throttled(draw, signal);

  async function fetchMissing() {
    const run = await api.run(id, signal).catch(() => null); // the page fetches the run again when the lab answers
    if (!run) return;
    output.merge(run.output ?? '');
    drawSoon();
  }

  events.on(
    'run.output',
    ({ run, ...event }) => {
      if (run !== id) return;
      if (output.add(event)) drawSoon();
      else fetchMissing();
    },
    signal,
  );

  return {
    element,
    update({ run }) {
      nothing = whyNone(run);
      failed = /compile-failed$/.test(run.error?.type ?? '');
      output.merge(run.output ?? '');
      draw();
    },
  };
}

/** A text with its title: {element, show(parts)}, hidden while there is none. Texts that are shown already are not
 * drawn again. */
function listing(title) {
  const body = h('code', {});
  const area = h('pre', { class: 'program-text', tabindex: 0, role: 'region', 'aria-label': title }, body);
  const copy = copyButton('Copy', () => body.textContent);
  const element = h('div', { hidden: true }, h('div', { class: 'section-head' }, h('h2', {}, title), copy), area);
  let drawn = [];

  function show(parts) {
    const atEnd = area.scrollHeight - area.scrollTop - area.clientHeight < NEAR_END;
    const same = parts.findIndex(({ stream, text }, at) => drawn[at]?.stream !== stream || drawn[at].text !== text);
    if (same < 0 && parts.length === drawn.length) return;
    const from = same < 0 ? parts.length : same;
    replace(body, [...body.children].slice(0, from), parts.slice(from).map(({ stream, text }) => h('span', { class: stream ?? '' }, text)));
    drawn = parts.map((part) => ({ ...part }));
    element.hidden = !parts.length;
    if (atEnd) area.scrollTop = area.scrollHeight;
  }

  return { element, show };
}
