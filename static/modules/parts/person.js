// Who uses the page: name and role of the session, the way to the tokens for admins, and the button that ends the
// session. Where nobody has signed in, it is empty, or in a lab that is open to everyone the way to the form.

import { signOut } from '../lab/api.js';
import { h, replace } from '../dom.js';
import { allows, person, watchPerson } from '../lab/session.js';

/** Shows the person in `element` when the event stream is open, and after each change. */
export function showPerson(element) {
  const draw = async () => {
    const { name, role, tokens_demanded: demanded } = await person();
    if (role === 'anonymous') return replace(element, h('a', { href: '/sign-in' }, 'Sign in'));
    if (!name) return replace(element);
    const leave = () => signOut().finally(() => location.reload());
    return replace(
      element,
      h('span', {}, `${name} (${role})`),
      demanded && allows(role, 'admin') ? h('a', { href: '/tokens' }, 'Tokens') : null,
      h('button', { type: 'button', class: 'link', on: { click: leave } }, 'Sign out'),
    );
  };
  watchPerson(draw);
}
