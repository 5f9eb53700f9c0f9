// Buttons that save a chart as a picture, and copy it or its data.

import { freshId, h } from '../../dom.js';
import { later } from '../../later.js';
import { answerIn } from '../../parts/answer.js';
import { copyButton } from '../../parts/copybutton.js';
import { menu } from '../../parts/menu.js';
import { mayBeFramed, placed } from '../../place.js';

const savePicture = later('savePicture');
const copyPicture = later('copyPicture');

/** Returns the buttons. describe() returns {root, title, lines, name}: the element with the chart, the title of the
 * picture, the lines of text below it, and the name of the file without its ending. `data()` returns what is drawn as a
 * text for a spreadsheet, `page()` the address in the lab of a page that shows the chart; what is not given cannot be
 * copied. */
export function exportButtons(describe, { data = null, page = null, signal } = {}) {
  const embed = page && embedding(describe, page);
  const copies = menu('Copy', [pictureButton(describe), data && copyButton('Copy the data', data, { class: '' }), embed?.items], signal, 'small');
  if (embed) copies.addEventListener('toggle', embed.check, { once: true });
  return h(
    'div',
    { class: 'export-buttons row tight no-export', role: 'group', 'aria-label': 'Save the chart as' },
    ['png', 'svg'].map((format) => saveButton(format, describe)),
    copies,
  );
}

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

const inQuotes = (text) => text.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** {items, check()}: the button that copies the code for a page of another site that shows the chart in a frame, and
 * why it cannot be used where the lab refuses frames, which check() asks. */
function embedding(describe, page) {
  const code = () => `<iframe src="${inQuotes(location.origin + placed(page()))}" title="${inQuotes(describe().title)}" width="960" height="640" loading="lazy"></iframe>`;
  const reason = h('p', { class: 'aside', id: freshId('reason'), dataset: { stays: '' }, hidden: true }, 'This lab lets no other site show it. It names those that may by ', h('code', {}, '--frame-ancestors'), '.');
  const button = copyButton('Copy code to embed', code, { class: '', disabled: true, 'aria-describedby': reason.id });
  const check = async () => {
    button.disabled = !(await mayBeFramed());
    reason.hidden = !button.disabled;
  };
  return { items: [button, reason], check };
}
