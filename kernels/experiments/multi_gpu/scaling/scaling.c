/* scaling: the speedup of a job that is divided among several devices. This file holds the descriptor: parameters,
 * axes, metrics, views and explanation.
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
    {.name = "kernel",
     .title = "Kernel",
     .text = "pairs: combines every element with `weight` partners (compute-bound); average: mean of two inputs "
             "(limited by copies).",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = kernels,
     .fallback = "[\"pairs\", \"average\"]"},
    {.name = "scaling",
     .title = "Scaling",
     .text =
         "strong: one array of this size is divided among the devices; weak: each device has an array of this size.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = modes,
     .fallback = "[\"strong\", \"weak\"]"},
    {.name = "device_count",
     .title = "Number of devices",
     .text =
         "Number of the run's devices that share the job, counted from the first. 0: every number from 1 to all. One "
         "device is always measured, as the baseline of the speedup.",
     .type = LAB_TYPE_SIZE,
     .count = LAB_ONE_OR_LIST,
     .minimum = 0,
     .maximum = LAB_RUN_DEVICES_MAX,
     .fallback = "[0]"},
    {.name = "variant",
     .title = "Variant",
     .text =
         "one-thread: one host thread queues the work of all devices, with asynchronous copies back; "
         "one-thread-synchronous: one host thread, and blocking copies back after all kernels have ended; "
         "thread-per-device: one host thread per device, with asynchronous copies back; "
         "thread-per-device-synchronous: one host thread per device, and blocking copies back after all kernels have "
         "ended.",
     .type = LAB_TYPE_CHOICE,
     .count = LAB_ONE_OR_LIST,
     .choices = variants,
     .fallback = "[\"one-thread\"]"},
    {.name = "weight",
     .title = "Kernel weight",
     .text = "Number of partners that the kernel pairs combines with each element. 0: automatic, so that the job takes "
             "half a second on the first device alone, or less where the time budget is too small for that.",
     .type = LAB_TYPE_SIZE,
     .minimum = 0,
     .maximum = SCALING_WEIGHT_MAX,
     .fallback = "0"},
    {LAB_OFFLOAD_MEMORY_PARAMETER},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {.name = "time",
     .title = "Time",
     .unit = "s",
     .formula = "from the first call that queues work until the results of all devices are in host memory; host clock",
     .counter = LAB_COUNT_SECONDS},
    {.name = "speedup",
     .title = "Speedup",
     .unit = "1",
     .formula =
         "strong: t(1) / t(N), for the same job on one device and on N; weak: N t(1) / t(N), because N devices do N times "
         "the work. t(1): time on the first device alone, for the same variant; both are sampled alternately",
     .counter = LAB_COUNT_BASELINE},
    {.name = "efficiency",
     .title = "Efficiency",
     .unit = "1",
     .formula = "speedup / N: strong: t(1) / (N t(N)); weak: t(1) / t(N)"},
    {.name = "phase_time",
     .title = "Phase time",
     .unit = "s",
     .formula =
         "between two events on the device around its copies in (up), its kernel, or its copy out (down); measured in "
         "separate jobs after the timed ones, so that the events do not affect the timing"},
    {.name = "imbalance",
     .title = "Imbalance",
     .unit = "1",
     .formula =
         "longest busy time of a device / mean busy time of all devices - 1; the busy time of a device is the sum of its "
         "phase times in a job"},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {.name = "speedup", .title = "Speedup over devices", .kind = "line", .metric = "speedup", .x = "device_count"},
    {.name = "efficiency",
     .title = "Efficiency over devices",
     .kind = "line",
     .metric = "efficiency",
     .x = "device_count"},
    {.name = "timeline", .title = "Timeline", .kind = "timeline", .metric = "time", .x = "device_count"},
    {.name = "time", .title = "Time by number of devices", .kind = "bars", .metric = "time", .x = "device_count"},
    {.name = "phases", .title = "Phase times", .kind = "table", .metric = "phase_time", .x = "phase"},
    {.name = "imbalance", .title = "Imbalance", .kind = "table", .metric = "imbalance", .x = "device_count"},
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
    .parameters = parameters,
    .axes = scaling_axes,
    .metrics = metrics,
    .views = views,
    .headlines = headlines,
    .devices_min = 1,
    .devices_max = LAB_RUN_DEVICES_MAX,
    LAB_PAGE_FIELDS(scaling),
    .traced = true,
    .plan = scaling_plan,
    .run = scaling_run,
};
