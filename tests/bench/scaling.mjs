// Overhead of one run on two devices: its time compared with two processes that each run half of the job at the same
// time. The devices are cores of the CPU. The variants alternate, so that changes of the machine affect both.
//
//   GPULAB_BUILD=build/release node tests/bench/scaling.mjs
import { execute } from '../harness/lab.mjs';
import { figure, main, median } from './figure.mjs';

/** Median seconds of a job on `devices`, a list of device numbers. */
async function seconds(devices, bytes, { weight, samples }) {
  const parameters = { kernel: 'pairs', scaling: 'strong', bytes, weight, device_count: devices.length, min_samples: samples, max_samples: samples };
  const { code, stdout, stderr } = await execute('gpulab', [
    'run', 'scaling', '--runtime', 'host', '--host-devices', '2', '--no-save', '--json',
    ...devices.flatMap((device) => ['--device', String(device)]),
    ...Object.entries(parameters).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
  ]);
  if (code !== 0) throw new Error(`gpulab run scaling ended with ${code}: ${stderr}`);
  const { measurements } = JSON.parse(stdout);
  return measurements.find(({ metric, axes }) => metric === 'time' && axes.device_count === devices.length).median;
}

export async function scaling({ rounds = 5, bytes = 8 * 2 ** 20, weight = 1024, samples = 10 } = {}) {
  const alone = [], together = [], apart = [];
  for (let i = 0; i < rounds; i += 1) {
    alone.push(await seconds([0], bytes, { weight, samples }));
    together.push(await seconds([0, 1], bytes, { weight, samples }));
    apart.push(Math.max(...(await Promise.all([0, 1].map((device) => seconds([device], bytes / 2, { weight, samples }))))));
  }
  const ratios = together.map((time, i) => time / apart[i]);
  return [
    figure('speedup of two devices of one run', median(alone) / median(together), 'times'),
    figure('speedup of two processes side by side', median(alone) / median(apart), 'times'),
    figure(`time of one run on both, of two processes, median of ${rounds} rounds`, median(ratios), 'times', 1 / 0.9),
  ];
}

await main(import.meta.url, scaling);
