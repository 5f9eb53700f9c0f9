// What admins do with a challenge: change until when it is open, remove it.

import { freshId, h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import { announce } from '../../parts/announce.js';
import { confirm } from '../../parts/confirm.js';
import { go } from '../../router.js';
import { instantOf, localTime } from './closing.js';

/** Returns the element. */
export function managing({ challenge: { name, title, closes_at: closesAt } }) {
  const id = freshId('closes');
  const error = h('p', { class: 'field-error', role: 'alert' });
  const closes = h('input', { id, type: 'datetime-local', required: true, value: closesAt ? localTime(closesAt) : '' });

  async function attempt(action) {
    replace(error);
    try {
      await action();
    } catch (problem) {
      replace(error, problem.errors?.[0]?.detail ?? problem.message);
    }
  }

  const change = () =>
    attempt(async () => {
      await api.changeChallenge(name, { closes_at: instantOf(closes.value) });
      announce('The end is changed');
      go(`/challenges/${name}`);
    });

  async function remove() {
    const text = 'Its ranking goes with it. Runs that were submitted stay.';
    if (!(await confirm({ title: `Remove ${title}?`, text, action: 'Remove' }))) return;
    await attempt(async () => {
      await api.removeChallenge(name);
      announce(`${title} is removed`);
      go('/challenges');
    });
  }

  return h(
    'form',
    {
      class: 'panel stack loose start',
      'aria-label': 'Manage the challenge',
      on: {
        submit(event) {
          event.preventDefault();
          change();
        },
      },
    },
    h('h2', {}, 'Manage'),
    h('div', { class: 'field' }, h('label', { for: id }, 'Open until'), closes),
    error,
    h(
      'div',
      { class: 'actions' },
      h('button', { type: 'submit' }, 'Change the end'),
      h('button', { type: 'button', class: 'danger', on: { click: remove } }, 'Remove'),
    ),
  );
}
