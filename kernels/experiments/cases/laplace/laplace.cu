/* Jacobi iterations for Laplace's equation: each value becomes the mean of its four neighbours. A residual is the
 * largest change of an iteration; it is not negative, so the bits of a larger one are a larger integer. */
#include "benchmark/check.h"
#include "laplace.h"

#include <cooperative_groups.h>

__device__ static uint32_t at(uint32_t row, uint32_t column, uint32_t n)
{
    return row * laplace_pitch(n) + MARGIN - 1 + column;
}

// region residual-max
/* Called by all threads of a block: the largest change of the block's points is added to the residual. */
__device__ static void add_residual(uint32_t *residual, float change)
{
    __shared__ uint32_t largest;
    const uint32_t thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (residual == nullptr)
        return;
    if (thread == 0)
        largest = 0;
    __syncthreads();
    for (uint32_t offset = WARP / 2; offset > 0; offset /= 2)
        change = fmaxf(change, __shfl_down_sync(0xffffffff, change, offset));
    if (thread % WARP == 0)
        atomicMax(&largest, __float_as_uint(change));
    __syncthreads();
    if (thread == 0)
        atomicMax(residual, largest);
}
// end

__device__ static void clear(uint32_t *residual)
{
    if (blockIdx.x + blockIdx.y + threadIdx.x + threadIdx.y == 0 && residual != nullptr)
        *residual = 0;
}

// region points
/* A thread for each point. */
extern "C" __global__ void laplace_points(const float *__restrict__ in, float *__restrict__ out,
                                          struct laplace_part part, uint32_t first, uint32_t last, uint32_t *residual,
                                          uint32_t *cleared)
{
    const uint32_t column = blockIdx.x * blockDim.x + threadIdx.x + 1,
                   row = blockIdx.y * blockDim.y + threadIdx.y + first;
    const uint32_t i = at(row, column, part.n), pitch = laplace_pitch(part.n);
    float change = 0;
    clear(cleared);
    if (column <= part.n && row <= last) {
        float value = 0.25f * (in[i - 1] + in[i + 1] + in[i - pitch] + in[i + pitch]);
        out[i] = value;
        change = residual != nullptr ? fabsf(value - in[i]) : 0;
    }
    add_residual(residual, change);
}
// end

// region residual
/* The residual in a pass of its own, which reads both arrays again. */
extern "C" __global__ void laplace_residual(const float *__restrict__ in, const float *__restrict__ out,
                                            struct laplace_part part, uint32_t *residual)
{
    const uint32_t column = blockIdx.x * blockDim.x + threadIdx.x + 1, row = blockIdx.y * blockDim.y + threadIdx.y + 1;
    const uint32_t i = at(row, column, part.n);
    add_residual(residual, column <= part.n && row <= part.rows ? fabsf(out[i] - in[i]) : 0);
}
// end

// region tiles "Tiles in shared memory"
/* A block loads each value of a tile once, and those around it, into shared memory. */
extern "C" __global__ void laplace_tiles(const float *__restrict__ in, float *__restrict__ out,
                                         struct laplace_part part, uint32_t first, uint32_t last, uint32_t *residual,
                                         uint32_t *cleared)
{
    constexpr uint32_t COLUMNS = TILE_WIDTH + 2, ROWS = TILE_HEIGHT + 2;
    __shared__ float tile[ROWS][COLUMNS];
    const uint32_t column0 = blockIdx.x * TILE_WIDTH, row0 = blockIdx.y * TILE_HEIGHT + first - 1;
    float change = 0;
    clear(cleared);
    for (uint32_t i = threadIdx.x; i < ROWS * COLUMNS; i += BLOCK) {
        uint32_t row = row0 + i / COLUMNS, column = column0 + i % COLUMNS;
        if (row <= last + 1 && column <= part.n + 1)
            tile[i / COLUMNS][i % COLUMNS] = in[at(row, column, part.n)];
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < TILE_HEIGHT * TILE_WIDTH; i += BLOCK) {
        uint32_t y = i / TILE_WIDTH + 1, x = i % TILE_WIDTH + 1;
        if (row0 + y > last || column0 + x > part.n)
            continue;
        float value = 0.25f * (tile[y][x - 1] + tile[y][x + 1] + tile[y - 1][x] + tile[y + 1][x]);
        out[at(row0 + y, column0 + x, part.n)] = value;
        change = fmaxf(change, fabsf(value - tile[y][x]));
    }
    add_residual(residual, change);
}
// end

// step exposed "Several devices, rows exchanged after each iteration" shows iterate.c:halo, rows
/* The next iteration waits for the rows of the neighbours, so their copies are exposed. */

// step hidden "Several devices, rows exchanged during an iteration" shows iterate.c:halo, rows
/* The outer rows come first and are copied while the interior is computed, which hides the copies. */

// region rows "Rows in registers"
/* Four values side by side of eight rows: ten rows are loaded for eight, all at once. */
__device__ static float4 load(const float *from)
{
    return *reinterpret_cast<const float4 *>(from);
}

