/* Measures, or traces, all points of a peer-transpose run. */
#include "report.h"
#include "timeline.h"

#include "../peer/access.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* LATCHED_MAX: the maximum number of operations that are queued behind a latch. If a variant of a shape has more, all
 * points of the shape, also the baselines, are timed without a latch, so that the time of queueing counts in all of
 * them. TRACED_MAX: the maximum number of traced points. */
enum { LATCHED_MAX = 192, TRACED_MAX = 16 };

struct transpose {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct transpose_setup setup;
    struct peer_access access;
    size_t points, done;
    bool direct; /* all copies of the point are direct, not through the host */
    bool warned; /* a warning was sent that some copies are not direct */
    /* median time of the shape's copies alone, for the point's value of peer_access; NAN until measured */
    double all_to_all_s;
    size_t traced;    /* points traced so far */
    bool untraceable; /* no further point is traced; a warning or note says so */
};

/* --- peer access -------------------------------------------------------------------------------------------------- */

static void warn_of_missing(struct transpose *t, size_t one, size_t other, const char *why)
{
    char text[LAB_DETAIL_MAX + 2 * LAB_NAME_MAX + 128];
    if (t->warned)
        return;
    snprintf(text, sizeof text,
             "no peer access between %s and %s: %s; blocks between devices without it go through host memory",
             t->run->devices[one]->facts.name, t->run->devices[other]->facts.name, why);
    t->run->sink.warning(t->run->sink.context, text);
    t->warned = true;
}

/* Allows peer access for every pair that supports it. If no pair does, sets `reason`; if only some do, warns. */
static bool allow_pairs(struct transpose *t, char reason[LAB_DETAIL_MAX])
{
    size_t granted = 0;
    struct lab_error error, missing = {0};
    size_t pair[2] = {0};
    for (size_t one = 0; one < t->setup.devices; one++)
        for (size_t other = one + 1; other < t->setup.devices; other++) {
            enum peer_access_result result =
                peer_access_allow(&t->access, t->run->devices[one], t->run->devices[other], &error);
            if (result == PEER_ACCESS_FAILED) {
                t->run->error = error;
                return false;
            }
            granted += result == PEER_ACCESS_GRANTED;
            if (result == PEER_ACCESS_GRANTED)
                continue;
            missing = error;
            pair[0] = one;
            pair[1] = other;
        }
    t->direct = missing.code == NULL;
    if (granted == 0)
        memcpy(reason, missing.detail, LAB_DETAIL_MAX);
    else if (!t->direct)
        warn_of_missing(t, pair[0], pair[1], missing.detail);
    return true;
}

/* Prepares a point. `reason` says why it must be skipped, or is "". */
static bool prepare_point(struct transpose *t, const struct transpose_point *point, char reason[LAB_DETAIL_MAX])
{
    if (!transpose_setup_prepare(&t->setup, &point->shape, reason))
        return false;
    t->setup.variant = point->variant;
    if (point->variant == TRANSPOSE_LOCAL || point->variant == TRANSPOSE_ALL_TO_ALL)
        t->all_to_all_s = NAN;
    t->direct = true;
    if (reason[0] != '\0' || point->variant == TRANSPOSE_LOCAL)
        return true;
    if (t->setup.runtime->peer == NULL) {
        snprintf(reason, LAB_DETAIL_MAX, "the runtime of these devices does not support peer copies");
        return true;
    }
    if (point->peer_access)
        return allow_pairs(t, reason);
    t->direct = false;
    return peer_access_deny(&t->access, &t->run->error);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* A latch is used only for direct copies: a copy through host memory may block the calling thread, behind a closed
 * latch until the latch times out. */
static enum lab_timing timing_of(const struct transpose *t)
{
    bool fits = transpose_operations_most(&t->setup) <= LATCHED_MAX;
    return fits && t->direct ? LAB_TIME_LATCHED : LAB_TIME_EVENTS;
}

static bool measure_point(struct transpose *t, const struct transpose_point *point)
{
    struct lab_outcome outcome;
    struct lab_work work = {
        .timing = timing_of(t),
        .lane_count = t->setup.devices,
        .lanes = t->setup.lanes,
        .operations = transpose_operations(&t->setup),
        .context = &t->setup,
        .enqueue = transpose_enqueue,
        .poison = transpose_poison,
        .verify = transpose_verify,
    };
    if (!lab_measure(t->measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable == NULL)
        return transpose_report_outcome(t->run, point, &outcome, &t->all_to_all_s);
    transpose_report_skipped(t->run, point, outcome.unmeasurable);
    return true;
}

/* The baselines have no timeline: the variants show the same operations. */
static bool trace_point(struct transpose *t, const struct transpose_point *point)
{
    if (t->untraceable || point->variant == TRANSPOSE_LOCAL || point->variant == TRANSPOSE_ALL_TO_ALL)
        return true;
    if (t->traced++ < TRACED_MAX)
        return transpose_trace(&t->setup, point, &t->untraceable);
    t->run->sink.note(t->run->sink.context, "only the first 16 points have a timeline");
    t->untraceable = true;
    return true;
}

static bool visit_point(void *context, const struct transpose_point *point)
{
    struct transpose *t = context;
    char label[128], reason[LAB_DETAIL_MAX];
    if (lab_run_cancelled(t->run))
        return lab_error_set(&t->run->error, "cancelled", "", "the run was cancelled");
    snprintf(label, sizeof label, "%s%s, %zu x %zu in %zu chunks%s", t->run->tracing ? "tracing " : "",
             transpose_variants[point->variant], point->shape.n, point->shape.n, point->shape.chunks,
             point->variant == TRANSPOSE_LOCAL ? ""
             : point->peer_access              ? ", peer access"
                                               : ", no peer access");
    t->run->sink.progress(t->run->sink.context, t->done++, t->points, label);
    if (!prepare_point(t, point, reason))
        return false;
    if (reason[0] == '\0')
        return t->run->tracing ? trace_point(t, point) : measure_point(t, point);
    if (!t->run->tracing)
        transpose_report_skipped(t->run, point, reason);
    return true;
}

static bool count_point(void *context, const struct transpose_point *point)
{
    (void)point;
    ++*(size_t *)context;
    return true;
}

bool transpose_run(struct lab_run *run)
{
    struct transpose t = {.run = run, .access = {.devices = run->devices, .count = run->device_count}};
    transpose_each_point(run->parameters, run->device_count, count_point, &t.points);
    t.measurer = lab_measurer_create(run, t.points);
    if (t.measurer == NULL)
        return false;
    bool good = transpose_setup_open(&t.setup, run) &&
                transpose_each_point(run->parameters, run->device_count, visit_point, &t);
    struct lab_error error = run->error;
    transpose_setup_synchronize(&t.setup);
    bool denied = peer_access_deny(&t.access, &error);
    if (good && !denied)
        run->error = error;
    transpose_setup_close(&t.setup);
    lab_measurer_release(t.measurer);
    if (good && denied)
        run->sink.progress(run->sink.context, t.done, t.points, "done");
    return good && denied;
}
