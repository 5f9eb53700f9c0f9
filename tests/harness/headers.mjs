// The headers of the CUDA toolkit that are for devices, and what gpulab-compiler and plain NVRTC make of them.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from './lab.mjs';

/** The address space in MiB that suffices for each of these headers. */
export const MEMORY_MIB = 512;

/** The folders whose files are all tried, and single files; what a toolkit does not have is left out. */
const FOLDERS = ['cub/block', 'cub/warp', 'cub/thread', 'cooperative_groups', 'cuda/std', 'cuda'];
const FILES = ['cooperative_groups.h', 'curand_kernel.h', 'mma.h', 'cuda_fp16.h', 'cuda_bf16.h', 'cuda_fp8.h', 'cuda_fp6.h', 'cuda_fp4.h',
  'cuda_pipeline.h', 'cuda_awbarrier.h', 'cuComplex.h', 'math_constants.h', 'nv/target', 'cuda_runtime.h', 'cuda_runtime_api.h', 'device_launch_parameters.h',
  'vector_types.h'];

/** Runs plain NVRTC on headers; resolves with {folders, verdicts}: those of the toolkit, and a text for each header;
 * null without NVRTC. */
export async function plainNvrtc(headers) {
  const { code, stdout, stderr } = await execute('gpulab-plain-nvrtc', headers, { timeout_s: 1800 });
  if (code === 2) return null;
  if (code !== 0) throw new Error(stderr);
  const [toolkit, cccl, ...lines] = stdout.trimEnd().split('\n');
  const verdicts = new Map(headers.map((header) => [header, lines.find((line) => line.startsWith(`${header}: `)).slice(header.length + 2)]));
  return { folders: [toolkit, cccl], verdicts };
}

/** The headers in these folders of the toolkit. */
export function deviceHeaders(folders, groups = FOLDERS) {
  const isFile = (path) => existsSync(path) && statSync(path).isFile();
  const inGroup = (group) => folders.flatMap((folder) => {
    const path = join(folder, group);
    const names = existsSync(path) ? readdirSync(path).filter((name) => !name.startsWith('__') && isFile(join(path, name))) : [];
    return names.map((name) => `${group}/${name}`);
  });
  const files = groups === FOLDERS ? FILES.filter((name) => folders.some((folder) => isFile(join(folder, name)))) : [];
  return [...new Set([...groups.flatMap(inGroup), ...files])].sort();
}

/** Compiles a kernel behind these headers with gpulab-compiler, in an environment with `env`; resolves with "compiled",
 * or the first message. */
export async function compileBehind(headers, env = {}) {
  const source = `${headers.map((header) => `#include <${header}>\n`).join('')}__global__ void k(int *p) { p[0] = 1; }\n`;
  const input = JSON.stringify({ source, architecture: 'sm_90' });
  const { signal, stdout, stderr } = await execute('gpulab-compiler', ['--memory-mib', String(MEMORY_MIB)], { input, env, timeout_s: 300 });
  if (signal) return `${signal} ${stderr}`;
  const { status, messages, error } = JSON.parse(stdout);
  const [{ file, line, text } = {}] = messages ?? [];
  return status === 'compiled' ? 'compiled' : error?.detail ?? `${file}(${line}): ${text}`;
}
