// Helpers that create and change elements. Text is always inserted as text, never as markup, and styles are set through
// CSSOM, as the page's content security policy (default-src 'self') requires.

import { placed } from './place.js';

const SVG = 'http://www.w3.org/2000/svg';
const MATHML = 'http://www.w3.org/1998/Math/MathML';

/** Creates an HTML element. Properties: `class`, `on: {event: listener}`, `dataset`, `style: {property: value}`;
 * `value`, `checked` and the other names in AS_PROPERTY are set as properties, everything else as an attribute (true:
 * empty attribute; false, null and undefined: no attribute). */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** Creates an SVG element; properties as for h(). */
export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** Creates a MathML element; properties as for h(). */
export function mathml(tag, properties, ...children) {
  return fill(document.createElementNS(MATHML, tag), properties, children);
}

/** Names that fill() sets as a property of the element instead of an attribute. */
const AS_PROPERTY = new Set(['value', 'checked', 'disabled', 'hidden', 'indeterminate', 'open', 'selected']);

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null) continue;
    if (name === 'class') element.setAttribute('class', value);
    else if (name === 'on')
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (name === 'dataset') Object.assign(element.dataset, value);
    else if (name === 'style') for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else if (AS_PROPERTY.has(name)) element[name] = value;
    else if (name === 'href') element.setAttribute(name, placed(String(value)));
    else if (value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  add(element, children);
  return element;
}

/** Appends children: elements, strings, numbers, nested arrays. null, undefined and false are skipped. */
export function add(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
  return element;
}

/** Replaces all children of an element. */
export function replace(element, ...children) {
  element.replaceChildren();
  return add(element, children);
}

/** Makes `children` the children of an element, in this order. Children already in place are not touched, because an
 * element that is moved loses the focus. */
export function arrange(element, children) {
  const wanted = new Set(children);
  for (const child of [...element.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, at) => {
    if (element.children[at] !== child) element.insertBefore(child, element.children[at] ?? null);
  });
}

/** Replaces all children. A region (role="region") that has the same aria-label before and after keeps its scroll
 * position and the focus, and `details` with the same id stay open. Positions are read before the children change,
 * because reading them afterwards would force a layout. */
export function replaceKeepingScroll(element, ...children) {
  const regions = () => [...element.querySelectorAll('[role="region"]')];
  const labelOf = (region) => region.getAttribute('aria-label');
  const positions = new Map(
    regions().map((region) => {
      const { scrollTop, scrollLeft } = region;
      return [labelOf(region), { scrollTop, scrollLeft, focused: region === document.activeElement }];
    }),
  );
  const open = [...element.querySelectorAll('details[id][open]')].map(({ id }) => id);
  replace(element, children);
  for (const id of open) element.querySelector(`#${id}`)?.toggleAttribute('open', true);
  for (const region of regions()) {
    const { scrollTop, scrollLeft, focused } = positions.get(labelOf(region)) ?? {};
    if (scrollTop) region.scrollTop = scrollTop;
    if (scrollLeft) region.scrollLeft = scrollLeft;
    if (focused) region.focus({ preventScroll: true });
  }
}

/** Calls `draw`, which replaces elements in `element`. Where one of those that match `selector` has the focus, the one
 * that has its place afterwards gets it, or the last one. */
export function keepingFocus(element, selector, draw) {
  const at = [...element.querySelectorAll(selector)].indexOf(document.activeElement);
  draw();
  const left = [...element.querySelectorAll(selector)];
  if (at >= 0) (left[at] ?? left.at(-1))?.focus({ preventScroll: true });
}

let idCount = 0;

/** Returns an id for an element that is unique on this page: "STEM-1", "STEM-2", … */
export function freshId(stem) {
  idCount += 1;
  return `${stem}-${idCount}`;
}

let pointerDown = false;
if (globalThis.document) {
  document.addEventListener(
    'pointerdown',
    () => {
      pointerDown = true;
    },
    true,
  );
  for (const event of ['pointerup', 'pointercancel'])
    document.addEventListener(
      event,
      () => {
        pointerDown = false;
      },
      true,
    );
}

/** Calls `work`, which may move elements, now or, while a pointer button is pressed, after its release. If elements
 * moved between press and release, the click would miss its target. */
export function afterPointerRelease(work) {
  if (!pointerDown) return work();
  const release = new AbortController();
  const onRelease = () => {
    release.abort();
    setTimeout(work);
  };
  for (const event of ['pointerup', 'pointercancel'])
    document.addEventListener(event, onRelease, { signal: release.signal });
  return undefined;
}

/** Calls `work` every `period_ms` while the page is visible, until `signal` is aborted. When the page becomes visible
 * and the last call was longer ago than that, calls it immediately. */
export function repeatWhileVisible(work, period_ms, signal) {
  let lastCall = Date.now();
  const runIfDue = () => {
    if (document.hidden || Date.now() - lastCall < period_ms * 0.9) return;
    lastCall = Date.now();
    work();
  };
  const timer = setInterval(runIfDue, period_ms);
  document.addEventListener('visibilitychange', runIfDue, { signal });
  signal.addEventListener('abort', () => clearInterval(timer));
}
