// The head of the page: what is edited, the kernels to begin with, and what can be done with the text.

import { h } from '../../dom.js';
import { confirm } from '../../parts/confirm.js';
import { copyButton } from '../../parts/copybutton.js';
import { PRESETS } from '../../text/kernelpresets.js';
import { changeText } from '../../text/linediff.js';
import { sameDraft } from '../../text/ownkernel.js';
import { linkTo } from './drafts.js';

/** Returns {element, update()}. `draft()` returns the present draft, replaceDraft(draft) shows another one. */
export function kernelHead({ subject, draft, replaceDraft }) {
  const { edits, original } = subject;
  const toOriginal = h(
    'button',
    { type: 'button', on: { click: () => replaceDraft(original) } },
    'Back to the original',
  );
  const changes = h('span', { class: 'aside' });
  const link = copyButton('Copy link to this text', () => linkTo(edits, draft()), { class: '' });
  const presets = PRESETS.map((preset) =>
    h('button', { type: 'button', on: { click: () => choose(preset) } }, preset.title),
  );
  const presetGroup = h('div', { class: 'segments', role: 'group', 'aria-label': 'Kernels to begin with' }, presets);

  async function choose({ title, draft: preset }) {
    const untouched = PRESETS.some((one) => sameDraft(one.draft, draft()));
    const text = 'It replaces your text and its launch.';
    if (untouched || (await confirm({ title: `Begin with “${title}”?`, text, action: 'Replace' })))
      replaceDraft(preset);
  }

  return {
    element: h(
      'header',
      { class: 'view-head stack tight start' },
      h('h1', {}, subject.title),
      h('p', { class: 'lead' }, leadOf(subject)),
      h('div', { class: 'actions' }, edits ? [link, toOriginal, changes] : [presetGroup, link]),
    ),
    update() {
      const now = draft();
      const changed = !sameDraft(now, original);
      toOriginal.hidden = !changed;
      changes.textContent = changed ? `${changeText(original.source, now.source)} lines` : '';
      presets.forEach((button, at) => button.setAttribute('aria-pressed', String(sameDraft(PRESETS[at].draft, now))));
    },
  };
}

/** Where the kernel is from, and what it must keep. */
function leadOf({ edits, experiment, step }) {
  if (!edits)
    return 'Write a kernel, say how it is launched and with which arguments, and measure it as the lab measures its own.';
  const lesson = h('a', { href: `/experiments/${encodeURIComponent(experiment.name)}` }, experiment.title);
  const kept =
    'Buffers, arguments and the check of the results stay. Keep the name and the parameters of the kernel, and the lines ';
  return [
    'The kernel of the step ',
    h('code', {}, step.step),
    ' of ',
    lesson,
    `. ${kept}`,
    h('code', {}, '// kernels/…'),
    '.',
  ];
}
