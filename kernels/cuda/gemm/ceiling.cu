/* Kernels that measure the arithmetic ceiling of a device: they execute multiply-adds on values in registers, enough
 * independent ones that every core or tensor core is busy. The factors are random and the sums change all the time,
 * because constant values would draw less power and so allow a higher clock than a real product.
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

/* One block occupies a multiprocessor. To be busy, the cores need several independent operations from each warp; each
 * thread has PAIRS. */
enum { CORE_THREADS = 1024, PAIRS = 8, ROTATIONS_PER_ROUND = 8 };

/* Each (x, y) moves on a closed curve around the origin without growing: two multiply-adds are a rotation by about
 * `angle` (Minsky's circle algorithm, HAKMEM item 149). */
template <typename Real>
__global__ __launch_bounds__(CORE_THREADS) void rotate_pairs(uint32_t rounds, Real angle, Real *sink)
{
    Real x[PAIRS], y[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        x[i] = random_normal(2 * i);
        y[i] = random_normal(2 * i + 1);
    }
    for (uint32_t round = 0; round < rounds; round++) {
#pragma unroll
        for (int rotation = 0; rotation < ROTATIONS_PER_ROUND; rotation++) {
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
    if (isnan(sum)) /* never true; it makes the compiler compute the sum */
        *sink = sum;
}

template <typename Real>
static cudaError_t launch_rotations(cudaLaunchConfig_t config, uint32_t rounds, void *sink, double *operations)
{
    config.blockDim = CORE_THREADS;
    *operations = 2.0 * 2 * PAIRS * ROTATIONS_PER_ROUND * rounds * CORE_THREADS * config.gridDim.x;
    return cudaLaunchKernelEx(&config, rotate_pairs<Real>, rounds, (Real)0.1, static_cast<Real *>(sink));
}

/* --- tensor cores: the instructions ------------------------------------------------------------------------------- */

/* Each struct describes an mma.sync instruction, sums += A B. A, B and SUMS are the numbers of registers that a thread
 * holds of each (elements, or 32-bit words of packed elements). */
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

/* Only for the A100, because on other devices this instruction is emulated by many others. */
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

/* Only for Hopper, because on other devices this instruction is emulated by many others. */
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

/* Each of a multiprocessor's four tensor cores executes the instructions of two warps. A warp multiplies each of 4
 * fragments of A by each of 2 fragments of B, so that consecutive instructions have different factors and sums. */
enum { TENSOR_THREADS = 256, WARP = 32, ROWS = 4, COLUMNS = 2, REPEATS_PER_ROUND = 4 };

template <typename Unit>
__global__ __launch_bounds__(TENSOR_THREADS) void multiply_fragments(uint32_t rounds, typename Unit::Sum *sink)
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
        for (int repeat = 0; repeat < REPEATS_PER_ROUND; repeat++)
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

/* Returns cudaErrorNotSupported if the program contains the kernel only for older architectures, for which it is
 * compiled without the mma instruction. */
template <typename Unit>
static cudaError_t launch_fragments(cudaLaunchConfig_t config, uint32_t rounds, void *sink, double *operations)
{
    cudaFuncAttributes attributes;
    cudaError_t status = cudaFuncGetAttributes(&attributes, multiply_fragments<Unit>);
    if (status == cudaSuccess && attributes.ptxVersion < Unit::ARCHITECTURE)
        status = cudaErrorNotSupported;
    if (status != cudaSuccess)
        return status;
    config.blockDim = TENSOR_THREADS;
    *operations = 2.0 * Unit::MULTIPLY_ADDS * ROWS * COLUMNS * REPEATS_PER_ROUND * rounds * (TENSOR_THREADS / WARP) *
                  config.gridDim.x;
    return cudaLaunchKernelEx(&config, multiply_fragments<Unit>, rounds, static_cast<typename Unit::Sum *>(sink));
}

/* --- choosing the kernel ------------------------------------------------------------------------------------------ */

/* On compute capability 8.0 and 9.0 the tensor cores support FP64, at twice the rate of the cores. */
static cudaError_t launch_tensor_fp64(cudaLaunchConfig_t config, int capability, uint32_t rounds, void *sink,
                                      double *operations)
{
    if (capability == 90)
        return launch_fragments<fp64_unit_9_0>(config, rounds, sink, operations);
    if (capability == 80)
        return launch_fragments<fp64_unit_8_0>(config, rounds, sink, operations);
    return cudaErrorNotSupported;
}

/* mma.sync reaches the full rate of the tensor cores of compute capability 8.x and 12.x. 9.0 needs wgmma, 10.x and 11.0
 * need tcgen05; mma.sync would reach only about half their rate, so the ceiling is then not measured. */
static cudaError_t launch_tensor(cudaLaunchConfig_t config, enum lab_gemm_type type, int capability, uint32_t rounds,
                                 void *sink, double *operations)
{
    if (type == LAB_GEMM_FP64)
        return launch_tensor_fp64(config, capability, rounds, sink, operations);
#if GPULAB_HAVE_WGMMA
    if (capability == 90)
        return lab_cuda_launch_gemm_ceiling_wgmma(config.stream, type, (int)config.gridDim.x, rounds,
                                                  static_cast<float *>(sink), operations);
#endif
    if ((capability / 10 != 8 && capability / 10 != 12) || type == LAB_GEMM_FP8)
        return cudaErrorNotSupported;
    if (type == LAB_GEMM_TF32)
        return launch_fragments<tf32_unit>(config, rounds, sink, operations);
    if (type == LAB_GEMM_BF16)
        return launch_fragments<bf16_unit>(config, rounds, sink, operations);
    return launch_fragments<fp16_unit>(config, rounds, sink, operations);
}

extern "C" cudaError_t lab_cuda_launch_gemm_ceiling(cudaStream_t stream, enum lab_gemm_type type, bool tensor,
                                                    int capability, int multiprocessors, uint32_t rounds, void *sink,
                                                    double *operations)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = (unsigned)multiprocessors;
    config.stream = stream;
    if (tensor)
        return launch_tensor(config, type, capability, rounds, sink, operations);
    if (type == LAB_GEMM_FP64)
        return launch_rotations<double>(config, rounds, sink, operations);
    return launch_rotations<float>(config, rounds, sink, operations);
}
