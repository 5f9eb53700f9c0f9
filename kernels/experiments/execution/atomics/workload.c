/* The values of the axes of atomics and the workload of a point. */
#include "workload.h"

#include "atomics.h"
#include "benchmark/report.h"
#include "descriptor/parameters.h"

#include <math.h>

enum { WARP = 32, BLOCKS_PER_MULTIPROCESSOR = 8, DEFAULT_BITS = 24, RETRIES_DEFAULT_BITS = 13, HOST_DEFAULT_BITS = 20 };

const struct atomics_step atomics_steps[] = {
    [GLOBAL] = {"global", "global", .host = true},
    [KNOWN_ADDRESS] = {"known-address", .kernel = "known-address"},
    [AGGREGATED] = {"aggregated", .kernel = "aggregated"},
    [SHARED] = {"shared", "shared", ATOMICS_THREADS, .host = true},
    [SHARED_PER_WARP] = {"shared-per-warp", "shared", .sharers = WARP},
    [PLAIN] = {"plain", "plain", .host = true, .integers = true},
    [CAS] = {"cas", "cas", .host = true, .retries = true},
    [LOCK] = {"lock", "lock", .host = true, .integers = true, .retries = true},
    {0},
};

static const struct atomics_step *step_of(const struct lab_point *point)
{
    return &atomics_steps[point->values[VARIANT]];
}

/* --- copies of the counters --------------------------------------------------------------------------------------- */

/* Bytes of a block's copies of `addresses` counters. */
static size_t copies_bytes(const struct lab_point *point, int64_t addresses)
{
    uint32_t sharers = step_of(point)->sharers;
    return sharers > 0 ? (size_t)addresses * sizeof(uint32_t) * (ATOMICS_THREADS / sharers) : 0;
}

/* The most bytes that they can have. */
static size_t copies_bytes_max(const struct lab_device_facts *device)
{
    return lab_facts_is_cpu(device) ? ATOMICS_HOST_BYTES_MAX : (size_t)device->shared_per_block_optin_bytes;
}

/* Says why a point cannot be measured. */
static void check(const struct lab_device_facts *device, const struct lab_point *point, struct lab_workload *workload)
{
    size_t bytes = copies_bytes(point, point->values[ADDRESSES]), most = copies_bytes_max(device);
    if (lab_facts_is_cpu(device) && !step_of(point)->host)
        lab_workload_skip(workload, "this kernel is about warps, which a host device does not have");
    else if (bytes > most)
        lab_workload_skip(workload, "the copies of the counters need %zu bytes; at most %zu are allowed", bytes, most);
}

/* --- values of axes ----------------------------------------------------------------------------------------------- */

void atomics_list_types(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    if (step_of(point)->integers)
        lab_axis_values_add(values, ATOMICS_INT32);
    else
        lab_axis_values_add_parameter(values, request, "type");
}

/* Leaves out numbers of addresses whose copies do not fit, but keeps a number that is given alone. */
void atomics_list_addresses(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "addresses");
    size_t most_bytes = copies_bytes_max(request->devices[0]);
    if (point->values[VARIANT] == KNOWN_ADDRESS) {
        lab_axis_values_add(values, 1);
        return;
    }
    for (size_t i = 0; i < given->count; i++)
        if (given->count == 1 || copies_bytes(point, given->items[i].integer) <= most_bytes)
            lab_axis_values_add(values, given->items[i].integer);
}

/* A single address has the same elements in all distributions. A lock's price is measured with the first
 * distribution. */
void atomics_list_distributions(const struct lab_points_request *request, const struct lab_point *point,
                                struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "distribution");
    for (size_t i = 0; i < (point->values[ADDRESSES] > 1 && point->values[VARIANT] != LOCK ? given->count : 1); i++)
        lab_axis_values_add(values, given->items[i].integer);
}

/* The logarithm to base 2 of a number of elements, rounded down. */
static uint64_t bits_of(int64_t elements)
{
    uint64_t bits = ATOMICS_BITS_MIN;
    while (elements >> (bits + 1) > 0)
        bits++;
    return bits;
}

void atomics_list_elements(const struct lab_points_request *request, const struct lab_point *point,
                           struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "elements");
    uint64_t automatic = lab_facts_is_cpu(request->devices[0]) ? HOST_DEFAULT_BITS
                         : step_of(point)->retries             ? RETRIES_DEFAULT_BITS
                                                               : DEFAULT_BITS;
    for (size_t i = 0; i < given->count; i++) {
        int64_t elements = given->items[i].integer;
        lab_axis_values_add(values, INT64_C(1) << (elements > 0 ? bits_of(elements) : automatic));
    }
}

