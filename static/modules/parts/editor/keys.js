// The keys of the editor: Tab indents, Escape and then Tab leaves the editor, Enter keeps the indentation, a closing
// brace is where the block begins, and lines are commented out.

import { braceClosed, commentToggled, indented, lineBroken, outdented } from '../../text/editing.js';

/** Handles the keys of a text area. `commands` are functions by key, which is pressed with Ctrl or, on a Mac, Command:
 * {s() {…}, Enter() {…}}. */
export function handleKeys(area, { commands }) {
  const own = { ...commands, '/': () => change(commentToggled) };
  const change = (edit) => apply(area, edit(area.value, area.selectionStart, area.selectionEnd));
  let leaving = false; // Escape was the last key, so that Tab moves the focus
  area.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    const command = commandOf(event, own);
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
    change(edit);
  });
  area.addEventListener('beforeinput', (event) => {
    if (event.inputType !== 'insertText' || event.data !== '}') return;
    const edit = braceClosed(area.value, area.selectionStart, area.selectionEnd);
    if (!edit) return;
    event.preventDefault();
    apply(area, edit);
  });
  area.addEventListener('blur', () => {
    leaving = false;
  });
}

/** The command of a key; "/" is written with Shift on many keyboards. */
const commandOf = ({ key, ctrlKey, metaKey, altKey, shiftKey }, commands) =>
  (ctrlKey || metaKey) && !altKey && (!shiftKey || key === '/') && commands[key];

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
