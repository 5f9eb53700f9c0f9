// The progress of a run in display names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointLabel } from '../../../static/modules/text/pointlabel.js';

const list = (...choices) => ({ anyOf: [{ type: 'string', enum: choices }, { type: 'array' }] });
const axis = (name, title, unit = null) => ({ name, title, unit });
const transfer = {
  axes: [axis('memory', 'Host memory'), axis('engine', 'Engine'), axis('pattern', 'Pattern'), axis('opposing', 'Other direction busy'), axis('direction', 'Direction'), axis('bytes', 'Size', 'B'), axis('chunks', 'Chunks')],
  parameters: { properties: { memory: list('pageable', 'pinned'), engine: list('copy', 'sm'), direction: list('h2d', 'd2h') } },
};

test('values of a point have the names of charts', () => {
  assert.equal(pointLabel('pageable, copy, contiguous, Other direction busy: no, d2h, 16 MiB', transfer),
    'pageable · copy engine · contiguous · opposite direction idle · device → host · 16 MiB');
  assert.equal(pointLabel('pinned, chunks 4', transfer), 'pinned · chunks 4');
});

test('a point that is traced, and both sides of a comparison', () => {
  assert.equal(pointLabel('tracing sm, h2d', transfer), 'tracing kernel · host → device');
  assert.equal(pointLabel('pinned, h2d; base: pageable, h2d', transfer), 'pinned · host → device, compared with pageable · host → device');
});

test('what is unknown stays as it is', () => {
  assert.equal(pointLabel('something else, h2d', transfer), 'something else · host → device');
  assert.equal(pointLabel('a, b', { axes: [] }), 'a · b');
  assert.equal(pointLabel('Starting', { axes: [axis('direction', 'Direction')] }), 'Starting');
});
