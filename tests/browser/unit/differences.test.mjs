// static/modules/text/differences.js
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, differenceRows } from '../../../static/modules/text/differences.js';

test('the changes of the base are named as in the form', () => {
  const run = { experiment: 'transfer', devices: [{ id: 'a' }], parameters: { memory: 'pinned', seed: 1 } };
  const fields = [{ name: 'memory', title: 'Host memory', unit: null }];
  const base = { experiment: 'transfer', devices: [{ id: 'a' }], parameters: { memory: 'pageable', seed: 1 } };
  assert.equal(changesOf({ ...run, compare_with: base }, fields), 'host memory: pageable');
  assert.equal(changesOf({ ...run, compare_with: { ...base, experiment: 'stream' } }, fields), 'experiment stream');
  assert.equal(changesOf({ ...run, compare_with: { ...base, parameters: run.parameters } }, fields), '');
  assert.equal(changesOf({ ...run, compare_with: { ...base, parameters: run.parameters, devices: [{ id: 'b', name: 'B' }] } }, fields), 'B');
  const own = { ...run, kernel: { source: 'x' } };
  assert.equal(changesOf({ ...own, compare_with: { ...run, kernel: null } }, fields), 'the original kernel');
  assert.equal(changesOf({ ...own, compare_with: { ...run, kernel: { source: 'y' } } }, fields), 'another text of the kernel');
  assert.equal(changesOf({ ...own, compare_with: own }, fields), '');
});

test('a difference names the device and the peer, and an id that is the UUID is shown once', () => {
  const at = (path, base, head = null) => ({ path, base, head });
  const links = [at('/devices/0/peers/0/link', 'NVLink'), at('/devices/0/peers/1/link', 'NVLink')];
  const ids = [at('/devices/0/id', 'GPU-1', 'GPU-2'), at('/devices/0/properties/uuid', 'GPU-1', 'GPU-2')];
  const titlesOf = (environment, devices) => differenceRows(environment, { devices }, {}, []).map((row) => row.title);
  assert.deepEqual(titlesOf([...links, ...ids], [{}]), ['Link of peer 1', 'Link of peer 2', 'UUID']);
  assert.deepEqual(titlesOf([...links, ...ids], [{}, {}]), ['Link of peer 1 of device 1', 'Link of peer 2 of device 1', 'UUID of device 1']);
  assert.deepEqual(titlesOf([at('/devices/0/id', 'one', 'two'), ids[1]], [{}]), ['ID', 'UUID']);
});

test('differences are parameters first, then the environment', () => {
  const rows = differenceRows(
    [{ path: '/devices/1/properties/driver_release', base: '570', head: '580' }, { path: '/variables/OMPI_MCA_btl_base', base: null, head: '/new' }],
    { parameters: { seed: 1, m: 0, step: ['a', 'b'], min_bytes: 1024, opposing: false } }, { parameters: { seed: 1, m: [0], step: ['a'], min_bytes: 4096, opposing: true } },
    [{ name: 'min_bytes', title: 'Smallest size', unit: 'B' }, { name: 'opposing', title: 'Other direction', unit: null }],
  );
  assert.deepEqual(rows.map(({ title: text, base, head }) => [text, base, head]),
    [
      ['Smallest size', '1\u00a0KiB', '4\u00a0KiB'], ['Other direction', 'opposite direction idle', 'opposite direction busy'], ['Step', 'a, b', 'a'],
      ['Driver release of device 2', '570', '580'], ['OMPI_MCA_btl_base', '–', '/new'],
    ]);
});
