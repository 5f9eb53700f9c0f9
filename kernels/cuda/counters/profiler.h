/* Counts what a GPU's hardware does while work runs, by CUPTI's Range Profiler: one range, which its caller repeats in
 * each pass. It leaves the clocks alone and does not flush caches. Needs nothing of CUDA but a context.
 */
#ifndef LAB_CUDA_PROFILER_H
#define LAB_CUDA_PROFILER_H

#include "core/errors.h"
#include "runtime/counters.h"

#include <cuda.h>

struct cuda_profiler;

/* Prepares the counters of a context, which must be current, on device `ordinal`; takes about a second. `path` is the
 * library in place of CUPTI; NULL: CUPTI. Returns NULL with *error set: code "unsupported" with what to do. */
struct cuda_profiler *lab_cuda_profiler_create(CUcontext context, size_t ordinal, const char *path,
                                               struct lab_error *error);
/* NULL is allowed and does nothing. The context must still exist. */
void lab_cuda_profiler_free(struct cuda_profiler *profiler);

/* How often lab_cuda_profiler_count runs the work. */
size_t lab_cuda_profiler_passes(const struct cuda_profiler *profiler);

/* As count() of struct lab_runtime_counters; an error that the work has set is not changed. */
bool lab_cuda_profiler_count(struct cuda_profiler *profiler, const struct lab_counted_work *work,
                             struct lab_hardware_counts *counts, struct lab_error *error);

#endif
