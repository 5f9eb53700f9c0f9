// Entry point of the page: defines the routes, shows the lab's state in header and footer, opens the event stream.

import * as events from './lab/events.js';
import * as lab from './lab/lab.js';
import { followReadings } from './lab/readings.js';
import { later } from './later.js';
import { showConnection, showQueue, showVersion } from './parts/header.js';
import { onKey } from './parts/keys.js';
import { showPerson } from './parts/person.js';
import { showSearch } from './parts/search.js';
import * as router from './router.js';
import { applyTheme } from './theme.js';
import { painted } from './throttle.js';
import { view as runView } from './views/run/run.js';

const LATER_MS = 2000; // what the first view does not need is loaded this long after it is painted

const ROUTES = [
  ['/', later('learnView')],
  ['/challenges', later('challengesView')],
  ['/challenges/{name}', later('challengeView')],
  ['/compare', later('compareView')],
  ['/devices', later('machinesView')],
  ['/devices/{id}', later('deviceView')],
  ['/devices/{id}/card', later('deviceCardView')],
  ['/experiments', later('learnView')],
  ['/experiments/{name}', later('experimentView')],
  ['/guide', later('guideView')],
  ['/guide/{name}', later('guideView')],
  ['/http-api', later('httpApiView')],
  ['/kernels', later('kernelView')],
  ['/notices', later('noticesView')],
  ['/program', later('programView')],
  ['/runs', later('runsView')],
  ['/runs/{id}', runView],
  ['/runs/{id}/embed', later('runEmbedView')],
  ['/sign-in', later('signInView')],
  ['/sweeps/{id}', later('sweepView')],
  ['/machines', later('machinesView')],
  ['/tokens', later('tokensView')],
  ['/trends', later('trendsView')],
];

applyTheme();
const shown = router.start(ROUTES, document.getElementById('main')); // first: its requests take the open connection
showConnection(document.getElementById('connection'));
showSearch(document.getElementById('search'));
showQueue(document.getElementById('queue'));
showPerson(document.getElementById('person'));
lab.followQueue();
followReadings();
onKey('?', () => later('showKeys')().catch(() => {})); // the header shows a lost connection
events.connect();
await shown;
await painted();
setTimeout(() => {
  showVersion(document.getElementById('version'));
  later('showPreferences')(document.getElementById('preferences')).catch(() => {}); // the error is shown where it is needed
}, LATER_MS);
