// Tables as tab-separated text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rooflineTsv } from '../../../static/modules/results/charttext.js';
import { seriesOf } from '../../../static/modules/results/series.js';
import { measurementsTsv } from '../../../static/modules/text/tsv.js';

test('the text has one row per measurement, with exact numbers, and one column per axis', () => {
  const text = measurementsTsv(
    [
      {
        axes: { bytes: 1024, direction: 'h2d' },
        metric: 'bandwidth',
        unit: 'GB/s',
        median: 0.1234567890123456,
        n: 10,
        verified: true,
        peak: { value: 63, what: 'PCIe' },
        kernel: { name: 'copy', registers: 32, local_bytes: 0, shared_bytes: 4096, occupancy: 0.5 },
      },
      {
        axes: { direction: 'd2h', extra: 'a\tb' },
        metric: 'bandwidth',
        unit: 'GB/s',
        median: null,
        skipped: 'no such engine',
      },
    ],
    [{ name: 'direction' }, { name: 'bytes' }, { name: 'memory' }],
  );
  const rows = text
    .slice(0, -1)
    .split('\n')
    .map((line) => line.split('\t'));
  assert.deepEqual(rows[0].slice(0, 6), ['direction', 'bytes', 'extra', 'metric', 'unit', 'median']);
  assert.deepEqual(rows[1].slice(0, 6), ['h2d', '1024', '', 'bandwidth', 'GB/s', '0.1234567890123456']);
  assert.deepEqual(rows[2].slice(0, 6), ['d2h', '', 'a b', 'bandwidth', 'GB/s', '']);
  assert.equal(rows[2][rows[0].indexOf('skipped')], 'no such engine');
  assert.equal(rows[1][rows[0].indexOf('peak')], '63');
  assert.deepEqual(rows[0].slice(-4), ['registers', 'local_bytes', 'shared_bytes', 'occupancy']);
  assert.deepEqual(rows[1].slice(-4), ['32', '0', '4096', '0.5']);
  assert.deepEqual(rows[2].slice(-4), ['', '', '', '']);
  assert.ok(rows.every((row) => row.length === rows[0].length));
});

test('an axis with the name of another column has a prefix, so that each title occurs once', () => {
  const axes = { cache: 'cold', n: 64, axis_n: 1, type: 'fp32' };
  const [titles, cells] = measurementsTsv([{ axes, metric: 'time', unit: 's', cache: 'warm', n: 5 }], [])
    .split('\n').map((line) => line.split('\t'));
  assert.deepEqual(titles.slice(0, 4), ['axis_cache', 'axis_n', 'axis_axis_n', 'type']);
  assert.equal(new Set(titles).size, titles.length);
  assert.deepEqual(['axis_cache', 'cache', 'axis_n', 'n'].map((title) => cells[titles.indexOf(title)]), ['cold', 'warm', '64', '5']);
});

test('a member that this page does not know has a column, unless it is an object or a list', () => {
  const measured = [{ axes: {}, metric: 'time', unit: 's', known: null, list: [1] }, { axes: {}, metric: 'time', unit: 's', known: 1.5, object: {} }];
  const [titles, first, second] = measurementsTsv(measured, []).split('\n').map((line) => line.split('\t'));
  assert.equal(titles[titles.indexOf('skipped') + 1], 'known');
  assert.deepEqual([first, second].map((cells) => cells[titles.indexOf('known')]), ['', '1.5']);
  assert.ok(!titles.includes('list') && !titles.includes('object'));
});

const AXES = ['type', 'step', 'm'].map((name) => ({ name, title: name, unit: null }));
const measured = (metric, axes, median, more) => ({ metric, axes, median, verified: true, skipped: null, ...more });
const METRIC = { name: 'throughput', title: 'Throughput', unit: 'GFLOP/s' };
const MEASURED = [
  measured('memory_ceiling', {}, 4, { peak: { value: 8, what: 'device memory' } }),
  measured('compute_ceiling', { type: 'fp32' }, 32),
  measured('throughput', { type: 'fp32', step: 'naive', m: 8 }, 2),
  measured('intensity', { type: 'fp32', step: 'naive', m: 8 }, 1),
  measured('counted_intensity', { type: 'fp32', step: 'naive', m: 8 }, 0.8),
  measured('throughput', { type: 'fp32', step: 'cublas', m: 8 }, 24, { verified: null }),
  measured('intensity', { type: 'fp32', step: 'cublas', m: 8 }, 100),
  measured('throughput', { type: 'fp64', step: 'naive', m: 8 }, 1),
  measured('intensity', { type: 'fp64', step: 'naive', m: 8 }, 0.5),
];
const cellsOf = (measurements, keep = () => true) => {
  const { series } = seriesOf({ kind: 'roofline', metric: 'throughput', x: 'step' }, measurements, AXES);
  return rooflineTsv({ series: series.filter(keep), measurements, axes: AXES, metric: METRIC })
    .replace(/\n$/, '')
    .split('\n\n')
    .map((block) => block.split('\n').map((line) => line.split('\t')));
};

test('a roofline has a table of throughput, intensity and share of the roof, then one of the roofs', () => {
  const [steps, roofs, ...more] = cellsOf(MEASURED);
  assert.deepEqual(steps, [
    ['type', 'step', 'm', 'throughput', 'unit', 'intensity', 'counted_intensity', 'share_of_measured_roof', 'verified'],
    ['fp32', 'naive', '8', '2', 'GFLOP/s', '1', '0.8', '0.5', 'true'],
    ['fp32', 'cublas', '8', '24', 'GFLOP/s', '100', '', '0.75', ''],
    ['fp64', 'naive', '8', '1', 'GFLOP/s', '0.5', '', '', 'true'],
  ]);
  assert.deepEqual(roofs, [
    ['roof', 'measured', 'theoretical', 'unit', 'peak_of'],
    ['memory', '4', '8', 'GB/s', 'device memory'],
    ['fp32', '32', '', 'GFLOP/s', ''],
  ]);
  assert.deepEqual(more, []);
});

test('a roofline has only visible series, marks wrong roofs, and omits the second table without roofs', () => {
  const [steps] = cellsOf(MEASURED, ({ label }) => label === 'fp64');
  assert.deepEqual(
    steps.slice(1).map(([type]) => type),
    ['fp64'],
  );
  const [memory, ...others] = MEASURED;
  const [, [, wrong]] = cellsOf([{ ...memory, verified: false }, ...others]);
  assert.deepEqual(wrong.slice(0, 3), ['memory', 'wrong', '8']);
  assert.equal(cellsOf(MEASURED.filter(({ metric }) => !/ceiling/.test(metric))).length, 1);
});
