/* Reports the metrics of a point to the run's sink. Names and units of axes and metrics come from the experiment's
 * tables; a name that is not in them is a fault of the program and ends it.
 */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include "benchmark/counted.h"
#include "measure/measure.h"

/* What the metrics of one point have in common. */
struct lab_report {
    struct lab_run *run;
    const struct lab_point *point;
    const struct lab_outcome *outcome;      /* NULL for figures that are not computed from samples of the measurer */
    const int64_t *numa_node;               /* of the host memory in use, LAB_UNKNOWN: several; NULL: none in use */
    const struct lab_kernel_record *kernel; /* NULL for none */
    const char *main_metric;                /* whose measurement has the hardware counters; NULL: none has */
};

/* The factor from a quantity to `unit`, whose prefix is giga or none. */
static inline double lab_unit_scale(const char *unit)
{
    return unit[0] == 'G' ? 1e-9 : 1;
}

/* The functions return false with run->error set when out of memory. */

/* Reports numerator / seconds for each sample. If `peak` is not NULL and known (positive), it is recorded with the
 * metric, and share_of_peak is reported too if the experiment has that metric; a share above 1.05 is a warning, because
 * the work or the peak is then not what it is said to be (METHOD.md 19). */
bool lab_report_rate(const struct lab_report *report, const char *metric, double numerator,
                     const struct lab_peak *peak);

/* Reports numerator / seconds / peak for each sample, with the peak; nothing if the peak is NULL or not known
 * (positive). */
bool lab_report_share(const struct lab_report *report, const char *metric, double numerator,
                      const struct lab_peak *peak);

/* Reports the seconds of each sample. */
bool lab_report_time(const struct lab_report *report, const char *metric);

/* Reports seconds / steps for each sample; if the metric's unit is "cycles", in cycles of the multiprocessors' clock
 * while the point was measured. Reports nothing if that clock is unknown. */
bool lab_report_step(const struct lab_report *report, const char *metric, double steps);

/* Reports factor * baseline / seconds for each sample and the baseline's sample taken before it (METHOD.md 19). Reports
 * nothing if the outcome has no baseline. */
bool lab_report_ratio(const struct lab_report *report, const char *metric, double factor);

/* Reports the energy of 10^12 operations, in J/TFLOP, of which a repetition has `operations`. Reports nothing if the
 * energy was not measured. */
bool lab_report_energy(const struct lab_report *report, const char *metric, double operations);

/* Reports samples of another quantity, in the metric's unit. `stop_reason` may be NULL. */
bool lab_report_samples(const struct lab_report *report, const char *metric, const double *samples, size_t count,
                        const char *stop_reason);

/* Reports a computed figure, which has no samples. */
bool lab_report_value(const struct lab_report *report, const char *metric, double value);

/* As lab_report_value, with the peak that the figure is compared with. NULL, or a peak whose value is not positive:
 * none is known. */
bool lab_report_value_of_peak(const struct lab_report *report, const char *metric, double value,
                              const struct lab_peak *peak);

/* Reports a figure of hardware counters; nothing if the point was not counted, or the device does not have them. */
bool lab_report_counted(const struct lab_report *report, const struct lab_counted_figure *figure);

/* Reports those of the metrics "registers", "local_bytes" and "occupancy" that the experiment has, for
 * report->kernel. */
bool lab_report_kernel(const struct lab_report *report);

/* Reports that a metric of the point was not measured, and why. */
void lab_report_skipped(const struct lab_report *report, const char *metric, const char *reason);

/* The measurement with which all of these begin: axes, metric, unit, conditions, verification. For metrics that need
 * more than the functions above. */
struct lab_measurement lab_report_measurement(const struct lab_report *report, const char *metric);

/* Reports a field of the point (measurement.h). Of more rows or columns than LAB_FIELD_SIDE_MAX, as many are reported,
 * evenly spaced, the first and the last among them. Returns false with run->error set when out of memory. */
bool lab_report_field(const struct lab_report *report, const char *name, const float *values, size_t rows,
                      size_t columns);

/* The coordinates of a point as measurements and spans have them; axes that do not apply are left out. */
void lab_report_axes(const struct lab_run *run, const struct lab_point *point, struct lab_axes *axes);

#endif
