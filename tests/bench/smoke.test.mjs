// The benchmarks work: each gives its figures in small. What they measure is no matter of passing, except that it is a number.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { firstMeasurement } from './first_measurement.mjs';
import { history } from './history.mjs';
import { requests } from './requests.mjs';
import { scaling } from './scaling.mjs';
import { streams } from './streams.mjs';

const twoCores = cpus().length > 1 && spawnSync('taskset', ['-c', '1', 'true']).status === 0;
const small = {
  'first measurement': [firstMeasurement, { rounds: 3, coldRounds: 1 }, true],
  'requests': [requests, { seconds: 1, runs: 3 }, twoCores],
  'streams': [streams, { count: 20, seconds: 2 }, true],
  'scaling': [scaling, { rounds: 1, bytes: 65536, weight: 64, samples: 3 }, twoCores],
  'history': [history, { runs: 500, repeats: 2 }, true],
};
for (const [name, [measure, options, possible]] of Object.entries(small)) {
  test(name, { skip: !possible && 'needs a second core' }, async () => {
    const figures = await measure(options);
    assert.ok(figures.length > 0);
    for (const { what, value, unit, limit } of figures) {
      assert.ok(Number.isFinite(value) && value >= 0, what);
      console.log(`${what}: ${Number(value.toPrecision(4))} ${unit}${limit === undefined ? '' : ` (promised: ${limit})`}`);
    }
  });
}
