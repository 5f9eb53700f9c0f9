/* Sets up and queues copies between devices, and between devices and the host. */
#include "job.h"

#include "measure/verify.h"

#include <stdio.h>
#include <string.h>

/* --- the copies of a pattern -------------------------------------------------------------------------------------- */

static void add(struct peer_job *job, struct peer_transfer transfer)
{
    job->lanes[job->count] = transfer.lane;
    job->transfers[job->count++] = transfer;
}

/* A write runs in a stream of the source, a read in a stream of the target; every copy has a stream of its own. */
static void add_between(struct peer_job *job, size_t source, size_t target)
{
    struct peer_setup *setup = job->setup;
    size_t device = job->point.operation == PEER_WRITE ? source : target;
    size_t other = job->point.operation == PEER_WRITE ? target : source;
    add(job, (struct peer_transfer){
                 .source = source,
                 .target = target,
                 .lane = {setup->run->devices[device], setup->streams[device][other]},
                 .from = setup->sources[source],
                 .to = peer_destination(setup, target, source),
                 .checker = target,
                 .seed = peer_device_seed(setup, source),
             });
}

static void add_with_host(struct peer_job *job, size_t device)
{
    struct peer_setup *setup = job->setup;
    bool up = job->point.pattern == PEER_HOST_UP;
    add(job, (struct peer_transfer){
                 .source = up ? PEER_ALL : device,
                 .target = up ? device : PEER_ALL,
                 .lane = {setup->run->devices[device], setup->streams[device][(device + 1) % setup->count]},
                 .from = up ? setup->host_buffers[device] : setup->sources[device],
                 .to = up ? setup->destinations[device][0] : setup->host_buffers[device],
                 .checker = device,
                 .seed = up ? peer_host_seed(setup, device) : peer_device_seed(setup, device),
             });
}

/* In step s, device d sends to device (d + s) mod n, so that every device sends once and receives once in each step. */
static void add_all_to_all(struct peer_job *job)
{
    size_t count = job->setup->count;
    for (size_t step = 1; step < count; step++)
        for (size_t d = 0; d < count; d++)
            add_between(job, d, (d + step) % count);
}

/* If a single device is measured, its copy is added first, because the first copy is the measured one. */
static void add_all_with_host(struct peer_job *job)
{
    const struct peer_point *point = &job->point;
    size_t first = point->source != PEER_ALL ? point->source : point->target != PEER_ALL ? point->target : 0;
    for (size_t i = 0; i < job->setup->count; i++)
        add_with_host(job, (first + i) % job->setup->count);
}

static void add_transfers(struct peer_job *job)
{
    const struct peer_point *point = &job->point;
    size_t count = job->setup->count;
    switch (point->pattern) {
    case PEER_PAIR:
        add_between(job, point->source, point->target);
        break;
    case PEER_BOTH_WAYS:
        add_between(job, point->source, point->target);
        add_between(job, point->target, point->source);
        break;
    case PEER_ONE_TO_ALL:
        for (size_t step = 1; step < count; step++)
            add_between(job, point->source, (point->source + step) % count);
        break;
    case PEER_ALL_TO_ONE:
        for (size_t step = 1; step < count; step++)
            add_between(job, (point->target + step) % count, point->target);
        break;
    case PEER_ALL_TO_ALL:
        add_all_to_all(job);
        break;
    case PEER_HOST_UP:
    case PEER_HOST_DOWN:
        add_all_with_host(job);
        break;
    }
    job->measured = peer_is_single(point) ? 1 : job->count;
}

/* --- opening a job ------------------------------------------------------------------------------------------------ */

/* If the device's error is "unsupported", copies its text to `reason`, so that the point is skipped, and returns true.
 * Otherwise makes it the error of the run and returns false. */
static bool skip_or_fail(struct peer_job *job, const struct lab_error *error, char reason[LAB_DETAIL_MAX])
{
    if (strcmp(error->code, "unsupported") != 0) {
        job->setup->run->error = *error;
        return false;
    }
    memcpy(reason, error->detail, LAB_DETAIL_MAX);
    return true;
}

/* Allows peer access for all pairs of the point, or denies it between all devices if the point is without peer
 * access. */
static bool set_access(struct peer_job *job, char reason[LAB_DETAIL_MAX])
{
    struct peer_setup *setup = job->setup;
    struct lab_error error;
    if (!job->point.peer_access) {
        if (peer_access_deny(&setup->access, &error))
            return true;
        setup->run->error = error;
        return false;
    }
    for (size_t i = 0; i < job->count; i++)
        if (peer_access_allow(&setup->access, job->transfers[i].source, job->transfers[i].target, &error) !=
            PEER_ACCESS_GRANTED)
            return skip_or_fail(job, &error, reason);
    return true;
}

static bool prepare_kernels(struct peer_job *job, char reason[LAB_DETAIL_MAX])
{
    for (size_t i = 0; i < job->count; i++) {
        struct peer_transfer *t = &job->transfers[i];
        struct lab_operation operation = {.kind = LAB_OPERATION_COPY,
                                          .destination = lab_region_of(t->to, job->point.bytes),
                                          .source = lab_region_of(t->from, job->point.bytes)};
        t->plan = job->setup->runtime->prepare(t->lane.device, &operation);
        if (t->plan == NULL)
            return skip_or_fail(job, &t->lane.device->error, reason);
    }
    return true;
}

