// The tab with the timeline of a run that has ended.

import { timeline } from '../../charts/timeline/timeline.js';
import * as api from '../../lab/api.js';
import { loading, notice } from '../../parts/notice.js';
import { spansOf } from '../../results/timeline.js';
import { OF_PROGRAM, SUBJECTS } from '../../results/timelinesubjects.js';
import { h, replace } from '../../dom.js';

/** Returns {element, update({run, measurements})}; the spans are fetched once. */
export function timelineTab({ experiment, run: { id, program, started_at: started }, devices, signal, choices }) {
  const { title, x, kind } = experiment.views.find((view) => view.kind in SUBJECTS);
  const panel = timeline({ experiment, subject: program ? OF_PROGRAM : SUBJECTS[kind], run: id, started, devices, title, x, signal, choices });
  const element = h('div', {}, loading());
  let requested = false;

  return {
    element,
    async update({ run, measurements }) {
      if (requested) return;
      requested = true;
      try {
        const spans = spansOf(await api.timeline(id, signal));
        if (!spans.length) return replace(element, notice({ title: 'No timeline', text: 'This run recorded no operations.' }));
        replace(element, panel.element);
        return panel.update(spans, measurements, copyEngines(run));
      } catch (error) {
        if (signal.aborted) return undefined;
        requested = false;
        return replace(element, notice({ title: 'The timeline could not be loaded', text: error.message, tone: 'bad' }));
      }
    },
  };
}

/** The number of copy engines of the run's device, null if unknown. */
function copyEngines({ environment, devices }) {
  const first = devices?.[0]?.id;
  const recorded = environment?.devices?.find?.(({ id }) => id === first) ?? environment?.devices?.[0];
  return recorded?.properties?.copy_engines ?? null;
}
