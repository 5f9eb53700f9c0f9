// The tab with the environment of a run: what differs from the previous run of this experiment on the same devices,
// then everything that was recorded.

import * as api from '../../lab/api.js';
import { factGroup } from '../../parts/factlist.js';
import { absoluteTime, relativeTime } from '../../parts/status.js';
import { differenceRows } from '../../text/differences.js';
import { environmentGroups } from '../../text/environment.js';
import { duration } from '../../text/format.js';
import { fieldsOf } from '../../text/schema.js';
import { h, replace } from '../../dom.js';

/** Returns {element, update({run})}. */
export function environmentTab({ experiment, signal }) {
  const differences = h('section', { class: 'panel', 'aria-label': 'Differences from the previous run' });
  const record = h('section', { class: 'panel record', 'aria-label': 'Environment' });
  const element = h('div', { class: 'stacked stack loose' }, differences, record);
  let drawn = '';

  async function drawDifferences(run) {
    const heading = h('h2', {}, 'Differences from the previous run');
    const aside = (text) => replace(differences, heading, h('p', { class: 'aside' }, text));
    try {
      const previous = await previousRun(run, signal);
      if (!previous) return aside('This lab has no earlier run of this experiment on these devices.');
      const { environment } = await api.compare({ base: previous.id, head: run.id }, signal);
      const rows = differenceRows(environment, previous, run, fieldsOf(experiment.parameters));
      return replace(
        differences,
        heading,
        h('p', {}, rows.length ? 'Compared with ' : 'None: the environment and the parameters are those of ', previousLink(previous), '.'),
        rows.length ? differenceTable(rows) : null,
      );
    } catch (error) {
      return signal.aborted ? undefined : aside(`The previous run could not be compared: ${error.message}`);
    }
  }

  return {
    element,
    update({ run }) {
      const state = `${run.status} ${Boolean(run.environment)}`;
      if (state === drawn) return;
      drawn = state;
      const groups = environmentGroups(run.environment);
      replace(
        record,
        groups.length ? null : h('p', { class: 'aside' }, 'The environment is recorded when the run starts.'),
        h('div', { class: 'fact-columns' }, factGroup(times(run)), groups.map((group) => factGroup(group))),
      );
      differences.hidden = !groups.length;
      if (groups.length) drawDifferences(run);
    },
  };
}

/** The newest earlier run that succeeded, of the same experiment and devices; null if there is none. */
async function previousRun({ experiment, devices, created_at: until }, signal) {
  const ids = (list) => (list ?? []).map(({ id }) => id).join();
  const { runs } = await api.runs({ experiment, device: devices?.[0]?.id, status: 'succeeded', until, limit: 20 }, signal);
  return runs.find((run) => ids(run.devices) === ids(devices)) ?? null;
}

const previousLink = (run) => h('a', { href: `/runs/${run.id}` }, 'the run of ', relativeTime(run.started_at ?? run.created_at));

function differenceTable(rows) {
  return h(
    'div',
    { class: 'table-frame', role: 'region', tabindex: 0, 'aria-label': 'Differences' },
    h(
      'table',
      { class: 'figures' },
      h('caption', { class: 'visually-hidden' }, 'Differences from the previous run'),
      h('thead', {}, h('tr', {}, ['What', 'Previous run', 'This run'].map((title) => h('th', { scope: 'col' }, title)))),
      h('tbody', {}, rows.map(({ title, base, head }) => h('tr', {}, h('th', { scope: 'row' }, title), h('td', {}, base), h('td', {}, head)))),
    ),
  );
}

function times(run) {
  const facts = [
    ['Submitted', run.created_at],
    ['Started', run.started_at],
    ['Finished', run.finished_at],
  ]
    .filter(([, time]) => time)
    .map(([title, time]) => ({ name: time, title, text: absoluteTime(time) }));
  if (run.time_limit_s) facts.push({ title: 'Time limit', text: duration(run.time_limit_s) });
  facts.push({ title: 'ID', text: run.id });
  return { title: 'Run', facts };
}
