/* scaling: how much faster a job gets when several devices share it.
 *
 * What it reproduces: the lecture on streams, where one array is divided among several GPUs: memory on each, inputs up,
 * kernels started asynchronously on all, events on each, a barrier over the events, synchronous copies back.
 */
#include "scaling.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

const char *const scaling_kernels[] = {"pairs", "average", NULL};
const char *const scaling_variants[] = {"one-thread", "one-thread-synchronous", "thread-per-device",
                                        "thread-per-device-synchronous", NULL};
const char *const scaling_memories[] = {"pageable", "pinned", NULL};
const char *const scaling_modes[] = {"strong", "weak", NULL};

/* A window of AVERAGE for each device, however many there are. */
enum { BYTES_MIN = LAB_RUN_DEVICES_MAX * 4 * LAB_AVERAGE_WINDOW };

static const struct lab_parameter parameters[] = {
    {.name = "bytes",
     .title = "Size of the array",
     .help =
         "Bytes of each input array, in strong scaling of all devices together, in weak scaling of each; rounded down "
         "to whole elements of four bytes (average: to whole KiB).",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = BYTES_MIN,
     .maximum = 1099511627776.0,
     .fallback = "[67108864]"},
    {.name = "kernel",
     .title = "Kernel",
     .help = "pairs: every element meets every partner, as heavy as there are partners; average: two inputs, light, so "
             "that copies are nearly all there is to wait for.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = scaling_kernels,
     .fallback = "[\"pairs\", \"average\"]"},
    {.name = "scaling",
     .title = "Scaling",
     .help = "strong: the devices share one array; weak: each has an array of that size.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = scaling_modes,
     .fallback = "[\"strong\", \"weak\"]"},
    {.name = "device_count",
     .title = "Devices",
     .help =
         "How many of the run's devices share the job, the first ones. 0: every count from 1 to all of them. One alone "
         "is always measured: it is the base of the speedup.",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = 0,
     .maximum = LAB_RUN_DEVICES_MAX,
     .fallback = "[0]"},
    {.name = "variant",
     .title = "Variant",
     .help = "Whether one thread of the host serves all devices or one thread each, and whether results come back "
             "asynchronously or, after a barrier, by copies that block.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = scaling_variants,
     .fallback = "[\"one-thread\"]"},
    {.name = "weight",
     .title = "Weight of the kernel",
     .help =
         "Partners that every element of pairs meets. 0: found, so that the job takes about half a second on the first "
         "device alone.",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = 0,
     .maximum = SCALING_WEIGHT_MAX,
     .fallback = "0"},
    {.name = "memory",
     .title = "Host memory",
     .help =
         "pinned: page-locked, copies run beside the CPU; pageable: the driver stages each copy, and the call blocks.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = scaling_memories,
     .fallback = "[\"pinned\"]"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    {"device_count", "Devices", NULL},
    {"scaling", "Scaling", NULL},
    {"kernel", "Kernel", NULL},
    {"weight", "Weight of the kernel", NULL},
    {"variant", "Variant", NULL},
    {"bytes", "Size of the array", "B"},
    {"memory", "Host memory", NULL},
    {"phase", "Phase", NULL},
    {"device", "Device, in the order of the run", NULL},
    {NULL, NULL, NULL},
};

static const struct lab_metric metrics[] = {
    {"time", "Time", "s",
     "from the first call that queues work to the last byte of the results in host memory, all devices; host's clock"},
    {"speedup", "Speedup", "1",
     "strong: t(1) / t(N), the same job on one device and on N; weak: N t(1) / t(N), as N devices do N times the work; "
     "t(1) is the median on the first device alone, of the same variant in the same run"},
    {"efficiency", "Efficiency", "1", "speedup / N: strong t(1) / (N t(N)), weak t(1) / t(N)"},
    {"phase_time", "Time of a phase", "s",
     "between events on the device before and after its copies up, its kernel, and its copy down; in jobs of their own "
     "behind the timed ones, so that the events cost these nothing"},
    {"imbalance", "Imbalance", "1",
     "longest busy time of a device / mean busy time of all, minus 1; a device's busy time is the sum of its phases in "
     "a job"},
    {NULL, NULL, NULL, NULL},
};

static const struct lab_view views[] = {
    {"speedup", "Speedup over devices", "line", "speedup", "device_count", false, false},
    {"efficiency", "Efficiency over devices", "line", "efficiency", "device_count", false, false},
    {"timeline", "Timeline", "timeline", "time", "device_count", false, false},
    {"time", "Time by devices", "bars", "time", "device_count", false, false},
    {"phases", "Times of the phases", "table", "phase_time", "phase", false, false},
    {"imbalance", "Imbalance", "table", "imbalance", "device_count", false, false},
    {NULL, NULL, NULL, NULL, NULL, false, false},
};

static const char explanation[] =
    "One array is divided among N devices. Each gets its part of the elements, computes its part of the results and "
    "sends it back. The time is what a person waits for: from the first call that queues work to the last byte back "
    "in host memory.\n\n"
    "Strong scaling keeps the job and adds devices. The ideal is a speedup t(1)/t(N) of N. Amdahl's reading: if a "
    "share s of the job's time does not get shorter with more devices, the speedup is 1 / (s + (1 - s) / N), and "
    "never above 1/s. With 1 percent that is 1.98 on two devices, 7.5 on eight, and at most 100. What makes up s here "
    "is what each device does whatever its part (starting, waiting, receiving all partners of pairs) and what the "
    "devices must share.\n\n"
    "Weak scaling keeps each device's part and adds devices, so that N of them do N times the work. The ideal is a "
    "time that stays the same. Gustafson's reading: one buys a larger machine for a larger job, and then a fixed cost "
    "weighs no more than it did; the speedup N t(1)/t(N) counts work done in a time. The same machine may look poor "
    "in strong and good in weak scaling, and both are true.\n\n"
    "Two kernels show what limits. pairs is bound by arithmetic: every element meets every partner, and at its "
    "default weight half a second of computing stands against milliseconds of copies. Devices compute without one "
    "another, so expect an efficiency of 0.98 and more where they are alike. average reads two inputs, writes one "
    "output and computes next to nothing: on a GPU nearly all its time is copies, and it scales as the links to the "
    "host do. GPUs with a link of their own to the CPU add up until the memory of the host is full, two behind one "
    "switch share its link, and devices far from the memory (another NUMA node) reach it more slowly. phase_time "
    "tells which: up and down that grow with N are a link or a memory that is shared; a kernel that grows is devices "
    "disturbing each other, as cores of one CPU do.\n\n"
    "A job ends with its slowest part. The parts are equal but for one element (one window of 256 in average), so "
    "imbalance comes from the devices: another clock, another link, another program beside. An imbalance of 0.1 costs "
    "about a tenth of the time, however many devices there are.\n\n"
    "The variants are ways to write the host's side. one-thread queues all copies up, all kernels and all copies "
    "down, each device in its own stream, and waits at the end. one-thread-synchronous is the lecture's: a barrier "
    "over the kernels' events, then a blocking copy from one device after the other, so the links home are used one "
    "at a time; average shows the cost. A thread for each device (alive over all samples, released together) starts "
    "the devices at the same moment, which pays when calls block, as copies of pageable memory do; waking the threads "
    "costs ten to a hundred microseconds.\n\n"
    "The published figures are 24 min 47 s on one GPU, 12 min 36 s on two and 5 min 39 s on three. Two: a speedup of "
    "1.97, what strong scaling promises. Three: 4.39, which the lecture calls superlinear. Its own kernel times say "
    "otherwise. The grid is six loops of 4,194,304 points; a loop took 246.5 s on one device, 248.9 s on two and "
    "164.6 s on three. Six, three and two of them make up the three times, so the division worked, but the same loop "
    "ran one and a half times as fast in the third run: another clock, device or program, and not scaling. With loops "
    "of 246.5 s three devices would take about 8 min 20 s, a speedup of 3.0. Real superlinear speedup exists, where a "
    "part fits in a cache and the whole does not; a speedup is worth what its base is worth. So here the base is "
    "measured in the same run, in the same way, and every result is checked.";

/* --- the points --------------------------------------------------------------------------------------------------- */

size_t scaling_whole_bytes(enum scaling_kernel kernel, size_t bytes)
{
    size_t unit = kernel == SCALING_AVERAGE ? 4 * LAB_AVERAGE_WINDOW : 4;
    return bytes / unit * unit;
}

size_t scaling_part_start(const struct scaling_workload *workload, size_t device_count, size_t index)
{
    if (workload->weak)
        return workload->bytes * index;
    size_t unit = workload->kernel == SCALING_AVERAGE ? 4 * LAB_AVERAGE_WINDOW : 4;
    return workload->bytes / unit * index / device_count * unit;
}

typedef bool visit_function(void *context, const struct scaling_point *point);

static bool wants_count(const struct lab_parameters *given, size_t count)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    for (size_t i = 0; i < counts->count; i++)
        if (counts->items[i].integer == 0 || counts->items[i].integer == (int64_t)count)
            return true;
    return count == 1;
}

