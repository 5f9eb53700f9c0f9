// Buttons that save a chart as a picture, and copy it or its data.

import { h } from '../../dom.js';
import { later } from '../../later.js';
import { answerIn } from '../../parts/answer.js';
import { copyButton } from '../../parts/copybutton.js';
import { menu } from '../../parts/menu.js';

const savePicture = later('savePicture');
const copyPicture = later('copyPicture');

/** Returns the buttons. describe() returns {root, title, lines, name}: the element with the chart, the title of the
 * picture, the lines of text below it, and the name of the file without its ending. `data()` returns what is drawn as a text for a
 * spreadsheet; without it only the picture can be copied. */
export const exportButtons = (describe, { data = null, signal } = {}) =>
  h(
    'div',
    { class: 'export-buttons no-export', role: 'group', 'aria-label': 'Save the chart as' },
    ['png', 'svg'].map((format) => saveButton(format, describe)),
    menu('Copy', [pictureButton(describe), data && copyButton('Copy the data', data, { class: '' })], signal, 'small'),
  );

function saveButton(format, describe) {
  const label = format.toUpperCase();
  const button = h('button', { type: 'button', class: 'small', title: `Save the chart as ${label}`, on: { click: save } }, label);
  const answer = answerIn(button);

  async function save() {
    try {
      await savePicture(format, describe());
    } catch {
      answer('Saving failed');
    }
  }
  return button;
}

/** The button that copies the picture, for which browsers want HTTPS or an address of this computer. */
function pictureButton(describe) {
  const button = h('button', { type: 'button', dataset: { stays: '' }, on: { click: press } }, 'Copy the picture');
  const answer = answerIn(button);

  async function press() {
    try {
      await copyPicture(describe());
      answer('Picture copied');
    } catch {
      answer(window.isSecureContext ? 'Copying failed' : 'Only over HTTPS');
    }
  }
  return button;
}
