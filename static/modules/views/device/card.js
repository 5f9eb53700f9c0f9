// The summary of a device: one picture that is made to be sent. The lab draws it; the PNG is made here.

import * as api from '../../lab/api.js';
import { h } from '../../dom.js';
import { download } from '../../charts/export/save.js';
import { answerIn } from '../../parts/answer.js';
import { copyButton } from '../../parts/copybutton.js';
import { placed } from '../../place.js';

const SIZE = { width: 1200, height: 630 }; // px
const PNG_SCALE = 2;

export async function view({ parts: { id } }, signal) {
  const text = await api.deviceCard(id, signal); // rejects where neither the lab nor a run has the device
  const drawn = new DOMParser().parseFromString(text, 'image/svg+xml');
  const [name, words] = ['title', 'desc'].map((tag) => drawn.querySelector(tag)?.textContent ?? '');
  const src = placed(api.address(`/devices/${encodeURIComponent(id)}/card.svg`));
  const picture = h('img', { ...SIZE, class: 'device-summary', src, alt: `${name}. ${words}` });
  const file = name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/-$/, '');
  return {
    title: `Summary of ${name}`,
    element: h(
      'div',
      { class: 'view stack spaced' },
      h(
        'header',
        { class: 'view-head stack tight start' },
        h('h1', {}, `Summary of ${name}`),
        h(
          'p',
          {},
          'One picture to send. No names of machines or people and no ids are in it. ',
          h('a', { href: `/devices/${encodeURIComponent(id)}` }, 'All results of the device'),
        ),
        h('div', { class: 'actions' }, [
          pictureButton('Save PNG', async () => download(await pngOf(picture), `${file}.png`), 'Saved'),
          pictureButton('Save SVG', () => download(new Blob([text], { type: 'image/svg+xml' }), `${file}.svg`), 'Saved'),
          pictureButton('Copy picture', () => copyImage(pngOf(picture)), 'Copied'),
          copyButton('Copy link', () => location.href, { class: '' }),
        ]),
      ),
      h('div', { class: 'panel' }, picture),
    ),
  };
}

/** A button that does something with the picture, and says `done` when that succeeded. */
function pictureButton(label, act, done) {
  const button = h('button', { type: 'button', on: { click: press } }, label);
  const answer = answerIn(button);

  async function press() {
    try {
      await act();
      answer(done);
    } catch {
      answer(window.isSecureContext ? 'Failed' : 'Only over HTTPS');
    }
  }
  return button;
}

/** Copies a promised PNG. Rejects where the browser does not let pages copy pictures. */
const copyImage = (png) => navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]);

/** The picture as a PNG. */
async function pngOf(picture) {
  await picture.decode();
  const canvas = h('canvas', { width: PNG_SCALE * SIZE.width, height: PNG_SCALE * SIZE.height });
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('The browser made no PNG.');
  return blob;
}
