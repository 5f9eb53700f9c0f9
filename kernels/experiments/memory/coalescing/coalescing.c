/* coalescing: how the addresses that the threads of a warp access together decide how much memory is moved.
 *
 * Reproduces the four cases of the CUDA course text's figure 3: aligned, permuted, shifted and strided accesses. The
 * preset `source` has the figure's stride of 128 bytes, with which every thread of a warp needs a transaction of its
 * own.
 */
#include "coalescing.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"

enum { SHIFT_MAX = 32 };
enum { ACCESS, PATTERN, SHIFT, STRIDE, BYTES, LOAD };

static const char *const accesses[] = {"read", "write", NULL};
static const char *const patterns[] = {"aligned", "permuted", "shifted", "strided", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL("access", "Access",
                     "read: the pattern is that of the reads, and writes are aligned; write: the other way round.",
                     accesses)},
    {LAB_CHOICES_ALL(
        "pattern", "Pattern",
        "aligned: thread i accesses element i; permuted: the threads of a warp access its 32 elements in another "
        "order; shifted: thread i accesses element i + shift; strided: neighbouring threads access elements that "
        "are `stride` apart.",
        patterns)},
    {LAB_INTEGERS("shift", "Shift",
                  "Elements of 4 bytes from an aligned address to the first element that a warp accesses.", 1, 2, 4, 8,
                  16, 32),
     .minimum = 0, .maximum = SHIFT_MAX},
    {LAB_INTEGERS("stride", "Stride", "Elements from the one that a thread accesses to that of the next thread.", 1, 2,
                  4, 8, 16, 32, 64),
     .minimum = 1, .maximum = 1024},
    {LAB_BYTES_PARAMETER("the two arrays", 65536, 134217728)},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static bool is_shifted(const struct lab_point *point)
{
    return point->values[PATTERN] == COALESCING_SHIFTED;
}

static bool is_strided(const struct lab_point *point)
{
    return point->values[PATTERN] == COALESCING_STRIDED;
}

static const struct lab_axis axes[] = {
    [ACCESS] = {.name = "access"},
    [PATTERN] = {.name = "pattern"},
    [SHIFT] = {.name = "shift", .applies = is_shifted},
    [STRIDE] = {.name = "stride", .applies = is_strided},
    [BYTES] = {.name = "bytes"},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Useful bandwidth", "GB/s",
                "8 bytes for each thread (4 read, 4 written) / time / 10^9; bytes that are moved but not used do not "
                "count"),
     .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {LAB_METRIC("sectors_per_request", "Sectors per request", "1",
                "computed, not measured: sectors of 32 bytes that contain the 32 elements of a warp's access in the "
                "pattern; 4 at best, 32 at worst")},
    {LAB_METRIC("counted_sectors_per_request", "Counted sectors per request", "1",
                "counted by the hardware: sectors of 32 bytes / requests of warps, of the accesses in the pattern")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "stride", "Useful bandwidth over stride", "bandwidth", "stride"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "shift", "Useful bandwidth over shift", "bandwidth", "shift")},
    {LAB_VIEW("bars", "patterns", "Useful bandwidth by pattern", "bandwidth", "pattern")},
    {LAB_VIEW("table", "sectors", "Sectors per request", "sectors_per_request", "pattern")},
    {LAB_VIEW("scatter", "counted", "Counted over predicted sectors", "counted_sectors_per_request",
              "sectors_per_request"),
     .y = "stride", .beside = "bandwidth", .predicted = true, .log_x = true, .log_y = true},
    {LAB_VIEW("scatter", "counted-patterns", "Counted over predicted sectors by pattern", "counted_sectors_per_request",
              "sectors_per_request"),
     .y = "pattern", .beside = "bandwidth", .predicted = true, .log_x = true, .log_y = true},
    {0},
};

/* Sectors of 32 bytes that the 32 elements of an access touch. */
static double sectors(const struct lab_point *point)
{
    enum { LANES = 32, PER_SECTOR = 8 };
    int64_t stride = is_strided(point) ? point->values[STRIDE] : 1;
    int64_t first = is_shifted(point) ? point->values[SHIFT] % PER_SECTOR : 0;
    int64_t last_sector = (first + (LANES - 1) * stride) / PER_SECTOR;
    return stride >= PER_SECTOR ? LANES : (double)(last_sector + 1);
}

static void coalescing_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                const struct lab_point *point, struct lab_workload *workload)
{
    enum { THREADS = 256, ELEMENT_BYTES = 4 };
    int64_t pattern = point->values[PATTERN], access = point->values[ACCESS];
    uint64_t offset = is_strided(point)   ? (uint64_t)point->values[STRIDE]
                      : is_shifted(point) ? (uint64_t)point->values[SHIFT]
                                          : 0;
    uint64_t columns = is_strided(point) ? offset : 1;
    uint64_t rows = (uint64_t)point->values[BYTES] / ELEMENT_BYTES / 32 * 32 / columns;
    uint64_t n = rows * columns, longer = is_strided(point) ? n : n + offset;
    (void)given, (void)device;
    /* The input has the same size at all points, so that it is filled once. */
    size_t in =
        lab_workload_input(workload, (size_t)point->values[BYTES] + ELEMENT_BYTES * SHIFT_MAX, LAB_CONTENT_FLOATS);
    size_t out = lab_workload_output(workload, ELEMENT_BYTES * (access == COALESCING_WRITE ? longer : n));
    lab_workload_add_kernel(workload, "coalescing_%s_%s", accesses[access],
                            patterns[pattern == COALESCING_ALIGNED ? COALESCING_SHIFTED : pattern]);
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out), LAB_U64(rows));
    if (pattern != COALESCING_PERMUTED)
        LAB_ARGUMENTS(workload, LAB_U64(offset));
    lab_workload_launch_items(workload, rows, THREADS);
    workload->steps[0].launch.grid[1] = (uint32_t)columns;
    workload->check =
        LAB_CHECK("coalescing_check", out, (uint64_t)(pattern | access << COALESCING_WRITE_BIT), offset, rows);
    workload->counts[LAB_COUNT_BYTES] = 2 * ELEMENT_BYTES * (double)n;
    lab_workload_add_figure(workload, "sectors_per_request", sectors(point));
    lab_workload_add_counted(
        workload, "counted_sectors_per_request", 1,
        LAB_SUM_OF(access == COALESCING_WRITE ? LAB_HARDWARE_STORE_SECTORS : LAB_HARDWARE_LOAD_SECTORS),
        LAB_SUM_OF(access == COALESCING_WRITE ? LAB_HARDWARE_STORE_REQUESTS : LAB_HARDWARE_LOAD_REQUESTS));
}

LAB_IMAGE(coalescing);
static const struct lab_benchmark benchmark = {.image = &image, .describe = coalescing_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Coalesced read", "bandwidth"), .at = {{"access", "read"}, {"pattern", "aligned"}},
     .largest = {"bytes"}},
    {LAB_HEADLINE("Strided read", "bandwidth"), .at = {{"access", "read"}, {"pattern", "strided"}},
     .largest = {"bytes", "stride"}},
    {0},
};

LAB_PAGE(coalescing);
const struct lab_experiment lab_coalescing = {
    .name = "coalescing",
    .title = "Memory coalescing",
    .subject = "memory",
    .summary =
        "Bandwidth of reads and writes in which the threads of a warp access aligned, permuted, shifted or strided "
        "addresses.",
    LAB_BENCHMARK_FIELDS(coalescing, benchmark),
};
