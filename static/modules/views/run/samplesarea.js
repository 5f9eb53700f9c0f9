// Where the samples of a point are shown, below the tabs; what shows them is loaded when the user first asks for some.

import { later } from '../../later.js';
import { notice } from '../../parts/notice.js';
import { h, replace } from '../../dom.js';

const runSamples = later('runSamples');

/** Returns {element, show(measurement), update(run)}. The choice `samples` is the position of the measurement in the
 * list of the API. */
export function samplesArea(context) {
  const element = h('div', {});
  let run = null;
  let panel = null; // a promise of it

  async function withPanel(work) {
    panel ??= runSamples({ ...context, area: element });
    try {
      await work(await panel);
    } catch {
      panel = null;
      replace(element, notice({ title: 'The samples could not be loaded', text: 'The lab does not answer. Select the point again.', tone: 'bad' }));
    }
  }

  return {
    element,
    show: (measurement) => withPanel((one) => one.choose(run, measurement)),
    update(next) {
      run = next;
      if (context.choices.get('samples')) withPanel((one) => one.update(run));
    },
  };
}
