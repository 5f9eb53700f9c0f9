/* atomic-operations: the rate of each atomic operation, with its result used or not, and of stores followed by fences.
 *
 * The course text names the atomic operations: Add, Sub, Exch, CAS, Min, Max, Inc, Dec, And, Or, Xor; and
 * __threadfence.
 */
#include "atomic_operations.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <math.h>

enum { VARIANT, TYPE, RESULT, ADDRESSES, ELEMENTS, LOAD };
enum { UNUSED, USED };
enum { THREADS = 256, BLOCKS_PER_MULTIPROCESSOR = 8, DEFAULT_ELEMENTS = 1 << 22, HOST_DEFAULT_ELEMENTS = 1 << 18 };

static const struct step {
    const char *name;
    unsigned types; /* bits of those of which there is a kernel */
} steps[] = {
    [ATOMIC_ADD] = {"add", 1 << ATOMIC_INT32 | 1 << ATOMIC_INT64 | 1 << ATOMIC_FP32 | 1 << ATOMIC_FP64},
    [ATOMIC_SUB] = {"sub", 1 << ATOMIC_INT32},
    [ATOMIC_INC] = {"inc", 1 << ATOMIC_INT32},
    [ATOMIC_DEC] = {"dec", 1 << ATOMIC_INT32},
    [ATOMIC_MIN] = {"min", 1 << ATOMIC_INT32 | 1 << ATOMIC_INT64},
    [ATOMIC_MAX] = {"max", 1 << ATOMIC_INT32 | 1 << ATOMIC_INT64},
    [ATOMIC_AND] = {"and", 1 << ATOMIC_INT32 | 1 << ATOMIC_INT64},
    [ATOMIC_OR] = {"or", 1 << ATOMIC_INT32 | 1 << ATOMIC_INT64},
    [ATOMIC_XOR] = {"xor", 1 << ATOMIC_INT32 | 1 << ATOMIC_INT64},
    [ATOMIC_EXCH] = {"exch", 1 << ATOMIC_INT32 | 1 << ATOMIC_INT64},
    [ATOMIC_CAS] = {"cas", 1 << ATOMIC_INT32 | 1 << ATOMIC_INT64},
    [ATOMIC_STORE] = {"store", 1 << ATOMIC_INT32},
    [ATOMIC_FENCE_BLOCK] = {"fence-block", 1 << ATOMIC_INT32},
    [ATOMIC_FENCE] = {"fence", 1 << ATOMIC_INT32},
    [ATOMIC_FENCE_SYSTEM] = {"fence-system", 1 << ATOMIC_INT32},
    {0},
};
static const char *const types[] = {"int32", "int64", "fp32", "fp64", NULL};
static const char *const results[] = {"unused", "used", NULL};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Operation", steps)},
    {LAB_CHOICES_ALL("type", "Type",
                     "Type of the variables. Only add has floats; sub, inc, dec and stores have int32 only.", types)},
    {LAB_CHOICES_ALL(
        "result", "Returned value",
        "unused: the thread drops what the operation returns, and need not wait for it; used: it needs the value.",
        results)},
    {LAB_INTEGERS("addresses", "Addresses", "Number of variables, neighbours in memory; a power of two.", 1, 65536),
     .minimum = 1, .maximum = 1 << 20},
    {LAB_INTEGERS("elements", "Elements",
                  "Number of operations, a power of two. 0: automatic, 4194304 and on a host device 262144.", 0),
     .minimum = 0, .maximum = 1 << 26},
    {0},
};

static bool is_store(const struct lab_point *point)
{
    return point->values[VARIANT] >= ATOMIC_STORE;
}

static bool returns_value(const struct lab_point *point)
{
    return !is_store(point);
}

/* The given types of which the operation has a kernel; a type that is given alone, in any case. */
static void list_types(const struct lab_points_request *request, const struct lab_point *point,
                       struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "type");
    for (size_t i = 0; i < given->count; i++)
        if (given->count == 1 || (steps[point->values[VARIANT]].types >> given->items[i].integer & 1) != 0)
            lab_axis_values_add(values, given->items[i].integer);
}

/* A CPU's atomic operations return their result in any case. */
static bool keeps_result(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    (void)point;
    return value == UNUSED || !lab_facts_is_cpu(request->devices[0]);
}

