/* Creates the communicator and queues, resets and verifies the operation of a point. */
#include "job.h"

#include "blocking.h"

#include "experiment/parameters.h"

#include <stdio.h>
#include <string.h>

/* A library may queue several operations for one call, for example events and waits. So at most 32 repetitions are
 * queued behind a latch, far fewer than the 1024 launches that CUDA queues for a device before a call blocks. */
enum { OPERATIONS_PER_CALL = 8, REPETITIONS_MAX = 256 / OPERATIONS_PER_CALL };

static const struct lab_runtime *runtime_of(const struct collectives_job *job)
{
    return job->run->devices[0]->runtime;
}

/* --- the communicator --------------------------------------------------------------------------------------------- */

/* Waits for all devices first, because they access each other's memory. The communicator is closed before the buffers
 * and streams that it may use. After an error the devices may never finish, so there is no wait. */
void collectives_job_close(struct collectives_job *job)
{
    bool failed = job->run->error.code != NULL;
    for (size_t i = 0; i < job->device_count && !failed; i++)
        if (job->lanes[i].stream != NULL)
            (void)runtime_of(job)->stream_synchronize(job->lanes[i].device, job->lanes[i].stream);
    if (job->collective != NULL)
        runtime_of(job)->collective->close(job->collective);
    job->collective = NULL;
    collectives_data_release(&job->data);
    for (size_t i = 0; i < job->device_count; i++)
        runtime_of(job)->stream_release(job->lanes[i].device, job->lanes[i].stream);
    job->device_count = 0;
}

static bool make_lanes(struct collectives_job *job, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct lab_device *device = job->run->devices[i];
        job->lanes[i] = (struct lab_lane){device, runtime_of(job)->stream_create(device)};
        job->device_count = i + 1;
        if (job->lanes[i].stream == NULL) {
            job->run->error = device->error;
            return false;
        }
    }
    job->data = (struct collectives_data){
        .device_count = count,
        .lanes = job->lanes,
        .seed = (uint64_t)lab_parameter_integer(job->run->parameters, "seed"),
    };
    return true;
}

/* Records the library and the multicast setting with the result. */
static void report_library(const struct collectives_job *job, bool multicast)
{
    char text[LAB_DETAIL_MAX];
    snprintf(text, sizeof text, "%s on %zu devices, NVLink multicast %s",
             runtime_of(job)->collective->library(job->collective), job->device_count,
             multicast ? "as set in the environment; if it is on, bus bandwidth may exceed the link bandwidth" : "off");
    job->run->sink.note(job->run->sink.context, text);
}

bool collectives_job_open(struct collectives_job *job, size_t count)
{
    bool multicast = lab_parameter_integer(job->run->parameters, "multicast") != 0;
    if (job->device_count == count)
        return true;
    collectives_job_close(job);
    job->refusal[0] = '\0';
    memset(job->calls_tested, 0, sizeof job->calls_tested);
    if (!make_lanes(job, count))
        return false;
    job->collective = runtime_of(job)->collective->open(job->run->devices, count, multicast);
    if (job->collective != NULL) {
        report_library(job, multicast);
        return true;
    }
    const struct lab_error *error = &job->run->devices[0]->error;
    if (strcmp(error->code, "unsupported") == 0) {
        snprintf(job->refusal, sizeof job->refusal, "%s", error->detail);
        return true;
    }
    job->run->error = *error;
    return false;
}

/* --- the work of a point ------------------------------------------------------------------------------------------ */

static bool enqueue(void *context)
{
    struct collectives_job *job = context;
    job->repetitions++;
    return runtime_of(job)->collective->enqueue(job->collective, job->point.operation, job->point.count, job->lanes,
                                                job->buffers);
}

static bool reset(void *context)
{
    struct collectives_job *job = context;
    job->repetitions = 0;
    return collectives_data_reset(&job->data, &job->point);
}

/* In place, each repetition adds up the sums of the previous one, so the results after several repetitions are not
 * checked. lab_measure verifies one more repetition on reset buffers, which is checked completely. */
static bool verify(void *context, uint64_t *wrong)
{
    struct collectives_job *job = context;
    *wrong = 0;
    bool sums_of_sums = job->point.in_place && collectives_reduces(job->point.operation) && job->repetitions > 1;
    return sums_of_sums || collectives_data_check(&job->data, &job->point, wrong);
}

/* Tests, once per operation, whether its calls can be queued behind a latch. */
static bool choose_timing(struct collectives_job *job, struct lab_work *work)
{
    enum lab_collective_operation operation = job->point.operation;
    if (!job->calls_tested[operation]) {
        if (!reset(job) || !collectives_calls_block(work, REPETITIONS_MAX, &job->calls_block[operation]))
            return false;
        job->calls_tested[operation] = true;
        if (job->calls_block[operation]) {
            char text[LAB_DETAIL_MAX];
            snprintf(
                text, sizeof text,
                "%s: the library's calls block until the devices have finished, so times of small sizes include the "
                "launches by one host thread on all devices",
                collectives_operations[operation]);
            job->run->sink.warning(job->run->sink.context, text);
        }
    }
    work->timing = job->calls_block[operation] ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
    return true;
}

bool collectives_job_prepare(struct collectives_job *job, const struct collectives_point *point, struct lab_work *work)
{
    job->point = *point;
    *work = (struct lab_work){
        .lane_count = job->device_count,
        .lanes = job->lanes,
        .operations = OPERATIONS_PER_CALL,
        .context = job,
        .enqueue = enqueue,
        .poison = reset,
        .verify = verify,
    };
    bool good = collectives_data_prepare(&job->data, &job->point);
    if (good) {
        collectives_data_buffers(&job->data, &job->point, job->buffers);
        good = choose_timing(job, work);
    }
    if (!good)
        job->run->error = job->lanes[0].device->error;
    return good;
}
