/* Prepares the points of peer-transpose for the loop that measures them, reports their times and describes their
 * spans. */
#include "job.h"

#include "benchmark/loop.h"
#include "benchmark/peer_access.h"

#include <stdio.h>
#include <string.h>

/* The maximum number of operations that are queued behind a latch. If a variant of a shape has more, all points of the
 * shape, also the baselines, are timed without a latch, so that the time of queueing counts in all of them. */
enum { LATCHED_MAX = 192 };

static const double sample_s = 5e-3; /* METHOD.md 18 */

struct state {
    struct lab_run *run;
    struct transpose transpose;
    struct lab_peer_access access;
    struct transpose_job job, all_to_all; /* of the point, and of the baseline of share_of_all_to_all */
    struct lab_work baseline;             /* work of `all_to_all` */
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

/* Allows peer access for every pair that supports it, and sets *all to whether all do. If only some do, warns of one.
 * Returns false with run->error set; code "unsupported" if no pair does. */
static bool allow_pairs(struct state *s, bool *all)
{
    struct lab_run *run = s->run;
    const struct lab_device *missing[2] = {NULL};
    struct lab_error why = {0};
    size_t granted = 0;
    for (size_t one = 0; one < s->transpose.devices; one++)
        for (size_t other = one + 1; other < s->transpose.devices; other++) {
            if (lab_peer_access_allow(&s->access, one, other)) {
                granted++;
                continue;
            }
            if (run->error.code != LAB_ERROR_UNSUPPORTED)
                return false;
            why = run->error;
            run->error = (struct lab_error){0};
            missing[0] = run->devices[one];
            missing[1] = run->devices[other];
        }
    *all = why.code == LAB_ERROR_NONE;
    if (granted == 0)
        run->error = why;
    else if (!*all)
        warn_of_missing(run, missing[0], missing[1], why.detail);
    return granted > 0;
}

/* Allows or denies peer access as the point requires, and sets *all to whether every device can access all others.
 * Returns false with run->error set; code "unsupported" if the variant cannot be measured with that access. */
static bool set_access(struct state *s, const struct lab_point *point, bool *all)
{
    *all = true;
    if (s->job.variant == TRANSPOSE_LOCAL)
        return true;
    if (!lab_peer_access_check(s->run))
        return false;
    if (point->values[TRANSPOSE_ACCESS] != 0) {
        if (!allow_pairs(s, all))
            return false;
    } else {
        *all = false;
        if (!lab_peer_access_deny(&s->access))
            return false;
    }
    return *all || s->job.variant != TRANSPOSE_DIRECT ||
           lab_error_set(&s->run->error, LAB_ERROR_UNSUPPORTED, "",
                         "the kernels of the variant direct write to all other devices, which needs peer access");
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* A latch is used only with peer access: a copy through host memory may block the calling thread, behind a closed
 * latch until the latch times out. */
static struct lab_work work_of(struct transpose_job *job, bool all_access)
{
    bool fits = transpose_operations(job->transpose, TRANSPOSE_OVERLAPPED) <= LATCHED_MAX;
    return (struct lab_work){
        .timing = fits && all_access ? LAB_TIME_LATCHED : LAB_TIME_EVENTS,
        .lane_count = job->transpose->devices,
        .lanes = job->transpose->lanes,
        .operations = transpose_operations(job->transpose, job->variant),
        .sample_s = sample_s,
        .context = job,
        .enqueue = transpose_enqueue,
        .poison = transpose_poison,
        .verify = transpose_verify,
    };
}

static bool is_requested(enum transpose_variant variant)
{
    return variant != TRANSPOSE_ALL_TO_ALL && variant != TRANSPOSE_LOCAL;
}

static bool peer_transpose_begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct state *s = context;
    struct transpose_shape shape = transpose_shape_of(point);
    bool all_access;
    s->job.variant = transpose_variant_of(point);
    c->metric = s->job.variant == TRANSPOSE_LOCAL ? "local_transpose_time" : "time";
    s->transpose.reads = point->values[TRANSPOSE_OPERATION] == TRANSPOSE_READ;
    if (!transpose_prepare(&s->transpose, &shape) || !set_access(s, point, &all_access))
        return false;
    c->work = work_of(&s->job, all_access);
    s->baseline = work_of(&s->all_to_all, all_access);
    c->work.restore = lab_peer_access_restore;
    c->work.restored = &s->access;
    c->work.baseline = is_requested(s->job.variant) ? &s->baseline : NULL;
    c->counts[LAB_COUNT_BASELINE] = 1;
    bool has_record = s->job.variant != TRANSPOSE_ALL_TO_ALL && s->transpose.record.name != NULL;
    c->kernel = has_record ? &s->transpose.record : NULL;
    if (s->job.variant != TRANSPOSE_LOCAL)
        c->counts[LAB_COUNT_AGGREGATE_BYTES] = transpose_crossing_bytes(&shape);
    lab_loop_note_cache(s->run, s->run->devices[0], 2 * transpose_part_bytes(&shape));
    return true;
}

static bool peer_transpose_report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    (void)context;
    return lab_report_time(report, c->metric);
}

