/* Computes the metrics of overlap from the samples of a point. */
#include "report.h"

#include "bound.h"

#include <math.h>

/* --- axes --------------------------------------------------------------------------------------------------------- */

void overlap_workload_axes(struct lab_axes *axes, const struct overlap_job *job)
{
    lab_axes_number(axes, "bytes", (int64_t)job->workload.bytes);
    lab_axes_text(axes, "memory", overlap_memories[job->workload.memory == LAB_MEMORY_PINNED]);
    lab_axes_text(axes, "kernel", overlap_kernels[job->workload.kernel]);
    if (job->workload.kernel == OVERLAP_WAVES)
        lab_axes_number(axes, "weight", job->weight);
}

void overlap_point_axes(struct lab_axes *axes, const struct overlap_job *job, const struct overlap_point *point)
{
    overlap_workload_axes(axes, job);
    lab_axes_text(axes, "variant", overlap_variants[point->variant]);
    lab_axes_number(axes, "chunks", (int64_t)point->chunks);
    lab_axes_number(axes, "streams", (int64_t)point->streams);
    lab_axes_text(axes, "replay", overlap_replays[point->graph]);
}

static struct lab_measurement measurement_of(const struct overlap_job *job, const struct overlap_point *point)
{
    struct lab_measurement measurement = {.cache = "warm", .numa_node = job->run->numa_node};
    overlap_point_axes(&measurement.axes, job, point);
    return measurement;
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

void overlap_report_skipped(struct overlap_job *job, const struct overlap_point *point, const char *reason)
{
    struct lab_measurement measurement = measurement_of(job, point);
    measurement.metric = "time";
    measurement.unit = "s";
    measurement.numa_node = LAB_UNKNOWN;
    measurement.skipped = reason;
    lab_summarise(NULL, 0, &measurement.summary);
    job->run->sink.measurement(job->run->sink.context, &measurement);
}

static bool send_values(struct overlap_job *job, struct lab_measurement *measurement, const char *metric,
                        const char *unit, const double *values, size_t count)
{
    measurement->metric = metric;
    measurement->unit = unit;
    if (!lab_summarise(values, count, &measurement->summary))
        return lab_error_set(&job->run->error, "out-of-memory", "", "out of memory for a summary");
    job->run->sink.measurement(job->run->sink.context, measurement);
    return true;
}

bool overlap_report_values(struct overlap_job *job, const struct overlap_point *point, const char *metric,
                           const char *unit, const double *values, size_t count)
{
    struct lab_measurement measurement = measurement_of(job, point);
    return send_values(job, &measurement, metric, unit, values, count);
}

/* Reports the bounds for 0, 1 and 2 copy engines, and the efficiency for the device's number of copy engines. */
static bool report_bounds(struct overlap_job *job, const struct overlap_point *point, const struct lab_outcome *outcome,
                          const struct overlap_phases *phases)
{
    int64_t engines = job->device->facts.copy_engines;
    double own = NAN;
    if (!isfinite(phases->up + phases->kernel + phases->down + phases->up_contended + phases->down_contended))
        return true;
    for (size_t count = 0; count <= 2; count++) {
        double bound = overlap_bound(job, phases, count);
        if (bound < 0)
            return lab_error_set(&job->run->error, "out-of-memory", "", "out of memory for the simulated schedule");
        struct lab_measurement measurement = measurement_of(job, point);
        lab_axes_number(&measurement.axes, "copy_engines", (int64_t)count);
        measurement.numa_node = LAB_UNKNOWN;
        if (!send_values(job, &measurement, "bound", "s", &bound, 1))
            return false;
        if (engines != LAB_UNKNOWN && count == (size_t)(engines > 2 ? 2 : engines))
            own = bound;
    }
    struct lab_measurement measurement = measurement_of(job, point);
    lab_measurement_from_outcome(&measurement, outcome);
    return !isfinite(own) || lab_report_outcome(job->run, &measurement, outcome, "efficiency", "1", own);
}

bool overlap_report_outcome(struct overlap_job *job, const struct overlap_point *point,
                            const struct lab_outcome *outcome, const struct overlap_phases *phases,
                            double *sequential_s)
{
    struct lab_measurement measurement = measurement_of(job, point);
    lab_measurement_from_outcome(&measurement, outcome);
    if (!lab_report_outcome(job->run, &measurement, outcome, "time", "s", 0))
        return false;
    if (point->variant == OVERLAP_SEQUENTIAL) {
        *sequential_s = measurement.summary.median;
        return true;
    }
    if (isfinite(*sequential_s) && !lab_report_outcome(job->run, &measurement, outcome, "speedup", "1", *sequential_s))
        return false;
    return point->workload.memory != LAB_MEMORY_PINNED || report_bounds(job, point, outcome, phases);
}
