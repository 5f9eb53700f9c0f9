// How a run is called: by the end of its id, and in the title of the browser's tab, which says how far the run is, and
// its answer when it has ended.

import { headlineFigures } from '../results/headline.js';
import { STATUSES } from './displaynames.js';

/** "Matrix multiply, queued", "42 % Matrix multiply", "✓ Matrix multiply: 52.3 TFLOP/s", "✗ Matrix multiply failed". */
export function runTitle(run, experimentTitle) {
  const { status, progress } = run;
  if (status === 'running' && progress?.total > 0) return `${Math.floor((100 * progress.done) / progress.total)}\u00a0% ${experimentTitle}`;
  if (status === 'succeeded') {
    const [figure] = headlineFigures(run);
    return `✓ ${experimentTitle}${figure ? `: ${figure.text}` : ''}`;
  }
  const word = STATUSES[status]?.word ?? status;
  return status === 'failed' ? `✗ ${experimentTitle} ${word}` : `${experimentTitle}, ${word}`;
}

/** The end of a run's id, which is random; its start is the time and is the same for runs of the same minute. */
export const shortId = (id) => id.slice(-6);
