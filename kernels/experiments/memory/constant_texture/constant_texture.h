/* What constant-texture reads and its results, compiled for device and host. */
#ifndef LAB_CONSTANT_TEXTURE_H
#define LAB_CONSTANT_TEXTURE_H

#include "runtime/pattern.h"

enum { CONSTANT_TEXTURE_WARP = 32 };

/* --- lookups in a table ------------------------------------------------------------------------------------------- */

/* A thread reads its first entry and those that follow: LOADS in a round, after which the next part of the table
 * follows. */
enum { CONSTANT_TEXTURE_LOADS = 32, CONSTANT_TEXTURE_ROUNDS = 32, CONSTANT_TEXTURE_PARTS = 8 };

enum { CONSTANT_TEXTURE_STRIDE_MAX = 32 };

/* Words of the table: LOADS * PARTS for the first thread of a warp, and the distance of the last one. */
#define CONSTANT_TEXTURE_WORDS(stride)                                                                                 \
    (CONSTANT_TEXTURE_LOADS * CONSTANT_TEXTURE_PARTS + (CONSTANT_TEXTURE_WARP - 1) * (stride))

// region lookup
/* The first entry that a thread reads in a round: `distinct` different ones in a warp, `stride` words apart. */
LAB_HOST_DEVICE uint32_t constant_texture_first(uint32_t thread, uint32_t round, uint32_t distinct, uint32_t stride)
{
    uint32_t part = round % CONSTANT_TEXTURE_PARTS;
    return part * CONSTANT_TEXTURE_LOADS + thread % CONSTANT_TEXTURE_WARP % distinct * stride;
}
// end

/* Element `i` of the result: the sum of all entries that thread i reads. The table has LAB_CONTENT_WORDS of `seed`.
 * parameters[]: distinct, stride. */
LAB_HOST_DEVICE uint32_t constant_texture_sum(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    uint32_t distinct = (uint32_t)parameters[0], stride = (uint32_t)parameters[1], sum = 0;
    for (uint32_t round = 0; round < CONSTANT_TEXTURE_ROUNDS; round++)
        for (uint32_t k = 0; k < CONSTANT_TEXTURE_LOADS; k++)
            sum += lab_pattern_word(constant_texture_first((uint32_t)i, round, distinct, stride) + k, seed);
    return sum;
}

/* --- rotation of an image ----------------------------------------------------------------------------------------- */

/* A block of threads computes BLOCK x BLOCK pixels. */
enum { CONSTANT_TEXTURE_BLOCK = 32, CONSTANT_TEXTURE_SIDE_MAX = 8192 };

/* A rotation of an image of `side` x `side` pixels, a power of two. The sine and the cosine are multiples of 1 /
 * 65536. */
struct constant_texture_rotation {
    int32_t side, cosine, sine;
};

// region rotation
struct constant_texture_pixel {
    int32_t x, y;
};

/* The pixel of the image that becomes pixel (x, y) of the result. The image is repeated in both directions. */
LAB_HOST_DEVICE struct constant_texture_pixel constant_texture_source(struct constant_texture_rotation r, int32_t x,
                                                                      int32_t y)
{
    struct constant_texture_pixel source;
    source.x = (r.cosine * x + r.sine * y) >> 16 & (r.side - 1);
    source.y = (r.cosine * y - r.sine * x) >> 16 & (r.side - 1);
    return source;
}
// end

/* Element `i` of the result: the image has LAB_CONTENT_WORDS of `seed`. parameters[]: side, cosine, sine. */
LAB_HOST_DEVICE uint32_t constant_texture_rotated(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    struct constant_texture_rotation rotation = {(int32_t)parameters[0], (int32_t)parameters[1],
                                                 (int32_t)parameters[2]};
    struct constant_texture_pixel source =
        constant_texture_source(rotation, (int32_t)(i % parameters[0]), (int32_t)(i / parameters[0]));
    return lab_pattern_word((uint64_t)source.y * parameters[0] + (uint64_t)source.x, seed);
}

/* Voxel `i` of a cube with such sides that was rotated about its second axis: each layer of x and z like an image. */
LAB_HOST_DEVICE uint32_t constant_texture_turned(uint64_t i, uint64_t seed, const uint64_t parameters[3])
{
    struct constant_texture_rotation rotation = {(int32_t)parameters[0], (int32_t)parameters[1],
                                                 (int32_t)parameters[2]};
    uint64_t x = i % parameters[0], y = i / parameters[0] % parameters[0], z = i / parameters[0] / parameters[0];
    struct constant_texture_pixel source = constant_texture_source(rotation, (int32_t)x, (int32_t)z);
    return lab_pattern_word(((uint64_t)source.y * parameters[0] + y) * parameters[0] + (uint64_t)source.x, seed);
}

#endif
