/* Allocates buffers, queues the copies of a point and verifies the copied data. */
#include "job.h"

#include "experiment/parameters.h"
#include "measure/verify.h"

#include <stdio.h>
#include <string.h>

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static void release_buffers(struct transfer_job *job)
{
    struct transfer_buffers *b = &job->buffers;
    job->runtime->release(job->device, b->host_kind, b->host_source);
    job->runtime->release(job->device, b->host_kind, b->host_destination);
    job->runtime->release(job->device, LAB_MEMORY_DEVICE, b->device_source);
    job->runtime->release(job->device, LAB_MEMORY_DEVICE, b->device_destination);
    *b = (struct transfer_buffers){0};
}

/* The buffers grow with the sizes of the sweep, so that the first point does not wait for the allocation of the
 * largest. */
bool transfer_job_use_buffers(struct transfer_job *job)
{
    enum lab_memory host_kind = job->point.memory;
    struct transfer_buffers *b = &job->buffers;
    const struct lab_runtime *runtime = job->runtime;
    size_t bytes = transfer_buffer_bytes(job->run->parameters, job->point.bytes);
    if (b->bytes >= bytes && b->host_kind == host_kind)
        return true;
    release_buffers(job);
    b->host_kind = host_kind;
    b->bytes = bytes;
    bool host =
        host_kind == LAB_MEMORY_DEVICE || (runtime->allocate(job->device, host_kind, bytes, &b->host_source) &&
                                           runtime->allocate(job->device, host_kind, bytes, &b->host_destination));
    if (host && runtime->allocate(job->device, LAB_MEMORY_DEVICE, bytes, &b->device_source) &&
        runtime->allocate(job->device, LAB_MEMORY_DEVICE, bytes, &b->device_destination))
        return true;
    if (strcmp(job->device->error.code, "unsupported") != 0) {
        job->run->error = job->device->error;
        return false;
    }
    snprintf(b->refusal, sizeof b->refusal, "%s", job->device->error.detail);
    return true;
}

/* --- the work of a point ------------------------------------------------------------------------------------------ */

/* Queues piece or row `step` of a copy, or all of it if the pattern is a single operation. */
static bool enqueue_step(struct transfer_job *job, const struct transfer_copy *copy, size_t step)
{
    char *destination = copy->destination.address;
    const char *source = copy->source.address;
    size_t bytes = copy->source.width;
    if (copy->plan != NULL)
        return job->runtime->enqueue(job->device, copy->plan, copy->stream);
    switch (copy->pattern) {
    case TRANSFER_PITCHED:
        return job->runtime->copy2d->copy(job->device, copy->stream, copy->destination, copy->source, copy->direction);
    case TRANSFER_ROWS:
        destination += step * copy->destination.pitch;
        source += step * copy->source.pitch;
        break;
    case TRANSFER_PIECES:
        destination += step * copy->piece_bytes;
        source += step * copy->piece_bytes;
        bytes =
            bytes - step * copy->piece_bytes < copy->piece_bytes ? bytes - step * copy->piece_bytes : copy->piece_bytes;
        break;
    case TRANSFER_CONTIGUOUS:
        break;
    }
    return job->runtime->copy(job->device, copy->stream, destination, source, bytes, copy->direction);
}

/* The number of calls that queue the copy: one for each piece or row of those patterns, else one. */
static size_t steps_of(const struct transfer_copy *copy)
{
    if (copy->plan != NULL)
        return 1;
    switch (copy->pattern) {
    case TRANSFER_PIECES:
        return (copy->source.width + copy->piece_bytes - 1) / copy->piece_bytes;
    case TRANSFER_ROWS:
        return copy->source.height;
    case TRANSFER_PITCHED:
    case TRANSFER_CONTIGUOUS:
        break;
    }
    return 1;
}

/* Queues pieces or rows of both directions alternately. Otherwise one direction would start only after the other one
 * had been queued completely. */
static bool enqueue_copies(void *context)
{
    struct transfer_job *job = context;
    for (size_t step = 0, steps = steps_of(&job->copies[0]); step < steps; step++)
        if (!enqueue_step(job, &job->copies[0], step) ||
            (job->point.aggregate && !enqueue_step(job, &job->copies[1], step)))
            return false;
    return true;
}

static bool enqueue_load(void *context)
{
    struct transfer_job *job = context;
    return enqueue_step(job, &job->copies[1], 0);
}

static bool poison(void *context)
{
    struct transfer_job *job = context;
    for (size_t i = 0; i < job->copy_count; i++) {
        const struct transfer_copy *copy = &job->copies[i];
        if (!lab_verify_poison(job->device, copy->stream, copy->destination_kind, copy->destination,
                               (struct lab_expectation){.seed = copy->seed}))
            return false;
    }
    return true;
}

/* Checks the measured copies only. The copies that merely load the other direction are not checked: the last
 * repetition, which is the one verified, runs without them. */
