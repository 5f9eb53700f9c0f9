/* Computes the summands of all devices on several CPU threads and copies them to the devices piece by piece. */
#include "summands.h"

#include "core/parallel.h"
#include "measure/run.h"

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

static void split_element(uint64_t index, uint64_t seed, size_t ranks, float *const *summands, size_t at)
{
    uint32_t left = lab_pattern_word(index, seed) >> 8;
    uint32_t most = left / (uint32_t)ranks;
    for (size_t rank = 0; rank + 1 < ranks; rank++) {
        uint32_t summand = random_summand(index, seed, rank, most);
        summands[rank][at] = (float)summand * unit;
        left -= summand;
    }
    summands[ranks - 1][at] = (float)left * unit;
}

float collectives_summand(uint64_t index, uint64_t seed, size_t rank, size_t ranks)
{
    float values[LAB_RUN_DEVICES_MAX] = {0};
    float *summands[LAB_RUN_DEVICES_MAX];
    for (size_t i = 0; i < ranks; i++)
        summands[i] = &values[i];
    split_element(index, seed, ranks, summands, 0);
    return values[rank];
}

/* A piece of consecutive elements. */
struct piece {
    uint64_t first; /* index of its first element */
    uint64_t seed;
    size_t ranks;
    float *const *summands; /* host memory for the summands, by device */
};

static void split_range(void *context, size_t begin, size_t end)
{
    const struct piece *piece = context;
    for (size_t i = begin; i < end; i++)
        split_element(piece->first + i, piece->seed, piece->ranks, piece->summands, i);
}

/* --- to the devices ----------------------------------------------------------------------------------------------- */

static bool failed(const struct lab_lane *lane, struct lab_error *error)
{
    *error = lane->device->error;
    return false;
}

/* Copies one piece to every device and waits, because the next piece is computed in the same host memory. */
static bool copy_up(const struct lab_lane *lanes, size_t ranks, void *const *destinations, float *const *pieces,
                    size_t first, size_t elements, struct lab_error *error)
{
    for (size_t r = 0; r < ranks; r++) {
        float *destination = (float *)destinations[r] + first;
        if (!lanes[r].device->runtime->copy(lanes[r].device, lanes[r].stream, destination, pieces[r],
                                            elements * sizeof(float), LAB_H2D))
            return failed(&lanes[r], error);
    }
    for (size_t r = 0; r < ranks; r++)
        if (!lanes[r].device->runtime->stream_synchronize(lanes[r].device, lanes[r].stream))
            return failed(&lanes[r], error);
    return true;
}

bool collectives_write_summands(const struct lab_lane *lanes, size_t ranks, void *const *destinations, size_t count,
                                uint64_t seed, struct lab_error *error)
{
    float *pieces[LAB_RUN_DEVICES_MAX] = {NULL};
    bool good = true;
    for (size_t r = 0; r < ranks && good; r++) {
        void *piece = NULL;
        good =
            lanes[r].device->runtime->allocate(lanes[r].device, LAB_MEMORY_PINNED, COLLECTIVES_STAGING_BYTES, &piece) ||
            failed(&lanes[r], error);
        pieces[r] = piece;
    }
    for (size_t first = 0; good && first < count; first += PIECE_ELEMENTS) {
        size_t elements = count - first < PIECE_ELEMENTS ? count - first : PIECE_ELEMENTS;
        struct piece piece = {.first = first, .seed = seed, .ranks = ranks, .summands = pieces};
        lab_parallel_for(elements, THREAD_ELEMENTS_MIN, split_range, &piece);
        good = copy_up(lanes, ranks, destinations, pieces, first, elements, error);
    }
    for (size_t r = 0; r < ranks; r++)
        lanes[r].device->runtime->release(lanes[r].device, LAB_MEMORY_PINNED, pieces[r]);
    return good;
}
