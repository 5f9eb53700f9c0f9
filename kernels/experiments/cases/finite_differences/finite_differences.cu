/* The first derivative of a periodic function on a grid of n x n x n points by a stencil of nine points, in the
 * directions x, y and z. Indices of points fit in 32 bits; n is a multiple of GRID_UNIT. */
#include "benchmark/check.h"
#include "finite_differences.h"

/* The metric (finite_differences_metric) at position p along the direction. A uniform grid has only one. */
template <class T> __device__ static T metric_at(const T *__restrict__ metric, uint32_t stretched, uint32_t p)
{
    return metric[stretched * p];
}

/* The sum of the stencil, from the differences of the values that are 1 to 4 points ahead and behind. */
template <class T> __device__ static T stencil_of(T d1, T d2, T d3, T d4)
{
    return T(STENCIL_1) * d1 + T(STENCIL_2) * d2 + T(STENCIL_3) * d3 + T(STENCIL_4) * d4;
}

/* The grid is periodic: positions from -n to 2 n - 1 are taken to those from 0 to n - 1. */
__device__ static uint32_t wrapped(int position, uint32_t n)
{
    int side = (int)n;
    return (uint32_t)(position < 0 ? position + side : position < side ? position : position - side);
}

// region copy "The same bytes without a derivative"
/* A thread copies 16 bytes. This is the reference of all other variants. */
__device__ static void copy(const float4 *__restrict__ in, float4 *__restrict__ out, uint32_t units)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < units)
        out[i] = in[i];
}
// end

// steps use finite_differences.h:stencil

// region global "Eight loads from global memory"
/* A thread for each point. The caches deliver each value eight times: they serve the loads that other threads have made
 * before. */
template <class T, int DIRECTION>
__device__ static void global(const T *__restrict__ in, T *__restrict__ out, const T *__restrict__ metric,
                              uint32_t stretched, uint32_t n)
{
    const uint32_t at[3] = {blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y, blockIdx.z};
    const uint32_t stride = DIRECTION == 0 ? 1 : DIRECTION == 1 ? n : n * n, p = at[DIRECTION];
    if (at[0] >= n || at[1] >= n)
        return;
    uint32_t i = (at[2] * n + at[1]) * n + at[0], first = i - p * stride;
    T difference[RADIUS];
#pragma unroll
    for (int k = 1; k <= RADIUS; k++)
        difference[k - 1] = in[first + wrapped((int)p + k, n) * stride] - in[first + wrapped((int)p - k, n) * stride];
    out[i] = metric_at(metric, stretched, p) * stencil_of(difference[0], difference[1], difference[2], difference[3]);
}
// end

// step tile-4x64 "Tiles of 4 x 64 in shared memory" shows finite_differences.h:stencil, tile
/* Long in the direction of y or z, so that few values are loaded twice, but the rows in x are short. */

// step tile-32x32 "Tiles of 32 x 32 in shared memory" shows finite_differences.h:stencil, tile
/* A warp has a whole row of the tile. */

// step tile-64x16 "Tiles of 64 x 16 in shared memory" shows finite_differences.h:stencil, tile
/* Wide in x: few loads are made twice in x, half as many again in y and z. */

// region tile
/* A block computes a tile of WIDTH points in x and HEIGHT points in y, or for the derivative in z in z. It first loads
 * the tile and the points beyond its ends into shared memory, each once. */
template <class T, int DIRECTION, int WIDTH, int HEIGHT>
__device__ static void tile(const T *__restrict__ in, T *__restrict__ out, const T *__restrict__ metric,
                            uint32_t stretched, uint32_t n)
{
    constexpr int HALO_X = DIRECTION == 0 ? RADIUS : 0, HALO_Y = RADIUS - HALO_X;
    constexpr int COLUMNS = WIDTH + 2 * HALO_X, ROWS = HEIGHT + 2 * HALO_Y;
    __shared__ T values[ROWS][COLUMNS];
    const uint32_t pitch = DIRECTION == 2 ? n * n : n, plane = blockIdx.z * (DIRECTION == 2 ? n : n * n);
    const int x0 = (int)(blockIdx.x * WIDTH), y0 = (int)(blockIdx.y * HEIGHT), side = (int)n;
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += BLOCK) {
        int x = x0 + i % COLUMNS - HALO_X, y = y0 + i / COLUMNS - HALO_Y;
        if (x < side + HALO_X && y < side + HALO_Y)
            values[i / COLUMNS][i % COLUMNS] = in[plane + wrapped(y, n) * pitch + wrapped(x, n)];
    }
    __syncthreads();
    for (int i = threadIdx.x; i < HEIGHT * WIDTH; i += BLOCK) {
        int x = i % WIDTH, y = i / WIDTH;
        if (x0 + x >= side || y0 + y >= side)
            continue;
        const T *value = &values[y + HALO_Y][x + HALO_X];
        constexpr int STEP = DIRECTION == 0 ? 1 : COLUMNS;
        T sum = stencil_of(value[STEP] - value[-STEP], value[2 * STEP] - value[-2 * STEP],
                           value[3 * STEP] - value[-3 * STEP], value[4 * STEP] - value[-4 * STEP]);
        T factor = metric_at(metric, stretched, (uint32_t)(DIRECTION == 0 ? x0 + x : y0 + y));
        out[plane + (uint32_t)(y0 + y) * pitch + (uint32_t)(x0 + x)] = factor * sum;
    }
}
// end

