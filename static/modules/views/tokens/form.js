// The form that adds a token.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';

const ROLES = [
  ['participant', 'runs experiments and own kernels, sees and cancels only these own runs'],
  ['viewer', 'sees everything, changes nothing'],
  ['operator', 'also runs experiments, cancels and edits runs, pauses the queue'],
  ['admin', 'also deletes the runs of others, manages tokens, imports and backs up'],
];

const NAME = '[A-Za-z0-9._@+\\-]{1,64}'; // as the API checks it

/** Returns the element. `first()` says whether there is no token yet: then it has to be an admin's. `added(token)` is
 * called with the answer of the API. */
export function tokenForm({ first, added }) {
  const error = h('p', { class: 'field-error', id: 'token-error', role: 'alert' });
  const name = h('input', {
    id: 'token-name',
    type: 'text',
    required: true,
    maxlength: 64,
    pattern: NAME,
    title: 'Letters, digits and the characters . _ @ + -',
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': 'token-help token-error',
  });
  const radios = ROLES.map(([role]) =>
    h('input', { type: 'radio', name: 'role', value: role, checked: role === (first() ? 'admin' : 'viewer') }),
  );
  const button = h('button', { type: 'submit', class: 'primary' }, 'Add the token');

  async function submit(event) {
    event.preventDefault();
    const role = radios.find((radio) => radio.checked).value;
    if (first() && role !== 'admin') return replace(error, 'The first token has to be an admin’s: choose the role admin.');
    button.disabled = true;
    replace(error);
    try {
      await added(await api.addToken({ name: name.value.trim(), role }));
      name.value = '';
    } catch (problem) {
      replace(error, problem.errors?.[0]?.detail ?? problem.message);
      name.focus();
    }
    button.disabled = false;
    return undefined;
  }

  return h(
    'form',
    { class: 'panel token-form stack loose start', 'aria-label': 'Add a token', on: { submit } },
    h('h2', {}, 'Add a token'),
    h('div', { class: 'field' }, [
      h('label', { for: 'token-name' }, 'Name of the person or script'),
      name,
      h('p', { class: 'field-help aside', id: 'token-help' }, 'Runs that are started with it carry this name. Letters, digits and . _ @ + -'),
    ]),
    h('fieldset', { class: 'field token-roles stack dense' }, [
      h('legend', {}, 'Role'),
      ROLES.map(([role, what], index) =>
        h('label', {}, radios[index], h('span', {}, h('strong', {}, role), h('span', { class: 'aside' }, ` ${what}`))),
      ),
    ]),
    error,
    h('div', { class: 'actions' }, button),
  );
}
