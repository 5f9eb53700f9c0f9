// Points and roofs of a roofline.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as lib from '../../../static/modules/results/roofline.js';
import { seriesOf } from '../../../static/modules/results/series.js';

const AXES = ['type', 'step', 'm'].map((name) => ({ name, title: name, unit: null }));
const measured = (metric, axes, median, more) => ({ metric, axes, median, peak: null, skipped: null, ...more });
const cores = { value: 64, what: 'fp32 cores' };
const MEASURED = [
  measured('memory_ceiling', {}, 4, { peak: { value: 8, what: 'device memory' } }),
  measured('compute_ceiling', { type: 'fp32' }, 32, { peak: cores }),
  measured('compute_ceiling', { type: 'bf16' }, null, { skipped: 'not here' }),
  measured('throughput', { type: 'fp32', step: 'naive', m: 8 }, 2),
  measured('intensity', { type: 'fp32', step: 'naive', m: 8 }, 1),
  measured('throughput', { type: 'fp32', step: 'cublas', m: 8 }, 24),
  measured('intensity', { type: 'fp32', step: 'cublas', m: 8 }, 100),
  measured('throughput', { type: 'bf16', step: 'mma', m: 8 }, 100, { peak: { value: 512, what: 'tensor cores' } }),
  measured('intensity', { type: 'bf16', step: 'mma', m: 8 }, 200),
  measured('throughput', { type: 'bf16', step: 'cublas', m: 8 }, 200),
];
const seriesOfAll = (list) => seriesOf({ kind: 'roofline', metric: 'throughput', x: 'step' }, list, AXES).series;
const series = seriesOfAll(MEASURED);
const points = lib.pointsOf(series, MEASURED);
const roofs = lib.roofsOf(series, MEASURED);

test('a point needs throughput and intensity at the same axes', () => {
  assert.deepEqual(
    points.map(({ series: own, step, intensity, throughput }) => [own.label, step, intensity, throughput]),
    [
      ['fp32', 'naive', 1, 2],
      ['fp32', 'cublas', 100, 24],
      ['bf16', 'mma', 200, 100],
    ],
  );
});

test('a point has the intensity that was counted beside the assumed one, or alone', () => {
  const at = { type: 'fp32', step: 'naive', m: 8 };
  const counted = measured('counted_intensity', at, 0.25);
  const [both] = lib.pointsOf(series, [...MEASURED, counted]);
  assert.deepEqual([both.intensity, both.counted, lib.placeOf(both)], [1, 0.25, 1]);
  assert.equal(lib.shareOfRoof(both, roofs), 2 / 4);
  const [only] = lib.pointsOf(series, [...MEASURED.filter(({ metric }) => metric !== 'intensity'), counted]);
  assert.deepEqual([only.intensity, only.counted, lib.placeOf(only)], [null, 0.25, 0.25]);
  assert.equal(lib.shareOfRoof(only, roofs), 2 / 1);
  assert.ok(lib.boundsOf([both], roofs).x[0] < 0.25);
  assert.deepEqual(lib.boundsOf([{ ...both, counted: 1e6 }], roofs), lib.boundsOf([{ ...both, counted: null }], roofs), 'nearly no bytes');
  assert.deepEqual([...lib.intensitiesOf([counted, measured('intensity', at, null, { skipped: 'no' })])], ['counted_intensity']);
});

test('without ceilings the peaks of the device are the roofs', () => {
  const list = MEASURED.filter(({ metric }) => !/ceiling/.test(metric));
  const devices = [{ properties: { memory_peak_bytes_per_s: 3e12, fp32_peak_flops: 60e12, fp64_peak_flops: null, tensor_bf16_peak_flops: 900e12 } }];
  const { memory, compute } = lib.roofsOf(series, list, devices);
  assert.deepEqual([memory.measured, memory.theoretical, memory.what], [null, 3000, 'device memory']);
  assert.deepEqual(compute.map(({ name, measured: value, theoretical, what, series: own }) => [name, value, theoretical, what, own.label]), [
    ['fp32', null, 60000, 'fp32 cores', 'fp32'],
    ['bf16', null, 900000, 'bf16 tensor cores', 'bf16'],
  ]);
  const untyped = [measured('throughput', { n: 8 }, 2), measured('counted_intensity', { n: 8 }, 1)];
  const own = seriesOf({ kind: 'roofline', metric: 'throughput', x: 'n' }, untyped, [{ name: 'n', title: 'n', unit: null }]).series;
  assert.deepEqual(lib.roofsOf(own, untyped, devices).compute.map(({ name, series: colour }) => [name, colour]), [['fp32', null]]);
  assert.equal(lib.linesOf(lib.roofsOf(own, untyped, devices), [0.1, 100]).length, 2);
});

