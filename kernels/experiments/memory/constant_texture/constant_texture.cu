/* Lookups in a small table through constant, global and shared memory, and rotations of an image that is read by global
 * loads, through a linear texture and through a texture of an array. */
#include "benchmark/check.h"
#include "constant_texture.h"

/* --- lookups in a table ------------------------------------------------------------------------------------------- */

// region sum
/* The sum of the entries of `table` that a thread reads. The loads of a round do not wait for each other. */
__device__ static uint32_t sum_entries(const uint32_t *__restrict__ table, uint32_t distinct, uint32_t stride)
{
    uint32_t sum = 0;
#pragma unroll 1
    for (uint32_t round = 0; round < CONSTANT_TEXTURE_ROUNDS; round++) {
        const uint32_t *first = table + constant_texture_first(threadIdx.x, round, distinct, stride);
#pragma unroll
        for (uint32_t k = 0; k < CONSTANT_TEXTURE_LOADS; k++)
            sum += first[k];
    }
    return sum;
}
// end

// steps use constant_texture.h:lookup, sum

// region constant "Table in constant memory"
/* The table is a __constant__ variable, so the loads are constant loads (LDC), which serve one address at a time. */
__constant__ uint32_t constant_texture_table[CONSTANT_TEXTURE_WORDS(CONSTANT_TEXTURE_STRIDE_MAX)];

extern "C" __global__ void constant_texture_constant(uint32_t *sums, uint32_t distinct, uint32_t stride)
{
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum_entries(constant_texture_table, distinct, stride);
}
// end

// region global
extern "C" __global__ void constant_texture_global(const uint32_t *__restrict__ table, uint32_t *__restrict__ sums,
                                                   uint32_t distinct, uint32_t stride)
{
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum_entries(table, distinct, stride);
}
// end

// region shared "Table in shared memory"
/* Each block copies the table first, about one load in 1000. Words in different banks are read together. */
extern "C" __global__ void constant_texture_shared(const uint32_t *table, uint32_t *sums, uint32_t distinct,
                                                   uint32_t stride)
{
    extern __shared__ uint32_t copy[];
    for (uint32_t i = threadIdx.x; i < CONSTANT_TEXTURE_WORDS(stride); i += blockDim.x)
        copy[i] = table[i];
    __syncthreads();
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum_entries(copy, distinct, stride);
}
// end

LAB_CHECK_KERNEL(constant_texture_check_sums, constant_texture_sum)

/* --- rotation of an image ----------------------------------------------------------------------------------------- */

// region rotate
/* Each thread computes 4 of the 32 x 32 pixels of its block. The 32 pixels that a warp computes together are a line, or
 * with TILES a tile of 8 x 4 pixels. pixel(x, y) reads the image. */
template <bool TILES, class Pixel>
__device__ static void rotate(Pixel pixel, uint32_t *result, struct constant_texture_rotation rotation)
{
    uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t x = blockIdx.x * CONSTANT_TEXTURE_BLOCK + (TILES ? 8 * i + lane % 8 : lane);
        uint32_t y = blockIdx.y * CONSTANT_TEXTURE_BLOCK + (TILES ? 4 * warp + lane / 8 : 8 * i + warp);
        struct constant_texture_pixel source = constant_texture_source(rotation, (int32_t)x, (int32_t)y);
        result[y * (uint32_t)rotation.side + x] = pixel(source.x, source.y);
    }
}
// end

// region turn
/* A block computes 32 x 32 voxels of one layer of x and z, and has a layer of y. voxel(x, y, z) reads the cube. */
template <class Voxel>
__device__ static void turn(Voxel voxel, uint32_t *result, struct constant_texture_rotation rotation)
{
    uint32_t side = (uint32_t)rotation.side, y = blockIdx.z;
    uint32_t x = blockIdx.x * CONSTANT_TEXTURE_BLOCK + threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t z = blockIdx.y * CONSTANT_TEXTURE_BLOCK + 8 * i + warp;
        struct constant_texture_pixel source = constant_texture_source(rotation, (int32_t)x, (int32_t)z);
        result[(z * side + y) * side + x] = voxel(source.x, (int32_t)y, source.y);
    }
}
// end

