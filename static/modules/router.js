// Shows the view that belongs to the address. A view is a function (route, signal) that returns {title, element, alone}
// or a promise of it; `alone`: the page shows nothing else. `signal` is aborted when the user leaves the view;
// everything the view has started must stop then.

import { h, replace } from './dom.js';
import * as events from './lab/events.js';
import { Problem } from './lab/api.js';
import { person } from './lab/session.js';
import { isOutdated } from './lab/version.js';
import { later } from './later.js';
import { errorNotice, loading, problemNotice } from './parts/notice.js';
import { pathInLab, placed } from './place.js';

const SAVE_MS = 150; // the position is kept when the user has not scrolled for so long: browsers limit changes of the history
const RESTORE_MS = 3000; // for so long a view that still grows returns to where it was scrolled
const SLOW_MS = 250; // a view that is ready sooner replaces the previous one without a loading notice

const signInView = later('signInView');

let routeTable = []; // [[matcher, view]]
let main = null; // the element that contains the view
let viewController = null; // AbortController of the current view
let signedOut = false; // the form to sign in is shown instead of the view
let failed = false; // an error of the server or the network is shown instead of the view
let saveTimer = null; // of saveSoon
let endScrollBack = () => {}; // ends the scrollBack that goes on
let drawing = false; // the address is that of a view which is not shown yet
let shownAddress = ''; // of the current view, without #anchor: a jump within the page does not draw it again

const currentAddress = () => location.pathname + location.search;

/** Shows the view of the current address in `element`, and again whenever the address changes. `routes`: [[pattern,
 * view]]; a pattern such as "/runs/{id}" passes the value of {id} to the view as route.parts.id. */
export function start(routes, element) {
  routeTable = routes.map(([pattern, view]) => [matcher(pattern), view]);
  main = element;
  document.addEventListener('click', followLink);
  history.scrollRestoration = 'manual'; // the browser would scroll before the view is drawn
  window.addEventListener('scroll', saveSoon, { passive: true });
  window.addEventListener('popstate', returnTo);
  events.on('connection', async (state) => {
    if (state === 'live' && failed) show();
    if (state === 'signed-out' && !signedOut && (await person()).role === null) show();
  });
  return show({ first: true, scroll: history.state?.scroll });
}

/** Keeps in the entry of the browser's history how far its view is scrolled. */
function saveScroll() {
  clearTimeout(saveTimer);
  if (!drawing) history.replaceState({ scroll: window.scrollY }, '');
}

function saveSoon() {
  clearTimeout(saveTimer);
  saveTimer = setTimeout(saveScroll, SAVE_MS);
}

/** Shows an entry of the browser's history, of this view or another, where it was scrolled. */
function returnTo({ state }) {
  clearTimeout(saveTimer);
  if (currentAddress() !== shownAddress) return show({ scroll: state?.scroll });
  if (state) return scrollBack(state.scroll, viewController.signal);
  return anchorOf(location)?.scrollIntoView();
}

const anchorOf = ({ hash }) => (hash ? document.getElementById(hash.slice(1)) : null);

/** Navigates to an address of the page. With `replaceState` it replaces the current entry of the browser's history.
 * After an update of the lab the page is loaded again. */
export function go(target, { replaceState = false } = {}) {
  if (isOutdated()) return location[replaceState ? 'replace' : 'assign'](placed(target));
  if (!replaceState) saveScroll();
  history[replaceState ? 'replaceState' : 'pushState'](null, '', placed(target));
  return show();
}

/** Changes the address without drawing, for a view that has already updated itself. */
export function replaceAddress(target) {
  history.replaceState(history.state, '', placed(target));
  shownAddress = currentAddress();
}

let viewTitle = '';
let titleNote = '';

/** Sets the title of the browser's tab, for a view whose title changes. */
export function setTitle(title) {
  viewTitle = title;
  document.title = [titleNote, title, 'gpulab'].filter(Boolean).join(' · ');
}

/** Sets what the title of the tab begins with, whatever view is shown; '' for nothing. */
export function setTitleNote(text) {
  titleNote = text;
  setTitle(viewTitle);
}

/** Draws the current view again; the focus stays where it is. */
const refresh = () => show({ keepFocus: true });

/** Returns a function that matches a path with the pattern: {name: value} of its parts, or null. */
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

