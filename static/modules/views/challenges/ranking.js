// The ranking of a challenge on a model of devices.

import { freshId, h, keepingFocus, replace } from '../../dom.js';
import * as api from '../../lab/api.js';
import { rowTable } from '../../parts/rowtable.js';
import { relativeTime } from '../../parts/status.js';
import { scoreValue, spreadText } from '../../text/challenges.js';
import { plural } from '../../text/format.js';

const HEADS = ['Place', 'By', 'Score', 'Between', 'Of', 'Submitted'];

/** Returns {element, update()}; update() is to be called when places may have changed. */
export function rankingPanel({ name, signal }) {
  const id = freshId('model');
  const body = h('div', {});
  const select = h('select', { id, on: { change: update } });
  const model = h('div', { class: 'row challenge-model', hidden: true }, h('label', { for: id }, 'Device'), select);
  const refresh = h('button', { type: 'button', class: 'small', on: { click: update } }, 'Update');

  function show(ranking) {
    const { models = [], device, places } = ranking;
    model.hidden = models.length < 2;
    replace(select, models.map((one) => h('option', { selected: one === device }, one)));
    const rows = places.map((place) => rowOf(place, ranking));
    keepingFocus(body, 'a', () =>
      replace(body, rows.length ? rowTable({ caption: 'Ranking', heads: HEADS, rows }) : h('p', { class: 'aside' }, 'No submission is right yet.')),
    );
  }

  async function update() {
    try {
      show(await api.challengeRanking(name, select.value, signal));
    } catch (error) {
      if (!signal.aborted) replace(body, h('p', { class: 'aside', role: 'alert' }, `The ranking could not be loaded: ${error.message}`));
    }
  }

  return {
    element: h(
      'section',
      { class: 'stack', 'aria-label': 'Ranking' },
      h('div', { class: 'row loose' }, h('h2', {}, 'Ranking'), model, refresh),
      body,
    ),
    update,
  };
}

/** A place; `by` is null until the challenge closes, but for the own one. */
function rowOf(place, ranking) {
  const value = scoreValue(place.value, ranking);
  return {
    head: [String(place.place), place.shared && [' ', h('span', { class: 'tag', title: 'The scores of these places cannot be told apart' }, 'shared')]],
    cells: [
      [place.by ?? (place.own ? null : 'hidden until the end'), place.own && [' ', h('span', { class: 'tag' }, 'you')]],
      place.run ? h('a', { href: `/runs/${place.run}` }, value) : value,
      spreadText(place, ranking),
      plural(place.submissions, 'submission'),
      place.at ? relativeTime(place.at) : null,
    ],
  };
}
