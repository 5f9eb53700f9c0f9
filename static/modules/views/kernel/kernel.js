// The page on which people write a kernel: they edit one that the lab has, or begin with an empty lab and a preset, compile it
// while they type, run it, compare it with the original, and see what earlier attempts have reached.

import { choicesOf } from '../../choices.js';
import { h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as lab from '../../lab/lab.js';
import { allows, person } from '../../lab/session.js';
import { confirm } from '../../parts/confirm.js';
import { copyButton } from '../../parts/copybutton.js';
import { notice } from '../../parts/notice.js';
import { PRESETS } from '../../text/kernelpresets.js';
import { changeText } from '../../text/linediff.js';
import { draftOf, sameDraft } from '../../text/ownkernel.js';
import { attempts } from './attempts.js';
import { forgetLink, keepDraft, keptDraft, linkedDraft, linkTo } from './drafts.js';
import { measuring } from './measuring.js';
import { subjectOf } from './subject.js';
import { workspace } from './workspace.js';

/** ?edits=EXPERIMENT/STEP: the source to begin with; without it a kernel from nothing, ?preset=NAME. ?from=RUN: the kernel of a
 * run. #text=…: the kernel of a link. */
export async function view(route, signal) {
  const choices = choicesOf(route);
  const from = choices.get('from') ? await api.run(choices.get('from'), signal) : null;
  const edits = from?.kernel ? (from.kernel.edits ?? '') : choices.get('edits');
  const [subject, devices, { role }, compiler] = await Promise.all([
    subjectOf(edits, choices.get('preset')),
    lab.devices(signal),
    person(),
    api.compiler(signal).catch((error) => ({ architectures: [], error })),
  ]);
  const first = await firstDraft(subject, from);
  const page = kernelPage({ subject, devices, allowed: !role || allows(role, 'operator'), compiler, choices, signal });
  page.start(first);
  return { title: subject.title, element: page.element };
}

/** What the page begins with: {draft, problem}. A link comes before a run, a run before what the browser has kept. */
async function firstDraft({ edits, original }, run) {
  const linked = await linkedDraft(edits);
  const draft = linked ?? (run?.kernel && draftOf(run.kernel)) ?? keptDraft(edits) ?? original;
  const kept = keptDraft(edits);
  return { draft, other: kept && !sameDraft(kept, draft) ? kept : null, damaged: linked === undefined };
}

function kernelPage({ subject, devices, allowed, compiler, choices, signal }) {
  const { edits, original } = subject;
  let current = original; // the draft without its text, which is in the editor
  const notices = h('div', { class: 'run-notices' });
  const changeCount = h('span', { class: 'aside' });
  const toOriginal = h('button', { type: 'button', on: { click: () => replaceDraft(original) } }, 'Back to the original');
  const history = attempts({
    subject,
    signal,
    restore: ({ kernel }) => replaceDraft(draftOf(kernel)),
    compare: ({ id }) => space.showDifferences('original', id),
    changed() {
      measure.showAttempts(history.list());
      space.update();
    },
  });
  const measure = measuring({ subject, devices, allowed, draft, ready, changed: edited, signal });
  const space = workspace({
    subject,
    architectures: compiler.architectures,
    device: measure.device,
    allowed: allowed && !compiler.error,
    texts: () => [
      { id: 'original', title: edits ? 'The original' : 'The first preset', text: original.source },
      ...history.list(),
      { id: 'editor', title: 'The editor', text: space.editor.text() },
    ],
    changed: edited,
    run: measure.run,
    runBar: measure.bar,
    choices,
    signal,
  });

  function draft() {
    return { ...current, ...measure.launch.read(), source: space.editor.text() };
  }

  /** Whether the text may be run: the compiler has not rejected it. */
  async function ready() {
    if (compiler.error) return true;
    const answer = await space.compile();
    return answer?.status === 'compiled';
  }

  function edited() {
    forgetLink();
    if (choices.get('from')) choices.set({ from: '', edits });
    replace(notices, standingNotices());
    keepDraft(edits, sameDraft(draft(), original) ? null : draft());
    showChange();
    measure.update();
  }

  function showChange() {
    const now = draft();
    const changed = Boolean(edits) && !sameDraft(now, original);
    toOriginal.hidden = !changed;
    changeCount.textContent = changed ? `${changeText(original.source, now.source)} lines` : '';
    [...presets.children].forEach((button, at) => button.setAttribute('aria-pressed', String(sameDraft(PRESETS[at].draft, now))));
  }

  /** Shows another draft; the text can be brought back with undo. */
  function replaceDraft(next) {
    current = next;
    measure.launch.write(next);
    space.editor.replaceText(next.source);
    edited();
  }

  const standingNotices = () => [
    allowed ? null : notice({ title: 'You can read kernels, but not run them', text: 'Compiling and running need the role operator; yours is viewer. Ask an admin of this lab for another token.' }),
    compiler.error ? notice({ title: 'Kernels cannot be compiled here', text: compiler.error.message, tone: 'warn' }) : null,
  ];

  const presets = h('div', { class: 'segments', role: 'group', 'aria-label': 'Kernels to begin with' }, PRESETS.map(({ title, draft: preset }) =>
    h('button', { type: 'button', on: { click: () => choosePreset(title, preset) } }, title)));

  async function choosePreset(title, preset) {
    const untouched = PRESETS.some((one) => sameDraft(one.draft, draft()));
    if (untouched || (await confirm({ title: `Begin with “${title}”?`, text: 'It replaces your text and its launch.', action: 'Replace' }))) replaceDraft(preset);
  }

  const element = h(
    'div',
    { class: 'view kernel' },
    h(
      'header',
      { class: 'view-head' },
      h('h1', {}, subject.title),
      lead(subject),
      h('div', { class: 'actions' }, edits ? null : presets, copyButton('Copy link to this text', () => linkTo(edits, draft()), { class: '' }), toOriginal, changeCount),
    ),
    notices,
    space.element,
    measure.result,
    measure.form,
    history.element,
  );

  return {
    element,
    start({ draft: first, other, damaged }) {
      current = first;
      measure.launch.write(first);
      space.editor.setText(first.source);
      showChange();
      replace(notices, standingNotices(), linkNotice(damaged, other, replaceDraft));
      measure.update();
      space.update();
      history.start();
    },
  };
}

/** Where the kernel is from, and what it must keep. */
function lead({ edits, experiment, step }) {
  if (!edits)
    return h('p', { class: 'lead' }, 'Write a kernel, say how it is launched and with which arguments, and measure it as the lab measures its own.');
  const lesson = h('a', { href: `/experiments/${encodeURIComponent(experiment.name)}` }, experiment.title);
  return h('p', { class: 'lead' }, 'The kernel of the step ', h('code', {}, step.step), ' of ', lesson, '. Buffers, arguments and the check of the results stay; keep the name and the parameters of the kernel.');
}

function linkNotice(damaged, other, show) {
  if (damaged) return notice({ title: 'The text of the link cannot be read', text: 'The link is incomplete or damaged.', tone: 'warn' });
  const button = h('button', { type: 'button', on: { click: () => show(other) } }, 'Show my draft');
  return other && notice({ text: 'This text is from a link or a run. Your own draft of this kernel is kept until you change the text.', actions: [button] });
}
