// The table of tokens, each with a button that revokes it.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import { announce } from '../../parts/announce.js';
import { confirm } from '../../parts/confirm.js';
import { rowButton, rowTable } from '../../parts/rowtable.js';
import { relativeTime } from '../../parts/status.js';

const HEADS = ['Name', 'Role', 'Added', 'Last used'];

/** Returns the element. `name` is that of who uses the page, `choices` keep the order; `changed()` is called after a
 * token was revoked. */
export function tokenList(tokens, { name, choices, changed }) {
  if (!tokens.length) return null;
  const error = h('p', { class: 'field-error', role: 'alert' });

  async function revoke(token) {
    const own = token.name === name;
    const confirmed = await confirm({
      title: `Revoke the token of ${token.name}?`,
      text: own
        ? 'It is your own: this page asks for another token at once.'
        : `Scripts that use it are refused at once, and ${token.name} is signed out. Runs keep the name.`,
      action: 'Revoke',
    });
    if (!confirmed) return;
    replace(error);
    try {
      await api.revokeToken(token.id);
      announce(`The token of ${token.name} is revoked`);
      await changed();
    } catch (problem) {
      replace(error, `${token.name}: ${problem.message}`);
    }
  }

  const row = (token) => ({
    head: [token.name, token.name === name ? h('span', { class: 'tag' }, 'you') : null],
    cells: [token.role, relativeTime(token.created_at), token.last_used_at ? relativeTime(token.last_used_at) : 'never'],
    values: [token.name, token.role, token.created_at, token.last_used_at],
    actions: [rowButton('Revoke', `Revoke the token of ${token.name}`, () => revoke(token), 'danger')],
  });
  return h('section', { 'aria-label': 'Tokens' }, error, rowTable({ caption: 'Tokens', heads: HEADS, rows: tokens.map(row), choices, sort: 'sort' }));
}
