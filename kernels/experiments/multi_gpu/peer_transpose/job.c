/* Allocates the matrix and prepares its transpose on every device; queues transposes and copies in the order of the
 * variant, and verifies the result. */
#include "job.h"

#include "experiment/parameters.h"
#include "measure/verify.h"

#include <stdlib.h>
#include <string.h>

static struct lab_device *device_of(const struct transpose *t, size_t device)
{
    return t->lanes[device].device;
}

/* lab_measure reads all errors on the first device. */
static bool forward_error(const struct transpose *t, size_t device, bool good)
{
    return lab_device_forward_error(device_of(t, 0), device_of(t, device), good);
}

static struct lab_stream *copy_stream(const struct transpose *t, size_t device, size_t stream)
{
    return t->all_lanes[device * (1 + t->streams) + 1 + stream].stream;
}

/* --- streams and events ------------------------------------------------------------------------------------------- */

static bool open_device(struct transpose *t, struct lab_device *on, size_t device)
{
    struct lab_lane *lanes = &t->all_lanes[device * (1 + t->streams)];
    for (size_t i = 0; i <= t->streams; i++) {
        lanes[i] = (struct lab_lane){on, lab_resources_stream(&t->resources, on)};
        if (lanes[i].stream == NULL)
            return false;
    }
    t->lanes[device] = lanes[0];
    for (size_t i = 0; i < t->streams; i++)
        if ((t->copied[device][i] = lab_resources_event(&t->resources, on)) == NULL)
            return false;
    return (t->ready[device] = lab_resources_event(&t->resources, on)) != NULL;
}

bool transpose_open(struct transpose *t, struct lab_run *run)
{
    *t = (struct transpose){
        .resources = {.run = run},
        .runtime = run->devices[0]->runtime,
        .devices = transpose_devices(run->parameters, run->device_count),
        .streams = (size_t)lab_parameter_integer(run->parameters, "streams"),
        .seed = (uint64_t)lab_parameter_integer(run->parameters, "seed") * LAB_RUN_DEVICES_MAX,
    };
    for (size_t d = 0; d < t->devices; d++)
        if (!open_device(t, run->devices[d], d))
            return false;
    t->kept = t->resources.count;
    return true;
}

void transpose_close(struct transpose *t)
{
    lab_resources_release(&t->resources, 0);
    free(t->squares);
    *t = (struct transpose){0};
}

/* --- the matrix --------------------------------------------------------------------------------------------------- */

static void *word(void *base, size_t index)
{
    return (char *)base + 4 * index;
}

/* Address of a chunk of the block that `device` sends in `step`, in its staging memory. */
static void *staged(const struct transpose *t, size_t device, size_t step, size_t chunk)
{
    return word(t->staging[device], ((step - 1) * t->shape.width + chunk * t->shape.chunk_rows) * t->shape.width);
}

/* Address of a chunk of the block from `source`, in the result of `target`. */
static void *destination(const struct transpose *t, size_t target, size_t source, size_t chunk)
{
    return word(t->results[target], (source * t->shape.width + chunk * t->shape.chunk_rows) * t->shape.width);
}

static bool allocate_part(struct transpose *t, size_t device)
{
    struct lab_device *on = device_of(t, device);
    size_t bytes = transpose_part_bytes(&t->shape), sent = (t->devices - 1) * transpose_block_bytes(&t->shape);
    return (t->parts[device] = lab_resources_memory(&t->resources, on, LAB_MEMORY_DEVICE, bytes)) != NULL &&
           (t->results[device] = lab_resources_memory(&t->resources, on, LAB_MEMORY_DEVICE, bytes)) != NULL &&
           (t->staging[device] = lab_resources_memory(&t->resources, on, LAB_MEMORY_DEVICE, sent)) != NULL &&
           lab_run_forward_error(t->resources.run, on,
                                 lab_verify_fill(on, t->lanes[device].stream, LAB_MEMORY_DEVICE,
                                                 lab_region_of(t->parts[device], bytes),
                                                 (struct lab_expectation){.seed = t->seed + device}));
}

/* --- the kernels -------------------------------------------------------------------------------------------------- */

/* A square of `side` words at `row` and `column` of `base`, whose rows have `width` words. */
static struct lab_region square_of(const struct transpose *t, void *base, size_t side, size_t row, size_t column)
{
    return (struct lab_region){word(base, row * t->shape.width + column), 4 * side, side, 4 * t->shape.width};
}

static struct lab_plan *prepare(struct transpose *t, size_t device, struct lab_region from, struct lab_region to)
{
    struct lab_operation operation = {.kind = LAB_OPERATION_TRANSPOSE, .source = from, .destination = to};
    return lab_resources_plan(&t->resources, device_of(t, device), &operation);
}

/* A chunk is a band of rows of the transposed block, which is a band of columns of the original block. Both are cut
 * into squares, each transposed by one kernel. */
