/* Declarations shared by the files of peer-transpose: peer_transpose.c (descriptor), points.c (axes and plan), job.h
 * (matrix, streams and kernels on every device, operations of one variant), run.c (how a point is measured), and
 * peer_transpose.cu (the kernel).
 */
#ifndef LAB_PEER_TRANSPOSE_H
#define LAB_PEER_TRANSPOSE_H

#include "descriptor/points.h"
#include "measure/run.h"

enum { TRANSPOSE_CHUNKS_MAX = 16, TRANSPOSE_STREAMS_MAX = 16 };

/* The axes: indices into struct lab_point.values. The baseline of the local transposes has no value on the last
 * three. */
enum transpose_axis {
    TRANSPOSE_DEVICES,
    TRANSPOSE_CHUNKS,
    TRANSPOSE_N,
    TRANSPOSE_ACCESS,
    TRANSPOSE_OPERATION,
    TRANSPOSE_VARIANT
};

/* The device that copies: the target reads, or the source writes. Values of TRANSPOSE_OPERATION. */
enum transpose_operation { TRANSPOSE_READ, TRANSPOSE_WRITE };

LAB_RUN(peer_transpose);

/* Which part of the work is done, and how. All but the last are values of the axis, of which the first three can be
 * requested; the others are baselines. */
enum transpose_variant {
    TRANSPOSE_SEQUENTIAL, /* all local transposes, then all copies */
    TRANSPOSE_OVERLAPPED, /* each piece is sent as soon as it is transposed */
    TRANSPOSE_DIRECT,     /* the kernels write to the memory of the other devices */
    TRANSPOSE_ALL_TO_ALL, /* the copies alone: the reference for the variants above */
    TRANSPOSE_LOCAL       /* the local transposes alone */
};

/* How the matrix is divided among the devices. */
struct transpose_shape {
    size_t devices;
    size_t n;          /* rows and columns of the matrix: a multiple of devices * chunks */
    size_t width;      /* columns of each device: n / devices */
    size_t chunks;     /* number of chunks in which each block is sent */
    size_t chunk_rows; /* rows of a chunk of a transposed block: width / chunks */
};

struct transpose_shape transpose_shape_of(const struct lab_point *point);
enum transpose_variant transpose_variant_of(const struct lab_point *point);

/* The number of devices that take part, out of the run's `devices`. */
size_t transpose_devices(const struct lab_parameters *parameters, size_t devices);

/* Bytes of the part of one device: its columns of the matrix. */
static inline size_t transpose_part_bytes(const struct transpose_shape *shape)
{
    return shape->n * shape->width * 4;
}

/* Bytes of the block that one device sends to another. */
static inline size_t transpose_block_bytes(const struct transpose_shape *shape)
{
    return shape->width * shape->width * 4;
}

/* Bytes that move from one device to another, in total. */
static inline double transpose_crossing_bytes(const struct transpose_shape *shape)
{
    return (double)(shape->devices * (shape->devices - 1)) * (double)transpose_block_bytes(shape);
}

#endif
