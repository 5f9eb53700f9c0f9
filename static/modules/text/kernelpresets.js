// Kernels to begin with, as drafts (ownkernel.js): the first programs of every course.

const draft = (fields) => ({
  grid: '',
  block: '',
  entry: '',
  shared: '',
  bytes: '',
  operations: '',
  reference: '',
  arguments: [],
  expressions: 2,
  ...fields,
});
const buffer = (name, direction, expected, count = 'n') => ({
  name,
  kind: 'buffer',
  type: 'fp32',
  count,
  content: 'random',
  direction,
  value: '',
  ...(expected && { expected }),
});
const count = (value) => ({
  name: 'n',
  kind: 'scalar',
  type: 'u32',
  count: '',
  content: 'random',
  direction: 'in',
  value,
});

const COORDINATES = `// Each thread prints which block and which thread it is. The output is in the log of the run.
#include <cstdio>

extern "C" __global__ void coordinates()
{
    printf("block %u of %u, thread %u of %u\\n", blockIdx.x, gridDim.x, threadIdx.x, blockDim.x);
}
`;

const ADDITION = `// A thread for each element.
extern "C" __global__ void add(const float *a, const float *b, float *sum, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
}
`;

const COPY = `// The threads of the grid stride over the elements, so that any grid copies all of them.
extern "C" __global__ void copy(const float *in, float *out, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}
`;

const REDUCTION = `// The sum of each block of 256 elements, in shared memory: half as many threads add in each step.
extern "C" __global__ void reduce(const float *in, float *sums, unsigned n)
{
    __shared__ float part[256];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = part[0];
}

// The same sums by one thread of each block: what the results are compared with.
extern "C" __global__ void reduce_simple(const float *in, float *sums, unsigned n)
{
    if (threadIdx.x > 0)
        return;
    float sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x; i < n && i < (blockIdx.x + 1) * blockDim.x; i++)
        sum += in[i];
    sums[blockIdx.x] = sum;
}
`;

/** [{name, title, draft}] */
export const PRESETS = [
  {
    name: 'coordinates',
    title: 'Print coordinates',
    draft: draft({ source: COORDINATES, entry: 'coordinates', grid: '2', block: '4' }),
  },
  {
    name: 'addition',
    title: 'Vector addition',
    draft: draft({
      source: ADDITION,
      entry: 'add',
      grid: '(n + 255) / 256',
      block: '256',
      bytes: '12 * n',
      operations: 'n',
      arguments: [buffer('a', 'in'), buffer('b', 'in'), buffer('sum', 'out', 'a[i] + b[i]'), count('1048576, 16777216')],
    }),
  },
  {
    name: 'copy',
    title: 'Copy',
    draft: draft({
      source: COPY,
      entry: 'copy',
      grid: '1024',
      block: '256',
      bytes: '8 * n',
      arguments: [buffer('in', 'in'), buffer('out', 'out', 'in[i]'), count('1048576, 16777216')],
    }),
  },
  {
    name: 'reduction',
    title: 'Reduction',
    draft: draft({
      source: REDUCTION,
      entry: 'reduce',
      grid: '(n + 255) / 256',
      block: '256',
      bytes: '4 * n',
      operations: 'n',
      reference: 'reduce_simple',
      arguments: [buffer('in', 'in'), buffer('sums', 'out', '', '(n + 255) / 256'), count('16777216')],
    }),
  },
];
