// From addresses to views. A view is a function (route, signal) -> {title, element} or a promise of it; `signal` is
// aborted when the view is left, and with it everything the view has started. Views are found in one table.

import { h, replace } from './dom.js';
import * as events from './events.js';
import { Problem } from './api.js';
import { gone, loading, refused } from './parts/notice.js';

const SLOW_MS = 250; // sooner than this nothing is said about loading

let table = [];
let main = null;
let leaving = null; // AbortController of the view that is shown
let failed = false;
let shownAt = ''; // the address that is drawn: a jump within the page draws nothing

const here = () => location.pathname + location.search;

/** Draws the page for the address it has, and from then on for every address it is taken to. `routes`: [[pattern,
 * view]], where "/runs/{id}" gives the view route.parts.id. */
export function start(routes, element) {
  table = routes.map(([pattern, view]) => [matcher(pattern), view]);
  main = element;
  document.addEventListener('click', follow);
  window.addEventListener('popstate', () => here() !== shownAt && show());
  events.on('connection', (state) => state === 'live' && failed && show());
  return show({ first: true });
}

/** Goes to an address of the page. With `replaceState` the back button does not return to the present one. */
export function go(target, { replaceState = false } = {}) {
  history[replaceState ? 'replaceState' : 'pushState'](null, '', target);
  return show();
}

/** Writes the address without drawing anything: the view has changed what it shows by itself. */
export function note(target) {
  history.replaceState(null, '', target);
  shownAt = here();
}

/** Draws the present view afresh. */
const refresh = () => show({ keepFocus: true });

function matcher(pattern) {
  const names = [];
  const source = pattern.replace(/\{(\w+)\}/g, (_, name) => {
    names.push(name);
    return '([^/]+)';
  });
  const expression = new RegExp(`^${source}/?$`);
  return (path) => {
    const match = expression.exec(path);
    return match && Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(match[index + 1])]));
  };
}

function find(path) {
  for (const [match, view] of table) {
    const parts = match(path);
    if (parts) return { view, parts };
  }
  return { view: null, parts: {} };
}

function follow(event) {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.hasAttribute('download'))
    return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || url.pathname.startsWith('/api/') || !find(url.pathname).view) return;
  if (url.hash && url.pathname === location.pathname) return;
  event.preventDefault();
  go(url.pathname + url.search);
}

async function show({ first = false, keepFocus = false } = {}) {
  leaving?.abort();
  const controller = new AbortController();
  leaving = controller;
  const { signal } = controller;
  shownAt = here();
  const slow = setTimeout(() => replace(main, loading()), first ? 0 : SLOW_MS);
  let shown;
  try {
    const { view, parts } = find(location.pathname);
    if (!view)
      throw new Problem(404, { title: 'There is no such page', detail: `Nothing is at ${location.pathname}.` });
    shown = await view({ parts, query: new URLSearchParams(location.search), path: location.pathname }, signal);
    failed = false;
  } catch (error) {
    if (signal.aborted) return;
    failed = !(error instanceof Problem) || error.status >= 500;
    shown = { title: 'Trouble', element: error instanceof Problem ? refused(error, refresh) : gone(error, refresh) };
  } finally {
    clearTimeout(slow);
  }
  if (signal.aborted) return;
  document.title = shown.title ? `${shown.title} · gpulab` : 'gpulab';
  replace(main, shown.element);
  markPlace();
  if (!first && !keepFocus) arrive();
}

/** Says where we are: in the navigation, and to those who do not see it by moving the focus to the heading. */
function markPlace() {
  for (const link of document.querySelectorAll('nav a[data-place]')) {
    const here = link.dataset.place === '/' ? ['/', '/devices'] : [link.dataset.place];
    const current = here.some(
      (place) => location.pathname === place || (place !== '/' && location.pathname.startsWith(place)),
    );
    if (current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

function arrive() {
  window.scrollTo(0, 0);
  const heading = main.querySelector('h1') ?? main.appendChild(h('h1', { class: 'unseen' }, document.title));
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}
