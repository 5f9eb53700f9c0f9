/* Declarations shared by the files of transfer: transfer.c (descriptor), points.c (values of the axes and plan), copies.c
 * (buffers and copies of one point), run.c (the cases of the loop, and the line fitted to each series).
 */
#ifndef LAB_TRANSFER_H
#define LAB_TRANSFER_H

#include "measure/measure.h"

/* The axes, in the order of the table. On axis `direction` LAB_NO_VALUE means that both directions are measured together;
 * on axis `memory`, that the copy is within the device. */
enum { TRANSFER_MEMORY, TRANSFER_ENGINE, TRANSFER_PATTERN, TRANSFER_OPPOSING, TRANSFER_DIRECTION, TRANSFER_BYTES };

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

/* Functions of the axes (struct lab_axis). */
bool transfer_uses_link(const struct lab_point *point);
void transfer_list_memories(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values);
void transfer_list_directions(const struct lab_points_request *request, const struct lab_point *point,
                              struct lab_axis_values *values);

/* Whether both directions are measured together. */
static inline bool transfer_is_aggregate(const struct lab_point *point)
{
    return point->values[TRANSFER_DIRECTION] == LAB_NO_VALUE;
}

/* The kind of host memory of a point; LAB_MEMORY_DEVICE for copies within the device. */
static inline enum lab_memory transfer_memory(const struct lab_point *point)
{
    int64_t value = point->values[TRANSFER_MEMORY];
    return value == LAB_NO_VALUE ? LAB_MEMORY_DEVICE : (enum lab_memory)(LAB_MEMORY_PAGEABLE + value);
}

/* Bytes of a buffer that can hold `bytes` bytes in every pattern of the request. */
size_t transfer_buffer_bytes(const struct lab_parameters *parameters, size_t bytes);

/* The buffers and the copies of one point. */
struct transfer_copies;

/* Creates the streams. Returns NULL with run->error set on failure. */
struct transfer_copies *transfer_copies_create(struct lab_run *run);
/* Releases everything; NULL is allowed and does nothing. */
void transfer_copies_release(struct transfer_copies *copies);

/* Allocates and fills the buffers of a point, prepares its copies and sets *work, which refers to them. If the device does
 * not support the point, returns true and writes the reason to `skipped`. Returns false with run->error set on failure. */
bool transfer_copies_begin(struct transfer_copies *copies, const struct lab_point *point, struct lab_work *work,
                           char skipped[LAB_DETAIL_MAX]);
void transfer_copies_end(struct transfer_copies *copies);

/* The plan and run of the descriptor (experiment.h). */
bool transfer_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                   size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool transfer_run(struct lab_run *run);

#endif
