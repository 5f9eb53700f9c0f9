// Says that a run has ended to a person who is elsewhere: on the page and in the title of its tab where another view is
// shown, and by a notice of the browser where the person asked for one. While any page of the lab is open.

import { h } from '../dom.js';
import * as api from '../lab/api.js';
import * as events from '../lab/events.js';
import { pathInLab } from '../place.js';
import { setTitleNote } from '../router.js';
import { isLive } from '../text/displaynames.js';
import { runTitle } from '../text/runtitle.js';

const awaited = new Map(); // by id of a run: {title: of its experiment, asked: whether the browser gives a notice}
const shown = new Map(); // texts on the page by id of a run, the newest last

function watch(id, title, asked) {
  if (!awaited.size) listen();
  awaited.set(id, { title, asked: asked || Boolean(awaited.get(id)?.asked) });
}

const look = (id) => api.run(id).then(tell, () => awaited.delete(id));
let listen = () => {
  listen = () => {};
  events.on('run.updated', tell);
  events.on('missed', () => [...awaited.keys()].forEach(look));
};

/** Asks the person for permission, and has the browser show a notice when the run has ended. Returns a promise of
 * whether it will. */
export async function awaitEnd(id, title) {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  watch(id, title, true);
  return true;
}

/** To be called when the person leaves the page of a run that goes on. */
export function leaveRun(id, title) {
  watch(id, title, false);
  look(id); // it may have ended while this module was loaded
}

function tell(run) {
  const entry = awaited.get(run.id);
  if (!entry || isLive(run.status)) return;
  awaited.delete(run.id);
  const text = runTitle(run, entry.title);
  if (pathInLab() !== `/runs/${run.id}`) show(run.id, text);
  if (!entry.asked) return;
  const notice = new Notification(text, { tag: run.id });
  notice.onclick = () => window.focus();
}

function show(id, text) {
  const close = () => {
    bar.remove();
    shown.delete(id);
    setTitleNote([...shown.values()].at(-1) ?? '');
  };
  const bar = h(
    'div',
    { class: 'connection-bar' },
    h('span', {}, 'A run has ended: ', h('a', { href: `/runs/${id}`, on: { click: close } }, text)),
    h('button', { type: 'button', class: 'small', on: { click: close } }, 'Close'),
  );
  document.getElementById('ended').append(bar);
  shown.set(id, text);
  setTitleNote(text);
}
