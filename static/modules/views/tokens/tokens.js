// The tokens of the lab, for admins: the list, the form that adds one, and the secret of a new one.

import { choicesOf } from '../../choices.js';
import * as api from '../../lab/api.js';
import { h, keepingFocus, replace } from '../../dom.js';
import * as events from '../../lab/events.js';
import { allows, person, personChanged } from '../../lab/session.js';
import { copyButton } from '../../parts/copybutton.js';
import { notice } from '../../parts/notice.js';
import { tokenForm } from './form.js';
import { tokenList } from './list.js';

export async function view(route, signal) {
  const me = { ...(await person()) };
  if (me.name === null) await api.tokens(signal); // rejects with 401 where one has to sign in, which shows the form
  if (!allows(me.role, 'admin')) return { title: 'Tokens', element: refusal(me) };
  const choices = choicesOf(route);
  const list = h('div', {});
  const secret = h('div', { role: 'status' });
  const state = h('div', {});
  let tokens = [];

  async function load() {
    ({ tokens } = await api.tokens(signal));
    keepingFocus(list, 'button', () => replace(list, tokenList(tokens, { name: me.name, choices, changed: load })));
    replace(state, tokens.length ? null : openLab());
  }

  /** Shows the secret of a new token. Who added the first one is signed in with it, because from now on the lab demands
   * one. */
  async function added(token) {
    const signedIn = me.name === null && token.role === 'admin';
    if (signedIn) {
      await api.signIn(token.secret);
      me.name = token.name;
      personChanged();
    }
    replace(secret, newToken(token, signedIn));
    secret.querySelector('button').focus();
    await load();
  }

  await load();
  events.on('reset', () => load().catch(() => {}), signal);
  const form = tokenForm({ first: () => tokens.length === 0, added });
  return {
    title: 'Tokens',
    element: h('div', { class: 'view stack spaced tokens' }, head(), state, secret, form, list),
  };
}

const head = () =>
  h(
    'header',
    { class: 'view-head stack tight start' },
    h('h1', {}, 'Tokens'),
    h(
      'p',
      { class: 'lead' },
      'A token lets a person or a script use this lab from the network. The page asks for it; scripts send it as ',
      h('code', {}, 'Authorization: Bearer TOKEN'),
      '.',
    ),
  );

const openLab = () =>
  notice({
    title: 'This lab demands no token',
    text: 'Everyone who reaches its address is an admin. As soon as there is a token, everyone needs one. The first one has to be an admin’s, so that somebody can add others.',
  });

function newToken({ name, role, secret }, signedIn) {
  return notice({
    title: `The token of ${name}`,
    text: 'It is shown only now: the lab keeps no copy of it. Copy it and pass it on.',
    more: [
      h('p', { class: 'secret row' }, h('code', {}, secret), copyButton('Copy the token', () => secret)),
      signedIn ? h('p', {}, `The lab demands tokens from now on. This browser is signed in as ${name} (${role}).`) : null,
    ],
  });
}

/** For those who may not see tokens. */
function refusal({ name, role }) {
  return notice({
    level: 1,
    title: 'Tokens are for admins',
    text: `You are ${name}, with the role ${role}. Only an admin can list, add and revoke tokens: ask one, or sign out and sign in with an admin’s token.`,
    actions: [h('a', { class: 'button', href: '/' }, 'Go to Learn')],
  });
}
