/* Computes the expected results of the kernel pairs and compares them on CPU threads. */
#include "verify_pairs.h"

#include "core/parallel.h"
#include "runtime/pattern.h"

#include <stdatomic.h>

enum { RESULTS_PER_THREAD_MIN = 1 << 18 };

struct scaling_partner_sums scaling_sum_partners(uint64_t seed, uint32_t count)
{
    struct scaling_partner_sums partners = {.count = count};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t p = lab_pattern_word(i, seed);
        partners.sum += p;
        partners.squares += p * p;
    }
    return partners;
}

struct check {
    const uint32_t *results;
    uint64_t seed, first;
    struct scaling_partner_sums partners;
    _Atomic uint64_t wrong;
};

static void count_wrong(void *context, size_t begin, size_t end)
{
    struct check *check = context;
    const struct scaling_partner_sums partners = check->partners;
    uint64_t wrong = 0;
    for (size_t i = begin; i < end; i++) {
        uint32_t s = lab_pattern_word(check->first + i, check->seed);
        uint32_t expected = partners.count * s * s - 2 * s * partners.sum + partners.squares;
        wrong += check->results[i] != expected;
    }
    check->wrong += wrong;
}

uint64_t scaling_count_wrong_pairs(const uint32_t *results, size_t count, uint64_t seed, uint64_t first,
                                   struct scaling_partner_sums partners)
{
    struct check check = {results, seed, first, partners, 0};
    lab_parallel_for(count, RESULTS_PER_THREAD_MIN, count_wrong, &check);
    return check.wrong;
}
