// static/modules/results/headline.js
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headlineFigures } from '../../../static/modules/results/headline.js';

const shareOf = (share) => headlineFigures({ headline: [{ title: 'T', value: 1, unit: 'GB/s', metric: 'bandwidth', axes: {}, share }] })[0].share?.replaceAll('\u00a0', ' ');

test('a share says what it is of', () => {
  assert.equal(shareOf({ title: 'Share of the copy', value: 0.5 }), '50.0 % of the copy');
  assert.equal(shareOf({ title: 'Efficiency', value: 0.5 }), 'Efficiency: 50.0 %');
  assert.equal(shareOf(undefined), undefined);
});
