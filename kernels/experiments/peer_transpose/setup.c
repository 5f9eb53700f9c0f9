/* Allocates the matrix, streams, events and kernels on every device. */
#include "setup.h"

#include "experiment/parameters.h"

#include <stdlib.h>
#include <string.h>

static bool failed(struct transpose_setup *setup, size_t device)
{
    setup->run->error = transpose_device(setup, device)->error;
    return false;
}

/* --- streams and events ------------------------------------------------------------------------------------------- */

static bool make_streams(struct transpose_setup *setup, size_t device)
{
    const struct lab_runtime *runtime = setup->runtime;
    struct lab_device *on = transpose_device(setup, device);
    if ((setup->lanes[device].stream = runtime->stream_create(on)) == NULL ||
        (setup->ready[device] = runtime->event_create(on)) == NULL)
        return false;
    for (size_t i = 0; i < setup->streams; i++)
        if ((setup->copies[device][i] = runtime->stream_create(on)) == NULL ||
            (setup->copied[device][i] = runtime->event_create(on)) == NULL)
            return false;
    return true;
}

bool transpose_setup_open(struct transpose_setup *setup, struct lab_run *run)
{
    *setup = (struct transpose_setup){
        .run = run,
        .runtime = run->devices[0]->runtime,
        .devices = transpose_devices(run->parameters, run->device_count),
        .streams = (size_t)lab_parameter_integer(run->parameters, "streams"),
        .access = {.devices = run->devices, .count = run->device_count},
        .seed = (uint64_t)lab_parameter_integer(run->parameters, "seed") * LAB_RUN_DEVICES_MAX,
    };
    for (size_t d = 0; d < setup->devices; d++)
        setup->lanes[d].device = run->devices[d];
    for (size_t d = 0; d < setup->devices; d++)
        if (!make_streams(setup, d))
            return failed(setup, d);
    return true;
}

/* --- a shape ------------------------------------------------------------------------------------------------------ */

static void release_device(struct transpose_setup *setup, size_t device)
{
    const struct lab_runtime *runtime = setup->runtime;
    struct lab_device *on = transpose_device(setup, device);
    for (size_t i = 0; setup->squares[device] != NULL && i <= transpose_squares_sent(setup); i++)
        runtime->plan_release(on, setup->squares[device][i]);
    free(setup->squares[device]);
    runtime->release(on, LAB_MEMORY_DEVICE, setup->parts[device]);
    runtime->release(on, LAB_MEMORY_DEVICE, setup->staging[device]);
    runtime->release(on, LAB_MEMORY_DEVICE, setup->results[device]);
    setup->squares[device] = NULL;
    setup->parts[device] = setup->staging[device] = setup->results[device] = NULL;
}

static void release_shape(struct transpose_setup *setup)
{
    for (size_t d = 0; d < setup->devices; d++)
        release_device(setup, d);
    setup->shape = (struct transpose_shape){0};
}

size_t transpose_setup_lanes(const struct transpose_setup *setup, struct lab_lane lanes[TRANSPOSE_LANES_MAX])
{
    size_t count = 0;
    for (size_t d = 0; d < setup->devices; d++) {
        lanes[count++] = setup->lanes[d];
        for (size_t i = 0; i < setup->streams; i++)
            lanes[count++] = (struct lab_lane){transpose_device(setup, d), setup->copies[d][i]};
    }
    return count;
}

/* A device may still access the memory of another device, and releasing that memory does not wait for it. */
static void synchronize(const struct transpose_setup *setup)
{
    struct lab_lane lanes[TRANSPOSE_LANES_MAX];
    size_t count = transpose_setup_lanes(setup, lanes);
    for (size_t i = 0; i < count; i++)
        if (lanes[i].stream != NULL)
            (void)setup->runtime->stream_synchronize(lanes[i].device, lanes[i].stream);
}

bool transpose_setup_close(struct transpose_setup *setup)
{
    const struct lab_runtime *runtime = setup->runtime;
    synchronize(setup);
    bool denied = peer_access_deny(&setup->access, &setup->run->error);
    release_shape(setup);
    for (size_t d = 0; d < setup->devices; d++) {
        struct lab_device *on = transpose_device(setup, d);
        runtime->stream_release(on, setup->lanes[d].stream);
        runtime->event_release(on, setup->ready[d]);
        for (size_t i = 0; i < setup->streams; i++) {
            runtime->stream_release(on, setup->copies[d][i]);
            runtime->event_release(on, setup->copied[d][i]);
        }
    }
    *setup = (struct transpose_setup){0};
    return denied;
}

