/* Collects the median times of a series and fits a line to them. */
#include "benchmark/fit.h"

#include "descriptor/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MIN = 3 };

static size_t index_of(const struct lab_experiment *experiment, const char *name)
{
    for (size_t i = 0; experiment->axes[i].name != NULL; i++)
        if (strcmp(experiment->axes[i].name, name) == 0)
            return i;
    fprintf(stderr, "%s has no axis \"%s\"\n", experiment->name, name);
    abort();
}

struct lab_fitting lab_fitting_init(struct lab_run *run, const struct lab_fit *fit)
{
    return (struct lab_fitting){.run = run, .fit = fit, .axis = fit != NULL ? index_of(run->experiment, fit->axis) : 0};
}

void lab_fitting_release(struct lab_fitting *f)
{
    free(f->x);
    free(f->seconds);
}

static bool grow(struct lab_fitting *f)
{
    size_t capacity = f->capacity > 0 ? 2 * f->capacity : 16;
    double *x = realloc(f->x, capacity * sizeof *x);
    if (x != NULL)
        f->x = x;
    double *seconds = realloc(f->seconds, capacity * sizeof *seconds);
    if (seconds != NULL)
        f->seconds = seconds;
    if (x != NULL && seconds != NULL)
        f->capacity = capacity;
    return x != NULL && seconds != NULL;
}

bool lab_fitting_add(struct lab_fitting *f, const struct lab_report *report, double count)
{
    struct lab_summary summary;
    if (f->fit == NULL || (f->fit->applies != NULL && !f->fit->applies(report->point)))
        return true;
    if ((f->count == f->capacity && !grow(f)) ||
        !lab_summarise(report->outcome->samples, report->outcome->count, &summary))
        return lab_error_set(&f->run->error, LAB_ERROR_OUT_OF_MEMORY, "", "out of memory for the medians of a series");
    f->point = *report->point;
    f->x[f->count] = (double)f->point.values[f->axis];
    f->seconds[f->count] = summary.median;
    f->count_per_x = count / f->x[f->count];
    f->count++;
    return true;
}

void lab_fitting_begin(struct lab_fitting *f, const struct lab_point *point)
{
    if (f->count > 0 && !lab_points_equal(f->run->experiment, &f->point, point, UINT32_C(1) << f->axis))
        lab_fitting_end(f);
}

/* `value` is in the metric's unit without its prefix. */
static void report_figure(const struct lab_fitting *f, const char *metric, double value, double residual)
{
    const struct lab_report report = {.run = f->run, .point = &f->point};
    struct lab_measurement measurement = lab_report_measurement(&report, metric);
    value *= lab_unit_scale(measurement.unit);
    lab_summarise(&value, 1, &measurement.summary);
    measurement.summary.n = f->count;
    measurement.summary.stdev = NAN;
    measurement.summary.noise = residual;
    f->run->sink.measurement(f->run->sink.context, &measurement);
}

void lab_fitting_end(struct lab_fitting *f)
{
    struct lab_fitted_line line;
    if (f->count >= POINTS_MIN && lab_fit_line(f->x, f->seconds, f->count, &line) && line.intercept > 0 &&
        line.slope > 0) {
        f->point.values[f->axis] = LAB_NO_VALUE;
        report_figure(f, f->fit->latency, line.intercept, line.residual);
        report_figure(f, f->fit->asymptote, f->count_per_x / line.slope, line.residual);
        report_figure(f, f->fit->half, line.intercept / line.slope, line.residual);
    }
    f->count = 0;
}