/* --- the workload of a point -------------------------------------------------------------------------------------- */

/* Atomic operations on the most frequent address that must follow one another; `hottest` is its number of elements. The
 * lanes of a warp with this address add once where they are aggregated: by the kernel, or by the compiler or the
 * hardware, which can do so with integers and, in global memory, with a known address only. A lock is taken and
 * released by an operation each. Plain additions are no atomic operations. */
static double serial_additions(const struct lab_device_facts *device, const struct lab_point *point, double hottest)
{
    double elements = (double)point->values[ELEMENTS];
    double of_warps = elements / WARP * (1 - pow(1 - hottest / elements, WARP));
    switch (point->values[VARIANT]) {
    case GLOBAL:
    case CAS:
        return hottest;
    case LOCK:
        return 2 * hottest;
    case PLAIN:
        return 0;
    case AGGREGATED:
        return of_warps;
    default: {
        double additions = point->values[TYPE] == ATOMICS_INT32 ? of_warps : hottest;
        return step_of(point)->sharers > 0 ? additions / (double)device->multiprocessors : additions;
    }
    }
}

/* Seconds that a repetition takes at least: those of reading the keys, or of the serial additions, one per clock. */
static double least_seconds(const struct lab_device_facts *device, const struct lab_point *point, double hottest)
{
    double bytes = (double)point->values[ELEMENTS] * sizeof(uint32_t);
    return fmax(bytes / device->memory_peak_bytes_per_s, serial_additions(device, point, hottest) / device->clock_hz);
}

/* As many blocks as are resident at a time, but not more than there are tiles. */
static uint64_t blocks(const struct lab_device_facts *device, const struct lab_point *point)
{
    uint64_t tiles = (uint64_t)point->values[ELEMENTS] / ATOMICS_TILE, resident = BLOCKS_PER_MULTIPROCESSOR;
    size_t bytes = copies_bytes(point, point->values[ADDRESSES]);
    if (bytes > 0 && device->shared_per_multiprocessor_bytes > 0) {
        size_t reserved = (size_t)device->reserved_shared_per_block_bytes;
        uint64_t fitting = (uint64_t)device->shared_per_multiprocessor_bytes / (bytes + reserved);
        resident = fitting < 1 ? 1 : fitting < resident ? fitting : resident;
    }
    resident *= lab_facts_multiprocessors(device);
    return resident < tiles ? resident : tiles;
}

static void add_launch(const struct lab_device_facts *device, const struct lab_point *point, size_t keys,
                       size_t counters, struct lab_workload *workload)
{
    const struct atomics_step *step = step_of(point);
    lab_workload_add_kernel(workload, "atomics_%s-%s", step->kernel,
                            point->values[TYPE] == ATOMICS_INT32 ? "int32" : "fp32");
    LAB_ARGUMENTS(workload, LAB_BUFFER(keys), LAB_BUFFER(counters), LAB_U32(point->values[ELEMENTS]));
    if (step->sharers > 0 || point->values[VARIANT] == KNOWN_ADDRESS)
        LAB_ARGUMENTS(workload, LAB_U32(point->values[ADDRESSES]));
    if (step->sharers > 0)
        LAB_ARGUMENTS(workload, LAB_U32(step->sharers));
    if (point->values[VARIANT] == LOCK)
        LAB_ARGUMENTS(workload,
                      LAB_BUFFER(lab_workload_zeros(workload, sizeof(uint32_t) * (size_t)point->values[ADDRESSES])));
    lab_workload_launch(workload, blocks(device, point), ATOMICS_THREADS);
    workload->steps[0].launch.shared_bytes = copies_bytes(point, point->values[ADDRESSES]);
}

/* Seconds for which threads that retry are expected to keep the most frequent address busy: each time one of them
 * succeeds, all that want the address have tried, two clocks each, and the round trip to the cache has passed. */
static double retries_seconds(const struct lab_device_facts *device, const struct lab_point *point, double hottest)
{
    static const double clocks_of_try = 2, round_trip_clocks = 1000;
    double threads = (double)blocks(device, point) * ATOMICS_THREADS;
    double waiting = hottest / (double)point->values[ELEMENTS] * threads;
    return hottest * (clocks_of_try * waiting + round_trip_clocks) / device->clock_hz;
}

