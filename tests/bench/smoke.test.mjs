// Runs every benchmark in small, so that all of them keep working. Only memory is held against its limit: times depend
// on what else the machine does.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from '../harness/lab.mjs';
import { print } from './figure.mjs';
import { fleet } from './fleet.mjs';
import { firstMeasurement } from './first_measurement.mjs';
import { history } from './history.mjs';
import { largeResults } from './large_results.mjs';
import { loading } from './loading.mjs';
import { mpiPingPong } from './mpi_ping_pong.mjs';
import { posting } from './posting.mjs';
import { requests } from './requests.mjs';
import { scaling } from './scaling.mjs';
import { streams } from './streams.mjs';
import { timeline } from './timeline.mjs';

const oneCore = (cpus().length === 1 || spawnSync('taskset', ['-c', '1', 'true']).status !== 0) && 'needs a second core';
const noMpi = !existsSync(join(build, 'gpulab-plain-ping-pong')) && 'this build found no Open MPI';
/** The function, its options, and why it cannot run. */
const small = {
  'first measurement': [firstMeasurement, { rounds: 5, coldRounds: 3 }],
  'fleet': [fleet, { machines: 4, lost: 1, run_s: 2 }],
  'posting': [posting, { count: 64 }],
  'requests': [requests, { seconds: 1, runs: 3 }, oneCore],
  'streams': [streams, { count: 20, seconds: 2 }],
  'scaling': [scaling, { rounds: 1, bytes: 65536, weight: 64, samples: 3 }, oneCore],
  'history': [history, { runs: 500, repeats: 5 }],
  'loading': [loading, { roundTrips_ms: [0], rounds: 1 }],
  'large results': [largeResults, { samples: 200_000 }],
  'timeline': [timeline, { spans: 2000, rounds: 1 }],
  'ping-pong of mpi': [mpiPingPong, { rounds: 1, sizes: [16, 1024] }, noMpi],
};
for (const [name, [measure, options, skip]] of Object.entries(small)) {
  test(name, { skip }, async () => {
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
