/* Computes the metrics of transfer from the samples of a point and from the median times of a series. */
#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- a point ------------------------------------------------------------------------------------------------------ */

static void set_series_axes(struct lab_axes *axes, const struct transfer_point *point)
{
    if (!point->aggregate)
        lab_axes_text(axes, "direction", transfer_directions[point->direction]);
    if (point->direction != LAB_D2D) {
        lab_axes_flag(axes, "opposing", point->opposing);
        lab_axes_text(axes, "memory", transfer_memories[point->memory - LAB_MEMORY_PAGEABLE]);
    }
    lab_axes_text(axes, "engine", transfer_engines[point->engine]);
    lab_axes_text(axes, "pattern", transfer_patterns[point->pattern]);
}

/* How often the metrics' formulas count each byte of the point's size: twice for copies within the device (read and
 * write) and for both directions together, else once. */
static double bytes_counted(const struct transfer_point *point)
{
    return point->direction == LAB_D2D || point->aggregate ? 2 : 1;
}

/* Sets *peak to the theoretical peak in GB/s and writes its description to `what`, to which peak->what then points.
 * Returns false if the device does not report the peak. */
static bool peak_of(const struct transfer_report *report, const struct transfer_point *point, char *what, size_t size,
                    struct lab_peak *peak)
{
    const struct lab_device_facts *facts = &report->run->devices[0]->facts;
    if (point->direction == LAB_D2D && !point->aggregate) {
        snprintf(what, size, "device memory, read and write");
        peak->value = facts->memory_peak_bytes_per_s / 1e9;
    } else {
        snprintf(what, size, "PCIe gen%lld x%lld, %s", (long long)facts->pcie_max_generation,
                 (long long)facts->pcie_max_width, point->aggregate ? "both directions" : "one direction");
        peak->value = facts->pcie_peak_bytes_per_s / 1e9 * (point->aggregate ? 2 : 1);
    }
    peak->what = what;
    return isfinite(peak->value) && peak->value > 0;
}

/* --- the fitted line of a series ---------------------------------------------------------------------------------- */

static void report_fitted(struct transfer_report *report, const char *metric, const char *unit, double value,
                          double residual)
{
    struct lab_measurement measurement = {.metric = metric, .unit = unit, .numa_node = LAB_UNKNOWN};
    lab_summarise(&value, 1, &measurement.summary);
    measurement.summary.n = report->count;
    measurement.summary.stdev = NAN;
    measurement.summary.noise = residual;
    set_series_axes(&measurement.axes, &report->point);
    report->run->sink.measurement(report->run->sink.context, &measurement);
}

/* Reports a fitted line if the series has at least three sizes, each copy is a single call, and the latency and
 * bandwidth of the fit are positive. The patterns pieces and rows are excluded because each of their many calls has a
 * latency of its own. */
void transfer_report_end(struct transfer_report *report)
{
    struct lab_fitted_line line;
    bool one_call = report->point.pattern == TRANSFER_CONTIGUOUS || report->point.pattern == TRANSFER_PITCHED;
    if (one_call && report->count >= 3 && lab_fit_line(report->bytes, report->seconds, report->count, &line) &&
        line.intercept > 0 && line.slope > 0) {
        report_fitted(report, "latency", "s", line.intercept, line.residual);
        report_fitted(report, "asymptotic_bandwidth", "GB/s", bytes_counted(&report->point) / line.slope / 1e9,
                      line.residual);
        report_fitted(report, "half_bandwidth_bytes", "B", line.intercept / line.slope, line.residual);
    }
    report->count = 0;
}

static bool same_series(const struct transfer_point *a, const struct transfer_point *b)
{
    return a->direction == b->direction && a->opposing == b->opposing && a->aggregate == b->aggregate &&
           a->memory == b->memory && a->engine == b->engine && a->pattern == b->pattern;
}

void transfer_report_begin(struct transfer_report *report, const struct transfer_point *point)
{
    if (report->count > 0 && !same_series(&report->point, point))
        transfer_report_end(report);
}

void transfer_report_release(struct transfer_report *report)
{
    free(report->bytes);
    free(report->seconds);
}

static bool add_to_series(struct transfer_report *report, const struct transfer_point *point,
                          const struct lab_outcome *outcome)
{
    struct lab_summary summary;
    if (report->count == report->capacity) {
        size_t capacity = report->capacity > 0 ? 2 * report->capacity : 16;
        double *bytes = realloc(report->bytes, capacity * sizeof *bytes);
        if (bytes != NULL)
            report->bytes = bytes;
        double *seconds = realloc(report->seconds, capacity * sizeof *seconds);
        if (seconds != NULL)
            report->seconds = seconds;
        if (bytes == NULL || seconds == NULL)
            return lab_error_set(&report->run->error, "out-of-memory", "", "out of memory for the medians of a series");
        report->capacity = capacity;
    }
    if (!lab_summarise(outcome->samples, outcome->count, &summary))
        return lab_error_set(&report->run->error, "out-of-memory", "", "out of memory for a summary");
    report->point = *point;
    report->bytes[report->count] = (double)point->bytes;
    report->seconds[report->count++] = summary.median;
    return true;
}

/* --- reporting a point -------------------------------------------------------------------------------------------- */

bool transfer_report_outcome(struct transfer_report *report, const struct transfer_point *point,
                             const struct lab_outcome *outcome)
{
    struct lab_run *run = report->run;
    struct lab_measurement measurement = {.cache = "warm",
                                          .numa_node = point->direction == LAB_D2D ? LAB_UNKNOWN : run->numa_node};
    set_series_axes(&measurement.axes, point);
    lab_axes_number(&measurement.axes, "bytes", (int64_t)point->bytes);
    lab_measurement_from_outcome(&measurement, outcome);

    double gigabytes = bytes_counted(point) * (double)point->bytes / 1e9;
    char what[64];
    struct lab_peak peak;
    bool has_peak = peak_of(report, point, what, sizeof what, &peak);
    const char *bandwidth = point->aggregate ? "aggregate_bandwidth" : "bandwidth";
    measurement.peak = has_peak ? &peak : NULL;
    if (!add_to_series(report, point, outcome) ||
        !lab_report_outcome(run, &measurement, outcome, bandwidth, "GB/s", gigabytes))
        return false;
    if (has_peak && !lab_report_outcome(run, &measurement, outcome, "share_of_peak", "1", gigabytes / peak.value))
        return false;
    measurement.peak = NULL;
    return lab_report_outcome(run, &measurement, outcome, "time", "s", 0);
}

void transfer_report_skipped(struct transfer_report *report, const struct transfer_point *point, const char *reason)
{
    struct lab_measurement measurement = {.metric = point->aggregate ? "aggregate_bandwidth" : "bandwidth",
                                          .unit = "GB/s",
                                          .numa_node = LAB_UNKNOWN,
                                          .skipped = reason};
    lab_summarise(NULL, 0, &measurement.summary);
    set_series_axes(&measurement.axes, point);
    lab_axes_number(&measurement.axes, "bytes", (int64_t)point->bytes);
    report->run->sink.measurement(report->run->sink.context, &measurement);
}