/* The share of plain additions that count at most: lanes of a warp with the same key add once. Of 32 keys that are
 * chosen at random, with the frequencies of the distribution, and of 32 neighbouring ones this is the expected number
 * that differ / 32. Of the addresses after the first ones, which are so rare that lanes hardly ever share them, all
 * additions count. */
static double most_survive(const uint64_t parameters[3])
{
    enum { FIRST = 4096 };
    uint64_t addresses = parameters[ATOMICS_ADDRESSES], first = addresses < FIRST ? addresses : FIRST;
    double elements = ldexp(1, (int)parameters[ATOMICS_BITS]), differ = 0;
    if ((parameters[ATOMICS_DISTRIBUTION] & 255) == ATOMICS_NEIGHBOURING)
        return fmin(1, (double)addresses / WARP);
    for (uint64_t address = 0; address < first; address++)
        differ += 1 - pow(1 - atomics_count(address, parameters) / elements, WARP);
    return differ / WARP + 1 - atomics_below(first, parameters) / elements;
}

bool atomics_read(const struct lab_report *report, const struct lab_workload *workload, const void *records)
{
    const uint32_t *counters = records;
    double sum = 0;
    for (size_t i = 0; i < workload->records.bytes / sizeof *counters; i++)
        sum += counters[i];
    return lab_report_value(report, "survived", sum / workload->counts[LAB_COUNT_ITEMS]);
}

/* The counters of plain additions, of which some are lost. */
static void check_lost(const struct lab_device_facts *device, size_t counters, struct lab_workload *workload)
{
    workload->check.kernel = "atomics_check_lost";
    workload->records = (struct lab_workload_records){counters, workload->buffers[counters].bytes};
    if (!lab_facts_is_cpu(device))
        lab_workload_add_figure(workload, "survived_bound", most_survive(workload->check.parameters));
}

/* Sets what the point counts, how long it may take, and the prediction. */
static void count(const struct lab_device_facts *device, const struct lab_point *point, double hottest,
                  struct lab_workload *workload)
{
    static const double host_addition_s = 20e-9;
    double elements = (double)point->values[ELEMENTS], least_s = least_seconds(device, point, hottest);
    workload->counts[LAB_COUNT_ITEMS] = elements;
    workload->counts[LAB_COUNT_STEPS] = hottest;
    workload->counts[LAB_COUNT_BYTES] = elements * sizeof(uint32_t);
    lab_workload_add_counted(workload, "counted_requests", WARP / elements,
                             LAB_SUM_OF(LAB_HARDWARE_ATOMIC_REQUESTS, LAB_HARDWARE_REDUCTION_REQUESTS),
                             LAB_SUM_OF_NONE);
    workload->seconds = lab_facts_is_cpu(device) ? elements * host_addition_s : 2 * least_s;
    if (step_of(point)->retries && !lab_facts_is_cpu(device))
        workload->seconds = retries_seconds(device, point, hottest);
    if (!lab_facts_is_cpu(device) && isfinite(least_s))
        lab_workload_add_figure(workload, "predicted_rate", elements / least_s / 1e9);
}

void atomics_describe(const struct lab_parameters *parameters, const struct lab_device_facts *device,
                      const struct lab_point *point, struct lab_workload *workload)
{
    uint64_t addresses = (uint64_t)point->values[ADDRESSES], distribution = (uint64_t)point->values[DISTRIBUTION];
    uint64_t type = (uint64_t)point->values[TYPE], bits = bits_of(point->values[ELEMENTS]);
    (void)parameters;
    check(device, point, workload);
    size_t input = LAB_FILLED(workload, sizeof(uint32_t) << bits, "atomics_fill", addresses, distribution, bits);
    size_t output = lab_workload_zeros(workload, addresses * sizeof(uint32_t));
    add_launch(device, point, input, output, workload);
    workload->check =
        (struct lab_workload_check){.kernel = "atomics_check",
                                    .buffer = output,
                                    .parameters = {addresses, distribution | type << ATOMICS_TYPE_BIT, bits},
                                    .accumulates = true};
    if (point->values[VARIANT] == PLAIN)
        check_lost(device, output, workload);
    count(device, point, atomics_count(0, workload->check.parameters), workload);
}
