// Formatting and parsing of numbers, sizes and times.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as format from '../../../static/modules/text/format.js';
import { withShownUnit } from '../../../static/modules/text/units.js';

const text = (value) => value.replaceAll('\u00a0', ' ');

test('significant() keeps trailing zeros and all digits before the decimal point', () => {
  assert.equal(format.significant(25.3), '25.30');
  assert.equal(format.significant(0.012345), '0.01235');
  assert.equal(format.significant(123456.7), '123,457');
  assert.equal(format.significant(9.99996), '10.00');
  assert.equal(format.significant(0), '0');
  assert.equal(format.significant(-3.14159), '-3.142');
  assert.equal(format.significant(2.5e-12), '2.500e-12');
  assert.equal(format.significant(1.1920929e-7), '1.192e-7');
  assert.equal(format.significant(0.00099996), '0.001000');
  assert.equal(format.significant(0.00012), '1.200e-4');
});

test('thousands are grouped, and trailing zeros are left out', () => {
  const cases = [[1234567.5, '1,234,567.5'], [-1234, '-1,234'], [999, '999'], [0.1 + 0.2, '0.3'], [0.0004, '0'], [1e6, '1,000,000']];
  for (const [value, written] of cases) assert.equal(format.plain(value), written);
});

test('an ordinal number ends as it is spoken', () => {
  const cases = { 1: '1st', 2: '2nd', 3: '3rd', 4: '4th', 11: '11th', 12: '12th', 13: '13th', 21: '21st', 102: '102nd', 111: '111th', 1013: '1,013th' };
  for (const [number, written] of Object.entries(cases)) assert.equal(format.ordinal(Number(number)), written);
});

test('a missing number is shown as a dash', () => {
  for (const write of [
    format.significant,
    format.plain,
    format.bytes,
    format.rate,
    format.seconds,
    format.percent,
    format.duration,
  ]) {
    for (const missing of [null, undefined, NaN, Infinity, 'x']) assert.equal(write(missing), format.UNKNOWN);
  }
  assert.equal(format.quantity(null, 'GB/s'), format.UNKNOWN);
});

test('a kernel is shown with its registers, memory and occupancy', () => {
  const kernel = { name: 'copy', registers: 32, local_bytes: 0, shared_bytes: 4096, occupancy: 1, block: 256 };
  assert.equal(text(format.kernelText(kernel)), '32 registers, 0 B local, 4 KiB shared, occupancy 100 %');
  assert.equal(text(format.kernelText({ ...kernel, occupancy: null })).split(', ')[3], 'occupancy –');
  assert.equal(format.kernelText(null), format.UNKNOWN);
});

test('sizes are shown in powers of two', () => {
  assert.equal(text(format.bytes(1024)), '1 KiB');
  assert.equal(text(format.bytes(256 * 2 ** 20)), '256 MiB');
  assert.equal(text(format.bytes(1000)), '1,000 B');
  assert.equal(text(format.bytes(150107979776)), '139.8 GiB');
  assert.equal(text(format.bytes(0)), '0 B');
});

test('a size is entered as the lab reads it, also with digits in groups', () => {
  const sizes = JSON.parse(readFileSync(new URL('../../sizes.json', import.meta.url), 'utf8'));
  for (const [typed, value] of Object.entries({ ...sizes.values, ...sizes.fractions }))
    assert.equal(format.parseSize(typed), value, typed);
  const grouped = (typed) => /[0-9][ _][0-9]/.test(typed);
  const refused = sizes.refused.filter((typed) => !grouped(typed));
  assert.ok(refused.length > 30);
  for (const typed of refused) assert.equal(format.parseSize(typed), null, typed);
  for (const typed of ['4_096', '4 096', ' 4 096 B ']) assert.equal(format.parseSize(typed), 4096, typed);
  assert.equal(format.parseSize('99999999999999999999'), 1e20);
});

test('the text of a size field parses to the same size', () => {
  for (const value of [
    0,
    1,
    999,
    1000,
    1024,
    1536,
    10000,
    65535,
    2 ** 20 + 1,
    268435456,
    3 * 2 ** 29,
    150107979776,
    2 ** 40,
  ]) {
    assert.equal(format.parseSize(format.sizeText(value)), value, format.sizeText(value));
  }
  assert.equal(format.sizeText(1536), '1.5 KiB');
  assert.equal(format.sizeText(268435456), '256 MiB');
});

