/* Workloads of kernels that each take a given time (spin.h), in several streams: their launches, and what their records
 * show.
 */
#ifndef LAB_SPINS_H
#define LAB_SPINS_H

#include "benchmark/benchmark.h"
#include "benchmark/report.h"
#include "benchmark/spin.h"

/* The kernels of a workload. */
struct lab_spins {
    const char *kernel,
        *check;      /* names in the image: void kernel(struct lab_spin_record *, uint32_t, uint64_t), LAB_SPIN_CHECK */
    size_t count;    /* at most LAB_STEPS_MAX */
    uint32_t blocks; /* of each */
    size_t shared_bytes; /* dynamic shared memory of a block */
    double seconds;      /* of each */
};

/* Adds the records, the launches, all in stream 0, and the check. The workload's steps are the kernels in their
 * order. */
void lab_spins_describe(struct lab_workload *workload, const struct lab_spins *spins);

/* The largest number of kernels that ran at the same time. A kernel runs from the start of its first block to the end
 * of its last one. */
size_t lab_spins_at_once(const struct lab_spin_record *records, size_t kernels, size_t blocks);

/* Reports the metric "at_once", and a span for each kernel. `lanes` are the names of the workload's streams; NULL, or
 * one that is NULL: "stream 1", …. Returns false with run->error set. */
bool lab_spins_report(const struct lab_report *report, const struct lab_workload *workload,
                      const struct lab_spin_record *records, const char *const *lanes);

#endif
