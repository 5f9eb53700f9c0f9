/* What is reported of transfer's points, and the line fitted to each series of them.
 */
#ifndef LAB_TRANSFER_REPORT_H
#define LAB_TRANSFER_REPORT_H

#include "transfer.h"

#include "measure/measure.h"

/* Where reports go, and the medians of the series under way. Starts as {run}. */
struct transfer_report {
    struct lab_run *run;
    size_t count, capacity;
    double *bytes, *seconds;
    struct transfer_point point; /* the latest of the series */
};

/* To be called before anything is reported of a point: one of another series ends the series under way. */
void transfer_report_begin(struct transfer_report *report, const struct transfer_point *point);

/* The bandwidth, its share of the peak and the time of a point. False with run->error when out of memory. */
bool transfer_report_outcome(struct transfer_report *report, const struct transfer_point *point,
                             const struct lab_outcome *outcome);
void transfer_report_skipped(struct transfer_report *report, const struct transfer_point *point, const char *reason);

/* Ends the last series. */
void transfer_report_end(struct transfer_report *report);
void transfer_report_release(struct transfer_report *report);

#endif
