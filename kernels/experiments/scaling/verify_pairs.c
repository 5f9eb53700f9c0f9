/* Computes the expected results of the kernel pairs and compares them on CPU threads. */
#include "verify_pairs.h"

#include "runtime/pattern.h"

#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

enum { THREADS_MAX = 8, RESULTS_PER_THREAD_MIN = 1 << 18 };

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

/* A range of the results, which one thread checks. */
struct slice {
    const uint32_t *results;
    size_t count;
    uint64_t seed, first;
    struct scaling_partner_sums partners;
    uint64_t wrong;
};

static void *count_wrong(void *argument)
{
    struct slice *slice = argument;
    const struct scaling_partner_sums partners = slice->partners;
    uint64_t wrong = 0;
    for (size_t i = 0; i < slice->count; i++) {
        uint32_t s = lab_pattern_word(slice->first + i, slice->seed);
        uint32_t expected = partners.count * s * s - 2 * s * partners.sum + partners.squares;
        wrong += slice->results[i] != expected;
    }
    slice->wrong = wrong;
    return NULL;
}

static size_t thread_count(size_t results)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = processors > 0 && processors < THREADS_MAX ? (size_t)processors : THREADS_MAX;
    size_t wanted = results / RESULTS_PER_THREAD_MIN;
    return wanted < 1 ? 1 : wanted < most ? wanted : most;
}

/* The calling thread checks the first slice, and each slice whose thread could not be started. */
uint64_t scaling_count_wrong_pairs(const uint32_t *results, size_t count, uint64_t seed, uint64_t first,
                                   struct scaling_partner_sums partners)
{
    struct slice slices[THREADS_MAX];
    pthread_t threads[THREADS_MAX];
    bool started[THREADS_MAX] = {false};
    size_t slice_count = thread_count(count);
    uint64_t wrong = 0;
    for (size_t i = 0; i < slice_count; i++) {
        size_t begin = count * i / slice_count, end = count * (i + 1) / slice_count;
        slices[i] = (struct slice){results + begin, end - begin, seed, first + begin, partners, 0};
        started[i] = i > 0 && pthread_create(&threads[i], NULL, count_wrong, &slices[i]) == 0;
    }
    for (size_t i = 0; i < slice_count; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            count_wrong(&slices[i]);
        wrong += slices[i].wrong;
    }
    return wrong;
}
