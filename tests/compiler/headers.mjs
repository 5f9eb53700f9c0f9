// Compiles a kernel behind each header of the CUDA toolkit for devices, with gpulab-compiler in little memory and with
// plain NVRTC: GPULAB_BUILD=build/debug node tests/compiler/headers.mjs. Prints how many compile, and the others with
// both verdicts. The exit code is 1 if NVRTC compiles one that gpulab-compiler does not. Takes minutes; needs NVRTC
// with its headers, but no GPU.
import { availableParallelism } from 'node:os';
import { compileBehind, deviceHeaders, MEMORY_MIB, plainNvrtc } from '../harness/headers.mjs';

const found = await plainNvrtc([]);
if (!found) throw new Error('There is no NVRTC, or it has no headers.');
const headers = deviceHeaders(found.folders);
const plain = (await plainNvrtc(headers)).verdicts;

const own = new Map();
const waiting = [...headers];
await Promise.all(Array.from({ length: availableParallelism() }, async () => {
  for (let header; (header = waiting.shift()); ) own.set(header, await compileBehind([header]));
}));

const isCompiled = (verdicts) => headers.filter((header) => verdicts.get(header) === 'compiled');
console.log(`${isCompiled(own).length} of ${headers.length} headers compile in ${MEMORY_MIB} MiB, ${isCompiled(plain).length} with plain NVRTC, on ${availableParallelism()} cores`);
for (const header of headers.filter((one) => own.get(one) !== 'compiled'))
  console.log(`${header}\n  gpulab: ${own.get(header)}\n  NVRTC:  ${plain.get(header)}`);
process.exitCode = isCompiled(plain).every((header) => own.get(header) === 'compiled') ? 0 : 1;
