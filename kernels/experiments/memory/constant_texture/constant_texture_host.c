/* The rotation of constant-texture for host devices: each core computes a contiguous part of the result. */
#include "benchmark/check.h"
#include "constant_texture.h"

enum { BLOCK = CONSTANT_TEXTURE_BLOCK };

// region part
/* The arguments of a rotation, and the rows of a part, in whole blocks. */
struct job {
    const uint32_t *image;
    uint32_t *result;
    struct constant_texture_rotation rotation;
    int32_t begin, end;
};

static struct job job_of(const struct lab_host_part *part, const struct lab_argument *arguments)
{
    struct constant_texture_rotation rotation = {arguments[2].i32, arguments[3].i32, arguments[4].i32};
    uint64_t begin, end;
    lab_host_part_range(part, (uint64_t)rotation.side, BLOCK, &begin, &end);
    return (struct job){arguments[0].pointer, arguments[1].pointer, rotation, (int32_t)begin, (int32_t)end};
}

static inline void rotate_pixel(const struct job *job, int32_t x, int32_t y)
{
    struct constant_texture_pixel source = constant_texture_source(job->rotation, x, y);
    job->result[(size_t)y * (size_t)job->rotation.side + (size_t)x] =
        job->image[(size_t)source.y * (size_t)job->rotation.side + (size_t)source.x];
}
// end

// region lines
LAB_HOST_KERNEL(constant_texture_loads_lines)
{
    const struct job job = job_of(part, arguments);
    for (int32_t y = job.begin; y < job.end; y++)
        for (int32_t x = 0; x < job.rotation.side; x++)
            rotate_pixel(&job, x, y);
}
// end

// step global "Image" shows constant_texture.h:rotation, part, lines, tiles, volume
/* Lines and tiles of 32 x 32 pixels: with tiles the pixels of a cache line are used soon after each other even if the
 * image is read by columns. */

// region tiles
LAB_HOST_KERNEL(constant_texture_loads_tiles)
{
    const struct job job = job_of(part, arguments);
    for (int32_t row = job.begin; row < job.end; row += BLOCK)
        for (int32_t column = 0; column < job.rotation.side; column += BLOCK)
            for (int32_t y = row; y < row + BLOCK; y++)
                for (int32_t x = column; x < column + BLOCK; x++)
                    rotate_pixel(&job, x, y);
}
// end

// region volume
LAB_HOST_KERNEL(constant_texture_loads_volume)
{
    const struct job job = job_of(part, arguments);
    const size_t side = (size_t)job.rotation.side;
    for (int32_t z = job.begin; z < job.end; z++)
        for (size_t y = 0; y < side; y++)
            for (int32_t x = 0; x < job.rotation.side; x++) {
                struct constant_texture_pixel source = constant_texture_source(job.rotation, x, z);
                job.result[((size_t)z * side + y) * side + (size_t)x] =
                    job.image[((size_t)source.y * side + y) * side + (size_t)source.x];
            }
}
// end

LAB_CHECK_HOST(constant_texture_check_image, constant_texture_rotated)
LAB_CHECK_HOST(constant_texture_check_volume, constant_texture_turned)
