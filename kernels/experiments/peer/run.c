/* Prepares the points of peer for the loop that measures them, and reports their times. */
#include "job.h"

#include "benchmark/loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct peer {
    struct lab_run *run;
    struct peer_setup setup;
    struct peer_job job;
};

/* Duration of a sample of copies that several devices share: much longer than the microseconds in which events release
 * and join the devices (METHOD.md 18). */
static const double sample_s = 5e-3;

/* --- the peak ----------------------------------------------------------------------------------------------------- */

static bool joined_by_pcie(const struct lab_device_facts *facts, const char *other)
{
    for (size_t i = 0; i < facts->peer_count; i++)
        if (strcmp(facts->peers[i].id, other) == 0)
            return strcmp(facts->peers[i].link, "PCIe") == 0;
    return false;
}

static const struct lab_device_facts *facts_of(const struct lab_run *run, int64_t device)
{
    return device != LAB_NO_VALUE ? &run->devices[device]->facts : NULL;
}

/* The device whose PCIe link limits a single copy; between two devices, the one with the slower link. NULL if the copy
 * does not use PCIe, or if several copies are measured. */
static const struct lab_device_facts *link_of(const struct lab_run *run, const struct lab_point *point)
{
    const struct lab_device_facts *source = facts_of(run, point->values[PEER_SOURCE]);
    const struct lab_device_facts *target = facts_of(run, point->values[PEER_TARGET]);
    if (!peer_is_single(point))
        return NULL;
    if (peer_with_host(point))
        return source != NULL ? source : target;
    if (point->values[PEER_ACCESS] == 0 || !joined_by_pcie(source, target->id))
        return NULL;
    return source->pcie_peak_bytes_per_s < target->pcie_peak_bytes_per_s ? source : target;
}

static void set_peak(const struct lab_run *run, const struct lab_point *point, struct lab_case *c)
{
    const struct lab_device_facts *link = link_of(run, point);
    if (link == NULL || !(link->pcie_peak_bytes_per_s > 0))
        return;
    c->peak.value = link->pcie_peak_bytes_per_s / 1e9;
    snprintf(c->peak_text, sizeof c->peak_text, "PCIe gen%lld x%lld, one direction",
             (long long)link->pcie_max_generation, (long long)link->pcie_max_width);
}

/* --- a point ------------------------------------------------------------------------------------------------------ */

/* Without peer access the driver copies the data through host memory and may block the calling thread. Behind a closed
 * latch such a call would block until the latch times out. Such copies are timed by events without a latch, so their
 * time includes the time to start them. */
static enum lab_timing timing_of(const struct lab_point *point)
{
    return point->values[PEER_ACCESS] == 0 ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
}

static void set_work(struct peer *p, const struct lab_point *point, struct lab_case *c)
{
    struct peer_job *job = &p->job;
    bool loaded = job->measured < job->count;
    c->work = (struct lab_work){
        .timing = timing_of(point),
        .lane_count = job->measured,
        .lanes = job->lanes,
        .operations = job->count,
        .sample_s = loaded || peer_is_latency(p->run->parameters, point) ? 0 : sample_s,
        .context = job,
        .enqueue = peer_job_enqueue,
        .poison = peer_job_poison,
        .verify = peer_job_verify,
        .background = loaded ? job->transfers[0].checker.stream : NULL,
        .load = loaded ? peer_job_load : NULL,
    };
}

/* The copies of a pattern are read from the sources' memory, or from their caches if they fit. */
static void warn_of_cache(const struct peer *p, const struct lab_point *point)
{
    if (!peer_with_host(point) && peer_is_sized(p->run->parameters, point))
        lab_loop_warn_of_cache(p->run, p->job.transfers[0].source, p->job.bytes);
}

static bool begin(void *context, struct lab_point *point, struct lab_case *c)
{
    struct peer *p = context;
    bool sized = peer_is_sized(p->run->parameters, point), single = peer_is_single(point);
    c->metric = !sized ? "latency" : single ? "bandwidth" : "aggregate_bandwidth";
    c->host_memory = peer_with_host(point);
    if (!peer_job_open(&p->job, &p->setup, point, c->skipped))
        return false;
    if (c->skipped[0] != '\0')
        return true;
    set_work(p, point, c);
    if (sized)
        c->counts[single ? LAB_COUNT_BYTES : LAB_COUNT_AGGREGATE_BYTES] =
            (double)p->job.measured * (double)p->job.bytes;
    set_peak(p->run, point, c);
    warn_of_cache(p, point);
    return true;
}

static bool report(void *context, const struct lab_case *c, const struct lab_report *report)
{
    const struct lab_parameters *given = ((struct peer *)context)->run->parameters;
    (void)c;
    return (!peer_is_sized(given, report->point) || lab_report_time(report, "time")) &&
           (!peer_is_latency(given, report->point) || lab_report_time(report, "latency"));
}

static void end(void *context)
{
    peer_job_close(&((struct peer *)context)->job);
}

bool peer_run(struct lab_run *run)
{
    static const struct lab_loop loop = {.begin = begin, .report = report, .end = end};
    struct peer p = {.run = run};
    bool good = peer_setup_open(&p.setup, run) && lab_loop_run(run, &loop, &p);
    struct lab_error error = run->error;
    bool closed = peer_setup_close(&p.setup);
    if (!good)
        run->error = error;
    return good && closed;
}
