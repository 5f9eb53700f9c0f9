/* Computes the expected results of all pairs and compares them on CPU threads. */
#include "benchmark/pairs.h"

#include "core/parallel.h"

#include <stdatomic.h>

enum { RESULTS_PER_THREAD_MIN = 1 << 18 };

/* Sums are modulo 2^32, as in the kernel. */
struct check {
    const uint32_t *results;
    struct lab_expectation elements;
    uint32_t partners, sum, squares; /* number of partners, their sum, the sum of their squares */
    _Atomic uint64_t wrong;
};

static void count_wrong(void *context, size_t begin, size_t end)
{
    struct check *check = context;
    uint32_t partners = check->partners, sum = check->sum, squares = check->squares;
    uint64_t wrong = 0;
    for (size_t i = begin; i < end; i++) {
        uint32_t s = lab_pattern_word(check->elements.first + i, check->elements.seed);
        wrong += check->results[i] != partners * s * s - 2 * s * sum + squares;
    }
    check->wrong += wrong;
}

uint64_t lab_pairs_count_wrong(const uint32_t *results, size_t count, struct lab_expectation elements,
                               struct lab_expectation partners, uint32_t partner_count)
{
    struct check check = {.results = results, .elements = elements, .partners = partner_count};
    for (uint32_t i = 0; i < partner_count; i++) {
        uint32_t p = lab_pattern_word(partners.first + i, partners.seed);
        check.sum += p;
        check.squares += p * p;
    }
    lab_parallel_for(count, RESULTS_PER_THREAD_MIN, count_wrong, &check);
    return check.wrong;
}
