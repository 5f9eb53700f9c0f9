/* scaling, between its parts: scaling.c says what there is to measure, job.c does the work, threads.c are the threads that
 * share it, pairs.c knows what it must yield, weight.c finds how heavy it is to be, run.c measures the points, report.c
 * says what came out, timeline.c traces them.
 */
#ifndef LAB_SCALING_H
#define LAB_SCALING_H

#include "measure/run.h"

enum { SCALING_WEIGHT_MAX = 1 << 24 };

/* Values of the axes, in the order of the parameters' choices. */
enum scaling_kernel { SCALING_PAIRS, SCALING_AVERAGE };
enum scaling_variant {
    SCALING_ONE_THREAD,             /* serves all devices in turn; results come back asynchronously */
    SCALING_ONE_THREAD_SYNCHRONOUS, /* a barrier over the kernels' events, then one blocking copy after the other */
    SCALING_THREAD_PER_DEVICE,
    SCALING_THREAD_PER_DEVICE_SYNCHRONOUS,
    SCALING_VARIANTS
};

extern const char *const scaling_kernels[], *const scaling_variants[], *const scaling_memories[],
                                                                           *const scaling_modes[];

/* What is divided among the devices. */
struct scaling_workload {
    size_t bytes; /* of the array, or with `weak` of each device's part: a whole number of elements */
    enum lab_memory memory;
    enum scaling_kernel kernel;
    bool weak;
};

struct scaling_point {
    struct scaling_workload workload;
    size_t device_count;
    enum scaling_variant variant;
};

/* The points on so many devices, in the order in which they are measured: case by case, one device first. `visit`
 * returns false to stop; so does the whole then. */
bool scaling_each_point(const struct lab_parameters *parameters, size_t devices,
                        bool (*visit)(void *context, const struct scaling_point *point), void *context);

/* `bytes` rounded down to what the kernel works on: whole elements, for AVERAGE whole windows. */
size_t scaling_whole_bytes(enum scaling_kernel kernel, size_t bytes);

/* Where part `index` begins, in bytes, in the array that the devices have all together; part `device_count` would begin
 * where it ends. Parts are of whole elements, or windows, and differ by one of them at most. */
size_t scaling_part_start(const struct scaling_workload *workload, size_t device_count, size_t index);

/* Finds the weight of `pairs` at which the job takes the first device alone about half a second, by a few jobs of lower
 * weights; rounded to 2^k or 3 * 2^k, so that runs on one machine agree. False with run->error set, code "unsupported"
 * where the device has no such kernel. */
bool scaling_find_weight(struct lab_run *run, const struct scaling_workload *workload, uint32_t *weight);

bool scaling_run(struct lab_run *run);

#endif
