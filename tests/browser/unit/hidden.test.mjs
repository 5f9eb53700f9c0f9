// The lines that the user has hidden, kept in the address.
import assert from 'node:assert/strict';
import test from 'node:test';
import { hiddenKeys, hiddenText } from '../../../static/modules/results/hidden.js';

const key = (axes) => JSON.stringify(Object.entries(axes));
const series = [{ direction: 'h2d', memory: 'pinned' }, { direction: 'd2h', memory: 'pinned' }, { threads: 4 }].map(
  (axes) => ({ key: key(axes) }),
);

test('hidden series are named by their values', () => {
  assert.equal(hiddenText(new Set([series[0].key, series[2].key])), 'h2d.pinned 4');
  assert.deepEqual(hiddenKeys('h2d.pinned 4', series), new Set([series[0].key, series[2].key]));
});

test('names of series that do not exist are ignored', () => {
  assert.deepEqual(hiddenKeys('h2d.paged', series), new Set());
  assert.deepEqual(hiddenKeys('', [{ key: '[]' }]), new Set(), 'a series without axes is not hidden by an empty text');
});
