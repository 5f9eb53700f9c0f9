// What the page of a device has, whether the lab has the device or only runs had: the head, all properties in groups,
// the links to other devices.

import { h } from '../../dom.js';
import { copyButton } from '../../parts/copybutton.js';
import { factGroup } from '../../parts/factlist.js';
import { peerTable } from '../../parts/links.js';
import { factGroups } from '../../text/devicefacts.js';

/** The head of the page: name, id, `status` (an element) and `actions`. */
export function deviceHead(name, id, status, ...actions) {
  return h(
    'header',
    { class: 'view-head stack tight start' },
    h('h1', {}, name),
    status,
    h('p', { class: 'identity row' }, h('code', {}, id), copyButton('Copy ID', () => id)),
    h('div', { class: 'actions' }, actions),
  );
}

/** The elements for `device`, a document of the API or of a run's environment; `nameOf(id)` returns the name of a
 * device. */
export function factsAndLinks({ id, properties, peers }, nameOf) {
  const { groups, unknown } = factGroups(properties ?? {});
  return [
    peers?.length ? h('section', { class: 'panel' }, h('h2', {}, 'Links'), peerTable(peers, nameOf)) : null,
    h('section', { class: 'panel' }, [
      h('h2', {}, 'Properties'),
      h('div', { class: 'fact-columns' }, groups.map((group) => factGroup(group, 3))),
      h('p', {}, h('a', { href: `/guide/cards?device=${encodeURIComponent(id)}` }, 'Beside published devices')),
      unknown.length ? h('p', { class: 'aside unknown-facts' }, unknownFactsText(unknown)) : null,
    ]),
  ];
}

/** A sentence that lists the unknown properties; abbreviations keep their capitals. */
function unknownFactsText(titles) {
  const inSentence = (title) => (/^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title);
  return `Not reported by this device: ${titles.map(inSentence).join('; ')}.`;
}