test('roofs are measured and theoretical, for the types shown', () => {
  assert.deepEqual(roofs.memory, { measured: 4, theoretical: 8, what: 'device memory', wrong: false });
  assert.deepEqual(
    roofs.compute.map(({ type, measured, theoretical, what, series: own }) => [
      type,
      measured,
      theoretical,
      what,
      own.label,
    ]),
    [
      ['fp32', 32, 64, 'fp32 cores', 'fp32'],
      ['bf16', null, 512, 'tensor cores', 'bf16'], // the ceiling was not measured, so the peak stored with the points is used
    ],
  );
  assert.equal(lib.roofsOf(series.slice(0, 1), MEASURED).compute.length, 1);
});

test('the memory roof is the largest correct one of read, write and copy, and says which', () => {
  const peak = { value: 8, what: 'device memory' };
  const list = MEASURED.filter(({ metric }) => metric !== 'memory_ceiling').concat(
    measured('memory_ceiling', { variant: 'read' }, 5, { peak }),
    measured('memory_ceiling', { variant: 'write' }, 6, { peak }),
    measured('memory_ceiling', { variant: 'copy' }, 7, { peak, verified: false }),
    measured('memory_ceiling', { variant: 'later' }, null, { skipped: 'not here' }),
  );
  assert.deepEqual(lib.roofsOf(series, list).memory, {
    measured: 6,
    theoretical: 8,
    what: 'write, device memory',
    wrong: false,
  });
});

test('a type with two units has a roof of each, and a point has a share of that of its peak', () => {
  const [slow, fast] = [{ value: 34, what: 'fp64 cores' }, { value: 67, what: 'fp64 tensor cores' }];
  const list = [
    measured('memory_ceiling', { variant: 'read' }, 1),
    measured('compute_ceiling', { type: 'fp64', variant: 'cores' }, 32, { peak: slow }),
    measured('compute_ceiling', { type: 'fp64', variant: 'tensor-cores' }, 64, { peak: fast }),
    measured('throughput', { type: 'fp64', step: 'naive', m: 8 }, 16, { peak: slow }),
    measured('intensity', { type: 'fp64', step: 'naive', m: 8 }, 100),
    measured('throughput', { type: 'fp64', step: 'cublas', m: 8 }, 48, { peak: fast }),
    measured('intensity', { type: 'fp64', step: 'cublas', m: 8 }, 100),
  ];
  const own = seriesOfAll(list);
  const both = lib.roofsOf(own, list);
  assert.deepEqual(both.compute.map(({ name, measured: value }) => [name, value]), [['fp64 cores', 32], ['fp64 tensor-cores', 64]]);
  assert.deepEqual(lib.pointsOf(own, list).map((point) => lib.shareOfRoof(point, both)), [16 / 32, 48 / 64]);
  assert.equal(new Set(lib.linesOf(both, [0.5, 1000]).map(({ of }) => of)).size, 3);
});

test('each load has a roof of its own, below one peak, and a point has a share of that of its load', () => {
  const at = (metric, load, median, axes) => measured(metric, { type: 'fp32', load, ...axes }, median, { peak: cores });
  const list = [
    measured('memory_ceiling', { variant: 'read', load: 'sustained' }, 1),
    at('compute_ceiling', 'sustained', 40, { variant: 'cores' }),
    at('compute_ceiling', 'burst', 60, { variant: 'cores' }),
    ...['sustained', 'burst'].flatMap((load) => [
      at('throughput', load, 30, { step: 'naive', m: 8 }),
      at('intensity', load, 100, { step: 'naive', m: 8 }),
    ]),
  ];
  const axes = [...AXES, { name: 'load', title: 'Load', unit: null }];
  const own = seriesOf({ kind: 'roofline', metric: 'throughput', x: 'step' }, list, axes).series;
  const both = lib.roofsOf(own, list);
  assert.deepEqual(
    both.compute.map(({ name, measured: value }) => [name, value]),
    [['fp32 sustained', 40], ['fp32 burst', 60]],
  );
  assert.deepEqual(lib.pointsOf(own, list).map((point) => lib.shareOfRoof(point, both)), [30 / 40, 30 / 60]);
  const flat = lib.linesOf(both, [0.5, 1000]).filter(({ of }) => of !== 'memory');
  assert.deepEqual(flat.map(({ kind, of, to }) => [kind, of, to[1]]), [
    ['theoretical', 'fp32 sustained', 64],
    ['measured', 'fp32 sustained', 40],
    ['measured', 'fp32 burst', 60],
  ]);
});

