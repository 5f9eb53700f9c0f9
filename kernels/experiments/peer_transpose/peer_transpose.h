/* peer-transpose, between its parts: peer_transpose.c says what it is, points.c what there is to measure, setup.c holds
 * the matrix and what works on it, job.c queues the work, run.c measures it, report.c says what came out, timeline.c
 * traces it.
 */
#ifndef LAB_PEER_TRANSPOSE_H
#define LAB_PEER_TRANSPOSE_H

#include "measure/run.h"

enum { TRANSPOSE_CHUNKS_MAX = 16, TRANSPOSE_STREAMS_MAX = 16 };

/* What is done of the job, the first two being values of the parameter `variant`. */
enum transpose_variant {
    TRANSPOSE_SEQUENTIAL, /* all local transposes, then all copies */
    TRANSPOSE_OVERLAPPED, /* each piece is sent as soon as it is transposed */
    TRANSPOSE_ALL_TO_ALL, /* the copies alone: what the others are held against */
    TRANSPOSE_LOCAL       /* the local transposes alone */
};

extern const char *const transpose_variants[], *const transpose_variant_choices[];

/* How the matrix is divided. */
struct transpose_shape {
    size_t devices;
    size_t n;          /* rows and columns of the matrix: a multiple of devices * chunks */
    size_t width;      /* columns that each device has: n / devices */
    size_t chunks;     /* pieces that each block is sent in */
    size_t chunk_rows; /* rows of a piece, which is transposed square by square: width / chunks */
};

struct transpose_point {
    struct transpose_shape shape;
    enum transpose_variant variant;
    bool peer_access; /* peer access; not of TRANSPOSE_LOCAL */
};

/* The points in the order in which they are measured: of each shape first the local transposes, which leave the
 * blocks ready to be sent, then with each kind of peer access the copies alone, then the variants. `visit` returns
 * false to stop; so does the whole then. */
bool transpose_each_point(const struct lab_parameters *parameters, size_t devices,
                          bool (*visit)(void *context, const struct transpose_point *point), void *context);

/* How many of the run's devices take part. */
size_t transpose_devices(const struct lab_parameters *parameters, size_t devices);

/* Bytes that a device holds of the matrix, and of the blocks that it sends. */
static inline size_t transpose_part_bytes(const struct transpose_shape *shape)
{
    return shape->n * shape->width * 4;
}

static inline size_t transpose_block_bytes(const struct transpose_shape *shape)
{
    return shape->width * shape->width * 4;
}

/* Bytes that cross from one device to another, of all together. */
static inline double transpose_crossing_bytes(const struct transpose_shape *shape)
{
    return (double)(shape->devices * (shape->devices - 1)) * (double)transpose_block_bytes(shape);
}

bool transpose_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                    size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool transpose_run(struct lab_run *run);

#endif
