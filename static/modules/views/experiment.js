// The page of an experiment: links to the other experiments, explanation and metrics of the chosen one, the form that
// starts a run of it, and the source code of its steps.

import * as api from '../lab/api.js';
import { unmetRequirement } from '../lab/requirements.js';
import { h } from '../dom.js';
import { plural } from '../text/format.js';
import * as lab from '../lab/lab.js';
import { runForm } from '../forms/runform.js';
import { notice } from '../parts/notice.js';
import { paragraphs, withCode } from '../parts/prose.js';
import { sourcePanel } from '../parts/sourcepanel.js';
import { go } from '../router.js';

/** The query of the address can fill in the form: ?from=RUN (the values of an earlier run), ?device=ID. */
export async function view({ parts, query }, signal) {
  const [groups, devices] = await Promise.all([lab.experimentsBySubject(), lab.devices(signal)]);
  const experiments = groups.flatMap((group) => group.experiments);
  if (!experiments.length)
    return {
      title: 'Experiments',
      element: notice({ level: 1, title: 'No experiments', text: 'This lab was built without experiments.' }),
    };
  const chosen = parts.name ? experiments.find(({ name }) => name === parts.name) : experiments[0];
  if (!chosen)
    throw new api.Problem(404, {
      title: 'Experiment not found',
      detail: `This lab has no experiment “${parts.name}”.`,
    });
  const form = runForm({ experiment: chosen, devices, started: (run) => go(`/runs/${run.id}`) });
  const earlier = query.get('from');
  if (earlier) form.fill(valuesOf(await api.run(earlier, signal)));
  else if (query.get('device')) form.fill({ devices: [query.get('device')] });

  return {
    title: chosen.title,
    element: h(
      'div',
      { class: 'view' },
      h(
        'header',
        { class: 'view-head' },
        experiments.length > 1 ? experimentList({ groups, chosen, devices, query }) : null,
        h('h1', {}, chosen.title),
        h('p', { class: 'lead' }, chosen.summary),
        h('a', { class: 'jump', href: '#about' }, 'Explanation and metrics'),
      ),
      h(
        'div',
        { class: 'experiment' },
        h(
          'div',
          { class: 'experiment-form' },
          earlier
            ? h(
                'p',
                { class: 'prefilled' },
                'Parameters of ',
                h('a', { href: `/runs/${earlier}` }, 'an earlier run'),
                '; change them as needed.',
              )
            : null,
          form.element,
        ),
        h('div', { class: 'experiment-about', id: 'about' }, about(chosen)),
      ),
      sourcePanel({ experiment: chosen, prefer: devices[0]?.backend }),
    ),
  };
}

/** Links to the first experiment of each subject, and to all experiments of the chosen one's subject. */
function experimentList({ groups, chosen, devices, query }) {
  const device = query.get('device') ? `?device=${encodeURIComponent(query.get('device'))}` : '';
  const addressOf = ({ name }) => `/experiments/${name}${device}`;
  const own = groups.find(({ experiments }) => experiments.includes(chosen));
  return h(
    'div',
    { class: 'experiment-list' },
    h(
      'nav',
      { class: 'subjects', 'aria-label': 'Subjects' },
      groups.map((group) =>
        h('a', { href: addressOf(group.experiments[0]), 'aria-current': group === own ? 'true' : null }, group.title),
      ),
    ),
    h(
      'nav',
      { class: 'segments', 'aria-label': 'Experiments' },
      own.experiments.map((one) => experimentLink(one, addressOf(one), one === chosen, devices)),
    ),
  );
}

/** The values of a run for the form. The server has chosen the time limit if it was not given; then it chooses again. */
const valuesOf = (run) => ({ ...run, devices: run.devices.map(({ id }) => id), time_limit_s: null });

/** A link to an experiment; with the reason if it cannot run on the devices of this lab. */
function experimentLink(experiment, address, isChosen, devices) {
  const unmet = devices.length ? unmetRequirement(devices, experiment) : null;
  return h(
    'a',
    {
      href: address,
      class: unmet ? 'unavailable' : null,
      'aria-current': isChosen ? 'page' : null,
      title: unmet ?? experiment.summary,
    },
    experiment.title,
    unmet && h('span', { class: 'unavailable-reason' }, requirementText(experiment.devices)),
  );
}

/** What an experiment needs that this lab does not have; `min` is the least number of devices. */
const requirementText = ({ min }) => `needs ${plural(min, 'device')}`;

/** The explanation of an experiment and the formulas of its metrics. */
function about(experiment) {
  const metrics = experiment.metrics ?? [];
  return [
    h(
      'section',
      { class: 'prose', 'aria-label': 'Explanation' },
      h('h2', { class: 'label' }, 'Explanation'),
      paragraphs(experiment.explanation),
    ),
    metrics.length
      ? h(
          'section',
          { 'aria-label': 'Metrics' },
          h('h2', { class: 'label' }, 'Metrics'),
          h(
            'dl',
            { class: 'formulas' },
            metrics.map((metric) =>
              h(
                'div',
                {},
                h(
                  'dt',
                  {},
                  metric.title,
                  metric.unit && metric.unit !== '1' ? h('span', { class: 'unit' }, ` in ${metric.unit}`) : null,
                ),
                h('dd', {}, withCode(metric.formula)),
              ),
            ),
          ),
        )
      : null,
  ];
}
