// Time to the first result: from the POST to the first `measurement` event, with a warm worker and with none.
//
//   GPULAB_BUILD=build/release node tests/bench/first_measurement.mjs
import { Lab, small, until } from '../harness/lab.mjs';
import { figure, main, median } from './figure.mjs';

const parameters = { ...small, min_samples: undefined, max_samples: 1 };

async function milliseconds(lab, stream) {
  const began = performance.now();
  const run = await lab.submit(parameters);
  const { at } = await stream.find((event) => event.event === 'measurement' && event.json.run === run.id, 'a measurement');
  await lab.reach(run.id, 'succeeded');
  return at - began;
}

export async function firstMeasurement({ rounds = 30, coldRounds = 5 } = {}) {
  const lab = await Lab.start({ args: ['--worker-idle', '1'] });
  const stream = await lab.events();
  try {
    await milliseconds(lab, stream); // starts the worker
    const warm = [], cold = [];
    for (let i = 0; i < rounds; i += 1) warm.push(await milliseconds(lab, stream));
    for (let i = 0; i < coldRounds; i += 1) {
      await until(() => lab.worker() === 0, 'the worker exits');
      cold.push(await milliseconds(lab, stream));
    }
    return [
      figure(`POST to first measurement, warm worker, median of ${rounds}`, median(warm), 'ms', 20),
      figure('the same, slowest', Math.max(...warm), 'ms'),
      figure(`POST to first measurement, no worker, median of ${coldRounds}`, median(cold), 'ms', 1000),
    ];
  } finally {
    stream.close();
    await lab.close();
  }
}

await main(import.meta.url, firstMeasurement);
