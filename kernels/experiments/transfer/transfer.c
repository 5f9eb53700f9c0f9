/* transfer: copies between host memory and device memory and within a device, by size, direction, kind of host memory
 * and engine. This file holds the descriptor: parameters, axes, metrics, views and explanation.
 *
 * Reproduces BandwidthTest and the transfer measurements of Ruetsch & Fatica (3.1.1, figures 3.2 and 3.3), many small
 * copies against one large copy, and two-dimensional copies. Copies are timed as nvbandwidth does it.
 */
#include "transfer.h"

#include "experiment/points.h"

static const char *const directions[] = {"h2d", "d2h", "d2d", NULL};
static const char *const memories[] = {"pageable", "pinned", "write-combined", "mapped", NULL};
static const char *const engines[] = {"copy", "sm", NULL};
static const char *const patterns[] = {"contiguous", "pieces", "pitched", "rows", NULL};

static const struct lab_parameter parameters[] = {
    {.name = "direction",
     .title = "Direction",
     .help = "h2d: host to device; d2h: device to host; d2d: within the device's own memory.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = directions,
     .fallback = "[\"h2d\", \"d2h\"]"},
    {.name = "memory",
     .title = "Host memory",
     .help =
         "pageable: memory from malloc; pinned: page-locked; write-combined: page-locked and not cached by the CPU; "
         "mapped: page-locked and addressable by kernels (zero-copy).",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = memories,
     .fallback = "[\"pageable\", \"pinned\"]"},
    LAB_SIZES_PARAMETERS("each copy", "1024", "268435456", "4"),
    {.name = "opposing",
     .title = "Both directions at once",
     .help = "false: one direction at a time. true: both directions run at once; the bandwidth of each direction, "
             "measured while contiguous copies run in the other one, and the aggregate bandwidth of both are reported.",
     .type = LAB_PARAMETER_BOOLEAN,
     .list = true,
     .fallback = "[false]"},
    {.name = "engine",
     .title = "Engine",
     .help = "copy: the device's copy engine (cudaMemcpyAsync); sm: a kernel on the multiprocessors.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = engines,
     .fallback = "[\"copy\"]"},
    {.name = "pattern",
     .title = "Pattern",
     .help = "contiguous: one copy; pieces: the same bytes in many small copies; pitched: rows of a wider array in one "
             "two-dimensional copy; rows: the same rows in one copy each.",
     .type = LAB_PARAMETER_CHOICE,
     .list = true,
     .choices = patterns,
     .fallback = "[\"contiguous\"]"},
    {.name = "piece_bytes",
     .title = "Piece size",
     .help = "Bytes of each small copy of the pattern pieces.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 1,
     .maximum = 1073741824,
     .fallback = "4096"},
    {.name = "row_bytes",
     .title = "Row width",
     .help =
         "Bytes copied from each row by the patterns pitched and rows. Sizes that are not a multiple of the row width "
         "are skipped.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 1,
     .maximum = 1073741824,
     .fallback = "4096"},
    {.name = "pitch_bytes",
     .title = "Row pitch",
     .help = "Bytes from the start of one row to the start of the next, in source and destination, for the patterns "
             "pitched and rows. At least the row width.",
     .unit = "B",
     .type = LAB_PARAMETER_INTEGER,
     .advanced = true,
     .minimum = 1,
     .maximum = 2147483647,
     .fallback = "8192"},
    {.name = NULL},
};

static const struct lab_axis axes[] = {
    [TRANSFER_MEMORY] = {.name = "memory", .title = "Host memory", .list = transfer_list_memories},
    [TRANSFER_ENGINE] = {.name = "engine", .title = "Engine"},
    [TRANSFER_PATTERN] = {.name = "pattern", .title = "Pattern"},
    [TRANSFER_OPPOSING] = {.name = "opposing", .title = "Other direction busy", .applies = transfer_uses_link},
    [TRANSFER_DIRECTION] = {.name = "direction", .title = "Direction", .list = transfer_list_directions},
    [TRANSFER_BYTES] = {.name = "bytes", .title = "Size", .unit = "B", .source = LAB_AXIS_SIZES},
    {.name = NULL},
};

