// Who is told of what happens: the channels, which admins define, what operators watch for them, and what was sent.

import { choicesOf } from '../../choices.js';
import * as api from '../../lab/api.js';
import { h, keepingFocus, repeatWhileVisible, replace, replaceKeepingScroll } from '../../dom.js';
import * as lab from '../../lab/lab.js';
import { allows, person } from '../../lab/session.js';
import { notice } from '../../parts/notice.js';
import { whenChanged } from '../../throttle.js';
import { channelForm, channelTable } from './channels.js';
import { deliveryTable } from './deliveries.js';
import { watchForm, watchTable } from './watches.js';

const POLL_MS = 2000; // between two readings of what was sent

export async function view(route, signal) {
  const me = await person();
  if (me.role === 'viewer') return { title: 'Notices', element: refusal(me) };
  const isAdmin = allows(me.role, 'admin');
  const choices = choicesOf(route);
  const [schemas, experiments, first] = await Promise.all([lab.noticeSchemas(), lab.experiments(), fetchAll(signal)]);
  const places = { channels: h('div', {}), watches: h('div', {}), watchForm: h('div', {}), notices: h('div', {}) };
  const form = isAdmin ? channelForm({ schema: schemas.channel, changed: load }) : null;
  const title = (name) => experiments.find((one) => one.name === name)?.title ?? name;

  const drawChannels = whenChanged((channels) => {
    keepingFocus(places.channels, 'button', () => replace(places.channels, channelTable(channels, { isAdmin, choices, changed: load })));
    replace(places.watchForm, channels.length ? watchForm({ schema: schemas.watch, channels, experiments, changed: load }) : null);
  });
  const drawWatches = whenChanged((watches) =>
    keepingFocus(places.watches, 'button', () => replace(places.watches, watchTable(watches, { me, isAdmin, title, choices, changed: load }))),
  );
  const drawNotices = whenChanged((notices) => replaceKeepingScroll(places.notices, deliveryTable(notices, choices)));

  function draw({ channels, watches, notices }) {
    drawChannels(channels);
    drawWatches(watches);
    drawNotices(notices);
  }

  async function load() {
    draw(await fetchAll(signal));
  }

  draw(first);
  repeatWhileVisible(() => load().catch(() => {}), POLL_MS, signal); // the header shows a lost connection
  return {
    title: 'Notices',
    element: h(
      'div',
      { class: 'view stack spaced notices' },
      h(
        'header',
        { class: 'view-head stack tight start' },
        h('h1', {}, 'Notices'),
        h('p', { class: 'lead' }, 'People are told of what happens in this lab by webhook, Slack, Matrix or e-mail. A notice that cannot be delivered is sent again later.'),
      ),
      section('Channels', 'By which people are told. Admins define them; an address and a secret are never shown again.', places.channels, form),
      section('Watched', 'What each channel is told of. Operators choose it.', places.watches, places.watchForm),
      section('Sent and waiting', 'The newest 200 notices.', places.notices),
    ),
  };
}

const section = (heading, text, ...content) =>
  h('section', { 'aria-label': heading }, h('h2', {}, heading), h('p', { class: 'aside' }, text), content);

async function fetchAll(signal) {
  const [channels, watches, notices] = await Promise.all([api.channels(signal), api.watches(signal), api.notices(signal)]);
  return { channels, watches, notices };
}

/** For those who may not see notices. */
const refusal = ({ name, role }) =>
  notice({
    level: 1,
    title: 'Notices are for operators',
    text: `You are ${name}, with the role ${role}. Operators and admins choose who is told of what: ask one, or sign out and sign in with another token.`,
    actions: [h('a', { class: 'button', href: '/' }, 'Go to Learn')],
  });
