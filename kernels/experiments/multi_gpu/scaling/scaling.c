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

static const char explanation[] =
    "One array is divided among N devices. Each device receives its part of the elements, computes its part of the "
    "results and sends it back. The time runs from the first call that queues work until the last result is in host "
    "memory.\n\n"
    "Strong scaling keeps the job and adds devices. The ideal speedup t(1)/t(N) is N. Amdahl's law: if a fraction s of "
    "the time does not shrink with more devices, the speedup is 1 / (s + (1 - s) / N) and never exceeds 1/s. With s = "
    "1 percent it is 1.98 on two devices, 7.5 on eight, and at most 100. Here s consists of the work that each device "
    "does regardless of the size of its part (launching, synchronising, receiving all partners of the kernel pairs), "
    "and of waiting for shared resources.\n\n"
    "Weak scaling keeps the part of each device and adds devices, so N devices do N times the work. The ideal is a "
    "constant time. Gustafson's law: a larger machine is used for a larger job, in which a fixed cost weighs no more "
    "than before; the speedup N t(1)/t(N) counts work per time. The same machine can scale poorly in strong and well "
    "in weak scaling.\n\n"
    "Two kernels show two different limits. pairs is compute-bound: every element is combined with every partner, and "
    "at the default weight up to half a second of computation compares with milliseconds of copies. The devices compute "
    "independently, so on identical devices expect an efficiency close to 1 that falls slowly with N, as the fixed "
    "costs take a larger share of a shorter time. average reads two inputs, writes one output and computes very "
    "little. On a GPU nearly all of its time is spent in copies, so it scales like the host links. GPUs with separate "
    "links to the CPU add up until the host's memory bandwidth is exhausted, and two GPUs behind one PCIe switch share "
    "a link. The arrays of each device are on its own NUMA node. The phase times tell these apart: if up and "
    "down grow with N, a link or the memory is shared; if the kernel time grows, the devices compete, as cores of one "
    "CPU do.\n\n"
    "A job ends when its slowest part ends. The parts are equal up to one element (for average, up to one window of "
    "256), so imbalance comes from the devices: a different clock, a different link, or another program. An imbalance "
    "of 0.1 costs about a tenth of the time, for any number of devices.\n\n"
    "The variants are ways to write the host code. one-thread queues all copies in, all kernels and all copies out, "
    "each device in its own stream, and waits at the end. one-thread-synchronous waits for the events of all kernels "
    "and then makes one blocking copy after the other, so only one link back to the host is used at a time; average "
    "shows the cost. A lecture on CUDA streams, whose times are among the reference results, uses this scheme. "
    "thread-per-device uses one host thread per device. The threads are created once and reused for all samples, and "
    "are released together. This helps if calls block, as copies of pageable memory do; waking the threads costs ten "
    "to a hundred microseconds.\n\n"
    "The times in that lecture are 24 min 47 s on one GPU, 12 min 36 s on two and 5 min 39 s on three. On two GPUs "
    "this is a speedup of 1.97, as strong scaling predicts. On three it is 4.39, which the lecture calls superlinear and "
    "approximately 5-times. "
    "Its kernel times contradict this. The grid consists of six loops of 4,194,304 points; one loop took 246.5 s on "
    "one device, 248.7 to 248.9 s on two and 164.6 s on three. The three total times are about six, three and two times the "
    "loop time on one, two and three GPUs (0.5, 1.2 and 2.9 percent longer), so the work was divided correctly, but the "
    "same loop ran one and a half times as fast in the third run. Its transposes, which only move data, did not: they "
    "took 5.14 and 7.44 ms, on one device 5.26 and 7.51. So only the arithmetic was faster: a different clock, device "
    "or program, not scaling. With loops of 246.5 s, three "
    "devices would take about 8 min 20 s, a speedup of 3.0. Superlinear speedup does exist, for example if a part "
    "fits in a cache and the whole does not, but a speedup is only as reliable as its baseline. Here each sample follows "
    "one of the baseline, in the same run and measured in the same way, and every result is verified.";

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
    .explanation = explanation,
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
