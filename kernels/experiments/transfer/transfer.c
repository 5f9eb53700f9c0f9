/* transfer: how fast bytes move between host and device, in all the ways in which programs move them.
 *
 * What it reproduces: BandwidthTest and the transfer figures of Ruetsch & Fatica (3.1.1, figures 3.2 and 3.3), many
 * small copies against one large, and two-dimensional copies; after nvbandwidth in how copies are timed.
 */
#include "transfer.h"

#include "experiment/estimate.h"
#include "experiment/parameters.h"

#include <inttypes.h>
#include <math.h>

const char *const transfer_directions[] = {"h2d", "d2h", "d2d", NULL};
const char *const transfer_memories[] = {"pageable", "pinned", "write-combined", "mapped", NULL};
const char *const transfer_engines[] = {"copy", "sm", NULL};
const char *const transfer_patterns[] = {"contiguous", "pieces", "pitched", "rows", NULL};

static const struct lab_parameter parameters[] = {
    {.name = "direction",
     .title = "Direction",
     .help = "h2d: host to device, d2h: device to host, d2d: within the device's own memory.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = transfer_directions,
     .fallback = "[\"h2d\", \"d2h\"]"},
    {.name = "memory",
     .title = "Host memory",
     .help = "pageable: ordinary memory; pinned: page-locked; write-combined: page-locked and not cached by the CPU; "
             "mapped: page-locked and addressed by kernels (zero-copy).",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = transfer_memories,
     .fallback = "[\"pageable\", \"pinned\"]"},
    {.name = "min_bytes",
     .title = "Smallest size",
     .help = "The sweep starts here. Equal to the largest size, one size is measured.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = 1,
     .maximum = 1099511627776.0,
     .fallback = "1024"},
    {.name = "max_bytes",
     .title = "Largest size",
     .help = "The sweep ends here; this size is always measured.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .minimum = 1,
     .maximum = 1099511627776.0,
     .fallback = "268435456"},
    {.name = "factor",
     .title = "Factor",
     .help = "Each size is this many times the one before.",
     .type = LAB_PARAMETER_NUMBER,
     .minimum = 1.01,
     .maximum = 1048576,
     .fallback = "4"},
    {.name = "opposing",
     .title = "Both directions at once",
     .help = "false: each direction has the link to itself; true: the other direction runs too, and the two are shown "
             "each by itself under a load of contiguous copies, and together.",
     .type = LAB_PARAMETER_BOOLEAN,
     .list = true,
     .fallback = "[false]"},
    {.name = "engine",
     .title = "Moved by",
     .help = "copy: the device's copy engine (cudaMemcpyAsync); sm: a kernel on its multiprocessors.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = transfer_engines,
     .fallback = "[\"copy\"]"},
    {.name = "pattern",
     .title = "Pattern",
     .help = "contiguous: one copy; pieces: the same bytes in many small copies; pitched: rows of a wider array in one "
             "call; rows: the same rows in a call each.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = transfer_patterns,
     .fallback = "[\"contiguous\"]"},
    {.name = "piece_bytes",
     .title = "Size of a piece",
     .help = "For the pattern pieces: how many bytes each small copy moves.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 1,
     .maximum = 1073741824,
     .fallback = "4096"},
    {.name = "row_bytes",
     .title = "Width of a row",
     .help = "For the patterns pitched and rows: how many bytes of each row are moved. Sizes that are no whole number "
             "of rows are skipped.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 1,
     .maximum = 1073741824,
     .fallback = "4096"},
    {.name = "pitch_bytes",
     .title = "Distance of rows",
     .help =
         "For the patterns pitched and rows: bytes from the start of a row to the start of the next, on both sides.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 1,
     .maximum = 2147483647,
     .fallback = "8192"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    {"bytes", "Size", "B"},
    {"direction", "Direction", NULL},
    {"opposing", "Other direction runs too", NULL},
    {"memory", "Host memory", NULL},
    {"engine", "Moved by", NULL},
    {"pattern", "Pattern", NULL},
    {NULL, NULL, NULL},
};

static const struct lab_metric metrics[] = {
    {"bandwidth", "Bandwidth", "GB/s",
     "bytes / time / 10^9; h2d and d2h count each byte once, d2d counts it twice (read and written in the same "
     "memory)"},
    {"aggregate_bandwidth", "Aggregate bandwidth", "GB/s",
     "2 * bytes / (last end - first start) / 10^9 of equal copies in both directions, released together"},
    {"time", "Time", "s",
     "seconds for one copy of all the bytes; page-locked memory between two events on the device, pageable "
     "memory on the host's clock around copy and synchronisation"},
    {"share_of_peak", "Share of the peak", "1", "bandwidth / peak; the measurement names the peak"},
    {"latency", "Latency", "s",
     "a of the line t = a + bytes / b, fitted to the series' median times by relative error; n counts the "
     "sizes, noise is the root mean square of the fit's relative errors"},
    {"asymptotic_bandwidth", "Asymptotic bandwidth", "GB/s",
     "b of the line t = a + bytes / b, in 10^9 bytes per second; bytes counted as for bandwidth"},
    {"half_bandwidth_bytes", "Half-bandwidth size", "B",
     "a * b of that line: a copy of this size reaches half of its bandwidth"},
    {NULL, NULL, NULL, NULL},
};

static const struct lab_view views[] = {
    {"bandwidth", "Bandwidth over size", "line", "bandwidth", "bytes", true, true},
    {"time", "Time over size", "line", "time", "bytes", true, true},
    {"aggregate", "Both directions together", "line", "aggregate_bandwidth", "bytes", true, true},
    {"share", "Share of the peak", "line", "share_of_peak", "bytes", true, false},
    {"latency", "Fitted latency", "table", "latency", "direction", false, false},
    {"asymptote", "Fitted asymptotic bandwidth", "table", "asymptotic_bandwidth", "direction", false, false},
    {"half", "Size of half the bandwidth", "table", "half_bandwidth_bytes", "direction", false, false},
    {NULL, NULL, NULL, NULL, NULL, false, false},
};

static const char explanation[] =
    "Every byte that a kernel works on has to come from somewhere, and for most programs it comes from the "
    "host through a link that is ten to a hundred times slower than the device's own memory. This experiment "
    "shows what that link gives.\n\n"
    "Small copies cost a fixed time, whatever their size: starting a copy takes microseconds. Large copies "
    "run at the link's speed. In between the curve is steep, and there it pays to gather many small copies "
    "into one. The line t = a + n/b fitted to each series says it in two numbers: the latency a, and the "
    "asymptotic bandwidth b. A copy of a * b bytes reaches half of b.\n\n"
    "Pageable memory may be moved or swapped by the operating system at any time, so the driver copies it "
    "through a page-locked buffer of its own: one more copy by the CPU, and the call blocks. Pinned memory is "
    "page-locked by the program, the device fetches it directly, and the copy runs while the CPU and the "
    "device do other work. Expect pinned to reach 80 to 90 percent of the link's peak and pageable a third to "
    "a half of that. Pinned memory is taken from everyone else on the machine, so pin what is copied often "
    "and leave the rest.\n\n"
    "Write-combined memory bypasses the CPU's caches; some systems move it to the device a little faster, and "
    "reading it on the CPU is very slow. Mapped memory is addressed by kernels directly. With a copy engine "
    "it behaves as pinned memory does; moved by a kernel (engine sm) it shows what zero-copy access reaches.\n\n"
    "The link works in both directions at once, so with two copy engines the aggregate comes near twice one "
    "direction; what each direction loses under the other's load is shown beside it. The copy within the "
    "device reads and writes the same memory, so each byte counts twice; sizes that fit in the device's cache "
    "show the cache.";

/* --- the points --------------------------------------------------------------------------------------------------- */

/* The next size after `bytes`: the largest is always among them. 0 after the last. */
static size_t next_size(const struct lab_parameters *given, size_t bytes)
{
    size_t last = (size_t)lab_parameter_integer(given, "max_bytes");
    if (bytes >= last)
        return 0;
    double next = fmax(floor((double)bytes * lab_parameter_number(given, "factor") + 0.5), (double)bytes + 1);
    return next < (double)last ? (size_t)next : last;
}

/* All sizes of one series. */
static bool each_size(const struct lab_parameters *given, struct transfer_point point,
                      bool (*visit)(void *context, const struct transfer_point *point), void *context)
{
    for (size_t bytes = (size_t)lab_parameter_integer(given, "min_bytes"); bytes != 0;
         bytes = next_size(given, bytes)) {
        point.bytes = bytes;
        if (!visit(context, &point))
            return false;
    }
    return true;
}

/* The directions of one kind of memory, engine and pattern: first alone, then under load, then both together. */
static bool each_direction(const struct lab_parameters *given, struct transfer_point point,
                           bool (*visit)(void *context, const struct transfer_point *point), void *context)
{
    const struct lab_values *directions = lab_parameter_values(given, "direction");
    const struct lab_values *opposing = lab_parameter_values(given, "opposing");
    for (size_t o = 0; o < opposing->count; o++) {
        bool any = false;
        point.opposing = opposing->items[o].integer != 0;
        point.aggregate = false;
        for (size_t d = 0; d < directions->count; d++) {
            point.direction = (enum lab_direction)directions->items[d].integer;
            if (point.direction == LAB_D2D)
                continue;
            any = true;
            if (!each_size(given, point, visit, context))
                return false;
        }
        point.aggregate = true;
        point.direction = LAB_H2D;
        if (any && point.opposing && !each_size(given, point, visit, context))
            return false;
    }
    return true;
}

typedef bool each_variant_function(const struct lab_parameters *, struct transfer_point,
                                   bool (*)(void *, const struct transfer_point *), void *);

static bool each_engine_and_pattern(const struct lab_parameters *given, struct transfer_point point,
                                    each_variant_function *inner,
                                    bool (*visit)(void *context, const struct transfer_point *point), void *context)
{
    const struct lab_values *engines = lab_parameter_values(given, "engine");
    const struct lab_values *patterns = lab_parameter_values(given, "pattern");
    for (size_t e = 0; e < engines->count; e++)
        for (size_t p = 0; p < patterns->count; p++) {
            point.engine = (enum transfer_engine)engines->items[e].integer;
            point.pattern = (enum transfer_pattern)patterns->items[p].integer;
            if (!inner(given, point, visit, context))
                return false;
        }
    return true;
}

bool transfer_each_point(const struct lab_parameters *given,
                         bool (*visit)(void *context, const struct transfer_point *point), void *context)
{
    const struct lab_values *directions = lab_parameter_values(given, "direction");
    const struct lab_values *memories = lab_parameter_values(given, "memory");
    bool local = false, linked = false;
    for (size_t d = 0; d < directions->count; d++) {
        local = local || directions->items[d].integer == LAB_D2D;
        linked = linked || directions->items[d].integer != LAB_D2D;
    }
    for (size_t m = 0; linked && m < memories->count; m++) {
        struct transfer_point point = {.memory = (enum lab_memory)(LAB_MEMORY_PAGEABLE + memories->items[m].integer)};
        if (!each_engine_and_pattern(given, point, each_direction, visit, context))
            return false;
    }
    struct transfer_point point = {.direction = LAB_D2D, .memory = LAB_MEMORY_DEVICE};
    return !local || each_engine_and_pattern(given, point, each_size, visit, context);
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static bool has_pattern(const struct lab_parameters *given, enum transfer_pattern wanted)
{
    const struct lab_values *patterns = lab_parameter_values(given, "pattern");
    for (size_t p = 0; p < patterns->count; p++)
        if (patterns->items[p].integer == (int64_t)wanted)
            return true;
    return false;
}

size_t transfer_buffer_bytes(const struct lab_parameters *given, size_t bytes)
{
    if (!has_pattern(given, TRANSFER_PITCHED) && !has_pattern(given, TRANSFER_ROWS))
        return bytes;
    size_t row = (size_t)lab_parameter_integer(given, "row_bytes");
    size_t pitched;
    if (__builtin_mul_overflow(bytes / row + 1, (size_t)lab_parameter_integer(given, "pitch_bytes"), &pitched))
        return SIZE_MAX / 4; /* more than any memory; twice of it is still a number */
    return pitched > bytes ? pitched : bytes;
}

struct plan_totals {
    const struct lab_parameters *given;
    struct lab_estimate *estimate;
};

/* Rough: what the smallest number of samples takes on a link of 5 GB/s, with 3 us a call. */
static bool count_point(void *context, const struct transfer_point *point)
{
    struct plan_totals *totals = context;
    double calls = 1;
    if (point->pattern == TRANSFER_PIECES)
        calls += (double)point->bytes / (double)lab_parameter_integer(totals->given, "piece_bytes");
    if (point->pattern == TRANSFER_ROWS)
        calls += (double)point->bytes / (double)lab_parameter_integer(totals->given, "row_bytes");
    double samples = (double)lab_parameter_integer(totals->given, "min_samples");
    totals->estimate->points++;
    totals->estimate->seconds += (samples + 4) * (3e-6 * calls + (double)point->bytes / 5e9);
    return totals->estimate->points <= LAB_POINTS_MAX;
}

static bool check_sizes(const struct lab_parameters *given, struct lab_errors *errors)
{
    int64_t low = lab_parameter_integer(given, "min_bytes");
    int64_t high = lab_parameter_integer(given, "max_bytes");
    bool good = true;
    if (low > high)
        good = lab_errors_add(errors, "min-above-max", "/parameters/min_bytes",
                              "min_bytes (%" PRId64 ") must not be above max_bytes (%" PRId64 ")", low, high);
    int64_t row = lab_parameter_integer(given, "row_bytes");
    int64_t pitch = lab_parameter_integer(given, "pitch_bytes");
    if (pitch < row && (has_pattern(given, TRANSFER_PITCHED) || has_pattern(given, TRANSFER_ROWS)))
        good = lab_errors_add(errors, "out-of-bounds", "/parameters/pitch_bytes",
                              "pitch_bytes (%" PRId64 ") must be at least row_bytes (%" PRId64 ")", pitch, row);
    return good;
}

static bool plan(const struct lab_parameters *given, const struct lab_device_facts *const *devices, size_t device_count,
                 struct lab_estimate *estimate, struct lab_errors *errors)
{
    *estimate = (struct lab_estimate){0};
    if (!check_sizes(given, errors))
        return false;
    struct plan_totals totals = {given, estimate};
    if (!transfer_each_point(given, count_point, &totals))
        return lab_estimate_too_many(errors);
    /* A source and a destination on each side. */
    estimate->device_bytes =
        2 * (uint64_t)transfer_buffer_bytes(given, (size_t)lab_parameter_integer(given, "max_bytes"));
    estimate->host_bytes = estimate->device_bytes;
    estimate->seconds = fmax(estimate->seconds, lab_parameter_number(given, "time_budget_s"));
    return lab_estimate_fits(estimate, devices, device_count, "a source and a destination of max_bytes",
                             "/parameters/max_bytes", errors);
}

const struct lab_experiment lab_transfer = {
    .name = "transfer",
    .title = "Host and device transfer",
    .summary = "How fast bytes move between host and device, by size, direction, kind of memory and engine.",
    .explanation = explanation,
    .parameters = parameters,
    .axes = axes,
    .metrics = metrics,
    .views = views,
    .devices_min = 1,
    .devices_max = 1,
    .quick =
        "{\"min_bytes\": 4096, \"max_bytes\": 16777216, \"factor\": 64, \"direction\": [\"h2d\", \"d2h\", \"d2d\"], "
        "\"opposing\": [false, true], \"time_budget_s\": 2}",
    .plan = plan,
    .run = transfer_run,
};
