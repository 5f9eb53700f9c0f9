/* Declarations shared by the files of scaling: scaling.c (descriptor), points.c (points, work partition and plan),
 * job.c (arrays and operations on each device), device_threads.c (one host thread per device), verify_pairs.c (check of
 * the kernel pairs), calibration.c (kernel weight), report.c (metrics of one point), timeline.c (spans), run.c (the
 * loop over all points).
 */
#ifndef LAB_SCALING_H
#define LAB_SCALING_H

#include "measure/run.h"

enum { SCALING_WEIGHT_MAX = 1 << 24 };

/* Values of the parameters with choices; each enum has the order of the parameter's choices. */
enum scaling_kernel {
    SCALING_PAIRS,  /* combines each element with `weight` partners; compute-bound */
    SCALING_AVERAGE /* mean of two inputs over windows; limited by copies */
};
enum scaling_variant {
    SCALING_ONE_THREAD, /* one host thread for all devices; results are copied back asynchronously */
    /* one host thread; it waits for all kernels, then makes one blocking copy after the other */
    SCALING_ONE_THREAD_SYNCHRONOUS,
    SCALING_THREAD_PER_DEVICE,             /* one host thread per device */
    SCALING_THREAD_PER_DEVICE_SYNCHRONOUS, /* the same; all threads wait for all kernels before they copy back */
    SCALING_VARIANTS
};

/* Names of the values, which are the choices of the parameters; each array ends with NULL. */
extern const char *const scaling_kernels[], *const scaling_variants[], *const scaling_memories[],
                                                                           *const scaling_modes[];

/* The arrays and the kernel that are divided among the devices. */
struct scaling_workload {
    /* of each input array, or with `weak` of the part of one device; a multiple of the element or window size */
    size_t bytes;
    enum lab_memory memory;
    enum scaling_kernel kernel;
    bool weak; /* weak scaling: each device has `bytes`, instead of all together */
};

struct scaling_point {
    struct scaling_workload workload;
    size_t device_count;
    enum scaling_variant variant;
};

/* Calls `visit` for each point of a run on `devices` devices, in the order of measuring: workload by workload, one
 * device first. Stops and returns false as soon as `visit` returns false. */
bool scaling_each_point(const struct lab_parameters *parameters, size_t devices,
                        bool (*visit)(void *context, const struct scaling_point *point), void *context);

/* `bytes` rounded down to whole elements, for AVERAGE to whole windows. */
size_t scaling_whole_bytes(enum scaling_kernel kernel, size_t bytes);

/* Offset in bytes at which the part of device `index` begins in the array of all devices together; for index ==
 * device_count, the total size. Parts consist of whole elements, for AVERAGE of whole windows, and their sizes differ
 * by at most one of these. */
size_t scaling_part_start(const struct scaling_workload *workload, size_t device_count, size_t index);

/* Calibrates the weight of the kernel pairs so that the job takes about half a second on the first device alone. Runs a
 * few jobs of lower weights and rounds the result to 2^k or 3 * 2^k, so that repeated runs on a machine use the same
 * weight. Returns false with run->error set on failure, code "unsupported" if the device does not support the
 * kernel. */
bool scaling_find_weight(struct lab_run *run, const struct scaling_workload *workload, uint32_t *weight);

/* The plan and run of the descriptor (experiment.h). */
bool scaling_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool scaling_run(struct lab_run *run);

#endif