// region pack
/* Neighbours in x, which a thread loads and stores with one access of 16 bytes. */
template <class T> struct alignas(16) pack {
    static constexpr int SIZE = 16 / sizeof(T);
    T items[SIZE];
};

template <class T> __device__ static pack<T> load(const T *from)
{
    return *reinterpret_cast<const pack<T> *>(from);
}
// end

// region registers-x
/* A thread has a pack of points and loads the packs with the four points before and behind them. */
template <class T>
__device__ static void registers_x(const T *__restrict__ in, T *__restrict__ out, const T *__restrict__ metric,
                                   uint32_t stretched, uint32_t n)
{
    constexpr int SIZE = pack<T>::SIZE, HALO = RADIUS / SIZE, PACKS = 2 * HALO + 1;
    const uint32_t i = (blockIdx.x * blockDim.x + threadIdx.x) * SIZE, p = i % n, first = i - p;
    if (i >= n * n * n)
        return;
    T value[PACKS * SIZE];
#pragma unroll
    for (int k = 0; k < PACKS; k++)
        *reinterpret_cast<pack<T> *>(&value[k * SIZE]) = load(in + first + wrapped((int)p + (k - HALO) * SIZE, n));
    pack<T> result;
#pragma unroll
    for (int k = 0; k < SIZE; k++) {
        const T *v = &value[RADIUS + k];
        result.items[k] =
            metric_at(metric, stretched, p + k) * stencil_of(v[1] - v[-1], v[2] - v[-2], v[3] - v[-3], v[4] - v[-4]);
    }
    *reinterpret_cast<pack<T> *>(out + i) = result;
}
// end

// steps use pack, registers-x

// region registers "Values of a line in registers"
/* In x a thread has the points of 16 bytes and loads those before and behind them. In y and z it goes along the line
 * and loads each value once. */
/* Writes results that nobody reads: the caches keep the values at the ends of segments instead. */
template <class T> __device__ static void stream(T *to, const pack<T> &result)
{
    __stcs(reinterpret_cast<float4 *>(to), reinterpret_cast<const float4 &>(result));
}

/* A thread goes along y or z through a segment of a column, a pack wide. The values that the stencil needs stay in
 * registers, so that each is loaded once; the loads of a batch do not wait for each other. */
template <class T, int DIRECTION>
__device__ static void registers(const T *__restrict__ in, T *__restrict__ out, const T *__restrict__ metric,
                                 uint32_t stretched, uint32_t n)
{
    constexpr int SIZE = pack<T>::SIZE;
    const uint32_t column = blockIdx.x * blockDim.x + threadIdx.x, packs = n / SIZE;
    const uint32_t stride = DIRECTION == 1 ? n : n * n, other_stride = DIRECTION == 1 ? n * n : n;
    if (column >= packs * n)
        return;
    const uint32_t first = column / packs * other_stride + column % packs * SIZE;
    const uint32_t begin = blockIdx.y * SEGMENT, end = min(begin + SEGMENT, n);
    pack<T> value[2 * RADIUS + BATCH];
#pragma unroll
    for (int k = 0; k < 2 * RADIUS; k++)
        value[k] = load(in + first + wrapped((int)begin + k - RADIUS, n) * stride);
    for (uint32_t p = begin; p < end; p += BATCH) {
#pragma unroll
        for (int k = 0; k < BATCH; k++)
            value[2 * RADIUS + k] = load(in + first + wrapped((int)p + RADIUS + k, n) * stride);
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const T factor = metric_at(metric, stretched, p + k);
            pack<T> result;
#pragma unroll
            for (int j = 0; j < SIZE; j++) {
                auto difference = [&](int d) {
                    return value[RADIUS + k + d].items[j] - value[RADIUS + k - d].items[j];
                };
                result.items[j] = factor * stencil_of(difference(1), difference(2), difference(3), difference(4));
            }
            stream(out + first + (p + k) * stride, result);
        }
#pragma unroll
        for (int k = 0; k < 2 * RADIUS; k++)
            value[k] = value[k + BATCH];
    }
}
// end

