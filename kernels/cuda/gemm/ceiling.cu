/* The most that a device's arithmetic does: multiply-adds on values that never leave the registers, as many at once as
 * it takes to keep every core or tensor core busy. The factors are no plain numbers and the sums never come to rest,
 * because what does not change draws less power, and lets the clock run higher, than a real product would.
 */
#include "ceiling.h"

#include "runtime/pattern.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ __noinline__ static float random_normal(uint32_t number)
{
    return lab_pattern_normal((uint64_t)blockIdx.x << 32 | number * blockDim.x + threadIdx.x, 1);
}

/* --- cores: FP32, FP64 -------------------------------------------------------------------------------------------- */

/* One block fills a multiprocessor; the cores need a few independent operations of each warp, and get PAIRS. */
enum { CORE_THREADS = 1024, PAIRS = 8, TURNS_PER_ROUND = 8 };

/* Each (x, y) goes round a closed curve about the origin, for ever and without growing: two multiply-adds are a turn by
 * about `angle` (Minsky's circle, HAKMEM item 149). */
template <typename Real>
__global__ __launch_bounds__(CORE_THREADS) void turn_pairs(uint32_t rounds, Real angle, Real *sink)
{
    Real x[PAIRS], y[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        x[i] = random_normal(2 * i);
        y[i] = random_normal(2 * i + 1);
    }
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int turn = 0; turn < TURNS_PER_ROUND; turn++) {
#pragma unroll
            for (int i = 0; i < PAIRS; i++)
                x[i] = fma(angle, y[i], x[i]);
#pragma unroll
            for (int i = 0; i < PAIRS; i++)
                y[i] = fma(-angle, x[i], y[i]);
        }
    }
    Real sum = 0;
    for (int i = 0; i < PAIRS; i++)
        sum += x[i] + y[i];
    if (isnan(sum)) /* never, which the compiler cannot know */
        *sink = sum;
}

template <typename Real>
static cudaError_t launch_turns(cudaLaunchConfig_t config, uint32_t rounds, void *sink, double *operations)
{
    config.blockDim = CORE_THREADS;
    *operations = 2.0 * 2 * PAIRS * TURNS_PER_ROUND * rounds * CORE_THREADS * config.gridDim.x;
    return cudaLaunchKernelEx(&config, turn_pairs<Real>, rounds, (Real)0.1, static_cast<Real *>(sink));
}

/* --- tensor cores: what one warp's instruction does --------------------------------------------------------------- */

/* A (m x k) times B (k x n) is added to `sums`; a thread holds that many elements of each, or 32-bit words of them. */
struct tf32_unit {
    using Factor = uint32_t;
    using Sum = float;
    enum { ARCHITECTURE = 80, A = 4, B = 2, SUMS = 4, MULTIPLY_ADDS = 16 * 8 * 8 };

    __device__ static uint32_t factor(uint32_t number)
    {
        return __float_as_uint(random_normal(number)); /* the low 13 bits are ignored */
    }
    __device__ static void multiply(Sum *sums, const Factor *a, const Factor *b)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
};

struct bf16_unit {
    using Factor = uint32_t;
    using Sum = float;
    enum { ARCHITECTURE = 80, A = 4, B = 2, SUMS = 4, MULTIPLY_ADDS = 16 * 8 * 16 };

    __device__ static uint32_t factor(uint32_t number)
    {
        __nv_bfloat162 pair = __floats2bfloat162_rn(random_normal(2 * number), random_normal(2 * number + 1));
        return reinterpret_cast<uint32_t &>(pair);
    }
    __device__ static void multiply(Sum *sums, const Factor *a, const Factor *b)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
            "{%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
};

struct fp16_unit {
    using Factor = uint32_t;
    using Sum = float;
    enum { ARCHITECTURE = 80, A = 4, B = 2, SUMS = 4, MULTIPLY_ADDS = 16 * 8 * 16 };

    __device__ static uint32_t factor(uint32_t number)
    {
        __half2 pair = __floats2half2_rn(random_normal(2 * number), random_normal(2 * number + 1));
        return reinterpret_cast<uint32_t &>(pair);
    }
    __device__ static void multiply(Sum *sums, const Factor *a, const Factor *b)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
};

/* The A100's. Other devices would get a slow substitute, made of a great many instructions. */
struct fp64_unit_8_0 {
    using Factor = double;
    using Sum = double;
    enum { ARCHITECTURE = 80, A = 1, B = 1, SUMS = 2, MULTIPLY_ADDS = 8 * 8 * 4 };

    __device__ static double factor(uint32_t number)
    {
        return random_normal(number);
    }
    __device__ static void multiply(Sum *sums, const Factor *a, const Factor *b)
    {
#if __CUDA_ARCH__ == 800
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(sums[0]), "+d"(sums[1])
                     : "d"(a[0]), "d"(b[0]));
#endif
    }
};

/* Hopper's; the same. */
struct fp64_unit_9_0 {
    using Factor = double;
    using Sum = double;
    enum { ARCHITECTURE = 90, A = 8, B = 4, SUMS = 4, MULTIPLY_ADDS = 16 * 8 * 16 };

