/* transfer: copies between host memory and device memory and within a device, by size, direction, kind of host memory
 * and engine.
 *
 * Reproduces BandwidthTest (preset `source`) and the transfer measurements of Ruetsch & Fatica (3.1.1, figures 3.2 and
 * 3.3), many small copies against one large copy, two-dimensional copies, and copies to and from variables of the
 * device. Copies are timed as nvbandwidth does it.
 */
#include "transfer.h"

#include "benchmark/axes.h"
#include "benchmark/benchmark.h"
#include "descriptor/parameters.h"
#include "descriptor/points.h"

#include <inttypes.h>

/* On axis `direction` no value means that both directions are measured together; on axis `memory`, that the copy is
 * within the device. */
enum { MEMORY, ENGINE, PATTERN, OPPOSING, DIRECTION, CACHE, BYTES };
enum { COPY_ENGINE, SM };
enum { CONTIGUOUS, PIECES, PITCHED, ROWS, VARIABLE, CONSTANT };

static const char *const directions[] = {"h2d", "d2h", "d2d", NULL};
static const char *const memories[] = {"pageable", "pinned", "write-combined", "mapped", NULL};
static const char *const engines[] = {"copy", "sm", NULL};
static const char *const patterns[] = {"contiguous", "pieces", "pitched", "rows", "variable", "constant", NULL};

static const struct lab_schema parameters[] = {
    {LAB_CHOICES("direction", "Direction",
                 "h2d: host to device; d2h: device to host; d2d: within the device's own memory.", directions, "h2d",
                 "d2h")},
    {LAB_CHOICES(
        "memory", "Host memory",
        "pageable: memory from malloc; pinned: page-locked; write-combined: page-locked and not cached by the CPU; "
        "mapped: page-locked and mapped to addresses of the device, so that kernels can access it (zero-copy). Where "
        "the device has unified addressing, all page-locked memory is.",
        memories, "pageable", "pinned")},
    LAB_SIZES_PARAMETERS("each copy", 1024, 268435456, 4),
    {LAB_BOOLEANS(
        "opposing", "Both directions at once",
        "false: one direction at a time. true: both directions run at once; the bandwidth of each direction, "
        "measured while contiguous copies run in the other one, and the aggregate bandwidth of both are reported.",
        false)},
    {LAB_CHOICES("engine", "Engine",
                 "copy: the device's copy engine (cudaMemcpyAsync); sm: a kernel on the multiprocessors.", engines,
                 "copy")},
    {LAB_CHOICES(
        "pattern", "Pattern",
        "contiguous: one copy; pieces: the same bytes in many small copies; pitched: rows of a wider array in one "
        "two-dimensional copy; rows: the same rows in one copy each; variable, constant: one copy to or from a variable "
        "of the device, __device__ of 1 MiB or __constant__ of 64 KiB.",
        patterns, "contiguous")},
    {LAB_INTEGER("piece_bytes", "Piece size", "Bytes of each small copy of the pattern pieces.", 4096), .unit = "B",
     .minimum = 1, .maximum = 1073741824, .advanced = true},
    {LAB_INTEGER(
         "row_bytes", "Row width",
         "Bytes copied from each row by the patterns pitched and rows. Sizes that are not a multiple of the row width "
         "are skipped.",
         4096),
     .unit = "B", .minimum = 1, .maximum = 1073741824, .advanced = true},
    {LAB_INTEGER(
         "pitch_bytes", "Row pitch",
         "Bytes from the start of one row to the start of the next, in source and destination, for the patterns "
         "pitched and rows. At least the row width.",
         8192),
     .unit = "B", .minimum = 1, .maximum = 2147483647, .advanced = true},
    {LAB_CACHE_PARAMETER},
    {0},
};

/* --- the values of the axes --------------------------------------------------------------------------------------- */

static bool uses_link(const struct lab_point *point)
{
    return point->values[MEMORY] != LAB_NO_VALUE;
}

static bool is_within_device(const struct lab_point *point)
{
    return !uses_link(point);
}

static void list_memories(const struct lab_points_request *request, const struct lab_point *point,
                          struct lab_axis_values *values)
{
    (void)point;
    if (lab_parameter_has(request->parameters, "direction", LAB_H2D) ||
        lab_parameter_has(request->parameters, "direction", LAB_D2H))
        lab_axis_values_add_parameter(values, request, "memory");
    if (lab_parameter_has(request->parameters, "direction", LAB_D2D))
        lab_axis_values_add(values, LAB_NO_VALUE);
}

/* Each direction by itself, or while the other one is busy; then both measured together. */
static void list_directions(const struct lab_points_request *request, const struct lab_point *point,
                            struct lab_axis_values *values)
{
    const struct lab_values *given = lab_parameter_values(request->parameters, "direction");
    for (size_t i = 0; i < given->count; i++)
        if ((given->items[i].integer != LAB_D2D) == uses_link(point))
            lab_axis_values_add(values, given->items[i].integer);
    if (point->values[OPPOSING] == 1)
        lab_axis_values_add(values, LAB_NO_VALUE);
}

