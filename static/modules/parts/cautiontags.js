// The cautions of a measurement as amber tags; the tooltip of each explains it.

import { h } from '../dom.js';
import { cautionsOf } from '../results/cautions.js';

/** The tags, [] if there are no cautions. `run` as for cautionsOf. */
export const cautionTags = (measurement, run) =>
  cautionsOf(measurement, run).map(({ name, text }) => h('span', { class: 'tag warn', title: text }, name));
