/* Queues transposes and copies in the order of the variant, and verifies the result. */
#include "job.h"

static bool transposes(enum transpose_variant variant)
{
    return variant != TRANSPOSE_ALL_TO_ALL;
}

static bool copies(enum transpose_variant variant)
{
    return variant != TRANSPOSE_LOCAL;
}

size_t transpose_operations(const struct transpose_setup *setup, enum transpose_variant variant)
{
    size_t each = transposes(variant) ? transpose_squares_sent(setup) + 1 : 0;
    each += copies(variant) ? (setup->devices - 1) * setup->shape.chunks : 0;
    return setup->devices * each;
}

/* --- operations of one device ------------------------------------------------------------------------------------- */

/* Number of pieces that a device sends. A piece is one chunk of the block of one step; pieces are numbered in the order
 * in which they are sent: step by step, chunk by chunk. */
static size_t piece_count(const struct transpose_setup *setup)
{
    return (setup->devices - 1) * setup->shape.chunks;
}

/* Queues the kernels that transpose `count` squares of the device, from index `first` on. */
static bool transpose_squares(struct transpose_setup *setup, size_t device, size_t first, size_t count)
{
    const struct lab_lane *lane = &setup->lanes[device];
    for (size_t i = first; i < first + count; i++)
        if (!transpose_forward_error(setup, device,
                                     setup->runtime->enqueue(lane->device, setup->squares[device][i], lane->stream)))
            return false;
    return true;
}

static bool transpose_piece(struct transpose_setup *setup, size_t device, size_t piece)
{
    return transpose_squares(setup, device, piece * setup->shape.chunks, setup->shape.chunks);
}

static bool transpose_own_block(struct transpose_setup *setup, size_t device)
{
    return transpose_squares(setup, device, transpose_squares_sent(setup), 1);
}

/* Makes the copy stream of a piece wait for all transposes that the device has queued so far. */
static bool wait_for_transposes(struct transpose_setup *setup, size_t device, size_t piece)
{
    const struct lab_lane *lane = &setup->lanes[device];
    return transpose_forward_error(setup, device,
                                   setup->runtime->event_record(lane->device, setup->ready[device], lane->stream) &&
                                       setup->runtime->stream_wait(lane->device,
                                                                   setup->copies[device][piece % setup->streams],
                                                                   setup->ready[device]));
}

static bool send_piece(struct transpose_setup *setup, size_t device, size_t piece)
{
    size_t step = piece / setup->shape.chunks + 1, chunk = piece % setup->shape.chunks;
    size_t target = transpose_target(setup, device, step);
    const struct lab_lane lane = {transpose_device(setup, device), setup->copies[device][piece % setup->streams]};
    return transpose_forward_error(setup, device,
                                   setup->runtime->peer->copy(&lane, transpose_device(setup, target),
                                                              transpose_destination(setup, target, device, chunk),
                                                              lane.device, transpose_staged(setup, device, step, chunk),
                                                              setup->shape.chunk_rows * setup->shape.width * 4));
}

/* --- the whole job ------------------------------------------------------------------------------------------------ */

/* Ends the job of a device: its kernel stream waits for its copy streams. The next job of the device then does not
 * overwrite staging memory that is still being copied. Jobs of different devices need no order: each repetition writes the
 * same results to the same places. */
static bool end(struct transpose_setup *setup, size_t device)
{
    const struct lab_runtime *runtime = setup->runtime;
    const struct lab_lane *lane = &setup->lanes[device];
    bool good = true;
    for (size_t i = 0; good && i < setup->streams; i++)
        good = runtime->event_record(lane->device, setup->copied[device][i], setup->copies[device][i]) &&
               runtime->stream_wait(lane->device, lane->stream, setup->copied[device][i]);
    return transpose_forward_error(setup, device, good);
}

/* Queues piece by piece for all devices in turn, so that no device waits until all work of another has been queued. */
static bool piece_by_piece(struct transpose_setup *setup,
                           bool (*queue)(struct transpose_setup *setup, size_t device, size_t piece))
{
    for (size_t piece = 0; piece < piece_count(setup); piece++)
        for (size_t d = 0; d < setup->devices; d++)
            if (!queue(setup, d, piece))
                return false;
    return true;
}

static bool wait_and_send(struct transpose_setup *setup, size_t device, size_t piece)
{
    return (piece >= setup->streams || wait_for_transposes(setup, device, piece)) && send_piece(setup, device, piece);
}

static bool transpose_and_send(struct transpose_setup *setup, size_t device, size_t piece)
{
    return transpose_piece(setup, device, piece) && wait_for_transposes(setup, device, piece) &&
           send_piece(setup, device, piece);
}

