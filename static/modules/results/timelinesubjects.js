// What a timeline shows, by the kind of view: the operations of streams as the tracer recorded them, or the blocks of a
// kernel, or the kernels of streams, as they recorded themselves.

import { variantsOf, withWaves } from './timeline.js';

const TIMELINE = {
  variants: variantsOf,
  engines: true,
  bounded: true,
  words: { span: 'operation', row: 'Stream', kind: 'Engine', duration: 'traced' },
  recorded: 'Each variant was traced once, separately from the measurements; tracing adds some overhead. ',
};

/** What the timeline of a whole program shows. */
export const OF_PROGRAM = { ...TIMELINE, recorded: 'One execution of the program was traced; tracing adds some overhead. ' };

/** By kind of view: `variants(spans)`; `engines`: rows by engine are
 * possible; `bounded`: there may be a lower bound; the words for a span, a row, a kind of span and a duration; how the
 * spans were recorded. */
export const SUBJECTS = {
  timeline: TIMELINE,
  blocks: {
    variants: (spans) => variantsOf(spans).map(withWaves),
    engines: false,
    bounded: false,
    words: { span: 'block', row: 'Multiprocessor', kind: 'Wave', duration: 'recorded' },
    recorded: 'Each block of the last repetition has recorded where and when it ran. ',
  },
  kernels: {
    variants: variantsOf,
    engines: false,
    bounded: false,
    words: { span: 'kernel', row: 'Stream', kind: 'Engine', duration: 'recorded' },
    recorded: 'Each kernel of the last repetition has recorded when its blocks ran. ',
  },
};
