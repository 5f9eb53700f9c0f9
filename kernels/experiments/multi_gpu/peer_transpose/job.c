/* Allocates the matrix and prepares its transpose on every device; queues transposes and copies in the order of the
 * variant, and verifies the result. */
#include "job.h"

#include "descriptor/parameters.h"
#include "measure/verify.h"
#include "runtime/module.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)RECTANGLES_MAX >= (int)LAB_RUN_DEVICES_MAX, "a launch transposes the blocks for all devices");

LAB_IMAGE(peer_transpose);
static const char kernel_name[] = "peer_transpose_rectangles";

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
    for (size_t step = 1; step < t->devices; step++)
        for (size_t i = 0; i < t->streams; i++)
            if ((t->copied[device][step - 1][i] = lab_resources_event(&t->resources, on)) == NULL)
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
    free(t->launches);
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

/* --- the launches ------------------------------------------------------------------------------------------------- */

static void add_rectangle(struct transpose_rectangles *r, const void *from, void *to)
{
    r->from[r->count] = from;
    r->to[r->count++] = to;
}

/* The block that `device` holds for `target`. */
static void *block_of(const struct transpose *t, size_t device, size_t target)
{
    return word(t->parts[device], target * t->shape.width * t->shape.width);
}

/* Prepares the launch that transposes its rectangles, which have `columns` columns of a block. */
static bool prepare(struct transpose *t, size_t device, struct lab_kernel *kernel, struct transpose_launch *launch,
                    size_t columns)
{
    struct transpose_rectangles *r = &launch->rectangles;
    uint32_t width = (uint32_t)t->shape.width;
    r->rows = r->from_pitch = r->to_pitch = width;
    r->columns = (uint32_t)columns;
    const struct lab_launch of_tiles = {.grid = {transpose_tiles(r)}, .block = {TILE_THREADS}};
    const struct lab_argument argument = lab_argument_large(r, sizeof *r);
    launch->plan = lab_resources_launch(&t->resources, device_of(t, device), kernel, &of_tiles, &argument, 1);
    return launch->plan != NULL;
}

/* The launches of a device: of its pieces, of the block that stays, of its whole part. */
static struct transpose_launch *launches_of(const struct transpose *t, size_t device)
{
    return t->launches + device * (transpose_pieces(t) + 2);
}

static struct transpose_launch *launch_of_own_block(const struct transpose *t, size_t device)
{
    return launches_of(t, device) + transpose_pieces(t);
}

static struct transpose_launch *launch_of_part(const struct transpose *t, size_t device)
{
    return launches_of(t, device) + transpose_pieces(t) + 1;
}

/* A chunk is a band of rows of the transposed block, which is a band of columns of the block. */
static bool prepare_pieces(struct transpose *t, size_t device, struct lab_kernel *kernel)
{
    for (size_t piece = 0; piece < transpose_pieces(t); piece++) {
        size_t step = transpose_step(t, piece), chunk = piece % t->shape.chunks;
        struct transpose_launch *launch = &launches_of(t, device)[piece];
        void *block = block_of(t, device, transpose_target(t, device, step));
        add_rectangle(&launch->rectangles, word(block, chunk * t->shape.chunk_rows), staged(t, device, step, chunk));
        if (!prepare(t, device, kernel, launch, t->shape.chunk_rows))
            return false;
    }
    return true;
}

static bool prepare_own_block(struct transpose *t, size_t device, struct lab_kernel *kernel)
{
    struct transpose_launch *launch = launch_of_own_block(t, device);
    add_rectangle(&launch->rectangles, block_of(t, device, device), destination(t, device, device, 0));
    return prepare(t, device, kernel, launch, t->shape.width);
}

// region direct
/* The blocks of a device become rows of the results of all devices, which its kernel writes to their memory. */
static bool prepare_part(struct transpose *t, size_t device, struct lab_kernel *kernel)
{
    struct transpose_launch *launch = launch_of_part(t, device);
    for (size_t step = 0; step < t->devices; step++) {
        size_t target = transpose_target(t, device, step);
        add_rectangle(&launch->rectangles, block_of(t, device, target), destination(t, target, device, 0));
    }
    return prepare(t, device, kernel, launch, t->shape.width);
}
// end

