/* access-width: how many bytes a thread accesses with one instruction, and how structures are laid out in memory.
 *
 * Reproduces the vector types and the aligned structure of five floats of the lecture on the CUDA memory model; the preset
 * `source` is this structure, without and with its alignment.
 */
#include "access_width.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "experiment/points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VARIANT, WIDTH, FIELDS, BYTES, LOAD };
enum { VECTOR, AOS, AOS_ALIGNED, SOA, AOS_5, AOS_5_ALIGNED, VARIANTS };
enum { ALL, ONE };
enum { MEMBER_BYTES = 4, FIVE_BYTES = 5 * MEMBER_BYTES, FIVE_ALIGNED_BYTES = 32, SECTOR_BYTES = 32, LANES = 32 };

static const char *const variants[] = {"vector", "aos", "aos-aligned", "soa", "aos-5", "aos-5-aligned", NULL};
static const char *const fields[] = {"all", "one", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES(
        "variant", "Elements",
        "vector: 1, 2, 4, 8 or 16 bytes, accessed by one instruction; aos: an array of structures of 3 or 4 floats; "
        "aos-aligned: the structures are aligned to 16 bytes; soa: an array for each member of the structure; aos-5, "
        "aos-5-aligned: structures of 5 floats, which take 20 bytes, and 32 if they are aligned to 16.",
        variants, "vector", "aos", "aos-aligned", "soa")},
    {LAB_CHOICES("fields", "Members copied", "aos and soa: all members of the structures, or one.", fields, "all",
                 "one")},
    {LAB_BYTES_PARAMETER("the array that is read", 65536, 201326592)},
    {.name = NULL},
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

/* Whole elements of 12 and of 16 bytes for each warp; the arrays of soa begin at a multiple of 128 bytes. Of structures of
 * five floats there are as many as fit. */
static int64_t whole_warps(const struct lab_point *point, int64_t bytes)
{
    enum { UNIT = 48 * LANES };
    (void)point;
    return bytes / UNIT * UNIT;
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant", .title = "Elements"},
    [WIDTH] = {.name = "width", .title = "Bytes of an element", .unit = "B", .list = list_widths},
    [FIELDS] = {.name = "fields", .title = "Members copied", .applies = has_fields},
    [BYTES] = {.name = "bytes", .title = "Size", .unit = "B", .round = whole_warps},
    [LOAD] = {LAB_LOAD_AXIS},
    {.name = NULL},
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
    {.name = NULL},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "width", "Useful bandwidth over bytes of an element", "bandwidth", "width"), .log_x = true},
    {LAB_VIEW("bars", "elements", "Useful bandwidth by kind of element", "bandwidth", "variant")},
    {LAB_VIEW("table", "loads", "Load instructions", "loads", "variant")},
    {LAB_VIEW("table", "sectors", "Sectors per request", "sectors_per_request", "variant")},
    {LAB_VIEW("table", "bound", "Lower bound of the time", "bound", "variant")},
    {0},
};

static const char explanation[] =
    "A load instruction moves 1, 2, 4, 8 or 16 bytes for each thread. The vector types (int2, float4) have the "
    "alignment that the wide instructions need. A structure of your own is aligned as its members are: the compiler "
    "cannot know that a structure of four floats begins at a multiple of 16 bytes, and loads each member by itself. "
    "With __align__(16) it uses one instruction. All kernels here have one thread for each element and, unless they "
    "use one member only, copy the same number of bytes in all.\n\n"
    "What to expect: a multiprocessor of an H200 has at most 2048 threads, so with one load of w bytes in each of them at most "
    "2048 w bytes are under way. By Little's law 4 TB/s and 700 ns need about 20 KB on each of an H200's 132 "
    "multiprocessors, read and written bytes together. So 1 and 2 bytes a thread are far from the limit and twice the "
    "width is nearly twice the bandwidth; from 8 bytes on the memory is the limit. An array of structures is accessed "
    "in 3 or 4 instructions, each of which touches all 12 or 16 sectors of the warp and uses a part of each. The "
    "loads after the first find their sectors in the L1 cache. The stores go to the L2 cache each by itself, with 3 "
    "or 4 times as many writes of sectors. The aligned structure is as fast as int4, and in a structure of arrays "
    "each instruction touches only the 4 sectors that it uses. If one member is needed, the array of structures still "
    "moves all sectors: 12 or 16 bytes for 4, so it takes (12 + 4) / 8 = 2 or (16 + 4) / 8 = 2.5 times as long as the "
    "structure of arrays, where the memory is the limit. This holds for a CPU as well, with cache lines of 64 bytes.\n\n"
    "On an H200 1, 2, 4, 8 and 16 bytes a thread reach 818, 1497, 2615, 3722 and 4114 GB/s: factors of 1.83, 1.75, "
    "1.42 and 1.11. The aligned structure reaches 4115 GB/s, as predicted. The array of structures is hardly slower, "
    "3907 and 4065 GB/s with 3 and 4 members: the L2 cache combines the stores before it writes to the memory, and "
    "their number is not the limit. The structure of arrays reaches 3876 and 3963 GB/s. One member takes 1.34 and "
    "1.53 times as long from structures as from an array, not 2 and 2.5: the array of structures moves its sectors at "
    "3.8 and 4.0 TB/s, but the array is copied with 4 bytes a thread, for which the memory is not the limit.\n\n"
    "The lecture has structures of five floats. Aligned to 16 bytes they take 32, which are loaded by two instructions of 16 "
    "bytes in place of five of 4, but 12 of the 32 bytes are padding. Where the memory is the limit, an aligned structure "
    "should take 32 / 20 = 1.6 times as long as one without gaps.\n\n"
    "Try a size that fits in the last-level cache: the number of instructions then matters more than the bytes. "
    "Compare 16 bytes with the kernel copy of the experiment stream, and see coalescing for other patterns of "
    "addresses.";

