/* scaling: the speedup of a job that is divided among several devices. This file holds the descriptor.
 *
 * Reproduces the lecture on streams, in which one array is divided among several GPUs: memory is allocated on each GPU,
 * inputs are copied in, kernels are launched asynchronously on all GPUs, the program waits for an event on each, and
 * then copies the results back synchronously.
 */
#include "scaling.h"

static const char *const kernels[] = {"pairs", "average", NULL};
static const char *const variants[] = {"one-thread", "one-thread-synchronous", "thread-per-device",
                                       "thread-per-device-synchronous", NULL};
static const char *const modes[] = {"strong", "weak", NULL};

/* Enough for one window of the kernel average on each of the maximum number of devices. */
enum { BYTES_MIN = LAB_RUN_DEVICES_MAX * 4 * LAB_AVERAGE_WINDOW };

static const struct lab_schema parameters[] = {
    {LAB_OFFLOAD_BYTES_PARAMETER(" (in total for strong scaling, per device for weak scaling)", BYTES_MIN,
                                 "[33554432]")},
    {LAB_CHOICES_ALL(
        "kernel", "Kernel",
        "pairs: combines every element with `weight` partners (compute-bound); average: mean of two inputs "
        "(limited by copies).",
        kernels)},
    {LAB_CHOICES_ALL(
        "scaling", "Scaling",
        "strong: one array of this size is divided among the devices; weak: each device has an array of this size.",
        modes)},
    {LAB_INTEGERS(
         "device_count", "Number of devices",
         "Number of the run's devices that share the job, counted from the first. 0: every number from 1 to all. One "
         "device is always measured, as the baseline of the speedup.",
         0),
     .minimum = 0, .maximum = LAB_RUN_DEVICES_MAX},
    {LAB_CHOICES(
        "variant", "Variant",
        "one-thread: one host thread queues the work of all devices, with asynchronous copies back; "
        "one-thread-synchronous: one host thread, and blocking copies back after all kernels have ended; "
        "thread-per-device: one host thread per device, with asynchronous copies back; "
        "thread-per-device-synchronous: one host thread per device, and blocking copies back after all kernels have "
        "ended.",
        variants, "one-thread")},
    {LAB_INTEGER(
         "weight", "Kernel weight",
         "Number of partners that the kernel pairs combines with each element. 0: automatic, so that the job takes "
         "half a second on the first device alone, or less where the time budget is too small for that.",
         0),
     .minimum = 0, .maximum = SCALING_WEIGHT_MAX},
    {LAB_OFFLOAD_MEMORY_PARAMETER},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("time", "Time", "s",
                "from the first call that queues work until the results of all devices are in host memory; host clock"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC(
         "speedup", "Speedup", "1",
         "strong: t(1) / t(N), for the same job on one device and on N; weak: N t(1) / t(N), because N devices do N times "
         "the work. t(1): time on the first device alone, for the same variant; both are sampled alternately"),
     .counter = LAB_COUNT_BASELINE},
    {LAB_METRIC("efficiency", "Efficiency", "1", "speedup / N: strong: t(1) / (N t(N)); weak: t(1) / t(N)")},
    {LAB_METRIC(
        "phase_time", "Phase time", "s",
        "between two events on the device around its copies in (up), its kernel, or its copy out (down); measured in "
        "separate jobs after the timed ones, so that the events do not affect the timing")},
    {LAB_METRIC(
        "imbalance", "Imbalance", "1",
        "longest busy time of a device / mean busy time of all devices - 1; the busy time of a device is the sum of its "
        "phase times in a job")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "speedup", "Speedup over devices", "speedup", "device_count")},
    {LAB_VIEW("line", "efficiency", "Efficiency over devices", "efficiency", "device_count")},
    {LAB_VIEW("timeline", "timeline", "Timeline", "time", "device_count")},
    {LAB_VIEW("bars", "time", "Time by number of devices", "time", "device_count")},
    {LAB_VIEW("table", "phases", "Phase times", "phase_time", "phase")},
    {LAB_VIEW("table", "imbalance", "Imbalance", "imbalance", "device_count")},
    {0},
};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Strong scaling", "speedup"), .at = {{"scaling", "strong"}}, .largest = {"device_count", "bytes"},
     .share = "efficiency"},
    {LAB_HEADLINE("Weak scaling", "speedup"), .at = {{"scaling", "weak"}}, .largest = {"device_count", "bytes"},
     .share = "efficiency"},
    {0},
};

LAB_PAGE(scaling);
const struct lab_experiment lab_scaling = {
    .name = "scaling",
    .title = "Multi-GPU scaling",
    .subject = "multi-gpu",
    .summary = "Speedup of one job on 1 to N devices, strong and weak scaling, and what limits it.",
    .devices_min = 1,
    .devices_max = LAB_RUN_DEVICES_MAX,
    .traced = true,
    LAB_RUN_FIELDS(scaling),
};
