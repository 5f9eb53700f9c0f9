/* Parts, streams and kernels on every device. */
#include "board.h"

#include "experiment/parameters.h"

#include <stdlib.h>
#include <string.h>

static bool failed(struct transpose_board *b, size_t device)
{
    b->run->error = transpose_device(b, device)->error;
    return false;
}

bool transpose_pass(const struct transpose_board *b, size_t device, bool good)
{
    if (!good && device != 0)
        transpose_device(b, 0)->error = transpose_device(b, device)->error;
    return good;
}

/* --- streams and events ------------------------------------------------------------------------------------------- */

static bool make_streams(struct transpose_board *b, size_t device)
{
    const struct lab_runtime *runtime = b->runtime;
    struct lab_device *on = transpose_device(b, device);
    if ((b->lanes[device].stream = runtime->stream_create(on)) == NULL ||
        (b->ready[device] = runtime->event_create(on)) == NULL ||
        (b->ended[device] = runtime->event_create(on)) == NULL)
        return false;
    for (size_t i = 0; i < b->streams; i++)
        if ((b->copies[device][i] = runtime->stream_create(on)) == NULL ||
            (b->copied[device][i] = runtime->event_create(on)) == NULL)
            return false;
    return device != 0 || (b->begun = runtime->event_create(on)) != NULL;
}

bool transpose_board_open(struct transpose_board *b, struct lab_run *run)
{
    *b = (struct transpose_board){
        .run = run,
        .runtime = run->devices[0]->runtime,
        .devices = transpose_devices(run->parameters, run->device_count),
        .streams = (size_t)lab_parameter_integer(run->parameters, "streams"),
        .seed = (uint64_t)lab_parameter_integer(run->parameters, "seed") * LAB_RUN_DEVICES_MAX,
    };
    for (size_t d = 0; d < b->devices; d++)
        b->lanes[d].device = run->devices[d];
    for (size_t d = 0; d < b->devices; d++)
        if (!make_streams(b, d))
            return failed(b, d);
    return true;
}

/* --- a shape ------------------------------------------------------------------------------------------------------ */

static void clear_device(struct transpose_board *b, size_t device)
{
    const struct lab_runtime *runtime = b->runtime;
    struct lab_device *on = transpose_device(b, device);
    for (size_t i = 0; b->squares[device] != NULL && i <= transpose_squares_sent(b); i++)
        runtime->plan_release(on, b->squares[device][i]);
    free(b->squares[device]);
    runtime->release(on, LAB_MEMORY_DEVICE, b->parts[device]);
    runtime->release(on, LAB_MEMORY_DEVICE, b->staging[device]);
    runtime->release(on, LAB_MEMORY_DEVICE, b->results[device]);
    b->squares[device] = NULL;
    b->parts[device] = b->staging[device] = b->results[device] = NULL;
}

static void clear_shape(struct transpose_board *b)
{
    for (size_t d = 0; d < b->devices; d++)
        clear_device(b, d);
    b->shape = (struct transpose_shape){0};
}

void transpose_board_settle(struct transpose_board *b)
{
    for (size_t d = 0; d < b->devices; d++) {
        struct lab_device *on = transpose_device(b, d);
        if (b->lanes[d].stream != NULL)
            (void)b->runtime->stream_synchronize(on, b->lanes[d].stream);
        for (size_t i = 0; i < b->streams; i++)
            if (b->copies[d][i] != NULL)
                (void)b->runtime->stream_synchronize(on, b->copies[d][i]);
    }
}

void transpose_board_close(struct transpose_board *b)
{
    const struct lab_runtime *runtime = b->runtime;
    transpose_board_settle(b);
    clear_shape(b);
    for (size_t d = 0; d < b->devices; d++) {
        struct lab_device *on = transpose_device(b, d);
        runtime->stream_release(on, b->lanes[d].stream);
        runtime->event_release(on, b->ready[d]);
        runtime->event_release(on, b->ended[d]);
        for (size_t i = 0; i < b->streams; i++) {
            runtime->stream_release(on, b->copies[d][i]);
            runtime->event_release(on, b->copied[d][i]);
        }
    }
    if (b->devices > 0)
        runtime->event_release(transpose_device(b, 0), b->begun);
    *b = (struct transpose_board){0};
}