/* Computes four points of each row of a segment, which begins at `row`; returns their largest change. All loads are
 * made first and do not wait for each other. The rows stay in registers, so that each is loaded once. */
__device__ static float segment(const float *__restrict__ in, float *__restrict__ out, uint32_t n, uint32_t column,
                                uint32_t row, uint32_t last)
{
    const uint32_t pitch = laplace_pitch(n), i = at(row, column, n);
    float4 value[SEGMENT + 2];
    float left[SEGMENT], right[SEGMENT], change = 0;
    value[0] = load(in + i - pitch);
    value[1] = load(in + i);
#pragma unroll
    for (uint32_t k = 0; k < SEGMENT; k++)
        if (row + k <= last) {
            value[k + 2] = load(in + i + (k + 1) * pitch);
            left[k] = in[i + k * pitch - 1];
            right[k] = in[i + k * pitch + PACK];
        }
#pragma unroll
    for (uint32_t k = 0; k < SEGMENT; k++)
        if (row + k <= last) {
            const float4 up = value[k], own = value[k + 1], down = value[k + 2];
            const float4 mean = {0.25f * (left[k] + own.y + up.x + down.x), 0.25f * (own.x + own.z + up.y + down.y),
                                 0.25f * (own.y + own.w + up.z + down.z), 0.25f * (own.z + right[k] + up.w + down.w)};
            *reinterpret_cast<float4 *>(out + i + k * pitch) = mean;
            change = fmaxf(change, fmaxf(fmaxf(fabsf(mean.x - own.x), fabsf(mean.y - own.y)),
                                         fmaxf(fabsf(mean.z - own.z), fabsf(mean.w - own.w))));
        }
    return change;
}

extern "C" __global__ __launch_bounds__(BLOCK) void laplace_rows(const float *__restrict__ in, float *__restrict__ out,
                                                                 struct laplace_part part, uint32_t first,
                                                                 uint32_t last, uint32_t *residual, uint32_t *cleared)
{
    const uint32_t column = (blockIdx.x * BLOCK + threadIdx.x) * PACK + 1, row = first + blockIdx.y * SEGMENT;
    clear(cleared);
    add_residual(residual, column <= part.n ? segment(in, out, part.n, column, row, last) : 0);
}
// end

// region copy "The same bytes without arithmetic"
/* The traffic of an iteration: the reference. */
extern "C" __global__ void laplace_copy(const float *__restrict__ in, float *__restrict__ out, struct laplace_part part)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, row = i / (part.n / PACK) + 1;
    const uint32_t at_point = at(row, i % (part.n / PACK) * PACK + 1, part.n);
    if (row <= part.rows)
        *reinterpret_cast<float4 *>(out + at_point) = load(in + at_point);
}
// end

// steps use rows

// region cooperative "All iterations in one launch"
/* The blocks run at the same time and wait for each other after each iteration. */
extern "C" __global__ __launch_bounds__(BLOCK) void laplace_cooperative(float *a, float *b, struct laplace_part part,
                                                                        uint32_t iterations, uint32_t *residual)
{
    const uint32_t packs = part.n / PACK, segments = (part.rows + SEGMENT - 1) / SEGMENT;
    clear(residual);
    for (uint32_t k = 0; k < iterations; k++) {
        float change = 0;
        for (uint32_t i = blockIdx.x * BLOCK + threadIdx.x; i < packs * segments; i += gridDim.x * BLOCK)
            change = fmaxf(change, segment(k % 2 == 0 ? a : b, k % 2 == 0 ? b : a, part.n, i % packs * PACK + 1,
                                           i / packs * SEGMENT + 1, part.rows));
        cooperative_groups::this_grid().sync();
        add_residual(k + 1 == iterations ? residual : nullptr, change);
    }
}
// end

/* Fills all rows and columns with the values before the first iteration. */
extern "C" __global__ void laplace_fill(float *values, struct laplace_part part)
{
    const uint64_t columns = part.n + 2, count = columns * (part.rows + 2);
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        uint32_t row = (uint32_t)(i / columns), column = (uint32_t)(i % columns);
        values[at(row, column, part.n)] = (float)laplace_value(part.first + row, column, part, 1);
    }
}

/* Compares the points with those whose wave has the given amplitude. */
extern "C" __global__ void laplace_check(const float *values, struct laplace_part part, double amplitude,
                                         double allowed, struct lab_check_result *of_check)
{
    const uint64_t count = (uint64_t)part.n * part.rows;
    unsigned long long wrong = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        uint32_t row = (uint32_t)(i / part.n) + 1, column = (uint32_t)(i % part.n) + 1;
        double exact = laplace_value(part.first + row, column, part, amplitude);
        wrong += !(fabs((double)values[at(row, column, part.n)] - exact) <= allowed);
    }
    if (wrong > 0)
        atomicAdd(&of_check->wrong, wrong);
}
