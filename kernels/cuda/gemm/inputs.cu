/* Kernels that fill matrices with random numbers, compute the exact product of two integer matrices from their seeds
 * without reading the matrices, and compare a result with it or with dot products in double.
 */
#include "gemm.h"

#include "runtime/pattern.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <type_traits>

enum { THREADS = 256, BLOCKS_MAX = 4096 };

static unsigned blocks_for(uint64_t items)
{
    return (unsigned)(items < BLOCKS_MAX ? items : (uint64_t)BLOCKS_MAX);
}

/* --- fill --------------------------------------------------------------------------------------------------------- */

/* Converts `value` to the element type, rounded to nearest, ties to even. */
template <typename Element> __device__ static Element rounded(float value)
{
    if constexpr (std::is_same_v<Element, __nv_bfloat16>)
        return __float2bfloat16_rn(value);
    else if constexpr (std::is_same_v<Element, __half>)
        return __float2half_rn(value);
    else
        return Element(value);
}

/* A matrix in the order of its elements in memory: lines are rows, or columns of a column-major matrix. */
struct lines {
    uint64_t count, length; /* number of lines, elements per line */
    uint64_t line_step;     /* by how much the index in the pattern increases from line to line */
    uint64_t element_step;  /* by how much it increases from element to element of a line */
};

/* A block fills one line at a time, so that no division is needed. */
template <typename Element, lab_gemm_content CONTENT>
__global__ __launch_bounds__(THREADS) void fill(Element *matrix, lines lines, uint64_t seed)
{
    for (uint64_t line = blockIdx.x; line < lines.count; line += gridDim.x) {
        for (uint64_t i = threadIdx.x; i < lines.length; i += THREADS) {
            uint64_t index = line * lines.line_step + i * lines.element_step;
            float value = CONTENT == LAB_GEMM_NORMAL ? lab_pattern_normal(index, seed)
                                                     : (float)lab_pattern_small_int(index, seed);
            matrix[line * lines.length + i] = rounded<Element>(value);
        }
    }
}

template <typename Element> static cudaError_t launch_fill(cudaLaunchConfig_t config, const lab_gemm_fill *job)
{
    lines lines = {job->rows, job->columns, job->columns, 1};
    if (job->column_major)
        lines = {job->columns, job->rows, 1, job->columns};
    config.gridDim = blocks_for(lines.count);
    auto kernel = job->content == LAB_GEMM_NORMAL ? fill<Element, LAB_GEMM_NORMAL> : fill<Element, LAB_GEMM_SMALL_INTS>;
    return cudaLaunchKernelEx(&config, kernel, static_cast<Element *>(job->matrix), lines, job->seed);
}

/* --- expected ----------------------------------------------------------------------------------------------------- */

/* A block computes TILE x TILE elements of the product; each of its threads computes EACH x EACH of them, SIDE rows and
 * columns apart. PACK (four) integers along k are packed into a word, as __dp4a needs them. Each integer is computed
 * from its hash once per block. */
enum { TILE = 128, SIDE = 16, EACH = TILE / SIDE, PACK = 4, PACKS = 8, BK = PACKS * PACK };
static_assert(SIDE * SIDE == THREADS, "a block must have SIDE x SIDE threads");

/* Four integers whose indices are `step` apart, in the bytes of a word. Only the first `present` are inside the matrix;
 * the others are 0. */
__device__ static int32_t packed_integers(uint64_t index, uint64_t step, uint64_t present, uint64_t seed)
{
    uint32_t packed = 0;
#pragma unroll
    for (uint32_t i = 0; i < PACK; i++) {
        uint32_t value = i < present ? (uint32_t)lab_pattern_small_int(index + i * step, seed) : 0;
        packed |= (value & 0xFF) << 8 * i;
    }
    return (int32_t)packed;
}