test('a ceiling with a wrong result is not used as a roof, and no point has a share of it', () => {
  const wrong = (metric) => MEASURED.map((one) => (one.metric === metric ? { ...one, verified: false } : one));
  const memory = lib.roofsOf(series, wrong('memory_ceiling'));
  assert.deepEqual(memory.memory, { measured: null, theoretical: 8, what: 'device memory', wrong: true });
  assert.equal(lib.shareOfRoof(points[0], memory), null);
  const { compute } = lib.roofsOf(series, wrong('compute_ceiling'));
  assert.deepEqual([compute[0].measured, compute[0].theoretical, compute[0].wrong], [null, 64, true]);
  const unverified = { ...points[0], measurement: { ...points[0].measurement, verified: false } };
  assert.equal(lib.shareOfRoof(unverified, roofs), null);
});

test('a wrong ceiling without a theoretical peak is listed but has no line', () => {
  const list = MEASURED.map((one) => ({ ...one, peak: null, verified: !/ceiling/.test(one.metric) }));
  const wrong = lib.roofsOf(seriesOfAll(list), list);
  assert.deepEqual([wrong.memory.wrong, wrong.compute.map(({ type }) => type)], [true, ['fp32']]);
  assert.deepEqual(lib.linesOf(wrong, [1, 10]), []);
  assert.deepEqual(lib.boundsOf(points, wrong), { x: [0.25, 800], y: [1, 300] });
});

test('the share of a point is relative to the measured roof above it, whether sloped or flat', () => {
  assert.equal(lib.shareOfRoof(points[0], roofs), 2 / 4);
  assert.equal(lib.shareOfRoof(points[1], roofs), 24 / 32);
  assert.equal(lib.shareOfRoof(points[2], roofs), null);
  assert.equal(lib.shareOfRoof(points[0], { ...roofs, memory: null }), null);
});

test('a flat roof starts at the memory roof of its kind, which ends at the highest flat roof', () => {
  const lines = lib.linesOf(roofs, [0.5, 1000]);
  const line = (kind, of) => lines.find((one) => one.kind === kind && one.of === of);
  assert.deepEqual(
    [line('measured', 'fp32').from, line('measured', 'fp32').to],
    [
      [8, 32],
      [1000, 32],
    ],
  );
  assert.deepEqual(line('theoretical', 'fp32').from, [8, 64]);
  assert.deepEqual(line('theoretical', 'bf16').from, [64, 512]);
  assert.equal(line('measured', 'bf16'), undefined);
  assert.deepEqual(
    [line('theoretical', 'memory').from, line('theoretical', 'memory').to],
    [
      [0.5, 4],
      [64, 512],
    ],
  );
  assert.deepEqual(
    line('measured', 'memory').to,
    [128, 512],
    'up to the theoretical roof of bf16, which has no measured one',
  );
});

test('without a memory roof flat roofs start at the edge; without roofs there are no lines', () => {
  assert.deepEqual(lib.linesOf({ memory: null, compute: [roofs.compute[0]] }, [1, 10])[0].from, [1, 64]);
  const withoutCeilings = lib.roofsOf(
    series,
    MEASURED.filter(({ metric }) => !/ceiling/.test(metric)).map((one) => ({ ...one, peak: null })),
  );
  assert.equal(withoutCeilings.memory, null);
  const none = { memory: null, compute: [] };
  assert.deepEqual(lib.linesOf(none, [1, 10]), []);
  assert.deepEqual(lib.boundsOf(points, none), { x: [0.25, 800], y: [1, 300] });
});

test('the bounds include all points, flat roofs and ridges', () => {
  const { x, y } = lib.boundsOf(points, roofs);
  const inside = (value, [low, high]) => value > low && value < high;
  for (const point of points) assert.ok(inside(point.intensity, x) && inside(point.throughput, y));
  for (const ridge of [32 / 4, 64 / 8, 512 / 8]) assert.ok(inside(ridge, x));
  assert.ok(inside(512, y));
  const empty = lib.boundsOf([], { memory: null, compute: [] });
  assert.ok(empty.x[0] < empty.x[1] && empty.y[0] < empty.y[1]);
});

test('a roof has a colour only if all series of its type have the same colour', () => {
  const list = ['nn', 'tn'].map((layout) => measured('throughput', { type: 'fp32', layout, step: 'naive', m: 8 }, 2));
  const axes = [...AXES, { name: 'layout', title: 'Layout' }];
  const two = seriesOf({ kind: 'roofline', metric: 'throughput', x: 'step' }, list, axes).series;
  assert.equal(lib.roofsOf(two, MEASURED).compute[0].series, null);
});