static bool prepare_launches(struct transpose *t, size_t device)
{
    struct lab_device *on = device_of(t, device);
    struct lab_module *module = lab_resources_module(&t->resources, on, &image);
    struct lab_kernel *kernel = module != NULL ? lab_resources_kernel(&t->resources, on, module, kernel_name) : NULL;
    if (kernel != NULL && device == 0)
        t->record = lab_kernel_record_of(on, kernel, kernel_name, &(struct lab_launch){.block = {TILE_THREADS}});
    return kernel != NULL && prepare_pieces(t, device, kernel) && prepare_own_block(t, device, kernel) &&
           prepare_part(t, device, kernel);
}

static bool prepare_shape(struct transpose *t)
{
    t->launches = calloc(t->devices * (transpose_pieces(t) + 2), sizeof *t->launches);
    if (t->launches == NULL)
        return lab_error_set(&t->resources.run->error, LAB_ERROR_OUT_OF_MEMORY, "",
                             "out of memory for the launches of the chunks");
    for (size_t d = 0; d < t->devices; d++)
        if (!allocate_part(t, d))
            return false;
    for (size_t d = 0; d < t->devices; d++)
        if (!prepare_launches(t, d))
            return false;
    return true;
}

/* Transposes the blocks of each device once, so that the staging memory has what TRANSPOSE_ALL_TO_ALL sends. */
static bool fill_staging(struct transpose *t)
{
    return lab_run_forward_error(t->resources.run, device_of(t, 0),
                                 transpose_execute(&(struct transpose_job){t, TRANSPOSE_LOCAL}));
}

bool transpose_prepare(struct transpose *t, const struct transpose_shape *shape)
{
    if (memcmp(&t->shape, shape, sizeof *shape) == 0)
        return true;
    lab_resources_release(&t->resources, t->kept);
    free(t->launches);
    t->shape = *shape;
    bool good = prepare_shape(t) && fill_staging(t);
    if (!good)
        t->shape = (struct transpose_shape){0};
    return good;
}

/* --- operations of one device ------------------------------------------------------------------------------------- */

/* Whether a variant transposes blocks within each device. */
static bool transposes(enum transpose_variant variant)
{
    return variant == TRANSPOSE_SEQUENTIAL || variant == TRANSPOSE_OVERLAPPED || variant == TRANSPOSE_LOCAL;
}

/* Whether a variant copies transposed blocks from one device to another. */
static bool copies(enum transpose_variant variant)
{
    return variant != TRANSPOSE_LOCAL && variant != TRANSPOSE_DIRECT;
}

size_t transpose_operations(const struct transpose *t, enum transpose_variant variant)
{
    size_t each = variant == TRANSPOSE_DIRECT;
    each += transposes(variant) ? transpose_pieces(t) + 1 : 0;
    each += copies(variant) ? transpose_pieces(t) : 0;
    return t->devices * each;
}

static bool enqueue(struct transpose *t, size_t device, const struct transpose_launch *launch)
{
    const struct lab_lane *lane = &t->lanes[device];
    return forward_error(t, device, t->runtime->enqueue(lane->device, launch->plan, lane->stream));
}

static bool transpose_piece(struct transpose *t, size_t device, size_t piece)
{
    return enqueue(t, device, &launches_of(t, device)[piece]);
}

/* Whether no later piece of the same step is copied in the same stream. */
static bool is_last_in_stream(const struct transpose *t, size_t piece)
{
    return piece % t->shape.chunks + t->streams >= t->shape.chunks;
}

// region copies
/* A copy that writes runs on the device that sends, one that reads on the target. */
static size_t copying_device(const struct transpose *t, size_t device, size_t piece)
{
    return t->reads ? transpose_target(t, device, transpose_step(t, piece)) : device;
}

