// The channels by which notices go out, and the form that adds one.

import * as api from '../../lab/api.js';
import { h, replace } from '../../dom.js';
import { addForm } from '../../forms/addform.js';
import { announce } from '../../parts/announce.js';
import { confirm } from '../../parts/confirm.js';
import { rowButton, rowTable } from '../../parts/rowtable.js';
import { relativeTime } from '../../parts/status.js';

/** The table of channels, for admins with buttons; `changed()` is called after each change. */
export function channelTable(channels, { isAdmin, choices, changed }) {
  if (!channels.length)
    return h('p', {}, isAdmin ? 'There is no channel yet: nobody is told of anything.' : 'There is no channel yet. An admin has to define one.');
  const error = h('p', { class: 'field-error', role: 'alert' });
  const attempt = (channel, change) => {
    replace(error);
    return change().then(changed).catch((problem) => replace(error, `${channel.name}: ${problem.message}`));
  };

  const test = (channel) =>
    attempt(channel, async () => {
      await api.testChannel(channel.id);
      announce(`A test notice is on its way to ${channel.name}; below is what became of it`);
    });

  async function remove(channel) {
    const text = 'What is watched for it and its notices are deleted too.';
    if (!(await confirm({ title: `Delete the channel ${channel.name}?`, text, action: 'Delete' }))) return;
    await attempt(channel, () => api.removeChannel(channel.id));
  }

  const row = (channel) => ({
    head: channel.name,
    cells: [channel.kind, channel.private ? 'also private' : 'public', [relativeTime(channel.created_at), channel.created_by ? ` by ${channel.created_by}` : '']],
    values: [channel.name, channel.kind, channel.private, channel.created_at],
    actions: isAdmin && [
      rowButton('Send a test', `Send a test notice to ${channel.name}`, () => test(channel)),
      ' ',
      rowButton('Delete', `Delete the channel ${channel.name}`, () => remove(channel), 'danger'),
    ],
  });
  return [error, rowTable({ caption: 'Channels', heads: ['Name', 'Kind', 'Addresses', 'Added'], rows: channels.map(row), choices, sort: 'channels' })];
}

/** The form that adds a channel; `schema` is that of the request. */
export const channelForm = ({ schema, changed }) =>
  addForm({
    noun: 'channel',
    schema,
    masked: ['secret'],
    hides: ({ kind }) => [...(kind === 'email' ? [] : ['from', 'to']), ...(kind === 'slack' ? ['secret'] : [])],
    add: async (body) => {
      await api.addChannel(body);
      announce(`The channel ${body.name} is added`);
      await changed();
    },
  });