test('rates, frequencies and FLOP/s are shown in powers of ten', () => {
  assert.equal(text(format.rate(63.015e9)), '63.02 GB/s');
  assert.equal(text(format.rate(4.8e12)), '4.8 TB/s');
  assert.equal(text(format.frequency(1.98e9)), '1.98 GHz');
  assert.equal(text(format.flops(66.9e12)), '66.9 TFLOP/s');
});

test('a time is shown in a unit of its magnitude', () => {
  assert.equal(text(format.seconds(1.2345e-6)), '1.235 µs');
  assert.equal(text(format.seconds(0.25)), '250.0 ms');
  assert.equal(text(format.seconds(0)), '0 s');
  assert.equal(text(format.quantity(3e-9, 's')), '3.000 ns');
  assert.equal(text(format.quantity(25.3, 'GB/s')), '25.30 GB/s');
  assert.equal(text(format.quantity(0.987654, '1')), '0.9877');
  assert.equal(text(format.percent(0.00312)), '0.31 %');
});

test('a duration is shown in seconds, minutes or hours', () => {
  assert.equal(text(format.duration(0.4189)), '0.42 s');
  assert.equal(text(format.duration(12.34)), '12.3 s');
  assert.equal(text(format.duration(59.97)), '1 min 00 s');
  assert.equal(text(format.duration(125)), '2 min 05 s');
  assert.equal(text(format.duration(3725)), '1 h 02 min');
  assert.equal(format.elapsed('2025-01-31T12:00:00.000000Z', '2025-01-31T12:00:01.500000Z'), 1.5);
  assert.ok(Number.isNaN(format.elapsed(null, '2025-01-31T12:00:00Z')));
});

test('a time of the last day is shown as the time since then, an earlier one as a date', () => {
  const now = Date.parse('2025-01-31T12:00:00Z');
  assert.equal(format.ago('2025-01-31T11:59:40Z', now), 'just now');
  assert.equal(format.ago('2025-01-31T11:55:00Z', now), '5 min ago');
  assert.equal(format.ago('2025-01-31T09:00:00Z', now), '3 h ago');
  assert.match(format.ago('2025-01-01T09:00:00Z', now), /^2025-01-01$/);
  assert.equal(format.plural(1, 'run'), '1 run');
  assert.equal(format.plural(1200, 'run'), '1,200 runs');
});

test('times of a trace are written to the nanosecond', () => {
  assert.equal(text(format.exactTime(0)), '0 ns');
  assert.equal(text(format.exactTime(850)), '850 ns');
  assert.equal(text(format.exactTime(12_345)), '12.345 µs');
  assert.equal(text(format.exactTime(1_234_567)), '1.234567 ms');
  assert.equal(text(format.exactTime(2_000_000_001)), '2.000000001 s');
  assert.equal(format.exactTime(null), format.UNKNOWN);
});

test('a rate has the prefix of its magnitude', () => {
  assert.equal(text(format.quantity(680854, 'GFLOP/s')), '680.9 TFLOP/s');
  assert.equal(text(format.quantity(0.5, 'GB/s')), '500.0 MB/s');
  assert.equal(text(format.quantity(1.5, 'G/s')), '1.500 G/s');
  assert.equal(text(format.quantity(12, 'cycles')), '12.00 cycles');
});

test('a share is in percent, a speedup has a factor sign', () => {
  const unitOf = (name) => withShownUnit({ name, unit: '1' }).unit;
  assert.equal(text(format.quantity(0.93149, unitOf('share_of_peak'))), '93.1 %');
  assert.equal(text(format.quantity(0.5, unitOf('busy_share'))), '50.0 %');
  assert.equal(text(format.quantity(2.2603, unitOf('speedup'))), '2.26x');
  assert.equal(text(format.quantity(2.2603, unitOf('waves'))), '2.260');
});

test('an axis or a column has one unit, chosen for its largest value', () => {
  const axis = format.commonUnit('GFLOP/s', [500, 680854]);
  assert.deepEqual([axis.unit, axis.write(680854), axis.write(500)], ['TFLOP/s', '680.9', '0.5000']);
  assert.deepEqual(format.commonUnit('share', [0.5]).unit, '%');
  assert.deepEqual(format.commonUnit('s', [2e-6, 5e-3]).unit, 'ms');
  const wide = format.commonUnit('s', [2e-9, 5e-3]);
  assert.deepEqual([wide.unit, text(wide.write(2e-9)), text(wide.write(5e-3))], [null, '2.000 ns', '5.000 ms']);
});

test('progress is a share in whole percent, where there is an end', () => {
  assert.equal(text(format.progressText({ done: 199, total: 200 })), '99 %');
  assert.equal(format.progressText({ done: 3, total: 0 }), '');
  assert.equal(format.progressText(null), '');
});
