/* constant-texture: constant and texture memory against global loads, for lookups in a table and for a rotated image.
 *
 * Reproduces what Ruetsch & Fatica, 3.2, and a lecture on the CUDA memory model say of constant and texture memory: one
 * index or different ones in a warp, and an image that is read by rows or by columns.
 */
#include "constant_texture.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <inttypes.h>
#include <math.h>

enum { VARIANT, PATTERN, DISTINCT, STRIDE, ANGLE, SIDE, LOAD };
enum { CONSTANT, GLOBAL, SHARED, TEXTURE_LINEAR, TEXTURE_ARRAY };
enum { TABLE, LINES, TILES, VOLUME };
enum { WORD_BYTES = 4, WARP = CONSTANT_TEXTURE_WARP, THREADS = 256, WARPS_OF_TABLE = 64 };

static const char *const variants[] = {"constant", "global", "shared", "texture-linear", "texture-array", NULL};
static const char *const patterns[] = {"table", "lines", "tiles", "volume", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES_ALL(
        "variant", "Memory",
        "constant, shared: only for the pattern table; texture-linear, texture-array: only for the others; global: for "
        "all.",
        variants)},
    {LAB_CHOICES_ALL(
        "pattern", "Pattern",
        "table: lookups in a small table; lines, tiles: rotation of an image, in which a warp computes 32 pixels of a "
        "line or a tile of 8 x 4 pixels; volume: rotation of a cube about its second axis, in which a warp computes 32 "
        "voxels of a line.",
        patterns)},
    {LAB_INTEGERS("distinct", "Different indices in a warp",
                  "table: number of different entries that the 32 threads of a warp read at the same time.", 1, 2, 4, 8,
                  16, 32),
     .minimum = 1, .maximum = WARP},
    {LAB_INTEGERS("stride", "Stride", "table: words from one of these entries to the next.", 1), .minimum = 1,
     .maximum = CONSTANT_TEXTURE_STRIDE_MAX, .advanced = true},
    {LAB_INTEGERS(
         "angle", "Angle",
         "lines, tiles, volume: degrees by which the image is rotated. With 0 a line of the result is a row of the image, "
         "with 90 a column.",
         0, 15, 30, 45, 60, 75, 90),
     .minimum = 0, .maximum = 90},
    {LAB_INTEGERS(
         "side", "Side of the image",
         "lines, tiles: pixels of 4 bytes in a row and in a column, a power of two. volume: the cube whose sides are "
         "the largest power of two that gives no more voxels.",
         4096),
     .minimum = 128, .maximum = CONSTANT_TEXTURE_SIDE_MAX},
    {LAB_COUNTERS_PARAMETER},
    {0},
};

static bool is_table(const struct lab_point *point)
{
    return point->values[PATTERN] == TABLE;
}

static bool is_image(const struct lab_point *point)
{
    return !is_table(point);
}

static bool keeps_pattern(const struct lab_points_request *request, const struct lab_point *point, int64_t value)
{
    int64_t variant = point->values[VARIANT];
    (void)request;
    return variant == GLOBAL || (value == TABLE) == (variant == CONSTANT || variant == SHARED);
}