static bool verify(void *context, uint64_t *wrong)
{
    struct transfer_job *job = context;
    size_t measured = job->point.aggregate ? 2 : 1;
    *wrong = 0;
    for (size_t i = 0; i < measured; i++) {
        const struct transfer_copy *copy = &job->copies[i];
        struct lab_comparison comparison;
        if (!lab_verify_check(job->device, copy->stream, copy->destination_kind, copy->destination,
                              (struct lab_expectation){.seed = copy->seed}, &comparison))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}

static struct lab_region region_of(const struct transfer_job *job, enum transfer_pattern pattern, void *address)
{
    size_t bytes = job->point.bytes;
    if (pattern != TRANSFER_PITCHED && pattern != TRANSFER_ROWS)
        return lab_region_of(address, bytes);
    size_t row = (size_t)lab_parameter_integer(job->run->parameters, "row_bytes");
    return (struct lab_region){address, row, bytes / row,
                               (size_t)lab_parameter_integer(job->run->parameters, "pitch_bytes")};
}

/* Sets up the copy of one direction and fills its source. */
static bool open_copy(struct transfer_job *job, enum lab_direction direction, enum transfer_pattern pattern)
{
    size_t index = job->copy_count++;
    struct transfer_copy *copy = &job->copies[index];
    const struct transfer_buffers *b = &job->buffers;
    bool from_host = direction == LAB_H2D, to_host = direction == LAB_D2H;
    *copy = (struct transfer_copy){
        .direction = direction,
        .pattern = pattern,
        .piece_bytes = (size_t)lab_parameter_integer(job->run->parameters, "piece_bytes"),
        .stream = job->streams[index],
        .source_kind = from_host ? b->host_kind : LAB_MEMORY_DEVICE,
        .destination_kind = to_host ? b->host_kind : LAB_MEMORY_DEVICE,
        .source = region_of(job, pattern, from_host ? b->host_source : b->device_source),
        .destination = region_of(job, pattern, to_host ? b->host_destination : b->device_destination),
        .seed = (uint64_t)lab_parameter_integer(job->run->parameters, "seed") * 4 + (uint64_t)direction,
    };
    if (!lab_verify_fill(job->device, copy->stream, copy->source_kind, copy->source,
                         (struct lab_expectation){.seed = copy->seed}))
        return false;
    if (job->point.engine != TRANSFER_SM)
        return true;
    struct lab_operation operation = {
        .kind = LAB_OPERATION_COPY, .destination = copy->destination, .source = copy->source};
    copy->plan = job->runtime->prepare(job->device, &operation);
    return copy->plan != NULL;
}

static bool open_copies(struct transfer_job *job)
{
    const struct transfer_point *point = &job->point;
    enum lab_direction other = point->direction == LAB_H2D ? LAB_D2H : LAB_H2D;
    return open_copy(job, point->direction, point->pattern) &&
           (!point->opposing || open_copy(job, other, point->aggregate ? point->pattern : TRANSFER_CONTIGUOUS));
}

bool transfer_job_begin(struct transfer_job *job)
{
    bool good = open_copies(job);
    if (!good)
        job->run->error = job->device->error;
    return good;
}

void transfer_job_end(struct transfer_job *job)
{
    for (size_t i = 0; i < job->copy_count; i++)
        job->runtime->plan_release(job->device, job->copies[i].plan);
    job->copy_count = 0;
}

static enum lab_timing timing_of(const struct transfer_point *point)
{
    if (point->memory == LAB_MEMORY_PAGEABLE)
        return LAB_TIME_HOST_CLOCK;
    bool many = point->pattern == TRANSFER_PIECES || point->pattern == TRANSFER_ROWS;
    return many ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
}

struct lab_work transfer_job_work(struct transfer_job *job)
{
    bool aggregate = job->point.aggregate, loaded = job->point.opposing && !aggregate;
    return (struct lab_work){
        .timing = timing_of(&job->point),
        .lane_count = aggregate ? 2 : 1,
        .lanes = job->lanes,
        .operations = aggregate ? 2 : 1,
        .context = job,
        .enqueue = enqueue_copies,
        .poison = poison,
        .verify = verify,
        .background = loaded ? job->streams[1] : NULL,
        .load = loaded ? enqueue_load : NULL,
    };
}

/* --- open and close ----------------------------------------------------------------------------------------------- */

bool transfer_job_open(struct transfer_job *job, struct lab_run *run)
{
    *job = (struct transfer_job){.run = run, .device = run->devices[0], .runtime = run->devices[0]->runtime};
    for (size_t i = 0; i < 2; i++) {
        if ((job->streams[i] = job->runtime->stream_create(job->device)) == NULL) {
            run->error = job->device->error;
            return false;
        }
        job->lanes[i] = (struct lab_lane){job->device, job->streams[i]};
    }
    return true;
}

void transfer_job_close(struct transfer_job *job)
{
    if (job->runtime == NULL)
        return;
    release_buffers(job);
    for (size_t i = 0; i < 2; i++)
        job->runtime->stream_release(job->device, job->streams[i]);
}