static bool each_count(const struct lab_parameters *given, size_t devices, const struct scaling_workload *workload,
                       visit_function *visit, void *context)
{
    const struct lab_values *variants = lab_parameter_values(given, "variant");
    for (size_t count = 1; count <= devices; count++)
        for (size_t v = 0; wants_count(given, count) && v < variants->count; v++) {
            const struct scaling_point point = {*workload, count, (enum scaling_variant)variants->items[v].integer};
            if (!visit(context, &point))
                return false;
        }
    return true;
}

static bool each_mode(const struct lab_parameters *given, size_t devices, struct scaling_workload workload,
                      visit_function *visit, void *context)
{
    const struct lab_values *modes = lab_parameter_values(given, "scaling");
    for (size_t m = 0; m < modes->count; m++) {
        workload.weak = modes->items[m].integer != 0;
        if (!each_count(given, devices, &workload, visit, context))
            return false;
    }
    return true;
}

/* Sizes that are rounded to the same are one. */
static bool size_seen(const struct lab_values *sizes, size_t index, enum scaling_kernel kernel, size_t bytes)
{
    for (size_t s = 0; s < index; s++)
        if (scaling_whole_bytes(kernel, (size_t)sizes->items[s].integer) == bytes)
            return true;
    return false;
}

bool scaling_each_point(const struct lab_parameters *given, size_t devices, visit_function *visit, void *context)
{
    const struct lab_values *sizes = lab_parameter_values(given, "bytes");
    const struct lab_values *memories = lab_parameter_values(given, "memory");
    const struct lab_values *kernels = lab_parameter_values(given, "kernel");
    for (size_t s = 0; s < sizes->count; s++)
        for (size_t m = 0; m < memories->count; m++)
            for (size_t k = 0; k < kernels->count; k++) {
                enum scaling_kernel kernel = (enum scaling_kernel)kernels->items[k].integer;
                struct scaling_workload workload = {
                    .bytes = scaling_whole_bytes(kernel, (size_t)sizes->items[s].integer),
                    .memory = memories->items[m].integer == 0 ? LAB_MEMORY_PAGEABLE : LAB_MEMORY_PINNED,
                    .kernel = kernel,
                };
                if (!size_seen(sizes, s, kernel, workload.bytes) &&
                    !each_mode(given, devices, workload, visit, context))
                    return false;
            }
    return true;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool check_counts(const struct lab_parameters *given, size_t devices, struct lab_errors *errors)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    bool good = true;
    for (size_t i = 0; i < counts->count; i++) {
        char pointer[48];
        if (counts->items[i].integer <= (int64_t)devices)
            continue;
        snprintf(pointer, sizeof pointer, "/parameters/device_count/%zu", i);
        good = lab_errors_add(errors, "out-of-bounds", pointer,
                              "%" PRId64 " devices cannot share the job: the run is given %zu",
                              counts->items[i].integer, devices);
    }
    return good;
}