function findView(path) {
  for (const [match, view] of routeTable) {
    const parts = match(path);
    if (parts) return { view, parts };
  }
  return { view: null, parts: {} };
}

/** Shows the view that a clicked link leads to without loading the page again; other links are left to the browser. */
function followLink(event) {
  const link = event.target.closest?.('a[href]');
  if (!link || event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.target || link.hasAttribute('download'))
    return;
  const url = new URL(link.href);
  const path = pathInLab(url.pathname);
  if (url.origin !== location.origin || path.startsWith('/api/') || !findView(path).view) return;
  if (url.hash && url.pathname === location.pathname) return saveScroll(); // before the browser jumps
  event.preventDefault();
  go(path + url.search + url.hash);
}

/** Draws the view of the current address. `first`: the page was just loaded, so a loading notice appears immediately
 * and the focus is not moved. `keepFocus`: focus and position stay. The focus also stays where the user has moved it
 * outside of the view meanwhile. `scroll`: how far the view was scrolled when the
 * user left it, to which it returns; undefined where the user was not there. */
async function show({ first = false, keepFocus = false, scroll } = {}) {
  viewController?.abort();
  const controller = new AbortController();
  viewController = controller;
  const { signal } = controller;
  const reportMissed = events.watchMissed();
  const focused = document.activeElement;
  shownAddress = currentAddress();
  drawing = true;
  const slow = setTimeout(() => replace(main, loading()), first ? 0 : SLOW_MS);
  let result;
  try {
    const path = pathInLab();
    const { view, parts } = findView(path);
    if (!view) throw new Problem(404, { title: 'Page not found', detail: `This lab has no page ${path}.` });
    result = await view({ parts, query: new URLSearchParams(location.search), path }, signal);
    failed = signedOut = false;
  } catch (error) {
    if (signal.aborted) return;
    signedOut = error instanceof Problem && error.status === 401;
    failed = !(error instanceof Problem) || error.status >= 500;
    result = signedOut ? await signInView().catch(errorResult) : errorResult(error);
  } finally {
    clearTimeout(slow);
  }
  if (signal.aborted) return;
  const isElsewhere = hasMovedFrom(focused);
  setTitle(result.title);
  document.body.classList.toggle('alone', Boolean(result.alone));
  replace(main, result.element);
  drawing = false;
  markCurrentLink();
  const anchor = anchorOf(location);
  if (!anchor && !first && !keepFocus && !isElsewhere) focusHeading();
  if (scroll !== undefined) scrollBack(scroll, signal);
  else if (anchor) anchor.scrollIntoView();
  else if (!first && !keepFocus) window.scrollTo(0, 0);
  reportMissed();
}

function errorResult(error) {
  const element = error instanceof Problem ? problemNotice(error, refresh, pathInLab()) : errorNotice(error, refresh);
  return { title: 'Error', element };
}

/** Marks the navigation link of the current section: the one that leads here, or whose `data-sections` lists the first
 * part of the path. */
function markCurrentLink() {
  const section = `/${pathInLab().split('/')[1]}`;
  for (const link of document.querySelectorAll('nav a[data-sections]')) {
    const current = link.pathname === location.pathname || link.dataset.sections.split(' ').includes(section);
    if (current) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Whether the user has moved the focus from `focused` to a part of the page outside the view, such as the search. */
function hasMovedFrom(focused) {
  const { activeElement } = document;
  return activeElement !== focused && activeElement !== document.body && !main.contains(activeElement);
}

/** Moves the focus to the heading, so that screen readers announce the new view. */
function focusHeading() {
  const heading = main.querySelector('h1') ?? main.appendChild(h('h1', { class: 'visually-hidden' }, document.title));
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** Scrolls to `top`, again while the view grows, because parts of it come later, until the user does something. A link
 * that is activated by a screen reader sends `click` alone. */
function scrollBack(top, signal) {
  endScrollBack();
  const ended = new AbortController();
  const end = () => ended.abort();
  endScrollBack = end;
  const aim = () => window.scrollTo(0, top);
  const growth = new ResizeObserver(aim);
  aim();
  growth.observe(main);
  ended.signal.addEventListener('abort', () => growth.disconnect());
  signal.addEventListener('abort', end);
  for (const kind of ['wheel', 'touchstart', 'pointerdown', 'keydown', 'click'])
    window.addEventListener(kind, end, { passive: true, signal: ended.signal });
  setTimeout(end, RESTORE_MS);
}
