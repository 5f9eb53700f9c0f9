/* Sets up and queues copies between devices, and between devices and the host. */
#include "job.h"

#include "measure/verify.h"

#include <stdio.h>
#include <string.h>

/* --- the copies of a pattern -------------------------------------------------------------------------------------- */

/* Adds a copy, which runs in a stream of the device `on`: the stream for copies with the device `other`. `checker` is the
 * device that checks it. The caller sets the buffers. */
static struct peer_transfer *add(struct peer_job *job, size_t on, size_t other, size_t checker)
{
    const struct peer_setup *setup = job->setup;
    struct peer_transfer *transfer = &job->transfers[job->count];
    job->lanes[job->count++] = (struct lab_lane){setup->run->devices[on], setup->streams[on][other]};
    *transfer = (struct peer_transfer){.checker = peer_utility_lane(setup, checker), .mark = setup->marks[checker]};
    return transfer;
}

/* A write runs in a stream of the source, a read in a stream of the target; every copy has a stream of its own. */
static void add_between(struct peer_job *job, const struct lab_point *point, size_t source, size_t target)
{
    const struct peer_setup *setup = job->setup;
    bool write = point->values[PEER_OPERATION] == PEER_WRITE;
    struct peer_transfer *transfer = add(job, write ? source : target, write ? target : source, target);
    transfer->source = setup->run->devices[source];
    transfer->target = setup->run->devices[target];
    transfer->from = setup->sources[source];
    transfer->to = peer_destination(setup, target, source);
    transfer->seed = peer_device_seed(setup, source);
}

static void add_with_host(struct peer_job *job, bool up, size_t device)
{
    const struct peer_setup *setup = job->setup;
    struct peer_transfer *transfer = add(job, device, (device + 1) % setup->count, device);
    *(up ? &transfer->target : &transfer->source) = setup->run->devices[device];
    transfer->from = up ? setup->host_buffers[device] : setup->sources[device];
    transfer->to = up ? setup->destinations[device][0] : setup->host_buffers[device];
    transfer->seed = up ? peer_host_seed(setup, device) : peer_device_seed(setup, device);
}

/* In step s, device d sends to device (d + s) mod n, so that every device sends once and receives once in each step. Only
 * the copies from `source` and to `target` are added; LAB_NO_VALUE: from all, to all. */
static void add_in_steps(struct peer_job *job, const struct lab_point *point)
{
    int64_t source = point->values[PEER_SOURCE], target = point->values[PEER_TARGET];
    size_t count = job->setup->count;
    for (size_t step = 1; step < count; step++)
        for (size_t d = 0; d < count; d++) {
            size_t to = (d + step) % count;
            if ((source == LAB_NO_VALUE || (int64_t)d == source) && (target == LAB_NO_VALUE || (int64_t)to == target))
                add_between(job, point, d, to);
        }
}

/* If a single device is measured, its copy is added first, because the first copy is the measured one. */
static void add_all_with_host(struct peer_job *job, const struct lab_point *point)
{
    bool up = point->values[PEER_PATTERN] == PEER_HOST_UP;
    int64_t single = point->values[up ? PEER_TARGET : PEER_SOURCE];
    size_t first = single != LAB_NO_VALUE ? (size_t)single : 0;
    for (size_t i = 0; i < job->setup->count; i++)
        add_with_host(job, up, (first + i) % job->setup->count);
}

static void add_transfers(struct peer_job *job, const struct lab_point *point)
{
    if (peer_with_host(point))
        add_all_with_host(job, point);
    else
        add_in_steps(job, point);
    if (point->values[PEER_PATTERN] == PEER_BOTH_WAYS)
        add_between(job, point, (size_t)point->values[PEER_TARGET], (size_t)point->values[PEER_SOURCE]);
    job->measured = peer_is_single(point) ? 1 : job->count;
}

/* --- opening a job ------------------------------------------------------------------------------------------------ */

/* If the error is "unsupported", copies its text to `reason`, so that the point is skipped, and returns true. Otherwise
 * makes it the error of the run and returns false. */
static bool skip_or_fail(struct peer_job *job, const struct lab_error *error, char reason[LAB_DETAIL_MAX])
{
    bool unsupported = strcmp(error->code, "unsupported") == 0;
    if (unsupported)
        memcpy(reason, error->detail, LAB_DETAIL_MAX);
    else
        job->setup->run->error = *error;
    return unsupported;
}

/* Allows peer access for all pairs of the point, or denies it between all devices if the point is without peer
 * access. */
static bool set_access(struct peer_job *job, bool allowed, char reason[LAB_DETAIL_MAX])
{
    struct peer_access *access = &job->setup->access;
    struct lab_error error;
    if (!allowed)
        return peer_access_deny(access, &job->setup->run->error);
    for (size_t i = 0; i < job->count; i++)
        if (peer_access_allow(access, job->transfers[i].source, job->transfers[i].target, &error) !=
            PEER_ACCESS_GRANTED)
            return skip_or_fail(job, &error, reason);
    return true;
}

