// The first page: the experiments by subject, with the latest result of this lab beside each.

import { h } from '../dom.js';
import { unmetRequirement } from '../lab/requirements.js';
import * as lab from '../lab/lab.js';
import { notice } from '../parts/notice.js';

/** The query ?device=ID is passed on to the experiments. */
export async function view({ query }, signal) {
  const [groups, devices] = await Promise.all([lab.experimentsBySubject(), lab.devices(signal)]);
  const device = query.get('device');
  const addressOf = ({ name }) => `/experiments/${name}${device ? `?device=${encodeURIComponent(device)}` : ''}`;
  return {
    title: 'Learn',
    element: h(
      'div',
      { class: 'view' },
      h(
        'header',
        { class: 'view-head' },
        h('h1', {}, 'Learn'),
        h('p', { class: 'lead' }, 'Each experiment explains an effect, measures it on the devices of this lab and shows its code.'),
      ),
      groups.length
        ? groups.map((group) => subject(group, (one) => experimentRow(one, addressOf(one), devices)))
        : notice({ title: 'No experiments', text: 'This lab was built without experiments.' }),
    ),
  };
}

/** A subject with its experiments; `row(experiment)` makes the row of one. */
function subject({ name, title, experiments }, row) {
  const id = `subject-${name ?? 'other'}`;
  return h(
    'section',
    { class: 'subject', 'aria-labelledby': id },
    h('h2', { id }, title),
    h('ul', { class: 'panel flush lessons' }, experiments.map(row)),
  );
}

function experimentRow(experiment, address, devices) {
  const unmet = devices.length ? unmetRequirement(devices, experiment) : null;
  return h(
    'li',
    { class: 'lesson-row' },
    h(
      'div',
      { class: 'lesson-text' },
      h('h3', {}, h('a', { href: address }, experiment.title)),
      h('p', {}, experiment.summary),
      unmet && h('p', { class: 'aside' }, unmet),
    ),
  );
}