/* --- the timeline ------------------------------------------------------------------------------------------------- */

/* Writes the other device of a piece and its chunk, for example "device 2 · chunk 3"; the chunk only if there are
 * several. */
static void write_piece(char *text, size_t size, const struct transpose *t, size_t other, size_t piece)
{
    if (t->shape.chunks > 1)
        snprintf(text, size, "device %zu · chunk %zu", other + 1, piece % t->shape.chunks + 1);
    else
        snprintf(text, size, "device %zu", other + 1);
}

static void describe_kernel(const struct state *s, size_t device, size_t number, struct lab_span_text *text)
{
    const struct transpose *t = &s->transpose;
    char piece[64];
    if (s->job.variant == TRANSPOSE_DIRECT) {
        snprintf(text->label, sizeof text->label, "transpose into the memory of all devices");
    } else if (number < transpose_pieces(t)) {
        write_piece(piece, sizeof piece, t, transpose_target(t, device, transpose_step(t, number)), number);
        snprintf(text->label, sizeof text->label, "transpose for %s", piece);
    } else {
        snprintf(text->label, sizeof text->label, "transpose of the block that stays");
    }
}

/* Without peer access the driver copies in pieces through host memory. The tracer then records single pieces, some of
 * them with the bytes of the complete copy. */
static void describe_copy(const struct state *s, size_t device, size_t stream, const struct lab_trace_record *record,
                          size_t number, struct lab_span_text *text)
{
    const struct transpose *t = &s->transpose;
    char piece[60];
    double mebibytes = (double)record->bytes / 1048576;
    size_t index = number * t->streams + stream, size = sizeof text->label, step = transpose_step(t, index);
    size_t other = transpose_target(t, device, t->reads ? t->devices - step : step);
    write_piece(piece, sizeof piece, t, other, index);
    if (record->kind != LAB_TRACE_PEER)
        snprintf(text->label, size, "part of a copy through the host · %.4g MiB", mebibytes);
    else if (lab_peer_access_is_allowed(&s->access, device, other))
        snprintf(text->label, size, "%s %s · %.4g MiB", t->reads ? "from" : "to", piece, mebibytes);
    else
        snprintf(text->label, size, "%s %s · part of %.4g MiB, through the host", t->reads ? "from" : "to", piece,
                 mebibytes);
}

static bool peer_transpose_execute(void *context)
{
    return transpose_execute(&((struct state *)context)->job);
}

static void peer_transpose_describe(void *context, const struct lab_trace_record *record, size_t number,
                                    struct lab_span_text *text)
{
    const struct state *s = context;
    size_t lanes = 1 + s->transpose.streams, device = record->lane / lanes, stream = record->lane % lanes;
    if (stream == 0) {
        snprintf(text->lane, sizeof text->lane, "device %zu", device + 1);
        describe_kernel(s, device, number, text);
    } else {
        snprintf(text->lane, sizeof text->lane, "device %zu copies %zu", device + 1, stream);
        describe_copy(s, device, stream - 1, record, number, text);
    }
}

/* The baselines have no timeline: the variants show the same operations. */
static bool peer_transpose_trace(void *context, const struct lab_point *point, struct lab_timeline *timeline)
{
    struct state *s = context;
    (void)point;
    *timeline = (struct lab_timeline){.context = s,
                                      .lane_count = s->transpose.devices * (1 + s->transpose.streams),
                                      .lanes = s->transpose.all_lanes,
                                      .execute = peer_transpose_execute,
                                      .describe = peer_transpose_describe};
    return is_requested(s->job.variant);
}

static bool peer_transpose_renew(void *context)
{
    struct state *s = context;
    transpose_close(&s->transpose);
    return transpose_open(&s->transpose, s->run);
}

bool peer_transpose_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = peer_transpose_begin,
                                         .report = peer_transpose_report,
                                         .trace = peer_transpose_trace,
                                         .renew = peer_transpose_renew};
    struct state s = {.run = run, .access = {.run = run}};
    s.job = s.all_to_all = (struct transpose_job){&s.transpose, TRANSPOSE_ALL_TO_ALL};
    bool good = transpose_open(&s.transpose, run) && lab_loop_run(run, &loop, &s);
    bool denied = lab_peer_access_deny(&s.access);
    transpose_close(&s.transpose);
    return good && denied;
}
