// Runs every benchmark in small, so that all of them keep working. Only memory is held against its limit: times depend on
// what else the machine does.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { print } from './figure.mjs';
import { firstMeasurement } from './first_measurement.mjs';
import { history } from './history.mjs';
import { largeResults } from './large_results.mjs';
import { loading } from './loading.mjs';
import { posting } from './posting.mjs';
import { requests } from './requests.mjs';
import { scaling } from './scaling.mjs';
import { streams } from './streams.mjs';

const twoCores = cpus().length > 1 && spawnSync('taskset', ['-c', '1', 'true']).status === 0;
const small = {
  'first measurement': [firstMeasurement, { rounds: 5, coldRounds: 3 }, true],
  'posting': [posting, { count: 64 }, true],
  'requests': [requests, { seconds: 1, runs: 3 }, twoCores],
  'streams': [streams, { count: 20, seconds: 2 }, true],
  'scaling': [scaling, { rounds: 1, bytes: 65536, weight: 64, samples: 3 }, twoCores],
  'history': [history, { runs: 500, repeats: 5 }, true],
  'loading': [loading, { roundTrips_ms: [0], rounds: 1 }, true],
  'large results': [largeResults, { samples: 200_000 }, true],
};
for (const [name, [measure, options, possible]] of Object.entries(small)) {
  test(name, { skip: !possible && 'needs a second core' }, async () => {
    const figures = await measure(options);
    assert.ok(figures.length > 0);
    print(figures);
    for (const { what, value, unit, holds } of figures) {
      assert.ok(holds || unit !== 'MiB', what);
      // CPU time is counted in steps of 10 ms, so a short idle time may have none.
      assert.ok(value > 0 || (value === 0 && unit === '% of a core'), `${what}: ${value}`);
    }
  });
}