    __device__ static double factor(uint32_t number)
    {
        return random_normal(number);
    }
    __device__ static void multiply(Sum *sums, const Factor *a, const Factor *b)
    {
#if __CUDA_ARCH__ == 900
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
            "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
            : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
            : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
              "d"(b[1]), "d"(b[2]), "d"(b[3]));
#endif
    }
};

/* --- tensor cores: the loop --------------------------------------------------------------------------------------- */

/* Each of a multiprocessor's four tensor cores serves two warps; a warp multiplies 4 pieces of A with 2 of B in turn, so
 * that neighbouring instructions have other factors and other sums. */
enum { TENSOR_THREADS = 256, WARP = 32, ROWS = 4, COLUMNS = 2, PASSES_PER_ROUND = 4 };

template <typename Unit>
__global__ __launch_bounds__(TENSOR_THREADS) void multiply_pieces(uint32_t rounds, typename Unit::Sum *sink)
{
    typename Unit::Factor a[ROWS][Unit::A], b[COLUMNS][Unit::B];
    typename Unit::Sum sums[ROWS][COLUMNS][Unit::SUMS] = {};
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < Unit::A; i++)
            a[row][i] = Unit::factor(row * Unit::A + i);
    for (int column = 0; column < COLUMNS; column++)
        for (int i = 0; i < Unit::B; i++)
            b[column][i] = Unit::factor(ROWS * Unit::A + column * Unit::B + i);

    for (uint32_t round = 0; round < rounds; round++)
#pragma unroll
        for (int pass = 0; pass < PASSES_PER_ROUND; pass++)
#pragma unroll
            for (int row = 0; row < ROWS; row++)
#pragma unroll
                for (int column = 0; column < COLUMNS; column++)
                    Unit::multiply(sums[row][column], a[row], b[column]);

    typename Unit::Sum sum = 0;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            for (int i = 0; i < Unit::SUMS; i++)
                sum += sums[row][column][i];
    if (isnan(sum))
        *sink = sum;
}

/* cudaErrorNotSupported where the program holds the kernel for older devices alone, without the instruction in it. */
template <typename Unit>
static cudaError_t launch_pieces(cudaLaunchConfig_t config, uint32_t rounds, void *sink, double *operations)
{
    cudaFuncAttributes attributes;
    cudaError_t status = cudaFuncGetAttributes(&attributes, multiply_pieces<Unit>);
    if (status == cudaSuccess && attributes.ptxVersion < Unit::ARCHITECTURE)
        status = cudaErrorNotSupported;
    if (status != cudaSuccess)
        return status;
    config.blockDim = TENSOR_THREADS;
    *operations = 2.0 * Unit::MULTIPLY_ADDS * ROWS * COLUMNS * PASSES_PER_ROUND * rounds * (TENSOR_THREADS / WARP) *
                  config.gridDim.x;
    return cudaLaunchKernelEx(&config, multiply_pieces<Unit>, rounds, static_cast<typename Unit::Sum *>(sink));
}

/* --- which unit a device has -------------------------------------------------------------------------------------- */

/* Where the tensor cores take FP64 they do twice what the cores do. */
static cudaError_t launch_fp64(cudaLaunchConfig_t config, int capability, uint32_t rounds, void *sink,
                               double *operations)
{
    cudaError_t status = cudaErrorNotSupported;
    if (capability == 90)
        status = launch_pieces<fp64_unit_9_0>(config, rounds, sink, operations);
    else if (capability == 80)
        status = launch_pieces<fp64_unit_8_0>(config, rounds, sink, operations);
    return status == cudaErrorNotSupported ? launch_turns<double>(config, rounds, sink, operations) : status;
}

/* mma.sync reaches all of the tensor cores of 8.x and 12.x. Those of 9.0 take wgmma, those of 10.x and 11.0 tcgen05, of
 * which mma.sync would show about a half: no ceiling is better than a wrong one. */
static cudaError_t launch_tensor(cudaLaunchConfig_t config, enum lab_gemm_type type, int capability, uint32_t rounds,
                                 void *sink, double *operations)
{
#if GPULAB_HAVE_WGMMA
    if (capability == 90)
        return lab_cuda_launch_gemm_ceiling_wgmma(config.stream, type, (int)config.gridDim.x, rounds,
                                                  static_cast<float *>(sink), operations);
#endif
    if (capability / 10 != 8 && capability / 10 != 12)
        return cudaErrorNotSupported;
    if (type == LAB_GEMM_TF32)
        return launch_pieces<tf32_unit>(config, rounds, sink, operations);
    if (type == LAB_GEMM_BF16)
        return launch_pieces<bf16_unit>(config, rounds, sink, operations);
    return launch_pieces<fp16_unit>(config, rounds, sink, operations);
}

extern "C" cudaError_t lab_cuda_launch_gemm_ceiling(cudaStream_t stream, enum lab_gemm_type type, int capability,
                                                    int multiprocessors, uint32_t rounds, void *sink,
                                                    double *operations)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = (unsigned)multiprocessors;
    config.stream = stream;
    if (type == LAB_GEMM_FP32)
        return launch_turns<float>(config, rounds, sink, operations);
    if (type == LAB_GEMM_FP64)
        return launch_fp64(config, capability, rounds, sink, operations);
    return launch_tensor(config, type, capability, rounds, sink, operations);
}
