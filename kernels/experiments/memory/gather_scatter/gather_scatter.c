/* gather-scatter: reads and writes at places that an array of indices gives, sorted or not.
 *
 * Gather and scatter are two of the access patterns that a lecture on GPU programming names, beside reads and writes of
 * neighbours.
 */
#include "gather_scatter.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

#include <math.h>

enum { VARIANT, ORDER, BYTES, LOAD };
enum { ELEMENT_BYTES = 4, SECTOR_BYTES = 32, LANES = 32 };

static const struct {
    const char *name;
} steps[] = {[GATHER] = {"gather"}, [SCATTER] = {"scatter"}, {0}};

static const char *const orders[] = {"sequential", "sorted", "random", NULL};

/* Sectors of 32 bytes that the 32 elements of an access touch, in each order. Sorted: two of the elements are in one.
 * Random: neighbouring threads hardly ever have elements of one sector. */
static const double sectors[] = {[GATHER_SEQUENTIAL] = 4, [GATHER_SORTED] = 16, [GATHER_RANDOM] = 32};

static const struct lab_schema parameters[] = {
    {LAB_STEPS("variant", "Access", steps)},
    {LAB_CHOICES_ALL(
        "order", "Order of the indices",
        "sequential: all elements of the table in order; sorted: one of each four elements, in order; random: the "
        "same elements in random order.",
        orders)},
    {LAB_INTEGERS(
         "bytes", "Size",
         "Bytes of the indices, and of the array beside the table; the table, of which every fourth element is "
         "used, is four times as large. Rounded down to a power of two.",
         1048576, 8388608, 67108864),
     .unit = "B", .minimum = 65536, .maximum = 1073741824},
    {0},
};

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [ORDER] = {.name = "order"},
    [BYTES] = {.name = "bytes", .power_of_two = true},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Useful bandwidth", "GB/s",
         "12 bytes for each index (itself, 4 read, 4 written) / time / 10^9; bytes that are moved but not used do "
         "not count"),
     .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {LAB_METRIC("sectors_per_request", "Sectors per request", "1",
                "computed, not measured: sectors of 32 bytes that contain the 32 elements of the table that a warp "
                "accesses; random: if no two are in one")},
    {LAB_METRIC("bound", "Lower bound of the time", "s",
                "computed, not measured: bytes of all sectors that the accesses touch / theoretical bandwidth of the "
                "device's memory, where they do not fit in the last-level cache")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("bars", "orders", "Useful bandwidth by order of the indices", "bandwidth", "order")},
    {LAB_VIEW("line", "size", "Useful bandwidth over size", "bandwidth", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("table", "sectors", "Sectors per request", "sectors_per_request", "order")},
    {LAB_VIEW("table", "bound", "Lower bound of the time", "bound", "order")},
    {0},
};

static void add_figures(const struct lab_device_facts *device, uint64_t order, double n, struct lab_workload *workload)
{
    double per_warp = 2 * LANES * ELEMENT_BYTES + sectors[order] * SECTOR_BYTES;
    double bound = n / LANES * per_warp / device->memory_peak_bytes_per_s;
    bool cached = device->l2_bytes != LAB_UNKNOWN && lab_workload_bytes(workload, true) <= (size_t)device->l2_bytes;
    if (lab_facts_is_cpu(device))
        return;
    lab_workload_add_figure(workload, "sectors_per_request", sectors[order]);
    if (!cached && isfinite(bound))
        lab_workload_add_figure(workload, "bound", bound);
}

static void gather_scatter_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                    const struct lab_point *point, struct lab_workload *workload)
{
    enum { THREADS = 256 };
    uint64_t order = (uint64_t)point->values[ORDER], bytes = (uint64_t)point->values[BYTES];
    uint64_t n = bytes / ELEMENT_BYTES, bits = (uint64_t)__builtin_ctzll(n);
    uint64_t table = order == GATHER_SEQUENTIAL ? bytes : bytes * GATHER_GROUP;
    bool scatter = point->values[VARIANT] == SCATTER;
    (void)given;
    size_t in = lab_workload_input(workload, scatter ? bytes : table, LAB_CONTENT_FLOATS);
    size_t out = lab_workload_output(workload, scatter ? table : bytes);
    size_t index = LAB_FILLED(workload, bytes, "gather_scatter_fill", order, bits);
    lab_workload_add_kernel(workload, "gather_scatter_%s", steps[point->values[VARIANT]].name);
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out), LAB_BUFFER(index), LAB_U64(n));
    lab_workload_launch_items(workload, n, THREADS);
    workload->check = LAB_CHECK("gather_scatter_check", out, order, bits, scatter);
    workload->counts[LAB_COUNT_BYTES] = 3 * (double)bytes;
    add_figures(device, order, (double)n, workload);
}

LAB_IMAGE(gather_scatter);
static const struct lab_benchmark benchmark = {.image = &image, .describe = gather_scatter_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Gather, sorted", "bandwidth"), .at = {{"variant", "gather"}, {"order", "sorted"}},
     .largest = {"bytes"}},
    {LAB_HEADLINE("Gather, random", "bandwidth"), .at = {{"variant", "gather"}, {"order", "random"}},
     .largest = {"bytes"}},
    {0},
};

LAB_PAGE(gather_scatter);
const struct lab_experiment lab_gather_scatter = {
    .name = "gather-scatter",
    .title = "Gather and scatter",
    .subject = "memory",
    .summary =
        "Bandwidth of reads and writes at places that an array of indices gives, in order, sorted with gaps or random.",
    LAB_BENCHMARK_FIELDS(gather_scatter, benchmark),
};
