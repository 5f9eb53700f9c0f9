// The guide: its list of pages, a page, filled with the facts of a device, and the terms of the field.

import { h } from '../../dom.js';
import * as api from '../../lab/api.js';
import * as lab from '../../lab/lab.js';
import { notice } from '../../parts/notice.js';
import { prose } from '../../parts/prose.js';
import { factText, factTitles } from '../../text/devicefacts.js';
import { CARDS, GLOSSARY, namesOf, termId, withFacts } from '../../text/guide.js';

/** The languages of the texts that the lessons follow. */
const LANGUAGES = { ru: 'Russian', sk: 'Slovak', zh: 'Chinese' };

/** With the query ?device=ID the facts are those of that device, otherwise those of a GPU. */
export async function view({ parts: { name }, query }, signal) {
  const { pages, terms, cards } = await lab.guide();
  if (!name) return whole('Guide', 'What the lessons take for granted, in a few pages.', listOf([...pages, CARDS, GLOSSARY]));
  if (name === GLOSSARY.name) return whole(GLOSSARY.title, GLOSSARY.summary, glossary(terms));
  if (name === CARDS.name) return whole(CARDS.title, CARDS.summary, cardTable(cards, await deviceOf(query.get('device'), signal)));
  const page = pages.find((one) => one.name === name);
  if (!page) return { title: 'Guide', element: noSuchPage(name) };
  const device = await deviceOf(query.get('device'), signal);
  const text = h('div', { class: 'panel prose stack guide-text' }, prose(withFacts(page.text, device), 2));
  return whole(page.title, page.summary, missingFacts(page, device), text, nextOf(pages, page));
}

const noSuchPage = (name) =>
  notice({
    title: 'No such page',
    text: `The guide has no page “${name}”.`,
    actions: [h('a', { class: 'button', href: '/guide' }, 'All pages')],
  });

/** The device `wanted`, or the first GPU of the lab; of what the lab does not have, as a run has recorded it. null:
 * there is none. */
async function deviceOf(wanted, signal) {
  const meant = ({ id }) => (wanted ? id === wanted : !id.startsWith('host-'));
  const listed = (await lab.devices(signal)).find(meant);
  if (listed) return listed;
  const recorded = (await api.recordedDevices(signal)).find(meant);
  const run = recorded && (await api.run(recorded.run, signal));
  return run?.environment?.devices?.find(({ id }) => id === recorded.id) ?? null;
}

/** What is said of a page whose facts nothing is known of. */
const missingFacts = ({ text }, device) =>
  !device && withFacts(text, null) !== text && h('p', { class: 'aside' }, 'This lab has had no GPU yet: dashes stand for its properties.');

/** A view with its head. */
const whole = (title, summary, ...content) => ({
  title,
  element: h(
    'div',
    { class: 'view stack spaced guide' },
    h(
      'header',
      { class: 'view-head stack tight start' },
      h('p', { class: 'aside' }, h('a', { href: '/' }, 'Learn'), title !== 'Guide' && [' › ', h('a', { href: '/guide' }, 'Guide')]),
      h('h1', {}, title),
      h('p', { class: 'lead' }, summary),
    ),
    content,
  ),
});

const address = ({ name }) => `/guide/${name}`;

/** The pages as rows. */
export const listOf = (pages) =>
  h(
    'ul',
    { class: 'panel flush lesson-rows' },
    pages.map((page) =>
      h('li', { class: 'lesson-row stack tight' }, h('div', { class: 'lesson-text' }, h('h3', {}, h('a', { href: address(page) }, page.title)), h('p', {}, page.summary))),
    ),
  );

/** A link to the page that follows; the last one is followed by the terms. */
function nextOf(pages, page) {
  const next = pages[pages.indexOf(page) + 1] ?? GLOSSARY;
  return h('p', { class: 'guide-next' }, 'Next: ', h('a', { href: address(next) }, next.title));
}

/** The properties of the published devices and of a device of the lab, one column each; those that no published one has
 * are left out. */
function cardTable(cards, device) {
  const columns = [...(device ? [device] : []), ...cards];
  const known = new Set(cards.flatMap(({ properties }) => Object.keys(properties)));
  const rows = factTitles().filter(([name]) => known.has(name));
  const value = (name, { properties }) => h('td', { class: 'figure' }, factText(name, properties[name]));
  return [
    h(
      'div',
      { class: 'panel flush table-scroll guide-cards', role: 'region', tabindex: 0, 'aria-label': CARDS.title },
      h(
        'table',
        { class: 'figures first-stays' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Property'), columns.map(({ name }) => h('th', { scope: 'col', class: 'figure' }, name)))),
        h('tbody', {}, rows.map(([name, title]) => h('tr', {}, h('th', { scope: 'row' }, title), columns.map((column) => value(name, column))))),
      ),
    ),
    h('ul', { class: 'aside' }, cards.map(({ name, source }) => h('li', {}, `${name}: ${source}`))),
  ];
}

const glossary = (terms) => h('dl', { class: 'panel terms stack loose' }, terms.map(termElement));

function termElement(term) {
  const [own, ...others] = namesOf(term);
  const foreign = Object.entries(LANGUAGES).map(([code, language], at) => [at ? ', ' : '', h('span', { lang: code, title: language }, term[code])]);
  return h(
    'div',
    { class: 'term', id: termId(term) },
    h('dt', {}, own),
    h('dd', {}, term.text, ' ', h('a', { href: term.see }, 'More', h('span', { class: 'visually-hidden' }, ` about ${own}`))),
    h('dd', { class: 'aside' }, foreign, others.length > foreign.length && [' · also: ', term.also.join(', ')]),
  );
}
