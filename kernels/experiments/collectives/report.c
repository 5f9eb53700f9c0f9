/* Computes the metrics of collectives from the samples of a point. */
#include "report.h"

static struct lab_measurement measurement_of(const struct collectives_point *point)
{
    struct lab_measurement measurement = {.cache = "warm", .numa_node = LAB_UNKNOWN};
    lab_axes_text(&measurement.axes, "operation", collectives_operations[point->operation]);
    lab_axes_number(&measurement.axes, "bytes", (int64_t)point->bytes);
    lab_axes_flag(&measurement.axes, "in_place", point->in_place);
    lab_axes_number(&measurement.axes, "device_count", (int64_t)point->device_count);
    return measurement;
}

void collectives_report_skipped(struct lab_run *run, const struct collectives_point *point, const char *reason)
{
    struct lab_measurement measurement = measurement_of(point);
    measurement.metric = "busbw";
    measurement.unit = "GB/s";
    measurement.skipped = reason;
    lab_summarise(NULL, 0, &measurement.summary);
    run->sink.measurement(run->sink.context, &measurement);
}

bool collectives_report_outcome(struct lab_run *run, const struct collectives_point *point,
                                const struct lab_outcome *outcome)
{
    struct lab_measurement measurement = measurement_of(point);
    double gigabytes = (double)point->bytes / 1e9;
    double bus_gigabytes = gigabytes * collectives_bus_factor(point->operation, point->device_count);
    lab_measurement_from_outcome(&measurement, outcome);
    return lab_report_outcome(run, &measurement, outcome, "busbw", "GB/s", bus_gigabytes) &&
           lab_report_outcome(run, &measurement, outcome, "algbw", "GB/s", gigabytes) &&
           lab_report_outcome(run, &measurement, outcome, "time", "s", 0);
}
