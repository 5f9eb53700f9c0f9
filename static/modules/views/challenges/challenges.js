// The list of challenges, and for admins the form that publishes one.

import { h, keepingFocus, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as events from '../../lab/events.js';
import { allows, person } from '../../lab/session.js';
import { challengeRows } from '../../parts/challengerows.js';
import { notice } from '../../parts/notice.js';
import { publishForm } from './publish.js';

export async function view(route, signal) {
  const [{ role }, first] = await Promise.all([person(), api.challenges(signal)]);
  const isAdmin = allows(role ?? 'admin', 'admin');
  const list = h('div', {});
  const show = (challenges) =>
    keepingFocus(list, 'a', () => replace(list, challenges.length ? [h('h2', { class: 'visually-hidden' }, 'All challenges'), challengeRows(challenges)] : noChallenges(isAdmin)));
  const load = async () => show(await api.challenges(signal));
  show(first);
  events.on('missed', () => load().catch(() => {}), signal);
  const form = isAdmin && publishForm({ ready: await api.readyChallenges(signal), published: load });
  return { title: 'Challenges', element: h('div', { class: 'view stack spaced' }, head(), list, form) };
}

const head = () =>
  h(
    'header',
    { class: 'view-head stack tight start' },
    h('h1', {}, 'Challenges'),
    h(
      'p',
      { class: 'lead' },
      'A problem, a check and a ranking: write a kernel, submit it, and see whether it is right and how fast it is. Until a challenge closes, nobody but you and the admins of this lab sees what you submit.',
    ),
  );

const noChallenges = (isAdmin) =>
  notice({
    title: 'No challenge is open',
    text: isAdmin ? 'Publish one below.' : 'An admin of this lab publishes them.',
  });
