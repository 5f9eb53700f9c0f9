/* The filters by which runs are listed and exported, each declared once: parameters of GET /runs and GET /export, and
 * options of `gpulab runs` and `gpulab export`.
 */
#ifndef LAB_RUN_FILTERS_H
#define LAB_RUN_FILTERS_H

#include "core/run_status.h"
#include "core/schema.h"

#define LAB_FILTER_NAME .minimum = 1, .maximum = 64

/* ROW(INDEX, name, placeholder of the value in help, type of schema.h, further initialisers of struct lab_schema). */
#define LAB_RUN_FILTERS(ROW)                                                                                           \
    ROW(EXPERIMENT, experiment, "NAME", STRING, LAB_FILTER_NAME, .text = "Runs of this experiment.")                   \
    ROW(DEVICE, device, "ID", STRING, LAB_FILTER_NAME, .text = "Runs on devices with this id or name.")                \
    ROW(STATUS, status, "STATUS", CHOICE, .choices = lab_status_names,                                                 \
        .text = "Runs that are queued, running, succeeded, failed, cancelled or interrupted.")                         \
    ROW(TAG, tag, "TAG", STRING, LAB_FILTER_NAME, .text = "Runs with this tag.")                                       \
    ROW(SINCE, since, "TIME", TIME,                                                                                    \
        .text =                                                                                                        \
            "Runs created at this time or later: a date (2026-01-31), or an RFC 3339 time (2026-01-31T12:00:00Z).")    \
    ROW(UNTIL, until, "TIME", TIME, .text = "Runs created before this time.")                                          \
    ROW(SWEEP, sweep, "ID", STRING, LAB_FILTER_NAME, .text = "Runs of the sweep with this id.")                        \
    ROW(CHALLENGE, challenge, "NAME", STRING, LAB_FILTER_NAME, .text = "Submissions to the challenge of this name.")   \
    ROW(PINNED, pinned, NULL, BOOLEAN, .text = "Runs that are pinned, or with false those that are not.")

#endif
