/* Computes the metrics of a point from its samples. */
#include "benchmark/report.h"

#include "core/protocol.h"
#include "descriptor/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A share of a peak above this is a warning. */
static const double share_max = 1.05;

static const struct lab_metric *find_metric(const struct lab_experiment *experiment, const char *name)
{
    for (const struct lab_metric *m = experiment->metrics; m->name != NULL; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

static const struct lab_metric *metric_of(const struct lab_experiment *experiment, const char *name)
{
    const struct lab_metric *metric = find_metric(experiment, name);
    if (metric == NULL) {
        fprintf(stderr, "%s has no metric \"%s\"\n", experiment->name, name);
        abort();
    }
    return metric;
}

void lab_report_axes(const struct lab_run *run, const struct lab_point *point, struct lab_axes *axes)
{
    for (size_t i = 0; run->experiment->axes[i].name != NULL; i++) {
        const struct lab_axis *axis = &run->experiment->axes[i];
        struct lab_choices choices;
        int64_t value = point->values[i];
        if (value == LAB_NO_VALUE)
            continue;
        switch (lab_axis_kind(run->experiment, axis, &choices)) {
        case LAB_AXIS_NUMBER:
            lab_axes_number(axes, axis->name, value);
            break;
        case LAB_AXIS_FLAG:
            lab_axes_flag(axes, axis->name, value != 0);
            break;
        case LAB_AXIS_CHOICE:
            lab_axes_text(axes, axis->name, lab_choice_text(choices, (size_t)value));
            break;
        case LAB_AXIS_DEVICE:
            lab_axes_text(axes, axis->name, run->devices[value]->facts.id);
            break;
        }
    }
}

struct lab_measurement lab_report_measurement(const struct lab_report *report, const char *metric)
{
    const struct lab_metric *entry = metric_of(report->run->experiment, metric);
    struct lab_measurement measurement = {.side = report->run->side,
                                          .metric = entry->name,
                                          .unit = entry->unit,
                                          .numa_node = report->numa_node != NULL ? *report->numa_node : LAB_UNKNOWN,
                                          .kernel = report->kernel};
    lab_report_axes(report->run, report->point, &measurement.axes);
    if (report->outcome != NULL)
        lab_measurement_from_outcome(&measurement, report->outcome);
    if (report->outcome != NULL && report->outcome->counted && report->main_metric != NULL &&
        strcmp(report->main_metric, metric) == 0)
        measurement.counters = &report->outcome->counts;
    return measurement;
}

/* Sends a measurement with its samples. Takes over `samples` (from malloc; NULL: out of memory). */
static bool send_samples(const struct lab_report *report, struct lab_measurement *measurement, double *samples,
                         size_t count)
{
    struct lab_run *run = report->run;
    measurement->samples = samples;
    measurement->sample_count = count;
    bool good = samples != NULL && lab_summarise(samples, count, &measurement->summary);
    if (good)
        run->sink.measurement(run->sink.context, measurement);
    else
        lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the samples of a point");
    free(samples);
    return good;
}

/* Sets *rounds to the medians of the rounds in which `samples` were taken, from malloc; NULL if there were none. */
static bool find_rounds(const struct lab_outcome *outcome, const double *samples, double **rounds)
{
    *rounds = outcome->round_count > 0 ? malloc(outcome->round_count * sizeof **rounds) : NULL;
    bool good = outcome->round_count == 0 || *rounds != NULL;
    for (size_t i = 0, first = 0; good && i < outcome->round_count; first = outcome->round_ends[i++]) {
        struct lab_summary summary;
        good = lab_summarise(&samples[first], outcome->round_ends[i] - first, &summary);
        (*rounds)[i] = summary.median;
    }
    return good;
}

/* Sends a measurement of which samples[i] was computed from sample i of the outcome, with its rounds. Takes over
 * `samples` as send_samples does. */
static bool send_of_outcome(const struct lab_report *report, struct lab_measurement *measurement, double *samples)
{
    const struct lab_outcome *outcome = report->outcome;
    double *rounds = NULL;
    if (samples != NULL && !find_rounds(outcome, samples, &rounds)) {
        free(samples);
        samples = NULL;
    }
    measurement->rounds = rounds;
    measurement->block_count = outcome->block_count;
    measurement->block_ends = outcome->block_ends;
    bool good = send_samples(report, measurement, samples, outcome->count);
    free(rounds);
    return good;
}

static bool send_rate(const struct lab_report *report, struct lab_measurement *measurement, double numerator)
{
    const struct lab_outcome *outcome = report->outcome;
    double *samples = malloc(outcome->count * sizeof *samples);
    for (size_t i = 0; samples != NULL && i < outcome->count; i++)
        samples[i] = numerator / outcome->samples[i];
    return send_of_outcome(report, measurement, samples);
}

static void warn_of_share(const struct lab_report *report, const char *metric, const struct lab_peak *peak,
                          double share)
{
    char text[LAB_DETAIL_MAX], label[160];
    if (!(share > share_max))
        return;
    lab_point_label(report->run->experiment, report->point, label, sizeof label);
    snprintf(text, sizeof text,
             "%s of %s is %.2f times its peak (%s): the work or the peak is not what it is said to be", metric, label,
             share, peak->what);
    report->run->sink.warning(report->run->sink.context, text);
}

static bool is_known(const struct lab_peak *peak)
{
    return peak != NULL && isfinite(peak->value) && peak->value > 0;
}

bool lab_report_rate(const struct lab_report *report, const char *metric, double numerator, const struct lab_peak *peak)
{
    struct lab_measurement measurement = lab_report_measurement(report, metric);
    measurement.peak = is_known(peak) ? peak : NULL;
    if (!send_rate(report, &measurement, numerator))
        return false;
    if (!is_known(peak))
        return true;
    warn_of_share(report, metric, peak, measurement.summary.median / peak->value);
    return find_metric(report->run->experiment, "share_of_peak") == NULL ||
           lab_report_share(report, "share_of_peak", numerator, peak);
}

bool lab_report_share(const struct lab_report *report, const char *metric, double numerator,
                      const struct lab_peak *peak)
{
    if (!is_known(peak))
        return true;
    struct lab_measurement share = lab_report_measurement(report, metric);
    share.peak = peak;
    return send_rate(report, &share, numerator / peak->value);
}

/* From malloc; NULL when out of memory. */
static double *copy_of(const double *samples, size_t count)
{
    double *copy = malloc(count * sizeof *copy);
    if (copy != NULL)
        memcpy(copy, samples, count * sizeof *copy);
    return copy;
}

bool lab_report_time(const struct lab_report *report, const char *metric)
{
    struct lab_measurement measurement = lab_report_measurement(report, metric);
    return send_of_outcome(report, &measurement, copy_of(report->outcome->samples, report->outcome->count));
}

bool lab_report_step(const struct lab_report *report, const char *metric, double steps)
{
    const struct lab_outcome *outcome = report->outcome;
    struct lab_measurement measurement = lab_report_measurement(report, metric);
    double per_second = strcmp(measurement.unit, "cycles") == 0 ? outcome->conditions.sm_clock_mhz * 1e6 : 1;
    if (!(per_second > 0))
        return true;
    double *samples = malloc(outcome->count * sizeof *samples);
    for (size_t i = 0; samples != NULL && i < outcome->count; i++)
        samples[i] = outcome->samples[i] * per_second / steps;
    return send_of_outcome(report, &measurement, samples);
}

bool lab_report_ratio(const struct lab_report *report, const char *metric, double factor)
{
    const struct lab_outcome *outcome = report->outcome;
    if (outcome->baseline_samples == NULL)
        return true;
    struct lab_measurement measurement = lab_report_measurement(report, metric);
    double *samples = malloc(outcome->count * sizeof *samples);
    for (size_t i = 0; samples != NULL && i < outcome->count; i++)
        samples[i] = factor * outcome->baseline_samples[i] / outcome->samples[i];
    return send_of_outcome(report, &measurement, samples);
}

bool lab_report_samples(const struct lab_report *report, const char *metric, const double *samples, size_t count,
                        const char *stop_reason)
{
    struct lab_measurement measurement = lab_report_measurement(report, metric);
    measurement.stop_reason = stop_reason;
    return send_samples(report, &measurement, copy_of(samples, count), count);
}

bool lab_report_value(const struct lab_report *report, const char *metric, double value)
{
    return lab_report_value_of_peak(report, metric, value, NULL);
}

bool lab_report_value_of_peak(const struct lab_report *report, const char *metric, double value,
                              const struct lab_peak *peak)
{
    struct lab_run *run = report->run;
    struct lab_measurement measurement = lab_report_measurement(report, metric);
    measurement.stop_reason = NULL;
    measurement.peak = is_known(peak) ? peak : NULL;
    if (!lab_summarise(&value, 1, &measurement.summary))
        return lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a summary");
    run->sink.measurement(run->sink.context, &measurement);
    return true;
}

bool lab_report_energy(const struct lab_report *report, const char *metric, double operations)
{
    double joules = report->outcome->energy_j;
    return !isfinite(joules) || lab_report_value(report, metric, joules / (operations / 1e12));
}

bool lab_report_counted(const struct lab_report *report, const struct lab_counted_figure *figure)
{
    const struct lab_report bare = {.run = report->run, .point = report->point};
    double value = report->outcome->counted ? lab_counted_value(figure, &report->outcome->counts) : (double)NAN;
    return !isfinite(value) || lab_report_value(&bare, figure->metric, value);
}

bool lab_report_kernel(const struct lab_report *report)
{
    const struct lab_kernel_record *kernel = report->kernel;
    const struct lab_report bare = {.run = report->run, .point = report->point};
    if (kernel == NULL)
        return true;
    const struct {
        const char *metric;
        double value;
    } figures[] = {{"registers", (double)kernel->registers},
                   {"local_bytes", (double)kernel->local_bytes},
                   {"occupancy", kernel->occupancy}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (find_metric(report->run->experiment, figures[i].metric) != NULL &&
            !lab_report_value(&bare, figures[i].metric, figures[i].value))
            return false;
    return true;
}

void lab_report_skipped(const struct lab_report *report, const char *metric, const char *reason)
{
    const struct lab_report bare = {.run = report->run, .point = report->point};
    struct lab_measurement measurement = lab_report_measurement(&bare, metric);
    measurement.skipped = reason;
    lab_summarise(NULL, 0, &measurement.summary);
    report->run->sink.measurement(report->run->sink.context, &measurement);
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* Rows or columns of a field that shows `count` of them. */
static size_t field_side(size_t count)
{
    return count < LAB_FIELD_SIDE_MAX ? count : LAB_FIELD_SIDE_MAX;
}

/* The row or column, of `count`, that number `i` of a field's is. */
static size_t field_index(size_t i, size_t count)
{
    size_t side = field_side(count);
    return side > 1 ? i * (count - 1) / (side - 1) : 0;
}

bool lab_report_field(const struct lab_report *report, const char *name, const float *values, size_t rows,
                      size_t columns)
{
    struct lab_run *run = report->run;
    struct lab_axes axes = {0};
    struct lab_field field = {.name = name, .rows = field_side(rows), .columns = field_side(columns), .axes = &axes};
    float *shown = malloc(field.rows * field.columns * sizeof *shown);
    if (shown == NULL)
        return lab_error_set(&run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for a field");
    for (size_t row = 0; row < field.rows; row++)
        for (size_t column = 0; column < field.columns; column++)
            shown[row * field.columns + column] =
                values[field_index(row, rows) * columns + field_index(column, columns)];
    field.values = shown;
    lab_report_axes(run, report->point, &axes);
    run->sink.field(run->sink.context, &field);
    free(shown);
    return true;
}
