// The page for whole programs: their files in an editor, how they are compiled and called, the run as it goes on, and
// earlier attempts.

import { choicesOf } from '../../choices.js';
import { h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as lab from '../../lab/lab.js';
import { allows, person } from '../../lab/session.js';
import { keep, kept } from '../../storage.js';
import {
  draftOfFiles,
  draftOfProgram,
  fileOfPointer,
  isProgramDraft,
  programOf,
  sameFiles,
  textOfFiles,
} from '../../text/ownprogram.js';
import { attempts } from '../kernel/attempts.js';
import { severityTag } from '../kernel/compiled.js';
import { differences } from '../kernel/differences.js';
import { originNotice, roleNotice } from '../kernel/notices.js';
import { commandPick } from './commands.js';
import { programFiles } from './files.js';
import { notAllowedNotice, programHead } from './head.js';
import { programRun } from './running.js';
import { programSettings } from './settings.js';

const EXPERIMENT = 'program';
const KEPT = 'gpulab.program'; // the name of the draft (storage.js)

/** ?run=ID: the program of a run; ?sample=NAME: one of the lab's (api.programs). ?attempt=ID: the run that is shown. */
export async function view(route, signal) {
  const choices = choicesOf(route);
  const from = choices.get('run');
  const [experiment, schema, samples, commands, devices, { role }, run] = await Promise.all([
    lab.experiment(EXPERIMENT),
    lab.programSchema(),
    lab.programs(),
    lab.commands(signal),
    lab.devices(signal),
    person(),
    from ? api.run(from, signal) : null,
  ]);
  if (!experiment) throw new api.Problem(404, { title: 'No programs', detail: 'This lab was built without the experiment “program”.' });
  const allowed = !role || allows(role, 'operator');
  const page = programPage({ experiment, schema, samples, commands, devices, allowed, choices, signal });
  page.start(firstDraft(run, samples, choices.get('sample')), run);
  return { title: 'Own program', element: page.element };
}

/** What the page begins with: {draft, sample, mine, other, damaged}, the last two as for originNotice; `mine`: the
 * draft is the one that the browser has kept. A run or a sample that the address names comes before it. */
function firstDraft(run, samples, name) {
  const value = kept(KEPT);
  const own = isProgramDraft(value) ? { command: '', ...value } : null;
  const named = samples.find((one) => one.name === name) ?? null;
  const ofRun = run?.program ? draftOfRun(run, samples) : null;
  const draft = ofRun ?? (named && draftOfFiles(named.files)) ?? own ?? beginning(samples);
  return { draft, sample: ofRun ? null : named, mine: draft === own, other: own && !sameFiles(own, draft) ? own : null, damaged: false };
}

/** The draft for a run; that of a command has the files of a first program, for when it is no longer run. */
function draftOfRun({ program, parameters }, samples) {
  const draft = draftOfProgram(program, parameters);
  return draft.files.length ? draft : { ...draft, files: beginning(samples).files };
}

/** The draft where there is no other: the first program of the lab. */
const beginning = ([first]) => draftOfFiles(first?.files ?? { 'main.cu': '' });

function programPage({ experiment, schema, samples, commands, devices, allowed, choices, signal }) {
  const notices = h('div', { class: 'run-notices row' });
  const refused = h('div', { class: 'run-notices row' });
  const messages = h('ul', { class: 'stack dense compiler-messages', 'aria-label': 'Messages of the compiler' });
  let origin = beginning(samples); // the draft that was loaded last
  let mine = false; // it was written by the person

  const files = programFiles({ changed: edited, run: () => running.run(), untouched, signal });
  const settings = programSettings({ schema, experiment, devices, changed: edited });
  const choice = commandPick({ commands, changed: edited });
  const head = programHead({ samples, untouched, choose: begin });
  const running = programRun({ experiment, allowed, request, failed, started, compiled, choices, signal });
  const history = attempts({
    experiment: experiment.name,
    codeOf: ({ program }) => (program?.files ? program : null),
    textOf: (program) => textOfFiles(draftOfProgram(program).files),
    first: () => textOfFiles(origin.files),
    empty: 'None yet. Each run of a program is listed here, with its result and its files.',
    signal,
    restore: ({ code }) => begin(draftOfProgram(code), null),
    compare: ({ id }) => showDifferences(id),
    changed: () => changes.update(),
  });
  const changes = differences({ texts });

  const draft = () => ({ ...settings.read().draft, files: files.read(), command: choice.read() });
  /** Whether nothing is lost when another program replaces this one. */
  function untouched() {
    return !mine && JSON.stringify(draft()) === JSON.stringify(origin);
  }

  /** The body of the request; null where a field has an error, which it shows. */
  function request() {
    const { draft: own, place, wrong } = settings.read();
    if (wrong || (!choice.read() && files.wrong())) return null;
    const { parameters, ...program } = own;
    return { experiment: experiment.name, ...place, parameters, program: programOf({ ...program, files: files.read(), command: choice.read() }) };
  }

  /** Shows errors where they belong; returns the texts of the others. */
  function failed(errors) {
    const refusal = errors.find(({ code }) => code === 'programs-not-allowed');
    replace(refused, refusal && notAllowedNotice(refusal.detail));
    const names = files.read().map(({ name }) => name);
    const ofFile = ({ pointer }) => names.includes(fileOfPointer(pointer));
    const byFile = new Map();
    for (const error of errors.filter(ofFile)) {
      const name = fileOfPointer(error.pointer);
      byFile.set(name, [...(byFile.get(name) ?? []), error.detail]);
    }
    files.mark(byFile);
    return settings.mark(errors.filter((error) => error !== refusal && !ofFile(error)));
  }

  function started(id) {
    choices.set({ attempt: id });
    compiled([]);
  }

  /** Lists what compilers say of the files, and marks the lines; an entry about one of the files leads to its line. */
  function compiled(list) {
    const names = files.read().map(({ name }) => name);
    const entryOf = (one) =>
      names.includes(one.file) ? messageButton(one, () => files.goTo(one.file, one.line, one.column)) : messageText(one);
    replace(
      messages,
      list.map((one) => h('li', {}, severityTag(one), ' ', entryOf(one))),
    );
    files.markLines(list);
  }

  function texts() {
    const own = (id, title, list) => ({ id, title, text: textOfFiles(list) });
    return [own('origin', 'What was loaded', origin.files), ...history.list(), own('editor', 'The editor', files.read())];
  }

  function showDifferences(id) {
    changes.choose(id, 'editor');
    changes.element.scrollIntoView({ block: 'nearest' });
  }

  /** To be called after each change by the user. */
  function edited() {
    choices.set({ run: '', sample: '' });
    replace(notices, roleNotice(allowed, 'programs'));
    keep(KEPT, JSON.stringify(draft()) === JSON.stringify(beginning(samples)) ? null : draft());
    update();
  }

  function update() {
    const isCommand = choice.read() !== '';
    files.element.hidden = isCommand;
    settings.setCommand(isCommand);
    running.update();
    changes.update();
  }

  function write(next, sample, own) {
    settings.write(next);
    files.write(next.files);
    choice.write(next.command);
    head.show(sample);
    origin = draft();
    mine = own;
  }

  /** Shows another program, as the user wants. */
  function begin(next, sample, own = false) {
    write(next, sample, own);
    edited();
  }

  return {
    element: h(
      'div',
      { class: 'view stack spaced kernel program' },
      head.element,
      notices,
      refused,
      h(
        'div',
        { class: 'workspace stack spaced' },
        h(
          'div',
          { class: 'stack tight' },
          choice.element,
          files.element,
          running.bar,
          messages,
        ),
        running.element,
      ),
      settings.element,
      history.element,
      h('section', { class: 'panel', 'aria-label': 'Differences of the files' }, h('h2', {}, 'Differences'), changes.element),
    ),
    start({ draft: first, sample, mine: own, ...origins }, run) {
      write(first, sample, own);
      if (run) settings.choose(run.devices.map(({ id }) => id));
      replace(notices, roleNotice(allowed, 'programs'), originNotice(origins, (other) => begin(other, null, true)));
      update();
      if (choices.get('attempt')) running.show(choices.get('attempt'));
      history.start();
    },
  };
}

const messageText = ({ file, line, text }) => (file ? `${file}, line ${line}: ${text}` : text);

const messageButton = (message, click) => h('button', { type: 'button', class: 'link', on: { click } }, messageText(message));
