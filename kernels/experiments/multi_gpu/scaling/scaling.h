/* Declarations shared by the files of scaling: scaling.c (descriptor), points.c (axes, work partition and plan), job.c
 * (operations on each device), device_threads.c (one host thread per device), run.c (measuring and tracing a point).
 */
#ifndef LAB_SCALING_H
#define LAB_SCALING_H

#include "benchmark/offload.h"
#include "descriptor/points.h"

enum { SCALING_WEIGHT_MAX = 1 << 24 };

/* Indices of the axes. All points that agree on the first three have the same weight and baseline. */
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
LAB_RUN(scaling);

/* Values of the parameters with choices; each enum has the order of the parameter's choices. */
enum scaling_kernel {
    SCALING_PAIRS,  /* compute-bound */
    SCALING_AVERAGE /* limited by copies */
};
enum scaling_mode { SCALING_STRONG, SCALING_WEAK };
enum scaling_variant {
    SCALING_ONE_THREAD, /* one host thread for all devices; results are copied back asynchronously */
    /* one host thread; it waits for all kernels, then makes one blocking copy after the other */
    SCALING_ONE_THREAD_SYNCHRONOUS,
    SCALING_THREAD_PER_DEVICE,             /* one host thread per device */
    SCALING_THREAD_PER_DEVICE_SYNCHRONOUS, /* the same; all threads wait for all kernels before they copy back */
    SCALING_VARIANTS
};

/* The phases of a job on one device, in the order of the texts of SCALING_AXIS_PHASE. */
enum scaling_phase { SCALING_UP, SCALING_KERNEL, SCALING_DOWN, SCALING_PHASES };

/* The arrays and the kernel that are divided among the devices. */
struct scaling_workload {
    struct lab_offload_shape arrays; /* of all devices together, or with `weak` those of one device */
    bool weak;                       /* weak scaling */
};

/* The workload of a point; the kernel pairs gets `weight` partners. */
struct scaling_workload scaling_workload_of(const struct lab_point *point, uint32_t weight);

/* The arrays of device `index`. Parts consist of whole units, and their sizes differ by at most one unit. */
struct lab_offload_shape scaling_part_of(const struct scaling_workload *workload, size_t device_count, size_t index);

/* The numerator of the speedup in times of the baseline: 1 in strong scaling, the number of devices in weak scaling. */
double scaling_speedup_factor(const struct lab_point *point);

/* Seconds that a calibrated job takes on one device: half a second, or less where these points, with few samples each,
 * would otherwise need more than three quarters of the time budget. The rest is for the kernel average, the calibration
 * and settling. */
double scaling_target_s(const struct lab_parameters *parameters, const struct lab_points *points);

#endif
