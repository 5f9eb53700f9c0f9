// Entry point of the page: defines the routes, shows the lab's state in header and footer, opens the event stream.

import * as events from './lab/events.js';
import * as lab from './lab/lab.js';
import { showConnection, showQueue, showVersion } from './parts/header.js';
import { showPerson } from './parts/person.js';
import * as router from './router.js';
import { view as deviceView } from './views/device.js';
import { view as experimentView } from './views/experiment.js';
import { view as devicesView } from './views/home.js';
import { view as learnView } from './views/learn.js';
import { view as runView } from './views/run.js';
import { view as runsView } from './views/runs/runs.js';

const ROUTES = [
  ['/', learnView],
  ['/devices', devicesView],
  ['/devices/{id}', deviceView],
  ['/experiments', learnView],
  ['/experiments/{name}', experimentView],
  ['/runs', runsView],
  ['/runs/{id}', runView],
];

showConnection(document.getElementById('connection'));
showQueue(document.getElementById('queue'));
showPerson(document.getElementById('person'));
showVersion(document.getElementById('version'));
events.connect();
lab.followQueue();
router.start(ROUTES, document.getElementById('main'));
