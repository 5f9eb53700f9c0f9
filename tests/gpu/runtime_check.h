/* What the parts of gpulab-runtime-check share: a bench to work on, and how a check tells what it found.
 */
#ifndef RUNTIME_CHECK_H
#define RUNTIME_CHECK_H

#include "runtime/runtime.h"

struct bench {
    const struct lab_runtime *runtime;
    struct lab_device *device;
    struct lab_stream *stream;
    unsigned passed, failed;
};

/* Counts one check; one that does not hold is printed with what was expected of it. Returns `holds`. */
bool expect(struct bench *bench, bool holds, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for a call: prints the device's error. */
bool expect_call(struct bench *bench, bool succeeded, const char *call);

double now_s(void);

/* runtime_check_memory.c: every kind of memory, copies, rectangles. */
void check_memory(struct bench *bench);
void check_copies(struct bench *bench);
void check_rectangles(struct bench *bench);
void check_out_of_memory(struct bench *bench);

/* runtime_check_time.c: streams, events, the latch, the clock. */
void check_events(struct bench *bench);
void check_latch(struct bench *bench);
void check_clock(struct bench *bench);

/* runtime_check_operations.c: FILL, CHECK, COPY and FLUSH. */
void check_pattern(struct bench *bench);
void check_core_copies(struct bench *bench);
void check_flush(struct bench *bench);
void show_rates(struct bench *bench);

/* runtime_check_pipeline.c: every content; WAVES, AVERAGE and INCREMENT. */
void check_contents(struct bench *bench);
void check_pipeline_kernels(struct bench *bench);

/* runtime_check_replay.c: pipelines queued, replayed, traced. Each does nothing where the runtime lacks what it is for. */
void check_graph(struct bench *bench);
void check_default_stream(struct bench *bench);
void check_trace(struct bench *bench);

/* runtime_check_gemm_inputs.c: what products are made of and held against. runtime_check_gemm.c: every step, and the
 * ceilings. Each does nothing where the runtime has no products. */
void check_gemm_inputs(struct bench *bench);
void check_gemm(struct bench *bench);
void check_gemm_ceilings(struct bench *bench);

/* --- used by more than one part ------------------------------------------------------------------------------------
 */

static const char *const kind_names[] = {"device", "pageable", "pinned", "write-combined", "mapped"};

/* A byte of the test pattern. */
unsigned char pattern_byte(size_t index, uint64_t seed);

/* Moves bytes between any memory and the host's; true when that is done. */
bool write_memory(struct bench *bench, enum lab_memory kind, void *to, const void *from, size_t bytes);
bool read_memory(struct bench *bench, enum lab_memory kind, void *to, void *from, size_t bytes);

/* Enqueues, synchronises and releases a plan that was just prepared (NULL: that failed, and is told). */
bool perform_plan(struct bench *bench, struct lab_plan *plan);

/* The same, prepared as well. */
bool perform(struct bench *bench, const struct lab_operation *problem);

#endif
