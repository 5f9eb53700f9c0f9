/* Reports the metrics of each point and, at the end of a series (all sizes with the same other coordinates), latency
 * and asymptotic bandwidth from a line fitted to the median times.
 */
#ifndef LAB_TRANSFER_REPORT_H
#define LAB_TRANSFER_REPORT_H

#include "transfer.h"

#include "measure/measure.h"

/* The median times of the current series, by size. Initialise with {.run = run}. */
struct transfer_report {
    struct lab_run *run;
    size_t count, capacity;      /* of `bytes` and `seconds` */
    double *bytes, *seconds;     /* size and median time of each point of the series */
    struct transfer_point point; /* the latest point of the series */
};

/* Call before reporting a point. Ends the current series if the point belongs to another one. */
void transfer_report_begin(struct transfer_report *report, const struct transfer_point *point);

/* Reports bandwidth, share of peak and time of a point, and adds its median time to the series. Returns false with
 * run->error set when out of memory. */
bool transfer_report_outcome(struct transfer_report *report, const struct transfer_point *point,
                             const struct lab_outcome *outcome);
void transfer_report_skipped(struct transfer_report *report, const struct transfer_point *point, const char *reason);

/* Ends the last series: fits its line and reports it. */
void transfer_report_end(struct transfer_report *report);
/* Frees the arrays of sizes and median times. */
void transfer_report_release(struct transfer_report *report);

#endif
