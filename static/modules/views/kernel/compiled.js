// What the compiler answers: the state, its messages, the resources of the kernels, and the PTX.

import { h, replace } from '../../dom.js';
import { deviceName } from '../../lab/lab.js';
import { copyButton } from '../../parts/copybutton.js';
import { messageCounts, placeText } from '../../text/compilermessages.js';
import { plain, seconds } from '../../text/format.js';

const targetText = ({ device, architecture }) => architecture ?? deviceName(device);

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

/** Returns {element, show(state)}: the state of compiling in a sentence, and the messages of the compiler as a list whose entries
 * call goTo(line, column). */
export function compilerReport({ goTo }) {
  const sentence = h('p', { role: 'status' });
  const list = h('ul', { class: 'plain-list compiler-messages' });
  const log = h('pre', {
    class: 'compiler-log',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Log of the compiler',
    hidden: true,
  });
  return {
    element: h('div', { class: 'compiler-report' }, sentence, list, log),
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

function messageEntry(message, goTo) {
  const { severity, line, column, text } = message;
  const place = placeText(message);
  const tag = h('span', { class: `tag ${{ error: 'bad', warning: 'warn' }[severity] ?? ''}` }, severity);
  if (!place) return [tag, ' ', text];
  return [
    tag,
    ' ',
    h('button', { type: 'button', class: 'link', on: { click: () => goTo(line, column) } }, `${place}: ${text}`),
  ];
}

const COLUMNS = [
  ['registers', 'Registers', 'of a thread'],
  ['shared_bytes', 'Shared', 'static bytes of a block'],
  ['local_bytes', 'Local', 'bytes of a thread, in device memory: registers that did not fit, and arrays'],
];

/** Returns {element, show(kernels, original)}: a table of what each kernel needs and, where the kernels of the original text are
 * known, how that differs. */
export function resourceTable() {
  const element = h(
    'div',
    { class: 'resources' },
    placeholder('The registers and bytes of the kernels are shown here when the text is compiled.'),
  );
  const change = (value, before) =>
    before === undefined || value === before
      ? null
      : h('span', { class: 'aside' }, ` (${value > before ? '+' : '−'}${plain(Math.abs(value - before))})`);
  return {
    element,
    show(kernels, original = []) {
      if (!kernels?.length) return;
      const before = (name) => original.find((one) => one.name === name) ?? {};
      replace(
        element,
        h(
          'div',
          { class: 'table-scroll', role: 'region', tabindex: 0, 'aria-label': 'Resources of the kernels' },
          h(
            'table',
            { class: 'figures' },
            h(
              'thead',
              {},
              h(
                'tr',
                {},
                h('th', { scope: 'col' }, 'Kernel'),
                COLUMNS.map(([, title]) => h('th', { scope: 'col', class: 'figure' }, title)),
              ),
            ),
            h(
              'tbody',
              {},
              kernels.map((kernel) =>
                h(
                  'tr',
                  {},
                  h('th', { scope: 'row' }, h('code', {}, kernel.name)),
                  COLUMNS.map(([name]) =>
                    h('td', { class: 'figure' }, plain(kernel[name]), change(kernel[name], before(kernel.name)[name])),
                  ),
                ),
              ),
            ),
          ),
        ),
        h(
          'dl',
          { class: 'resource-terms' },
          COLUMNS.map(([, title, help]) => h('div', {}, h('dt', {}, title), h('dd', {}, help))),
        ),
        differs(kernels, original) ? h('p', { class: 'aside' }, 'In parentheses: the change from the original.') : null,
      );
    },
  };
}

const differs = (kernels, original) =>
  kernels.some((kernel) =>
    original.some((one) => one.name === kernel.name && COLUMNS.some(([name]) => one[name] !== kernel[name])),
  );

/** Returns {element, show(ptx)}. */
export function ptxPane() {
  let text = '';
  const listing = h('code', {});
  const pre = h('pre', { class: 'code-text', tabindex: 0, role: 'region', 'aria-label': 'PTX' }, listing);
  const element = h('div', {}, placeholder('The PTX is shown here when the text is compiled.'));
  return {
    element,
    show(ptx) {
      if (!ptx || ptx === text) return;
      if (!text)
        replace(
          element,
          h(
            'div',
            { class: 'code' },
            h(
              'div',
              { class: 'code-head' },
              h('span', { class: 'aside' }, 'Instructions of a virtual machine, which the driver translates for a GPU'),
              copyButton('Copy', () => text),
            ),
            pre,
          ),
        );
      text = ptx;
      listing.textContent = ptx;
    },
  };
}

const placeholder = (text) => h('p', { class: 'aside' }, text);
