// The fields of a run that do not affect what is measured: tags, note, priority and time limit.

import { changed, fieldsOf } from '../text/schema.js';

export const LABEL_FIELDS = fieldsOf({
  properties: {
    tags: {
      title: 'Tags',
      description: 'Separated by commas. The list of runs can be filtered by tag.',
      type: 'string',
      default: '',
    },
    note: { title: 'Note', description: 'The purpose of this run.', type: 'string', default: '' },
    priority: {
      title: 'Priority',
      description: 'low: started when no run of normal priority is waiting.',
      type: 'string',
      enum: ['normal', 'low'],
      default: 'normal',
    },
    time_limit_s: {
      title: 'Time limit',
      description: 'The run is stopped after this time. Empty: ten times the planned duration, at least 10 minutes.',
      type: 'number',
      unit: 's',
      minimum: 1,
      default: '',
    },
  },
});

/** The members of a request that have these values, without defaults. */
export function labelsOf(values) {
  const given = changed(LABEL_FIELDS, values);
  const tags = (given.tags ?? '')
    .split(',')
    .map((tag) => tag.trim())
    .filter(Boolean);
  const { tags: text, ...rest } = given;
  return tags.length ? { tags, ...rest } : rest;
}

/** The values of the fields that a run has. The lab has chosen the time limit if it was not given; then it chooses
 * again. */
export const labelValues = ({ tags, note, priority }) => ({ tags: tags.join(', '), note, priority });