static const struct lab_axis axes[] = {
    [MEMORY] = {.name = "memory", .list = list_memories},
    [ENGINE] = {.name = "engine"},
    [PATTERN] = {.name = "pattern"},
    [OPPOSING] = {.name = "opposing", .title = "Other direction busy", .applies = uses_link},
    [DIRECTION] = {.name = "direction", .list = list_directions},
    [CACHE] = {LAB_CACHE_AXIS, .applies = is_within_device},
    [BYTES] = {.name = "bytes", .title = "Size", .unit = "B", .source = LAB_AXIS_SIZES},
    {0},
};

static const struct lab_metric metrics[] = {
    {LAB_METRIC(
         "bandwidth", "Bandwidth", "GB/s",
         "bytes / time / 10^9; h2d and d2h count each byte once, d2d counts each byte twice (one read and one write of "
         "the same memory)"),
     .counter = LAB_COUNT_BYTES},
    {LAB_METRIC("aggregate_bandwidth", "Aggregate bandwidth", "GB/s",
                "2 * bytes / (last end - first start) / 10^9 for equal copies in both directions that start together"),
     .counter = LAB_COUNT_AGGREGATE_BYTES},
    {LAB_METRIC(
         "time", "Time", "s",
         "time of one copy of all bytes; page-locked memory: between two events on the device; pageable memory: host clock "
         "around copy and synchronisation"),
     .counter = LAB_COUNT_SECONDS},
    {LAB_METRIC("share_of_peak", "Share of peak", "1", "bandwidth / peak; the measurement names the peak")},
    {LAB_METRIC(
        "latency", "Latency", "s",
        "the constant a of the line t = a + bytes / b, fitted to the median times of a series so that the relative "
        "errors are smallest; n is the number of sizes, noise is the root mean square of the relative errors of the fit")},
    {LAB_METRIC(
        "asymptotic_bandwidth", "Asymptotic bandwidth", "GB/s",
        "the constant b of the line t = a + bytes / b fitted to a series, in 10^9 bytes per second; bytes counted as "
        "for bandwidth")},
    {LAB_METRIC("half_bandwidth_bytes", "Half-bandwidth size", "B",
                "a * b of the line t = a + bytes / b fitted to a series: the size at which a copy reaches half of b")},
    {0},
};

static const struct lab_view views[] = {
    {LAB_VIEW("line", "bandwidth", "Bandwidth over size", "bandwidth", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "time", "Time over size", "time", "bytes"), .log_x = true, .log_y = true},
    {LAB_VIEW("line", "aggregate", "Bandwidth, both directions", "aggregate_bandwidth", "bytes"), .log_x = true,
     .log_y = true},
    {LAB_VIEW("line", "share", "Share of peak", "share_of_peak", "bytes"), .log_x = true},
    {LAB_VIEW("table", "latency", "Fitted latency", "latency", "direction")},
    {LAB_VIEW("table", "asymptote", "Fitted asymptotic bandwidth", "asymptotic_bandwidth", "direction")},
    {LAB_VIEW("table", "half", "Half-bandwidth size", "half_bandwidth_bytes", "direction")},
    {0},
};

/* --- the copies of a point ---------------------------------------------------------------------------------------- */

static bool has_rows(int64_t pattern)
{
    return pattern == PITCHED || pattern == ROWS;
}

/* The choices of the parameter `memory` are in the order of enum lab_memory. */
static enum lab_memory memory_of(const struct lab_point *point)
{
    return uses_link(point) ? (enum lab_memory)(LAB_MEMORY_PAGEABLE + point->values[MEMORY]) : LAB_MEMORY_DEVICE;
}

/* The variable of the device that is a pattern's, and its bytes; NULL: none is. */
static const struct variable {
    const char *name;
    int64_t bytes;
} variables[] = {[VARIABLE] = {"transfer_variable", TRANSFER_VARIABLE_BYTES},
                 [CONSTANT] = {"transfer_constant", TRANSFER_CONSTANT_BYTES}};

/* Why the copy of a variable cannot be measured; NULL if it can. */
static const char *skip_variable(const struct lab_point *point)
{
    if (point->values[BYTES] > variables[point->values[PATTERN]].bytes)
        return "the variable is smaller: __device__ has 1 MiB, __constant__ 64 KiB";
    if (point->values[ENGINE] == SM)
        return "kernels do not write to constant memory: variables are copied by the engine copy";
    if (point->values[OPPOSING] == 1)
        return "there is one variable, which cannot be copied in both directions at once";
    return NULL;
}