#define FOLDER "kernels/experiments/memory/access_width/"

static const struct lab_source sources[] = {
    {"vector",
     "cuda",
     "Vector types",
     "One instruction for each element: a warp moves 32 to 512 contiguous bytes. The same bytes need 16 times as many threads "
     "with char as with int4.",
     {{FOLDER "access_width.cu", "copy"}, {FOLDER "access_width.cu", "vector"}}},
    {"aos",
     "cuda",
     "Array of structures",
     "The structures are aligned to 4 bytes, so each member is loaded and stored by an instruction of its own. The addresses of "
     "a warp are 12 or 16 bytes apart.",
     {{FOLDER "access_width.cu", "copy"}, {FOLDER "access_width.cu", "aos"}, {FOLDER "access_width.cu", "one"}}},
    {"aos-aligned",
     "cuda",
     "Aligned structures",
     "The same four members. The alignment allows one instruction of 16 bytes.",
     {{FOLDER "access_width.cu", "copy"}, {FOLDER "access_width.cu", "aos-aligned"}}},
    {"soa",
     "cuda",
     "Structure of arrays",
     "Each member has an array of its own. Every instruction of a warp accesses 128 contiguous bytes, and a kernel that needs "
     "one member reads only that.",
     {{FOLDER "access_width.cu", "soa"}, {FOLDER "access_width.cu", "one"}}},
    {"aos-5",
     "cuda",
     "Structures of five floats",
     "Five loads and five stores of 4 bytes. The structures follow each other without gaps, 20 bytes apart.",
     {{FOLDER "access_width.cu", "copy"}, {FOLDER "access_width.cu", "aos-5"}}},
    {"aos-5-aligned",
     "cuda",
     "Aligned structures of five floats",
     "Two loads and two stores of 16 bytes. The size of a structure is a multiple of its alignment, so 12 of its 32 bytes are "
     "padding.",
     {{FOLDER "access_width.cu", "copy"}, {FOLDER "access_width.cu", "aos-5-aligned"}}},
    {"aos",
     "host",
     "Array of structures",
     "All members are copied as one block. If one is copied, all cache lines are read for a third or a quarter of their bytes.",
     {{FOLDER "access_width_host.c", "all"}, {FOLDER "access_width_host.c", "one"}}},
    {"soa",
     "host",
     "Structure of arrays",
     "The same copy if all members are needed. If one is, only its array is read.",
     {{FOLDER "access_width_host.c", "all"}, {FOLDER "access_width_host.c", "one"}}},
    {"aos-5",
     "host",
     "Structures of five floats",
     "All members are copied as one block.",
     {{FOLDER "access_width_host.c", "all"}}},
    {0},
};

/* Why a variant is not measured on a CPU. */
static const char *const host_reasons[VARIANTS] = {
    [VECTOR] = "a CPU's compiler copies elements of any size with the same vector instructions",
    [AOS_ALIGNED] = "the alignment of a structure does not change how a CPU loads it",
    [AOS_5_ALIGNED] = "the alignment of a structure does not change how a CPU loads it",
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
    const char *reason = lab_facts_is_cpu(device) ? host_reasons[access->variant] : NULL;
    uint64_t bytes = (uint64_t)point->values[BYTES], width = (uint64_t)access->width, n = bytes / width / LANES * LANES;
    bool one = access->fields == ONE, all_read = !one || access->variant == AOS;
    bool padded = access->variant == AOS_5_ALIGNED;
    uint64_t all = n * width, written = one ? n * MEMBER_BYTES : all;
    (void)given;
    snprintf(workload->skipped, sizeof workload->skipped, "%s", reason != NULL ? reason : "");
    workload->counts[LAB_COUNT_BYTES] = 2 * (double)(padded ? n * FIVE_BYTES : written);
    size_t in = lab_workload_input(workload, bytes, LAB_CONTENT_FLOATS);
    size_t out = lab_workload_output(workload, written);
    lab_workload_add_step(workload, access->kernel);
    lab_workload_add_buffer(workload, in);
    lab_workload_add_buffer(workload, out);
    lab_workload_add(workload, lab_argument_u64(n));
    lab_workload_launch_items(workload, n, THREADS);
    uint64_t step = one && all_read ? width / MEMBER_BYTES : 1;
    if (padded)
        workload->check = (struct lab_workload_check){.kernel = "access_width_check_padded",
                                                      .buffer = out,
                                                      .parameters = {width / MEMBER_BYTES, FIVE_BYTES / MEMBER_BYTES}};
    else
        workload->check =
            (struct lab_workload_check){.kernel = "access_width_check", .buffer = out, .parameters = {step}};
    add_figures(access, device, (double)(all_read ? all : written), (double)written, workload);
}

extern const struct lab_binary lab_binary_access_width;
extern const struct lab_host_kernel access_width_host_kernels[];
static const struct lab_image image = {"access-width", &lab_binary_access_width, access_width_host_kernels};
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
    .sources = sources,
    LAB_BENCHMARK_FIELDS(access_width, benchmark),
};
