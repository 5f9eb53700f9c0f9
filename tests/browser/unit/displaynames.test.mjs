// Values of axes in words, with what they are values of where that does not go without saying.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axisWords, factWords, placeWords, valueWords } from '../../../static/modules/displaynames.js';

const axis = (name, title, unit = null) => ({ name, title, unit });

test('several devices', () => {
  assert.equal(valueWords('device_count', 1), '1 device');
  assert.equal(valueWords('device_count', 16), '16 devices');
  assert.equal(valueWords('device_count', 0), 'all');
  assert.equal(valueWords('scaling', 'weak'), 'weak scaling');
  assert.equal(valueWords('operation', 'all-reduce'), 'all-reduce', 'the field’s own word keeps its hyphen');
  assert.equal(valueWords('variant', 'thread-per-device'), 'thread per device');
  assert.equal(valueWords('kind', 'copy-peer'), 'copy between devices');
  assert.equal(valueWords('kind', 'copy-up'), 'copy up');
});

test('numbers and plain yes come with their title, what says itself does not', () => {
  const chunks = axis('chunks', 'Chunks');
  const counts = axis('device_count', 'Devices');
  assert.equal(placeWords(chunks, 4), 'chunks 4');
  assert.equal(placeWords(counts, 4), '4 devices');
  assert.equal(placeWords(axis('replayed', 'Replayed'), true), 'replayed yes');
  assert.equal(placeWords(axis('in_place', 'In place'), true), 'in place');
  assert.equal(factWords(chunks, 4), 'chunks: 4');
  assert.equal(factWords(counts, 4), '4 devices');
  assert.equal(factWords(axis('in_place', 'In place'), false), 'out of place');
  assert.equal(factWords(axis('memory', 'Host memory'), 'pinned'), 'host memory: pinned');
});

test('a parameter of 0 that leaves the choice to the lab says so', () => {
  for (const name of ['weight', 'chunks']) assert.equal(valueWords(name, 0), 'chosen by the lab');
  for (const name of ['m', 'n', 'k']) assert.equal(valueWords(name, 0), 'swept');
  assert.equal(valueWords('m', 512), '512');
  assert.equal(valueWords('seed', 0), '0', 'where 0 is a number, it stays one');
});

test('an axis may name its values', () => {
  const from = { ...axis('source', 'From'), values: new Map([['GPU-1', '#0']]) };
  assert.equal(axisWords(from, 'GPU-1'), '#0');
  assert.equal(placeWords(from, 'GPU-1'), 'from #0');
  assert.equal(axisWords(from, 'GPU-2'), 'GPU 2');
});
