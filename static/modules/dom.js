// Making elements. Text always goes in as text, never as markup, and styles go through CSSOM, so that the page's
// content security policy (default-src 'self') holds without exceptions.

const SVG = 'http://www.w3.org/2000/svg';

/** An element. Properties: `class`, `on: {event: listener}`, `dataset`, `style: {property: value}`; `value`,
 * `checked` and the like are set as properties, everything else as an attribute (true: present, false and null:
 * absent). */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for SVG. */
export function svg(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

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
    else if (value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  add(element, children);
  return element;
}

/** Appends children: elements, texts, numbers, nested arrays; null, undefined and false are left out. */
export function add(element, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
  return element;
}

/** Puts new children in the place of all there are. */
export function replace(element, ...children) {
  element.replaceChildren();
  return add(element, children);
}

/** Makes `children` the children of an element, in this order, and leaves alone those that stand where they should: what
 * is moved loses the focus. */
export function arrange(element, children) {
  const wanted = new Set(children);
  for (const child of [...element.children]) if (!wanted.has(child)) child.remove();
  children.forEach((child, at) => {
    if (element.children[at] !== child) element.insertBefore(child, element.children[at] ?? null);
  });
}

/** Puts new children in the place of all there are; a region that scrolls keeps its place and the focus, if it is called
 * as one was before. All is read before anything is put in: after it, reading would lay out what is new. */
export function replaceKept(element, ...children) {
  const regions = () => [...element.querySelectorAll('[role="region"]')];
  const nameOf = (region) => region.getAttribute('aria-label');
  const places = new Map(
    regions().map((region) => {
      const { scrollTop, scrollLeft } = region;
      return [nameOf(region), { scrollTop, scrollLeft, focused: region === document.activeElement }];
    }),
  );
  replace(element, children);
  for (const region of regions()) {
    const { scrollTop, scrollLeft, focused } = places.get(nameOf(region)) ?? {};
    if (scrollTop) region.scrollTop = scrollTop;
    if (scrollLeft) region.scrollLeft = scrollLeft;
    if (focused) region.focus({ preventScroll: true });
  }
}

let count = 0;

/** An id that no other element of this page has. */
export function freshId(stem) {
  count += 1;
  return `${stem}-${count}`;
}

let pressed = false;
if (globalThis.document) {
  document.addEventListener(
    'pointerdown',
    () => {
      pressed = true;
    },
    true,
  );
  for (const event of ['pointerup', 'pointercancel'])
    document.addEventListener(
      event,
      () => {
        pressed = false;
      },
      true,
    );
}

/** Calls `work` now, or, while a button of the mouse is held down, after the click: what moves the layout between
 * press and release makes the click miss its target. */
export function afterPress(work) {
  if (!pressed) return work();
  const release = new AbortController();
  const done = () => {
    release.abort();
    setTimeout(work);
  };
  for (const event of ['pointerup', 'pointercancel'])
    document.addEventListener(event, done, { signal: release.signal });
  return undefined;
}

/** Calls `work` every `period_ms` while the page is visible, and at once when it becomes visible again after that
 * long. */
export function whileVisible(work, period_ms, signal) {
  let last = Date.now();
  const turn = () => {
    if (document.hidden || Date.now() - last < period_ms * 0.9) return;
    last = Date.now();
    work();
  };
  const timer = setInterval(turn, period_ms);
  document.addEventListener('visibilitychange', turn, { signal });
  signal.addEventListener('abort', () => clearInterval(timer));
}
