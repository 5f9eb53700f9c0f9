// Challenges as rows, each with its state and the number of the own submissions.

import { h } from '../dom.js';
import { openText, scoreText } from '../text/challenges.js';
import { plural } from '../text/format.js';

/** The element of a list of challenges (lab/api.js), which is not empty. */
export const challengeRows = (challenges) => h('ul', { class: 'panel flush lesson-rows' }, challenges.map(row));

const row = (challenge) =>
  h(
    'li',
    { class: 'lesson-row stack tight' },
    h(
      'div',
      { class: 'lesson-text' },
      h('h3', {}, h('a', { href: `/challenges/${challenge.name}` }, challenge.title)),
      h('p', {}, `Ranked by ${scoreText(challenge.score)}.`),
    ),
    h(
      'div',
      {},
      h('p', {}, openText(challenge)),
      h('p', { class: 'aside' }, challenge.submissions ? `You have submitted ${plural(challenge.submissions, 'time')}` : 'You have not submitted yet'),
    ),
  );
