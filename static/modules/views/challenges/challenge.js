// A challenge: what is asked, the editor with which it is solved, the own submissions and the ranking.

import { h } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { allows, maySubmit, person } from '../../lab/session.js';
import { codeListing } from '../../parts/codelisting.js';
import { prose } from '../../parts/prose.js';
import { openText, scoreText } from '../../text/challenges.js';
import { managing } from './managing.js';
import { rankingPanel } from './ranking.js';
import { ownSubmissions } from './submissions.js';
import { submitting } from './submitting.js';

export async function view({ parts: { name } }, signal) {
  const [challenge, { role }, devices, experiment, schema] = await Promise.all([
    api.challenge(name, signal),
    person(),
    lab.devices(signal),
    lab.experiment('kernel'),
    lab.kernelSchema(),
  ]);
  const allowed = challenge.open && (!role || maySubmit(role));
  const own = ownSubmissions({ name, signal });
  const ranking = rankingPanel({ name, signal });
  const update = () => Promise.all([own.update(), ranking.update()]);
  const submit = submitting({ challenge, devices, experiment, schema, allowed, changed: update, signal });
  events.on('run.updated', (run) => run.challenge === name && update(), signal);
  events.on('missed', update, signal);
  await update();
  submit.start();
  return {
    title: challenge.title,
    element: h(
      'div',
      { class: 'view stack spaced' },
      head(challenge),
      h('section', { class: 'panel prose stack', 'aria-label': 'What is asked' }, prose(challenge.text, 2), referenceOf(challenge)),
      submit.element,
      own.element,
      ranking.element,
      allows(role ?? 'admin', 'admin') && managing({ challenge }),
    ),
  };
}

const head = (challenge) =>
  h(
    'header',
    { class: 'view-head stack tight start' },
    h('p', { class: 'aside' }, h('a', { href: '/challenges' }, 'Challenges')),
    h('h1', {}, challenge.title),
    h('p', { class: 'lead' }, `${openText(challenge)}. Ranked by ${scoreText(challenge.score)}.`),
  );

/** The reference with which outputs are compared, folded; nothing where it is hidden, or an expression. */
function referenceOf({ kernel: { reference } }) {
  if (!reference?.source) return null;
  const { element } = codeListing({ title: 'the reference', files: ['reference.cu'] }, reference.source, null);
  return h('details', { class: 'folded' }, h('summary', {}, 'The reference'), element);
}
