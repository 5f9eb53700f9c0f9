// Notices of the browser when runs have ended. They come while any page of the lab is open.

import * as api from '../lab/api.js';
import * as events from '../lab/events.js';
import { isLive } from '../text/displaynames.js';
import { runTitle } from '../text/runtitle.js';

const awaited = new Map(); // titles of experiments by id of a run
let isListening = false;

/** Asks the person for permission, and shows a notice when the run has ended. Returns a promise of whether it will. */
export async function awaitEnd(id, title) {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  awaited.set(id, title);
  if (!isListening) {
    isListening = true;
    events.on('run.updated', tell);
    events.on('missed', () => awaited.forEach((_, one) => api.run(one).then(tell, () => awaited.delete(one))));
  }
  return true;
}

function tell(run) {
  const title = awaited.get(run.id);
  if (!title || isLive(run.status)) return;
  awaited.delete(run.id);
  const notice = new Notification(runTitle(run, title), { tag: run.id });
  notice.onclick = () => window.focus();
}
