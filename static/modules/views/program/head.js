// The head of the page: what it is for, and the programs to begin with.

import { freshId, h, replace } from '../../dom.js';
import { confirm } from '../../parts/confirm.js';
import { notice } from '../../parts/notice.js';
import { prose } from '../../parts/prose.js';
import { draftOfFiles } from '../../text/ownprogram.js';

/** Returns {element, show(sample)}. `samples` are programs of the lab (api.js); the choice of one calls choose(draft,
 * sample), after a question unless untouched(). show() shows which one was chosen, null: none. */
export function programHead({ samples, untouched, choose }) {
  const id = freshId('sample');
  const select = h(
    'select',
    { id, on: { change } },
    h('option', { value: '' }, 'Choose a program'),
    samples.map(({ name, title }) => h('option', { value: name }, title)),
  );
  const about = h('div', { class: 'prose stack' });
  let shown = '';

  async function change() {
    const sample = samples.find(({ name }) => name === select.value);
    if (!sample) return;
    const question = { title: `Begin with “${sample.title}”?`, text: 'It replaces your files and settings.', action: 'Replace' };
    if (untouched() || (await confirm(question))) choose(draftOfFiles(sample.files), sample);
    else select.value = shown;
  }

  return {
    element: h(
      'header',
      { class: 'view-head stack tight start' },
      h('h1', {}, 'Own program'),
      h(
        'p',
        { class: 'lead' },
        'Write a whole program with ',
        h('code', {}, 'main'),
        ', or drop your files here. The lab compiles it, runs it in a sandbox, and shows what it prints, measures and does on the device. It reports results of its own with ',
        h('a', { href: '/gpulab.h' }, 'gpulab.h'),
        '.',
      ),
      samples.length ? h('div', { class: 'actions' }, h('label', { for: id }, 'Start from'), select) : null,
      about,
    ),
    show(sample) {
      shown = sample?.name ?? '';
      select.value = shown;
      replace(about, prose(sample?.text, 2));
    },
  };
}

/** Why the lab refuses whole programs, and what to do. */
export const notAllowedNotice = (detail) =>
  notice({
    title: 'This lab does not run programs over the network',
    text: detail,
    tone: 'warn',
    more: h(
      'p',
      {},
      'Whoever runs the lab can add a token for each person (',
      h('code', {}, 'gpulab token add NAME'),
      ') and start it with ',
      h('code', {}, 'gpulab serve --allow-programs'),
      '. On the machine of the lab its own user needs neither: ',
      h('code', {}, 'gpulab program main.cu'),
      '.',
    ),
  });
