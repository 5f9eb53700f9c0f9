// Finds and replaces in the text of an editor.

import { h } from '../../dom.js';
import { plural } from '../../text/format.js';
import { findAll, nextOf, previousOf, replaceAt } from '../../text/finding.js';
import { insertText } from './keys.js';
import { highlighter } from './layer.js';

const MARKED_MAX = 2000; // places that are marked; all are counted, reached and replaced

/** Returns {element, open(), renew()}: open() shows it with the selected text, renew() is to be called when the text of
 * `area` has changed. reach(from, to) selects a part of the text and scrolls to it, range(from, to) is its Range in the
 * layer. */
export function findBar({ area, reach, range, signal }) {
  const markFound = highlighter('editor-found', signal);
  const markChosen = highlighter('editor-chosen', signal);
  const wanted = field('Find', { Enter: () => go(nextOf), 'Shift+Enter': () => go(previousOf) });
  const replacement = field('Replace with', { Enter: replaceOne });
  const matchCase = h('input', { type: 'checkbox', on: { change: sought } });
  const count = h('span', { class: 'aside', role: 'status' });
  const element = h(
    'div',
    { class: 'stack tight', role: 'search', 'aria-label': 'Find and replace', hidden: true, on: { keydown: closeByKey } },
    row(
      wanted.element,
      button('Previous', () => go(previousOf)),
      button('Next', () => go(nextOf)),
      h('label', {}, matchCase, ' Match case'),
      count,
    ),
    row(
      replacement.element,
      button('Replace', replaceOne),
      button('Replace all', replaceAll),
      button('Close', close),
    ),
  );
  wanted.input.addEventListener('input', sought);
  let places = [];
  let chosen = -1; // of places

  function closeByKey(event) {
    if (event.key !== 'Escape' || event.isComposing) return;
    event.preventDefault();
    close();
  }

  function renew() {
    places = element.hidden ? [] : findAll(area.value, wanted.input.value, { matchCase: matchCase.checked });
    chosen = places.findIndex(({ from, to }) => from === area.selectionStart && to === area.selectionEnd);
    draw();
  }

  function draw() {
    markFound(places.slice(0, MARKED_MAX).map(({ from, to }) => range(from, to)));
    markChosen(places[chosen] ? [range(places[chosen].from, places[chosen].to)] : []);
    const { length } = places;
    count.textContent = !wanted.input.value ? '' : !length ? 'Not found' : chosen < 0 ? `${length} found` : `${chosen + 1} of ${length}`;
  }

  /** Chooses the place that `which` finds from a position of the text. */
  function choose(which, position) {
    chosen = which(places, position);
    if (chosen >= 0) reach(places[chosen].from, places[chosen].to);
    draw();
  }

  /** After a change of what is sought: the place at the selection or after it. */
  function sought() {
    renew();
    choose(nextOf, area.selectionStart);
  }

  function go(which) {
    choose(which, which === nextOf && chosen >= 0 ? area.selectionEnd : area.selectionStart);
  }

  /** Replaces the chosen place, and chooses the next one; only chooses where none is. */
  function replaceOne() {
    if (chosen < 0) return go(nextOf);
    type(places[chosen], replacement.input.value);
    return choose(nextOf, area.selectionEnd);
  }

  function replaceAll() {
    const { length } = places;
    if (!length) return;
    type({ from: 0, to: area.value.length }, replaceAt(area.value, places, replacement.input.value));
    count.textContent = `${plural(length, 'place')} replaced`;
  }

  /** Puts a text in the place of a part, as if it was typed; the focus stays. */
  function type({ from, to }, text) {
    const focused = document.activeElement;
    area.focus({ preventScroll: true });
    area.setSelectionRange(from, to);
    insertText(area, text);
    focused.focus({ preventScroll: true });
  }

  function open() {
    element.hidden = false;
    const selected = area.value.slice(area.selectionStart, area.selectionEnd);
    if (selected && !selected.includes('\n')) wanted.input.value = selected;
    renew();
    wanted.input.focus();
    wanted.input.select();
  }

  function close() {
    element.hidden = true;
    renew();
    area.focus();
  }

  return { element, open, renew };
}

const row = (...parts) => h('div', { class: 'row' }, parts);
const button = (title, click) => h('button', { type: 'button', class: 'small', on: { click } }, title);

/** A field {element, input}; `keys` are functions by key, "Enter" or "Shift+Enter". */
function field(title, keys) {
  const keydown = (event) => {
    const act = !event.isComposing && keys[`${event.shiftKey ? 'Shift+' : ''}${event.key}`];
    if (!act) return;
    event.preventDefault();
    act();
  };
  const input = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', on: { keydown } });
  return { input, element: h('label', { class: 'editor-find-field row' }, h('span', {}, title), input) };
}