static const struct lab_metric metrics[] = {
    {.name = "bandwidth",
     .title = "Bandwidth",
     .unit = "GB/s",
     .formula =
         "bytes / time / 10^9; h2d and d2h count each byte once, d2d counts each byte twice (one read and one write of "
         "the same memory)",
     .counter = LAB_COUNT_BYTES},
    {.name = "aggregate_bandwidth",
     .title = "Aggregate bandwidth",
     .unit = "GB/s",
     .formula = "2 * bytes / (last end - first start) / 10^9 for equal copies in both directions that start together",
     .counter = LAB_COUNT_AGGREGATE_BYTES},
    {.name = "time",
     .title = "Time",
     .unit = "s",
     .formula =
         "time of one copy of all bytes; page-locked memory: between two events on the device; pageable memory: host clock "
         "around copy and synchronisation",
     .counter = LAB_COUNT_SECONDS},
    {.name = "share_of_peak",
     .title = "Share of peak",
     .unit = "1",
     .formula = "bandwidth / peak; the measurement names the peak"},
    {.name = "latency",
     .title = "Latency",
     .unit = "s",
     .formula =
         "the constant a of the line t = a + bytes / b, fitted to the median times of a series so that the relative "
         "errors are smallest; n is the number of sizes, noise is the root mean square of the relative errors of the fit"},
    {.name = "asymptotic_bandwidth",
     .title = "Asymptotic bandwidth",
     .unit = "GB/s",
     .formula =
         "the constant b of the line t = a + bytes / b fitted to a series, in 10^9 bytes per second; bytes counted as "
         "for bandwidth"},
    {.name = "half_bandwidth_bytes",
     .title = "Half-bandwidth size",
     .unit = "B",
     .formula = "a * b of the line t = a + bytes / b fitted to a series: the size at which a copy reaches half of b"},
    {.name = NULL},
};

static const struct lab_view views[] = {
    {"bandwidth", "Bandwidth over size", "line", "bandwidth", "bytes", true, true},
    {"time", "Time over size", "line", "time", "bytes", true, true},
    {"aggregate", "Bandwidth, both directions", "line", "aggregate_bandwidth", "bytes", true, true},
    {"share", "Share of peak", "line", "share_of_peak", "bytes", true, false},
    {"latency", "Fitted latency", "table", "latency", "direction", false, false},
    {"asymptote", "Fitted asymptotic bandwidth", "table", "asymptotic_bandwidth", "direction", false, false},
    {"half", "Half-bandwidth size", "table", "half_bandwidth_bytes", "direction", false, false},
    {NULL, NULL, NULL, NULL, NULL, false, false},
};

static const char explanation[] =
    "Most programs send their data from the host to the device over a link (PCIe or NVLink) that is ten to a hundred "
    "times slower than the device's own memory. This experiment measures the bandwidth and the latency of that "
    "link.\n\n"
    "A small copy takes a fixed time of some microseconds, independent of its size: the cost of starting it. A "
    "large copy runs at the bandwidth of the link. Between the two the curve is steep, and gathering many small "
    "copies into one saves time. A line t = a + n/b is fitted to each series: a is the latency, b the asymptotic "
    "bandwidth. A copy of a * b bytes reaches half of b.\n\n"
    "The operating system may move or swap out pageable memory at any time. The driver therefore copies it through a "
    "page-locked buffer of its own: the CPU copies each byte once more, and the call blocks. Pinned memory is "
    "page-locked by the program, so the device reads and writes it directly while the CPU does other work. Expect "
    "pinned memory to reach 80 to 90 percent of the theoretical peak of the link, and pageable memory clearly less, "
    "limited by how fast one CPU thread copies. Page-locked memory is not available to other programs, so pin only "
    "buffers that are copied often.\n\n"
    "Write-combined memory bypasses the CPU's caches; on some systems copies to the device are slightly faster, and "
    "reads by the CPU are very slow. Mapped memory can be addressed by kernels. Copied by a copy engine it performs "
    "like pinned memory; copied by a kernel (engine sm) it shows the bandwidth of zero-copy access.\n\n"
    "The link carries both directions at once. A device with two copy engines therefore reaches nearly twice the "
    "bandwidth of one direction in aggregate; the loss of each direction while the other is busy is reported as well. "
    "A copy within the device reads and writes the same memory, so each byte counts twice. If source and destination "
    "fit in the last-level cache, the result is the bandwidth of the cache.";

const struct lab_experiment lab_transfer = {
    .name = "transfer",
    .title = "Host-device transfer",
    .summary =
        "Bandwidth and latency of copies between host and device, by size, direction, kind of memory and engine.",
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
    .plan = transfer_plan,
    .run = transfer_run,
};
