// The tab with the fields of a run that has ended: its solutions as heat maps.

import { fieldMap } from '../../charts/field/fieldmap.js';
import * as api from '../../lab/api.js';
import { loading, notice } from '../../parts/notice.js';
import { fieldOf } from '../../results/field.js';
import { h, replace } from '../../dom.js';

/** Returns {element, update()}; the fields are fetched once. */
export function fieldTab({ experiment, run: { id }, signal }) {
  const element = h('div', {}, loading());
  let requested = false;

  return {
    element,
    async update() {
      if (requested) return;
      requested = true;
      try {
        const fields = await api.fields(id, signal);
        if (!fields.length) return replace(element, notice({ title: 'No field', text: 'This run computed no field.' }));
        return replace(element, fields.map((field) => fieldMap(fieldOf(field, experiment.axes), signal)));
      } catch (error) {
        if (signal.aborted) return undefined;
        requested = false;
        return replace(element, notice({ title: 'The fields could not be loaded', text: error.message, tone: 'bad' }));
      }
    },
  };
}
