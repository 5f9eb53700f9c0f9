/* The line t = a + x / b fitted to the median times of each series of points, for example over the sizes of copies: a
 * is the latency, b the asymptotic rate, and at x = a * b half of that rate is reached. A series is the points that
 * differ on one axis only.
 */
#ifndef LAB_FIT_H
#define LAB_FIT_H

#include "benchmark/report.h"

/* Data of a benchmark. */
struct lab_fit {
    const char *axis;      /* x; its loop is inside those of the axes on which the series differ */
    const char *latency;   /* the metric for a, in s */
    const char *asymptote; /* the metric for the main metric's count per second at b */
    const char *half;      /* the metric for a * b, in the unit of x */
    bool (*applies)(const struct lab_point *point); /* whether a point belongs to a series; NULL: all do */
};

/* The series of the latest points. */
struct lab_fitting {
    struct lab_run *run;
    const struct lab_fit *fit; /* NULL: the functions do nothing */
    size_t axis;               /* index of fit->axis */
    size_t count, capacity;    /* of `x` and `seconds` */
    double *x, *seconds;       /* of each point: its value, its median time */
    double count_per_x;
    struct lab_point point; /* the latest point */
};

/* Starts without a series. The process is aborted if the experiment has no such axis. Release with
 * lab_fitting_release. */
struct lab_fitting lab_fitting_init(struct lab_run *run, const struct lab_fit *fit);
void lab_fitting_release(struct lab_fitting *fitting);

/* Call before a point is measured: ends the series if the point does not belong to it. */
void lab_fitting_begin(struct lab_fitting *fitting, const struct lab_point *point);

/* Adds a measured point, whose repetition has the main metric's count `count`. Returns false with run->error set when
 * out of memory. */
bool lab_fitting_add(struct lab_fitting *fitting, const struct lab_report *report, double count);

/* Ends the series, after the last point too. Reports the line of at least three points if a and b are positive. Its n
 * is the number of points, its noise the root mean square of the fit's relative errors. */
void lab_fitting_end(struct lab_fitting *fitting);

#endif