/* Makes the copy stream of a piece wait for all transposes that the device has queued so far. */
static bool wait_for_transposes(struct transpose *t, size_t device, size_t piece)
{
    const struct lab_lane *lane = &t->lanes[device];
    size_t on = copying_device(t, device, piece);
    struct lab_stream *stream = copy_stream(t, on, piece % t->streams);
    return forward_error(t, device, t->runtime->event_record(lane->device, t->ready[device], lane->stream)) &&
           forward_error(t, on, t->runtime->stream_wait(device_of(t, on), stream, t->ready[device]));
}

static bool send_piece(struct transpose *t, size_t device, size_t piece)
{
    size_t step = transpose_step(t, piece), chunk = piece % t->shape.chunks, stream = piece % t->streams;
    size_t target = transpose_target(t, device, step), on = copying_device(t, device, piece);
    const struct lab_lane lane = {device_of(t, on), copy_stream(t, on, stream)};
    bool good =
        t->runtime->peer->copy(&lane, device_of(t, target), destination(t, target, device, chunk), device_of(t, device),
                               staged(t, device, step, chunk), t->shape.chunk_rows * t->shape.width * 4);
    if (good && is_last_in_stream(t, piece))
        good = t->runtime->event_record(lane.device, t->copied[on][step - 1][stream], lane.stream);
    return forward_error(t, on, good);
}

/* The first pieces of a device in a stream wait for its transposes; the others follow them. */
static bool wait_and_send(struct transpose *t, size_t device, size_t piece)
{
    bool follows = (t->reads ? piece % t->shape.chunks : piece) >= t->streams;
    return (follows || wait_for_transposes(t, device, piece)) && send_piece(t, device, piece);
}

static bool transpose_and_send(struct transpose *t, size_t device, size_t piece)
{
    return transpose_piece(t, device, piece) && wait_for_transposes(t, device, piece) && send_piece(t, device, piece);
}
// end

/* --- the whole job ------------------------------------------------------------------------------------------------ */

/* Ends the job of a device: its kernel stream waits until all pieces that it sends have arrived. The next job of the
 * device then does not overwrite staging memory that is still being copied. Jobs of different devices need no order:
 * each repetition writes the same results to the same places. */
static bool end(struct transpose *t, size_t device)
{
    const struct lab_lane *lane = &t->lanes[device];
    bool good = true;
    for (size_t piece = 0; good && piece < transpose_pieces(t); piece++)
        if (is_last_in_stream(t, piece)) {
            struct lab_event *(*copied)[TRANSPOSE_STREAMS_MAX] = t->copied[copying_device(t, device, piece)];
            good = t->runtime->stream_wait(lane->device, lane->stream,
                                           copied[transpose_step(t, piece) - 1][piece % t->streams]);
        }
    return forward_error(t, device, good);
}

/* Queues piece by piece for all devices in turn, so that no device waits until all work of another has been queued. */
static bool piece_by_piece(struct transpose *t, bool (*queue)(struct transpose *t, size_t device, size_t piece))
{
    for (size_t piece = 0; piece < transpose_pieces(t); piece++)
        for (size_t d = 0; d < t->devices; d++)
            if (!queue(t, d, piece))
                return false;
    return true;
}

/* Queues one launch for each device. */
static bool on_each_device(struct transpose *t,
                           struct transpose_launch *(*launch_of)(const struct transpose *t, size_t device))
{
    for (size_t d = 0; d < t->devices; d++)
        if (!enqueue(t, d, launch_of(t, d)))
            return false;
    return true;
}

static bool enqueue_variant(struct transpose *t, enum transpose_variant variant)
{
    if (variant == TRANSPOSE_DIRECT)
        return on_each_device(t, launch_of_part);
    if (variant == TRANSPOSE_OVERLAPPED)
        return piece_by_piece(t, transpose_and_send) && on_each_device(t, launch_of_own_block);
    return (!transposes(variant) || (piece_by_piece(t, transpose_piece) && on_each_device(t, launch_of_own_block))) &&
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
            if (job->variant == TRANSPOSE_DIRECT || (source == d ? transposes(job->variant) : copies(job->variant)))
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
