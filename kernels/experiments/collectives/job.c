/* Creates the communicator and queues, resets and verifies the operation of a point. */
#include "job.h"

#include "experiment/parameters.h"

#include <stdio.h>
#include <string.h>

/* Of 31 repetitions and a leading one in place, the last adds up sums below 16^31 = 2^124 on the largest number of
 * devices, which fp32 can represent. */
enum { REPETITIONS_MAX = 31 };

static const double sample_s = 5e-3;

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
    return runtime_of(job)->collective->enqueue(job->collective, collectives_operation(&job->point),
                                                collectives_count(&job->point), job->lanes, job->buffers);
}

static bool reset(void *context)
{
    struct collectives_job *job = context;
    job->repetitions = 0;
    return collectives_data_reset(&job->data, &job->point);
}

static bool restore(void *context)
{
    struct collectives_job *job = context;
    job->repetitions = 0;
    return collectives_data_restore(&job->data, &job->point);
}

/* In place, each repetition adds up the sums of the previous one, so the results after several repetitions are not
 * checked. lab_measure verifies one more repetition on reset buffers, which is checked completely. */
static bool verify(void *context, uint64_t *wrong)
{
    struct collectives_job *job = context;
    bool sums_of_sums = job->point.values[COLLECTIVES_IN_PLACE] != 0 &&
                        collectives_reduces(collectives_operation(&job->point)) && job->repetitions > 1;
    bool good = sums_of_sums || collectives_data_check(&job->data, &job->point);
    *wrong = sums_of_sums ? 0 : job->data.wrong;
    return good;
}

bool collectives_job_prepare(struct collectives_job *job, const struct lab_point *point, struct lab_work *work)
{
    bool grows = point->values[COLLECTIVES_IN_PLACE] != 0 && collectives_operation(point) == LAB_ALL_REDUCE;
    job->point = *point;
    *work = (struct lab_work){
        .timing = LAB_TIME_EVENTS,
        .lane_count = job->device_count,
        .lanes = job->lanes,
        .sample_s = sample_s,
        .context = job,
        .enqueue = enqueue,
        .poison = reset,
        .verify = verify,
        .before_sample = grows ? restore : NULL,
        .repetitions_max = grows ? REPETITIONS_MAX : 0,
        .collective = true,
    };
    if (!collectives_data_prepare(&job->data, &job->point) || !reset(job)) {
        job->run->error = job->lanes[0].device->error;
        return false;
    }
    collectives_data_buffers(&job->data, &job->point, job->buffers);
    return true;
}
