/* Computes the metrics of peer-transpose from the samples of a point. */
#include "report.h"

#include <math.h>

void transpose_point_axes(struct lab_axes *axes, const struct transpose_point *point)
{
    lab_axes_number(axes, "n", (int64_t)point->shape.n);
    lab_axes_number(axes, "device_count", (int64_t)point->shape.devices);
    lab_axes_number(axes, "chunks", (int64_t)point->shape.chunks);
    if (point->variant == TRANSPOSE_LOCAL)
        return;
    lab_axes_text(axes, "variant", transpose_variants[point->variant]);
    lab_axes_flag(axes, "peer_access", point->peer_access);
}

bool transpose_report_outcome(struct lab_run *run, const struct transpose_point *point,
                              const struct lab_outcome *outcome, double *all_to_all_s)
{
    struct lab_measurement measurement = {.cache = "warm", .numa_node = LAB_UNKNOWN};
    transpose_point_axes(&measurement.axes, point);
    lab_measurement_from_outcome(&measurement, outcome);
    if (point->variant == TRANSPOSE_LOCAL)
        return lab_report_outcome(run, &measurement, outcome, "local_transpose_time", "s", 0);
    double gigabytes = transpose_crossing_bytes(&point->shape) / 1e9;
    if (!lab_report_outcome(run, &measurement, outcome, "bandwidth", "GB/s", gigabytes) ||
        !lab_report_outcome(run, &measurement, outcome, "time", "s", 0))
        return false;
    if (point->variant == TRANSPOSE_ALL_TO_ALL) {
        *all_to_all_s = measurement.summary.median;
        return true;
    }
    return !isfinite(*all_to_all_s) ||
           lab_report_outcome(run, &measurement, outcome, "share_of_all_to_all", "1", *all_to_all_s);
}

void transpose_report_skipped(struct lab_run *run, const struct transpose_point *point, const char *reason)
{
    struct lab_measurement measurement = {
        .metric = point->variant == TRANSPOSE_LOCAL ? "local_transpose_time" : "time",
        .unit = "s",
        .numa_node = LAB_UNKNOWN,
        .skipped = reason,
    };
    transpose_point_axes(&measurement.axes, point);
    lab_summarise(NULL, 0, &measurement.summary);
    run->sink.measurement(run->sink.context, &measurement);
}
