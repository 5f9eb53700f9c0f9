/* collectives: what several devices do together: summing, gathering and exchanging, by size.
 *
 * What it reproduces: the tables of nccl-tests (all_reduce_perf and its sisters), with sizes counted and bandwidths defined
 * as there (doc/PERFORMANCE.md), every result verified whole.
 */
#include "collectives.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"
#include "measure/run.h"
#include "summands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Parts begin at whole vectors, as in nccl-tests: what lies in between would be moved element by element. */
enum { ELEMENT_BYTES = sizeof(float), PART_UNIT_BYTES = 16 };

const char *const collectives_operations[] = {
    [LAB_ALL_REDUCE] = "all-reduce", [LAB_ALL_GATHER] = "all-gather", [LAB_REDUCE_SCATTER] = "reduce-scatter",
    [LAB_BROADCAST] = "broadcast",   [LAB_ALL_TO_ALL] = "all-to-all", [LAB_COLLECTIVE_OPERATIONS] = NULL};

static const struct lab_parameter parameters[] = {
    {.name = "operation",
     .title = "Operation",
     .help =
         "all-reduce: the sum of all, to all; reduce-scatter: to each its part of the sum; all-gather: the parts of "
         "all, to all; broadcast: from the first device to all; all-to-all: from each to each a part of its own.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = collectives_operations,
     .fallback = "[\"all-reduce\", \"reduce-scatter\", \"all-gather\", \"broadcast\", \"all-to-all\"]"},
    {.name = "min_bytes",
     .title = "Smallest size",
     .help =
         "The sweep starts here. Where each device has a part, the size is that of all parts together, rounded down "
         "to parts of whole 16 bytes.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = PART_UNIT_BYTES * LAB_RUN_DEVICES_MAX,
     .maximum = 1099511627776.0,
     .fallback = "1024"},
    {.name = "max_bytes",
     .title = "Largest size",
     .help = "The sweep ends here; this size is always measured. Each device holds twice as much.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = PART_UNIT_BYTES * LAB_RUN_DEVICES_MAX,
     .maximum = 1099511627776.0,
     .fallback = "1073741824"},
    {.name = "factor",
     .title = "Factor",
     .help = "Each size is this many times the one before.",
     .type = LAB_PARAMETER_NUMBER,
     .minimum = 1.01,
     .maximum = 1048576,
     .fallback = "4"},
    {.name = "in_place",
     .title = "In place",
     .help = "false: what is sent and what arrives lie apart; true: what arrives takes the place of what was sent.",
     .type = LAB_PARAMETER_BOOLEAN,
     .list = true,
     .fallback = "[false, true]"},
    {.name = "device_count",
     .title = "Devices",
     .help = "How many of the run's devices take part, from the first on; 0: all of them.",
     .type = LAB_PARAMETER_INTEGER,
     .list = true,
     .minimum = 0,
     .maximum = LAB_RUN_DEVICES_MAX,
     .fallback = "[0]"},
    {.name = "multicast",
     .title = "NVLink multicast",
     .help = "Lets NVSwitch copy and add up what is sent through it. Off, NCCL_NVLS_ENABLE=0 is set before NCCL is "
             "opened; on, the environment is left as it is. On a machine that shares its NVSwitches with others, ask "
             "first.",
     .type = LAB_PARAMETER_BOOLEAN,
     .advanced = true,
     .fallback = "false"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    {"operation", "Operation", NULL},  {"bytes", "Size", "B"}, {"in_place", "In place", NULL},
    {"device_count", "Devices", NULL}, {NULL, NULL, NULL},
};

static const struct lab_metric metrics[] = {
    {"busbw", "Bus bandwidth", "GB/s",
     "algbw * f, what each device's link carries in one direction if the operation is done in the best way: of n devices "
     "f = 2 (n - 1) / n for all-reduce, (n - 1) / n for reduce-scatter, all-gather and all-to-all, 1 for broadcast "
     "(nccl-tests, doc/PERFORMANCE.md)"},
    {"algbw", "Algorithm bandwidth", "GB/s",
     "bytes / time / 10^9; bytes once, those of the array (all-reduce, broadcast) or of the n parts of a device together "
     "(reduce-scatter, all-gather, all-to-all)"},
    {"time", "Time", "s",
     "from the release of all devices to the end of the last, between two events on the first device that the others wait "
     "for and are waited for by, over the operations queued between them"},
    {NULL, NULL, NULL, NULL},
};

static const struct lab_view views[] = {
    {"busbw", "Bus bandwidth over size", "line", "busbw", "bytes", true, false},
    {"algbw", "Algorithm bandwidth over size", "line", "algbw", "bytes", true, false},
    {"time", "Time over size", "line", "time", "bytes", true, true},
    {NULL, NULL, NULL, NULL, NULL, false, false},
};

static const char explanation[] =
    "Several devices that work on one problem have to talk, and programs say what is to be said in a few words that "
    "are the same everywhere: collectives. An all-reduce adds up the arrays of all devices and gives everyone the "
    "sum: training a neural network on many devices does it with the gradients in every step. A reduce-scatter gives "
    "each device only its part of the sum, an all-gather collects the parts of all on everyone; one after the other "
    "they are an all-reduce. A broadcast hands one device's array to all. In an all-to-all each device has a part for "
    "each other: the transpose of a distributed matrix, or the tokens of a mixture of experts on their way.\n\n"
    "How is it done? In a ring each device sends to the next one. The array is cut into n parts; in each of n - 1 "
    "steps every device passes on one part and adds its own share to the one that arrives, and then holds one part of "
    "the sum: that was the reduce-scatter. In n - 1 more steps the finished parts go round, an all-gather. Every link "
    "is busy all the time, and each device sends 2 (n - 1) / n times its array, which is the least there can be: a "
    "ring is best for large arrays. But it takes 2 (n - 1) steps however small the array is. A tree sums towards the "
    "root and hands the sum down again, in a number of steps that grows with the logarithm of n: better for small "
    "arrays and many devices. The library chooses by size, and where it changes its mind the curve may have a step.\n\n"
    "Algorithm bandwidth is what a program feels: its bytes over the time. It does not tell how good that is. With a "
    "link of B the best all-reduce of two devices has an algorithm bandwidth of B, that of eight B * 8 / 14, as more "
    "has to be sent for the same array. Bus bandwidth multiplies by what has to be sent, so it is the same B in both "
    "cases and can be held against the link's peak in one direction, whatever the operation and however many devices. "
    "For sizes that are small the time says more: it is the latency, a few steps of microseconds each, and hardly "
    "depends on the size.\n\n"
    "In place, the result takes the place of what was sent. That saves half of the memory, and as what is cached is "
    "read and written in one place it may be slightly faster or slower; an all-to-all cannot be done in place without "
    "a copy. The sums of an all-reduce in place are added up again and again while it is timed, and grow beyond the "
    "largest number: what is moved then is constant, which takes no less time but less power than other data "
    "would. Before the repetition that is checked the arrays are made new.\n\n"
    "NVSwitch can do part of the work. With multicast a device sends once and the switch copies to all, or the switch "
    "adds up what it reads from all: then a device sends its array once for an all-reduce instead of nearly twice, "
    "and bus bandwidth, which counts what would have to be sent without it, can rise above the link's own. It is off "
    "unless asked for: it takes resources of switches that other programs may share.\n\n"
    "Expect bus bandwidth to rise with size until some 64 MiB or more, and then two thirds to nine tenths of the peak "
    "of NVLink in one direction, or of PCIe where there is no NVLink. Repetitions are queued behind a latch, so that "
    "small sizes show what the devices take and not how fast one thread can launch on all of them. What is added up "
    "are random whole numbers, in units of 2^-24, that make up a known pattern below 2^24: no order of summing "
    "rounds, and every element of every result is checked.";

/* --- what the operations are -------------------------------------------------------------------------------------- */

bool collectives_has_parts(enum lab_collective_operation operation)
{
    return operation != LAB_ALL_REDUCE && operation != LAB_BROADCAST;
}

bool collectives_reduces(enum lab_collective_operation operation)
{
    return operation == LAB_ALL_REDUCE || operation == LAB_REDUCE_SCATTER;
}

double collectives_bus_factor(enum lab_collective_operation operation, size_t device_count)
{
    double others = (double)(device_count - 1) / (double)device_count;
    if (operation == LAB_BROADCAST)
        return 1;
    return operation == LAB_ALL_REDUCE ? 2 * others : others;
}

/* --- the points --------------------------------------------------------------------------------------------------- */

typedef bool visit_function(void *context, const struct collectives_point *point);

/* The next size after `bytes`: the largest is always among them. 0 after the last. */
static size_t next_size(const struct lab_parameters *given, size_t bytes)
{
    size_t last = (size_t)lab_parameter_integer(given, "max_bytes");
    if (bytes >= last)
        return 0;
    double next = fmax(floor((double)bytes * lab_parameter_number(given, "factor") + 0.5), (double)bytes + 1);
    return next < (double)last ? (size_t)next : last;
}

/* All sizes of one series, each rounded down to whole elements or whole parts, and once. */
static bool each_size(const struct lab_parameters *given, struct collectives_point point, visit_function *visit,
                      void *context)
{
    bool parts = collectives_has_parts(point.operation);
    size_t unit = parts ? PART_UNIT_BYTES * point.device_count : ELEMENT_BYTES;
    for (size_t size = (size_t)lab_parameter_integer(given, "min_bytes"); size != 0; size = next_size(given, size)) {
        size_t bytes = size / unit * unit;
        if (bytes == point.bytes)
            continue;
        point.bytes = bytes;
        point.count = bytes / ELEMENT_BYTES / (parts ? point.device_count : 1);
        if (!visit(context, &point))
            return false;
    }
    return true;
}

bool collectives_each_point(const struct lab_parameters *given, size_t run_devices, visit_function *visit,
                            void *context)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    const struct lab_values *operations = lab_parameter_values(given, "operation");
    const struct lab_values *places = lab_parameter_values(given, "in_place");
    for (size_t c = 0; c < counts->count; c++)
        for (size_t o = 0; o < operations->count; o++)
            for (size_t p = 0; p < places->count; p++) {
                size_t asked = (size_t)counts->items[c].integer;
                struct collectives_point point = {
                    .operation = (enum lab_collective_operation)operations->items[o].integer,
                    .in_place = places->items[p].integer != 0,
                    .device_count = asked != 0 ? asked : run_devices,
                };
                if (!each_size(given, point, visit, context))
                    return false;
            }
    return true;
}

