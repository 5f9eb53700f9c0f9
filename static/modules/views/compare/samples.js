// The samples of a compared point, of both sides on one scale.

import { runLines } from '../../charts/export/run.js';
import * as api from '../../lab/api.js';
import * as lab from '../../lab/lab.js';
import { devicesOf } from '../../lab/rundevices.js';
import { samplesPanel } from '../../parts/samplespanel.js';
import { isAtPoint } from '../../results/headline.js';
import { positionsOfSides } from '../../results/samples.js';
import { h } from '../../dom.js';

const SIDES = ['base', 'head'];

/** Returns {element, show(point)}. `comparison` is the answer of GET /compare; the choice `samples` is the number of a
 * point in it. */
export function comparedSamples({ comparison, experiment, signal, choices }) {
  const { points } = comparison;
  const element = h('div', {});
  const panel = samplesPanel({ experiment, area: element, closed: () => choices.set({ samples: '' }), signal });
  const lists = new Map(); // id of a run -> its measurements, a promise
  const runs = choices.get('run') ? [comparison.head] : [comparison.base, comparison.head];

  function listOf(id) {
    if (!lists.has(id)) lists.set(id, api.measurements(id, signal));
    return lists.get(id);
  }

  /** The positions of the point in the lists of base and head. */
  async function positionsOf(point) {
    const found = await Promise.all(runs.map(async ({ id }) => (await listOf(id)).findIndex((one) => one.side !== 'base' && isAtPoint(one, point))));
    return runs.length > 1 ? found : positionsOfSides(await listOf(runs[0].id), found[0]);
  }

  async function load(point) {
    const lines = runs.flatMap((run) => runLines(run, devicesOf(run, lab.device)));
    try {
      const positions = point ? await positionsOf(point) : [];
      const measurements = await Promise.all(positions.map((position, at) => api.samples((runs[at] ?? runs[0]).id, position, signal)));
      return { point, measurements: measurements.map((one, at) => ({ ...one, side: SIDES[at] })), lines, id: comparison.head.id };
    } catch (error) {
      lists.clear();
      throw error;
    }
  }

  function update() {
    const chosen = choices.get('samples');
    if (/^\d+$/.test(chosen)) panel.open(chosen, () => load(points[Number(chosen)]));
  }

  update();
  return {
    element,
    show(point) {
      choices.set({ samples: String(points.indexOf(point)) });
      update();
      panel.reveal();
    },
  };
}