static void list_elements(const struct lab_points_request *request, const struct lab_point *point,
                          struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "elements");
    int64_t automatic = lab_facts_is_cpu(request->devices[0]) ? HOST_DEFAULT_ELEMENTS : DEFAULT_ELEMENTS;
    for (size_t i = 0; i < given->count; i++) {
        int64_t elements = given->items[i].integer > 0 ? given->items[i].integer : automatic;
        lab_axis_values_add(values, elements > point->values[ADDRESSES] ? elements : point->values[ADDRESSES]);
    }
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [TYPE] = {.name = "type", .list = list_types},
    [RESULT] = {.name = "result", .applies = returns_value, .keeps = keeps_result},
    [ADDRESSES] = {.name = "addresses", .power_of_two = true},
    [ELEMENTS] = {.name = "elements", .list = list_elements, .power_of_two = true},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("rate", "Operations per second", "Gop/s", "elements, each of which is one operation, / time / 10^9"),
     .counter = LAB_COUNT_ITEMS},
    {LAB_METRIC(
        "predicted_rate", "Upper bound", "Gop/s",
        "computed, not measured: one operation per clock (maximum SM clock) on each address, of stores without this limit, "
        "but at most one instruction of a warp, 32 operations, per clock and multiprocessor")},
    {LAB_METRIC("hottest_interval", "Cycles per operation on one address", "cycles",
                "time * SM clock / elements, if there is one address"),
     .counter = LAB_COUNT_STEPS},
    {LAB_METRIC("time", "Time", "s", "time of one kernel"), .counter = LAB_COUNT_SECONDS},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "operations", "Operations per second by operation", "rate", "variant"), .log_y = true},
    {LAB_VIEW("bars", "interval", "Cycles per operation on one address", "hottest_interval", "variant"), .log_y = true},
    {LAB_VIEW("table", "bound", "Upper bound", "predicted_rate", "addresses")},
    {0},
};

static double upper_bound(const struct lab_device_facts *device, const struct lab_point *point)
{
    enum { WARP = 32 };
    double issued = WARP * (double)device->multiprocessors, addresses = (double)point->values[ADDRESSES];
    return (is_store(point) ? issued : fmin(addresses, issued)) * device->clock_hz;
}

/* Sets what the point counts, how long it may take, and the prediction. */
static void count(const struct lab_device_facts *device, const struct lab_point *point, struct lab_workload *workload)
{
    static const double host_operation_s = 30e-9;
    double elements = (double)point->values[ELEMENTS], bound = upper_bound(device, point);
    workload->counts[LAB_COUNT_ITEMS] = elements;
    workload->counts[LAB_COUNT_STEPS] = point->values[ADDRESSES] == 1 ? elements : 0;
    workload->seconds = lab_facts_is_cpu(device) ? elements * host_operation_s : 4 * elements / bound;
    if (!lab_facts_is_cpu(device) && isfinite(bound))
        lab_workload_add_figure(workload, "predicted_rate", bound / 1e9);
}

static void atomic_operations_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                       const struct lab_point *point, struct lab_workload *workload)
{
    uint64_t variant = (uint64_t)point->values[VARIANT], type = (uint64_t)point->values[TYPE];
    uint64_t addresses = (uint64_t)point->values[ADDRESSES], elements = (uint64_t)point->values[ELEMENTS];
    uint64_t kind = variant | type << ATOMIC_TYPE_BIT;
    uint64_t resident = lab_facts_multiprocessors(device) * BLOCKS_PER_MULTIPROCESSOR;
    uint64_t most = (elements + THREADS - 1) / THREADS;
    (void)given;
    if ((steps[variant].types >> type & 1) == 0)
        lab_workload_skip(workload, "there is no operation %s of the type %s", steps[variant].name, types[type]);
    if (lab_facts_is_cpu(device) && variant > ATOMIC_STORE)
        lab_workload_skip(workload,
                          "fences of a CPU order accesses of all cores; there are none of a block or a device");
    if (lab_facts_is_cpu(device) && point->values[RESULT] == USED)
        lab_workload_skip(workload, "a CPU's atomic operations return their result in any case");
    size_t bytes = (size_t)addresses * (type == ATOMIC_INT64 || type == ATOMIC_FP64 ? 8 : 4);
    size_t variables = lab_workload_declare(
        workload, (struct lab_buffer){
                      .bytes = bytes, .output = true, .fill = "atomic_operations_fill", .fill_parameters = {kind}});
    lab_workload_add_kernel(workload, "atomic_operations_%s_%s%s", steps[variant].name, types[type],
                            point->values[RESULT] == USED ? "_used" : "");
    LAB_ARGUMENTS(workload, LAB_BUFFER(variables), LAB_U32(elements), LAB_U32(addresses));
    lab_workload_launch(workload, resident < most ? resident : most, THREADS);
    workload->check = LAB_CHECK("atomic_operations_check", variables, kind, addresses, elements);
    workload->check.accumulates = true;
    count(device, point, workload);
}

LAB_IMAGE(atomic_operations);
static const struct lab_benchmark benchmark = {.image = &image, .describe = atomic_operations_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("atomicAdd to one address", "rate"),
     .at = {{"variant", "add"}, {"type", "int32"}, {"result", "unused"}}, .largest = {"elements"},
     .smallest = {"addresses"}},
    {LAB_HEADLINE("atomicCAS on one address", "rate"),
     .at = {{"variant", "cas"}, {"type", "int32"}, {"result", "unused"}}, .largest = {"elements"},
     .smallest = {"addresses"}},
    {0},
};

LAB_PAGE(atomic_operations);
const struct lab_experiment lab_atomic_operations = {
    .name = "atomic-operations",
    .title = "Kinds of atomic operations, and fences",
    .subject = "execution",
    .summary =
        "Rates of atomic additions, minima, bit operations, exchanges and comparisons on one address and on many, and "
        "of stores with fences.",
    LAB_BENCHMARK_FIELDS(atomic_operations, benchmark),
};
