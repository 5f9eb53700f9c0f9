/* Turns samples and phase times into the metrics of scaling. */
#include "report.h"

#include <math.h>

void scaling_point_axes(struct lab_axes *axes, const struct scaling_point *point, uint32_t weight)
{
    lab_axes_number(axes, "bytes", (int64_t)point->workload.bytes);
    lab_axes_text(axes, "memory", scaling_memories[point->workload.memory == LAB_MEMORY_PINNED]);
    lab_axes_text(axes, "kernel", scaling_kernels[point->workload.kernel]);
    if (point->workload.kernel == SCALING_PAIRS && weight > 0)
        lab_axes_number(axes, "weight", weight);
    lab_axes_text(axes, "scaling", scaling_modes[point->workload.weak]);
    lab_axes_number(axes, "device_count", (int64_t)point->device_count);
    lab_axes_text(axes, "variant", scaling_variants[point->variant]);
}

static struct lab_measurement measurement_of(const struct lab_run *run, const struct scaling_point *point,
                                             uint32_t weight)
{
    struct lab_measurement measurement = {.cache = "warm", .numa_node = run->numa_node};
    scaling_point_axes(&measurement.axes, point, weight);
    return measurement;
}

void scaling_report_skipped(struct lab_run *run, const struct scaling_point *point, uint32_t weight, const char *reason)
{
    struct lab_measurement measurement = measurement_of(run, point, weight);
    measurement.metric = "time";
    measurement.unit = "s";
    measurement.numa_node = LAB_UNKNOWN;
    measurement.skipped = reason;
    lab_summarise(NULL, 0, &measurement.summary);
    run->sink.measurement(run->sink.context, &measurement);
}

/* --- time, speedup, efficiency ------------------------------------------------------------------------------------ */

double scaling_speedup_base(const struct scaling_point *point, double alone_s)
{
    return point->workload.weak ? (double)point->device_count * alone_s : alone_s;
}

bool scaling_report_outcome(struct lab_run *run, const struct scaling_point *point, uint32_t weight,
                            const struct lab_outcome *outcome, double *alone_s)
{
    struct lab_measurement measurement = measurement_of(run, point, weight);
    lab_measurement_from_outcome(&measurement, outcome);
    if (!lab_report_outcome(run, &measurement, outcome, "time", "s", 0))
        return false;
    if (point->device_count == 1)
        *alone_s = measurement.summary.median;
    if (!isfinite(*alone_s))
        return true;
    double base = scaling_speedup_base(point, *alone_s);
    return lab_report_outcome(run, &measurement, outcome, "speedup", "1", base) &&
           lab_report_outcome(run, &measurement, outcome, "efficiency", "1", base / (double)point->device_count);
}

/* --- phases and imbalance ----------------------------------------------------------------------------------------- */

static bool report_samples(struct lab_run *run, struct lab_measurement *measurement, const double *samples,
                           size_t count)
{
    if (!lab_summarise(samples, count, &measurement->summary))
        return lab_error_set(&run->error, "out-of-memory", "", "out of memory for a summary");
    run->sink.measurement(run->sink.context, measurement);
    return true;
}

static bool report_phase(struct lab_run *run, struct lab_measurement measurement, const struct scaling_phases *phases,
                         size_t device, enum scaling_phase phase)
{
    static const char *const names[] = {[SCALING_UP] = "up", [SCALING_KERNEL] = "kernel", [SCALING_DOWN] = "down"};
    double samples[SCALING_PHASE_JOBS_MAX];
    for (size_t job = 0; job < phases->jobs; job++)
        samples[job] = phases->seconds[job][device][phase];
    lab_axes_text(&measurement.axes, "phase", names[phase]);
    lab_axes_number(&measurement.axes, "device", (int64_t)device + 1);
    measurement.metric = "phase_time";
    measurement.unit = "s";
    measurement.samples = samples;
    measurement.sample_count = phases->jobs;
    measurement.stop_reason = phases->stop_reason;
    return report_samples(run, &measurement, samples, phases->jobs);
}

/* Longest busy time of a device / mean busy time of all devices - 1. */
static double imbalance_of(const double seconds[][SCALING_PHASES], size_t device_count)
{
    double longest = 0, sum = 0;
    for (size_t i = 0; i < device_count; i++) {
        double busy = seconds[i][SCALING_UP] + seconds[i][SCALING_KERNEL] + seconds[i][SCALING_DOWN];
        longest = fmax(longest, busy);
        sum += busy;
    }
    return longest / (sum / (double)device_count) - 1;
}

static bool report_imbalance(struct lab_run *run, struct lab_measurement measurement,
                             const struct scaling_phases *phases, size_t device_count)
{
    double values[SCALING_PHASE_JOBS_MAX];
    for (size_t job = 0; job < phases->jobs; job++)
        values[job] = imbalance_of(phases->seconds[job], device_count);
    measurement.metric = "imbalance";
    measurement.unit = "1";
    return report_samples(run, &measurement, values, phases->jobs);
}

bool scaling_report_phases(struct lab_run *run, const struct scaling_point *point, uint32_t weight,
                           const struct scaling_phases *phases)
{
    const struct lab_measurement measurement = measurement_of(run, point, weight);
    if (phases->jobs == 0)
        return true;
    for (size_t device = 0; device < point->device_count; device++)
        for (enum scaling_phase phase = SCALING_UP; phase < SCALING_PHASES; phase++)
            if (!report_phase(run, measurement, phases, device, phase))
                return false;
    return point->device_count == 1 || report_imbalance(run, measurement, phases, point->device_count);
}
