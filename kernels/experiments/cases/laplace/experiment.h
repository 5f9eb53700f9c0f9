/* The axes, shapes and parts of the experiment laplace. */
#ifndef LAB_LAPLACE_EXPERIMENT_H
#define LAB_LAPLACE_EXPERIMENT_H

#include "descriptor/parameters.h"
#include "descriptor/points.h"
#include "measure/run.h"

enum { LAPLACE_DEVICES, LAPLACE_SCALING, LAPLACE_VARIANT, LAPLACE_N, LAPLACE_INTERVAL };

/* The steps that code names. Those from LAPLACE_EXPOSED on are for several devices. */
enum laplace_variant {
    LAPLACE_COPY,
    LAPLACE_SEPARATE,
    LAPLACE_FUSED,
    LAPLACE_ROWS = 5,
    LAPLACE_GRAPH,
    LAPLACE_COOPERATIVE,
    LAPLACE_EXPOSED,
    LAPLACE_HIDDEN
};

/* A kernel of iterations; the points that a block has, and its threads. */
struct laplace_sweep {
    const char *kernel;
    uint32_t width, height, block_x, block_y;
};

extern const struct laplace_step {
    const char *name;
    const struct laplace_sweep *sweep;    /* NULL: the step has another kernel */
    size_t operations, single_operations; /* of the runtime: for an iteration of a part, and for a repetition */
} laplace_steps[];

LAB_RUN(laplace);

/* What is computed at a point: a plate of `total` x n points on `devices` devices. */
struct laplace_shape {
    enum laplace_variant variant;
    size_t devices;
    uint32_t n, total, iterations; /* iterations: of a repetition, and between two residuals */
    uint32_t mode;                 /* the wave of the first values, see laplace.h */
};

struct laplace_shape laplace_shape_of(const struct lab_point *point);

/* Bytes that an iteration has to read and to write: each value once. */
double laplace_iteration_bytes(const struct laplace_shape *shape);

/* Expected seconds of a repetition. */
double laplace_repetition_s(const struct laplace_shape *shape, const struct lab_device_facts *device);

/* Whether the plate of a point is solved, after it has been measured. */
bool laplace_is_solved(const struct lab_parameters *given, const struct laplace_shape *shape);
/* Iterations from values with the longest wave until the residual is below `bound`. */
double laplace_predicted_iterations(uint32_t n, double bound);

#endif
