/* Declarations shared by the files of transfer: transfer.c (descriptor), points.c (points and plan), job.c (buffers and
 * copies of one point), report.c (metrics of one point), run.c (the loop over all points).
 */
#ifndef LAB_TRANSFER_H
#define LAB_TRANSFER_H

#include "experiment/experiment.h"
#include "runtime/runtime.h"

/* Values of the parameters with choices; each enum has the order of the parameter's choices. */
enum transfer_engine {
    TRANSFER_COPY_ENGINE,
    TRANSFER_SM /* a copy kernel on the multiprocessors */
};
enum transfer_pattern {
    TRANSFER_CONTIGUOUS, /* one copy */
    TRANSFER_PIECES,     /* the same bytes in many small copies */
    TRANSFER_PITCHED,    /* rows of a wider array in one two-dimensional copy */
    TRANSFER_ROWS        /* the same rows in one copy each */
};

/* One point: a copy of `bytes` bytes, repeated. */
struct transfer_point {
    enum lab_direction direction;
    bool opposing;          /* copies in the other direction run at the same time */
    bool aggregate;         /* both directions are measured together; `direction` is then LAB_H2D */
    enum lab_memory memory; /* of the host buffers; LAB_MEMORY_DEVICE for copies within the device */
    enum transfer_engine engine;
    enum transfer_pattern pattern;
    size_t bytes; /* copied in each direction */
};

/* Calls `visit` for each point in the order of measuring: for each kind of host memory, one series after the other (a
 * series is all sizes with the same other coordinates), sizes ascending. Stops and returns false as soon as `visit`
 * returns false. */
bool transfer_each_point(const struct lab_parameters *parameters,
                         bool (*visit)(void *context, const struct transfer_point *point), void *context);

/* Bytes of a buffer that can hold a point of `bytes` bytes in every pattern of the request. */
size_t transfer_buffer_bytes(const struct lab_parameters *parameters, size_t bytes);

/* Names of the values, which are the choices of the parameters; each array ends with NULL. */
extern const char *const transfer_directions[], *const transfer_memories[], *const transfer_engines[],
                                                                                *const transfer_patterns[];

/* The plan and run of the descriptor (experiment.h). */
bool transfer_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                   size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool transfer_run(struct lab_run *run);

#endif
