// The lessons of a subject, with the one that is shown marked.

import { h } from '../../dom.js';
import { unmetRequirement } from '../../lab/requirements.js';
import { plural } from '../../text/format.js';

/** `device` is passed on to the other lessons; '' for none. */
export function subjectList({ groups, chosen, devices, device }) {
  const isChosen = ({ name }) => name === chosen.name;
  const { title, experiments } = groups.find((group) => group.experiments.some(isChosen));
  const query = device ? `?device=${encodeURIComponent(device)}` : '';
  return h(
    'nav',
    { class: 'subject-list stack tight', 'aria-label': title },
    h('h2', { class: 'label' }, title),
    h(
      'ul',
      {},
      experiments.map((one) => {
        const unmet = devices.length ? unmetRequirement(devices, one) : null;
        return h(
          'li',
          {},
          h(
            'a',
            {
              href: `/experiments/${one.name}${query}`,
              'aria-current': isChosen(one) ? 'page' : null,
              title: unmet ?? one.summary,
            },
            one.title,
            unmet && h('span', { class: 'aside' }, ` needs ${plural(one.devices.min, 'device')}`),
          ),
        );
      }),
    ),
    h('a', { href: '/' }, 'All experiments'),
  );
}
