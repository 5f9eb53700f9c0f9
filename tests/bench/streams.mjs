// Cost of idle event streams: CPU time of the server with 200 open streams over several heartbeats. Also the memory of
// an idle lab.
//
//   GPULAB_BUILD=build/release node tests/bench/streams.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import { Lab, until } from '../harness/lab.mjs';
import { cpuSeconds, figure, main, residentMebibytes } from './figure.mjs';

export async function streams({ count = 200, seconds = 40 } = {}) {
  const lab = await Lab.start({ args: ['--worker-idle', '1'] });
  const open = [];
  try {
    await lab.complete();
    await until(() => lab.worker() === 0, 'the worker exits');
    const idle = residentMebibytes(lab.pid);
    while (open.length < count) open.push(await lab.events());
    await sleep(1000);
    const before = cpuSeconds(lab.pid);
    await sleep(seconds * 1000);
    const share = (cpuSeconds(lab.pid) - before) / seconds;
    return [
      figure('idle lab, resident', idle, 'MiB', 20),
      figure(`${count} idle event streams, over ${seconds} s`, share * 100, '% of a core', 1),
      figure(`with ${count} event streams, resident`, residentMebibytes(lab.pid), 'MiB'),
    ];
  } finally {
    for (const stream of open) stream.close();
    await lab.close();
  }
}

await main(import.meta.url, streams);