static const struct lab_axis axes[] = {
    [VARIANT] = {.name = "variant"},
    [PATTERN] = {.name = "pattern", .keeps = keeps_pattern},
    [DISTINCT] = {.name = "distinct", .applies = is_table},
    [STRIDE] = {.name = "stride", .applies = is_table},
    [ANGLE] = {.name = "angle", .applies = is_image},
    [SIDE] = {.name = "side", .applies = is_image, .power_of_two = true},
    [LOAD] = {LAB_LOAD_AXIS},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC("bandwidth", "Useful bandwidth", "GB/s",
                "lines, tiles, volume: 8 bytes for each pixel (4 read, 4 written) / time / 10^9"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC(
         "cycles_per_request", "Cycles per request", "cycles",
         "time * clock of the multiprocessors / requests of each multiprocessor; a request is one load of a warp"),
     .counter = LAB_COUNT_STEPS},
    LAB_KERNEL_METRICS,
    {LAB_METRIC(
        "passes", "Passes", "1",
        "computed, not measured: constant: different indices in a warp; shared: the most different words in one of "
        "the 32 banks; global: lines of 128 bytes that contain the words, if the first word begins a line; else they "
        "may be one more")},
    {LAB_METRIC(
        "sectors_per_request", "Sectors per request", "1",
        "computed, not measured: sectors of 32 bytes that contain the pixels of a warp's load, the mean of 64 warps; "
        "not for arrays, whose layout is not documented")},
    {LAB_METRIC("counted_passes", "Counted passes", "1",
                "counted by the hardware: constant: requests to the cache for constants, shared: wavefronts of shared "
                "memory; / loads of warps from the table")},
    {LAB_METRIC(
        "counted_sectors_per_request", "Counted sectors per request", "1",
        "counted by the hardware: sectors of 32 bytes / requests of warps, of the loads or texture reads of the image")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "table", "Table: cycles per request over different indices", "cycles_per_request", "distinct"),
     .log_x = true, .log_y = true},
    {LAB_VIEW("line", "angle", "Image: useful bandwidth over angle", "bandwidth", "angle")},
    {LAB_VIEW("line", "sectors", "Image: sectors per request over angle", "sectors_per_request", "angle")},
    {LAB_VIEW("scatter", "counted-passes", "Table: counted over predicted passes", "counted_passes", "passes"),
     .y = "distinct", .beside = "cycles_per_request", .predicted = true, .log_x = true, .log_y = true},
    {LAB_VIEW("scatter", "counted-sectors", "Image: counted over predicted sectors", "counted_sectors_per_request",
              "sectors_per_request"),
     .y = "angle", .beside = "bandwidth", .predicted = true},
    {LAB_VIEW("line", "passes", "Table: passes over different indices", "passes", "distinct"), .log_x = true,
     .log_y = true},
    {0},
};

#define FILES "kernels/experiments/memory/constant_texture/constant_texture"

/* --- predictions -------------------------------------------------------------------------------------------------- */

/* Passes of the memory for one load of a warp. */
static double passes(int64_t variant, int64_t distinct, int64_t stride)
{
    enum { BANKS = 32, LINE_WORDS = 32 };
    int64_t words[BANKS] = {0}, most = 0;
    for (int64_t i = 0; i < distinct; i++) {
        int64_t *of_bank = &words[i * stride % BANKS];
        most = ++*of_bank > most ? *of_bank : most;
    }
    if (variant == SHARED)
        return (double)most;
    return (double)(variant == CONSTANT ? distinct : (distinct - 1) * stride / LINE_WORDS + 1);
}

/* Sectors that the pixels of a warp touch in plain memory, where rows begin `pitch` words apart; (x, y) is the first
 * pixel of the result. */
static size_t sectors_of_warp(struct constant_texture_rotation rotation, int32_t pitch, int32_t x, int32_t y, bool tile)
{
    enum { SECTOR_WORDS = 8 };
    int32_t sectors[WARP];
    size_t different = 0;
    for (int32_t lane = 0; lane < WARP; lane++) {
        struct constant_texture_pixel source =
            constant_texture_source(rotation, x + (tile ? lane % 8 : lane), y + (tile ? lane / 8 : 0));
        int32_t before = 0;
        sectors[lane] = (source.y * pitch + source.x) / SECTOR_WORDS;
        while (sectors[before] != sectors[lane])
            before++;
        different += before == lane;
    }
    return different;
}

/* The mean of the warps that compute the first pixels of the blocks on a diagonal. */
static double sectors_per_request(struct constant_texture_rotation rotation, int32_t pitch, bool tile)
{
    enum { SAMPLES = 64 };
    size_t sectors = 0;
    for (int32_t i = 0; i < SAMPLES; i++) {
        int32_t place = i * CONSTANT_TEXTURE_BLOCK % rotation.side;
        sectors += sectors_of_warp(rotation, pitch, place, place, tile);
    }
    return (double)sectors / SAMPLES;
}