static bool make_part(struct transpose_board *b, size_t device)
{
    const struct lab_runtime *runtime = b->runtime;
    struct lab_device *on = transpose_device(b, device);
    size_t bytes = transpose_part_bytes(&b->shape);
    size_t sent = (b->devices - 1) * transpose_block_bytes(&b->shape);
    return runtime->allocate(on, LAB_MEMORY_DEVICE, bytes, &b->parts[device]) &&
           runtime->allocate(on, LAB_MEMORY_DEVICE, bytes, &b->results[device]) &&
           runtime->allocate(on, LAB_MEMORY_DEVICE, sent, &b->staging[device]) &&
           lab_verify_fill(on, b->lanes[device].stream, LAB_MEMORY_DEVICE, lab_region_of(b->parts[device], bytes),
                           (struct lab_expectation){.seed = b->seed + device});
}

/* --- where things are --------------------------------------------------------------------------------------------- */

static void *word(void *base, size_t index)
{
    return (char *)base + 4 * index;
}

void *transpose_staged(const struct transpose_board *b, size_t device, size_t step, size_t chunk)
{
    return word(b->staging[device], ((step - 1) * b->shape.width + chunk * b->shape.side) * b->shape.width);
}

void *transpose_destination(const struct transpose_board *b, size_t target, size_t source, size_t chunk)
{
    return word(b->results[target], (source * b->shape.width + chunk * b->shape.side) * b->shape.width);
}

/* --- the kernels -------------------------------------------------------------------------------------------------- */

/* A square of `side` words in rows of a part's width, its first word at `row` and `column` of `base`. */
static struct lab_region square_of(const struct transpose_board *b, void *base, size_t side, size_t row, size_t column)
{
    return (struct lab_region){word(base, row * b->shape.width + column), 4 * side, side, 4 * b->shape.width};
}

static struct lab_plan *prepare(struct transpose_board *b, size_t device, struct lab_region from, struct lab_region to)
{
    struct lab_operation problem = {.kind = LAB_OPERATION_TRANSPOSE, .source = from, .destination = to};
    return b->runtime->prepare(transpose_device(b, device), &problem);
}

/* A chunk is a band of rows of the transposed block, hence a band of columns of the block itself: both are cut into
 * squares. */
static bool prepare_chunk(struct transpose_board *b, size_t device, size_t step, size_t chunk,
                          struct lab_plan **squares)
{
    const struct transpose_shape *shape = &b->shape;
    size_t block = transpose_target(b, device, step) * shape->width; /* its first row */
    for (size_t i = 0; i < shape->chunks; i++) {
        struct lab_region from =
            square_of(b, b->parts[device], shape->side, block + i * shape->side, chunk * shape->side);
        struct lab_region to = square_of(b, transpose_staged(b, device, step, chunk), shape->side, 0, i * shape->side);
        if ((squares[i] = prepare(b, device, from, to)) == NULL)
            return false;
    }
    return true;
}

static bool prepare_kernels(struct transpose_board *b, size_t device)
{
    const struct transpose_shape *shape = &b->shape;
    struct lab_plan **next = calloc(transpose_squares_sent(b) + 1, sizeof(struct lab_plan *));
    b->squares[device] = next;
    if (next == NULL)
        return lab_error_set(&transpose_device(b, device)->error, "out-of-memory", "", "no memory for the chunks");
    for (size_t step = 1; step < b->devices; step++)
        for (size_t chunk = 0; chunk < shape->chunks; chunk++, next += shape->chunks)
            if (!prepare_chunk(b, device, step, chunk, next))
                return false;
    *next = prepare(b, device, square_of(b, b->parts[device], shape->width, device * shape->width, 0),
                    square_of(b, b->results[device], shape->width, device * shape->width, 0));
    return *next != NULL;
}

/* A shape whose kernels the devices lack is remembered, without its memory. */
static void refuse(struct transpose_board *b, const struct lab_error *error)
{
    struct transpose_shape shape = b->shape;
    clear_shape(b);
    b->shape = shape;
    memcpy(b->refusal, error->detail, sizeof b->refusal);
}

static bool make_shape(struct transpose_board *b)
{
    for (size_t d = 0; d < b->devices; d++)
        if (!make_part(b, d))
            return failed(b, d);
    for (size_t d = 0; d < b->devices; d++) {
        const struct lab_error *error = &transpose_device(b, d)->error;
        if (prepare_kernels(b, d))
            continue;
        if (strcmp(error->code, "unsupported") != 0)
            return failed(b, d);
        refuse(b, error);
        return true;
    }
    return true;
}

bool transpose_board_lay_out(struct transpose_board *b, const struct transpose_shape *shape,
                             char reason[LAB_DETAIL_MAX])
{
    if (memcmp(&b->shape, shape, sizeof *shape) != 0) {
        clear_shape(b);
        b->shape = *shape;
        b->refusal[0] = '\0';
        if (!make_shape(b))
            return false;
    }
    memcpy(reason, b->refusal, LAB_DETAIL_MAX);
    return true;
}
