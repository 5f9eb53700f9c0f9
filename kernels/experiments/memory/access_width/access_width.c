/* access-width: how many bytes a thread accesses with one instruction, and how structures are laid out in memory.
 *
 * Reproduces the vector types and the aligned structure of five floats of the lecture on the CUDA memory model; the
 * preset `source` is this structure, without and with its alignment.
 */
#include "access_width.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "descriptor/points.h"

#include <math.h>
#include <string.h>

enum { VARIANT, WIDTH, FIELDS, BYTES, LOAD };
enum { VECTOR, AOS, AOS_ALIGNED, SOA, AOS_5, AOS_5_ALIGNED, SOA_5 };
enum { ALL, ONE };
enum { MEMBER_BYTES = 4, FIVE_BYTES = 5 * MEMBER_BYTES, FIVE_ALIGNED_BYTES = 32, SECTOR_BYTES = 32, LANES = 32 };

static const char of_alignment[] = "the alignment of a structure does not change how a CPU loads it";
static const struct {
    const char *name, *host_reason; /* why it is not measured on a CPU; NULL: it is */
} variants[] = {
    [VECTOR] = {"vector", "a CPU's compiler copies elements of any size with the same vector instructions"},
    [AOS] = {"aos", NULL},
    [AOS_ALIGNED] = {"aos-aligned", of_alignment},
    [SOA] = {"soa", NULL},
    [AOS_5] = {"aos-5", NULL},
    [AOS_5_ALIGNED] = {"aos-5-aligned", of_alignment},
    [SOA_5] = {"soa-5", NULL},
    {0},
};

static const char *const fields[] = {"all", "one", NULL};

static const struct lab_schema parameters[] = {
    {LAB_STEPS_OF("variant", "Elements", variants, "vector", "aos", "aos-aligned", "soa")},
    {LAB_CHOICES_ALL("fields", "Members copied", "aos and soa: all members of the structures, or one.", fields)},
    {LAB_BYTES_PARAMETER("the array that is read", 65536, 201326592)},
    {0},
};

/* The kernel for elements of a width. */
static const struct access {
    int64_t variant, width, fields; /* fields: LAB_NO_VALUE if the elements have no members to choose from */
    const char *kernel;
    double loads;        /* load instructions of a thread, as many as stores */
    double load_sectors; /* that a load of a warp touches */
} accesses[] = {
    {VECTOR, 1, LAB_NO_VALUE, "access_width_1", 1, 1},
    {VECTOR, 2, LAB_NO_VALUE, "access_width_2", 1, 2},
    {VECTOR, 4, LAB_NO_VALUE, "access_width_4", 1, 4},
    {VECTOR, 8, LAB_NO_VALUE, "access_width_8", 1, 8},
    {VECTOR, 16, LAB_NO_VALUE, "access_width_16", 1, 16},
    {AOS, 12, ALL, "access_width_aos_12", 3, 12},
    {AOS, 16, ALL, "access_width_aos_16", 4, 16},
    {AOS, 12, ONE, "access_width_aos_12_one", 1, 12},
    {AOS, 16, ONE, "access_width_aos_16_one", 1, 16},
    {AOS_ALIGNED, 16, LAB_NO_VALUE, "access_width_aos_aligned", 1, 16},
    {SOA, 12, ALL, "access_width_soa_12", 3, 4},
    {SOA, 16, ALL, "access_width_soa_16", 4, 4},
    {SOA, 12, ONE, "access_width_soa_one", 1, 4},
    {SOA, 16, ONE, "access_width_soa_one", 1, 4},
    {AOS_5, FIVE_BYTES, LAB_NO_VALUE, "access_width_aos_5", 5, 20},
    {AOS_5_ALIGNED, FIVE_ALIGNED_BYTES, LAB_NO_VALUE, "access_width_aos_5_aligned", 2, 32},
    {SOA_5, FIVE_BYTES, LAB_NO_VALUE, "access_width_soa_5", 5, 4},
};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

static const struct access *access_of(const struct lab_point *point)
{
    for (size_t i = 0; i < ACCESSES; i++)
        if (accesses[i].variant == point->values[VARIANT] && accesses[i].width == point->values[WIDTH] &&
            accesses[i].fields == point->values[FIELDS])
            return &accesses[i];
    return NULL;
}

static bool has_fields(const struct lab_point *point)
{
    return point->values[VARIANT] == AOS || point->values[VARIANT] == SOA;
}

/* The widths that the variant has, once each. */
static void list_widths(const struct lab_points_request *request, const struct lab_point *point,
                        struct lab_axis_values *values)
{
    (void)request;
    for (size_t i = 0; i < ACCESSES; i++)
        if (accesses[i].variant == point->values[VARIANT] && accesses[i].fields != ONE)
            lab_axis_values_add(values, accesses[i].width);
}

