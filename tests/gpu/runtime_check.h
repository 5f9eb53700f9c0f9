/* Declarations for all files of gpulab-runtime-check: the device under test, functions that count checks and print the
 * failed ones, and the checks.
 */
#ifndef RUNTIME_CHECK_H
#define RUNTIME_CHECK_H

#include "runtime/runtime.h"

/* The device under test, a stream on it, the kernels of offloaded jobs (benchmark/offload.h; NULL if the runtime cannot
 * load kernels), and the number of checks so far. */
struct fixture {
    const struct lab_runtime *runtime;
    struct lab_device *device;
    struct lab_stream *stream;
    struct lab_module *kernels;
    unsigned passed, failed;
};

/* Counts one check. If `holds` is false, prints what was expected. Returns `holds`. */
bool expect(struct fixture *fixture, bool holds, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Counts a check that a call succeeds. If it failed, prints `call` and the device's error. Returns `succeeded`. */
bool expect_call(struct fixture *fixture, bool succeeded, const char *call);

/* The monotonic clock in seconds. */
double now_s(void);

/* runtime_check_memory.c: every kind of memory, copies, rectangles. */
void check_memory(struct fixture *fixture);
void check_copies(struct fixture *fixture);
void check_rectangles(struct fixture *fixture);
void check_out_of_memory(struct fixture *fixture);

/* runtime_check_time.c: streams, events, the latch, ways to wait, the clock. */
void check_events(struct fixture *fixture);
void check_latch(struct fixture *fixture);
void check_waiting(struct fixture *fixture);
void check_clock(struct fixture *fixture);

/* runtime_check_operations.c: FILL, CHECK, COPY and FLUSH. */
void check_pattern(struct fixture *fixture);
void check_core_copies(struct fixture *fixture);
void check_flush(struct fixture *fixture);
void show_rates(struct fixture *fixture);

/* runtime_check_pipeline.c: every buffer content; the kernels add_sine_cosine, average and increment. */
void check_contents(struct fixture *fixture);
void check_pipeline_kernels(struct fixture *fixture);

/* runtime_check_replay.c: pipelines that are queued, replayed as graphs and traced. Each check does nothing if the
 * runtime does not have the table, or cannot load kernels. */
void check_graph(struct fixture *fixture);
void check_default_stream(struct fixture *fixture);
void check_trace(struct fixture *fixture);

/* runtime_check_counters.c: hardware counters. show_counters also prints all of them. */
void check_counters(struct fixture *fixture);
void show_counters(struct fixture *fixture);

/* runtime_check_gemm_inputs.c: inputs, expected products, comparison. runtime_check_gemm.c: every step, and the
 * ceilings. Each does nothing if the runtime does not have the GEMM table. */
void check_gemm_inputs(struct fixture *fixture);
void check_gemm(struct fixture *fixture);
void check_gemm_ceilings(struct fixture *fixture);

/* --- used by several files ---------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {"device", "pageable", "pinned", "write-combined", "mapped", "managed"};

/* Byte `index` of the test pattern. */
unsigned char pattern_byte(size_t index, uint64_t seed);

/* Copy bytes from ordinary host memory to memory of any kind, and back. Return whether the copy succeeded. */
bool write_memory(struct fixture *fixture, enum lab_memory kind, void *to, const void *from, size_t bytes);
bool read_memory(struct fixture *fixture, enum lab_memory kind, void *to, void *from, size_t bytes);

/* Enqueues a plan, waits for it and releases it. Returns whether this succeeded; NULL counts as a failed
 * preparation. */
bool perform_plan(struct fixture *fixture, struct lab_plan *plan);

/* Prepares an operation and executes it by perform_plan. */
bool perform(struct fixture *fixture, const struct lab_operation *operation);

/* Prepares a kernel of offloaded jobs with a thread for each element, in blocks of `block` threads. Returns NULL with
 * the device's error set. */
struct lab_plan *prepare_kernel(struct fixture *fixture, const char *name, uint64_t elements, uint32_t block,
                                const struct lab_argument *arguments, size_t count);
/* Prepares add_sine_cosine on `elements` elements, which begin at index `first` of a complete array. */
struct lab_plan *prepare_sine_cosine(struct fixture *fixture, void *memory, uint64_t elements, uint64_t first,
                                     uint32_t weight, uint32_t block);

#endif
