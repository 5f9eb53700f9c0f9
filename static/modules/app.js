// Entry point of the page: defines the routes, shows the lab's state in header and footer, opens the event stream.

import { Unreachable } from './lab/api.js';
import * as events from './lab/events.js';
import * as lab from './lab/lab.js';
import { followReadings } from './lab/readings.js';
import { showConnection, showQueue, showVersion } from './parts/header.js';
import { showPerson } from './parts/person.js';
import { showSearch } from './parts/search.js';
import * as router from './router.js';
import { painted } from './throttle.js';
import { view as runView } from './views/run/run.js';

const LATER_MS = 2000; // what the first view does not need is loaded this long after it is painted

/** All views but that of a run are in one module, so that the page of a run loads only what it shows. */
const otherViews = () =>
  import('./views/others.js').catch((error) => {
    throw new Unreachable(error);
  });
const other = (name) => async (route, signal) => (await otherViews())[name](route, signal);

const ROUTES = [
  ['/', other('learnView')],
  ['/compare', other('compareView')],
  ['/devices', other('machinesView')],
  ['/devices/{id}', other('deviceView')],
  ['/experiments', other('learnView')],
  ['/experiments/{name}', other('experimentView')],
  ['/kernels', other('kernelView')],
  ['/runs', other('runsView')],
  ['/runs/{id}', runView],
  ['/sweeps/{id}', other('sweepView')],
  ['/machines', other('machinesView')],
  ['/tokens', other('tokensView')],
  ['/trends', other('trendsView')],
];

const shown = router.start(ROUTES, document.getElementById('main')); // first: its requests take the open connection
showConnection(document.getElementById('connection'));
showSearch(document.getElementById('search'));
showQueue(document.getElementById('queue'));
showPerson(document.getElementById('person'));
lab.followQueue();
followReadings();
events.connect();
await shown;
await painted();
setTimeout(() => {
  showVersion(document.getElementById('version'));
  otherViews().catch(() => {}); // the error is shown with the view that needs them
}, LATER_MS);