static bool fill_host_buffers(struct peer_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct peer_transfer *t = &job->transfers[i];
        if (lab_verify_fill(t->lane.device, peer_utility_stream(job->setup, t->checker), LAB_MEMORY_PINNED,
                            lab_region_of(t->from, job->point.bytes), (struct lab_expectation){.seed = t->seed}))
            continue;
        job->setup->run->error = t->lane.device->error;
        return false;
    }
    return true;
}

bool peer_job_open(struct peer_job *job, struct peer_setup *setup, const struct peer_point *point,
                   char reason[LAB_DETAIL_MAX])
{
    const char *impossible = peer_skip_reason(point);
    bool host = peer_with_host(point);
    job->setup = setup;
    job->point = *point;
    job->count = 0;
    reason[0] = '\0';
    if (host && !peer_setup_allocate_host_buffers(setup))
        return false;
    add_transfers(job);
    if (!host && setup->runtime->peer == NULL)
        snprintf(reason, LAB_DETAIL_MAX, "the runtime of these devices does not support peer copies");
    else if (impossible != NULL)
        snprintf(reason, LAB_DETAIL_MAX, "%s", impossible);
    if (reason[0] == '\0' && !host && !set_access(job, reason))
        return false;
    if (reason[0] == '\0' && point->engine == PEER_SM && !prepare_kernels(job, reason))
        return false;
    return reason[0] != '\0' || point->pattern != PEER_HOST_UP || fill_host_buffers(job);
}

void peer_job_close(struct peer_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        job->setup->runtime->plan_release(job->transfers[i].lane.device, job->transfers[i].plan);
    job->count = 0;
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

/* Returns `good`. If it is false, copies the error to the first lane's device, where lab_measure reads it. */
static bool forward_error(struct peer_job *job, const struct lab_device *device, bool good)
{
    return lab_device_forward_error(job->lanes[0].device, device, good);
}

static bool start(struct peer_job *job, const struct peer_transfer *t)
{
    const struct lab_runtime *runtime = job->setup->runtime;
    struct lab_device *const *devices = job->setup->run->devices;
    const struct lab_lane *lane = &t->lane;
    size_t bytes = job->point.bytes;
    bool good;
    if (t->plan != NULL)
        good = runtime->enqueue(lane->device, t->plan, lane->stream);
    else if (t->source == PEER_ALL)
        good = runtime->copy(lane->device, lane->stream, t->to, t->from, bytes, LAB_H2D);
    else if (t->target == PEER_ALL)
        good = runtime->copy(lane->device, lane->stream, t->to, t->from, bytes, LAB_D2H);
    else
        good = runtime->peer->copy(lane, devices[t->target], t->to, devices[t->source], t->from, bytes);
    return forward_error(job, lane->device, good);
}

bool peer_job_enqueue(void *context)
{
    struct peer_job *job = context;
    for (size_t i = 0; i < job->measured; i++)
        if (!start(job, &job->transfers[i]))
            return false;
    return true;
}

/* Queues the load, the copies of the other devices, so that it begins and ends in one stream of the first device: the
 * other devices wait for an event recorded in that stream, and that stream waits for an event of each of them. */
bool peer_job_load(void *context)
{
    struct peer_job *job = context;
    struct peer_setup *setup = job->setup;
    const struct lab_runtime *runtime = setup->runtime;
    struct lab_device *first = job->lanes[0].device;
    size_t index = job->transfers[0].checker;
    struct lab_stream *background = peer_utility_stream(setup, index);
    if (!runtime->event_record(first, setup->forks[index], background))
        return false;
    for (size_t i = job->measured; i < job->count; i++) {
        const struct lab_lane *lane = &job->lanes[i];
        struct lab_event *end = setup->joins[job->transfers[i].checker];
        if (!forward_error(job, lane->device, runtime->stream_wait(lane->device, lane->stream, setup->forks[index])) ||
            !start(job, &job->transfers[i]) ||
            !forward_error(job, lane->device, runtime->event_record(lane->device, end, lane->stream)) ||
            !runtime->stream_wait(first, background, end))
            return false;
    }
    return true;
}

static enum lab_memory destination_memory(const struct peer_transfer *t)
{
    return t->target == PEER_ALL ? LAB_MEMORY_PINNED : LAB_MEMORY_DEVICE;
}

bool peer_job_poison(void *context)
{
    struct peer_job *job = context;
    for (size_t i = 0; i < job->measured; i++) {
        const struct peer_transfer *t = &job->transfers[i];
        struct lab_device *checker = job->setup->run->devices[t->checker];
        if (!forward_error(job, checker,
                           lab_verify_poison(checker, peer_utility_stream(job->setup, t->checker),
                                             destination_memory(t), lab_region_of(t->to, job->point.bytes),
                                             (struct lab_expectation){.seed = t->seed})))
            return false;
    }
    return true;
}

bool peer_job_verify(void *context, uint64_t *wrong)
{
    struct peer_job *job = context;
    *wrong = 0;
    for (size_t i = 0; i < job->measured; i++) {
        const struct peer_transfer *t = &job->transfers[i];
        struct lab_device *checker = job->setup->run->devices[t->checker];
        struct lab_comparison comparison;
        if (!forward_error(job, checker,
                           lab_verify_check(checker, peer_utility_stream(job->setup, t->checker), destination_memory(t),
                                            lab_region_of(t->to, job->point.bytes),
                                            (struct lab_expectation){.seed = t->seed}, &comparison)))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}
