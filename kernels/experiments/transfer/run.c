/* Measures the points of a transfer run, and fits a line to the median times of each series: all sizes with the same other
 * values. */
#include "transfer.h"

#include "benchmark/loop.h"
#include "experiment/parameters.h"
#include "experiment/points.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct transfer {
    struct lab_run *run;
    struct transfer_copies *copies;
    struct series {
        size_t count, capacity;  /* of `bytes` and `seconds` */
        double *bytes, *seconds; /* size and median time of each point */
        struct lab_point point;  /* the latest point */
    } series;
};

/* How often the metrics' formulas count each byte of the point's size: twice for copies within the device (read and
 * write) and for both directions together, else once. */
static double bytes_counted(const struct lab_point *point)
{
    return point->values[TRANSFER_DIRECTION] == LAB_D2D || transfer_is_aggregate(point) ? 2 : 1;
}

/* --- the fitted line of a series ---------------------------------------------------------------------------------- */

static void report_fitted(const struct transfer *t, const char *metric, double value, double residual)
{
    const struct lab_report report = {.run = t->run, .point = &t->series.point};
    struct lab_measurement measurement = lab_report_measurement(&report, metric);
    lab_summarise(&value, 1, &measurement.summary);
    measurement.summary.n = t->series.count;
    measurement.summary.stdev = NAN;
    measurement.summary.noise = residual;
    t->run->sink.measurement(t->run->sink.context, &measurement);
}

/* Ends the series. Reports a line if there are at least three sizes, each copy is a single call, and the latency and
 * bandwidth of the fit are positive. The patterns pieces and rows are excluded because each of their many calls has a
 * latency of its own. */
static void end_series(struct transfer *t)
{
    struct series *series = &t->series;
    struct lab_fitted_line line;
    int64_t pattern = series->point.values[TRANSFER_PATTERN];
    bool one_call = pattern == TRANSFER_CONTIGUOUS || pattern == TRANSFER_PITCHED;
    series->point.values[TRANSFER_BYTES] = LAB_NO_VALUE;
    if (one_call && series->count >= 3 && lab_fit_line(series->bytes, series->seconds, series->count, &line) &&
        line.intercept > 0 && line.slope > 0) {
        report_fitted(t, "latency", line.intercept, line.residual);
        report_fitted(t, "asymptotic_bandwidth", bytes_counted(&series->point) / line.slope / 1e9, line.residual);
        report_fitted(t, "half_bandwidth_bytes", line.intercept / line.slope, line.residual);
    }
    series->count = 0;
}

static bool grow(struct series *series)
{
    size_t capacity = series->capacity > 0 ? 2 * series->capacity : 16;
    double *bytes = realloc(series->bytes, capacity * sizeof *bytes);
    if (bytes != NULL)
        series->bytes = bytes;
    double *seconds = realloc(series->seconds, capacity * sizeof *seconds);
    if (seconds != NULL)
        series->seconds = seconds;
    if (bytes != NULL && seconds != NULL)
        series->capacity = capacity;
    return bytes != NULL && seconds != NULL;
}

static bool add_to_series(void *context, const struct lab_case *c, const struct lab_report *report)
{
    struct transfer *t = context;
    struct series *series = &t->series;
    struct lab_summary summary;
    (void)c;
    if ((series->count == series->capacity && !grow(series)) ||
        !lab_summarise(report->outcome->samples, report->outcome->count, &summary))
        return lab_error_set(&t->run->error, "out-of-memory", "", "out of memory for the medians of a series");
    series->point = *report->point;
    series->bytes[series->count] = (double)report->point->values[TRANSFER_BYTES];
    series->seconds[series->count++] = summary.median;
    return true;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* Why no device can measure the point; NULL if one can. */
static const char *skip_reason(const struct lab_parameters *given, const struct lab_point *point)
{
    bool kernel = point->values[TRANSFER_ENGINE] == TRANSFER_SM;
    bool pageable = transfer_memory(point) == LAB_MEMORY_PAGEABLE;
    enum transfer_pattern pattern = (enum transfer_pattern)point->values[TRANSFER_PATTERN];
    if (kernel && pageable)
        return "a kernel can access only page-locked host memory";
    if (kernel && (pattern == TRANSFER_PIECES || pattern == TRANSFER_ROWS))
        return "a kernel copies all pieces in one launch: use the pattern contiguous or pitched";
    if (point->values[TRANSFER_OPPOSING] == 1 && pageable)
        return "copies of pageable memory block the calling thread, so the two directions cannot run at once";
    if ((pattern == TRANSFER_PITCHED || pattern == TRANSFER_ROWS) &&
        point->values[TRANSFER_BYTES] % lab_parameter_integer(given, "row_bytes") != 0)
        return "the size is not a multiple of row_bytes";
    return NULL;
}

static void warn_of_cache(const struct transfer *t, const struct lab_point *point)
{
    int64_t cache = t->run->devices[0]->facts.l2_bytes;
    char text[192];
    if (transfer_uses_link(point) || cache == LAB_UNKNOWN || 2 * point->values[TRANSFER_BYTES] > cache)
        return;
    snprintf(
        text, sizeof text,
        "d2d copies whose source and destination fit in the last-level cache (%.0f MiB) measure the cache, not the "
        "memory",
        (double)cache / 1048576);
    lab_loop_warn_once(t->run, text);
}

static void set_peak(struct lab_case *c, const struct lab_device_facts *facts, const struct lab_point *point)
{
    if (!transfer_uses_link(point)) {
        c->peak = (struct lab_peak){facts->memory_peak_bytes_per_s / 1e9, "device memory, read and write"};
        return;
    }
    bool both = transfer_is_aggregate(point);
    c->peak.value = facts->pcie_peak_bytes_per_s / 1e9 * (both ? 2 : 1);
    snprintf(c->peak_text, sizeof c->peak_text, "PCIe gen%" PRId64 " x%" PRId64 ", %s", facts->pcie_max_generation,
             facts->pcie_max_width, both ? "both directions" : "one direction");
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct transfer *t = context;
    bool both = transfer_is_aggregate(point);
    const char *reason = skip_reason(t->run->parameters, point);
    if (t->series.count > 0 &&
        !lab_points_equal(t->run->experiment, &t->series.point, point, UINT32_C(1) << TRANSFER_BYTES))
        end_series(t);
    c->metric = both ? "aggregate_bandwidth" : "bandwidth";
    c->counts[both ? LAB_COUNT_AGGREGATE_BYTES : LAB_COUNT_BYTES] =
        bytes_counted(point) * (double)point->values[TRANSFER_BYTES];
    c->host_memory = transfer_uses_link(point);
    set_peak(c, &t->run->devices[0]->facts, point);
    warn_of_cache(t, point);
    if (reason != NULL)
        snprintf(c->skipped, sizeof c->skipped, "%s", reason);
    return reason != NULL || transfer_copies_begin(t->copies, point, &c->work, c->skipped);
}

static void end(void *context)
{
    transfer_copies_end(((struct transfer *)context)->copies);
}

bool transfer_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = add_to_series, .end = end};
    struct transfer t = {.run = run, .copies = transfer_copies_create(run)};
    bool good = t.copies != NULL && lab_loop_run(run, &loop, &t);
    if (good)
        end_series(&t);
    transfer_copies_release(t.copies);
    free(t.series.bytes);
    free(t.series.seconds);
    return good;
}