/* --- workloads ---------------------------------------------------------------------------------------------------- */

static void describe_table(const struct lab_point *point, const struct lab_device_facts *device,
                           uint64_t multiprocessors, struct lab_workload *workload)
{
    int64_t variant = point->values[VARIANT];
    uint32_t distinct = (uint32_t)point->values[DISTINCT], stride = (uint32_t)point->values[STRIDE];
    size_t bytes = WORD_BYTES * (size_t)CONSTANT_TEXTURE_WORDS(stride);
    size_t table = lab_workload_declare(
        workload, (struct lab_buffer){.bytes = bytes, .global = variant == CONSTANT ? "constant_texture_table" : NULL});
    uint64_t threads = multiprocessors * WARPS_OF_TABLE * WARP;
    size_t sums = lab_workload_output(workload, WORD_BYTES * threads);
    lab_workload_add_kernel(workload, "constant_texture_%s", variants[variant]);
    if (variant != CONSTANT)
        LAB_ARGUMENTS(workload, LAB_BUFFER(table));
    LAB_ARGUMENTS(workload, LAB_BUFFER(sums), LAB_U32(distinct), LAB_U32(stride));
    lab_workload_launch(workload, threads / THREADS, THREADS);
    workload->steps[0].launch.shared_bytes = variant == SHARED ? bytes : 0;
    workload->check = LAB_CHECK("constant_texture_check_sums", sums, distinct, stride);
    workload->counts[LAB_COUNT_STEPS] = WARPS_OF_TABLE * CONSTANT_TEXTURE_ROUNDS * CONSTANT_TEXTURE_LOADS;
    double predicted = passes(variant, distinct, stride);
    if (device->clock_hz > 0)
        workload->seconds = workload->counts[LAB_COUNT_STEPS] * predicted / device->clock_hz;
    lab_workload_add_figure(workload, "passes", predicted);
    if (variant != GLOBAL)
        lab_workload_add_counted(
            workload, "counted_passes", 1 / ((double)multiprocessors * workload->counts[LAB_COUNT_STEPS]),
            LAB_SUM_OF(variant == SHARED ? LAB_HARDWARE_SHARED_LOAD_WAVEFRONTS : LAB_HARDWARE_CONSTANT_REQUESTS),
            LAB_SUM_OF_NONE);
}

/* The sides of the cube that has as many voxels as the image has pixels, or less. */
static int64_t side_of_volume(int64_t side)
{
    int64_t cube = 1;
    while (8 * cube * cube * cube <= side * side)
        cube *= 2;
    return cube;
}

/* The rotation by the angle of a point. */
static struct constant_texture_rotation rotation_of(const struct lab_point *point)
{
    double angle = (double)point->values[ANGLE] * 3.14159265358979323846 / 180;
    return (struct constant_texture_rotation){
        .side = (int32_t)(point->values[PATTERN] == VOLUME ? side_of_volume(point->values[SIDE]) : point->values[SIDE]),
        .cosine = (int32_t)lround(65536 * cos(angle)),
        .sine = (int32_t)lround(65536 * sin(angle))};
}

/* The image, or the cube, as the kernel of a variant takes it. */
static struct lab_workload_argument argument_of(int64_t variant, size_t image, uint32_t side, uint32_t layers)
{
    struct lab_texture_shape shape = lab_texture_of_words((uint64_t)side * side * layers, 1);
    if (variant == GLOBAL)
        return LAB_BUFFER(image);
    if (variant == TEXTURE_ARRAY)
        shape = lab_texture_of_words(side, side);
    if (variant == TEXTURE_ARRAY && layers > 1)
        shape.extent[2] = layers;
    return LAB_TEXTURE(image, shape);
}

