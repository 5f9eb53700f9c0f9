// The samples of a point of a run, of both sides where the run compares two requests, and its explanation.

import { runLines } from '../../charts/export/run.js';
import * as api from '../../lab/api.js';
import { samplesPanel } from '../../parts/samplespanel.js';
import { isAtPoint } from '../../results/headline.js';
import { positionsOfSides } from '../../results/samples.js';

/** Returns {choose(run, measurement), update(run)}, which show the samples of a measurement and those of the choice
 * `samples` in the element `area`. */
export function runSamples({ experiment, devices, signal, choices, area }) {
  const panel = samplesPanel({ experiment, area, closed: () => choices.set({ samples: '' }), signal });
  let listed = null; // {identity, list}: the measurements of the run, a promise

  /** All measurements of the run, which are fetched again while it has more. */
  function listOf(run) {
    const identity = `${run.id} ${run.measurement_count}`;
    if (listed?.identity !== identity) listed = { identity, list: api.measurements(run.id, signal) };
    return listed.list;
  }

  async function load(run, position) {
    try {
      const list = await listOf(run);
      const [explanation, ...measurements] = await Promise.all([
        position in list ? api.explanation(run.id, position, signal) : null,
        ...positionsOfSides(list, position).map((at) => api.samples(run.id, at, signal)),
      ]);
      return { point: list[position], measurements, explanation, lines: runLines(run, devices), id: run.id };
    } catch (error) {
      listed = null;
      throw error;
    }
  }

  function update(run) {
    if (!/^\d+$/.test(choices.get('samples'))) return;
    const position = Number(choices.get('samples'));
    panel.open(`${run.id} ${position}`, () => load(run, position));
  }

  return {
    update,
    async choose(run, measurement) {
      const { of: own = measurement } = measurement;
      const isSide = (one) => (one.side === 'base') === (own.side === 'base');
      const position = (await listOf(run)).findIndex((one) => isSide(one) && isAtPoint(one, own));
      if (position < 0) return;
      choices.set({ samples: String(position) });
      update(run);
      panel.reveal();
    },
  };
}
