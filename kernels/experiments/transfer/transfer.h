/* transfer, between its parts: transfer.c says what there is to measure, run.c measures it, report.c says what came out.
 */
#ifndef LAB_TRANSFER_H
#define LAB_TRANSFER_H

#include "experiment/experiment.h"
#include "runtime/runtime.h"

/* Values of the axes, in the order of the parameters' choices. */
enum transfer_engine { TRANSFER_COPY_ENGINE, TRANSFER_SM };
enum transfer_pattern { TRANSFER_CONTIGUOUS, TRANSFER_PIECES, TRANSFER_PITCHED, TRANSFER_ROWS };

/* One point: a copy of `bytes` bytes, repeated. */
struct transfer_point {
    enum lab_direction direction;
    bool opposing;  /* the other direction runs too */
    bool aggregate; /* both directions are what is measured; `direction` is LAB_H2D then */
    enum lab_memory memory;
    enum transfer_engine engine;
    enum transfer_pattern pattern;
    size_t bytes;
};

/* The points in the order in which they are measured: series by series, sizes growing, one kind of host memory after
 * the other. `visit` returns false to stop; so does the whole then. */
bool transfer_each_point(const struct lab_parameters *parameters,
                         bool (*visit)(void *context, const struct transfer_point *point), void *context);

/* How many bytes a buffer takes that holds a point of `bytes` bytes in any pattern of the request. */
size_t transfer_buffer_bytes(const struct lab_parameters *parameters, size_t bytes);

extern const char *const transfer_directions[], *const transfer_memories[], *const transfer_engines[],
                                                                                *const transfer_patterns[];

bool transfer_run(struct lab_run *run);

#endif