/* Whole elements of 12 and of 16 bytes for each warp; the arrays of soa begin at a multiple of 128 bytes. Of structures
 * of five floats there are as many as fit. */
enum { UNIT = 48 * LANES };

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [WIDTH] = {.name = "width", .title = "Bytes of an element", .unit = "B", .list = list_widths},
    [FIELDS] = {.name = "fields", .applies = has_fields},
    [BYTES] = {.name = "bytes", .multiple = UNIT},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Useful bandwidth", "GB/s",
         "bytes of the members that are copied, read once and written once, / time / 10^9; bytes that are moved but "
         "not used do not count"),
     .counter = LAB_COUNT_BYTES},
    LAB_KERNEL_METRICS,
    {LAB_METRIC(
        "loads", "Load instructions", "1",
        "computed, not measured: load instructions of a thread, which has as many stores; one for each member, or one "
        "for an element whose alignment is its size")},
    {LAB_METRIC("sectors_per_request", "Sectors per request", "1",
                "computed, not measured: sectors of 32 bytes that a load of a warp touches")},
    {LAB_METRIC("bound", "Lower bound of the time", "s",
                "computed, not measured: bytes of all sectors that the loads and stores touch, each sector once, / "
                "theoretical bandwidth of the device's memory")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "width", "Useful bandwidth over bytes of an element", "bandwidth", "width"), .log_x = true},
    {LAB_VIEW("bars", "elements", "Useful bandwidth by kind of element", "bandwidth", "variant")},
    {LAB_VIEW("table", "loads", "Load instructions", "loads", "variant")},
    {LAB_VIEW("table", "sectors", "Sectors per request", "sectors_per_request", "variant")},
    {LAB_VIEW("table", "bound", "Lower bound of the time", "bound", "variant")},
    {0},
};

static void add_figures(const struct access *access, const struct lab_device_facts *device, double read, double written,
                        struct lab_workload *workload)
{
    double bound = (read + written) / device->memory_peak_bytes_per_s;
    if (strcmp(device->backend, "cuda") == 0) {
        lab_workload_add_figure(workload, "loads", access->loads);
        lab_workload_add_figure(workload, "sectors_per_request", access->load_sectors);
    }
    if (isfinite(bound) && bound > 0)
        lab_workload_add_figure(workload, "bound", bound);
}

static void access_width_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                  const struct lab_point *point, struct lab_workload *workload)
{
    enum { THREADS = 256 };
    const struct access *access = access_of(point);
    const char *reason = lab_facts_is_cpu(device) ? variants[access->variant].host_reason : NULL;
    uint64_t bytes = (uint64_t)point->values[BYTES], width = (uint64_t)access->width, n = bytes / width / LANES * LANES;
    bool one = access->fields == ONE, all_read = !one || access->variant == AOS;
    bool padded = access->variant == AOS_5_ALIGNED;
    uint64_t all = n * width, written = one ? n * MEMBER_BYTES : all;
    (void)given;
    lab_workload_skip(workload, "%s", reason != NULL ? reason : "");
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)(padded ? n * FIVE_BYTES : written);
    size_t in = lab_workload_input(workload, bytes, LAB_CONTENT_FLOATS);
    size_t out = lab_workload_output(workload, written);
    lab_workload_add_step(workload, access->kernel);
    LAB_ARGUMENTS(workload, LAB_BUFFER(in), LAB_BUFFER(out), LAB_U64(n));
    lab_workload_launch_items(workload, n, THREADS);
    uint64_t step = one && all_read ? width / MEMBER_BYTES : 1;
    if (padded)
        workload->check = LAB_CHECK("access_width_check_padded", out, width / MEMBER_BYTES, FIVE_BYTES / MEMBER_BYTES);
    else
        workload->check = LAB_CHECK("access_width_check", out, step);
    add_figures(access, device, (double)(all_read ? all : written), (double)written, workload);
}

LAB_IMAGE(access_width);
static const struct lab_benchmark benchmark = {.image = &image, .describe = access_width_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Widest vectors", "bandwidth"), .at = {{"variant", "vector"}}, .largest = {"bytes", "width"}},
    {0},
};

LAB_PAGE(access_width);
const struct lab_experiment lab_access_width = {
    .name = "access-width",
    .title = "Access width and structures",
    .subject = "memory",
    .summary =
        "Bandwidth of copies with elements of 1 to 16 bytes, and of arrays of structures against structures of arrays.",
    LAB_BENCHMARK_FIELDS(access_width, benchmark),
};