struct plan_totals {
    const struct lab_parameters *given;
    const struct lab_device_facts *device; /* the first */
    struct lab_estimate *estimate;
};

/* Rough seconds of one device's part: what pairs computes, or what average copies at 10 GB/s. */
static double seconds_of(const struct plan_totals *totals, const struct scaling_point *point)
{
    double part = (double)point->workload.bytes / (point->workload.weak ? 1 : (double)point->device_count);
    double weight = (double)lab_parameter_integer(totals->given, "weight");
    double peak = totals->device->fp32_peak_flops;
    double pairs_per_s = isfinite(peak) && peak > 0 ? peak / 8 : 5e9;
    if (point->workload.kernel == SCALING_AVERAGE)
        return 3 * part / 10e9;
    return weight > 0 ? part / 4 * weight / pairs_per_s : 0.5 * part / (double)point->workload.bytes;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Each sample, and what goes before and behind: warming up, verifying, the phases. */
static bool count_point(void *context, const struct scaling_point *point)
{
    struct plan_totals *totals = context;
    struct lab_estimate *estimate = totals->estimate;
    int64_t weight = lab_parameter_integer(totals->given, "weight");
    uint64_t partners = weight > 0 ? (uint64_t)weight : SCALING_WEIGHT_MAX; /* or fewer: they are yet to be found */
    uint64_t part = scaling_part_start(&point->workload, point->device_count, 1);
    uint64_t whole = scaling_part_start(&point->workload, point->device_count, point->device_count);
    uint64_t arrays = point->workload.kernel == SCALING_PAIRS ? 2 : 3;
    if (point->workload.kernel == SCALING_AVERAGE)
        partners = 0;
    estimate->points++;
    estimate->seconds += ((double)lab_parameter_integer(totals->given, "min_samples") + 8) * seconds_of(totals, point);
    estimate->device_bytes = larger(estimate->device_bytes, arrays * part + 4 * partners);
    estimate->host_bytes = larger(estimate->host_bytes, arrays * whole + 4 * partners * point->device_count);
    return estimate->points <= LAB_POINTS_MAX;
}

static bool plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    if (!check_counts(given, device_count, errors))
        return false;
    struct plan_totals totals = {given, devices[0], estimate};
    if (!scaling_each_point(given, device_count, count_point, &totals))
        return lab_estimate_too_many(errors);
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_fits(estimate, devices, device_count, "the arrays of one device's part", "/parameters/bytes",
                             errors);
}

const struct lab_experiment lab_scaling = {
    .name = "scaling",
    .title = "Several devices on one job",
    .summary =
        "How much faster a job gets when 1 to N devices share it, and what keeps it from getting N times as fast.",
    .explanation = explanation,
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .devices_min = 1,
    .devices_max = LAB_RUN_DEVICES_MAX,
    .quick = "{\"bytes\": 1048576, \"weight\": 256, \"time_budget_s\": 2}",
    .traced = true,
    .plan = plan,
    .run = scaling_run,
};
