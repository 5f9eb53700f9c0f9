// static/modules/text/challenges.js and the times of static/modules/views/challenges/closing.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openText, scoreText, scoreValue, spreadText } from '../../../static/modules/text/challenges.js';
import { dateTime } from '../../../static/modules/text/format.js';
import { instantOf, localTime } from '../../../static/modules/views/challenges/closing.js';

const closes = '2026-12-03T13:00:00Z';

test('a challenge says until when it is open', () => {
  assert.equal(openText({ open: true, closes_at: closes }), `Open until ${dateTime(closes)}`);
  assert.equal(openText({ open: false, opens_at: closes }, Date.parse('2026-12-01T00:00:00Z')), `Opens ${dateTime(closes)}`);
  assert.equal(openText({ open: false, opens_at: null, closes_at: closes }), `Closed since ${dateTime(closes)}`);
});

test('values of rankings have the unit of the score', () => {
  const [time, peak] = [{ score: 'time', unit: 's' }, { score: 'peak', unit: '1' }];
  assert.match(scoreText('peak'), /peak/);
  assert.equal(scoreValue(0.00025, time).replaceAll(/\s/g, ' '), '250.0 µs');
  assert.equal(scoreValue(0.9123, peak).replaceAll(/\s/g, ' '), '91.23 %');
  assert.equal(scoreValue(null, time), '–');
  assert.equal(spreadText({ lo: 0.9, hi: 0.92 }, peak).replaceAll(/\s/g, ' '), '90.00 % to 92.00 %');
  assert.equal(spreadText({ lo: null, hi: null }, peak), null);
});

test('a local time and its instant stand for each other', () => {
  const local = localTime(closes);
  assert.match(local, /^2026-12-0[234]T\d\d:\d\d$/);
  assert.equal(instantOf(local), closes);
  assert.equal(instantOf(''), '');
});
