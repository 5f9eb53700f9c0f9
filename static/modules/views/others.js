// The views that app.js loads when the first of them is shown: all but that of a run.

export { view as compareView } from './compare/compare.js';
export { view as deviceView } from './device/device.js';
export { view as experimentView } from './experiment/experiment.js';
export { view as kernelView } from './kernel/kernel.js';
export { view as learnView } from './learn.js';
export { view as machinesView } from './machines/machines.js';
export { view as runsView } from './runs/runs.js';
export { view as sweepView } from './sweep/sweep.js';
export { view as tokensView } from './tokens/tokens.js';
export { view as trendsView } from './trends/trends.js';
