// The editor of a challenge: it begins with the start of the challenge, compiles while people type, and submits.

import { freshId, h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import { followRun } from '../../lab/followrun.js';
import { submission } from '../../lab/submission.js';
import { announce } from '../../parts/announce.js';
import { codeEditor } from '../../parts/editor/editor.js';
import { messagesByLine, SOURCE_NAME } from '../../text/compilermessages.js';
import { compiledWith, draftOf, sameDraft, submissionOf } from '../../text/ownkernel.js';
import { compilerReport } from '../kernel/compiled.js';
import { compiling } from '../kernel/compiling.js';
import { keepDraft, keptDraft } from '../kernel/drafts.js';
import { launchForm } from '../kernel/launch.js';
import { outcome } from '../kernel/outcome.js';
import { compileTarget } from '../kernel/target.js';

/** Returns {element, start()}; start() shows the draft that the browser has kept, or the start of the challenge.
 * `allowed`: whether the challenge is open and the person may submit; `experiment` is that of own kernels, `schema`
 * that of a kernel; `changed()` is called when the status of a submission has changed. */
export function submitting({ challenge, devices, experiment, schema, allowed, changed, signal }) {
  const key = `challenge/${challenge.name}`;
  const first = draftOf({ ...challenge.kernel, source: challenge.start, reference: null, arguments: [], options: {} });
  const formId = freshId('submission');
  const refusal = h('div', { class: 'field-error', role: 'alert' });
  const launch = launchForm({ challenge: true, schema, changed: edited });
  const report = compilerReport({ goTo: (line, column) => editor.goTo(line, column) });
  const target = compileTarget({ device: () => devices.find(({ backend }) => backend === 'cuda') ?? null, changed: edited });
  const result = outcome({ experiment, signal });
  const send = submission((body, idempotency) => api.submit(challenge.name, body, idempotency));
  const button = h('button', { type: 'submit', class: 'primary', form: formId, disabled: !allowed }, 'Submit');
  const restore = h('button', { type: 'button', on: { click: () => show(first) } }, 'Begin again');
  const editor = codeEditor({
    label: 'Your kernel',
    help: 'Ctrl+S compiles, Ctrl+Enter submits.',
    changed: edited,
    commands: { s: () => compiler.now(), Enter: submit },
    signal,
  });
  const compiler = compiling({ request, shown: showState, signal });

  const draft = () => ({ source: editor.text(), ...launch.read() });

  function request() {
    const { entry } = draft();
    return { source: editor.text(), ...target.read(), ...compiledWith(draft()), name: SOURCE_NAME, ...(entry.trim() && { entry: entry.trim() }) };
  }

  function showState(state) {
    report.show(state);
    if (state.phase !== 'done') return;
    target.offer(state.answer.compiler.architectures);
    editor.mark(messagesByLine(state.answer.messages));
  }

  function edited() {
    const now = draft();
    keepDraft(key, sameDraft(now, first) ? null : now);
    restore.hidden = sameDraft(now, first);
    target.update();
    compiler.soon();
  }

  /** Shows a draft; the text before can be brought back with undo. */
  function show(next) {
    launch.write(next);
    editor.replaceText(next.source);
    edited();
  }

  const showErrors = (errors) => replace(refusal, launch.mark(errors).map(({ detail }) => h('p', {}, detail)));

  function follow(id) {
    let status = null;
    const show = (run) => {
      result.show(run);
      if (run.status !== status) changed();
      ({ status } = run);
    };
    followRun(id, signal, show, result.showError);
  }

  async function submit() {
    if (button.disabled) return;
    button.disabled = true;
    try {
      const id = await send(submissionOf(draft()));
      showErrors([]);
      announce('Submitted');
      follow(id);
      result.element.scrollIntoView({ block: 'nearest' });
    } catch (error) {
      showErrors(error.errors?.length ? error.errors : [{ detail: error.message }]);
    } finally {
      button.disabled = !allowed;
    }
  }

  const form = h(
    'form',
    {
      class: 'panel run-form stack spaced',
      id: formId,
      novalidate: true,
      'aria-label': 'Launch',
      on: {
        submit(event) {
          event.preventDefault();
          submit();
        },
      },
    },
    h('h2', {}, 'Launch'),
    launch.element,
  );

  return {
    element: h(
      'section',
      { class: 'stack tight', 'aria-label': 'Your solution' },
      editor.element,
      h('div', { class: 'row loose spread' }, h('div', { class: 'run-bar row loose' }, button, restore, reasonOf(challenge, allowed), refusal), target.element),
      report.element,
      result.element,
      form,
    ),
    start() {
      const kept = keptDraft(key) ?? first;
      launch.write(kept);
      editor.setText(kept.source);
      edited();
    },
  };
}

/** Why nothing can be submitted; null where it can. */
function reasonOf({ open }, allowed) {
  if (allowed) return null;
  return h('p', { class: 'aside' }, open ? 'Submitting needs the role participant or operator.' : 'The challenge is not open.');
}