static bool allocate_part(struct transpose_setup *setup, size_t device)
{
    const struct lab_runtime *runtime = setup->runtime;
    struct lab_device *on = transpose_device(setup, device);
    size_t bytes = transpose_part_bytes(&setup->shape);
    size_t sent = (setup->devices - 1) * transpose_block_bytes(&setup->shape);
    return runtime->allocate(on, LAB_MEMORY_DEVICE, bytes, &setup->parts[device]) &&
           runtime->allocate(on, LAB_MEMORY_DEVICE, bytes, &setup->results[device]) &&
           runtime->allocate(on, LAB_MEMORY_DEVICE, sent, &setup->staging[device]) &&
           lab_verify_fill(on, setup->lanes[device].stream, LAB_MEMORY_DEVICE,
                           lab_region_of(setup->parts[device], bytes),
                           (struct lab_expectation){.seed = setup->seed + device});
}

/* --- addresses ---------------------------------------------------------------------------------------------------- */

static void *word(void *base, size_t index)
{
    return (char *)base + 4 * index;
}

void *transpose_staged(const struct transpose_setup *setup, size_t device, size_t step, size_t chunk)
{
    return word(setup->staging[device],
                ((step - 1) * setup->shape.width + chunk * setup->shape.chunk_rows) * setup->shape.width);
}

void *transpose_destination(const struct transpose_setup *setup, size_t target, size_t source, size_t chunk)
{
    return word(setup->results[target],
                (source * setup->shape.width + chunk * setup->shape.chunk_rows) * setup->shape.width);
}

/* --- the kernels -------------------------------------------------------------------------------------------------- */

/* A square of `side` words at `row` and `column` of `base`, whose rows have `width` words. */
static struct lab_region square_of(const struct transpose_setup *setup, void *base, size_t side, size_t row,
                                   size_t column)
{
    return (struct lab_region){word(base, row * setup->shape.width + column), 4 * side, side, 4 * setup->shape.width};
}

static struct lab_plan *prepare(struct transpose_setup *setup, size_t device, struct lab_region from,
                                struct lab_region to)
{
    struct lab_operation operation = {.kind = LAB_OPERATION_TRANSPOSE, .source = from, .destination = to};
    return setup->runtime->prepare(transpose_device(setup, device), &operation);
}

/* A chunk is a band of rows of the transposed block, which is a band of columns of the original block. Both are cut
 * into squares, each transposed by one kernel. */
static bool prepare_chunk(struct transpose_setup *setup, size_t device, size_t step, size_t chunk,
                          struct lab_plan **squares)
{
    const struct transpose_shape *shape = &setup->shape;
    size_t block = transpose_target(setup, device, step) * shape->width; /* first row of the block */
    for (size_t i = 0; i < shape->chunks; i++) {
        struct lab_region from = square_of(setup, setup->parts[device], shape->chunk_rows,
                                           block + i * shape->chunk_rows, chunk * shape->chunk_rows);
        struct lab_region to =
            square_of(setup, transpose_staged(setup, device, step, chunk), shape->chunk_rows, 0, i * shape->chunk_rows);
        if ((squares[i] = prepare(setup, device, from, to)) == NULL)
            return false;
    }
    return true;
}

static bool prepare_kernels(struct transpose_setup *setup, size_t device)
{
    const struct transpose_shape *shape = &setup->shape;
    struct lab_plan **next = calloc(transpose_squares_sent(setup) + 1, sizeof(struct lab_plan *));
    setup->squares[device] = next;
    if (next == NULL)
        return lab_error_set(&transpose_device(setup, device)->error, "out-of-memory", "",
                             "out of memory for the operations of the chunks");
    for (size_t step = 1; step < setup->devices; step++)
        for (size_t chunk = 0; chunk < shape->chunks; chunk++, next += shape->chunks)
            if (!prepare_chunk(setup, device, step, chunk, next))
                return false;
    *next = prepare(setup, device, square_of(setup, setup->parts[device], shape->width, device * shape->width, 0),
                    square_of(setup, setup->results[device], shape->width, device * shape->width, 0));
    return *next != NULL;
}

/* Keeps the shape and the reason why the devices do not support it, and releases its memory. */
static void refuse(struct transpose_setup *setup, const struct lab_error *error)
{
    struct transpose_shape shape = setup->shape;
    release_shape(setup);
    setup->shape = shape;
    memcpy(setup->refusal, error->detail, sizeof setup->refusal);
}

static bool allocate_shape(struct transpose_setup *setup)
{
    for (size_t d = 0; d < setup->devices; d++)
        if (!allocate_part(setup, d))
            return failed(setup, d);
    for (size_t d = 0; d < setup->devices; d++) {
        const struct lab_error *error = &transpose_device(setup, d)->error;
        if (prepare_kernels(setup, d))
            continue;
        if (strcmp(error->code, "unsupported") != 0)
            return failed(setup, d);
        refuse(setup, error);
        return true;
    }
    return true;
}

bool transpose_setup_prepare(struct transpose_setup *setup, const struct transpose_shape *shape,
                             char reason[LAB_DETAIL_MAX])
{
    if (memcmp(&setup->shape, shape, sizeof *shape) != 0) {
        release_shape(setup);
        setup->shape = *shape;
        setup->refusal[0] = '\0';
        if (!allocate_shape(setup))
            return false;
    }
    memcpy(reason, setup->refusal, LAB_DETAIL_MAX);
    return true;
}
