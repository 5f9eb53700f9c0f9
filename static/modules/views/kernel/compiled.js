// What the compiler answers: the state and its messages.

import { h, replace } from '../../dom.js';
import { deviceTitle } from '../../lab/lab.js';
import { messageCounts, placeText } from '../../text/compilermessages.js';
import { seconds } from '../../text/format.js';

const targetText = ({ device, architecture }) => architecture ?? deviceTitle(device);

const STATES = {
  compiling: () => 'Compiling…',
  waiting: ({ error }) => `Waiting to compile: ${error.message}`,
  failed: ({ error }) =>
    `Not compiled: ${[error.message, ...(error.errors ?? []).map(({ detail }) => detail)].join(' ')}`,
  done({ request, answer }) {
    const counts = messageCounts(answer.messages);
    if (answer.status === 'rejected') return `Rejected: ${counts || 'see the log of the compiler'}`;
    return `Compiled for ${targetText(request)} in ${seconds(answer.seconds, 2)}${counts ? `: ${counts}` : ''}`;
  },
};

const toneOf = ({ phase, answer }) =>
  phase === 'failed' || answer?.status === 'rejected' ? 'bad' : phase === 'done' ? 'good' : 'quiet';

/** Returns {element, show(state)}: the state of compiling in a sentence, and the messages of the compiler as a list
 * whose entries call goTo(line, column). */
export function compilerReport({ goTo }) {
  const sentence = h('p', { role: 'status' });
  const list = h('ul', { class: 'stack dense compiler-messages' });
  const log = h('pre', {
    class: 'compiler-log',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Log of the compiler',
    hidden: true,
  });
  return {
    element: h('div', { class: 'compiler-report stack tight' }, sentence, list, log),
    show(state) {
      replace(sentence, h('span', { class: `status ${toneOf(state)}` }, STATES[state.phase](state)));
      if (state.phase === 'compiling' || state.phase === 'waiting') return; // the messages before stay until there are others
      const messages = state.answer?.messages ?? [];
      replace(
        list,
        messages.map((message) => h('li', {}, messageEntry(message, goTo))),
      );
      log.hidden = messages.length > 0 || state.answer?.status !== 'rejected';
      log.textContent = state.answer?.log ?? '';
    },
  };
}

/** The severity of a message in its colour. */
export const severityTag = ({ severity }) => h('span', { class: `tag ${{ error: 'bad', warning: 'warn' }[severity] ?? ''}` }, severity);

function messageEntry(message, goTo) {
  const { line, column, text } = message;
  const place = placeText(message);
  const tag = severityTag(message);
  if (!place) return [tag, ' ', text];
  return [
    tag,
    ' ',
    h('button', { type: 'button', class: 'link', on: { click: () => goTo(line, column) } }, `${place}: ${text}`),
  ];
}
