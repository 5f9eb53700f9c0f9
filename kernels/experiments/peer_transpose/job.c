/* Transposes and copies, in the order of the variant. */
#include "job.h"

static bool transposes(const struct transpose_board *b)
{
    return b->variant != TRANSPOSE_ALL_TO_ALL;
}

static bool copies(const struct transpose_board *b)
{
    return b->variant != TRANSPOSE_LOCAL;
}

size_t transpose_operations_most(const struct transpose_board *b)
{
    return b->devices * (transpose_squares_sent(b) + 1 + (b->devices - 1) * b->shape.chunks);
}

size_t transpose_operations(const struct transpose_board *b)
{
    size_t each = transposes(b) ? transpose_squares_sent(b) + 1 : 0;
    each += copies(b) ? (b->devices - 1) * b->shape.chunks : 0;
    return b->devices * each;
}

/* --- one device's share ------------------------------------------------------------------------------------------- */

/* Pieces are numbered in the order in which they are sent: step by step, chunk by chunk. */
static size_t piece_count(const struct transpose_board *b)
{
    return (b->devices - 1) * b->shape.chunks;
}

/* Queues `count` of the device's squares, from `first` on. */
static bool transpose_squares(struct transpose_board *b, size_t device, size_t first, size_t count)
{
    const struct lab_lane *lane = &b->lanes[device];
    for (size_t i = first; i < first + count; i++)
        if (!transpose_pass(b, device, b->runtime->enqueue(lane->device, b->squares[device][i], lane->stream)))
            return false;
    return true;
}

static bool transpose_piece(struct transpose_board *b, size_t device, size_t piece)
{
    return transpose_squares(b, device, piece * b->shape.chunks, b->shape.chunks);
}

static bool transpose_own_block(struct transpose_board *b, size_t device)
{
    return transpose_squares(b, device, transpose_squares_sent(b), 1);
}

/* The copy stream of a piece goes on when all that the device has transposed so far is done. */
static bool wait_for_transposes(struct transpose_board *b, size_t device, size_t piece)
{
    const struct lab_lane *lane = &b->lanes[device];
    return transpose_pass(
        b, device,
        b->runtime->event_record(lane->device, b->ready[device], lane->stream) &&
            b->runtime->stream_wait(lane->device, b->copies[device][piece % b->streams], b->ready[device]));
}

static bool send_piece(struct transpose_board *b, size_t device, size_t piece)
{
    size_t step = piece / b->shape.chunks + 1, chunk = piece % b->shape.chunks;
    size_t target = transpose_target(b, device, step);
    const struct lab_lane lane = {transpose_device(b, device), b->copies[device][piece % b->streams]};
    return transpose_pass(b, device,
                          b->runtime->peer->copy(&lane, transpose_device(b, target),
                                                 transpose_destination(b, target, device, chunk), lane.device,
                                                 transpose_staged(b, device, step, chunk),
                                                 b->shape.side * b->shape.width * 4));
}

/* --- the whole job ------------------------------------------------------------------------------------------------ */

/* No device begins before all have ended the job before: they write into each other's memory. */
static bool begin(struct transpose_board *b)
{
    const struct lab_runtime *runtime = b->runtime;
    const struct lab_lane *first = &b->lanes[0];
    for (size_t d = 1; d < b->devices; d++)
        if (!runtime->stream_wait(first->device, first->stream, b->ended[d]))
            return false;
    if (!runtime->event_record(first->device, b->begun, first->stream))
        return false;
    for (size_t d = 1; d < b->devices; d++)
        if (!transpose_pass(b, d, runtime->stream_wait(b->lanes[d].device, b->lanes[d].stream, b->begun)))
            return false;
    return true;
}

/* Each device's stream ends when its copies have. */
static bool end(struct transpose_board *b, size_t device)
{
    const struct lab_runtime *runtime = b->runtime;
    const struct lab_lane *lane = &b->lanes[device];
    bool good = true;
    for (size_t i = 0; good && copies(b) && i < b->streams; i++)
        good = runtime->event_record(lane->device, b->copied[device][i], b->copies[device][i]) &&
               runtime->stream_wait(lane->device, lane->stream, b->copied[device][i]);
    good = good && runtime->event_record(lane->device, b->ended[device], lane->stream);
    return transpose_pass(b, device, good);
}

/* The devices take turns piece by piece, so that none waits until all the work of another has been queued. */
static bool in_turn(struct transpose_board *b, bool (*queue)(struct transpose_board *b, size_t device, size_t piece))
{
    for (size_t piece = 0; piece < piece_count(b); piece++)
        for (size_t d = 0; d < b->devices; d++)
            if (!queue(b, d, piece))
                return false;
    return true;
}

