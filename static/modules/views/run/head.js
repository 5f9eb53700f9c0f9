// The head of a run's page: title, status, where and when it ran, who started it, and the possible actions. Elements
// that do not change are created once, so that they keep the focus while the run progresses.

import * as api from '../../lab/api.js';
import { isUsable, unmetRequirement } from '../../lab/requirements.js';
import { deviceGroupText, devicesOf } from '../../lab/rundevices.js';
import * as events from '../../lab/events.js';
import * as lab from '../../lab/lab.js';
import { allows, maySubmit, person, watchPerson } from '../../lab/session.js';
import { copyButton } from '../../parts/copybutton.js';
import { menu } from '../../parts/menu.js';
import { comparisonAddress } from '../../parts/trendlink.js';
import { relativeTime, statusText } from '../../parts/status.js';
import { duration, elapsed } from '../../text/format.js';
import { isLive } from '../../text/displaynames.js';
import { freshId, h, replace } from '../../dom.js';
import { shortId } from '../../text/runtitle.js';
import { change, remove, repeat } from './actions.js';
import { labels } from './labels.js';
import { changeAddress } from './links.js';

/** Returns {element, update(run)}; `first` is the run as first fetched, `changed(run)` is called with the run after the
 * user has edited it. */
export function runHead(first, { experiment, signal, changed }) {
  let run = first;
  let role = 'operator'; // until it is known
  const links = api.links(run.id);
  const badges = h('span', { class: 'run-badges' });
  const facts = h('ul', { class: 'facts-line row tight' });
  const errorText = h('p', { class: 'field-error', role: 'alert' });
  const edited = labels({ changed });
  const button = (text, click, properties) => h('button', { type: 'button', ...properties, on: { click } }, text);
  const showError = (error) => replace(errorText, error?.message ?? '');
  const pin = button('', () => change(run, { pinned: !run.pinned }).then(changed, showError), {});
  const publish = button('', () => change(run, { public: !run.public }).then(changed, showError), {});
  const editLabels = button('Edit tags and note', edited.open, {});
  const deleteButton = button('Delete…', () => remove(run).catch(showError), { class: 'danger' });
  const missing = missingDevices(run);
  const unmet = unmetRequirement(lab.listedDevices(), experiment);
  const repeatReason = missing.length ? missingText(missing) : '';
  const reasonId = freshId('why');
  const again = button('Run again', () => repeat(run).catch(showError), {
    disabled: missing.length > 0,
    'aria-describedby': missing.length ? reasonId : null,
  });
  const edit = h('a', { class: 'button', href: changeAddress(run) }, editText(run, missing));
  const compareLink = h('a', { class: 'button', href: comparisonAddress({ head: run.id }) }, 'Compare');
  const actions = h(
    'div',
    { class: 'actions' },
    experiment.unknown ? null : [again, unmet ? null : edit],
    compareLink,
    menu(
      'More',
      [
        editLabels,
        pin,
        publish,
        copyButton('Copy link', () => location.href, { class: '' }),
        h('a', { class: 'button', href: links.run, target: '_blank', rel: 'noopener' }, 'Run as JSON'),
        h('a', { class: 'button', href: links.json, target: '_blank', rel: 'noopener' }, 'Measurements as JSON'),
        h('a', { class: 'button', href: links.csv, download: `${run.experiment}-${run.id}.csv` }, 'Measurements as CSV'),
        deleteButton,
      ],
      signal,
    ),
  );
  const lesson = run.program ? '/program' : `/experiments/${encodeURIComponent(run.experiment)}`;
  const name = run.program?.name ?? experiment.title;
  const element = h(
    'header',
    { class: 'view-head stack tight start run-head' },
    path(run, experiment.unknown ? name : h('a', { href: lesson }, name)),
    h('div', { class: 'run-title row baseline' }, h('h1', {}, name), badges),
    actions,
    !experiment.unknown && missing.length
      ? h('p', { class: 'aside', id: reasonId }, [repeatReason, unmet].filter(Boolean).join(' '))
      : null,
    facts,
    edited.element,
    errorText,
  );

  /** Shows the actions that the run's status and the person allow. */
  function showActions() {
    const live = isLive(run.status);
    for (const one of [again, edit]) one.hidden = !maySubmit(role);
    editLabels.hidden = !allows(role, 'operator');
    for (const one of [pin, publish, deleteButton]) one.hidden = editLabels.hidden || live;
  }
  const ask = async () => {
    const { role: known } = await person();
    if (known !== null) role = known; // null: the lab does not answer
    showActions();
  };
  watchPerson(ask, signal);
  if (events.connection() === 'live') ask(); // before, a request would only take the place of others

  return {
    element,
    update(next) {
      run = next;
      const secret = run.secret_until !== null && Date.parse(run.secret_until) > Date.now();
      replace(badges, statusText(run.status), tagOf(run.pinned, 'baseline'), tagOf(run.public, 'public'), tagOf(secret, 'secret'));
      replace(
        facts,
        factsOf(run).map((fact) => h('li', {}, fact)),
      );
      edited.update(run);
      again.className = isLive(run.status) || missing.length ? '' : 'primary';
      pin.textContent = run.pinned ? 'Stop using as baseline' : 'Pin as baseline';
      publish.textContent = run.public ? 'Unpublish' : 'Publish';
      compareLink.hidden = isLive(run.status) || Boolean(run.compare_with);
      showActions();
    },
  };
}

const tagOf = (has, text) => (has ? h('span', { class: 'tag' }, text) : null);

/** The way to the run: from all lessons, by the one that explains it. `lesson` is its link, or its name. */
const path = ({ id }, lesson) =>
  h(
    'nav',
    { 'aria-label': 'Path', class: 'path' },
    h('ol', {}, h('li', {}, h('a', { href: '/' }, 'Learn')), h('li', {}, lesson), h('li', { 'aria-current': 'page' }, `run ${shortId(id)}`)),
  );

/** The devices of a run that no run can have now. */
const missingDevices = (run) => devicesOf(run, lab.device).filter(({ id }) => !lab.device(id) || !isUsable(lab.device(id)));

const missingText = (devices) => `It cannot run again as it is: ${deviceGroupText(devices)} ${devices.length > 1 ? 'are' : 'is'} not available in this lab.`;

function editText({ program }, missing) {
  if (program) return 'Edit as a new program';
  return missing.length ? 'Edit and run elsewhere' : 'Edit and run';
}

/** Where, when, how long and by whom. */
function factsOf(run) {
  const took = elapsed(run.started_at, run.finished_at);
  const [device, ...others] = devicesOf(run, lab.device);
  const devicesText = lab.runDevicesText(run);
  const links = device && !others.length ? h('a', { href: `/devices/${encodeURIComponent(device.id)}` }, devicesText) : devicesText;
  return [
    links,
    run.host ? `on ${run.host}` : null,
    run.started_at ? relativeTime(run.started_at) : ['requested ', relativeTime(run.created_at)],
    Number.isFinite(took) ? `took ${duration(took)}` : null,
    run.requested_by ? `by ${run.requested_by}` : null,
    run.kernel ? h('a', { href: changeAddress(run) }, run.kernel.edits ? `own text of ${run.kernel.edits}` : 'own kernel') : null,
    run.sweep ? h('a', { href: `/sweeps/${run.sweep}` }, 'part of a sweep') : null,
  ].filter(Boolean);
}