// step global "Table, image and volume in global memory" shows sum, global, rotate, loads, turn, loads-volume
/* The table: the same loop with loads from global memory, through the L1 cache, which delivers a line of 128 bytes at
 * a time. The image: the place of a pixel in memory is computed from its coordinates; the rows are contiguous. */

// region loads
template <bool TILES>
__device__ static void rotate_loads(const uint32_t *image, uint32_t *result, struct constant_texture_rotation rotation)
{
    auto pixel = [=](int32_t x, int32_t y) { return __ldg(image + y * rotation.side + x); };
    rotate<TILES>(pixel, result, rotation);
}
// end

// region loads-volume
extern "C" __global__ void constant_texture_loads_volume(const uint32_t *cube, uint32_t *result, int32_t side,
                                                         int32_t cosine, int32_t sine)
{
    auto voxel = [=](int32_t x, int32_t y, int32_t z) { return __ldg(cube + (z * side + y) * side + x); };
    turn(voxel, result, {side, cosine, sine});
}
// end

// step texture-linear "Texture of plain memory" shows constant_texture.h:rotation, rotate, linear, turn, linear-volume
/* The texture units read the same memory, row after row, by the index of the pixel. */

// region linear
template <bool TILES>
__device__ static void rotate_linear(cudaTextureObject_t image, uint32_t *result,
                                     struct constant_texture_rotation rotation)
{
    auto pixel = [=](int32_t x, int32_t y) { return tex1Dfetch<uint32_t>(image, y * rotation.side + x); };
    rotate<TILES>(pixel, result, rotation);
}
// end

// region linear-volume
extern "C" __global__ void constant_texture_linear_volume(cudaTextureObject_t cube, uint32_t *result, int32_t side,
                                                          int32_t cosine, int32_t sine)
{
    auto voxel = [=](int32_t x, int32_t y, int32_t z) { return tex1Dfetch<uint32_t>(cube, (z * side + y) * side + x); };
    turn(voxel, result, {side, cosine, sine});
}
// end

// step texture-array "Texture of an array" shows constant_texture.h:rotation, rotate, array, turn, array-volume
/* The image was copied to an array, of a volume a three-dimensional one. The texture units compute where a pixel is
 * from its coordinates; pixels that are near each other in a column are near each other in memory too. */

// region array
/* The centre of pixel (x, y) has the coordinates x + 0.5, y + 0.5. */
template <bool TILES>
__device__ static void rotate_array(cudaTextureObject_t image, uint32_t *result,
                                    struct constant_texture_rotation rotation)
{
    auto pixel = [=](int32_t x, int32_t y) { return tex2D<uint32_t>(image, (float)x + 0.5f, (float)y + 0.5f); };
    rotate<TILES>(pixel, result, rotation);
}
// end

// region array-volume
extern "C" __global__ void constant_texture_array_volume(cudaTextureObject_t cube, uint32_t *result, int32_t side,
                                                         int32_t cosine, int32_t sine)
{
    auto voxel = [=](int32_t x, int32_t y, int32_t z) {
        return tex3D<uint32_t>(cube, (float)x + 0.5f, (float)y + 0.5f, (float)z + 0.5f);
    };
    turn(voxel, result, {side, cosine, sine});
}
// end

#define KERNELS(name, type)                                                                                            \
    extern "C" __global__ void constant_texture_##name##_lines(type image, uint32_t *result, int32_t side,             \
                                                               int32_t cosine, int32_t sine)                           \
    {                                                                                                                  \
        rotate_##name<false>(image, result, {side, cosine, sine});                                                     \
    }                                                                                                                  \
    extern "C" __global__ void constant_texture_##name##_tiles(type image, uint32_t *result, int32_t side,             \
                                                               int32_t cosine, int32_t sine)                           \
    {                                                                                                                  \
        rotate_##name<true>(image, result, {side, cosine, sine});                                                      \
    }

KERNELS(loads, const uint32_t *)
KERNELS(linear, cudaTextureObject_t)
KERNELS(array, cudaTextureObject_t)

LAB_CHECK_KERNEL(constant_texture_check_image, constant_texture_rotated)
LAB_CHECK_KERNEL(constant_texture_check_volume, constant_texture_turned)
