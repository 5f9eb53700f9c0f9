/* Declarations shared by the files of collectives: collectives.c (descriptor), points.c (points and plan), job.c
 * (communicator and operation of one point), data.c (buffers, their contents and verification), summands.c (inputs of
 * reductions), blocking.c (whether calls can be queued behind a latch), report.c (metrics of one point), run.c (the
 * loop over all points).
 */
#ifndef LAB_COLLECTIVES_H
#define LAB_COLLECTIVES_H

#include "experiment/experiment.h"
#include "runtime/runtime.h"

struct collectives_point {
    enum lab_collective_operation operation;
    bool in_place; /* the result overwrites the input */
    size_t device_count;
    size_t bytes; /* of the whole array, which consists of one part per device for operations with parts */
    /* number of elements that is passed to the runtime: of one part, or of the whole array if the operation has no
     * parts */
    size_t count;
};

/* COLLECTIVES_PART_UNIT_BYTES: parts start at multiples of 16 bytes, as in nccl-tests, because libraries move unaligned
 * ends element by element. */
enum { COLLECTIVES_ELEMENT_BYTES = sizeof(float), COLLECTIVES_PART_UNIT_BYTES = 16 };

/* Names of the operations; ends with NULL. */
extern const char *const collectives_operations[];

/* Whether the array of the operation consists of one part per device, as in an all-gather. */
bool collectives_has_parts(enum lab_collective_operation operation);

/* Whether the operation computes sums. */
bool collectives_reduces(enum lab_collective_operation operation);

/* The ratio of bus bandwidth to algorithm bandwidth (busbw / algbw), as defined by nccl-tests, doc/PERFORMANCE.md. */
double collectives_bus_factor(enum lab_collective_operation operation, size_t device_count);

/* Calls `visit` for each point in the order of measuring: by number of devices, operation, in-place setting, and size
 * ascending. run_devices: the number of devices of the run. Stops and returns false as soon as `visit` returns
 * false. */
bool collectives_each_point(const struct lab_parameters *parameters, size_t run_devices,
                            bool (*visit)(void *context, const struct collectives_point *point), void *context);

/* The reason why the point cannot be measured on any devices; NULL if it can be measured. */
const char *collectives_skip_reason(const struct collectives_point *point);

/* The plan and run of the descriptor (experiment.h). */
bool collectives_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                      size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool collectives_run(struct lab_run *run);

#endif
