/* kernels/core/parallel.c: every item is processed once, in ranges that begin at multiples of the grain. */
#include "core/parallel.h"
#include "support/test.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

enum { ITEMS_MAX = 10000, THREADS_MAX = 8 };

struct record {
    size_t grain;
    atomic_size_t calls;
    atomic_bool misplaced; /* a range is empty or does not begin at a multiple of the grain */
    unsigned char visits[ITEMS_MAX];
};

static void visit(void *context, size_t begin, size_t end)
{
    struct record *record = context;
    record->calls++;
    if (begin >= end || begin % record->grain != 0)
        record->misplaced = true;
    for (size_t i = begin; i < end; i++)
        record->visits[i]++;
}

static void check(size_t total, size_t grain)
{
    struct record record = {.grain = grain};
    size_t grains = total / grain + (total % grain != 0);
    lab_parallel_for(total, grain, visit, &record);
    assert_false(record.misplaced);
    assert_true(record.calls <= grains && record.calls <= THREADS_MAX);
    assert_true(record.calls >= 2 || grains < 2 || sysconf(_SC_NPROCESSORS_ONLN) < 2);
    for (size_t i = 0; i < ITEMS_MAX; i++)
        assert_int_equal(record.visits[i], i < total);
}

TEST(every_item_is_processed_once)
{
    static const size_t totals[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 1000, ITEMS_MAX};
    static const size_t grains[] = {1, 3, 4, 64, 999, 1000, 2 * ITEMS_MAX};
    for (size_t t = 0; t < sizeof totals / sizeof totals[0]; t++)
        for (size_t g = 0; g < sizeof grains / sizeof grains[0]; g++)
            check(totals[t], grains[g]);
}