static bool wait_and_send(struct transpose_board *b, size_t device, size_t piece)
{
    return (piece >= b->streams || wait_for_transposes(b, device, piece)) && send_piece(b, device, piece);
}

static bool transpose_and_send(struct transpose_board *b, size_t device, size_t piece)
{
    return transpose_piece(b, device, piece) && wait_for_transposes(b, device, piece) && send_piece(b, device, piece);
}

static bool transpose_own_blocks(struct transpose_board *b)
{
    for (size_t d = 0; d < b->devices; d++)
        if (!transpose_own_block(b, d))
            return false;
    return true;
}

static bool enqueue_variant(struct transpose_board *b)
{
    switch (b->variant) {
    case TRANSPOSE_OVERLAPPED:
        return in_turn(b, transpose_and_send) && transpose_own_blocks(b);
    case TRANSPOSE_SEQUENTIAL:
        return in_turn(b, transpose_piece) && transpose_own_blocks(b) && in_turn(b, wait_and_send);
    case TRANSPOSE_LOCAL:
        return in_turn(b, transpose_piece) && transpose_own_blocks(b);
    case TRANSPOSE_ALL_TO_ALL:
        break;
    }
    return in_turn(b, wait_and_send);
}

bool transpose_enqueue(void *context)
{
    struct transpose_board *b = context;
    if (!begin(b) || !enqueue_variant(b))
        return false;
    for (size_t d = 0; d < b->devices; d++)
        if (!end(b, d))
            return false;
    return true;
}

/* --- what comes of it --------------------------------------------------------------------------------------------- */

/* What an earlier job left must not pass for this one's; what is sent alone must stay. */
bool transpose_poison(void *context)
{
    struct transpose_board *b = context;
    size_t sent = (b->devices - 1) * transpose_block_bytes(&b->shape);
    for (size_t d = 0; d < b->devices; d++) {
        const struct lab_lane *lane = &b->lanes[d];
        struct lab_region result = lab_region_of(b->results[d], transpose_part_bytes(&b->shape));
        struct lab_region staging = lab_region_of(b->staging[d], sent);
        struct lab_expectation expected = {.seed = b->seed};
        if (!transpose_pass(b, d,
                            lab_verify_poison(lane->device, lane->stream, LAB_MEMORY_DEVICE, result, expected) &&
                                (!transposes(b) ||
                                 lab_verify_poison(lane->device, lane->stream, LAB_MEMORY_DEVICE, staging, expected))))
            return false;
    }
    return true;
}

/* Checks a block, wherever it is: what device `source` holds in the rows of device `target`, transposed. */
static bool check_block(struct transpose_board *b, size_t keeper, void *block, size_t source, size_t target,
                        uint64_t *wrong)
{
    const struct lab_lane *lane = &b->lanes[keeper];
    size_t width = b->shape.width;
    struct lab_comparison findings;
    struct lab_expectation expected = {.content = LAB_CONTENT_TRANSPOSED,
                                       .seed = b->seed + source,
                                       .first = (uint64_t)target * width * width,
                                       .width = width};
    if (!transpose_pass(b, keeper,
                        lab_verify_check(lane->device, lane->stream, LAB_MEMORY_DEVICE,
                                         lab_region_of(block, transpose_block_bytes(&b->shape)), expected, &findings)))
        return false;
    *wrong += findings.wrong;
    return true;
}

/* What a device has transposed to be sent. */
static bool check_staging(struct transpose_board *b, size_t device, uint64_t *wrong)
{
    for (size_t step = 1; step < b->devices; step++)
        if (!check_block(b, device, transpose_staged(b, device, step, 0), device, transpose_target(b, device, step),
                         wrong))
            return false;
    return true;
}

/* All blocks of a device's result that the variant is to put there. */
static bool check_result(struct transpose_board *b, size_t device, uint64_t *wrong)
{
    for (size_t source = 0; source < b->devices; source++)
        if ((source == device ? transposes(b) : copies(b)) &&
            !check_block(b, device, transpose_destination(b, device, source, 0), source, device, wrong))
            return false;
    return true;
}

bool transpose_verify(void *context, uint64_t *wrong)
{
    struct transpose_board *b = context;
    *wrong = 0;
    for (size_t d = 0; d < b->devices; d++)
        if (!check_result(b, d, wrong) || (b->variant == TRANSPOSE_LOCAL && !check_staging(b, d, wrong)))
            return false;
    return true;
}
