// What channels are told of, and the form that adds to it.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import { addForm } from '../../forms/addform.js';
import { allows } from '../../lab/session.js';
import { announce } from '../../parts/announce.js';
import { confirm } from '../../parts/confirm.js';
import { rowButton, rowTable } from '../../parts/rowtable.js';
import { relativeTime } from '../../parts/status.js';
import { plain } from '../../text/format.js';

/** Kinds that look at the points of runs. */
const OF_POINTS = ['slower', 'shift', 'limit'];

/** The table of watches; `title(name)` is that of an experiment, `me` the person. */
export function watchTable(watches, { me, isAdmin, title, choices, changed }) {
  if (!watches.length) return h('p', {}, 'Nothing is watched.');
  const error = h('p', { class: 'field-error', role: 'alert' });

  async function remove(watch) {
    const asked = { title: 'Delete this watch?', text: `${watch.channel} is no longer told of it: ${watch.kind}.`, action: 'Delete' };
    if (!(await confirm(asked))) return;
    replace(error);
    await api.removeWatch(watch.id).then(changed).catch((problem) => replace(error, problem.message));
  }

  const mayRemove = ({ created_by: author }) => isAdmin || (allows(me.role, 'operator') && author !== null && author === me.name);
  const row = (watch) => ({
    head: watch.channel,
    cells: [watch.kind, scopeText(watch, title), limitsText(watch), [relativeTime(watch.created_at), watch.created_by ? ` by ${watch.created_by}` : '']],
    values: [watch.channel, watch.kind, scopeText(watch, title), limitsText(watch), watch.created_at],
    actions: mayRemove(watch) ? [rowButton('Delete', `Delete the watch of ${watch.channel}: ${watch.kind}`, () => remove(watch), 'danger')] : [],
  });
  return [error, rowTable({ caption: 'Watched', heads: ['Channel', 'Told of', 'Of', 'Limits', 'Added'], rows: watches.map(row), choices, sort: 'watches' })];
}

const scopeText = ({ kind, experiment, metric }, title) =>
  OF_POINTS.includes(kind) ? `${metric ?? 'headline figures'} of ${experiment ? title(experiment) : 'all experiments'}` : null;

const limitsText = ({ low, high }) =>
  [low === null ? null : `at least ${plain(low)}`, high === null ? null : `at most ${plain(high)}`].filter(Boolean).join(', ') || null;

/** The form that adds a watch; `schema` is that of the request. */
export function watchForm({ schema, channels, experiments, changed }) {
  const among = (name, list) => ({ [name]: { ...schema.properties[name], enum: list.map((one) => one.name) } });
  const properties = { ...schema.properties, ...among('channel', channels), ...among('experiment', experiments) };
  return addForm({
    noun: 'watch',
    schema: { ...schema, properties },
    hides: ({ kind }) => [...(OF_POINTS.includes(kind) ? [] : ['experiment', 'metric']), ...(kind === 'limit' ? [] : ['low', 'high'])],
    add: async (body) => {
      await api.addWatch(body);
      announce(`${body.channel} is told of it: ${body.kind}`);
      await changed();
    },
  });
}
