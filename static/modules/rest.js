// What later.js loads. It is one module, so that the bundle has few files: each further module that is loaded by itself
// would have what it shares with others divided into more of them.

// the views but that of a run
export { view as challengesView } from './views/challenges/challenges.js';
export { view as challengeView } from './views/challenges/challenge.js';
export { view as compareView } from './views/compare/compare.js';
export { view as deviceCardView } from './views/device/card.js';
export { view as deviceView } from './views/device/device.js';
export { view as experimentView } from './views/experiment/experiment.js';
export { view as guideView } from './views/guide/guide.js';
export { view as httpApiView } from './views/httpapi.js';
export { view as kernelView } from './views/kernel/kernel.js';
export { view as learnView } from './views/learn.js';
export { view as machinesView } from './views/machines/machines.js';
export { view as noticesView } from './views/notices/notices.js';
export { view as programView } from './views/program/program.js';
export { view as runsView } from './views/runs/runs.js';
export { view as signInView } from './views/signin.js';
export { view as sweepView } from './views/sweep/sweep.js';
export { view as tokensView } from './views/tokens/tokens.js';
export { view as trendsView } from './views/trends/trends.js';

// the tabs of a run's page but the chart, and what is judged of it
export { view as runEmbedView } from './views/run/embed.js';
export { environmentTab } from './views/run/environmenttab.js';
export { fieldTab } from './views/run/fieldtab.js';
export { showHealth } from './views/run/health.js';
export { logTab } from './views/run/logtab.js';
export { methodTab } from './views/run/method.js';
export { outputTab } from './views/run/outputtab.js';
export { programTab } from './views/run/programtab.js';
export { commentsTab, findingsTab, referencesTab } from './views/run/smalltabs.js';
export { tableTab } from './views/run/table.js';
export { timelineTab } from './views/run/timelinetab.js';
export { runSamples } from './views/run/samples.js';
export { withOwnStep } from './results/ownstep.js';
export { showVerdicts } from './views/run/verdicts.js';

// what the search field finds
export { findAtOnce } from './parts/searchresults.js';

// what is chosen for all pages, the keys, and notices
export { awaitEnd, leaveRun } from './parts/endnotice.js';
export { showKeys } from './parts/keyhelp.js';
export { showPreferences } from './parts/preferences.js';

// the values of a chart
export { chartText } from './results/charttext.js';
export { valuesTable } from './charts/valuestable.js';

// pictures of charts, and the explanation and the code of steps
export { copyPicture, savePicture } from './charts/export/save.js';
export { codeListing } from './parts/codelisting.js';
export { prose } from './parts/prose.js';
