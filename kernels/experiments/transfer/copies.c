/* Allocates buffers, queues the copies of a point and verifies the copied data. */
#include "transfer.h"

#include "experiment/parameters.h"
#include "measure/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The copy in one direction. */
struct copy {
    enum lab_direction direction;
    enum transfer_pattern pattern;
    size_t piece_bytes; /* size of each small copy of TRANSFER_PIECES */
    struct lab_stream *stream;
    enum lab_memory source_kind, destination_kind; /* kinds of memory of `source` and `destination` */
    struct lab_region source, destination;
    uint64_t seed;         /* of the test pattern in the source */
    struct lab_plan *plan; /* the copy kernel; NULL if a copy engine copies */
};

/* A source and a destination on host and device; buffers that are not needed stay NULL. */
struct buffers {
    enum lab_memory host_kind;
    size_t bytes; /* size of each buffer; 0 if none is allocated */
    void *host_source, *host_destination, *device_source, *device_destination;
};

struct transfer_copies {
    struct lab_run *run;
    struct lab_device *device;
    const struct lab_runtime *runtime;
    struct lab_stream *streams[2]; /* the streams of copies[0] and copies[1] */
    struct lab_lane lanes[2];      /* the device with each of the two streams */
    struct buffers buffers;
    size_t bytes, count; /* bytes of each copy; number of copies, 2 if the other direction is busy */
    bool aggregate;      /* both copies are measured; else the second one is background load */
    struct copy copies[2];
};

/* --- buffers ------------------------------------------------------------------------------------------------------ */

static void release_buffers(struct transfer_copies *t)
{
    struct buffers *b = &t->buffers;
    t->runtime->release(t->device, b->host_kind, b->host_source);
    t->runtime->release(t->device, b->host_kind, b->host_destination);
    t->runtime->release(t->device, LAB_MEMORY_DEVICE, b->device_source);
    t->runtime->release(t->device, LAB_MEMORY_DEVICE, b->device_destination);
    *b = (struct buffers){0};
}

/* The buffers grow with the sizes of the sweep, so that the first point does not wait for the allocation of the
 * largest. */
static bool use_buffers(struct transfer_copies *t, enum lab_memory host_kind)
{
    struct buffers *b = &t->buffers;
    const struct lab_runtime *runtime = t->runtime;
    size_t bytes = transfer_buffer_bytes(t->run->parameters, t->bytes);
    if (b->bytes >= bytes && b->host_kind == host_kind)
        return true;
    release_buffers(t);
    b->host_kind = host_kind;
    bool good =
        (host_kind == LAB_MEMORY_DEVICE || (runtime->allocate(t->device, host_kind, bytes, &b->host_source) &&
                                            runtime->allocate(t->device, host_kind, bytes, &b->host_destination))) &&
        runtime->allocate(t->device, LAB_MEMORY_DEVICE, bytes, &b->device_source) &&
        runtime->allocate(t->device, LAB_MEMORY_DEVICE, bytes, &b->device_destination);
    b->bytes = good ? bytes : 0;
    return good;
}

/* --- queueing ----------------------------------------------------------------------------------------------------- */

/* Queues piece or row `step` of a copy, or all of it if the pattern is a single operation. */
static bool enqueue_step(struct transfer_copies *t, const struct copy *copy, size_t step)
{
    char *destination = copy->destination.address;
    const char *source = copy->source.address;
    size_t bytes = copy->source.width, left;
    if (copy->plan != NULL)
        return t->runtime->enqueue(t->device, copy->plan, copy->stream);
    switch (copy->pattern) {
    case TRANSFER_PITCHED:
        return t->runtime->copy2d->copy(t->device, copy->stream, copy->destination, copy->source, copy->direction);
    case TRANSFER_ROWS:
        destination += step * copy->destination.pitch;
        source += step * copy->source.pitch;
        break;
    case TRANSFER_PIECES:
        left = bytes - step * copy->piece_bytes;
        destination += step * copy->piece_bytes;
        source += step * copy->piece_bytes;
        bytes = left < copy->piece_bytes ? left : copy->piece_bytes;
        break;
    case TRANSFER_CONTIGUOUS:
        break;
    }
    return t->runtime->copy(t->device, copy->stream, destination, source, bytes, copy->direction);
}

