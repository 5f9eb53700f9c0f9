/* collectives, between its parts: collectives.c says what there is to measure, data.c makes what is sent and checks what
 * arrives, shares.c makes what is added up, waiting.c finds out how to time, run.c measures and reports.
 */
#ifndef LAB_COLLECTIVES_H
#define LAB_COLLECTIVES_H

#include "experiment/experiment.h"
#include "runtime/runtime.h"

/* One point. */
struct collectives_point {
    enum lab_collective_operation operation;
    bool in_place;
    size_t device_count;
    size_t bytes; /* of the whole: of all parts together, where each device has a part */
    size_t count; /* elements as the runtime counts them: of one part, or of the whole where there are no parts */
};

extern const char *const collectives_operations[];

/* Whether the operation deals in parts, one for each device. */
bool collectives_has_parts(enum lab_collective_operation operation);

/* Whether it adds up. */
bool collectives_reduces(enum lab_collective_operation operation);

/* busbw / algbw, after nccl-tests: doc/PERFORMANCE.md. */
double collectives_bus_factor(enum lab_collective_operation operation, size_t device_count);

/* The points in the order in which they are measured: device count by device count, operation by operation, out of place
 * and in place as asked for, sizes growing. `run_devices` is how many the run has. `visit` returns false to stop; so does
 * the whole then. */
bool collectives_each_point(const struct lab_parameters *parameters, size_t run_devices,
                            bool (*visit)(void *context, const struct collectives_point *point), void *context);

/* Why such a point cannot be on any device; NULL when it can. */
const char *collectives_skip_reason(const struct collectives_point *point);

bool collectives_run(struct lab_run *run);

#endif
