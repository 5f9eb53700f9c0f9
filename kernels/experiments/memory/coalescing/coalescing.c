/* coalescing: how the addresses that the threads of a warp access together decide how much memory is moved.
 *
 * Reproduces the four cases of the CUDA course text's figure 3: aligned, permuted, shifted and strided accesses. The preset
 * `source` has the figure's stride of 128 bytes, with which every thread of a warp needs a transaction of its own.
 */
#include "coalescing.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "experiment/points.h"

enum { SHIFT_MAX = 32 };
enum { ACCESS, PATTERN, SHIFT, STRIDE, BYTES, LOAD };

static const char *const accesses[] = {"read", "write", NULL};
static const char *const patterns[] = {"aligned", "permuted", "shifted", "strided", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES("access", "Access",
                 "read: the pattern is that of the reads, and writes are aligned; write: the other way round.",
                 accesses, "read", "write")},
    {LAB_CHOICES(
        "pattern", "Pattern",
        "aligned: thread i accesses element i; permuted: the threads of a warp access its 32 elements in another "
        "order; shifted: thread i accesses element i + shift; strided: neighbouring threads access elements that "
        "are `stride` apart.",
        patterns, "aligned", "permuted", "shifted", "strided")},
    {LAB_INTEGERS("shift", "Shift",
                  "Elements of 4 bytes from an aligned address to the first element that a warp accesses.", 1, 2, 4, 8,
                  16, 32),
     .minimum = 0, .maximum = SHIFT_MAX},
    {LAB_INTEGERS("stride", "Stride", "Elements from the one that a thread accesses to that of the next thread.", 1, 2,
                  4, 8, 16, 32, 64),
     .minimum = 1, .maximum = 1024},
    {LAB_BYTES_PARAMETER("the two arrays", 65536, 134217728)},
    {.name = NULL},
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
    [ACCESS] = {.name = "access", .title = "Access"},
    [PATTERN] = {.name = "pattern", .title = "Pattern"},
    [SHIFT] = {.name = "shift", .title = "Shift", .applies = is_shifted},
    [STRIDE] = {.name = "stride", .title = "Stride", .applies = is_strided},
    [BYTES] = {.name = "bytes", .title = "Size", .unit = "B"},
    [LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
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
    {.name = NULL},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "stride", "Useful bandwidth over stride", "bandwidth", "stride"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "shift", "Useful bandwidth over shift", "bandwidth", "shift")},
    {LAB_VIEW("bars", "patterns", "Useful bandwidth by pattern", "bandwidth", "pattern")},
    {LAB_VIEW("table", "sectors", "Sectors per request", "sectors_per_request", "pattern")},
    {0},
};

static const char explanation[] =
    "The 32 threads of a warp execute a load or store together. The hardware looks at their 32 addresses and moves every "
    "sector of 32 bytes that contains one of them, once. If the threads access 32 neighbouring floats, these are 4 sectors "
    "and every byte that is moved is used. This is called a coalesced access.\n\n"
    "What to expect: the order of the threads within the warp does not matter. A shift by a multiple of 8 floats costs "
    "nothing; any other shift touches a fifth sector, most of which the neighbouring warp needs as well and finds in the "
    "cache. With stride s a warp touches s times as many sectors, up to 32 from stride 8 on: then only 4 of 32 bytes are "
    "used. The other side of the copy stays coalesced, so the total traffic grows from 8 to 36 sectors. The useful "
    "bandwidth falls less than that, because one element per thread does not saturate the memory at stride 1. It may fall "
    "further beyond stride 8, where the memory itself moves 64 bytes at a time. On a CPU the unit is a cache line of 64 "
    "bytes, 16 floats.\n\n"
    "Try writes against reads: a sector that is written only in part may have to be read first. Try strides that are not a "
    "power of two.";

#define FOLDER "kernels/experiments/memory/coalescing/"

static const struct lab_source sources[] = {
    {"shifted",
     "cuda",
     "Aligned and shifted",
     "Thread i accesses element i + shift; aligned is a shift of 0. A warp's 32 floats are 128 contiguous bytes: 4 sectors "
     "if they begin at a multiple of 32 bytes, else 5.",
     {{FOLDER "coalescing.cu", "shifted"}}},
    {"permuted",
     "cuda",
     "Permuted within the warp",
     "The same 128 bytes in another order. The hardware moves sectors, so the order does not matter.",
     {{FOLDER "coalescing.h", "permutation"}, {FOLDER "coalescing.cu", "permuted"}}},
    {"strided",
     "cuda",
     "Strided",
     "The elements of a warp are `stride` apart, as in a column of a matrix. From stride 8 on each thread needs a sector of "
     "its own, of which it uses 4 of 32 bytes.",
     {{FOLDER "coalescing.cu", "strided"}}},
    {"shifted",
     "host",
     "Aligned and shifted",
     "Neighbouring elements: each cache line is used completely.",
     {{FOLDER "coalescing_host.c", "part"}, {FOLDER "coalescing_host.c", "shifted"}}},
    {"permuted",
     "host",
     "Permuted within 32 elements",
     "The same cache lines in another order; the compiler cannot use vector instructions.",
     {{FOLDER "coalescing.h", "permutation"},
      {FOLDER "coalescing_host.c", "part"},
      {FOLDER "coalescing_host.c", "permuted"}}},
    {"strided",
     "host",
     "Strided",
     "From stride 16 on every element is in another cache line of 64 bytes, of which 4 are used.",
     {{FOLDER "coalescing_host.c", "part"}, {FOLDER "coalescing_host.c", "strided"}}},
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
    static const char *const kernels[][2] = {
        [COALESCING_ALIGNED] = {"coalescing_read_shifted", "coalescing_write_shifted"},
        [COALESCING_PERMUTED] = {"coalescing_read_permuted", "coalescing_write_permuted"},
        [COALESCING_SHIFTED] = {"coalescing_read_shifted", "coalescing_write_shifted"},
        [COALESCING_STRIDED] = {"coalescing_read_strided", "coalescing_write_strided"}};
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
    lab_workload_add_step(workload, kernels[pattern][access]);
    lab_workload_add_buffer(workload, in);
    lab_workload_add_buffer(workload, out);
    lab_workload_add(workload, lab_argument_u64(rows));
    if (pattern != COALESCING_PERMUTED)
        lab_workload_add(workload, lab_argument_u64(offset));
    lab_workload_launch_items(workload, rows, THREADS);
    workload->steps[0].launch.grid[1] = (uint32_t)columns;
    workload->check =
        (struct lab_workload_check){.kernel = "coalescing_check",
                                    .buffer = out,
                                    .parameters = {(uint64_t)(pattern | access << COALESCING_WRITE_BIT), offset, rows}};
    workload->counts[LAB_COUNT_BYTES] = 2 * ELEMENT_BYTES * (double)n;
    lab_workload_add_figure(workload, "sectors_per_request", sectors(point));
}

extern const struct lab_binary lab_binary_coalescing;
extern const struct lab_host_kernel coalescing_host_kernels[];
static const struct lab_image image = {"coalescing", &lab_binary_coalescing, coalescing_host_kernels};
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
    .sources = sources,
    LAB_BENCHMARK_FIELDS(coalescing, benchmark),
};
