// The choice between the files of the editor and a command that a machine of the lab offers by name.

import { freshId, h, replace } from '../../dom.js';
import { seconds } from '../../text/format.js';

/** Returns {element, read(), write(name)}: the name of the chosen command, '' for the files. `commands` are those of
 * the lab (lab.js); without any there is no choice, and `element` is empty. `changed()` is called after each change by
 * the user. */
export function commandPick({ commands, changed }) {
  const id = freshId('command');
  const select = h('select', { id, on: { change } }, h('option', { value: '' }, 'the files below'));
  const about = h('div', { class: 'prose stack' });
  const bar = h('div', { class: 'actions' }, h('label', { for: id }, 'Run'), select);
  const element = h('div', {}, bar, about);
  commands.forEach(({ name, nodes }) => select.append(h('option', { value: name }, `${name} (${nodes.join(', ')})`)));

  function change() {
    describe();
    changed();
  }

  function describe() {
    const command = commands.find(({ name }) => name === select.value);
    replace(about, command && [command.text && h('p', {}, command.text), h('p', { class: 'aside' }, rulesOf(command))]);
  }

  return {
    element,
    read: () => select.value,
    write(name) {
      if (![...select.options].some(({ value }) => value === name)) select.append(h('option', { value: name }, `${name} (no machine has it now)`));
      select.value = name;
      bar.hidden = select.options.length < 2;
      describe();
    },
  };
}

/** What a command takes and gives, in sentences. */
function rulesOf({ arguments: patterns, format, limit_s: limit }) {
  const taken = patterns.length
    ? ['Each argument matches one of ', patterns.map((pattern, at) => [at ? ', ' : '', h('code', {}, pattern)]), '.']
    : ['It takes no arguments.'];
  return [taken, format ? ` Its results are read as ${format}.` : '', limit ? ` It is ended after ${seconds(limit)}.` : ''];
}