/* The number of calls that queue the copy: one for each piece or row of those patterns, else one. */
static size_t steps_of(const struct copy *copy)
{
    if (copy->plan == NULL && copy->pattern == TRANSFER_PIECES)
        return (copy->source.width + copy->piece_bytes - 1) / copy->piece_bytes;
    return copy->plan == NULL && copy->pattern == TRANSFER_ROWS ? copy->source.height : 1;
}

/* Queues pieces or rows of both directions alternately. Otherwise one direction would start only after the other one
 * had been queued completely. */
static bool enqueue(void *context)
{
    struct transfer_copies *t = context;
    for (size_t step = 0, steps = steps_of(&t->copies[0]); step < steps; step++)
        if (!enqueue_step(t, &t->copies[0], step) || (t->aggregate && !enqueue_step(t, &t->copies[1], step)))
            return false;
    return true;
}

static bool enqueue_load(void *context)
{
    struct transfer_copies *t = context;
    return enqueue_step(t, &t->copies[1], 0);
}

/* --- verifying ---------------------------------------------------------------------------------------------------- */

static bool poison(void *context)
{
    struct transfer_copies *t = context;
    for (size_t i = 0; i < t->count; i++) {
        const struct copy *copy = &t->copies[i];
        if (!lab_verify_poison(t->device, copy->stream, copy->destination_kind, copy->destination,
                               (struct lab_expectation){.seed = copy->seed}))
            return false;
    }
    return true;
}

/* Checks the measured copies only. The copies that merely load the other direction are not checked: the last
 * repetition, which is the one verified, runs without them. */
static bool verify(void *context, uint64_t *wrong)
{
    struct transfer_copies *t = context;
    *wrong = 0;
    for (size_t i = 0; i < (t->aggregate ? 2 : 1); i++) {
        const struct copy *copy = &t->copies[i];
        struct lab_comparison comparison;
        if (!lab_verify_check(t->device, copy->stream, copy->destination_kind, copy->destination,
                              (struct lab_expectation){.seed = copy->seed}, &comparison))
            return false;
        *wrong += comparison.wrong;
    }
    return true;
}

/* --- the copies of a point ---------------------------------------------------------------------------------------- */

static struct lab_region region_of(const struct transfer_copies *t, enum transfer_pattern pattern, void *address)
{
    if (pattern != TRANSFER_PITCHED && pattern != TRANSFER_ROWS)
        return lab_region_of(address, t->bytes);
    size_t row = (size_t)lab_parameter_integer(t->run->parameters, "row_bytes");
    return (struct lab_region){address, row, t->bytes / row,
                               (size_t)lab_parameter_integer(t->run->parameters, "pitch_bytes")};
}

/* Sets up the copy of one direction and fills its source. */
static bool add_copy(struct transfer_copies *t, enum lab_direction direction, enum transfer_pattern pattern,
                     bool kernel)
{
    size_t index = t->count++;
    struct copy *copy = &t->copies[index];
    const struct buffers *b = &t->buffers;
    bool from_host = direction == LAB_H2D, to_host = direction == LAB_D2H;
    *copy = (struct copy){
        .direction = direction,
        .pattern = pattern,
        .piece_bytes = (size_t)lab_parameter_integer(t->run->parameters, "piece_bytes"),
        .stream = t->streams[index],
        .source_kind = from_host ? b->host_kind : LAB_MEMORY_DEVICE,
        .destination_kind = to_host ? b->host_kind : LAB_MEMORY_DEVICE,
        .source = region_of(t, pattern, from_host ? b->host_source : b->device_source),
        .destination = region_of(t, pattern, to_host ? b->host_destination : b->device_destination),
        .seed = (uint64_t)lab_parameter_integer(t->run->parameters, "seed") * 4 + (uint64_t)direction,
    };
    if (!lab_verify_fill(t->device, copy->stream, copy->source_kind, copy->source,
                         (struct lab_expectation){.seed = copy->seed}))
        return false;
    const struct lab_operation operation = {
        .kind = LAB_OPERATION_COPY, .destination = copy->destination, .source = copy->source};
    if (kernel)
        copy->plan = t->runtime->prepare(t->device, &operation);
    return !kernel || copy->plan != NULL;
}

