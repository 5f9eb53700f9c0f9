// The files of a program: a tab for each, with its name and an editor. Files are added, renamed, removed, chosen or
// dropped here.

import { freshId, h, replace } from '../../dom.js';
import { confirm } from '../../parts/confirm.js';
import { codeEditor } from '../../parts/editor/editor.js';
import { tabs } from '../../parts/tabs.js';
import { messagesByLine } from '../../text/compilermessages.js';
import { freeName, nameError } from '../../text/ownprogram.js';
import { readFiles } from './reading.js';

/** Returns {element, read(), write(files), mark(errors), markLines(messages), goTo(name, line, column), wrong()}: files
 * are [{name, text}]. mark() shows errors, a Map of lists by the name of the file; markLines() shows messages of
 * compilers (text/compilermessages.js) in the editors; wrong() is what is wrong with the names, '' if nothing is.
 * `changed()` is called after each change by the user, `run()` by Ctrl+Enter. Files that the user brings replace the
 * others if untouched(), which says that nothing is lost. */
export function programFiles({ changed, run, untouched, signal }) {
  let entries = []; // {id, name, text, panel, editor: null until the file is shown, end: AbortController of the editor}
  let shown = null; // the entry whose tab is selected
  let errors = new Map();
  let messages = []; // of compilers
  const bar = tabs({ label: 'Files of the program', choose: (id) => show(entries.find((one) => one.id === id)) });
  const ids = { name: freshId('file-name'), error: freshId('file-error') };
  const name = h('input', {
    type: 'text',
    id: ids.name,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': ids.error,
    on: { input: rename },
  });
  const nameProblem = h('p', { class: 'field-error', id: ids.error });
  const problems = h('div', { class: 'file-problems', role: 'alert' });
  const remove = h('button', { type: 'button', class: 'small', on: { click: removeShown } }, 'Remove this file');
  const choice = h('input', {
    type: 'file',
    multiple: true,
    hidden: true,
    on: {
      change: () => {
        take([...choice.files]);
        choice.value = ''; // the same file can be chosen again
      },
    },
  });
  const choose = h('button', { type: 'button', class: 'small', on: { click: () => choice.click() } }, 'Choose files…');
  const element = h(
    'div',
    { class: 'program-files stack tight', on: { dragover, drop, dragleave: () => element.classList.remove('dropping') } },
    h(
      'div',
      { class: 'file-bar row' },
      h('label', { for: ids.name }, 'File name'),
      name,
      remove,
      h('button', { type: 'button', class: 'small', on: { click: append } }, 'Add a file'),
      choose,
      choice,
    ),
    nameProblem,
    bar.element,
    problems,
  );

  const read = () => entries.map((one) => ({ name: one.name, text: textOf(one) }));
  const textOf = ({ editor, text }) => editor?.text() ?? text;
  const entryOf = (file) => ({ id: freshId('file'), ...file, panel: h('div', {}), editor: null, end: new AbortController() });

  function openEditor(one) {
    if (one.editor) return;
    one.editor = codeEditor({
      label: 'Text of the file',
      help: 'Ctrl+Enter runs the program.',
      changed,
      commands: { Enter: run },
      signal: AbortSignal.any([signal, one.end.signal]),
    });
    one.editor.setText(one.text);
    markEditor(one);
    one.panel.append(one.editor.element);
  }

  const markEditor = ({ editor, name: file }) => editor?.mark(messagesByLine(messages, file));

  function show(one) {
    shown = one;
    openEditor(one);
    drawTabs();
    if (name.value !== one.name) name.value = one.name;
    showNameError();
  }

  function drawTabs() {
    const title = ({ name: text }) => `${text || 'without a name'}${errors.has(text) ? ': error' : ''}`;
    bar.update(entries.map((one) => ({ name: one.id, title: title(one), panel: one.panel })));
    bar.select(shown.id);
    remove.disabled = entries.length < 2;
    remove.title = remove.disabled ? 'A program has at least one file' : '';
  }

  function showNameError() {
    const error = nameError(shown, entries);
    nameProblem.textContent = error;
    if (error) name.setAttribute('aria-invalid', 'true');
    else name.removeAttribute('aria-invalid');
  }

  function edited() {
    show(shown);
    changed();
  }

  function rename() {
    shown.name = name.value.trim();
    edited();
  }

  function append() {
    const one = entryOf({ name: freeName('file.cu', entries), text: '' });
    entries.push(one);
    shown = one;
    edited();
    name.focus();
    name.select();
  }

  async function removeShown() {
    const one = shown;
    const title = `Remove ${one.name || 'the file'}?`;
    if (textOf(one).trim() && !(await confirm({ title, text: 'Its text is removed with it.', action: 'Remove' }))) return;
    one.end.abort();
    shown = entries[entries.indexOf(one) - 1] ?? entries[1];
    entries = entries.filter((other) => other !== one);
    edited();
    name.focus();
  }

  /** Takes files of the person's machine; those that replace others are asked for. */
  async function take(list) {
    const { files, refused } = await readFiles(list);
    if (signal.aborted) return;
    if (files.length && untouched()) write(files);
    else for (const file of files) await put(file);
    if (files.length) {
      shown = entries.find((one) => one.name === files[0].name) ?? shown;
      edited();
    }
    replace(
      problems,
      refused.map((text) => h('p', { class: 'field-error' }, text)),
    );
  }

  async function put(file) {
    const same = entries.find((one) => one.name === file.name);
    if (!same) return entries.push(entryOf(file));
    if (textOf(same) === file.text) return undefined;
    const text = 'The program has a file of this name, whose text would be lost.';
    if (!(await confirm({ title: `Replace ${file.name}?`, text, action: 'Replace' }))) return undefined;
    same.text = file.text;
    return same.editor?.setText(file.text);
  }

  const bringsFiles = (event) => event.dataTransfer?.types.includes('Files');

  function dragover(event) {
    if (!bringsFiles(event)) return;
    event.preventDefault();
    element.classList.add('dropping');
  }

  function drop(event) {
    if (!bringsFiles(event)) return;
    event.preventDefault();
    element.classList.remove('dropping');
    take([...event.dataTransfer.files]);
  }

  function write(files) {
    entries.forEach((one) => one.end.abort());
    entries = files.map(entryOf);
    errors = new Map();
    messages = [];
    replace(problems);
    show(entries[0]);
  }

  function goTo(file, line, column) {
    const one = entries.find((entry) => entry.name === file);
    if (!one) return;
    show(one);
    if (line) one.editor.goTo(line, column);
    else name.focus();
  }

  return {
    element,
    read,
    write,
    wrong: () => entries.map((one) => nameError(one, entries)).find(Boolean) ?? '',
    mark(found) {
      errors = found;
      drawTabs();
      const button = (file) => h('button', { type: 'button', class: 'link', on: { click: () => goTo(file) } }, file);
      const link = (file, detail) => h('p', { class: 'field-error' }, button(file), ': ', detail);
      replace(
        problems,
        [...found].map(([file, details]) => details.map((detail) => link(file, detail))),
      );
    },
    markLines(list) {
      messages = list;
      entries.forEach(markEditor);
    },
    goTo,
  };
}
