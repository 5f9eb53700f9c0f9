/* The plate on one device or divided by rows among several, the kernels and copies of an iteration on it, and the
 * variants of the work with the callbacks by which lab_measure times and verifies them.
 */
#ifndef LAB_LAPLACE_PLATE_H
#define LAB_LAPLACE_PLATE_H

#include "experiment.h"
#include "laplace.h"

#include "benchmark/resources.h"

/* Launches of a part; those of entry [i % 2] belong to iteration i, which reads values[i % 2] and writes the other
 * ones. */
struct laplace_launches {
    struct lab_plan *sweep[2];    /* an iteration without a residual */
    struct lab_plan *measured[2]; /* an iteration with its residual in residuals[i % 2] */
    struct lab_plan *residual[2]; /* the residual in a pass of its own */
    struct lab_plan *edges[2][2]; /* first and last row of the part */
    struct lab_plan *interior[2]; /* the other rows */
    struct lab_plan *cooperative; /* all iterations of a repetition */
    struct lab_plan *fill[2], *check;
};

/* What a device has of the plate. */
struct laplace_slice {
    struct laplace_part part;
    float *values[2];
    uint32_t *residuals; /* two, as bits of floats, in device memory */
    uint32_t *read;      /* copies of them, pinned */
    void *found;         /* struct lab_check_result in device memory */
    struct laplace_launches launches;
    struct lab_stream *edge; /* stream of the edge rows and of their copies to other devices */
    struct lab_event *ready, *interior_ended, *edges_ended, *sent;
};

struct laplace_plate {
    struct lab_run *run;
    const struct lab_runtime *runtime;
    struct lab_resources resources;
    size_t devices;
    struct lab_lane lanes[LAB_RUN_DEVICES_MAX];
    struct laplace_slice slices[LAB_RUN_DEVICES_MAX];
    struct lab_module *modules[LAB_RUN_DEVICES_MAX];
    enum laplace_variant variant;
    uint32_t iterations; /* of a repetition: even */
    struct lab_graph *graph;
};

/* Creates the plate of a point on the first `devices` devices of the run: memory, launches and, for the variant graph,
 * the graph. The values are those before the first iteration. Returns false with run->error set; the code is
 * "unsupported" if a device has not what the variant needs. Call laplace_plate_close in either case. */
bool laplace_plate_open(struct laplace_plate *plate, struct lab_run *run, const struct laplace_shape *shape);
/* Waits for all work and releases everything. */
void laplace_plate_close(struct laplace_plate *plate);

/* Callbacks of struct lab_work; the context is a struct laplace_plate. A repetition has plate->iterations iterations.
 * Poisoning sets the values to those before the first iteration, so that the result of one repetition is known. */
bool laplace_enqueue(void *context);
bool laplace_poison(void *context);
bool laplace_verify(void *context, uint64_t *wrong);

/* Queues `count` iterations, an even number. Not for the variants graph and cooperative, which have
 * plate->iterations. */
bool laplace_iterate(struct laplace_plate *plate, uint32_t count);

/* Waits for all devices. */
bool laplace_synchronize(struct laplace_plate *plate);

/* The last residual that was copied to the host: the largest of all devices. Call laplace_synchronize before. */
double laplace_residual(const struct laplace_plate *plate);

/* Runtime operations of a repetition. */
size_t laplace_operations(const struct laplace_plate *plate);

#endif
