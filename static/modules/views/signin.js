// Shown instead of a view when the lab demands a token: the form that turns a token into a session of this browser.

import { Problem, signIn } from '../lab/api.js';
import { h, replace } from '../dom.js';
import { framed, pathInLab, placed } from '../place.js';

/** In a frame nobody signs in (place.js). */
const framedNotice = () =>
  h(
    'section',
    { class: 'signin panel' },
    h('h1', {}, 'Sign in'),
    h('p', {}, 'This needs a token, which is not asked for in a frame of another site. '),
    h('p', {}, h('a', { href: pathInLab() + location.search, target: '_blank', rel: 'noopener' }, 'Open the page by itself')),
  );

/** The view. After signing in the page is loaded again, so that everything that it shows is fetched as that person. */
export function view() {
  if (framed) return { title: 'Sign in', element: framedNotice() };
  const error = h('div', { id: 'signin-error', role: 'alert' });
  const input = h('input', {
    id: 'signin-token',
    name: 'token',
    type: 'password',
    autocomplete: 'current-password',
    required: true,
    maxlength: 256,
    'aria-describedby': 'signin-help signin-error',
  });
  const button = h('button', { type: 'submit', class: 'primary' }, 'Sign in');

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    replace(error);
    try {
      await signIn(input.value.trim());
      if (pathInLab() === '/sign-in') location.assign(placed('/'));
      else location.reload();
    } catch (problem) {
      const known = problem instanceof Problem && problem.status === 401;
      replace(error, h('p', { class: 'field-error' }, known ? 'This token is unknown or was revoked.' : problem.message));
      button.disabled = false;
      input.focus();
      input.select();
    }
  }

  const form = h(
    'form',
    { class: 'signin panel', 'aria-label': 'Sign in', on: { submit } },
    h('h1', {}, 'Sign in'),
    h('p', { id: 'signin-help' }, 'This lab demands a token. An admin adds one with ', h('code', {}, 'gpulab token add'), '.'),
    h('label', { for: 'signin-token' }, 'Token'),
    input,
    error,
    button,
  );
  return { title: 'Sign in', element: form };
}
