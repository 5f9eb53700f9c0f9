// The page on which people write a kernel: they edit one that the lab has, or begin with a preset, compile it while
// they type, run it, compare it with the original, and see what earlier attempts have reached.

import { choicesOf } from '../../choices.js';
import { h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as lab from '../../lab/lab.js';
import { maySubmit, person } from '../../lab/session.js';
import { compiledWith, draftOf, sameDraft } from '../../text/ownkernel.js';
import { attempts } from './attempts.js';
import { forgetLink, keepDraft, keptDraft, linkedDraft } from './drafts.js';
import { kernelHead } from './head.js';
import { measuring } from './measuring.js';
import { originNotice, roleNotice } from './notices.js';
import { presetOf, subjectOf } from './subject.js';
import { workspace } from './workspace.js';

/** ?edits=EXPERIMENT/STEP: the source to begin with; without it a kernel from nothing, ?preset=NAME. ?from=RUN: the
 * kernel of a run. #text=…: the kernel of a link. */
export async function view(route, signal) {
  const choices = choicesOf(route);
  const from = choices.get('from') ? await api.run(choices.get('from'), signal) : null;
  const edits = from?.kernel ? (from.kernel.edits ?? '') : choices.get('edits');
  const [subject, schema, devices, { role }] = await Promise.all([
    subjectOf(edits, choices.get('preset')),
    lab.kernelSchema(),
    lab.devices(signal),
    person(),
  ]);
  const first = await firstDraft(subject, from);
  const allowed = !role || maySubmit(role);
  const page = kernelPage({ subject, schema, devices, allowed, choices, signal });
  page.start(first);
  return { title: subject.title, element: page.element };
}

/** What the page begins with: {draft, other, damaged}, the last two as for originNotice. A link comes before a run, a
 * run before what the browser has kept. */
async function firstDraft({ edits, original }, run) {
  const [linked, kept] = [await linkedDraft(edits), keptDraft(edits)];
  const draft = linked ?? (run?.kernel && draftOf(run.kernel)) ?? kept ?? original;
  return { draft, other: kept && !sameDraft(kept, draft) ? kept : null, damaged: linked === undefined };
}

function kernelPage({ subject, schema, devices, allowed, choices, signal }) {
  const { edits, original } = subject;
  const notices = h('div', { class: 'run-notices row' });

  /** Whether the text may be run: the compiler accepts it, or will see it when the run before has ended. */
  const ready = async () => ['compiled', 'waiting'].includes(await space.compile());

  const head = kernelHead({ subject, draft, replaceDraft });
  const measure = measuring({ subject, schema, devices, allowed, draft, ready, changed: edited, signal });
  const history = attempts({
    experiment: subject.experiment.name,
    codeOf: ({ kernel }) => (kernel && (kernel.edits ?? '') === edits ? kernel : null),
    textOf: ({ source }) => source,
    first: () => subject.original.source,
    baseOf: ({ compare_with: base }) => (base?.kernel === null ? subject.original.source : (base?.kernel?.source ?? null)),
    empty: 'None yet. Each run of this kernel is listed here, with its result and its text.',
    signal,
    restore: ({ code }) => replaceDraft(draftOf(code)),
    compare: ({ id }) => space.showDifferences('original', id),
    changed() {
      measure.showAttempts(history.list());
      space.showTexts();
    },
  });
  const space = workspace({
    subject,
    entry: () => (measure.launch.read().entry ?? '').trim(),
    device: measure.device,
    compiledWith: () => compiledWith(measure.launch.read()),
    allowed,
    attempts: history.list,
    changed: edited,
    run: measure.run,
    runBar: measure.bar,
    runnable: measure.runnable,
    choices,
    signal,
  });

  function draft() {
    return { source: space.editor.text(), ...measure.launch.read() };
  }

  /** Tells the form what the source has. */
  const follow = () => measure.launch.follow(space.editor.text(), subject.original);

  /** To be called after each change by the user. */
  function edited() {
    forgetLink();
    follow();
    if (choices.get('from')) choices.set({ from: '', edits });
    replace(notices, roleNotice(allowed, 'kernels'));
    keepDraft(edits, sameDraft(draft(), original) ? null : draft());
    head.update();
    measure.update();
    space.update();
  }

  /** Compares a kernel from nothing with the preset with which its draft began. */
  function beginWith(next) {
    if (!edits) subject.original = presetOf(next).draft;
  }

  const isPreset = (one) => !edits && sameDraft(one, subject.original);

  /** Shows another draft; the text can be brought back with undo. */
  function replaceDraft(next) {
    beginWith(next);
    measure.launch.write(next, isPreset(next));
    space.editor.replaceText(next.source);
    edited();
  }

  return {
    element: h(
      'div',
      { class: 'view stack spaced kernel' },
      head.element,
      notices,
      space.element,
      measure.result,
      measure.form,
      history.element,
    ),
    start(first) {
      beginWith(first.draft);
      measure.launch.write(first.draft, isPreset(first.draft));
      space.editor.setText(first.draft.source);
      follow();
      replace(notices, roleNotice(allowed, 'kernels'), originNotice(first, replaceDraft));
      head.update();
      measure.update();
      space.update();
      history.start();
    },
  };
}