static bool add_copies(struct transfer_copies *t, const struct lab_point *point)
{
    enum transfer_pattern pattern = (enum transfer_pattern)point->values[TRANSFER_PATTERN];
    bool kernel = point->values[TRANSFER_ENGINE] == TRANSFER_SM, opposing = point->values[TRANSFER_OPPOSING] == 1;
    enum lab_direction direction = t->aggregate ? LAB_H2D : (enum lab_direction)point->values[TRANSFER_DIRECTION];
    enum lab_direction other = direction == LAB_H2D ? LAB_D2H : LAB_H2D;
    return add_copy(t, direction, pattern, kernel) &&
           (!opposing || add_copy(t, other, t->aggregate ? pattern : TRANSFER_CONTIGUOUS, kernel));
}

static enum lab_timing timing_of(const struct lab_point *point)
{
    if (transfer_memory(point) == LAB_MEMORY_PAGEABLE)
        return LAB_TIME_HOST_CLOCK;
    int64_t pattern = point->values[TRANSFER_PATTERN];
    return pattern == TRANSFER_PIECES || pattern == TRANSFER_ROWS ? LAB_TIME_EVENTS : LAB_TIME_LATCHED;
}

bool transfer_copies_begin(struct transfer_copies *t, const struct lab_point *point, struct lab_work *work,
                           char skipped[LAB_DETAIL_MAX])
{
    t->bytes = (size_t)point->values[TRANSFER_BYTES];
    t->aggregate = transfer_is_aggregate(point);
    if (point->values[TRANSFER_PATTERN] == TRANSFER_PITCHED && point->values[TRANSFER_ENGINE] == TRANSFER_COPY_ENGINE &&
        t->runtime->copy2d == NULL) {
        snprintf(skipped, LAB_DETAIL_MAX, "the device does not support two-dimensional copies");
        return true;
    }
    if (!use_buffers(t, transfer_memory(point)) || !add_copies(t, point)) {
        bool unsupported = strcmp(t->device->error.code, "unsupported") == 0;
        if (unsupported)
            snprintf(skipped, LAB_DETAIL_MAX, "%s", t->device->error.detail);
        else
            t->run->error = t->device->error;
        return unsupported;
    }
    bool loaded = t->count == 2 && !t->aggregate;
    *work = (struct lab_work){
        .timing = timing_of(point),
        .lane_count = t->aggregate ? 2 : 1,
        .lanes = t->lanes,
        .operations = t->aggregate ? 2 : 1,
        .context = t,
        .enqueue = enqueue,
        .poison = poison,
        .verify = verify,
        .background = loaded ? t->streams[1] : NULL,
        .load = loaded ? enqueue_load : NULL,
    };
    return true;
}

void transfer_copies_end(struct transfer_copies *t)
{
    for (size_t i = 0; i < t->count; i++)
        t->runtime->plan_release(t->device, t->copies[i].plan);
    t->count = 0;
}

/* --- creating and releasing --------------------------------------------------------------------------------------- */

struct transfer_copies *transfer_copies_create(struct lab_run *run)
{
    struct lab_device *device = run->devices[0];
    struct transfer_copies *t = calloc(1, sizeof *t);
    if (t == NULL) {
        lab_error_set(&run->error, "out-of-memory", "", "out of memory for the copies");
        return NULL;
    }
    t->run = run;
    t->device = device;
    t->runtime = device->runtime;
    for (size_t i = 0; i < 2; i++) {
        if ((t->streams[i] = t->runtime->stream_create(device)) == NULL) {
            run->error = device->error;
            transfer_copies_release(t);
            return NULL;
        }
        t->lanes[i] = (struct lab_lane){device, t->streams[i]};
    }
    return t;
}

void transfer_copies_release(struct transfer_copies *t)
{
    if (t == NULL)
        return;
    release_buffers(t);
    for (size_t i = 0; i < 2; i++)
        t->runtime->stream_release(t->device, t->streams[i]);
    free(t);
}