__global__ __launch_bounds__(THREADS) void multiply_integers(lab_gemm_expected job)
{
    __shared__ int32_t a[PACKS][TILE], b[PACKS][TILE];
    uint64_t first_row = (uint64_t)blockIdx.y * TILE, first_column = (uint64_t)blockIdx.x * TILE;
    uint32_t x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    int32_t sums[EACH][EACH] = {};

    for (uint64_t first = 0; first < job.k; first += BK) {
        for (uint32_t i = threadIdx.x; i < PACKS * TILE; i += THREADS) {
            uint32_t pack = i / TILE, line = i % TILE;
            uint64_t k = first + pack * PACK, present = k < job.k ? job.k - k : 0;
            a[pack][line] = packed_integers((first_row + line) * job.k + k, 1, present, job.seed_a);
            b[pack][line] = packed_integers(k * job.n + first_column + line, job.n, present, job.seed_b);
        }
        __syncthreads();
#pragma unroll
        for (int pack = 0; pack < PACKS; pack++)
#pragma unroll
            for (int row = 0; row < EACH; row++)
#pragma unroll
                for (int column = 0; column < EACH; column++)
                    sums[row][column] = __dp4a(a[pack][y + row * SIDE], b[pack][x + column * SIDE], sums[row][column]);
        __syncthreads();
    }

    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++) {
            uint64_t row = first_row + y + i * SIDE, column = first_column + x + j * SIDE;
            if (row < job.m && column < job.n)
                job.product[row * job.n + column] = sums[i][j];
        }
}

/* --- compare ------------------------------------------------------------------------------------------------------ */

__device__ static float as_float(__nv_bfloat16 value)
{
    return __bfloat162float(value);
}
__device__ static float as_float(__half value)
{
    return __half2float(value);
}
__device__ static float as_float(__nv_fp8_e4m3 value)
{
    return float(value);
}
__device__ static float as_float(float value)
{
    return value;
}
__device__ static double as_float(double value)
{
    return value;
}

/* The value of the type that is nearest to an integer. */
template <typename Element> __device__ static Element nearest(int32_t whole)
{
    if constexpr (std::is_same_v<Element, __nv_bfloat16>)
        return __int2bfloat16_rn(whole);
    else if constexpr (std::is_same_v<Element, __half>)
        return __int2half_rn(whole);
    else
        return (Element)whole;
}

template <typename Element>
__global__ __launch_bounds__(THREADS) void compare(const Element *c, const int32_t *product, uint64_t count,
                                                   unsigned long long *wrong)
{
    unsigned long long thread_wrong = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += (uint64_t)gridDim.x * THREADS) {
        auto found = as_float(c[i]);
        bool right = product != nullptr ? found == as_float(nearest<Element>(product[i])) : isfinite(found);
        thread_wrong += !right;
    }
    __shared__ unsigned long long block_wrong;
    if (threadIdx.x == 0)
        block_wrong = 0;
    __syncthreads();
    if (thread_wrong != 0)
        atomicAdd(&block_wrong, thread_wrong);
    __syncthreads();
    if (threadIdx.x == 0 && block_wrong != 0)
        atomicAdd(wrong, block_wrong);
}

template <typename Element>
static cudaError_t launch_compare(cudaLaunchConfig_t config, const lab_gemm_compare *job, unsigned long long *wrong)
{
    config.gridDim = blocks_for((job->count + THREADS - 1) / THREADS);
    return cudaLaunchKernelEx(&config, compare<Element>, static_cast<const Element *>(job->c), job->product,
                              (uint64_t)job->count, wrong);
}

/* --- sample ------------------------------------------------------------------------------------------------------- */

/* Sum over the lanes of a warp, for all lanes. */
__device__ static double warp_sum(double value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(UINT32_MAX, value, offset);
    return value;
}

