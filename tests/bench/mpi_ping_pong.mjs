// The ping-pong of the experiment mpi beside that of a plain MPI program, in alternate rounds, in shared memory and
// over TCP.
//
//   GPULAB_BUILD=build/release node tests/bench/mpi_ping_pong.mjs
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, environment, temporaryFolder } from '../harness/lab.mjs';
import { figure, main, median } from './figure.mjs';

const components = { shared: 'vader,self', tcp: 'tcp,self' };

function run(program, args, folder, extra = {}) {
  return execFileSync(program, args, { env: environment(folder, extra), encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Seconds of a message of each size. */
function plain(transport, sizes, folder) {
  const variables = { OMPI_ALLOW_RUN_AS_ROOT: '1', OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: '1', OMPI_MCA_pml: 'ob1', OMPI_MCA_btl: components[transport] };
  return run('mpirun', ['-n', '2', '--map-by', 'core:OVERSUBSCRIBE', '--bind-to', 'core:overload-allowed',
    join(build, 'gpulab-plain-ping-pong'), ...sizes], folder, variables).trim().split('\n').map(Number);
}

/** The same as the experiment measures it, with as many samples as the plain program has batches. */
function experiment(transport, sizes, folder) {
  const parameters = { operation: 'ping-pong', memory: 'host', transport, min_bytes: sizes[0], max_bytes: sizes.at(-1), factor: sizes[1] / sizes[0],
    min_samples: 21, max_samples: 21, max_noise: 0, time_budget_s: 60 };
  const output = run(join(build, 'gpulab'), ['run', 'mpi', '--runtime', 'host', '--db', join(folder, 'runs.db'), '--json',
    ...Object.entries(parameters).flatMap(([name, value]) => ['--set', `${name}=${value}`])], folder);
  const times = JSON.parse(output).measurements.filter(({ metric }) => metric === 'time');
  return sizes.map((bytes) => times.find(({ axes }) => axes.bytes === bytes).median);
}

/** The ratio is that of the best rounds, because other programs on the machine only add time. */
export async function mpiPingPong({ rounds = 11, sizes = [16, 1024, 65536, 4194304] } = {}) {
  const folder = temporaryFolder();
  const figures = [];
  try {
    for (const transport of Object.keys(components)) {
      const both = [[], []];
      for (let i = 0; i < rounds; i += 1)
        [plain, experiment].forEach((measure, which) => both[which].push(measure(transport, sizes, folder)));
      sizes.forEach((bytes, at) => {
        const [theirs, ours] = both.map((series) => series.map((times) => times[at] * 1e6));
        const name = `ping-pong, ${transport}, ${bytes} B`;
        figures.push(figure(`${name}: plain program, median of ${rounds}`, median(theirs), 'us'), figure('  experiment mpi', median(ours), 'us'),
          figure('  plain program, best', Math.min(...theirs), 'us'), figure('  experiment mpi, best', Math.min(...ours), 'us'),
          figure('  ratio of the best', Math.min(...ours) / Math.min(...theirs), 'x', 1.05));
      });
    }
    return figures;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main(import.meta.url, mpiPingPong);
