// The title of the browser's tab for a run: it says how far the run is, and its answer when it has ended.

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