/* Each warp computes the dot product of one element of C after the other. */
template <typename Element, typename Result>
__global__ __launch_bounds__(THREADS) void sample(lab_gemm gemm, uint64_t stride, unsigned long long *wrong)
{
    const Element *a = static_cast<const Element *>(gemm.a), *b = static_cast<const Element *>(gemm.b);
    const Result *c = static_cast<const Result *>(gemm.c);
    bool tn = gemm.layout == LAB_GEMM_TN;
    uint32_t lane = threadIdx.x % 32;
    uint64_t warp = ((uint64_t)blockIdx.x * THREADS + threadIdx.x) / 32, warps = (uint64_t)gridDim.x * THREADS / 32;
    for (uint64_t index = warp * stride; index < gemm.m * gemm.n; index += warps * stride) {
        uint64_t row = index / gemm.n, column = index % gemm.n;
        double dot = 0, squares = 0;
        for (uint64_t i = lane; i < gemm.k; i += 32) {
            double term = (double)as_float(a[row * gemm.k + i]) *
                          (double)as_float(b[tn ? column * gemm.k + i : i * gemm.n + column]);
            dot += term;
            squares += term * term;
        }
        dot = warp_sum(dot);
        squares = warp_sum(squares);
        double found = as_float(c[index]);
        bool near = fabs(found - dot) <= lab_gemm_error_max(gemm.type, (double)gemm.k, dot, squares);
        if (lane == 0 && isfinite(found) && !near)
            atomicAdd(wrong, 1ull);
    }
}

template <typename Element, typename Result = Element>
static cudaError_t launch_sample(cudaLaunchConfig_t config, const lab_gemm_sample *job, unsigned long long *wrong)
{
    config.gridDim = blocks_for((job->gemm.m * job->gemm.n / job->stride + 1 + THREADS / 32 - 1) / (THREADS / 32));
    return cudaLaunchKernelEx(&config, sample<Element, Result>, job->gemm, (uint64_t)job->stride, wrong);
}

/* --- launchers ---------------------------------------------------------------------------------------------------- */

static cudaLaunchConfig_t config_of(cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    config.blockDim = THREADS;
    config.stream = stream;
    return config;
}

/* The launchers for each element type, in the order of enum lab_gemm_type. No result is fp8. */
static cudaError_t (*const fills[])(cudaLaunchConfig_t, const lab_gemm_fill *) = {
    launch_fill<float>,         launch_fill<double>, launch_fill<float>,
    launch_fill<__nv_bfloat16>, launch_fill<__half>, launch_fill<__nv_fp8_e4m3>,
};
static cudaError_t (*const comparisons[])(cudaLaunchConfig_t, const lab_gemm_compare *, unsigned long long *) = {
    launch_compare<float>,         launch_compare<double>, launch_compare<float>,
    launch_compare<__nv_bfloat16>, launch_compare<__half>, nullptr,
};
static cudaError_t (*const samples[])(cudaLaunchConfig_t, const lab_gemm_sample *, unsigned long long *) = {
    launch_sample<float>,         launch_sample<double>, launch_sample<float>,
    launch_sample<__nv_bfloat16>, launch_sample<__half>, launch_sample<__nv_fp8_e4m3, __nv_bfloat16>,
};
static_assert(sizeof fills / sizeof *fills == LAB_GEMM_TYPES &&
                  sizeof comparisons / sizeof *comparisons == LAB_GEMM_TYPES &&
                  sizeof samples / sizeof *samples == LAB_GEMM_TYPES,
              "each type needs a kernel for filling, for comparing and for sampling");

extern "C" cudaError_t lab_cuda_launch_gemm_fill(cudaStream_t stream, const struct lab_gemm_fill *fill)
{
    if (fill->content == LAB_GEMM_POISON)
        return cudaMemsetAsync(fill->matrix, 0xFF, fill->rows * fill->columns * lab_gemm_element_bytes(fill->type),
                               stream);
    return fills[fill->type](config_of(stream), fill);
}

extern "C" cudaError_t lab_cuda_launch_gemm_expected(cudaStream_t stream, const struct lab_gemm_expected *expected)
{
    cudaLaunchConfig_t config = config_of(stream);
    config.gridDim = dim3((unsigned)((expected->n + TILE - 1) / TILE), (unsigned)((expected->m + TILE - 1) / TILE));
    return cudaLaunchKernelEx(&config, multiply_integers, *expected);
}

extern "C" cudaError_t lab_cuda_launch_gemm_compare(cudaStream_t stream, const struct lab_gemm_compare *compare,
                                                    unsigned long long *wrong)
{
    return comparisons[compare->type](config_of(stream), compare, wrong);
}

extern "C" cudaError_t lab_cuda_launch_gemm_sample(cudaStream_t stream, const struct lab_gemm_sample *sample,
                                                   unsigned long long *wrong)
{
    return samples[sample->gemm.type](config_of(stream), sample, wrong);
}
