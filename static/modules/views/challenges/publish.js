// The form that publishes a ready challenge, for admins.

import { freshId, h, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import { announce } from '../../parts/announce.js';
import { instantOf, localTime } from './closing.js';

const WEEK_MS = 7 * 24 * 3600 * 1000;

/** Returns the element. `ready` are the challenges that can be published; `published()` is called after one was. */
export function publishForm({ ready, published }) {
  const ids = { name: freshId('challenge'), closes: freshId('closes'), error: freshId('error') };
  const error = h('p', { class: 'field-error', id: ids.error, role: 'alert' });
  const name = h('select', { id: ids.name }, ready.map((one) => h('option', { value: one.name }, one.title)));
  const closes = h('input', { id: ids.closes, type: 'datetime-local', required: true, value: localTime(Date.now() + WEEK_MS), 'aria-describedby': ids.error });
  const button = h('button', { type: 'submit', class: 'primary' }, 'Publish');

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    replace(error);
    try {
      await api.addChallenge({ ...ready.find((one) => one.name === name.value), closes_at: instantOf(closes.value) });
      announce(`${name.selectedOptions[0].text} is published`);
      await published();
    } catch (problem) {
      replace(error, problem.errors?.[0]?.detail ?? problem.message);
      closes.focus();
    }
    button.disabled = false;
  }

  return h(
    'form',
    { class: 'panel stack loose start', 'aria-label': 'Publish a challenge', on: { submit } },
    h('h2', {}, 'Publish a challenge'),
    h(
      'p',
      {},
      'These are ready. One of your own is a JSON document, for ',
      h('code', {}, 'gpulab challenge publish'),
      ' or the ',
      h('a', { href: '/http-api' }, 'API'),
      '.',
    ),
    h(
      'div',
      { class: 'fields' },
      h('div', { class: 'field' }, h('label', { for: ids.name }, 'Challenge'), name),
      h('div', { class: 'field' }, h('label', { for: ids.closes }, 'Open until'), closes),
    ),
    error,
    h('div', { class: 'actions' }, button),
  );
}
