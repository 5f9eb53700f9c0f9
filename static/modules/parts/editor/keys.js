// The keys of the editor: Tab indents, Escape and then Tab leaves the editor, Enter keeps the indentation.

import { indented, lineBroken, outdented } from '../../text/editing.js';

/** Handles the keys of a text area. `commands` are functions by key, which is pressed with Ctrl or, on a Mac, Command:
 * {s() {…}, Enter() {…}}. */
export function handleKeys(area, { commands }) {
  let leaving = false; // Escape was the last key, so that Tab moves the focus
  area.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const command = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && commands[event.key];
    if (command) {
      event.preventDefault();
      command();
      return;
    }
    const moves = leaving && event.key === 'Tab';
    if (event.key !== 'Shift') leaving = event.key === 'Escape';
    const edit = !moves && editOf(event);
    if (!edit) return;
    event.preventDefault();
    apply(area, edit(area.value, area.selectionStart, area.selectionEnd));
  });
  area.addEventListener('blur', () => {
    leaving = false;
  });
}

function editOf({ key, shiftKey, ctrlKey, metaKey, altKey }) {
  if (ctrlKey || metaKey || altKey) return null;
  if (key === 'Tab') return shiftKey ? outdented : indented;
  return key === 'Enter' && !shiftKey ? lineBroken : null;
}

function apply(area, { from, to, text, start, end }) {
  if (area.value.slice(from, to) !== text) {
    area.setSelectionRange(from, to);
    insertText(area, text);
  }
  area.setSelectionRange(start, end);
}

/** Replaces the selection of a text area as if it was typed, so that it can be undone. */
export function insertText(area, text) {
  const done = text ? document.execCommand('insertText', false, text) : document.execCommand('delete');
  if (done) return;
  area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
  area.dispatchEvent(new Event('input', { bubbles: true }));
}