const char *collectives_skip_reason(const struct collectives_point *point)
{
    if (point->operation == LAB_ALL_TO_ALL && point->in_place)
        return "an all-to-all is not done in place: what arrives would overwrite what is still to be sent";
    return NULL;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static const double communicator_s = 2; /* until devices have met; rough */

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Rough: what the smallest number of samples takes on links of 20 GB/s, with 20 us a call. */
static bool count_point(void *context, const struct collectives_point *point)
{
    struct plan_totals *totals = context;
    struct lab_estimate *estimate = totals->estimate;
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    double crossing = (double)point->bytes * collectives_bus_factor(point->operation, point->device_count);
    uint64_t staging = (uint64_t)point->device_count * COLLECTIVES_STAGING_BYTES;
    estimate->points++;
    if (collectives_skip_reason(point) == NULL)
        estimate->seconds += (samples + 8) * (20e-6 + crossing / 20e9);
    if (collectives_reduces(point->operation) && staging > estimate->host_bytes)
        estimate->host_bytes = staging;
    return estimate->points <= LAB_POINTS_MAX;
}

static bool check_sizes(const struct lab_parameters *given, struct lab_errors *errors)
{
    int64_t low = lab_parameter_integer(given, "min_bytes");
    int64_t high = lab_parameter_integer(given, "max_bytes");
    if (low <= high)
        return true;
    return lab_errors_add(errors, "min-above-max", "/parameters/min_bytes",
                          "min_bytes (%" PRId64 ") must not be above max_bytes (%" PRId64 ")", low, high);
}

static bool check_device_counts(const struct lab_parameters *given, size_t run_devices, struct lab_errors *errors)
{
    const struct lab_values *counts = lab_parameter_values(given, "device_count");
    bool good = true, all = false;
    for (size_t c = 0; c < counts->count; c++)
        all = all || counts->items[c].integer == 0;
    for (size_t c = 0; c < counts->count; c++) {
        int64_t count = counts->items[c].integer;
        char pointer[48];
        snprintf(pointer, sizeof pointer, "/parameters/device_count/%zu", c);
        if (count == 1)
            good = lab_errors_add(errors, "out-of-bounds", pointer, "a collective takes at least 2 devices");
        else if (count > (int64_t)run_devices)
            good = lab_errors_add(errors, "out-of-bounds", pointer, "%" PRId64 " devices asked for; the run has %zu",
                                  count, run_devices);
        else if (count == (int64_t)run_devices && all)
            good = lab_errors_add(errors, "not-distinct", pointer, "0 stands for all %zu devices of the run already",
                                  run_devices);
    }
    return good;
}

static bool plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    bool sizes = check_sizes(given, errors);
    if (!check_device_counts(given, device_count, errors) || !sizes)
        return false;
    struct plan_totals totals = {given, estimate};
    if (!collectives_each_point(given, device_count, count_point, &totals))
        return lab_estimate_too_many(errors);
    /* What is sent, and what arrives. */
    estimate->device_bytes = 2 * (uint64_t)lab_parameter_integer(given, "max_bytes");
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s")) +
                        communicator_s * (double)lab_parameter_values(given, "device_count")->count;
    return lab_estimate_fits(estimate, devices, device_count, "twice max_bytes", "/parameters/max_bytes", errors);
}

const struct lab_experiment lab_collectives = {
    .name = "collectives",
    .title = "Collectives",
    .summary = "How fast several devices sum, gather and exchange arrays together, by operation and size.",
    .explanation = explanation,
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .devices_min = 2,
    .devices_max = LAB_RUN_DEVICES_MAX,
    .quick = "{\"min_bytes\": 16384, \"max_bytes\": 67108864, \"factor\": 64, \"time_budget_s\": 1.5}",
    .plan = plan,
    .run = collectives_run,
};