static bool prepare_kernels(struct peer_job *job, char reason[LAB_DETAIL_MAX])
{
    for (size_t i = 0; i < job->count; i++) {
        struct peer_transfer *t = &job->transfers[i];
        struct lab_device *device = job->lanes[i].device;
        struct lab_operation operation = {.kind = LAB_OPERATION_COPY,
                                          .destination = lab_region_of(t->to, job->bytes),
                                          .source = lab_region_of(t->from, job->bytes)};
        if ((t->plan = job->setup->runtime->prepare(device, &operation)) == NULL)
            return skip_or_fail(job, &device->error, reason);
    }
    return true;
}

static bool fill_host_buffers(struct peer_job *job)
{
    for (size_t i = 0; i < job->count; i++) {
        const struct peer_transfer *t = &job->transfers[i];
        if (lab_verify_fill(t->checker.device, t->checker.stream, LAB_MEMORY_PINNED, lab_region_of(t->from, job->bytes),
                            (struct lab_expectation){.seed = t->seed}))
            continue;
        job->setup->run->error = t->checker.device->error;
        return false;
    }
    return true;
}

bool peer_job_open(struct peer_job *job, struct peer_setup *setup, const struct lab_point *point,
                   char reason[LAB_DETAIL_MAX])
{
    const char *impossible = peer_skip_reason(point);
    bool with_host = peer_with_host(point);
    job->setup = setup;
    job->bytes = (size_t)point->values[PEER_BYTES];
    job->count = 0;
    reason[0] = '\0';
    if (with_host && !peer_setup_allocate_host_buffers(setup))
        return false;
    add_transfers(job, point);
    if (!with_host && setup->runtime->peer == NULL)
        impossible = "the runtime of these devices does not support peer copies";
    if (impossible != NULL) {
        snprintf(reason, LAB_DETAIL_MAX, "%s", impossible);
        return true;
    }
    if (!with_host && !set_access(job, point->values[PEER_ACCESS] != 0, reason))
        return false;
    if (reason[0] == '\0' && point->values[PEER_ENGINE] == PEER_SM && !prepare_kernels(job, reason))
        return false;
    return reason[0] != '\0' || point->values[PEER_PATTERN] != PEER_HOST_UP || fill_host_buffers(job);
}

void peer_job_close(struct peer_job *job)
{
    for (size_t i = 0; i < job->count; i++)
        job->setup->runtime->plan_release(job->lanes[i].device, job->transfers[i].plan);
    job->count = 0;
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

/* lab_measure reads all errors on the first lane's device. */
static bool forward_error(struct peer_job *job, const struct lab_device *device, bool good)
{
    return lab_device_forward_error(job->lanes[0].device, device, good);
}

static bool start(struct peer_job *job, size_t index)
{
    const struct lab_runtime *runtime = job->setup->runtime;
    const struct peer_transfer *t = &job->transfers[index];
    const struct lab_lane *lane = &job->lanes[index];
    bool good;
    if (t->plan != NULL)
        good = runtime->enqueue(lane->device, t->plan, lane->stream);
    else if (t->source == NULL || t->target == NULL)
        good = runtime->copy(lane->device, lane->stream, t->to, t->from, job->bytes,
                             t->source == NULL ? LAB_H2D : LAB_D2H);
    else
        good = runtime->peer->copy(lane, t->target, t->to, t->source, t->from, job->bytes);
    return forward_error(job, lane->device, good);
}

bool peer_job_enqueue(void *context)
{
    struct peer_job *job = context;
    for (size_t i = 0; i < job->measured; i++)
        if (!start(job, i))
            return false;
    return true;
}

/* Queues the load, the copies of the other devices, so that it begins and ends in one stream of the first device: the
 * other devices wait for an event recorded in that stream, and that stream waits for an event of each of them. */
bool peer_job_load(void *context)
{
    struct peer_job *job = context;
    const struct lab_runtime *runtime = job->setup->runtime;
    const struct lab_lane *background = &job->transfers[0].checker;
    struct lab_event *begin = job->transfers[0].mark;
    if (!runtime->event_record(background->device, begin, background->stream))
        return false;
    for (size_t i = job->measured; i < job->count; i++) {
        const struct lab_lane *lane = &job->lanes[i];
        struct lab_event *end = job->transfers[i].mark;
        if (!forward_error(job, lane->device, runtime->stream_wait(lane->device, lane->stream, begin)) ||
            !start(job, i) ||
            !forward_error(job, lane->device, runtime->event_record(lane->device, end, lane->stream)) ||
            !runtime->stream_wait(background->device, background->stream, end))
            return false;
    }
    return true;
}

static enum lab_memory destination_memory(const struct peer_transfer *t)
{
    return t->target == NULL ? LAB_MEMORY_PINNED : LAB_MEMORY_DEVICE;
}

bool peer_job_poison(void *context)
{
    struct peer_job *job = context;
    for (size_t i = 0; i < job->measured; i++) {
        const struct peer_transfer *t = &job->transfers[i];
        if (!forward_error(job, t->checker.device,
                           lab_verify_poison(t->checker.device, t->checker.stream, destination_memory(t),
                                             lab_region_of(t->to, job->bytes),
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
        struct lab_comparison comparison;
        if (!forward_error(job, t->checker.device,
                           lab_verify_check(t->checker.device, t->checker.stream, destination_memory(t),
                                            lab_region_of(t->to, job->bytes), (struct lab_expectation){.seed = t->seed},
                                            &comparison)))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}
