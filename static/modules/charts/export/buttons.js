// Buttons that save a chart as a picture.

import { h } from '../../dom.js';
import { later } from '../../later.js';
import { answerIn } from '../../parts/answer.js';

const savePicture = later('savePicture');

/** Returns the buttons. describe() returns {root, title, lines, name}: the element with the chart, the title of the
 * picture, the lines of text below it, and the name of the file without its ending. */
export const exportButtons = (describe) =>
  h(
    'div',
    { class: 'export-buttons no-export', role: 'group', 'aria-label': 'Save the chart as' },
    ['png', 'svg'].map((format) => exportButton(format, describe)),
  );

function exportButton(format, describe) {
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