/* --- the kernels of the image ------------------------------------------------------------------------------------- */

#define KERNEL(name, T, ...)                                                                                           \
    extern "C" __global__ __launch_bounds__(BLOCK) void finite_differences_##name(                                     \
        const T *__restrict__ in, T *__restrict__ out, const T *__restrict__ metric, uint32_t stretched, uint32_t n)   \
    {                                                                                                                  \
        __VA_ARGS__(in, out, metric, stretched, n);                                                                    \
    }
#define KERNELS_OF_DIRECTION(direction, number, T, type)                                                               \
    KERNEL(global_##direction##_##type, T, global<T, number>)                                                          \
    KERNEL(tile_4x64_##direction##_##type, T, tile<T, number, 4, 64>)                                                  \
    KERNEL(tile_32x32_##direction##_##type, T, tile<T, number, 32, 32>)                                                \
    KERNEL(tile_64x16_##direction##_##type, T, tile<T, number, 64, 16>)
#define KERNELS(T, type)                                                                                               \
    KERNELS_OF_DIRECTION(x, 0, T, type)                                                                                \
    KERNELS_OF_DIRECTION(y, 1, T, type)                                                                                \
    KERNELS_OF_DIRECTION(z, 2, T, type)                                                                                \
    KERNEL(registers_x_##type, T, registers_x<T>)                                                                      \
    KERNEL(registers_y_##type, T, registers<T, 1>)                                                                     \
    KERNEL(registers_z_##type, T, registers<T, 2>)

KERNELS(float, fp32)
KERNELS(double, fp64)

extern "C" __global__ void finite_differences_copy(const float4 *__restrict__ in, float4 *__restrict__ out,
                                                   uint32_t units)
{
    copy(in, out, units);
}

/* Writes item i of an array of the grid's type. */
__device__ static void put(uint32_t *words, uint64_t i, bool fp64, double value)
{
    if (fp64)
        reinterpret_cast<double *>(words)[i] = value;
    else
        reinterpret_cast<float *>(words)[i] = (float)value;
}

#define FILL(name, value_of)                                                                                           \
    extern "C" __global__ void name(uint32_t *words, uint64_t count, uint64_t, uint64_t packed, uint64_t, uint64_t)    \
    {                                                                                                                  \
        struct finite_differences_grid grid = finite_differences_unpack(packed);                                       \
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count / (grid.fp64 ? 2 : 1);            \
             i += (uint64_t)gridDim.x * blockDim.x)                                                                    \
            put(words, i, grid.fp64, value_of(i, grid));                                                               \
    }
FILL(finite_differences_fill, finite_differences_value)
FILL(finite_differences_fill_metric, finite_differences_metric)

/* Compares every value with the exact one; `bound` are the bits of the largest error that is allowed. */
extern "C" __global__ void finite_differences_check(const uint32_t *words, uint64_t count, uint64_t, uint64_t packed,
                                                    uint64_t bound, uint64_t, struct lab_check_result *of_check)
{
    struct finite_differences_grid grid = finite_differences_unpack(packed);
    const double allowed = __longlong_as_double((long long)bound);
    const uint64_t points = count / (grid.fp64 ? 2 : 1);
    double largest = 0, squares = 0;
    unsigned long long wrong = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < points;
         i += (uint64_t)gridDim.x * blockDim.x) {
        double value =
            grid.fp64 ? reinterpret_cast<const double *>(words)[i] : (double)reinterpret_cast<const float *>(words)[i];
        double error = fabs(value - finite_differences_exact(i, grid));
        wrong += !(error <= allowed);
        largest = fmax(largest, error);
        squares += error * error;
    }
    atomicMax(&of_check->error, (unsigned long long)__double_as_longlong(largest));
    atomicAdd(&of_check->mean_square, squares / (double)points);
    if (wrong > 0)
        atomicAdd(&of_check->wrong, wrong);
}
