// Who uses the page: the name and role of the session, and the button that ends it. Empty where the lab demands no token.

import { session, signOut } from '../lab/api.js';
import { h, replace } from '../dom.js';
import * as events from '../lab/events.js';

/** Shows the person in `element` when the event stream is open, and after each reconnection. */
export function showPerson(element) {
  const draw = async () => {
    const { name, role } = await session().catch(() => ({ name: null }));
    if (!name) return replace(element);
    const leave = () => signOut().finally(() => location.reload());
    return replace(
      element,
      h('span', {}, `${name} (${role})`),
      h('button', { type: 'button', class: 'link', on: { click: leave } }, 'Sign out'),
    );
  };
  events.on('connection', draw);
}
