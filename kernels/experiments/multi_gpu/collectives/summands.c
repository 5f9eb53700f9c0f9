/* Computes the summands of all devices on several CPU threads and copies them to the devices piece by piece. */
#include "summands.h"

#include "benchmark/resources.h"
#include "core/parallel.h"

enum { PIECE_ELEMENTS = COLLECTIVES_STAGING_BYTES / sizeof(float), THREAD_ELEMENTS_MIN = 1 << 14 };

static const float unit = 1.0f / 16777216.0f; /* the unit of lab_pattern_float */

/* --- the numbers -------------------------------------------------------------------------------------------------- */

/* The summand of every rank but the last: a random integer in [0, most], where `most` is the expected sum divided by
 * the number of ranks. The last rank's summand is the expected sum minus all others. The seeds of the ranks differ in
 * their high bits, because seeds that differ only in low bits give the same numbers in another order. */
static uint32_t random_summand(uint64_t index, uint64_t seed, size_t rank, uint32_t most)
{
    uint64_t own_seed = seed + ((uint64_t)(rank + 1) << 32);
    return (uint32_t)((uint64_t)lab_pattern_word(index, own_seed) * (most + 1) >> 32);
}

/* Sets the summands of all ranks. */
static void split_element(uint64_t index, uint64_t seed, size_t ranks, float summands[LAB_RUN_DEVICES_MAX])
{
    uint32_t left = lab_pattern_word(index, seed) >> 8;
    uint32_t most = left / (uint32_t)ranks;
    for (size_t rank = 0; rank + 1 < ranks; rank++) {
        uint32_t summand = random_summand(index, seed, rank, most);
        summands[rank] = (float)summand * unit;
        left -= summand;
    }
    summands[ranks - 1] = (float)left * unit;
}

float collectives_summand(uint64_t index, uint64_t seed, size_t rank, size_t ranks)
{
    float summands[LAB_RUN_DEVICES_MAX] = {0};
    split_element(index, seed, ranks, summands);
    return summands[rank];
}

/* A piece of consecutive elements. */
struct piece {
    uint64_t first; /* index of its first element */
    uint64_t seed;
    const struct collectives_share *share;
    float *const *summands; /* host memory for the summands, by device of the share */
};

static void split_range(void *context, size_t begin, size_t end)
{
    const struct piece *piece = context;
    const struct collectives_share *share = piece->share;
    float summands[LAB_RUN_DEVICES_MAX];
    for (size_t i = begin; i < end; i++) {
        split_element(piece->first + i, piece->seed, share->ranks, summands);
        for (size_t r = 0; r < share->devices; r++)
            piece->summands[r][i] = summands[share->first + r];
    }
}

/* --- to the devices ----------------------------------------------------------------------------------------------- */

/* Copies one piece to every device and waits, because the next piece is computed in the same host memory. */
static bool copy_up(struct lab_run *run, const struct piece *piece, void *const *destinations, size_t elements)
{
    const struct lab_lane *lanes = piece->share->lanes;
    for (size_t r = 0; r < piece->share->devices; r++) {
        struct lab_device *device = lanes[r].device;
        float *destination = (float *)destinations[r] + piece->first;
        if (!lab_run_forward_error(run, device,
                                   device->runtime->copy(device, lanes[r].stream, destination, piece->summands[r],
                                                         elements * sizeof(float), LAB_H2D)))
            return false;
    }
    for (size_t r = 0; r < piece->share->devices; r++) {
        struct lab_device *device = lanes[r].device;
        if (!lab_run_forward_error(run, device, device->runtime->stream_synchronize(device, lanes[r].stream)))
            return false;
    }
    return true;
}

bool collectives_write_summands(struct lab_run *run, const struct collectives_share *share, void *const *destinations,
                                size_t count, uint64_t seed)
{
    struct lab_resources staging = {.run = run};
    float *pieces[LAB_RUN_DEVICES_MAX] = {NULL};
    struct piece piece = {.seed = seed, .share = share, .summands = pieces};
    bool good = true;
    for (size_t r = 0; good && r < share->devices; r++) {
        pieces[r] =
            lab_resources_memory(&staging, share->lanes[r].device, LAB_MEMORY_PINNED, COLLECTIVES_STAGING_BYTES);
        good = pieces[r] != NULL;
    }
    for (; good && piece.first < count; piece.first += PIECE_ELEMENTS) {
        size_t left = count - piece.first, elements = left < PIECE_ELEMENTS ? left : PIECE_ELEMENTS;
        lab_parallel_for(elements, THREAD_ELEMENTS_MIN, split_range, &piece);
        good = copy_up(run, &piece, destinations, elements);
    }
    lab_resources_release(&staging, 0);
    return good;
}
