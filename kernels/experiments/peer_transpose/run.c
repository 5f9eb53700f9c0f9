/* Prepares the points of peer-transpose for the loop that measures them, and reports their times. */
#include "job.h"

#include "benchmark/loop.h"

#include <stdio.h>
#include <string.h>

/* The maximum number of operations that are queued behind a latch. If a variant of a shape has more, all points of the
 * shape, also the baselines, are timed without a latch, so that the time of queueing counts in all of them. */
enum { LATCHED_MAX = 192 };

static const double sample_s = 5e-3; /* METHOD.md 18 */

struct transpose {
    struct lab_run *run;
    struct transpose_setup setup;
    struct transpose_job job, all_to_all; /* of the point, and of the baseline of share_of_all_to_all */
    struct lab_work baseline;             /* work of `all_to_all` */
    struct lab_lane traced[TRANSPOSE_LANES_MAX];
};

/* --- peer access -------------------------------------------------------------------------------------------------- */

static void warn_of_missing(struct lab_run *run, const struct lab_device *one, const struct lab_device *other,
                            const char *why)
{
    char text[LAB_DETAIL_MAX + 2 * LAB_NAME_MAX + 128];
    snprintf(text, sizeof text,
             "no peer access between %s and %s: %s; blocks between devices without it go through host memory",
             one->facts.name, other->facts.name, why);
    lab_loop_warn_once(run, text);
}

/* Allows peer access for every pair that supports it, and sets *direct to whether all do. If no pair does, sets `reason`;
 * if only some do, warns of one. */
static bool allow_pairs(struct transpose *t, bool *direct, char reason[LAB_DETAIL_MAX])
{
    struct lab_device *const *devices = t->run->devices;
    size_t granted = 0, missing[2] = {0};
    struct lab_error error, why = {0};
    for (size_t one = 0; one < t->setup.devices; one++)
        for (size_t other = one + 1; other < t->setup.devices; other++) {
            enum peer_access_result result = peer_access_allow(&t->setup.access, devices[one], devices[other], &error);
            if (result == PEER_ACCESS_FAILED) {
                t->run->error = error;
                return false;
            }
            granted += result == PEER_ACCESS_GRANTED;
            if (result == PEER_ACCESS_GRANTED)
                continue;
            why = error;
            missing[0] = one;
            missing[1] = other;
        }
    *direct = why.code == NULL;
    if (granted == 0)
        memcpy(reason, why.detail, LAB_DETAIL_MAX);
    else if (!*direct)
        warn_of_missing(t->run, devices[missing[0]], devices[missing[1]], why.detail);
    return true;
}

/* Allows or denies peer access as the point requires, and sets *direct to whether all its copies are direct. */
static bool set_access(struct transpose *t, const struct lab_point *point, bool *direct, char reason[LAB_DETAIL_MAX])
{
    *direct = true;
    if (t->job.variant == TRANSPOSE_LOCAL)
        return true;
    if (t->setup.runtime->peer == NULL) {
        snprintf(reason, LAB_DETAIL_MAX, "the runtime of these devices does not support peer copies");
        return true;
    }
    if (point->values[TRANSPOSE_ACCESS] != 0)
        return allow_pairs(t, direct, reason);
    *direct = false;
    return peer_access_deny(&t->setup.access, &t->run->error);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* A latch is used only for direct copies: a copy through host memory may block the calling thread, behind a closed
 * latch until the latch times out. */
static struct lab_work work_of(struct transpose_job *job, bool direct)
{
    bool fits = transpose_operations(job->setup, TRANSPOSE_OVERLAPPED) <= LATCHED_MAX;
    return (struct lab_work){
        .timing = fits && direct ? LAB_TIME_LATCHED : LAB_TIME_EVENTS,
        .lane_count = job->setup->devices,
        .lanes = job->setup->lanes,
        .operations = transpose_operations(job->setup, job->variant),
        .sample_s = sample_s,
        .context = job,
        .enqueue = transpose_enqueue,
        .poison = transpose_poison,
        .verify = transpose_verify,
    };
}

static bool is_requested(enum transpose_variant variant)
{
    return variant == TRANSPOSE_SEQUENTIAL || variant == TRANSPOSE_OVERLAPPED;
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct transpose *t = context;
    struct transpose_shape shape = transpose_shape_of(point);
    bool direct;
    t->job.variant = transpose_variant_of(point);
    c->metric = t->job.variant == TRANSPOSE_LOCAL ? "local_transpose_time" : "time";
    if (!transpose_setup_prepare(&t->setup, &shape, c->skipped))
        return false;
    if (c->skipped[0] == '\0' && !set_access(t, point, &direct, c->skipped))
        return false;
    if (c->skipped[0] != '\0')
        return true;
    c->work = work_of(&t->job, direct);
    t->baseline = work_of(&t->all_to_all, direct);
    c->work.baseline = is_requested(t->job.variant) ? &t->baseline : NULL;
    c->counts[LAB_COUNT_BASELINE] = 1;
    if (t->job.variant != TRANSPOSE_LOCAL)
        c->counts[LAB_COUNT_AGGREGATE_BYTES] = transpose_crossing_bytes(&shape);
    lab_loop_warn_of_cache(t->run, t->run->devices[0], 2 * transpose_part_bytes(&shape));
    return true;
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    (void)context;
    return lab_report_time(report, c->metric);
}

/* The baselines have no timeline: the variants show the same operations. */
static bool trace(void *context, const struct lab_point *point, struct lab_timeline *timeline)
{
    struct transpose *t = context;
    (void)point;
    *timeline = (struct lab_timeline){.context = &t->job,
                                      .lane_count = transpose_setup_lanes(&t->setup, t->traced),
                                      .lanes = t->traced,
                                      .execute = transpose_execute,
                                      .describe = transpose_describe};
    return is_requested(t->job.variant);
}

bool transpose_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .trace = trace};
    struct transpose t = {.run = run};
    t.job = t.all_to_all = (struct transpose_job){&t.setup, TRANSPOSE_ALL_TO_ALL};
    bool good = transpose_setup_open(&t.setup, run) && lab_loop_run(run, &loop, &t);
    struct lab_error error = run->error;
    bool closed = transpose_setup_close(&t.setup);
    if (!good)
        run->error = error;
    return good && closed;
}
