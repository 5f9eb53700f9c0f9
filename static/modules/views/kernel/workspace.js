// The editor with what the compiler says of its text; beside it the resources of the kernels, their instructions and
// the differences.

import { h } from '../../dom.js';
import * as events from '../../lab/events.js';
import { codeEditor } from '../../parts/editor/editor.js';
import { tabs } from '../../parts/tabs.js';
import { messagesByLine, SOURCE_NAME } from '../../text/compilermessages.js';
import { compilerReport } from './compiled.js';
import { compiling, compilingOnce } from './compiling.js';
import { differences } from './differences.js';
import { instructionsPane } from './instructions.js';
import { measuredPair } from './measuredpair.js';
import { resourceTable } from './resources.js';
import { presetOf } from './subject.js';
import { compileTarget } from './target.js';

/** Returns {element, editor, update(), compile(), showTexts(), showDifferences(before, after)}. `entry()` is the kernel
 * that the launch names, or '', `compiledWith()` what a request has beside the source (text/ownkernel.js); `attempts()`
 * are those whose texts can be compared, [{id, title, text}]; `changed()` is called after each change of the text,
 * `run()` by Ctrl+Enter; `runBar` is an element below the editor, `runnable`: whether anything can be run; `allowed`:
 * whether the person may compile. compile() is now() of compiling.js. To be called: update() after each change,
 * showTexts() when there are other attempts. */
export function workspace({ subject, entry, compiledWith, device, allowed, attempts, changed, run, runBar, runnable, choices, signal }) {
  const report = compilerReport({ goTo: (line, column) => editor.goTo(line, column) });
  const resources = resourceTable();
  const once = compilingOnce(signal);
  const changes = differences({
    texts,
    compile: allowed ? (one) => once(request(one.text, one.entry ?? entry(), { sass: hasSass })) : null,
    times: measuredPair({ experiment: subject.experiment, signal }),
  });
  let hasSass = false;

  const target = compileTarget({ device, changed: update });
  const editor = codeEditor({
    label: 'Source of the kernel',
    help: `Ctrl+S compiles${runnable ? ', Ctrl+Enter also runs' : ''}.`,
    changed,
    commands: { s: () => allowed && compiler.now(), Enter: run },
    pointed: (line) => instructions.point(line),
    signal,
  });
  const instructions = instructionsPane({
    chosen: () => compiler.now(),
    pointed: (line) => editor.point(line),
    linked: (classes) => editor.link(classes),
  });
  const { edits } = subject;
  const request = (source, name, wanted) => {
    const { options, ...files } = compiledWith();
    return { source, ...files, ...target.read(), name: SOURCE_NAME, ...(edits ? { edits } : name && { entry: name }), options: { ...options, ...wanted } };
  };
  const compiler = compiling({
    request: () => request(editor.text(), entry(), instructions.options()),
    shown: showState,
    signal,
  });
  let unreachable = false; // the last request had no answer

  function showState(state) {
    unreachable = state.error?.name === 'Unreachable';
    report.show(state);
    if (state.phase !== 'compiling') showAge(state);
    if (state.phase !== 'done') return;
    target.offer(state.answer.compiler.architectures);
    editor.mark(messagesByLine(state.answer.messages));
    hasSass = state.answer.compiler.sass;
    listTabs(hasSass);
    changes.offer(hasSass);
    instructions.show(state.answer);
    showResources(state.answer);
  }

  /** Says of what is shown that it is of an older text, where the present one was not compiled. */
  function showAge({ phase, answer }) {
    const old = phase !== 'done' || answer.status !== 'compiled';
    resources.setOld(old);
    instructions.setOld(old);
  }

  async function showResources({ status, kernels }) {
    if (status !== 'compiled') return;
    const own = edits ? kernelsIn(editor.text(), kernels) : kernels;
    resources.show(own);
    const original = await once(request(subject.original.source, subject.original.entry)).catch(() => ({}));
    if (!signal.aborted) resources.show(own, original.kernels);
  }

  function texts() {
    const { source, entry: first } = subject.original;
    return [
      { id: 'original', title: subject.edits ? 'The original' : `The preset “${presetOf(subject.original).title}”`, text: source, entry: first },
      ...attempts().map((one) => ({ ...one, entry: one.code.entry })),
      { id: 'editor', title: 'The editor', text: editor.text() },
    ];
  }

  function update() {
    target.update();
    changes.update();
    instructions.unlink();
    if (allowed) compiler.soon();
  }

  events.on('connection', (state) => state === 'live' && unreachable && update(), signal);

  const shown = tabs({ label: 'About the text', choose });
  const listTabs = (sass) =>
    shown.update([
      { name: 'resources', title: 'Resources', panel: resources.element },
      { name: 'ptx', title: sass ? 'PTX, SASS' : 'PTX', panel: instructions.element },
      { name: 'changes', title: 'Differences', panel: changes.element },
    ]);
  listTabs(false);
  shown.select(choices.get('tab'));

  function choose(name) {
    choices.set({ tab: name });
    shown.select(name);
    if (name === 'changes') changes.update();
  }

  return {
    element: h(
      'div',
      { class: 'workspace stack spaced' },
      h(
        'div',
        { class: 'stack tight' },
        editor.element,
        h('div', { class: 'row loose spread' }, runBar, target.element),
        report.element,
      ),
      h('div', { class: 'workspace-tabs' }, shown.element),
    ),
    editor,
    update,
    compile: compiler.now,
    showTexts: changes.update,
    showDifferences(before, after) {
      choose('changes');
      changes.choose(before, after);
      changes.element.scrollIntoView({ block: 'nearest' });
    },
  };
}

/** The kernels that the text names: an edited source is compiled with the rest of its file, which has others. All where
 * it names none, because C++ has made their names. */
function kernelsIn(text, kernels) {
  const named = kernels.filter(({ name }) => text.includes(name));
  return named.length ? named : kernels;
}
