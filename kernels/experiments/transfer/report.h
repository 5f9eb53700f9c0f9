/* Reports the metrics of a point, and of each series of points the parameters of a fitted line.
 */
#ifndef LAB_TRANSFER_REPORT_H
#define LAB_TRANSFER_REPORT_H

#include "transfer.h"

#include "measure/measure.h"

/* The medians of the current series. Initialise with {.run = run}. */
struct transfer_report {
    struct lab_run *run;
    size_t count, capacity;
    double *bytes, *seconds;
    struct transfer_point point; /* the latest point of the series */
};

/* Call before reporting a point. Ends the current series if the point belongs to another one. */
void transfer_report_begin(struct transfer_report *report, const struct transfer_point *point);

/* Reports bandwidth, share of peak and time of a point. Returns false with run->error set when out of memory. */
bool transfer_report_outcome(struct transfer_report *report, const struct transfer_point *point,
                             const struct lab_outcome *outcome);
void transfer_report_skipped(struct transfer_report *report, const struct transfer_point *point, const char *reason);

/* Ends the last series: fits its line and reports it. */
void transfer_report_end(struct transfer_report *report);
/* Frees the medians. */
void transfer_report_release(struct transfer_report *report);

#endif