static void describe_image(const struct lab_point *point, uint64_t multiprocessors, struct lab_workload *workload)
{
    static const char *const kernels[] = {[GLOBAL] = "loads", [TEXTURE_LINEAR] = "linear", [TEXTURE_ARRAY] = "array"};
    int64_t variant = point->values[VARIANT];
    struct constant_texture_rotation rotation = rotation_of(point);
    uint32_t side = (uint32_t)rotation.side, cosine = (uint32_t)rotation.cosine, sine = (uint32_t)rotation.sine;
    uint32_t layers = point->values[PATTERN] == VOLUME ? side : 1;
    size_t pixels = (size_t)side * side * layers;
    if (side < CONSTANT_TEXTURE_BLOCK)
        lab_workload_skip(workload,
                          "the cube of a side of %" PRId64 " has sides of %" PRIu32 ", less than a block of %d",
                          point->values[SIDE], side, CONSTANT_TEXTURE_BLOCK);
    size_t image = lab_workload_input(workload, WORD_BYTES * pixels, LAB_CONTENT_WORDS);
    size_t result = lab_workload_output(workload, WORD_BYTES * pixels);
    lab_workload_add_kernel(workload, "constant_texture_%s_%s", kernels[variant], patterns[point->values[PATTERN]]);
    LAB_ARGUMENTS(workload, argument_of(variant, image, side, layers));
    LAB_ARGUMENTS(workload, LAB_BUFFER(result), LAB_U32(side), LAB_U32(cosine), LAB_U32(sine));
    lab_workload_launch(workload, side / CONSTANT_TEXTURE_BLOCK, THREADS);
    workload->steps[0].launch.grid[1] = side / CONSTANT_TEXTURE_BLOCK;
    workload->steps[0].launch.grid[2] = layers;
    workload->check = LAB_CHECK(layers > 1 ? "constant_texture_check_volume" : "constant_texture_check_image", result,
                                side, cosine, sine);
    workload->counts[LAB_COUNT_BYTES] = 2.0 * WORD_BYTES * (double)pixels;
    workload->counts[LAB_COUNT_STEPS] = (double)pixels / WARP / (double)multiprocessors;
    lab_workload_add_counted(
        workload, "counted_sectors_per_request", 1,
        LAB_SUM_OF(variant == GLOBAL ? LAB_HARDWARE_LOAD_SECTORS : LAB_HARDWARE_TEXTURE_SECTORS),
        LAB_SUM_OF(variant == GLOBAL ? LAB_HARDWARE_LOAD_REQUESTS : LAB_HARDWARE_TEXTURE_REQUESTS));
    if (variant != TEXTURE_ARRAY)
        lab_workload_add_figure(
            workload, "sectors_per_request",
            sectors_per_request(rotation, (int32_t)(side * layers), point->values[PATTERN] == TILES));
}

static void constant_texture_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                                      const struct lab_point *point, struct lab_workload *workload)
{
    uint64_t multiprocessors = lab_facts_multiprocessors(device);
    (void)given;
    if (is_table(point))
        describe_table(point, device, multiprocessors, workload);
    else
        describe_image(point, multiprocessors, workload);
    if (!lab_facts_is_cpu(device))
        return;
    workload->counts[LAB_COUNT_STEPS] = 0; /* there are no warps */
    if (is_table(point) || point->values[VARIANT] != GLOBAL)
        lab_workload_skip(workload, "%s",
                          is_table(point) ? "only GPUs have warps, whose threads read the table together"
                                          : "only GPUs have texture units");
}

LAB_IMAGE(constant_texture);
static const struct lab_benchmark benchmark = {.image = &image, .describe = constant_texture_describe};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Table in constant memory", "cycles_per_request"), .at = {{"variant", "constant"}},
     .smallest = {"distinct", "stride"}, .lowest = true},
    {LAB_HEADLINE("Image as a texture", "bandwidth"), .at = {{"variant", "texture-array"}}, .largest = {"side"},
     .smallest = {"angle"}},
    {0},
};

LAB_PAGE(constant_texture);
const struct lab_experiment lab_constant_texture = {
    .name = "constant-texture",
    .title = "Constant memory and textures",
    .subject = "memory",
    .summary =
        "Lookups in a small table through constant memory, and a rotated image or volume read through textures, against "
        "global loads.",
    LAB_BENCHMARK_FIELDS(constant_texture, benchmark),
};
