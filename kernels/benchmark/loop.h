/* The loop over the points of a run, which all experiments share: cancelling, progress, skipped points, measuring,
 * metrics, tracing. An experiment prepares one point at a time as a case.
 */
#ifndef LAB_LOOP_H
#define LAB_LOOP_H

#include "benchmark/report.h"
#include "benchmark/timeline.h"
#include "descriptor/points.h"
#include "measure/measure.h"

/* How one point is measured. The loop has cleared it, except for `measurer`. */
struct lab_case {
    struct lab_measurer *measurer; /* for calibration, and for measurements besides that of the point */

    char skipped[LAB_DETAIL_MAX]; /* why the point cannot be measured; "" if it can */
    const char *metric; /* the main metric, which is reported for a skipped point; NULL: the first of the table */
    struct lab_work work;
    /* Counts of one repetition; metrics of a counter (struct lab_metric) that is 0 are not reported. */
    double counts[LAB_COUNTERS];
    struct lab_peak peak;                   /* of the main metric, in its unit; value 0: none */
    char peak_text[64];                     /* space for peak.what */
    const int64_t *numa_node;               /* of the host memory in use, LAB_UNKNOWN: several; NULL: none in use */
    const struct lab_kernel_record *kernel; /* NULL for none */
};

struct lab_loop {
    /* Number of calls of lab_measure besides one for each point; they get the same share of the time budget. */
    size_t extra_points;
    /* Prepares a point: sets c->work and what else applies, or c->skipped. May set the point's values on axes with
     * source LAB_AXIS_RUN. Returns false with run->error set, which ends the run; with the code "unsupported" only the
     * point is skipped, with the error's detail as the reason. `end` is called in either case. */
    bool (*begin)(void *context, struct lab_point *point, struct lab_case *c);
    /* Reports metrics without a counter. Called after a measurement. NULL for none. */
    bool (*report)(void *context, const struct lab_case *c, const struct lab_report *report);
    /* Sets *timeline to the work of the prepared point; returns false if it has no timeline. NULL: no point has. */
    bool (*trace)(void *context, const struct lab_point *point, struct lab_timeline *timeline);
    /* Releases what `begin` has created. All streams of the work have been synchronised. NULL for none. */
    void (*end)(void *context);
    /* After an `end`: releases the memory and kernels that are kept for later points, or creates them anew, so that the
     * next `begin` has them in other places. Returns false with run->error set, which ends the run. NULL: none are
     * kept. */
    bool (*renew)(void *context);
    /* NULL: the points are measured one after the other. */
    const struct lab_loop_concurrency *concurrency;
};

/* Points that are measured at the same time, each on a thread and with a context of its own. `begin`, `report` and
 * `end` are called for one after the other, on the run's thread. */
struct lab_loop_concurrency {
    /* Whether two points may be measured at the same time: they use different devices, and nothing that these share. */
    bool (*allows)(const void *context, const struct lab_point *one, const struct lab_point *other);
    /* Creates another context, of a copy of the run; NULL with run->error set. */
    void *(*open)(const void *context, struct lab_run *run);
    void (*close)(void *other);
};

/* Lists the points of the run; the caller frees them. Returns false with run->error set. */
bool lab_loop_points(struct lab_run *run, struct lab_points *points);

/* Measures, or traces if run->tracing is set, all points of the run. Returns false with run->error set. An experiment's
 * run() calls it once.
 *
 * If the run is the head of a comparison, it calls run() of the base, whose call of lab_loop_run then has both sides:
 * it prepares the points of both several times, each time with other memory, and measures them alternately (METHOD.md
 * 19). Neither may rely on state of the devices that the other one may change, except by `restore` of struct
 * lab_work. */
bool lab_loop_run(struct lab_run *run, const struct lab_loop *loop, void *context);

/* Sends a warning or a note, unless the run has already sent the same text. */
void lab_loop_warn_once(struct lab_run *run, const char *text);
void lab_loop_note_once(struct lab_run *run, const char *text);

/* Notes once that a working set of `bytes` fits the device's last-level cache, if it does: the figures may be those of
 * the cache (METHOD.md 7). */
void lab_loop_note_cache(struct lab_run *run, const struct lab_device *device, size_t bytes);

#endif
