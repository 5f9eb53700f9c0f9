/* Declarations shared by the files of scaling: scaling.c (descriptor), points.c (axes, work partition and plan), job.c
 * (arrays and operations on each device), device_threads.c (one host thread per device), verify_pairs.c (check of the
 * kernel pairs), calibration.c (kernel weight), run.c (measuring and tracing a point).
 */
#ifndef LAB_SCALING_H
#define LAB_SCALING_H

#include "experiment/points.h"
#include "measure/run.h"

enum { SCALING_WEIGHT_MAX = 1 << 24 };

/* Indices of the axes. All points that agree on the first three have the same arrays, weight and baseline. */
enum scaling_axis {
    SCALING_AXIS_KERNEL,
    SCALING_AXIS_BYTES,
    SCALING_AXIS_MEMORY,
    SCALING_AXIS_WEIGHT,
    SCALING_AXIS_MODE,
    SCALING_AXIS_DEVICE_COUNT,
    SCALING_AXIS_VARIANT,
    SCALING_AXIS_PHASE,
    SCALING_AXIS_DEVICE
};
extern const struct lab_axis scaling_axes[];

/* Values of the parameters with choices; each enum has the order of the parameter's choices. */
enum scaling_kernel {
    SCALING_PAIRS,  /* combines each element with `weight` partners; compute-bound */
    SCALING_AVERAGE /* mean of two inputs over windows; limited by copies */
};
enum scaling_memory { SCALING_PAGEABLE, SCALING_PINNED };
enum scaling_mode { SCALING_STRONG, SCALING_WEAK };
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

/* The phases of a job on one device, in the order of the texts of SCALING_AXIS_PHASE. */
enum scaling_phase { SCALING_UP, SCALING_KERNEL, SCALING_DOWN, SCALING_PHASES };

/* The arrays and the kernel that are divided among the devices. */
struct scaling_workload {
    /* of each input array, or with `weak` of the part of one device; a multiple of the element or window size */
    size_t bytes;
    enum lab_memory memory;
    enum scaling_kernel kernel;
    bool weak; /* weak scaling: each device has `bytes`, instead of all together */
};
struct scaling_workload scaling_workload_of(const struct lab_point *point);

/* Offset in bytes at which the part of device `index` begins in the array of all devices together; for index ==
 * device_count, the total size. Parts consist of whole elements, for AVERAGE of whole windows, and their sizes differ
 * by at most one of these. */
size_t scaling_part_start(const struct scaling_workload *workload, size_t device_count, size_t index);

/* The numerator of the speedup in times of the baseline: 1 in strong scaling, the number of devices in weak scaling. */
double scaling_speedup_factor(const struct lab_point *point);

/* Seconds that a calibrated job takes on one device: half a second, or less where these points, with few samples each,
 * would otherwise need more than three quarters of the time budget. The rest is for the kernel average, the calibration
 * and settling. */
double scaling_target_s(const struct lab_parameters *parameters, const struct lab_points *points);

/* Calibrates the weight of the kernel pairs so that the job takes about target_s on the first device alone. Runs a few
 * jobs of lower weights and rounds the result to 2^k or 3 * 2^k, so that repeated runs on a machine use the same
 * weight. Returns false with run->error set on failure, code "unsupported" if the device does not support the
 * kernel. */
bool scaling_find_weight(struct lab_run *run, const struct scaling_workload *workload, double target_s,
                         uint32_t *weight);

/* The plan and run of the descriptor (experiment.h). */
bool scaling_plan(const struct lab_parameters *parameters, const struct lab_device_facts *const *devices,
                  size_t device_count, struct lab_estimate *estimate, struct lab_errors *errors);
bool scaling_run(struct lab_run *run);

#endif