static bool prepare_chunk(struct transpose *t, size_t device, size_t step, size_t chunk, struct lab_plan **squares)
{
    const struct transpose_shape *shape = &t->shape;
    size_t side = shape->chunk_rows, block = transpose_target(t, device, step) * shape->width; /* its first row */
    for (size_t i = 0; i < shape->chunks; i++) {
        struct lab_region from = square_of(t, t->parts[device], side, block + i * side, chunk * side);
        struct lab_region to = square_of(t, staged(t, device, step, chunk), side, 0, i * side);
        if ((squares[i] = prepare(t, device, from, to)) == NULL)
            return false;
    }
    return true;
}

/* The kernels of a device; entry transpose_squares_sent is that of the block that stays. */
static struct lab_plan **squares_of(const struct transpose *t, size_t device)
{
    return t->squares + device * (transpose_squares_sent(t) + 1);
}

static bool prepare_kernels(struct transpose *t, size_t device)
{
    const struct transpose_shape *shape = &t->shape;
    struct lab_plan **next = squares_of(t, device);
    for (size_t step = 1; step < t->devices; step++)
        for (size_t chunk = 0; chunk < shape->chunks; chunk++, next += shape->chunks)
            if (!prepare_chunk(t, device, step, chunk, next))
                return false;
    *next = prepare(t, device, square_of(t, t->parts[device], shape->width, device * shape->width, 0),
                    square_of(t, t->results[device], shape->width, device * shape->width, 0));
    return *next != NULL;
}

static bool prepare_shape(struct transpose *t)
{
    t->squares = calloc(t->devices * (transpose_squares_sent(t) + 1), sizeof(struct lab_plan *));
    if (t->squares == NULL)
        return lab_error_set(&t->resources.run->error, "out-of-memory", "",
                             "out of memory for the operations of the chunks");
    for (size_t d = 0; d < t->devices; d++)
        if (!allocate_part(t, d))
            return false;
    for (size_t d = 0; d < t->devices; d++)
        if (!prepare_kernels(t, d))
            return false;
    return true;
}

bool transpose_prepare(struct transpose *t, const struct transpose_shape *shape)
{
    if (memcmp(&t->shape, shape, sizeof *shape) == 0)
        return true;
    lab_resources_release(&t->resources, t->kept);
    free(t->squares);
    t->shape = *shape;
    bool good = prepare_shape(t);
    if (!good)
        t->shape = (struct transpose_shape){0};
    return good;
}

/* --- operations of one device ------------------------------------------------------------------------------------- */

static bool transposes(enum transpose_variant variant)
{
    return variant != TRANSPOSE_ALL_TO_ALL;
}

static bool copies(enum transpose_variant variant)
{
    return variant != TRANSPOSE_LOCAL;
}

/* Number of pieces that a device sends. A piece is one chunk of the block of one step; pieces are numbered in the order
 * in which they are sent: step by step, chunk by chunk. */
static size_t piece_count(const struct transpose *t)
{
    return (t->devices - 1) * t->shape.chunks;
}

size_t transpose_operations(const struct transpose *t, enum transpose_variant variant)
{
    size_t each = transposes(variant) ? transpose_squares_sent(t) + 1 : 0;
    each += copies(variant) ? piece_count(t) : 0;
    return t->devices * each;
}

/* Queues the kernels that transpose `count` squares of the device, from index `first` on. */
static bool transpose_squares(struct transpose *t, size_t device, size_t first, size_t count)
{
    const struct lab_lane *lane = &t->lanes[device];
    for (size_t i = first; i < first + count; i++)
        if (!forward_error(t, device, t->runtime->enqueue(lane->device, squares_of(t, device)[i], lane->stream)))
            return false;
    return true;
}

static bool transpose_piece(struct transpose *t, size_t device, size_t piece)
{
    return transpose_squares(t, device, piece * t->shape.chunks, t->shape.chunks);
}

/* Makes the copy stream of a piece wait for all transposes that the device has queued so far. */
static bool wait_for_transposes(struct transpose *t, size_t device, size_t piece)
{
    const struct lab_lane *lane = &t->lanes[device];
    return forward_error(
        t, device,
        t->runtime->event_record(lane->device, t->ready[device], lane->stream) &&
            t->runtime->stream_wait(lane->device, copy_stream(t, device, piece % t->streams), t->ready[device]));
}

static bool send_piece(struct transpose *t, size_t device, size_t piece)
{
    size_t step = piece / t->shape.chunks + 1, chunk = piece % t->shape.chunks;
    size_t target = transpose_target(t, device, step);
    const struct lab_lane lane = {device_of(t, device), copy_stream(t, device, piece % t->streams)};
    return forward_error(t, device,
                         t->runtime->peer->copy(&lane, device_of(t, target), destination(t, target, device, chunk),
                                                lane.device, staged(t, device, step, chunk),
                                                t->shape.chunk_rows * t->shape.width * 4));
}

