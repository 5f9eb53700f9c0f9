/* The operations of a variant, and the callbacks with which lab_measure times and verifies them.
 */
#ifndef LAB_PEER_TRANSPOSE_JOB_H
#define LAB_PEER_TRANSPOSE_JOB_H

#include "setup.h"

#include "benchmark/timeline.h"

struct transpose_job {
    struct transpose_setup *setup;
    enum transpose_variant variant;
};

/* Callbacks of struct lab_work; the context is a struct transpose_job. TRANSPOSE_ALL_TO_ALL sends the blocks that an
 * earlier variant left in the staging memory. */
bool transpose_enqueue(void *context);
bool transpose_poison(void *context);
bool transpose_verify(void *context, uint64_t *wrong);

/* Number of kernels and copies in one repetition of a variant. */
size_t transpose_operations(const struct transpose_setup *setup, enum transpose_variant variant);

/* Functions of struct lab_timeline, whose lanes are those of transpose_setup_lanes; the context is a struct
 * transpose_job. */
bool transpose_execute(void *context);
void transpose_describe(void *context, const struct lab_trace_record *record, size_t number,
                        struct lab_span_text *text);

#endif