static bool transpose_own_blocks(struct transpose_setup *setup)
{
    for (size_t d = 0; d < setup->devices; d++)
        if (!transpose_own_block(setup, d))
            return false;
    return true;
}

static bool enqueue_variant(struct transpose_setup *setup, enum transpose_variant variant)
{
    switch (variant) {
    case TRANSPOSE_OVERLAPPED:
        return piece_by_piece(setup, transpose_and_send) && transpose_own_blocks(setup);
    case TRANSPOSE_SEQUENTIAL:
        return piece_by_piece(setup, transpose_piece) && transpose_own_blocks(setup) &&
               piece_by_piece(setup, wait_and_send);
    case TRANSPOSE_LOCAL:
        return piece_by_piece(setup, transpose_piece) && transpose_own_blocks(setup);
    case TRANSPOSE_ALL_TO_ALL:
        break;
    }
    return piece_by_piece(setup, wait_and_send);
}

bool transpose_enqueue(void *context)
{
    const struct transpose_job *job = context;
    if (!enqueue_variant(job->setup, job->variant))
        return false;
    for (size_t d = 0; copies(job->variant) && d < job->setup->devices; d++)
        if (!end(job->setup, d))
            return false;
    return true;
}

/* --- verification ------------------------------------------------------------------------------------------------- */

/* Poisons the results, so that leftovers of an earlier job cannot pass verification. Also poisons the staging memory,
 * unless the variant only sends what is there. */
bool transpose_poison(void *context)
{
    const struct transpose_job *job = context;
    struct transpose_setup *setup = job->setup;
    size_t sent = (setup->devices - 1) * transpose_block_bytes(&setup->shape);
    for (size_t d = 0; d < setup->devices; d++) {
        const struct lab_lane *lane = &setup->lanes[d];
        struct lab_region result = lab_region_of(setup->results[d], transpose_part_bytes(&setup->shape));
        struct lab_region staging = lab_region_of(setup->staging[d], sent);
        struct lab_expectation expected = {.seed = setup->seed};
        if (!transpose_forward_error(
                setup, d,
                lab_verify_poison(lane->device, lane->stream, LAB_MEMORY_DEVICE, result, expected) &&
                    (!transposes(job->variant) ||
                     lab_verify_poison(lane->device, lane->stream, LAB_MEMORY_DEVICE, staging, expected))))
            return false;
    }
    return true;
}

/* Checks a transposed block in the memory of device `checker`: the block that `source` holds for `target`. */
static bool check_block(struct transpose_setup *setup, size_t checker, void *block, size_t source, size_t target,
                        uint64_t *wrong)
{
    const struct lab_lane *lane = &setup->lanes[checker];
    size_t width = setup->shape.width;
    struct lab_comparison comparison;
    struct lab_expectation expected = {.content = LAB_CONTENT_TRANSPOSED,
                                       .seed = setup->seed + source,
                                       .first = (uint64_t)target * width * width,
                                       .width = width};
    if (!transpose_forward_error(setup, checker,
                                 lab_verify_check(lane->device, lane->stream, LAB_MEMORY_DEVICE,
                                                  lab_region_of(block, transpose_block_bytes(&setup->shape)), expected,
                                                  &comparison)))
        return false;
    *wrong += comparison.wrong;
    return true;
}

/* Checks the blocks that the device has transposed for sending. */
static bool check_staging(struct transpose_setup *setup, size_t device, uint64_t *wrong)
{
    for (size_t step = 1; step < setup->devices; step++)
        if (!check_block(setup, device, transpose_staged(setup, device, step, 0), device,
                         transpose_target(setup, device, step), wrong))
            return false;
    return true;
}

/* Checks all blocks of the device's result that the variant writes. */
static bool check_result(const struct transpose_job *job, size_t device, uint64_t *wrong)
{
    for (size_t source = 0; source < job->setup->devices; source++)
        if ((source == device ? transposes(job->variant) : copies(job->variant)) &&
            !check_block(job->setup, device, transpose_destination(job->setup, device, source, 0), source, device,
                         wrong))
            return false;
    return true;
}

bool transpose_verify(void *context, uint64_t *wrong)
{
    const struct transpose_job *job = context;
    *wrong = 0;
    for (size_t d = 0; d < job->setup->devices; d++)
        if (!check_result(job, d, wrong) || (job->variant == TRANSPOSE_LOCAL && !check_staging(job->setup, d, wrong)))
            return false;
    return true;
}