/* --- the whole job ------------------------------------------------------------------------------------------------ */

/* Ends the job of a device: its kernel stream waits for its copy streams. The next job of the device then does not
 * overwrite staging memory that is still being copied. Jobs of different devices need no order: each repetition writes the
 * same results to the same places. */
static bool end(struct transpose *t, size_t device)
{
    const struct lab_runtime *runtime = t->runtime;
    const struct lab_lane *lane = &t->lanes[device];
    bool good = true;
    for (size_t i = 0; good && i < t->streams; i++)
        good = runtime->event_record(lane->device, t->copied[device][i], copy_stream(t, device, i)) &&
               runtime->stream_wait(lane->device, lane->stream, t->copied[device][i]);
    return forward_error(t, device, good);
}

/* Queues piece by piece for all devices in turn, so that no device waits until all work of another has been queued. */
static bool piece_by_piece(struct transpose *t, bool (*queue)(struct transpose *t, size_t device, size_t piece))
{
    for (size_t piece = 0; piece < piece_count(t); piece++)
        for (size_t d = 0; d < t->devices; d++)
            if (!queue(t, d, piece))
                return false;
    return true;
}

static bool wait_and_send(struct transpose *t, size_t device, size_t piece)
{
    return (piece >= t->streams || wait_for_transposes(t, device, piece)) && send_piece(t, device, piece);
}

static bool transpose_and_send(struct transpose *t, size_t device, size_t piece)
{
    return transpose_piece(t, device, piece) && wait_for_transposes(t, device, piece) && send_piece(t, device, piece);
}

static bool transpose_own_blocks(struct transpose *t)
{
    for (size_t d = 0; d < t->devices; d++)
        if (!transpose_squares(t, d, transpose_squares_sent(t), 1))
            return false;
    return true;
}

static bool enqueue_variant(struct transpose *t, enum transpose_variant variant)
{
    if (variant == TRANSPOSE_OVERLAPPED)
        return piece_by_piece(t, transpose_and_send) && transpose_own_blocks(t);
    return (!transposes(variant) || (piece_by_piece(t, transpose_piece) && transpose_own_blocks(t))) &&
           (!copies(variant) || piece_by_piece(t, wait_and_send));
}

bool transpose_enqueue(void *context)
{
    const struct transpose_job *job = context;
    if (!enqueue_variant(job->transpose, job->variant))
        return false;
    for (size_t d = 0; copies(job->variant) && d < job->transpose->devices; d++)
        if (!end(job->transpose, d))
            return false;
    return true;
}

bool transpose_execute(void *context)
{
    const struct transpose_job *job = context;
    const struct transpose *t = job->transpose;
    if (!transpose_enqueue(context))
        return false;
    for (size_t d = 0; d < t->devices; d++)
        if (!forward_error(t, d, t->runtime->stream_synchronize(device_of(t, d), t->lanes[d].stream)))
            return false;
    return true;
}

/* --- verification ------------------------------------------------------------------------------------------------- */

/* Adds a transposed block in the memory of device `checker`: the block that `source` holds for `target`. */
static void add_block(const struct transpose *t, struct lab_destinations *blocks, size_t checker, void *block,
                      size_t source, size_t target)
{
    size_t width = t->shape.width;
    blocks->items[blocks->count++] =
        (struct lab_destination){.lane = t->lanes[checker],
                                 .memory = LAB_MEMORY_DEVICE,
                                 .region = lab_region_of(block, transpose_block_bytes(&t->shape)),
                                 .expected = {.content = LAB_CONTENT_TRANSPOSED,
                                              .seed = t->seed + source,
                                              .first = (uint64_t)target * width * width,
                                              .width = width}};
}

/* Lists the blocks that the variant writes: those that a device transposes for sending, and those of its result. */
static void list_blocks(const struct transpose_job *job, struct lab_destinations *blocks)
{
    const struct transpose *t = job->transpose;
    blocks->count = 0;
    for (size_t d = 0; d < t->devices; d++) {
        for (size_t step = 1; transposes(job->variant) && step < t->devices; step++)
            add_block(t, blocks, d, staged(t, d, step, 0), d, transpose_target(t, d, step));
        for (size_t source = 0; source < t->devices; source++)
            if (source == d ? transposes(job->variant) : copies(job->variant))
                add_block(t, blocks, d, destination(t, d, source, 0), source, d);
    }
}

/* Leftovers of an earlier job cannot pass verification. */
bool transpose_poison(void *context)
{
    const struct transpose_job *job = context;
    struct lab_destinations blocks;
    list_blocks(job, &blocks);
    return lab_destinations_poison(&blocks, device_of(job->transpose, 0));
}

bool transpose_verify(void *context, uint64_t *wrong)
{
    const struct transpose_job *job = context;
    struct lab_destinations blocks;
    list_blocks(job, &blocks);
    return lab_destinations_check(&blocks, device_of(job->transpose, 0), wrong);
}