/* Why no device can measure the point; NULL if one can. */
static const char *skip_reason(const struct lab_parameters *given, const struct lab_point *point)
{
    bool kernel = point->values[ENGINE] == SM, pageable = memory_of(point) == LAB_MEMORY_PAGEABLE;
    int64_t pattern = point->values[PATTERN];
    if (kernel && pageable)
        return "the engine sm is measured with page-locked host memory only";
    if (kernel && (pattern == PIECES || pattern == ROWS))
        return "a kernel copies all pieces in one launch: use the pattern contiguous or pitched";
    if (point->values[OPPOSING] == 1 && pageable)
        return "copies of pageable memory block the calling thread, so the two directions cannot run at once";
    if (variables[pattern].name != NULL)
        return skip_variable(point);
    if (has_rows(pattern) && point->values[BYTES] % lab_parameter_integer(given, "row_bytes") != 0)
        return "the size is not a multiple of row_bytes";
    return NULL;
}

static void add_copy(const struct lab_parameters *given, const struct lab_point *point, int64_t direction,
                     int64_t pattern, struct lab_workload *workload)
{
    size_t row_bytes = (size_t)lab_parameter_integer(given, "row_bytes");
    struct lab_buffer source = {.bytes = (size_t)point->values[BYTES]};
    if (has_rows(pattern)) {
        source.width = row_bytes;
        source.pitch = (size_t)lab_parameter_integer(given, "pitch_bytes");
    }
    struct lab_buffer destination = source;
    destination.output = true;
    if (direction == LAB_H2D)
        source.memory = memory_of(point);
    if (direction == LAB_D2H)
        destination.memory = memory_of(point);
    *(direction == LAB_D2H ? &source.global : &destination.global) = variables[pattern].name;
    lab_workload_add_copy(workload,
                          (struct lab_workload_copy){
                              .source = lab_workload_declare(workload, source),
                              .destination = lab_workload_declare(workload, destination),
                              .piece_bytes = pattern == PIECES ? (size_t)lab_parameter_integer(given, "piece_bytes")
                                             : pattern == ROWS ? row_bytes
                                                               : 0,
                              .by_kernel = point->values[ENGINE] == SM,
                          });
}

/* Both directions together are two equal copies. Beside a measured direction, the opposite direction is a contiguous
 * copy. */
static void transfer_describe(const struct lab_parameters *given, const struct lab_device_facts *device,
                              const struct lab_point *point, struct lab_workload *workload)
{
    bool together = point->values[DIRECTION] == LAB_NO_VALUE;
    int64_t direction = together ? LAB_H2D : point->values[DIRECTION], pattern = point->values[PATTERN];
    double bytes = (double)point->values[BYTES];
    const char *reason = skip_reason(given, point);
    (void)device;
    workload->counts[together ? LAB_COUNT_AGGREGATE_BYTES : LAB_COUNT_BYTES] =
        together || direction == LAB_D2D ? 2 * bytes : bytes;
    if (reason != NULL) {
        lab_workload_skip(workload, "%s", reason);
        return;
    }
    add_copy(given, point, direction, pattern, workload);
    if (point->values[OPPOSING] == 1)
        add_copy(given, point, direction == LAB_H2D ? LAB_D2H : LAB_H2D, together ? pattern : CONTIGUOUS, workload);
    workload->background = workload->copy_count == 2 && !together;
}

static bool check_pitch(const struct lab_parameters *given, struct lab_errors *errors)
{
    int64_t row = lab_parameter_integer(given, "row_bytes"), pitch = lab_parameter_integer(given, "pitch_bytes");
    if (pitch >= row || !(lab_parameter_has(given, "pattern", PITCHED) || lab_parameter_has(given, "pattern", ROWS)))
        return true;
    return lab_errors_add(errors, LAB_ERROR_OUT_OF_BOUNDS, "/parameters/pitch_bytes",
                          "pitch_bytes (%" PRId64 ") must be at least row_bytes (%" PRId64 ")", pitch, row);
}

/* Each of the calls of the patterns pieces and rows has a latency of its own. */
static bool is_one_call(const struct lab_point *point)
{
    return point->values[PATTERN] != PIECES && point->values[PATTERN] != ROWS;
}

static const struct lab_fit fit = {"bytes", "latency", "asymptotic_bandwidth", "half_bandwidth_bytes", is_one_call};
LAB_CUDA_IMAGE(transfer);
static const struct lab_benchmark benchmark = {
    .image = &image, .describe = transfer_describe, .check = check_pitch, .fit = &fit};

static const struct lab_headline headlines[] = {
    {LAB_HEADLINE("Host to device", "bandwidth"), .at = {{"direction", "h2d"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Device to host", "bandwidth"), .at = {{"direction", "d2h"}}, .largest = {"bytes"}},
    {LAB_HEADLINE("Within the device", "bandwidth"), .at = {{"direction", "d2d"}}, .largest = {"bytes"}},
    {0},
};

LAB_PAGE(transfer);
const struct lab_experiment lab_transfer = {
    .name = "transfer",
    .title = "Host-device transfer",
    .subject = "transfer",
    .summary =
        "Bandwidth and latency of copies between host and device, by size, direction, kind of memory and engine.",
    LAB_BENCHMARK_FIELDS(transfer, benchmark),
};
