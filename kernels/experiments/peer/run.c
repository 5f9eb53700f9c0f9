/* Measures all points of a peer run. */
#include "job.h"
#include "report.h"

#include "measure/measure.h"

#include <stdio.h>

struct peer {
    struct lab_run *run;
    struct lab_measurer *measurer;
    struct peer_setup setup;
    struct peer_job job;
    size_t points, done;
    bool warned_of_cache;
};

/* Without peer access the driver copies the data through host memory and may block the calling thread. Behind a closed
 * latch such a call would block until the latch times out. Such copies are timed by events without a latch, so their
 * time includes the time to start them. */
static enum lab_timing timing_of(const struct peer_point *point)
{
    return peer_with_host(point) || point->peer_access ? LAB_TIME_LATCHED : LAB_TIME_EVENTS;
}

/* Duration of a sample: much longer than the microseconds in which events start and join the devices. */
static const double sample_s = 5e-3;

static bool measure(struct peer *p, const struct peer_point *point)
{
    struct peer_job *job = &p->job;
    struct lab_outcome outcome;
    bool loaded = job->measured < job->count;
    struct lab_work work = {
        .timing = timing_of(point),
        .lane_count = job->measured,
        .lanes = job->lanes,
        .operations = job->count,
        .sample_s = loaded || point->latency ? 0 : sample_s,
        .context = job,
        .enqueue = peer_job_enqueue,
        .poison = peer_job_poison,
        .verify = peer_job_verify,
        .background = loaded ? peer_utility_stream(&p->setup, job->transfers[0].checker) : NULL,
        .load = loaded ? peer_job_load : NULL,
    };
    if (!lab_measure(p->measurer, &work, &outcome))
        return false;
    if (outcome.unmeasurable == NULL)
        return peer_report_outcome(p->run, point, job->measured, &outcome);
    peer_report_skipped(p->run, point, outcome.unmeasurable);
    return true;
}

static void warn_of_cache(struct peer *p, const struct peer_point *point)
{
    size_t source = point->source != PEER_ALL ? point->source : 0;
    int64_t cache = p->run->devices[source]->facts.l2_bytes;
    if (p->warned_of_cache || point->latency || peer_with_host(point) || cache == LAB_UNKNOWN ||
        point->bytes > (size_t)cache)
        return;
    char text[192];
    snprintf(text, sizeof text,
             "copies that fit in the source device's last-level cache (%.0f MiB) may be read from the cache, not from "
             "memory",
             (double)cache / 1048576);
    p->run->sink.warning(p->run->sink.context, text);
    p->warned_of_cache = true;
}

/* Writes, for example, "pair 1 to 2, 128 MiB by copy, write, peer access". */
static void write_label(const struct peer_point *point, char *label, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    char source[24] = "all", target[24] = "all";
    size_t bytes = point->bytes, unit = 0;
    for (; unit < 3 && bytes >= 1024 && bytes % 1024 == 0; bytes /= 1024)
        unit++;
    if (point->source != PEER_ALL)
        snprintf(source, sizeof source, "%zu", point->source + 1);
    if (point->target != PEER_ALL)
        snprintf(target, sizeof target, "%zu", point->target + 1);
    snprintf(label, size, "%s%s %s to %s, %zu %s by %s%s%s%s", peer_patterns[point->pattern],
             point->latency ? " latency" : "", point->pattern == PEER_HOST_UP ? "host" : source,
             point->pattern == PEER_HOST_DOWN ? "host" : target, bytes, units[unit], peer_engines[point->engine],
             peer_with_host(point) ? "" : ", ", peer_with_host(point) ? "" : peer_operations[point->operation],
             peer_with_host(point) ? ""
             : point->peer_access  ? ", peer access"
                                   : ", no peer access");
}

static bool visit_point(void *context, const struct peer_point *point)
{
    struct peer *p = context;
    char label[128], reason[LAB_DETAIL_MAX];
    if (lab_run_cancelled(p->run))
        return lab_error_set(&p->run->error, "cancelled", "", "the run was cancelled");
    write_label(point, label, sizeof label);
    p->run->sink.progress(p->run->sink.context, p->done++, p->points, label);
    bool good = peer_job_open(&p->job, &p->setup, point, reason);
    if (good && reason[0] != '\0') {
        peer_report_skipped(p->run, point, reason);
    } else if (good) {
        warn_of_cache(p, point);
        good = measure(p, point);
    }
    if (!good)
        peer_setup_synchronize(&p->setup);
    peer_job_close(&p->job);
    return good;
}

/* Number of points, and number of points for which peer_skip_reason is NULL. */
struct count {
    size_t points, measured;
};

static bool count_point(void *context, const struct peer_point *point)
{
    struct count *count = context;
    count->points++;
    count->measured += peer_skip_reason(point) == NULL;
    return true;
}

bool peer_run(struct lab_run *run)
{
    struct peer p = {.run = run};
    struct count count = {0};
    peer_each_point(run->parameters, run->device_count, count_point, &count);
    p.points = count.points;
    p.measurer = lab_measurer_create(run, count.measured);
    if (p.measurer == NULL)
        return false;
    bool good = peer_setup_open(&p.setup, run) && peer_each_point(run->parameters, run->device_count, visit_point, &p);
    struct lab_error error = run->error;
    bool closed = peer_setup_close(&p.setup);
    if (!good)
        run->error = error;
    lab_measurer_release(p.measurer);
    if (good && closed)
        run->sink.progress(run->sink.context, p.done, p.points, "done");
    return good && closed;
}
