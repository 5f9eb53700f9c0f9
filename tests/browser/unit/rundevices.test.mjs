// The devices of a run: their names and links.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as lib from '../../../static/modules/lab/rundevices.js';
import { peakLevels } from '../../../static/modules/results/levels.js';
import { labelOf } from '../../../static/modules/results/series.js';

const gpu = (id, ordinal, peers = [], name = 'NVIDIA H200') => ({ id, ordinal, name, peers });
const noDevice = () => undefined;
const stored = ({ id, name = null }) => ({ id, name, node: 'here' });
const run = (devices) => ({ devices: devices.map(stored), environment: { devices } });

test('the devices recorded by the run take precedence over the devices of the lab', () => {
  const now = (id) => gpu(id, 7, [], 'another');
  const found = lib.devicesOf(
    { devices: [{ id: 'b' }, { id: 'a' }, { id: 'x' }].map(stored), environment: { devices: [gpu('a', 0), gpu('b', 1)] } },
    (id) => (id === 'x' ? undefined : now(id)),
  );
  assert.deepEqual(
    found.map(({ id, name, short }) => [id, name, short]),
    [
      ['b', 'NVIDIA H200', '#1'],
      ['a', 'NVIDIA H200', '#0'],
      ['x', null, 'device 3'],
    ],
  );
  assert.deepEqual(
    lib.devicesOf({ devices: [stored({ id: 'a' })], environment: null }, now).map(({ name }) => name),
    ['another'],
    'the devices of the lab are used while the run has recorded none',
  );
  assert.deepEqual(lib.devicesOf({}, noDevice), []);
});

test('axes of devices use short names', () => {
  const axes = ['source', 'target', 'device', 'bytes'].map((name) => ({ name, title: `The ${name}`, unit: null }));
  const named = lib.withDeviceNames(
    { name: 'peer', axes },
    lib.devicesOf(run([gpu('GPU-1', 3), gpu('GPU-2', 5)]), noDevice),
  );
  const label = (own) => labelOf({ axes: own }, named.axes);
  assert.equal(label({ source: 'GPU-1', target: 'GPU-2' }), 'the source #3 · the target #5');
  assert.equal(label({ device: 2 }), 'device 2 (#5)');
  assert.equal(label({ source: 'GPU-9' }), 'GPU 9', 'an unknown device keeps its id');
  assert.equal(named.axes[3], axes[3]);
});

test('several devices have a short text with their names and numbers', () => {
  const words = (...list) => lib.deviceGroupText(lib.devicesOf(run(list), noDevice));
  assert.equal(words(gpu('a', 0)), 'NVIDIA H200');
  assert.equal(words(gpu('a', 0), gpu('b', 1)), 'NVIDIA H200 #0 and #1');
  assert.equal(words(...[0, 1, 2, 3].map((at) => gpu(`${at}`, at))), 'NVIDIA H200 #0 to #3');
  assert.equal(words(...[0, 2, 3].map((at) => gpu(`${at}`, at))), 'NVIDIA H200 #0, #2 and #3');
  assert.equal(words(gpu('a', 0), gpu('b', 1, [], 'Quadro')), 'NVIDIA H200 #0, Quadro #1');
  const lost = (count) => lib.deviceGroupText(lib.devicesOf({ devices: [{ id: 'a' }, { id: 'b' }].map(stored).slice(0, count) }, noDevice));
  assert.equal(lost(1), 'a');
  assert.equal(lost(2), '2 devices no longer available');
});

test('the positions of devices are explained', () => {
  const words = (...list) => lib.devicePositionsText(lib.devicesOf(run(list), noDevice));
  assert.equal(words(gpu('a', 2), gpu('b', 3)), 'Devices 1 and 2 are NVIDIA H200 #2 and #3, in this order.');
  assert.equal(words(gpu('a', 0), gpu('b', 1, [], 'Quadro')), 'Device 1 is NVIDIA H200 #0, Device 2 is Quadro #1.');
  assert.equal(words(gpu('a', 0)), '');
});

test('links between devices are one text if all are the same', () => {
  const peer = (id, link, access = true) => ({ id, link, access });
  const devices = (...list) => lib.devicesOf(run(list), noDevice);
  const same = devices(gpu('a', 0, [peer('b', 'NVLink x18')]), gpu('b', 1, [peer('a', 'NVLink x18')]));
  assert.deepEqual(lib.linksOf(same), { all: 'NVLink x18' });
  const mixed = devices(gpu('a', 0, [peer('b', 'PCIe', false)]), gpu('b', 1, [peer('a', 'PCIe')]));
  assert.deepEqual(lib.linksOf(mixed), { each: true });
  assert.equal(lib.linkOf(mixed[0], 'b'), 'PCIe, no peer access');
  assert.equal(lib.linkOf(mixed[1], 'a'), 'PCIe');
  assert.equal(lib.linkOf(mixed[1], 'z'), null);
  assert.equal(lib.linksOf(devices(gpu('a', 0), gpu('b', 1))), null, 'no device reports a link');
});

test('a metric that the links limit has the peak that all pairs have in common', () => {
  const metric = { name: 'busbw', unit: 'GB/s', peak: 'link' };
  const PEAKS = { 'NVLink x18': 450e9, 'NVLink x12': 300e9, PCIe: null };
  const lab = (links) =>
    links.map((link, i) => ({
      ...gpu(`g${i}`, i, links.map((_, j) => ({ id: `g${j}`, link, peak_bytes_per_s: PEAKS[link], access: true })).filter((_, j) => j !== i)),
    }));
  const levels = (links, of = metric) => peakLevels([], of, lab(links)).map(({ value, text }) => [value, text]);
  assert.deepEqual(levels(['NVLink x18', 'NVLink x18', 'NVLink x18']), [[450, 'peak: NVLink x18, one direction, 450.0\u00a0GB/s']]);
  assert.deepEqual(levels(['NVLink x18', 'NVLink x18'], { ...metric, peak: 'links' }), [
    [900, 'peak: 2 devices, NVLink x18, one direction, 900.0\u00a0GB/s'],
  ]);
  assert.deepEqual(levels(['NVLink x18', 'NVLink x12', 'NVLink x18']), [], 'pairs differ');
  assert.deepEqual(levels(['PCIe', 'PCIe']), [], 'the peak is not known');
  assert.deepEqual(levels(['NVLink x18']), [], 'there is no pair');
  assert.deepEqual(levels(['NVLink x18', 'NVLink x18'], { ...metric, peak: null }), []);
});
